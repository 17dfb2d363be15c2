//! Requests and inputs for an operation, made from its parameters and echoes. They stand for what a caller
//! would ask; nothing here knows a contract, save for the members that its input takes.

use provely_evaluator::contract::{As, InputSchema};
use provely_evaluator::json::{Object, Value};
use provely_evaluator::query::{Reference, Step};
use provely_model::{
    BodyEncoding, Echo, EchoKind, FieldKind, Operation, Parameter, Place, Plan, Resource, Service,
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
}

/// A record that has to be there before anybody acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parent {
    pub(crate) resource: String,
    pub(crate) fields: Value,
}

impl<'s> Asking<'s> {
    pub(crate) fn new(service: &'s Service, operation: &'s Operation, plan: &'s Plan) -> Self {
        let resource = operation.resource.as_deref().and_then(|name| service.resource(name));
        Self { service, operation, plan, resource }
    }

    /// The request, with key and tag where they are given and the provider takes them.
    pub(crate) fn request(&self, asks: Asks, key: Option<&str>, tag: Option<&str>) -> Request {
        let mut body = Value::Object(Object::new());
        for parameter in self.operation.parameters.iter().filter(|own| own.place == Place::Body) {
            if let Some(value) = self.value(parameter, asks) {
                set_at(&mut body, &dotted(&parameter.name), value);
            }
        }
        if let (Some(plan), Some(tag)) = (&self.plan.tag, tag) {
            set_at(&mut body, &dotted(&plan.parameter), Value::from(tag));
        }
        let request = Request::new(&self.operation.method, &self.path(asks));
        let request = match self.operation.body {
            BodyEncoding::None => request,
            BodyEncoding::Json | BodyEncoding::Form | BodyEncoding::Multipart | BodyEncoding::Other => {
                request.json(body)
            }
        };
        let header = self.plan.idempotency.as_ref().and_then(|own| own.header.as_deref());
        match (header, key) {
            (Some(header), Some(key)) => request.header(header, key),
            (Some(_), None) | (None, _) => request,
        }
    }

    /// The input of `begin`: what the request says, as far as the contract takes it.
    pub(crate) fn input(&self, asks: Asks, schema: &InputSchema) -> Value {
        let mut input = Object::new();
        for parameter in &self.operation.parameters {
            if let Some(value) =
                self.value(parameter, asks).filter(|_| schema.properties.contains_key(&parameter.name))
            {
                input.insert(parameter.name.as_str(), value);
            }
        }
        for echo in self.plan.echoes.iter().filter(|echo| echo.kind == EchoKind::Currency) {
            if schema.properties.contains_key(&echo.input) && !input.contains_key(&echo.input) {
                input.insert(echo.input.as_str(), currency(asks));
            }
        }
        Value::Object(input)
    }

    /// Parents that the requests of this operation name, and what they carry.
    pub(crate) fn parents(&self) -> Vec<Parent> {
        let mut parents: Vec<Parent> = Vec::new();
        for asks in [Asks::Base, Asks::OtherSubject] {
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
        for echo in &self.plan.echoes {
            let parameter = self.parameter(&echo.input);
            let value = match parameter {
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

    /// Where the record carries what is different about `asks`, and the value it has there.
    pub(crate) fn altered(&self, asks: Asks) -> Option<(String, Value)> {
        let kind = match asks {
            Asks::Half | Asks::Quarter | Asks::OtherAmount => EchoKind::Amount,
            Asks::OtherSubject => EchoKind::Subject,
            Asks::OtherCurrency | Asks::CurrencyInCapitals => EchoKind::Currency,
            Asks::Base => return None,
        };
        let echo = self.plan.echoes.iter().find(|echo| echo.kind == kind)?;
        let value = match (kind, self.parameter(&echo.input)) {
            (EchoKind::Currency, _) => Some(currency(asks)),
            (EchoKind::Amount | EchoKind::Subject | EchoKind::Other, Some(parameter)) => {
                self.value(parameter, asks)
            }
            (EchoKind::Amount | EchoKind::Subject | EchoKind::Other, None) => None,
        };
        Some((echo.path.clone(), value?))
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
            EchoKind::Currency => Some(currency(asks)),
            EchoKind::Other if parameter.required => Some(self.filler(parameter, asks)),
            EchoKind::Other => None,
        }
    }

    /// Where no subject has to be given, the first of them is.
    fn is_asked(&self, parameter: &Parameter, echo: &Echo) -> bool {
        let mut subjects = self.plan.echoes.iter().filter(|own| own.kind == EchoKind::Subject);
        let needed = |own: &Echo| self.parameter(&own.input).is_some_and(|own| own.required);
        let first = if subjects.clone().any(needed) { None } else { subjects.next() };
        parameter.required || parameter.place == Place::Path || first == Some(echo)
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
                let other = asks == Asks::OtherSubject;
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

fn parent_id(resource: &Resource, other: bool) -> String {
    format!("{}_{}", resource.name, if other { "two" } else { "one" })
}

/// 142.00 in the smaller unit where amounts are whole numbers.
fn amount(kind: FieldKind, asks: Asks) -> Value {
    let minor: i64 = match asks {
        Asks::Half => 7_100,
        Asks::Quarter => 3_600,
        Asks::OtherAmount => 28_400,
        Asks::Base | Asks::OtherSubject | Asks::OtherCurrency | Asks::CurrencyInCapitals => 14_200,
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
        Asks::Base | Asks::Half | Asks::Quarter | Asks::OtherAmount | Asks::OtherSubject => "usd",
    })
}

fn dotted(name: &str) -> Vec<Step> {
    name.split('.').map(|part| Step::Member(part.to_owned())).collect()
}
