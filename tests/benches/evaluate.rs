//! Time of one evaluation of `stripe.refund.succeeded`: a refund that verifies, from an evidence that is
//! already parsed, and from JSON text.
//!
//! `cargo bench -p provely-tests --bench evaluate`

#![expect(clippy::unwrap_used, reason = "a bench: to stop is to fail")]

use divan::{Bencher, black_box};
use provely_document::{Format, Limits, from_node, read};
use provely_evaluator::contract::Contract;
use provely_evaluator::evaluate::evaluate;
use provely_evaluator::evidence::Evidence;
use provely_evaluator::load::Program;
use provely_evaluator::operation::Operation;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;

fn main() {
    divan::main();
}

fn program() -> Program {
    let text = include_str!("../../skills/stripe/contracts/stripe.refund.succeeded.json");
    let document = read("stripe.refund.succeeded.json", text, Format::Json, &Limits::default()).unwrap();
    Program::load(from_node::<Contract>(document.root()).unwrap()).unwrap()
}

const OPERATION: &str = r#"{"id":"op_1","input":{"charge":"ch_1","amount":14200},
 "begun_at":"2026-09-05T14:00:00.000Z",
 "begin":{"at":"2026-09-05T14:00:00.000Z","from_provider":true,"skew_ms":5000},
 "api_version":"2026-05-27.dahlia","reports":[{"at":"2026-09-05T14:00:01.500Z","outcome":"accepted"}],
 "first_sign":"2026-09-05T14:00:01.500Z","attempts":4}"#;

const RECORD: &str = r#"{"id":"re_1","object":"refund","amount":14200,"charge":"ch_1","created":1788616806,
 "currency":"usd","metadata":{},"payment_intent":null,"reason":null,"status":"succeeded"}"#;

fn evidence() -> String {
    format!(
        r#"{{"observation":5,
 "correlation":{{"record":{{"id":"re_1","by":"key","since":"2026-09-05T14:00:02.000Z","first_seen":"2026-09-05T14:00:02.000Z"}},
   "keys":[["refund_id","re_1"]],"conflict":null}},
 "channels":[
  {{"channel":"refund_readback","read":{{"record":{{"observation":5,"value":{RECORD},"state_time":null,"state_since":"2026-09-05T14:00:02.000Z","whole":true}}}}}},
  {{"channel":"refund_list","read":{{"list":{{"observation":5,"read_at":"2026-09-05T14:00:22.000Z","exhausted":true,"items":[
     {{"id":"re_1","owner":"this","value":{RECORD}}}]}}}}}},
  {{"channel":"refund_created_events","read":{{"events":{{"events":[{{"time":"2026-09-05T14:00:06.000Z","received_at":"2026-09-05T14:00:07.000Z",
     "item":{{"id":"re_1","owner":"this","value":{{"id":"evt_1","type":"refund.created","record_id":"re_1","record":{RECORD}}}}}}}]}}}}}},
  {{"channel":"refund_succeeded_events","read":{{"events":{{"events":[{{"time":"2026-09-05T14:00:06.000Z","received_at":"2026-09-05T14:00:07.000Z",
     "item":{{"id":"re_1","owner":"this","value":{{"id":"evt_1","type":"refund.created","record_id":"re_1","record":{RECORD}}}}}}}]}}}}}}],
 "baselines":[{{"channel":"refund_list","complete":true,"ids":["re_0"],"value":null}}],
 "scope_records":["re_1"]}}"#
    )
}

fn now() -> Time {
    Time::parse("2026-09-05T14:00:22.000Z").unwrap()
}

/// Evidence already parsed: the decision alone.
#[divan::bench]
fn parsed(bencher: Bencher<'_, '_>) {
    let program = program();
    let operation: Operation = serde_json::from_str(OPERATION).unwrap();
    let evidence: Evidence = serde_json::from_str(&evidence()).unwrap();
    let first = evaluate(&program, &operation, &evidence, now());
    assert_eq!(first.verdict, Verdict::Verified, "{first:#?}");
    bencher.bench_local(|| {
        evaluate(black_box(&program), black_box(&operation), black_box(&evidence), now()).verdict
    });
}

/// From JSON text to the verdict.
#[divan::bench]
fn from_text(bencher: Bencher<'_, '_>) {
    let program = program();
    let operation: Operation = serde_json::from_str(OPERATION).unwrap();
    let text = evidence();
    bencher.bench_local(|| {
        let evidence: Evidence = serde_json::from_str(black_box(&text)).unwrap();
        evaluate(&program, &operation, &evidence, now()).verdict
    });
}
