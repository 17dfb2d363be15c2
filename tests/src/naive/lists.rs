//! Conditions over lists: which items pass, how many, and what they add up to.

use serde_json::Value;

use super::clock::by_rule;
use super::decimal::Decimal;
use super::operator::decimal;
use super::range::Range;
use super::reference::{Found, Step, below, resolve, split, split_channel};
use super::test::{in_range, record_of, test};
use super::trace::{Item, Trace, holds_id, list, time};
use super::truth::Truth;

/// The items that `over` names, and whether they are all there are.
struct Listing {
    items: Vec<Item>,
    complete: bool,
    of_events: bool,
}

pub(super) fn condition(trace: &Trace, condition: &Value) -> Truth {
    let over = condition["over"].as_str().unwrap_or("");
    let Some(listing) = listing(trace, over) else { return Truth::Unknown };
    let results: Vec<Truth> = listing.items.iter().map(|item| passes(trace, condition, item)).collect();
    let range = match condition["sum"].as_str() {
        Some(sum) => add_up(&listing, &results, sum),
        None => Some(count(&listing, &results)),
    };
    range.map_or(Truth::Unknown, |range| in_range(trace, &range, condition))
}

fn listing(trace: &Trace, over: &str) -> Option<Listing> {
    let (_, channel, steps) = split_channel(over)?;
    if steps.is_empty() && trace.read(&channel).get("list").is_some() {
        let items = trace.list_items(&channel)?;
        return Some(Listing { items, complete: is_complete(trace, &channel), of_events: false });
    }
    if steps == [Step::Name("events".to_owned())] && trace.read(&channel).get("events").is_some() {
        return Some(Listing { items: trace.event_items(&channel)?, complete: false, of_events: true });
    }
    let elements = match resolve(trace, over, None) {
        Found::Value(Value::Array(elements)) => elements,
        Found::Missing => Vec::new(),
        _ => return None,
    };
    let element = |value: Value| Item {
        id: None,
        owner: "this".to_owned(),
        value,
        channel: channel.clone(),
        from_event: false,
    };
    let record = &trace.read(&channel)["record"];
    let complete = trace.is_current(record) && record["whole"] == true;
    Some(Listing { items: elements.into_iter().map(element).collect(), complete, of_events: false })
}

/// Whether a channel showed every record there is.
pub(super) fn is_complete(trace: &Trace, channel: &str) -> bool {
    let read = &trace.read(channel)["list"];
    if trace.declared(channel)["complete"] != true || !trace.is_current(read) || read["exhausted"] != true {
        return false;
    }
    let ids: Vec<&Value> = list(&read["items"]).iter().map(|item| &item["id"]).collect();
    if !list(&trace.evidence["scope_records"]).iter().all(|id| ids.contains(&id)) {
        return false;
    }
    let Some(read_at) = time(&read["read_at"]) else { return false };
    match trace.own_record() {
        Some(record) => {
            let first_seen = time(&record["first_seen"]);
            ids.contains(&&record["id"]) && first_seen.is_some_and(|seen| read_at >= seen + trace.window())
        }
        None => {
            let deadline = trace.deadline();
            trace.settled_since_last_sign(read_at) || (trace.now >= deadline && read_at >= deadline)
        }
    }
}

fn passes(trace: &Trace, condition: &Value, item: &Item) -> Truth {
    let mut results: Vec<Truth> =
        list(&condition["where"]).iter().map(|one| test(trace, one, Some(item))).collect();
    if let Some(outside) = condition["outside"].as_str() {
        results.push(is_outside(trace, outside, condition, item));
    }
    Truth::all(&results)
}

fn is_outside(trace: &Trace, outside: &str, condition: &Value, item: &Item) -> Truth {
    let Some((_, channel, _)) = split_channel(outside) else { return Truth::Unknown };
    let baseline = trace.baseline(&channel);
    let seen = |baseline: &Value| item.id.as_deref().is_some_and(|id| holds_id(baseline, id));
    if baseline.is_some_and(seen) || created_before(trace, item) {
        return Truth::Fails;
    }
    if baseline.is_some_and(|baseline| baseline["complete"] == true) {
        return Truth::Holds;
    }
    match condition.get("fallback") {
        Some(fallback) if !fallback.is_null() => test(trace, fallback, Some(item)),
        _ => Truth::Unknown,
    }
}

