//! One test: a path, an operator, what is expected; or an owner, or an effect. Knows no lists.

use serde_json::Value;

use super::decimal::Decimal;
use super::operator::{self, Side, decimal};
use super::range::Range;
use super::reference::{Found, Step, below, expected, expected_one, resolve, split, split_channel};
use super::trace::{Item, Trace, holds_id, list};
use super::truth::Truth;

pub(super) fn test(trace: &Trace, test: &Value, item: Option<&Item>) -> Truth {
    if let Some(when) = test.get("when").filter(|when| !when.is_null())
        && self::test(trace, when, None) != Truth::Holds
    {
        return Truth::Holds;
    }
    if let Some(owners) = test.get("owner").filter(|owners| !owners.is_null()) {
        return item.map_or(Truth::Unknown, |item| owner(list(owners), item));
    }
    if test["effect"] == true {
        return item.map_or(Truth::Unknown, |item| effect(trace, item));
    }
    let path = test["path"].as_str().unwrap_or("");
    compare(trace, resolve(trace, path, item), test, item)
}

fn owner(owners: &[Value], item: &Item) -> Truth {
    if item.owner == "open" {
        return Truth::Unknown;
    }
    Truth::of(owners.iter().any(|owner| owner == item.owner.as_str()))
}

/// The part of an item that looks like the record.
pub(super) fn record_of(item: &Item) -> &Value {
    if item.from_event { &item.value["record"] } else { &item.value }
}

/// The lifecycle's steps below its channel, or below `@`.
pub(super) fn lifecycle_steps(trace: &Trace) -> Option<Vec<Step>> {
    let path = trace.contract["subject"]["lifecycle"]["path"].as_str()?;
    if path.starts_with('@') { Some(split(path).1) } else { Some(split_channel(path)?.2) }
}

fn effect(trace: &Trace, item: &Item) -> Truth {
    let Some(steps) = lifecycle_steps(trace) else { return Truth::Unknown };
    let Found::Value(Value::String(word)) = below(record_of(item), &steps) else { return Truth::Unknown };
    match trace.class(&word) {
        "terminal_success" => Truth::Holds,
        "terminal_failure" | "terminal_neutral" => Truth::Fails,
        _ => Truth::Unknown,
    }
}

/// Compares what the path yielded with what the test expects.
pub(super) fn compare(trace: &Trace, found: Found, test: &Value, item: Option<&Item>) -> Truth {
    let path = test["path"].as_str().unwrap_or("");
    let operator = test["operator"].as_str().unwrap_or("");
    let kind = test["as"].as_str();
    if let Found::AtLeast(least) = found {
        let low = Decimal::read(&least.to_string()).unwrap_or_else(Decimal::zero);
        return in_range(trace, &Range { low, high: None, of_events: true }, test);
    }
    match (operator, &found) {
        ("exists", Found::Unavailable) | ("absent", Found::Unavailable) => return Truth::Unknown,
        ("exists", found) => return Truth::of(!matches!(found, Found::Missing)),
        ("absent", found) => return Truth::of(matches!(found, Found::Missing)),
        _ => {}
    }
    let left = Side { rule: rule_of(trace, path, item), found };
    let begin = trace.begin();
    if matches!(operator, "in" | "not_in" | "contains_all") {
        let Some(wanted) = wanted(trace, test, item) else { return Truth::Unknown };
        let pair = |right: &Side| match operator {
            "contains_all" => operator::contains(&left, right, kind, begin),
            _ => operator::equal(&left, right, kind, begin),
        };
        let pairs: Vec<Truth> = wanted.iter().map(pair).collect();
        if matches!(left.found, Found::Missing | Found::Unavailable) {
            return Truth::Unknown;
        }
        return match operator {
            "in" => Truth::any(&pairs),
            "not_in" => Truth::any(&pairs).not(),
            _ => Truth::all(&pairs),
        };
    }
    let right = Side { rule: None, found: whole(trace, &test["expected"], item) };
    match operator {
        "eq" => operator::equal(&left, &right, kind, begin),
        "ne" => operator::equal(&left, &right, kind, begin).not(),
        "gt" | "gte" | "lt" | "lte" => operator::ordered(operator, &left.found, &right.found, kind),
        "array_length" => operator::array_length(&left.found, &right.found),
        "contains" => operator::contains(&left, &right, kind, begin),
        "prefix" => operator::prefix(&left.found, &right.found),
        "matches" => operator::matches(&left.found, &right.found),
        "time_after" => in_time(trace, &left, &right, true, subject_id(trace, path, item)),
        "time_before" => in_time(trace, &left, &right, false, subject_id(trace, path, item)),
        _ => Truth::Unknown,
    }
}

