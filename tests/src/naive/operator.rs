//! What each operator answers for two sides. Resolves nothing by itself.

use core::cmp::Ordering;

use serde_json::Value;

use super::clock::{by_rule, rfc3339};
use super::decimal::Decimal;
use super::reference::Found;
use super::truth::Truth;

/// A value with the rule to read it as an instant: none means RFC 3339 text, exact.
#[derive(Clone, Debug)]
pub(super) struct Side<'a> {
    pub found: Found,
    pub rule: Option<&'a Value>,
}

/// A side as `as` reads it.
enum Reading {
    Text(String),
    Number(Decimal),
    Instant(i64),
    Set(Vec<Reading>),
}

/// `eq`, or what `in` and `contains` ask of one pair.
pub(super) fn equal(left: &Side, right: &Side, kind: Option<&str>, begin: i64) -> Truth {
    let readable = |side: &Side| matches!(side.found, Found::Value(_) | Found::Begin);
    if !readable(left) || !readable(right) {
        return Truth::Unknown;
    }
    match kind {
        None => match (&left.found, &right.found) {
            (Found::Value(left), Found::Value(right)) if same_type(left, right) => {
                Truth::of(same_value(left, right))
            }
            _ => Truth::Unknown,
        },
        Some(kind) => match (read(left, kind, begin), read(right, kind, begin)) {
            (Some(left), Some(right)) => Truth::of(same_reading(&left, &right)),
            _ => Truth::Unknown,
        },
    }
}

fn type_of(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

fn same_type(left: &Value, right: &Value) -> bool {
    type_of(left) == type_of(right)
}

fn same_value(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            Decimal::read(&left.to_string()) == Decimal::read(&right.to_string())
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| same_value(a, b))
        }
        (Value::Object(left), Value::Object(right)) => {
            let inside = |(name, a): (&String, &Value)| right.get(name).is_some_and(|b| same_value(a, b));
            left.len() == right.len() && left.iter().all(inside)
        }
        _ => left == right,
    }
}

fn read(side: &Side, kind: &str, begin: i64) -> Option<Reading> {
    if let Some(inner) = kind.strip_prefix("set<").and_then(|rest| rest.strip_suffix('>')) {
        let Found::Value(value) = &side.found else { return None };
        let one = std::slice::from_ref(value);
        let elements = value.as_array().map_or(one, Vec::as_slice);
        let read_one = |element: &Value| {
            read(&Side { found: Found::Value(element.clone()), rule: side.rule }, inner, begin)
        };
        return elements.iter().map(read_one).collect::<Option<Vec<Reading>>>().map(Reading::Set);
    }
    if kind == "instant" {
        return instant(side, begin).map(|(at, _)| Reading::Instant(at));
    }
    let Found::Value(value) = &side.found else { return None };
    match kind {
        "text" => value.as_str().map(|text| Reading::Text(text.to_owned())),
        "code" => value.as_str().map(|text| Reading::Text(text.to_ascii_lowercase())),
        "number" if value.is_number() => decimal(value).map(Reading::Number),
        "decimal" => decimal(value).map(Reading::Number),
        "email" => email(value.as_str()?).map(Reading::Text),
        "id" => value.as_str().or_else(|| value.get("id")?.as_str()).map(|id| Reading::Text(id.to_owned())),
        _ => None,
    }
}

fn same_reading(left: &Reading, right: &Reading) -> bool {
    match (left, right) {
        (Reading::Text(left), Reading::Text(right)) => left == right,
        (Reading::Number(left), Reading::Number(right)) => left == right,
        (Reading::Instant(left), Reading::Instant(right)) => left == right,
        (Reading::Set(left), Reading::Set(right)) => {
            let within = |some: &[Reading], all: &[Reading]| {
                some.iter().all(|one| all.iter().any(|other| same_reading(one, other)))
            };
            within(left, right) && within(right, left)
        }
        _ => false,
    }
}

