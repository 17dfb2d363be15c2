//! Tests on items outside an evaluation: does a record lie in the sibling scope, does it fit a
//! fingerprint. Three-valued; a type that does not fit is unknown. It must not decide a verdict.

use std::borrow::Cow;

use provely_evaluator::compare::{Operand, apply};
use provely_evaluator::contract::{As, ItemTest, Operator, Truth};
use provely_evaluator::json::Value;

use crate::pages::query;
use crate::request::{Context, resolve};

/// The three-valued and of all tests on an item.
#[must_use]
pub fn passes(tests: &[ItemTest], item: &Value, context: &Context<'_>) -> Truth {
    tests.iter().map(|test| passes_one(test, item, context)).min().unwrap_or(Truth::Holds)
}

/// True if one of the tests on a reply holds: it is a failure, whatever its status.
#[must_use]
pub fn fails_in_band(tests: &[ItemTest], reply: &Value) -> bool {
    let context =
        Context { input: &Value::Null, operation_id: "", begin: None, correlation: &[], instant: None };
    tests.iter().any(|test| passes_one(test, reply, &context) == Truth::Holds)
}

fn passes_one(test: &ItemTest, item: &Value, context: &Context<'_>) -> Truth {
    let applies = test.when.as_ref().is_none_or(|when| passes_one(when, item, context) == Truth::Holds);
    if !applies {
        return Truth::Holds;
    }
    let (Some(path), Some(operator)) = (test.path.as_deref(), test.operator) else { return Truth::Unknown };
    let found = value_at(path, item, context);
    let expected = test.expected.as_ref().and_then(|expected| expectation(expected, item, context));
    apply(operator, operand(found.as_deref()), operand(expected.as_deref()), test.read_as, context.instant)
}

/// Nothing, or null, is missing: what is tested here was read.
fn operand(value: Option<&Value>) -> Operand<'_> {
    value.filter(|value| !value.is_null()).map_or(Operand::Missing, Operand::Value)
}

fn value_at<'v>(text: &str, item: &'v Value, context: &Context<'v>) -> Option<Cow<'v, Value>> {
    if text.starts_with('@') {
        return query(text, item).map(Cow::Borrowed);
    }
    if let Some(name) = text.strip_prefix("$input.").filter(|name| !name.contains(['.', '['])) {
        return context.input.get(name).filter(|value| !value.is_null()).map(Cow::Borrowed);
    }
    resolve(text, context).map(Cow::Owned)
}

fn expectation<'v>(expected: &'v Value, item: &'v Value, context: &Context<'v>) -> Option<Cow<'v, Value>> {
    match expected {
        Value::String(text) => value_at(text, item, context),
        Value::Array(items) => items
            .iter()
            .map(|one| expectation(one, item, context).map(Cow::into_owned))
            .collect::<Option<Vec<_>>>()
            .map(|items| Cow::Owned(Value::Array(items))),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Some(Cow::Borrowed(expected)),
    }
}

/// Equality under a reading.
#[must_use]
pub fn equal(left: &Value, right: &Value, read_as: Option<As>) -> Truth {
    apply(Operator::Eq, Operand::Value(left), Operand::Value(right), read_as, None)
}

/// The text of an id: a string, a whole number, or the `id` of an expanded object.
#[must_use]
pub fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) if number.is_integer() => Some(number.as_str().to_owned()),
        Value::Object(object) => object.get("id").filter(|id| id.as_object().is_none()).and_then(id_text),
        Value::String(_) | Value::Number(_) | Value::Null | Value::Bool(_) | Value::Array(_) => None,
    }
}
