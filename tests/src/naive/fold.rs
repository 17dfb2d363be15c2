//! The folded state: what the readback and the events of the own record say together.

use serde_json::Value;

use super::reference::{Found, Step, below, resolve, split_channel};
use super::trace::{Trace, list, time};

/// One source's word on the state.
#[derive(Clone, Debug)]
struct Word {
    state: String,
    time: Option<i64>,
    /// When we first knew: `state_since` of the readback, `received_at` of an event.
    known_since: i64,
}

/// What the lifecycle's path yields once all sources were heard.
pub(super) fn folded(trace: &Trace, path: &str) -> Found {
    let Some((_, channel, steps)) = split_channel(path) else { return Found::Unavailable };
    let record = &trace.read(&channel)["record"];
    let readback = readback(trace, record, &steps);
    if trace.is_current(record) && readback.is_none() {
        return resolve(trace, path, None);
    }
    let events = events(trace, &steps);
    match outcome(trace, readback, &events) {
        Some(state) if class(trace, &state) == "terminal_success" && vetoed(trace, &steps) => {
            Found::Unavailable
        }
        Some(state) => Found::Value(Value::String(state)),
        None => Found::Unavailable,
    }
}

fn class<'a>(trace: &Trace<'a>, state: &str) -> &'a str {
    trace.class(state)
}

fn rank(trace: &Trace, state: &str) -> u8 {
    match class(trace, state) {
        "transitional" => 0,
        "terminal_success" if trace.reversible(state) => 1,
        "terminal_failure" | "terminal_neutral" => 2,
        "terminal_success" => 3,
        _ => 4,
    }
}

fn is_failure(trace: &Trace, word: &Word) -> bool {
    rank(trace, &word.state) == 2
}

fn is_success(trace: &Trace, word: &Word) -> bool {
    class(trace, &word.state) == "terminal_success"
}

fn string_at(value: &Value, steps: &[Step]) -> Option<String> {
    match below(value, steps) {
        Found::Value(Value::String(state)) => Some(state),
        _ => None,
    }
}

fn readback(trace: &Trace, record: &Value, steps: &[Step]) -> Option<Word> {
    if !trace.is_current(record) {
        return None;
    }
    Some(Word {
        state: string_at(&record["value"], steps)?,
        time: time(&record["state_time"]),
        known_since: time(&record["state_since"])?,
    })
}

/// Every event of the own record that tells a state.
fn events(trace: &Trace, steps: &[Step]) -> Vec<Word> {
    let Some(id) = trace.own_id() else { return Vec::new() };
    let mut words = Vec::new();
    for channel in trace.channels() {
        let read = trace.read(channel["name"].as_str().unwrap_or(""));
        for event in list(&read["events"]["events"]) {
            if event["item"]["id"] != id {
                continue;
            }
            let state = string_at(&event["item"]["value"]["record"], steps);
            if let (Some(state), Some(known_since)) = (state, time(&event["received_at"])) {
                words.push(Word { state, time: time(&event["time"]), known_since });
            }
        }
    }
    words
}

fn best_event(trace: &Trace, events: &[Word]) -> Option<Word> {
    let mut timed: Option<&Word> = None;
    for event in events.iter().filter(|event| event.time.is_some()) {
        let key = |word: &Word| (word.time, rank(trace, &word.state));
        let better = timed.is_none_or(|best| {
            key(event) > key(best) || (key(event) == key(best) && event.known_since < best.known_since)
        });
        if better {
            timed = Some(event);
        }
    }
    let mut best = timed;
    for event in events.iter().filter(|event| event.time.is_none()) {
        let better = best.is_none_or(|best| {
            let (mine, theirs) = (rank(trace, &event.state), rank(trace, &best.state));
            let earlier = best.time.is_none() && event.known_since < best.known_since;
            mine > theirs || (mine == theirs && earlier)
        });
        if better {
            best = Some(event);
        }
    }
    best.cloned()
}

fn outcome(trace: &Trace, readback: Option<Word>, events: &[Word]) -> Option<String> {
    let window = trace.window();
    match (readback, best_event(trace, events)) {
        (None, None) => None,
        (Some(readback), None) => Some(readback.state),
        (None, Some(event)) => {
            let stands = is_failure(trace, &event) && trace.now >= event.known_since + window;
            stands.then_some(event.state)
        }
        (Some(readback), Some(event)) => {
            if event_wins(trace, &readback, &event) {
                event_outcome(trace, &readback, event, events)
            } else {
                readback_outcome(trace, readback, events)
            }
        }
    }
}

fn event_wins(trace: &Trace, readback: &Word, event: &Word) -> bool {
    if readback.time.is_none() && is_failure(trace, event) {
        return true;
    }
    if let (Some(read), Some(told)) = (readback.time, event.time)
        && read != told
    {
        return told > read;
    }
    let (read, told) = (rank(trace, &readback.state), rank(trace, &event.state));
    told > read || (told == read && is_failure(trace, event))
}

/// A success of the own record that may be later than the failure: one of both has no time, or the times tie.
fn rival(trace: &Trace, failure: &Word, events: &[Word]) -> bool {
    events
        .iter()
        .filter(|event| is_success(trace, event))
        .any(|event| event.time.is_none() || failure.time.is_none() || event.time == failure.time)
}

fn readback_outcome(trace: &Trace, readback: Word, events: &[Word]) -> Option<String> {
    let doubtful = is_failure(trace, &readback) && rival(trace, &readback, events);
    let settled = trace.now >= readback.known_since + trace.window();
    (settled || !doubtful).then_some(readback.state)
}

fn event_outcome(trace: &Trace, readback: &Word, event: Word, events: &[Word]) -> Option<String> {
    let settled = trace.now >= event.known_since + trace.window();
    if readback.state == event.state {
        let doubtful = is_failure(trace, &event) && rival(trace, &event, events);
        return (settled || !doubtful).then_some(event.state);
    }
    let taken_back = is_success(trace, &event)
        && !is_success(trace, readback)
        && (trace.reversible(&event.state) || rank(trace, &readback.state) != 0);
    (settled && !taken_back).then_some(event.state)
}

/// Whether a list shows the own record in a state that is neither a success nor on its way.
fn vetoed(trace: &Trace, steps: &[Step]) -> bool {
    let Some(own) = trace.own_id() else { return false };
    let names = trace.channels().iter().filter_map(|channel| channel["name"].as_str());
    names.filter_map(|name| trace.list_items(name)).flatten().any(|item| {
        let state = string_at(&item.value, steps);
        item.id.as_deref() == Some(own) && state.is_some_and(|state| matches!(rank(trace, &state), 2 | 4))
    })
}
