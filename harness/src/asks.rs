//! Requests and inputs for an operation, made from its parameters and echoes. They stand for what a caller
//! would ask; nothing here knows a contract, save for the members that its input takes.

use provely_evaluator::contract::{As, InputSchema};
use provely_evaluator::json::{Object, Value};
use provely_evaluator::query::{Reference, Step};
use provely_model::{
    Argument, BodyEncoding, Echo, EchoKind, FieldKind, Operation, Parameter, Parts, Place, Plan, Resource,
    Role, RootField, Service,
};
use provely_simulator::{Request, set_at};

use crate::book::Asks;

/// Makes requests and inputs of one operation.
#[derive(Debug)]
pub(crate) struct Asking<'s> {
    service: &'s Service,
    operation: &'s Operation,
    plan: &'s Plan,
    resource: Option<&'s Resource>,
    /// The parameter that names the record, where it is there already.
    existing: Option<&'s str>,
}

/// A record that has to be there before anybody acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parent {
    pub(crate) resource: String,
    pub(crate) fields: Value,
}

impl<'s> Asking<'s> {
    pub(crate) fn new(
        service: &'s Service,
        operation: &'s Operation,
        plan: &'s Plan,
        existing: Option<&'s str>,
    ) -> Self {
        let resource = operation.resource.as_deref().and_then(|name| service.resource(name));
        Self { service, operation, plan, resource, existing }
    }

    /// The id of the record that is there already.
    pub(crate) fn own_id(&self, asks: Asks) -> Value {
        let other = asks == Asks::OtherSubject;
        let path = self.resource.and_then(|own| own.id.as_deref());
        let path = path.and_then(|path| Reference::parse(path).ok());
        let field = path.as_ref().and_then(|path| match path.steps.as_slice() {
            [Step::Member(name)] => self.resource?.fields.iter().find(|field| field.name == *name),
            [] | [Step::Index(_)] | [_, _, ..] => None,
        });
        let number = 9_007_199_254_741_001_u64 + u64::from(other);
        let numeric = |kind| matches!(kind, FieldKind::Integer | FieldKind::Number);
        let named = self.existing.and_then(|name| self.parameter(name));
        match field.map(|field| field.kind) {
            Some(kind) if numeric(kind) => Value::from(number),
            Some(_) | None if named.is_some_and(|named| numeric(named.kind)) => {
                Value::from(number.to_string())
            }
            Some(_) | None => {
                let name = self.own_name().unwrap_or_default();
                Value::from(format!("{name}_own_{}", if other { "two" } else { "one" }))
            }
        }
    }

    /// The parents of a record that is there already, by path parameter.
    pub(crate) fn path_parents(&self, asks: Asks) -> Vec<(String, String)> {
        let others = self.operation.parameters.iter().filter(|own| {
            own.place == Place::Path && self.existing.is_some_and(|existing| existing != own.name)
        });
        let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        others.filter_map(|own| Some((own.name.clone(), text(self.value(own, asks)?)))).collect()
    }

    /// What the record shows once everything that was asked for is done: where, and which value.
    pub(crate) fn asked(&self) -> Vec<(Vec<Step>, Value)> {
        let echoes = self.plan.echoes.iter();
        echoes
            .filter_map(|echo| {
                let parameter = self.parameter(&echo.input)?;
                let path = Reference::parse(&echo.path).ok()?;
                Some((path.steps, self.value(parameter, Asks::Base)?))
            })
            .collect()
    }

    /// The request, with key and tag where they are given and the provider takes them.
    pub(crate) fn request(&self, asks: Asks, key: Option<&str>, tag: Option<&str>) -> Request {
        let mut body = Value::Object(Object::new());
        let carries_key = |own: &&Parameter| self.key_field() == Some(own.name.as_str());
        let body_fields = self.operation.parameters.iter().filter(|own| own.place == Place::Body);
        for parameter in body_fields.filter(|own| !carries_key(own)) {
            if let Some(value) = self.value(parameter, asks) {
                set_at(&mut body, &dotted(&parameter.name), value);
            }
        }
        if let (Some(field), Some(key)) = (self.key_field(), key) {
            set_at(&mut body, &dotted(field), Value::from(key));
        }
        if let (Some(plan), Some(tag)) = (&self.plan.tag, tag) {
            set_at(&mut body, &dotted(&plan.parameter), Value::from(tag));
        }
        for echo in self.unlisted() {
            set_at(&mut body, &dotted(&echo.input), self.of_echo(echo, asks));
        }
        let request = Request::new(&self.operation.method, &self.path(asks));
        if let Some(root) = &self.operation.graphql {
            return keyed(request.json(self.document(root, body, key)), self.plan, key);
        }
        let request = match self.operation.body {
            BodyEncoding::None => request,
            BodyEncoding::Json | BodyEncoding::Form | BodyEncoding::Multipart | BodyEncoding::Other => {
                request.json(body)
            }
        };
        keyed(request, self.plan, key)
    }

