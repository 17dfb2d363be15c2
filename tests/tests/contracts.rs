//! Load rules, found by walking a folder: each file changes a valid contract in one place and names the
//! code and the path that must be reported.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test file: to stop is to fail"
)]

use std::fs;
use std::path::{Path, PathBuf};

use provely_document::{Format, Limits, from_node, read};
use provely_evaluator::contract::Contract;
use provely_evaluator::load::Program;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Case {
    code: String,
    at: String,
    changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    add: Option<String>,
    replace: Option<String>,
    remove: Option<String>,
    value: Option<Value>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/contracts")
}

fn yaml<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = fs::read_to_string(path).unwrap();
    let document = read(path.to_str().unwrap(), text.as_str(), Format::Yaml, &Limits::default()).unwrap();
    from_node(document.root()).unwrap_or_else(|finding| panic!("{}", finding.render(false)))
}

fn apply(target: &mut Value, change: &Change) {
    let pointer = change.add.as_ref().or(change.replace.as_ref()).or(change.remove.as_ref()).unwrap();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = target.pointer_mut(parent).unwrap_or_else(|| panic!("no {parent}"));
    let value = change.value.clone();
    match (parent, change.remove.is_some()) {
        (Value::Object(members), true) => assert!(members.remove(name).is_some(), "no {pointer}"),
        (Value::Object(members), false) => {
            assert!(members.insert(name.into(), value.unwrap()).is_none() == change.add.is_some())
        }
        (Value::Array(items), true) => drop(items.remove(name.parse().unwrap())),
        (Value::Array(items), false) => items[name.parse::<usize>().unwrap()] = value.unwrap(),
        (other, _) => panic!("{other} has no members"),
    }
}

/// Code and path of every fault, as a reader of the file would get them.
fn faults(contract: &Value) -> Vec<(String, String)> {
    let text = serde_json::to_string_pretty(contract).unwrap();
    let document = read("contract.json", text.as_str(), Format::Json, &Limits::default()).unwrap();
    match from_node::<Contract>(document.root()) {
        Err(finding) => vec![(finding.code.to_string(), finding.render(false))],
        Ok(contract) => match Program::load(contract) {
            Ok(_) => Vec::new(),
            Err(errors) => errors.into_iter().map(|error| (error.code.to_string(), error.path)).collect(),
        },
    }
}

#[test]
fn the_base_contracts_load() {
    for name in ["refund.yaml", "split.yaml"] {
        let base: Value = yaml(&folder().join(name));
        assert_eq!(faults(&base), [], "{name}");
    }
}

#[test]
fn every_change_is_refused_with_its_code_and_place() {
    let base: Value = yaml(&folder().join("refund.yaml"));
    let mut failed = Vec::new();
    let mut count = 0;
    let mut files: Vec<_> =
        fs::read_dir(folder().join("refused")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for path in files {
        let case: Case = yaml(&path);
        let mut contract = base.clone();
        case.changes.iter().for_each(|change| apply(&mut contract, change));
        let found = faults(&contract);
        let document_error = case.code.contains('/');
        let hit = found.iter().any(|(code, at)| {
            if document_error {
                at.contains(case.at.rsplit(['.', '[']).next().unwrap())
            } else {
                *code == case.code && *at == case.at
            }
        });
        count += 1;
        if !hit || found.is_empty() {
            failed.push(format!("{}: wanted {} at {}, found {found:#?}", path.display(), case.code, case.at));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    println!("{count} contracts refused");
    assert!(count >= 50);
}

#[test]
fn t22_an_unknown_member_gets_a_suggestion() {
    let mut base: Value = yaml(&folder().join("refund.yaml"));
    base["completion"]["all_of"][1].as_object_mut().unwrap().insert("operatr".into(), "eq".into());
    let found = faults(&base);
    assert!(found[0].1.contains("operator"), "{}", found[0].1);
    assert!(found[0].1.contains("contract.json:"), "{}", found[0].1);
}
