//! Makes a trace smaller while a property of it stays. Knows nothing of what the property is.

use serde_json::Value;

const LISTS: [&str; 7] = [
    "/contract/verdict_map",
    "/contract/negative_conditions/any_of",
    "/contract/completion/all_of",
    "/evidence/channels",
    "/evidence/baselines",
    "/evidence/scope_records",
    "/operation/reports",
];

/// Drops rules, conditions, tests, channels, items and events one by one as long as `stays` says yes.
pub fn shrink(trace: &Value, stays: impl Fn(&Value) -> bool) -> Value {
    let mut trace = trace.clone();
    loop {
        let before = trace.clone();
        for pointer in lists(&trace) {
            drop_each(&mut trace, &pointer, &stays);
        }
        if trace == before {
            return trace;
        }
    }
}

/// Pointers to every list that may lose elements.
fn lists(trace: &Value) -> Vec<String> {
    let mut all: Vec<String> = LISTS.iter().map(|pointer| (*pointer).to_owned()).collect();
    let inner = [
        ("/evidence/channels", &["/read/list/items", "/read/events/events"][..]),
        ("/contract/completion/all_of", &["/where", "/all_of"][..]),
        ("/contract/negative_conditions/any_of", &["/where", "/all_of"][..]),
        ("/contract/verdict_map", &["/match/where", "/match/all_of"][..]),
    ];
    for (outer, below) in inner {
        let count = trace.pointer(outer).and_then(Value::as_array).map_or(0, Vec::len);
        for index in 0..count {
            all.extend(below.iter().map(|name| format!("{outer}/{index}{name}")));
        }
    }
    all
}

fn drop_each(trace: &mut Value, pointer: &str, stays: &impl Fn(&Value) -> bool) {
    let mut index = 0;
    while index < trace.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len) {
        let mut smaller = trace.clone();
        if let Some(list) = smaller.pointer_mut(pointer).and_then(Value::as_array_mut) {
            list.remove(index);
        }
        if stays(&smaller) {
            *trace = smaller;
        } else {
            index += 1;
        }
    }
}