    /// The body field that carries the retry key.
    fn key_field(&self) -> Option<&'s str> {
        self.plan.idempotency.as_ref()?.field.as_deref()
    }

    /// True if no request is taken without a retry key.
    pub(crate) fn needs_key(&self) -> bool {
        let field = self.key_field().and_then(|name| self.parameter(name));
        field.is_some_and(|field| field.required)
    }

    /// The document of a root field with these arguments.
    fn document(&self, root: &RootField, mut arguments: Value, key: Option<&str>) -> Value {
        let given = |arguments: &Value, own: &Argument| arguments.get(&own.name).is_some();
        for own in root.arguments.iter().filter(|own| own.required) {
            if !given(&arguments, own) {
                set_at(&mut arguments, &dotted(&own.name), sample_of_type(&own.kind));
            }
        }
        let used: Vec<&Argument> = root.arguments.iter().filter(|own| given(&arguments, own)).collect();
        let list = |show: &dyn Fn(&Argument) -> String| {
            let shown: Vec<String> = used.iter().map(|own| show(own)).collect();
            if shown.is_empty() { String::new() } else { format!("({})", shown.join(", ")) }
        };
        let declared = list(&|own| format!("${}: {}", own.name, own.kind));
        let handed = list(&|own| format!("{0}: ${0}", own.name));
        let kind = match root.kind {
            provely_model::RootKind::Query => "query",
            provely_model::RootKind::Mutation => "mutation",
        };
        let mut body = Object::new();
        let directive = self.plan.idempotency.as_ref().and_then(|own| own.directive.as_ref());
        let carried = directive
            .zip(key)
            .map(|(own, key)| format!(" @{}({}: {})", own.name, own.argument, Value::from(key)));
        let carried = carried.unwrap_or_default();
        body.insert(
            "query",
            format!("{kind}{declared} {{ {}{handed}{carried} {} }}", root.name, root.selection),
        );
        body.insert("variables", arguments);
        Value::Object(body)
    }

    /// Echoed inputs that are no parameters of their own: they stand inside a list.
    fn unlisted(&self) -> impl Iterator<Item = &'s Echo> {
        let (plan, operation) = (self.plan, self.operation);
        let listed = |echo: &&Echo| operation.parameters.iter().any(|own| own.name == echo.input);
        plan.echoes.iter().filter(move |echo| !listed(echo) && echo.input.contains('['))
    }

    fn of_echo(&self, echo: &Echo, asks: Asks) -> Value {
        match echo.kind {
            EchoKind::Amount => amount(FieldKind::Decimal, asks),
            EchoKind::Currency => currency(asks),
            EchoKind::Subject | EchoKind::Other => {
                Value::from(if asks == Asks::OtherSubject { "two" } else { "one" })
            }
        }
    }

    /// The input of `begin`: what the request says, as far as the contract takes it.
    pub(crate) fn input(&self, asks: Asks, schema: &InputSchema) -> Value {
        let mut input = Object::new();
        for parameter in &self.operation.parameters {
            let member = self.operation.member(&parameter.name);
            if let Some(value) =
                self.value(parameter, asks).filter(|_| schema.properties.contains_key(&member))
            {
                input.insert(member, value);
            }
        }
        for echo in self.unlisted() {
            let member = self.operation.member(&echo.input);
            if schema.properties.contains_key(&member) {
                input.insert(member, self.of_echo(echo, asks));
            }
        }
        for echo in self.plan.echoes.iter().filter(|echo| echo.kind == EchoKind::Currency) {
            let member = self.operation.member(&echo.input);
            if schema.properties.contains_key(&member) && !input.contains_key(&member) {
                input.insert(member, currency(asks));
            }
        }
        Value::Object(input)
    }

    /// Parents that the requests of this operation name, and what they carry.
    pub(crate) fn parents(&self) -> Vec<Parent> {
        let mut parents: Vec<Parent> = Vec::new();
        for asks in [Asks::Base, Asks::OtherSubject, Asks::Before] {
            for parameter in &self.operation.parameters {
                let Some(resource) = self.parent_of(parameter) else { continue };
                let Some(id @ (Value::String(_) | Value::Number(_))) = self.value(parameter, asks) else {
                    continue;
                };
                let parent = Parent { resource: resource.name.clone(), fields: self.parent(resource, id) };
                if !parents.contains(&parent) {
                    parents.push(parent);
                }
            }
        }
        parents
    }

    /// The fields of a record that was there before.
    pub(crate) fn fields(&self, asks: Asks) -> Value {
        let mut fields = Value::Object(Object::new());
        let id = self.resource.and_then(|own| own.id.as_deref()).unwrap_or("@.id");
        if let (Some(_), Ok(id)) = (self.existing, Reference::parse(id)) {
            set_at(&mut fields, &id.steps, self.own_id(asks));
        }
        for echo in &self.plan.echoes {
            let parameter = self.parameter(&echo.input);
            let value = match parameter {
                Some(parameter) if self.existing.is_some() => {
                    self.value(parameter, asks).or_else(|| Some(self.plain(parameter, echo)))
                }
                Some(parameter) => self.value(parameter, asks),
                None if echo.kind == EchoKind::Currency => Some(currency(asks)),
                None => None,
            };
            if let (Some(value), Ok(path)) = (value, Reference::parse(&echo.path)) {
                set_at(&mut fields, &path.steps, value);
            }
        }
        fields
    }

    /// Puts one part that counts into a record that was there before.
    pub(crate) fn put_part(
        &self,
        fields: &mut Value,
        parts: &Parts,
        (path, state): (&[Step], &str),
        asks: Asks,
    ) {
        let mut item = Value::Object(Object::new());
        set_at(&mut item, path, Value::from(state));
        let steps = |path: &str| Reference::parse(path).ok().map(|path| path.steps);
        if let Some((steps, value)) =
            parts.only.as_ref().and_then(|(path, value)| Some((steps(path)?, value)))
        {
            set_at(&mut item, &steps, Value::from(value.as_str()));
        }
        if let Some((steps, live)) = parts.live.as_ref().and_then(|(path, live)| Some((steps(path)?, live))) {
            set_at(&mut item, &steps, Value::Bool(*live));
        }
        if let Some(steps) = parts.by_hand.as_deref().and_then(steps) {
            set_at(&mut item, &steps, Value::Bool(false));
        }
        if let Some(steps) = steps(parts.amount.as_deref().unwrap_or("@.amount")) {
            set_at(&mut item, &steps, amount(FieldKind::Decimal, asks));
        }
        if let Some(steps) = steps(&parts.over) {
            set_at(fields, &steps, Value::Array(vec![item]));
        }
    }

    /// Where the record carries what is different about `asks`, and the value it has there.
    pub(crate) fn altered(&self, asks: Asks) -> Option<(String, Value)> {
        let kind = match asks {
            Asks::Half | Asks::Quarter | Asks::OtherAmount => EchoKind::Amount,
            Asks::OtherSubject => EchoKind::Subject,
            Asks::OtherCurrency | Asks::CurrencyInCapitals => EchoKind::Currency,
            Asks::Base | Asks::Before | Asks::SomeFields => return None,
        };
        let echo = self.plan.echoes.iter().find(|echo| echo.kind == kind)?;
        let value = match (kind, self.parameter(&echo.input)) {
            (EchoKind::Currency, _) => Some(currency(asks)),
            (EchoKind::Amount | EchoKind::Subject | EchoKind::Other, Some(parameter)) => {
                self.value(parameter, asks)
            }
            (EchoKind::Amount | EchoKind::Subject | EchoKind::Other, None) => None,
        };
        let parts = self.resource.and_then(|own| own.lifecycle.as_ref()).and_then(|own| own.parts.as_ref());
        let path = match (kind, parts) {
            (EchoKind::Amount, Some(parts)) => {
                let inside = parts.amount.as_deref().unwrap_or("@.amount");
                format!("{}[0]{}", parts.over, inside.strip_prefix('@').unwrap_or(inside))
            }
            _ => echo.path.clone(),
        };
        Some((path, value?))
    }

    fn path(&self, asks: Asks) -> String {
        let mut path = self.operation.path.clone();
        for parameter in self.operation.parameters.iter().filter(|own| own.place == Place::Path) {
            let value = self.value(parameter, asks);
            let text = match value {
                Some(Value::String(text)) => text,
                Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
                Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => continue,
            };
            path = path.replace(&format!("{{{}}}", parameter.name), &text);
        }
        path
    }

    fn parameter(&self, name: &str) -> Option<&'s Parameter> {
        let fits = |own: &&Parameter| own.name == name && matches!(own.place, Place::Body | Place::Path);
        self.operation.parameters.iter().find(fits)
    }

    fn echo(&self, parameter: &Parameter) -> Option<&'s Echo> {
        self.plan.echoes.iter().find(|echo| echo.input == parameter.name)
    }

    /// What a parameter carries; nothing for one that may be left out and says nothing.
    fn value(&self, parameter: &Parameter, asks: Asks) -> Option<Value> {
        if matches!(parameter.place, Place::Query | Place::Header) {
            return None;
        }
        if self.existing == Some(&parameter.name) {
            return Some(as_named(self.own_id(asks), parameter.kind));
        }
        if self.existing.is_some() {
            return self.changing(parameter, asks);
        }
        let Some(echo) = self.echo(parameter) else {
            let needed = parameter.required || parameter.place == Place::Path;
            return needed.then(|| self.filler(parameter, asks));
        };
        if echo.kind == EchoKind::Subject && !self.is_asked(parameter, echo) {
            return None;
        }
        match echo.kind {
            EchoKind::Subject => Some(self.subject(parameter, echo, asks)),
            EchoKind::Amount => Some(amount(parameter.kind, asks)),
            EchoKind::Currency => Some(self.money_code(parameter, asks)),
            EchoKind::Other if parameter.required => Some(self.filler(parameter, asks)),
            EchoKind::Other => None,
        }
    }

    /// What a parameter of a change carries: an update names every field that the record echoes.
    fn changing(&self, parameter: &Parameter, asks: Asks) -> Option<Value> {
        let echo = self.echo(parameter);
        let needed = parameter.required || parameter.place == Place::Path;
        let Some(echo) = echo.filter(|_| self.operation.role == Role::Update) else {
            return needed.then(|| self.filler(parameter, Asks::Base));
        };
        let first = self.plan.echoes.iter().find(|echo| self.parameter(&echo.input).is_some());
        if asks == Asks::SomeFields && first != Some(echo) && !needed {
            return None;
        }
        let before = asks == Asks::Before || (asks == Asks::SomeFields && first != Some(echo));
        Some(match echo.kind {
            EchoKind::Subject if before => self.subject(parameter, echo, Asks::OtherSubject),
            EchoKind::Subject => self.subject(parameter, echo, Asks::Base),
            EchoKind::Amount => amount(parameter.kind, if before { Asks::OtherAmount } else { Asks::Base }),
            EchoKind::Currency => self.money_code(parameter, if before { Asks::OtherCurrency } else { asks }),
            EchoKind::Other => self.sample(parameter, usize::from(before)),
        })
    }

    /// What a record shows in a field that nobody asks to change.
    fn plain(&self, parameter: &Parameter, echo: &Echo) -> Value {
        match echo.kind {
            EchoKind::Subject => self.subject(parameter, echo, Asks::Base),
            EchoKind::Amount => amount(parameter.kind, Asks::Base),
            EchoKind::Currency => self.money_code(parameter, Asks::Base),
            EchoKind::Other => self.sample(parameter, 0),
        }
    }

    /// Where no subject has to be given, one is: the one that a list is narrowed by, else the first.
    fn is_asked(&self, parameter: &Parameter, echo: &Echo) -> bool {
        let subjects = self.plan.echoes.iter().filter(|own| own.kind == EchoKind::Subject);
        let subjects: Vec<&Echo> = subjects.collect();
        let needed = |own: &&Echo| self.parameter(&own.input).is_some_and(|own| own.required);
        let free = if subjects.iter().any(needed) { &[][..] } else { subjects.as_slice() };
        let chosen = free.iter().find(|own| self.narrows(&own.input)).or(free.first());
        parameter.required || parameter.place == Place::Path || chosen.is_some_and(|own| *own == echo)
    }

    /// True for an input that the scope of some list is made of.
    fn narrows(&self, input: &str) -> bool {
        let requests = self.plan.channels.iter().filter_map(|channel| channel.request.as_ref());
        let reference = format!("$input.{input}");
        requests.into_iter().any(|request| {
            let places = [&request.parameters, &request.query, &request.variables];
            request.scope.iter().any(|name| places.iter().any(|place| place.get(name) == Some(&reference)))
        })
    }

    /// A currency, as the record's field lists them where it does.
    fn money_code(&self, parameter: &Parameter, asks: Asks) -> Value {
        let last = parameter.name.rsplit('.').next().unwrap_or_default();
        let field = self.resource.and_then(|own| own.fields.iter().find(|field| field.name == last));
        let listed = field.map(|field| field.values.as_slice()).unwrap_or_default();
        let other = asks == Asks::OtherCurrency;
        match (listed, asks) {
            ([first, ..], Asks::CurrencyInCapitals) => Value::from(first.to_uppercase()),
            ([_, second, ..], _) if other => Value::from(second.as_str()),
            ([first, ..], _) => Value::from(first.as_str()),
            ([], _) => currency(asks),
        }
    }

    fn subject(&self, parameter: &Parameter, echo: &Echo, asks: Asks) -> Value {
        let other = asks == Asks::OtherSubject;
        let is_email =
            matches!(echo.read_as, Some(As::Email | As::Set(provely_evaluator::contract::SetOf::Email)));
        let text = match self.parent_of(parameter) {
            Some(resource) => parent_id(resource, other),
            None if is_email || parameter.name.contains("mail") || parameter.name == "to" => {
                String::from(if other { "grace@example.test" } else { "ada@example.test" })
            }
            None => return self.sample(parameter, usize::from(other)),
        };
        fitting(parameter.kind, Value::from(text), usize::from(other))
    }

    /// A value that the parameter takes, one of several that differ: a listed one where values are listed.
    fn sample(&self, parameter: &Parameter, which: usize) -> Value {
        let last = parameter.name.rsplit('.').next().unwrap_or_default();
        let field = self.resource.and_then(|own| own.fields.iter().find(|field| field.name == last));
        let listed = field.map(|field| field.values.as_slice()).unwrap_or_default();
        let text = match listed.get(which).or(listed.first()) {
            Some(value) => value.clone(),
            None if parameter.name.contains("from") => format!("sender{which}@example.test"),
            None => format!("{last} {}", which + 1),
        };
        fitting(parameter.kind, Value::from(text), which)
    }

    /// The resource that a parameter names by id: by the record's field, or by the parameter's name.
    fn parent_of(&self, parameter: &Parameter) -> Option<&'s Resource> {
        let path = self.echo(parameter).and_then(|echo| Reference::parse(&echo.path).ok());
        let field = path.as_ref().and_then(|path| match path.steps.first() {
            Some(Step::Member(name)) => self.resource?.fields.iter().find(|field| field.name == *name),
            Some(Step::Index(_)) | None => None,
        });
        let bare = parameter.name.strip_suffix("_id").unwrap_or(&parameter.name);
        let named = field.and_then(|field| field.refers_to.as_deref());
        let named = named.or((parameter.place == Place::Path).then_some(bare))?;
        self.service.resource(named).filter(|resource| Some(resource.name.as_str()) != self.own_name())
    }

    fn own_name(&self) -> Option<&str> {
        self.resource.map(|resource| resource.name.as_str())
    }

    fn parent(&self, resource: &Resource, id: Value) -> Value {
        let mut fields = Value::Object(Object::new());
        let path = resource.id.as_deref().unwrap_or("@.id");
        if let Ok(path) = Reference::parse(path) {
            set_at(&mut fields, &path.steps, id);
        }
        for echo in &self.plan.echoes {
            let value = match echo.kind {
                EchoKind::Amount => {
                    self.parameter(&echo.input).map(|own| amount(own.kind, Asks::OtherAmount))
                }
                EchoKind::Currency => Some(currency(Asks::Base)),
                EchoKind::Subject | EchoKind::Other => None,
            };
            let Ok(path) = Reference::parse(&echo.path) else { continue };
            let known = matches!(path.steps.as_slice(),
                [Step::Member(name)] if resource.fields.iter().any(|field| field.name == *name));
            if let Some(value) = value.filter(|_| known) {
                set_at(&mut fields, &path.steps, value);
            }
        }
        fields
    }

    fn filler(&self, parameter: &Parameter, asks: Asks) -> Value {
        match self.parent_of(parameter) {
            Some(resource) => {
                // A parent in the path stays where the record names its subject by itself.
                let named = self.plan.echoes.iter().any(|echo| echo.kind == EchoKind::Subject);
                let other = asks == Asks::OtherSubject && !(named && parameter.place == Place::Path);
                fitting(parameter.kind, Value::from(parent_id(resource, other)), usize::from(other))
            }
            None => self.sample(parameter, 0),
        }
    }
}

