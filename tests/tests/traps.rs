//! Traps from the field that the evaluator alone decides, on the contracts under `fixtures/contracts/`.
//! Those that need a sequence stand with the harness and the runtime.

#![expect(clippy::unwrap_used, reason = "a test file: to stop is to fail")]

use provely_document::{Format, Limits, from_node, read};
use provely_evaluator::contract::Contract;
use provely_evaluator::evaluate::evaluate;
use provely_evaluator::evidence::Evidence;
use provely_evaluator::load::Program;
use provely_evaluator::operation::Operation;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;
use serde_json::{Value, json};

const BEGIN: &str = "2026-09-05T14:00:00.000Z";
const LATER: &str = "2026-09-05T14:01:00.000Z";
const DEADLINE: &str = "2026-09-12T14:00:01.000Z";

fn contract(name: &str) -> Contract {
    let path = format!("{}/fixtures/contracts/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    let document = read(&path, text.as_str(), Format::Yaml, &Limits::default()).unwrap();
    from_node(document.root()).unwrap()
}

/// Verdict and reason code of an operation that was reported as accepted, for a record bound by key.
fn judge(contract: Contract, input: &Value, version: &str, channels: &Value, now: &str) -> (Verdict, String) {
    let bound = channels.as_array().is_some_and(|channels| !channels.is_empty());
    let record = json!({"id": "re_1", "by": "key", "since": "2026-09-05T14:00:01.000Z", "first_seen": "2026-09-05T14:00:01.000Z"});
    let operation: Operation = serde_json::from_value(json!({
        "id": "op_1", "input": input, "begun_at": BEGIN,
        "begin": {"at": BEGIN, "from_provider": true, "skew_ms": 5000}, "api_version": version,
        "reports": [{"at": "2026-09-05T14:00:01.000Z", "outcome": "accepted"}],
        "first_sign": "2026-09-05T14:00:01.000Z", "attempts": 3,
    }))
    .unwrap();
    let evidence: Evidence = serde_json::from_value(json!({
        "observation": 4,
        "correlation": {"record": if bound { record } else { Value::Null }, "keys": [["refund_id", "re_1"]], "conflict": null},
        "channels": channels,
        "baselines": [{"channel": "refund_list", "complete": true, "ids": [], "value": null}],
        "scope_records": if bound { json!(["re_1"]) } else { json!([]) },
    }))
    .unwrap();
    let program = Program::load(contract).unwrap();
    let now = Time::parse(now).unwrap();
    let evaluation = evaluate(&program, &operation, &evidence, now);
    (evaluation.verdict, evaluation.reason_code.to_owned())
}

fn record(channel: &str, value: &Value) -> Value {
    json!({"channel": channel, "read": {"record": {
        "observation": 4, "value": value, "state_time": null, "state_since": "2026-09-05T14:00:01.000Z", "whole": true}}})
}

fn list(value: &Value) -> Value {
    json!({"channel": "refund_list", "read": {"list": {"observation": 4, "read_at": LATER, "exhausted": true,
        "items": [{"id": "re_1", "owner": "this", "value": value}]}}})
}

fn split(parts: &Value, now: &str) -> (Verdict, String) {
    let channels = json!([record("readback", &json!({"id": "re_1", "order": "o_1", "parts": parts}))]);
    judge(contract("split"), &json!({"order": "o_1", "amount": "142.00"}), "2026-01", &channels, now)
}

fn part(status: &str, amount: &str) -> Value {
    json!({"status": status, "amount": amount, "manual": false})
}

fn refund(amount: u64) -> Value {
    json!({"id": "re_1", "amount": amount, "charge": "ch_1", "created": 1_788_616_802, "status": "succeeded"})
}

#[test]
fn t4_a_label_of_the_parent_is_no_refund() {
    // The parent looks refunded (a dispute); no refund of ours is known to anybody.
    let input = json!({"charge": "ch_1", "amount": 14200});
    let judged = |now| judge(contract("refund"), &input, "2026-05-27", &json!([]), now);
    assert_eq!(judged(LATER).0, Verdict::Pending);
    assert_eq!(judged(DEADLINE).0, Verdict::Unverifiable);
}

#[test]
fn t5_nothing_settled_yet_is_no_wrong_amount() {
    assert_eq!(
        split(&json!([part("PENDING", "142.00")]), LATER),
        (Verdict::Pending, "awaiting_evidence".into())
    );
    assert_eq!(split(&json!([part("SUCCESS", "142.0")]), LATER).0, Verdict::Verified);
    assert_eq!(split(&json!([part("SUCCESS", "100"), part("PENDING", "42")]), LATER).0, Verdict::Pending);
    assert_eq!(
        split(&json!([part("SUCCESS", "100"), part("SUCCESS", "41.99")]), LATER),
        (Verdict::Contradicted, "wrong_amount".into())
    );
}

#[test]
fn t6_a_bookkeeping_refund_without_a_transaction_never_verifies() {
    for parts in [json!([]), Value::Null, json!([{"status": "SUCCESS", "amount": "142.00", "manual": true}])]
    {
        assert_eq!(split(&parts, LATER).0, Verdict::Pending, "{parts}");
        assert_eq!(split(&parts, DEADLINE).0, Verdict::Unverifiable, "{parts}");
    }
}

#[test]
fn t9_t78_a_settled_and_a_failed_part_are_no_whole_and_no_failure() {
    let parts = json!([part("SUCCESS", "100"), part("FAILURE", "42")]);
    assert_eq!(split(&parts, LATER), (Verdict::Contradicted, "partial_completion".into()));
    assert_eq!(split(&json!([part("FAILURE", "142")]), LATER), (Verdict::Failed, "refund_failed".into()));
    let moving = json!([part("SUCCESS", "100"), part("FAILURE", "2"), part("PENDING", "40")]);
    assert_eq!(split(&moving, LATER).0, Verdict::Pending);
}

#[test]
fn t39_an_amount_multiplied_by_a_hundred_is_wrong() {
    let value = refund(14200);
    let channels = json!([record("refund_readback", &value), list(&value)]);
    let input = json!({"charge": "ch_1", "amount": 142});
    let judged = judge(contract("refund"), &input, "2026-05-27", &channels, LATER);
    assert_eq!(judged, (Verdict::Contradicted, "wrong_amount".into()));
}

#[test]
fn t73_a_promise_of_readbacks_needs_no_webhook() {
    let mut contract = contract("refund");
    let value = refund(14200);
    let channels = json!([record("refund_readback", &value), list(&value)]);
    let input = json!({"charge": "ch_1", "amount": 14200});
    assert_eq!(judge(contract.clone(), &input, "2026-05-27", &channels, LATER).0, Verdict::Pending);
    contract.completion.all_of.retain(|condition| condition.evidence == ["refund_readback"]);
    assert_eq!(judge(contract, &input, "2026-05-27", &channels, LATER).0, Verdict::Verified);
}
