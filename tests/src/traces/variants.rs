//! The same facts told otherwise: in another order, or more than once. No verdict may change by it.

use serde_json::Value;

use super::rng::Rng;

/// The trace with its channels, list items and events in another order, and some of them repeated.
pub fn retold(rng: &mut Rng, trace: &Value) -> Value {
    let mut trace = trace.clone();
    let Some(channels) = trace.pointer_mut("/evidence/channels").and_then(Value::as_array_mut) else {
        return trace;
    };
    // The first entry of a channel counts: later ones are left out before the order changes.
    let mut seen: Vec<Value> = Vec::new();
    channels.retain(|entry| {
        let fresh = !seen.contains(&entry["channel"]);
        seen.push(entry["channel"].clone());
        fresh
    });
    for entry in channels.iter_mut() {
        for pointer in ["/read/list/items", "/read/events/events"] {
            if let Some(items) = entry.pointer_mut(pointer).and_then(Value::as_array_mut) {
                repeat(rng, items);
            }
        }
    }
    repeat(rng, channels);
    trace
}

fn repeat(rng: &mut Rng, items: &mut Vec<Value>) {
    for _ in 0..rng.below(3) {
        if !items.is_empty() {
            let again = rng.pick(items);
            items.push(again);
        }
    }
    rng.shuffle(items);
}

/// The trace with nothing left but what the channels below E2 showed.
pub fn reply_alone(trace: &Value) -> Value {
    let mut trace = trace.clone();
    let strong: Vec<String> = channels_of(&trace)
        .iter()
        .filter(|channel| !matches!(channel["evidence_level"].as_str(), Some("E0" | "E1")))
        .filter_map(|channel| channel["name"].as_str().map(str::to_owned))
        .collect();
    if let Some(channels) = trace.pointer_mut("/evidence/channels").and_then(Value::as_array_mut) {
        channels.retain(|entry| !strong.iter().any(|name| entry["channel"] == name.as_str()));
    }
    trace
}

fn channels_of(trace: &Value) -> Vec<Value> {
    trace.pointer("/contract/evidence_policy/channels").and_then(Value::as_array).cloned().unwrap_or_default()
}

/// True where the rules let the order of the evidence decide: two different events of one channel that tell
/// one time, read through `latest` or `earliest`; or one id shown twice with different values under a sum.
pub fn order_may_matter(trace: &Value) -> bool {
    let contract = trace["contract"].to_string();
    let sums = contract.contains("\"sum\"");
    let latest = contract.contains(".latest") || contract.contains(".earliest");
    let entries = trace.pointer("/evidence/channels").and_then(Value::as_array);
    entries.into_iter().flatten().any(|entry| {
        let items = entry.pointer("/read/list/items").and_then(Value::as_array);
        let events = entry.pointer("/read/events/events").and_then(Value::as_array);
        (sums && items.is_some_and(|items| twice(items, "id")))
            || (latest && events.is_some_and(|events| twice(events, "time")))
    })
}

fn twice(items: &[Value], name: &str) -> bool {
    let mut seen: Vec<(&Value, &Value)> = Vec::new();
    for item in items {
        if seen.iter().any(|(key, other)| *key == &item[name] && *other != item) {
            return true;
        }
        seen.push((&item[name], item));
    }
    false
}