/// The text where the kind takes text, else a value of the kind; `which` tells several apart.
fn fitting(kind: FieldKind, text: Value, which: usize) -> Value {
    let number = i64::try_from(which).unwrap_or(0);
    match kind {
        FieldKind::Text | FieldKind::IdOrRecord | FieldKind::Any => text,
        FieldKind::Integer | FieldKind::Number => Value::from(3 + number),
        FieldKind::Decimal => Value::from(format!("{}.00", 3 + number)),
        FieldKind::Boolean => Value::Bool(which == 0),
        FieldKind::DateTime => Value::from(format!("2026-10-0{}T00:00:00Z", 1 + number.min(8))),
        FieldKind::EpochSeconds => Value::from(1_790_000_000 + number),
        FieldKind::EpochMilliseconds => Value::from(1_790_000_000_000 + number),
        FieldKind::Map | FieldKind::Object => Value::Object(Object::new()),
        FieldKind::Array => Value::Array(vec![text]),
    }
}

/// An id in the type in which a path takes it.
fn as_named(id: Value, kind: FieldKind) -> Value {
    match (id, kind) {
        (Value::String(text), FieldKind::Integer | FieldKind::Number) => {
            text.parse::<u64>().map_or(Value::String(text), Value::from)
        }
        (id @ Value::Number(_), FieldKind::Integer | FieldKind::Number) => id,
        (Value::Number(number), _) => Value::from(number.as_str()),
        (id, _) => id,
    }
}

