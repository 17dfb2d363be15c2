//! Whether a request is right: known, required and well-typed parameters. It must not change anything.

use std::borrow::Cow;

use provely_evaluator::json::{self, Number, Object, Value};
use provely_evaluator::query::{Step, walk};
use provely_model::{BodyEncoding, FieldKind, Parameter, Place};

use crate::blueprint::Action;
use crate::form;
use crate::wire::{Body, Request};

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) code: Cow<'static, str>,
    pub(crate) message: String,
    pub(crate) parameter: Option<String>,
}

impl Refusal {
    pub(crate) fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code: Cow::Borrowed(code), message: message.into(), parameter: None }
    }

    fn about(code: &'static str, parameter: &str, what: &str) -> Self {
        let message = format!("`{parameter}` {what}");
        Self { status: 400, code: Cow::Borrowed(code), message, parameter: Some(parameter.to_owned()) }
    }
}

/// Refuses a body that is not right, and gives its fields their types.
pub(crate) fn input(
    action: &Action,
    request: &Request,
    input: &mut Value,
    refuse_unknown: bool,
) -> Result<(), Refusal> {
    let declared = |place| action.parameters.iter().filter(move |parameter| parameter.place == place);
    if let Some(object) =
        input.as_object().filter(|_| refuse_unknown && declared(Place::Body).next().is_some())
    {
        let known = |name: &str| declared(Place::Body).any(|parameter| covers(parameter, name));
        if let Some(name) = object.keys().find(|name| !known(name)) {
            return Err(Refusal::about("parameter_unknown", name, "is not a parameter of this operation"));
        }
    }
    types(action, input)?;
    for parameter in declared(Place::Query).filter(|parameter| parameter.required) {
        if !request.query.iter().any(|(name, _)| covers(parameter, base(name))) {
            return Err(Refusal::about("parameter_missing", &parameter.name, "is missing"));
        }
    }
    Ok(())
}

/// Refuses fields of the body that are missing or of another type, and gives the others their types.
pub(crate) fn types(action: &Action, input: &mut Value) -> Result<(), Refusal> {
    let mut declared = action.parameters.iter().filter(|parameter| parameter.place == Place::Body);
    declared.try_for_each(|parameter| check(parameter, input))
}

/// The name of a query parameter in front of its brackets.
pub(crate) fn base(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

/// Refuses query parameters that the operation does not have.
pub(crate) fn query(action: &Action, request: &Request) -> Result<(), Refusal> {
    let known = |name: &str| {
        action.pages.uses(name)
            || action.parameters.iter().any(|own| own.place == Place::Query && base(&own.name) == base(name))
    };
    match request.query.iter().find(|(name, _)| !known(name)) {
        Some((name, _)) => {
            Err(Refusal::about("parameter_unknown", name, "is not a parameter of this operation"))
        }
        None => Ok(()),
    }
}

/// The body's fields, untyped where the encoding has no types.
pub(crate) fn read(action: &Action, body: &Body) -> Result<Value, Refusal> {
    let text = match body {
        Body::Empty => return Ok(Value::Object(Object::new())),
        Body::Json(value) => return object(value.clone()),
        Body::Text(text) if text.is_empty() => return Ok(Value::Object(Object::new())),
        Body::Text(text) => text,
    };
    match action.body {
        BodyEncoding::Form => Ok(form::nested(&form::pairs(text))),
        BodyEncoding::None | BodyEncoding::Json | BodyEncoding::Multipart | BodyEncoding::Other => {
            let value =
                json::parse(text).map_err(|error| Refusal::new(400, "body_unreadable", error.to_string()));
            object(value?)
        }
    }
}

fn object(value: Value) -> Result<Value, Refusal> {
    if value.as_object().is_some() {
        Ok(value)
    } else {
        Err(Refusal::new(400, "body_unreadable", "the body is no object"))
    }
}

fn covers(parameter: &Parameter, name: &str) -> bool {
    let rest = parameter.name.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn check(parameter: &Parameter, input: &mut Value) -> Result<(), Refusal> {
    let steps: Vec<Step> = parameter.name.split('.').map(|part| Step::Member(part.to_owned())).collect();
    let found = walk(&steps, input).filter(|value| !value.is_null());
    let Some(value) = found else {
        let inside =
            steps.split_last().and_then(|(_, way)| walk(way, input)).and_then(Value::as_object).is_some();
        return if parameter.required && inside {
            Err(Refusal::about("parameter_missing", &parameter.name, "is missing"))
        } else {
            Ok(())
        };
    };
    match typed(parameter.kind, value) {
        Typed::Fits => Ok(()),
        Typed::Becomes(value) => {
            crate::place::set_at(input, &steps, value);
            Ok(())
        }
        Typed::Not(what) => Err(Refusal::about("parameter_invalid", &parameter.name, what)),
    }
}

enum Typed {
    Fits,
    Becomes(Value),
    Not(&'static str),
}

/// Text is read as the type, since forms have nothing else; every other value must have it.
fn typed(kind: FieldKind, value: &Value) -> Typed {
    let number = |text: &str| Number::from_text(text);
    match (kind, value) {
        (
            FieldKind::Integer | FieldKind::EpochSeconds | FieldKind::EpochMilliseconds,
            Value::String(text),
        ) => match number(text).filter(Number::is_integer) {
            Some(number) => Typed::Becomes(Value::Number(number)),
            None => Typed::Not("must be a whole number"),
        },
        (FieldKind::Number, Value::String(text)) => match number(text) {
            Some(number) => Typed::Becomes(Value::Number(number)),
            None => Typed::Not("must be a number"),
        },
        (FieldKind::Boolean, Value::String(text)) => match text.as_str() {
            "true" => Typed::Becomes(Value::Bool(true)),
            "false" => Typed::Becomes(Value::Bool(false)),
            _ => Typed::Not("must be true or false"),
        },
        (FieldKind::Decimal, Value::String(text)) if number(text).is_none() => {
            Typed::Not("must be a decimal")
        }
        (FieldKind::Map | FieldKind::Object, Value::String(text)) if !text.is_empty() => {
            Typed::Not("must be an object")
        }
        (kind, value) if has_type(kind, value) => Typed::Fits,
        (_, _) => Typed::Not("has another type"),
    }
}

fn has_type(kind: FieldKind, value: &Value) -> bool {
    match kind {
        FieldKind::Text | FieldKind::DateTime => value.as_str().is_some(),
        FieldKind::Integer | FieldKind::EpochSeconds | FieldKind::EpochMilliseconds => {
            value.as_number().is_some_and(Number::is_integer)
        }
        FieldKind::Number => value.as_number().is_some(),
        FieldKind::Decimal => value.as_number().is_some() || value.as_str().is_some(),
        FieldKind::Boolean => value.as_bool().is_some(),
        FieldKind::Map | FieldKind::Object => value.as_object().is_some() || value.as_str().is_some(),
        FieldKind::IdOrRecord | FieldKind::Array | FieldKind::Any => true,
    }
}