/// A JSON number, or a string of the form of one.
pub(super) fn decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Number(number) => Decimal::read(&number.to_string()),
        Value::String(text) => Decimal::read(text),
        _ => None,
    }
}

fn email(text: &str) -> Option<String> {
    let inside = match text.trim().strip_suffix('>') {
        Some(rest) => rest.rsplit_once('<')?.1,
        None => text,
    };
    let (local, domain) = inside.trim().split_once('@')?;
    if local.is_empty() || domain.is_empty() || domain.contains('@') {
        return None;
    }
    Some(format!("{local}@{}", domain.to_ascii_lowercase()))
}

/// The moment that a side stands for, and its granularity.
pub(super) fn instant(side: &Side, begin: i64) -> Option<(i64, i64)> {
    match (&side.found, side.rule) {
        (Found::Begin, _) => Some((begin, 0)),
        (Found::Value(value), Some(rule)) => {
            by_rule(value, rule).map(|moment| (moment.at, moment.granularity))
        }
        (Found::Value(value), None) => rfc3339(value.as_str()?).map(|at| (at, 0)),
        _ => None,
    }
}

/// `gt`, `gte`, `lt`, `lte` over numbers, and over decimal strings with `as: decimal`.
pub(super) fn ordered(operator: &str, left: &Found, right: &Found, kind: Option<&str>) -> Truth {
    let number = |found: &Found| match found {
        Found::Value(value) if value.is_number() || kind == Some("decimal") => decimal(value),
        _ => None,
    };
    match (number(left), number(right)) {
        (Some(left), Some(right)) => Truth::of(order_fits(operator, left.cmp(&right))),
        _ => Truth::Unknown,
    }
}

pub(super) fn order_fits(operator: &str, order: Ordering) -> bool {
    match operator {
        "gt" => order == Ordering::Greater,
        "gte" => order != Ordering::Less,
        "lt" => order == Ordering::Less,
        "lte" => order != Ordering::Greater,
        _ => false,
    }
}

pub(super) fn array_length(left: &Found, right: &Found) -> Truth {
    let Found::Value(Value::Number(length)) = right else { return Truth::Unknown };
    let found = match left {
        Found::Missing => 0,
        Found::Value(Value::Array(elements)) => elements.len(),
        _ => return Truth::Unknown,
    };
    Truth::of(Decimal::read(&length.to_string()) == Decimal::read(&found.to_string()))
}

/// Whether an array has an equal element, or a string the substring.
pub(super) fn contains(left: &Side, right: &Side, kind: Option<&str>, begin: i64) -> Truth {
    match (&left.found, &right.found) {
        (Found::Value(Value::Array(elements)), Found::Value(_) | Found::Begin) => {
            let side = |element: &Value| Side { found: Found::Value(element.clone()), rule: left.rule };
            let pairs: Vec<Truth> =
                elements.iter().map(|element| equal(&side(element), right, kind, begin)).collect();
            Truth::any(&pairs)
        }
        (Found::Value(Value::String(text)), Found::Value(Value::String(part)))
            if matches!(kind, None | Some("text")) =>
        {
            Truth::of(text.contains(part.as_str()))
        }
        _ => Truth::Unknown,
    }
}

pub(super) fn prefix(left: &Found, right: &Found) -> Truth {
    match (left, right) {
        (Found::Value(Value::String(text)), Found::Value(Value::String(start))) => {
            Truth::of(text.starts_with(start.as_str()))
        }
        _ => Truth::Unknown,
    }
}

/// Whether the whole string matches the regular expression.
pub(super) fn matches(left: &Found, right: &Found) -> Truth {
    let (Found::Value(Value::String(text)), Found::Value(Value::String(pattern))) = (left, right) else {
        return Truth::Unknown;
    };
    match regex::Regex::new(&format!("\\A(?:{pattern})\\z")) {
        Ok(pattern) => Truth::of(pattern.is_match(text)),
        Err(_) => Truth::Unknown,
    }
}
