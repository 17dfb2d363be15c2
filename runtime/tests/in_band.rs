//! Replies with a success status that say in their body that the call failed.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it fails")]

mod world;

use provely_evaluator::contract::{Contract, ItemTest, Operator};
use provely_evaluator::json::{Value, parse};
use provely_evaluator::operation::ReportedOutcome;
use provely_evaluator::verdict::Verdict;
use provely_runtime::{Body, outcome_of};
use world::Bench;

const DAY: i64 = 86_400_000;

fn test(path: &str, operator: Operator, expected: Option<Value>) -> ItemTest {
    ItemTest { path: Some(path.to_owned()), operator: Some(operator), expected, ..ItemTest::default() }
}

fn not_ok() -> Vec<ItemTest> {
    vec![test("@.ok", Operator::Ne, Some(Value::from(true)))]
}

#[test]
fn t19_a_success_status_is_a_refusal_where_the_tests_of_the_action_say_so() {
    let listed =
        [test("@.errors[0]", Operator::Exists, None), test("@.errors", Operator::Ne, Some(Value::from("")))];
    let rows: [(&str, &[ItemTest], ReportedOutcome); 9] = [
        (r#"{"ok":true,"id":"a"}"#, &not_ok(), ReportedOutcome::Accepted),
        (r#"{"ok":false}"#, &not_ok(), ReportedOutcome::Rejected),
        (r#"{"id":"a"}"#, &not_ok(), ReportedOutcome::Accepted),
        (r#"{"errors":[]}"#, &listed, ReportedOutcome::Accepted),
        (r#"{"errors":null}"#, &listed, ReportedOutcome::Accepted),
        (r#"{"errors":""}"#, &listed, ReportedOutcome::Accepted),
        (r#"{"errors":["no"]}"#, &listed, ReportedOutcome::Rejected),
        (r#"{"errors":"no"}"#, &listed, ReportedOutcome::Rejected),
        (r#"{"ok":false}"#, &[], ReportedOutcome::Accepted),
    ];
    for (body, tests, outcome) in rows {
        assert_eq!(outcome_of(200, Some(&parse(body).unwrap()), tests), outcome, "{body}");
    }
}

/// T20: what the action refuses by says nothing about the reads.
#[test]
fn t20_each_request_fails_by_its_own_tests() {
    let mut bench = Bench::with(|contract| contract.action.in_band_failure = not_ok());
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    let reply = Body::from(r#"{"ok":true,"id":"re_1"}"#);
    let said = bench.runtime.report_reply(&begun.operation_id, 200, Some(&reply)).unwrap();
    assert_eq!(said, ReportedOutcome::Accepted);
    assert_eq!(bench.run(&begun.operation_id, DAY).verdict, Verdict::Verified);
}

#[test]
fn t19_a_refusal_under_a_success_status_is_no_acceptance() {
    let mut bench = Bench::with(|contract| contract.action.in_band_failure = not_ok());
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    let reply = Body::from(r#"{"ok":false,"error":"declined"}"#);
    let said = bench.runtime.report_reply(&begun.operation_id, 200, Some(&reply)).unwrap();
    assert_eq!(said, ReportedOutcome::Rejected);
    let end = bench.run(&begun.operation_id, DAY);
    assert_eq!((end.verdict, end.reason_code.as_str()), (Verdict::Failed, "action_rejected"));
}

/// Every read shows a fine record and says at once that it failed.
#[test]
fn a_read_that_says_that_it_failed_is_no_evidence() {
    let all_fail = |contract: &mut Contract| {
        for request in contract.evidence_policy.channels.iter_mut().filter_map(|own| own.request.as_mut()) {
            // The small provider of these tests puts no flag anywhere: what it shows stands for one.
            request.in_band_failure = vec![
                test("@.status", Operator::Eq, Some(Value::from("succeeded"))),
                test("@.data", Operator::Exists, None),
            ];
        }
    };
    for (change, verdict) in [(Some(all_fail), Verdict::Unverifiable), (None, Verdict::Verified)]
        as [(Option<fn(&mut Contract)>, Verdict); 2]
    {
        let mut bench = Bench::with(|contract| change.into_iter().for_each(|change| change(contract)));
        let begun = bench.begin(14_200, None);
        bench.pass(60_000);
        bench.refund("re_1", 14_200, "succeeded", None);
        bench.accept(&begun.operation_id, "re_1");
        assert_eq!(bench.run(&begun.operation_id, 40 * DAY).verdict, verdict);
    }
}
