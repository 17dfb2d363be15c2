//! Tests on items outside an evaluation: does a record lie in the sibling scope, does it fit a
//! fingerprint. Three-valued; a type that does not fit is unknown. It must not decide a verdict.

use provely_evaluator::compare::Decimal;
use provely_evaluator::contract::{As, ItemTest, Operator, Truth};
use provely_evaluator::json::Value;

use crate::pages::query;
use crate::request::{Context, resolve};

/// The three-valued and of all tests on an item.
#[must_use]
pub fn passes(tests: &[ItemTest], item: &Value, context: &Context<'_>) -> Truth {
    tests.iter().map(|test| passes_one(test, item, context)).min().unwrap_or(Truth::Holds)
}

fn passes_one(test: &ItemTest, item: &Value, context: &Context<'_>) -> Truth {
    let applies = test.when.as_ref().is_none_or(|when| passes_one(when, item, context) == Truth::Holds);
    if !applies {
        return Truth::Holds;
    }
    let (Some(path), Some(operator)) = (test.path.as_deref(), test.operator) else { return Truth::Unknown };
    let found = value_at(path, item, context).filter(|value| !value.is_null());
    let expected = test.expected.as_ref().map(|expected| expectation(expected, item, context));
    let expected = expected.flatten();
    match operator {
        Operator::Exists => known(found.is_some()),
        Operator::Absent => known(found.is_none()),
        Operator::Eq => both(found, expected, |a, b| equal(a, b, test.read_as)),
        Operator::Ne => both(found, expected, |a, b| not(equal(a, b, test.read_as))),
        Operator::In => both(found, expected, |a, b| is_in(a, b, test.read_as)),
        Operator::NotIn => both(found, expected, |a, b| not(is_in(a, b, test.read_as))),
        Operator::Gt
        | Operator::Gte
        | Operator::Lt
        | Operator::Lte
        | Operator::ArrayLength
        | Operator::Contains
        | Operator::ContainsAll
        | Operator::TimeAfter
        | Operator::TimeBefore
        | Operator::Prefix
        | Operator::Matches => Truth::Unknown,
    }
}

const fn known(holds: bool) -> Truth {
    if holds { Truth::Holds } else { Truth::Fails }
}

const fn not(truth: Truth) -> Truth {
    match truth {
        Truth::Holds => Truth::Fails,
        Truth::Unknown => Truth::Unknown,
        Truth::Fails => Truth::Holds,
    }
}

fn both(left: Option<Value>, right: Option<Value>, test: impl Fn(&Value, &Value) -> Truth) -> Truth {
    match (left, right) {
        (Some(left), Some(right)) => test(&left, &right),
        (Some(_) | None, None) | (None, Some(_)) => Truth::Unknown,
    }
}

fn value_at(text: &str, item: &Value, context: &Context<'_>) -> Option<Value> {
    if text.starts_with('@') { query(text, item).cloned() } else { resolve(text, context) }
}

fn expectation(expected: &Value, item: &Value, context: &Context<'_>) -> Option<Value> {
    match expected {
        Value::String(text) => value_at(text, item, context),
        Value::Array(items) => items
            .iter()
            .map(|one| expectation(one, item, context))
            .collect::<Option<Vec<_>>>()
            .map(Value::Array),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Some(expected.clone()),
    }
}

fn is_in(value: &Value, list: &Value, read_as: Option<As>) -> Truth {
    let Some(items) = list.as_array() else { return Truth::Unknown };
    items.iter().map(|item| equal(value, item, read_as)).max().unwrap_or(Truth::Fails)
}

/// Equality under a reading.
#[must_use]
pub fn equal(left: &Value, right: &Value, read_as: Option<As>) -> Truth {
    match read_as {
        None => same_type(left, right),
        Some(As::Text) => compare(left, right, |value| value.as_str().map(str::to_owned)),
        Some(As::Code) => compare(left, right, |value| value.as_str().map(str::to_ascii_lowercase)),
        Some(As::Email) => compare(left, right, address),
        Some(As::Id) => {
            compare(left, right, |value| value.get("id").unwrap_or(value).as_str().map(str::to_owned))
        }
        Some(As::Number) => compare(left, right, |value| Decimal::parse(value.as_number()?.as_str())),
        Some(As::Decimal) => compare(left, right, decimal),
        Some(As::Instant) => Truth::Unknown,
        Some(As::Set(of)) => set_equal(left, right, of.element()),
    }
}

fn compare<'v, R: PartialEq>(
    left: &'v Value,
    right: &'v Value,
    read: impl Fn(&'v Value) -> Option<R>,
) -> Truth {
    match (read(left), read(right)) {
        (Some(left), Some(right)) => known(left == right),
        (Some(_) | None, None) | (None, Some(_)) => Truth::Unknown,
    }
}

fn same_type(left: &Value, right: &Value) -> Truth {
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => equal(left, right, Some(As::Number)),
        _ if left.type_name() == right.type_name() => known(left == right),
        _ => Truth::Unknown,
    }
}

fn decimal(value: &Value) -> Option<Decimal<'_>> {
    match value {
        Value::Number(number) => Decimal::parse(number.as_str()),
        Value::String(text) => Decimal::parse(text),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The address of `Name <addr>`, its domain without case.
fn address(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    let inner =
        text.strip_suffix('>').and_then(|text| text.rsplit_once('<')).map_or(text, |(_, inner)| inner);
    let (local, domain) = inner.trim().split_once('@')?;
    let plain = !local.is_empty() && !domain.is_empty() && !domain.contains('@');
    plain.then(|| format!("{local}@{}", domain.to_ascii_lowercase()))
}

fn set_equal(left: &Value, right: &Value, element: As) -> Truth {
    let elements = |value: &Value| match value {
        Value::Array(items) => items.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            vec![value.clone()]
        }
    };
    let (left, right) = (elements(left), elements(right));
    let within = |some: &[Value], all: &[Value]| {
        let found = |one: &Value| all.iter().map(|other| equal(one, other, Some(element))).max();
        some.iter().map(|one| found(one).unwrap_or(Truth::Fails)).min().unwrap_or(Truth::Holds)
    };
    within(&left, &right).min(within(&right, &left))
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