fn parent_id(resource: &Resource, other: bool) -> String {
    format!("{}_{}", resource.name, if other { "two" } else { "one" })
}

/// 142.00 in the smaller unit where amounts are whole numbers.
fn amount(kind: FieldKind, asks: Asks) -> Value {
    let minor: i64 = match asks {
        Asks::Half => 7_100,
        Asks::Quarter => 3_600,
        Asks::OtherAmount => 28_400,
        Asks::Base
        | Asks::OtherSubject
        | Asks::OtherCurrency
        | Asks::CurrencyInCapitals
        | Asks::Before
        | Asks::SomeFields => 14_200,
    };
    match kind {
        FieldKind::Text | FieldKind::Decimal | FieldKind::IdOrRecord => {
            Value::from(format!("{}.00", minor / 100))
        }
        FieldKind::Number => Value::from(minor / 100),
        FieldKind::Integer
        | FieldKind::Boolean
        | FieldKind::DateTime
        | FieldKind::EpochSeconds
        | FieldKind::EpochMilliseconds
        | FieldKind::Map
        | FieldKind::Object
        | FieldKind::Array
        | FieldKind::Any => Value::from(minor),
    }
}

fn currency(asks: Asks) -> Value {
    Value::from(match asks {
        Asks::OtherCurrency => "eur",
        Asks::CurrencyInCapitals => "USD",
        Asks::Base
        | Asks::Half
        | Asks::Quarter
        | Asks::OtherAmount
        | Asks::OtherSubject
        | Asks::Before
        | Asks::SomeFields => "usd",
    })
}

/// The request with its retry key, where a header carries one.
fn keyed(request: Request, plan: &Plan, key: Option<&str>) -> Request {
    let header = plan.idempotency.as_ref().and_then(|own| own.header.as_deref());
    match (header, key) {
        (Some(header), Some(key)) => request.header(header, key),
        (Some(_), None) | (None, _) => request,
    }
}

/// Some value of a type as documents write it.
fn sample_of_type(kind: &str) -> Value {
    match kind.trim_end_matches('!') {
        list if list.starts_with('[') => Value::Array(Vec::new()),
        "Int" => Value::from(3),
        "Float" => Value::from(3),
        "Boolean" => Value::Bool(true),
        "ID" | "String" => Value::from("one"),
        _ => Value::Object(Object::new()),
    }
}

/// The way to an input: `a.b` and `a[0].b`.
fn dotted(name: &str) -> Vec<Step> {
    match Reference::parse(&format!("@.{name}")) {
        Ok(path) => path.steps,
        Err(_) => name.split('.').map(|part| Step::Member(part.to_owned())).collect(),
    }
}
