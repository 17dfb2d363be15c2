//! The Stripe sources through every stage but the test run: the contracts are those of the fixtures, the scores
//! are stated, and the package verifies.

#![expect(clippy::unwrap_used, reason = "a test says at once what it misses")]

use std::collections::BTreeMap;
use std::path::Path;

use provely_compiler::certify::{Certified, Input, Outcome, Release, Run, certify, verify_package};
use provely_compiler::classify::classify;
use provely_compiler::ingest::ingest;
use provely_compiler::plan::{Gathered, Rules, plan};
use provely_compiler::review::{holds, review};
use provely_compiler::source::{Sources, load_folder};
use provely_compiler::synthesise::{Synthesised, synthesise};
use provely_evaluator::hash::Digest;
use provely_evaluator::json::{Value, parse, to_value};
use provely_evaluator::manifest::{Certification, Conformance, RanAgainst};
use provely_evaluator::seal::{SigningKey, TEST_KEY_ID, TrustedKeys};
use provely_evaluator::time::Time;

fn sources() -> Sources {
    load_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/stripe")).unwrap()
}

fn compiled(sources: &Sources, total: u64) -> (Synthesised, Certified) {
    let rules = Rules::builtin().unwrap();
    let found = ingest(sources).unwrap();
    let classified = classify(&found);
    let gathered = Gathered::of(&found, &classified);
    let planned = plan(&gathered.known(&classified.service), &rules);
    let file = sources.service.as_ref().unwrap();
    let written = synthesise(&planned, &file.names, &rules);
    let raised = classified.uncertainties.iter().chain(&planned.uncertainties).chain(&written.uncertainties);
    let held = |assertion: &str| holds(&[&found], assertion);
    let reviewed = review(raised.cloned(), &classified.answered, &found.review, held).unwrap();
    let artifact = parse(r#"{"run_at":"2026-11-30T00:00:00.000Z"}"#).unwrap();
    let result = Conformance {
        total,
        passed: total,
        critical_false_verified: 0,
        digest: Digest::of(&[]),
        ran_against: RanAgainst::Simulator,
        run_at: Time::from_seconds(1_796_000_000),
        classes: Vec::new(),
    };
    let release = Release {
        skill_version: "0.1.0".to_owned(),
        compiler_version: "0.1.0".to_owned(),
        compiled_at: Time::from_seconds(1_796_000_000),
    };
    let input = Input {
        service: &planned.service,
        sources: &found.sources,
        file: Some(file),
        written: &written,
        reviewed: &reviewed,
        run: &Run::seal(result, &artifact, &SigningKey::test_key(), TEST_KEY_ID).unwrap(),
        release: &release,
    };
    let certified = certify(input, &SigningKey::test_key(), TEST_KEY_ID).unwrap();
    (written, certified)
}

/// Without what depends on the wording of a source and on how many assertions speak of a part.
fn structure(value: &Value) -> Value {
    let mut value = value.clone();
    let object = value.as_object_mut().unwrap();
    for member in ["provenance", "hash"] {
        object.remove(member);
    }
    let intent = object.get_mut("intent").and_then(Value::as_object_mut).unwrap();
    let schema = intent.get_mut("input_schema").and_then(Value::as_object_mut).unwrap();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut).unwrap();
    properties
        .values_mut()
        .filter_map(Value::as_object_mut)
        .for_each(|property| drop(property.remove("description")));
    value
}

#[test]
fn the_sources_give_the_contracts_of_the_fixtures() {
    let (written, _) = compiled(&sources(), 32);
    for id in ["stripe.refund.created", "stripe.refund.succeeded"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/synthesise/{id}.json"));
        let wanted = parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        let synthesis = written.contracts.iter().find(|synthesis| synthesis.contract.id == id).unwrap();
        let got = to_value(&synthesis.contract).unwrap();
        assert_eq!(structure(&got).to_string(), structure(&wanted).to_string(), "{id}");
    }
}

#[test]
fn the_scores_are_those_that_the_rules_allow() {
    let (_, certified) = compiled(&sources(), 32);
    let shown: Vec<String> = certified
        .scores
        .iter()
        .map(|(id, score)| {
            let points: Vec<String> =
                score.dimensions.iter().map(|dimension| dimension.points.to_string()).collect();
            format!(
                "{id}: {} = {}, {} caps, {}",
                points.join(" + "),
                score.raw,
                score.caps.len(),
                score.after_caps
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "stripe.refund.created: 17.33 + 15 + 20 + 8 + 15 + 10 = 85.33, 0 caps, 85.33",
            "stripe.refund.succeeded: 17.5 + 15 + 20 + 12 + 15 + 10 = 89.5, 0 caps, 89.5"
        ]
    );
    assert_eq!(certified.score.level, Certification::Verified);
}

#[test]
fn the_package_verifies_and_compiles_again_to_the_same_bytes() {
    let (_, certified) = compiled(&sources(), 32);
    let (_, again) = compiled(&sources(), 32);
    let files: BTreeMap<String, Vec<u8>> =
        certified.files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    let checks = verify_package(&files, &TrustedKeys::test(), Some(&again.files));
    assert!(checks.iter().all(|check| check.outcome == Outcome::Passed), "{checks:?}");
}