/// A number with bounds against the number expected.
pub(super) fn in_range(trace: &Trace, range: &Range, test: &Value) -> Truth {
    let number = match expected_one(trace, &test["expected"], None) {
        Found::Value(value) if value.is_number() || test["as"] == "decimal" => decimal(&value),
        _ => None,
    };
    let number = number.filter(Decimal::is_summable);
    range.compare(test["operator"].as_str().unwrap_or(""), number)
}

/// The elements of the expected array, literal or referred to.
fn wanted<'a>(trace: &Trace, test: &Value, item: Option<&Item>) -> Option<Vec<Side<'a>>> {
    let found = if test["expected"].is_array() {
        expected(trace, &test["expected"], item)
    } else {
        let Found::Value(Value::Array(elements)) = expected_one(trace, &test["expected"], item) else {
            return None;
        };
        elements.into_iter().map(Found::Value).collect()
    };
    Some(found.into_iter().map(|found| Side { found, rule: None }).collect())
}

/// The expected value as one, references inside an array replaced by what they yield.
fn whole(trace: &Trace, written: &Value, item: Option<&Item>) -> Found {
    if !written.is_array() {
        return expected_one(trace, written, item);
    }
    let mut elements = Vec::new();
    for found in expected(trace, written, item) {
        match found {
            Found::Value(value) => elements.push(value),
            _ => return Found::Unavailable,
        }
    }
    Found::Value(Value::Array(elements))
}

/// The `instant` rule for the observed side.
fn rule_of<'a>(trace: &Trace<'a>, path: &str, item: Option<&Item>) -> Option<&'a Value> {
    let channel = match (split_channel(path), item) {
        (Some((_, channel, _)), _) => channel,
        (None, Some(item)) if path.starts_with('@') => item.channel.clone(),
        _ => return None,
    };
    // A channel that declares nothing about its times yields no readable instant.
    Some(&trace.declared(&channel)["instant"])
}

/// The id of the record that a path speaks of.
fn subject_id(trace: &Trace, path: &str, item: Option<&Item>) -> Option<String> {
    if path.starts_with('@') {
        item.and_then(|item| item.id.clone())
    } else if path.starts_with("$observed") {
        trace.own_id().map(str::to_owned)
    } else {
        None
    }
}

fn in_time(trace: &Trace, left: &Side, right: &Side, after: bool, id: Option<String>) -> Truth {
    let begin = trace.begin();
    let (Some((at, granularity)), Some((bound, _))) =
        (operator::instant(left, begin), operator::instant(right, begin))
    else {
        return Truth::Unknown;
    };
    let is_after = at >= bound + trace.skew();
    let is_before = at + granularity <= bound - trace.skew();
    let (asked, opposite) = if after { (is_after, is_before) } else { (is_before, is_after) };
    if asked {
        return Truth::Holds;
    }
    if opposite {
        return Truth::Fails;
    }
    let decided =
        matches!(right.found, Found::Begin) && id.is_some_and(|id| known_after(trace, &id, at + granularity));
    if decided { Truth::of(after) } else { Truth::Unknown }
}

/// What settles a doubt about the begin: our key or tag, or a complete baseline and the provider's clock.
fn known_after(trace: &Trace, id: &str, end: i64) -> bool {
    let bound_by_us = trace.own_record().is_some_and(|record| record["by"] == "key" || record["by"] == "tag");
    if bound_by_us && trace.own_id() == Some(id) {
        return true;
    }
    let complete = trace.baselines().iter().any(|baseline| baseline["complete"] == true);
    let absent = !trace.baselines().iter().any(|baseline| holds_id(baseline, id));
    complete && absent && trace.operation["begin"]["from_provider"] == true && end > trace.begin()
}
