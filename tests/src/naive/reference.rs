//! Resolves references (`$input.amount`, `@.id`) to a value, missing or unavailable. Compares nothing.

use serde_json::{Value, json};
use std::collections::BTreeSet;

use super::trace::{Item, Trace, list, time};

/// What a reference yields.
#[derive(Clone, Debug)]
pub(super) enum Found {
    Value(Value),
    /// A number of at least so many.
    AtLeast(usize),
    /// The begin of the operation on the provider's clock.
    Begin,
    Missing,
    Unavailable,
}

/// A step below a root: a member's name or an element's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Name(String),
    Place(i64),
}

pub(super) fn is_reference(text: &str) -> bool {
    text.starts_with('@') || (text.starts_with('$') && !text.starts_with("$$"))
}

/// Splits a singular query (RFC 9535) into its root and its steps.
pub(super) fn split(path: &str) -> (String, Vec<Step>) {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (root, mut rest) = path.split_at(end);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (place, after) = inner.split_once(']').unwrap_or((inner, ""));
            let name = place.trim_matches(['\'', '"']);
            steps.push(match place.parse() {
                Ok(place) => Step::Place(place),
                Err(_) => Step::Name(name.to_owned()),
            });
            rest = after;
        } else {
            let inner = rest.strip_prefix('.').unwrap_or(rest);
            let end = inner.find(['.', '[']).unwrap_or(inner.len());
            let (name, after) = inner.split_at(end);
            steps.push(Step::Name(name.to_owned()));
            rest = after;
        }
    }
    (root.to_owned(), steps)
}

/// The root's channel and the steps below it, for `$observed` and `$baseline`.
pub(super) fn split_channel(path: &str) -> Option<(String, String, Vec<Step>)> {
    let (root, steps) = split(path);
    let (first, rest) = steps.split_first()?;
    match (root.as_str(), first) {
        ("$observed" | "$baseline", Step::Name(channel)) => Some((root, channel.clone(), rest.to_vec())),
        _ => None,
    }
}

/// What stands below a value; JSON null and what is not there are missing.
pub(super) fn below(value: &Value, steps: &[Step]) -> Found {
    let mut at = value;
    for step in steps {
        let next = match step {
            Step::Name(name) => at.get(name.as_str()),
            Step::Place(place) => {
                let all = list(at);
                let index = if *place < 0 { place + all.len() as i64 } else { *place };
                usize::try_from(index).ok().and_then(|index| all.get(index))
            }
        };
        match next {
            Some(found) => at = found,
            None => return Found::Missing,
        }
    }
    if at.is_null() { Found::Missing } else { Found::Value(at.clone()) }
}

pub(super) fn resolve(trace: &Trace, path: &str, item: Option<&Item>) -> Found {
    if let Some((root, channel, steps)) = split_channel(path) {
        return match root.as_str() {
            "$observed" => observed(trace, &channel, &steps),
            _ => baseline(trace, &channel, &steps),
        };
    }
    let (root, steps) = split(path);
    match root.as_str() {
        "$input" => below(&trace.operation["input"], &steps),
        "@" => item.map_or(Found::Unavailable, |item| below(&item.value, &steps)),
        "$operation" => match steps.first() {
            Some(Step::Name(name)) if name == "id" => Found::Value(trace.operation["id"].clone()),
            Some(Step::Name(name)) if name == "created_at" => Found::Begin,
            Some(Step::Name(name)) if name == "live" && trace.operation["live"].is_boolean() => {
                Found::Value(trace.operation["live"].clone())
            }
            _ => Found::Unavailable,
        },
        "$correlation" => match steps.first() {
            Some(Step::Name(name)) => correlation(trace, name),
            _ => Found::Unavailable,
        },
        _ => Found::Unavailable,
    }
}

fn correlation(trace: &Trace, key: &str) -> Found {
    if trace.own_record().is_none() {
        return Found::Unavailable;
    }
    let keys = list(&trace.evidence["correlation"]["keys"]);
    let pair = keys.iter().find(|pair| pair[0] == key);
    pair.map_or(Found::Unavailable, |pair| Found::Value(pair[1].clone()))
}

fn baseline(trace: &Trace, channel: &str, steps: &[Step]) -> Found {
    match trace.baseline(channel) {
        Some(baseline) if !baseline["value"].is_null() => below(&baseline["value"], steps),
        _ => Found::Unavailable,
    }
}

fn observed(trace: &Trace, channel: &str, steps: &[Step]) -> Found {
    let read = trace.read(channel);
    if let Some(record) = read.get("record") {
        return if trace.is_current(record) { below(&record["value"], steps) } else { Found::Unavailable };
    }
    if let Some(not_found) = read.get("not_found") {
        let known_before = trace.own_id().is_some_and(|id| trace.in_a_baseline(id));
        let gone = trace.is_current(not_found) && known_before && trace.settled_since_last_sign(trace.now);
        return if gone { Found::Missing } else { Found::Unavailable };
    }
    if read.get("events").is_some() {
        return observed_events(trace, channel, steps);
    }
    Found::Unavailable
}

fn observed_events(trace: &Trace, channel: &str, steps: &[Step]) -> Found {
    let events = list(&trace.read(channel)["events"]["events"]);
    let Some((Step::Name(first), rest)) = steps.split_first() else { return Found::Unavailable };
    if first == "count" {
        let ids: BTreeSet<&str> = events.iter().filter_map(|event| event["item"]["id"].as_str()).collect();
        return Found::AtLeast(ids.len());
    }
    let latest = match first.as_str() {
        "latest" => true,
        "earliest" => false,
        _ => return Found::Unavailable,
    };
    let mut chosen: Option<(i64, &Value)> = None;
    for event in events {
        let Some(at) = time(&event["time"]) else { continue };
        let better = chosen.is_none_or(|(best, _)| if latest { at > best } else { at < best });
        if better {
            chosen = Some((at, event));
        }
    }
    chosen.map_or(Found::Unavailable, |(_, event)| below(&event["item"]["value"]["record"], rest))
}

/// A literal or a reference in `expected`, with the references inside an array resolved one by one.
pub(super) fn expected(trace: &Trace, written: &Value, item: Option<&Item>) -> Vec<Found> {
    match written.as_array() {
        Some(elements) => elements.iter().map(|element| expected_one(trace, element, item)).collect(),
        None => vec![expected_one(trace, written, item)],
    }
}

/// A literal or a reference that is no array of references.
pub(super) fn expected_one(trace: &Trace, written: &Value, item: Option<&Item>) -> Found {
    match written.as_str() {
        Some(text) if is_reference(text) => resolve(trace, text, item),
        Some(text) => match text.strip_prefix("$$") {
            Some(rest) => Found::Value(json!(format!("${rest}"))),
            None => Found::Value(written.clone()),
        },
        None => Found::Value(written.clone()),
    }
}
