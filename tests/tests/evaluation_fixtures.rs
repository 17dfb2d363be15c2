//! One case per rule of the page: each file below `tests/fixtures/evaluation/` names a rule, a base trace and
//! what to set in it (by JSON pointer, `-` appends), with the answer expected. Both evaluators must give it.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test file: to stop is to fail"
)]

mod first;

use provely_tests::naive::{self, Truth, Verdict};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/evaluation")
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn set(trace: &mut Value, pointer: &str, value: &Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = trace.pointer_mut(parent).unwrap_or_else(|| panic!("nothing at {parent}"));
    match parent {
        Value::Array(elements) if name == "-" => elements.push(value.clone()),
        Value::Array(elements) => elements[name.parse::<usize>().unwrap()] = value.clone(),
        other => other[name] = value.clone(),
    }
}

/// The answer, as far as the expectation speaks of it.
fn told(answer: &Verdict, expected: &Value) -> Value {
    let mut told = json!({
        "verdict": answer.verdict, "terminal": answer.terminal, "escalated": answer.escalated,
        "expired": answer.expired, "reason_code": answer.reason_code,
    });
    for (id, truth) in &answer.conditions {
        if !expected["conditions"][id].is_null() {
            let truth = match truth {
                Truth::Holds => "holds",
                Truth::Fails => "fails",
                Truth::Unknown => "unknown",
            };
            told["conditions"][id] = json!(truth);
        }
    }
    told
}

#[test]
fn both_evaluators_answer_as_stated() {
    let (mut cases, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let fixture = read(&path);
        let base = read(&folder().join(format!("base/{}.json", fixture["base"].as_str().unwrap())));
        for case in fixture["cases"].as_array().unwrap() {
            cases += 1;
            let mut trace = base.clone();
            for (pointer, value) in case["set"].as_object().unwrap() {
                set(&mut trace, pointer, value);
            }
            let expected = &case["expect"];
            let second = told(&naive::evaluate(&trace), expected);
            let first =
                first::answer(&trace).map_or_else(|error| json!(error), |answer| told(&answer, expected));
            for (name, answer) in [("first", first), ("second", second)] {
                if &answer != expected {
                    let file = path.file_name().unwrap().display();
                    wrong.push(format!(
                        "{file}, {}: {name} says\n  {answer}\nnot\n  {expected}",
                        case["name"]
                    ));
                }
            }
        }
    }
    assert!(cases > 0, "no cases found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