/// Whether the item's channel says that it is older than the operation.
fn created_before(trace: &Trace, item: &Item) -> bool {
    let channel = trace.declared(&item.channel);
    // What an events channel pages by is the time of the event, not of the record.
    let paged = if channel["events"].is_null() { channel["page"]["created"].as_str() } else { None };
    let Some(path) = channel["record_created"].as_str().or(paged) else { return false };
    let Found::Value(value) = below(record_of(item), &split(path).1) else { return false };
    by_rule(&value, &channel["instant"])
        .is_some_and(|moment| moment.at + moment.granularity <= trace.begin() - trace.skew())
}

/// Whether the first channel that can be complete is so and shows no new record that may be ours.
pub(super) fn shows_nothing_new(trace: &Trace) -> bool {
    let Some(channel) = trace.channels().iter().find(|channel| channel["complete"] == true) else {
        return false;
    };
    let name = channel["name"].as_str().unwrap_or("");
    let items = trace.list_items(name).unwrap_or_default();
    is_complete(trace, name)
        && !items.iter().any(|item| item.owner != "other" && may_be_new(trace, channel, name, item))
}

/// Whether the first channel that can be complete is so, and every record there but the own one is another
/// operation's, old, or without effect. Without such a channel, or where nothing is made, nothing is asked.
pub(super) fn stands_alone(trace: &Trace) -> bool {
    let first = trace.channels().iter().find(|channel| channel["complete"] == true);
    let Some(channel) = first.filter(|_| !trace.targets_existing()) else { return true };
    let name = channel["name"].as_str().unwrap_or("");
    let items = trace.list_items(name).unwrap_or_default();
    let effectless = serde_json::json!({ "effect": true });
    is_complete(trace, name)
        && items.iter().filter(|item| item.id.as_deref() != trace.own_id()).all(|item| {
            item.owner == "other"
                || test(trace, &effectless, Some(item)) == Truth::Fails
                || !may_be_new(trace, channel, name, item)
        })
}

fn may_be_new(trace: &Trace, channel: &Value, name: &str, item: &Item) -> bool {
    let created = channel["record_created"].as_str().or_else(|| channel["page"]["created"].as_str());
    let fallback = created.map(|path| {
        serde_json::json!({"path": path, "operator": "time_after", "expected": "$operation.created_at"})
    });
    let condition = serde_json::json!({ "fallback": fallback });
    is_outside(trace, &format!("$baseline.{name}"), &condition, item) != Truth::Fails
}

/// The results of one id: those of the items that share it, each item without an id by itself.
fn groups(listing: &Listing, results: &[Truth]) -> Vec<Vec<(Item, Truth)>> {
    let mut groups: Vec<Vec<(Item, Truth)>> = Vec::new();
    for (item, result) in listing.items.iter().zip(results) {
        let entry = (item.clone(), *result);
        let same = |group: &&mut Vec<(Item, Truth)>| {
            item.id.is_some() && group.first().is_some_and(|(first, _)| first.id == item.id)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(entry),
            None => groups.push(vec![entry]),
        }
    }
    groups
}

/// The first item that passes, else the first unknown one.
fn standing(group: &[(Item, Truth)]) -> Option<(&Item, bool)> {
    let first = |wanted: Truth| group.iter().find(|(_, truth)| *truth == wanted).map(|(item, _)| item);
    match (first(Truth::Holds), first(Truth::Unknown)) {
        (Some(item), _) => Some((item, true)),
        (None, Some(item)) => Some((item, false)),
        (None, None) => None,
    }
}

fn count(listing: &Listing, results: &[Truth]) -> Range {
    let groups = groups(listing, results);
    let standing: Vec<bool> =
        groups.iter().filter_map(|group| standing(group)).map(|(_, sure)| sure).collect();
    let number = |count: usize| Decimal::read(&count.to_string()).unwrap_or_else(Decimal::zero);
    let certain = standing.iter().filter(|sure| **sure).count();
    let high = listing.complete.then(|| number(standing.len()));
    Range { low: number(certain), high, of_events: listing.of_events }
}

fn add_up(listing: &Listing, results: &[Truth], sum: &str) -> Option<Range> {
    if !listing.complete {
        return None;
    }
    let steps = split(sum).1;
    let (mut low, mut high) = (Decimal::zero(), Decimal::zero());
    for group in groups(listing, results) {
        let Some((item, sure)) = standing(&group) else { continue };
        let Found::Value(value) = below(&item.value, &steps) else { return None };
        let number = decimal(&value).filter(Decimal::is_summable)?;
        if sure || number.is_negative() {
            low = low.plus(&number);
        }
        if sure || !number.is_negative() {
            high = high.plus(&number);
        }
    }
    Some(Range { low, high: Some(high), of_events: false })
}
