//! A condition as a whole: whether it applies, its form, its fallback. Gives no verdict.

use serde_json::Value;

use super::fold::folded;
use super::lists;
use super::reference::{is_reference, resolve, split_channel};
use super::test::{compare, test};
use super::trace::{Trace, list};
use super::truth::Truth;

pub(super) fn applies(trace: &Trace, condition: &Value) -> bool {
    let given = |name: &str| condition.get(name).filter(|value| !value.is_null());
    given("when").is_none_or(|when| test(trace, when, None) == Truth::Holds)
        && given("unless").is_none_or(|unless| test(trace, unless, None) != Truth::Holds)
}

pub(super) fn truth(trace: &Trace, condition: &Value) -> Truth {
    let truth = plain(trace, condition);
    if condition["result"] == "unknown" && truth == Truth::Holds { Truth::Unknown } else { truth }
}

fn plain(trace: &Trace, condition: &Value) -> Truth {
    let members = list(&condition["all_of"]);
    if !members.is_empty() {
        let truths: Vec<Truth> = members
            .iter()
            .filter(|member| applies(trace, member))
            .map(|member| self::truth(trace, member))
            .collect();
        return Truth::all(&truths);
    }
    if lacks_baseline(trace, condition) {
        return match condition.get("fallback") {
            Some(fallback) if !fallback.is_null() => test(trace, fallback, None),
            _ => Truth::Unknown,
        };
    }
    if condition["over"].is_string() {
        return lists::condition(trace, condition);
    }
    let path = condition["path"].as_str().unwrap_or("");
    let lifecycle = &trace.contract["subject"]["lifecycle"];
    let found = if lifecycle["over"].is_null() && lifecycle["path"] == path {
        folded(trace, path)
    } else {
        resolve(trace, path, None)
    };
    compare(trace, found, condition, None)
}

/// Every reference in the path and in what is expected.
pub(super) fn references(condition: &Value) -> Vec<&str> {
    let expected = &condition["expected"];
    let elements = expected.as_array().map_or(std::slice::from_ref(expected), Vec::as_slice);
    let all = [&condition["path"], &condition["over"]].into_iter().chain(elements);
    all.filter_map(Value::as_str).filter(|text| is_reference(text)).collect()
}

fn lacks_baseline(trace: &Trace, condition: &Value) -> bool {
    references(condition).into_iter().any(|reference| match split_channel(reference) {
        Some((root, channel, _)) if root == "$baseline" => {
            trace.baseline(&channel).is_none_or(|baseline| baseline["value"].is_null())
        }
        _ => false,
    })
}
