//! Which value a parameter is given, by what is different about the ask. Stands for what a caller would write.

use provely_evaluator::contract::As;
use provely_evaluator::json::{Object, Value};
use provely_evaluator::query::{Reference, Step};
use provely_model::{Echo, EchoKind, FieldKind, Parameter, Place, Resource, Role};
use provely_simulator::set_at;

use super::Asking;
use crate::book::Asks;

impl<'s> Asking<'s> {
    /// What a parameter carries; nothing for one that may be left out and says nothing.
    pub(super) fn value(&self, parameter: &Parameter, asks: Asks) -> Option<Value> {
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
    pub(super) fn changing(&self, parameter: &Parameter, asks: Asks) -> Option<Value> {
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
    pub(super) fn plain(&self, parameter: &Parameter, echo: &Echo) -> Value {
        match echo.kind {
            EchoKind::Subject => self.subject(parameter, echo, Asks::Base),
            EchoKind::Amount => amount(parameter.kind, Asks::Base),
            EchoKind::Currency => self.money_code(parameter, Asks::Base),
            EchoKind::Other => self.sample(parameter, 0),
        }
    }

    /// Where no subject has to be given, one is: the one that a list is narrowed by, else the first.
    pub(super) fn is_asked(&self, parameter: &Parameter, echo: &Echo) -> bool {
        let subjects = self.plan.echoes.iter().filter(|own| own.kind == EchoKind::Subject);
        let subjects: Vec<&Echo> = subjects.collect();
        let needed = |own: &&Echo| self.parameter(&own.input).is_some_and(|own| own.required);
        let free = if subjects.iter().any(needed) { &[][..] } else { subjects.as_slice() };
        let chosen = free.iter().find(|own| self.narrows(&own.input)).or(free.first());
        parameter.required || parameter.place == Place::Path || chosen.is_some_and(|own| *own == echo)
    }

    /// True for an input that the scope of some list is made of.
    pub(super) fn narrows(&self, input: &str) -> bool {
        let requests = self.plan.channels.iter().filter_map(|channel| channel.request.as_ref());
        let reference = format!("$input.{input}");
        requests.into_iter().any(|request| {
            let places = [&request.parameters, &request.query, &request.variables];
            request.scope.iter().any(|name| places.iter().any(|place| place.get(name) == Some(&reference)))
        })
    }

    /// A currency, as the record's field lists them where it does.
    pub(super) fn money_code(&self, parameter: &Parameter, asks: Asks) -> Value {
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

    pub(super) fn subject(&self, parameter: &Parameter, echo: &Echo, asks: Asks) -> Value {
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
    pub(super) fn sample(&self, parameter: &Parameter, which: usize) -> Value {
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
    pub(super) fn parent_of(&self, parameter: &Parameter) -> Option<&'s Resource> {
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

    pub(super) fn own_name(&self) -> Option<&str> {
        self.resource.map(|resource| resource.name.as_str())
    }

    pub(super) fn parent(&self, resource: &Resource, id: Value) -> Value {
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

    pub(super) fn filler(&self, parameter: &Parameter, asks: Asks) -> Value {
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
pub(super) fn amount(kind: FieldKind, asks: Asks) -> Value {
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

pub(super) fn currency(asks: Asks) -> Value {
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
