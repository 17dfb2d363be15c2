//! The compiled refund contracts before the judge: good refunds get through, bad ones do not. A few situations
//! by hand; the conformance cases go through all of them.

#![expect(clippy::unwrap_used, reason = "a test says at once what it misses")]

use std::path::Path;

use provely_evaluator::contract::Contract;
use provely_evaluator::evaluate::evaluate;
use provely_evaluator::evidence::Evidence;
use provely_evaluator::json::{from_value, parse};
use provely_evaluator::load::Program;
use provely_evaluator::operation::Operation;
use provely_evaluator::time::Time;

/// Seconds after the epoch at which the operation begins; the record is made one second later.
const BEGIN: i64 = 1_781_085_600;

fn program(level: &str) -> Program {
    let path = format!("tests/fixtures/synthesise/stripe.refund.{level}.json");
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let contract: Contract = from_value(&parse(&text).unwrap()).unwrap();
    Program::load(contract).unwrap()
}

fn at(seconds: i64) -> String {
    Time::from_seconds(BEGIN + seconds).to_string()
}

fn operation(input: &str) -> Operation {
    let begin = at(0);
    let text = format!(
        r#"{{"id":"op_1","input":{input},"begun_at":"{begin}","begin":{{"at":"{begin}","from_provider":true,"skew_ms":5000}},
        "api_version":"2026-05-27.dahlia","reports":[{{"at":"{sign}","outcome":"accepted"}}],"first_sign":"{sign}","attempts":3}}"#,
        sign = at(1)
    );
    from_value(&parse(&text).unwrap()).unwrap()
}

/// What the channels show; records as JSON.
struct Shown<'a> {
    record: &'a str,
    /// Siblings: owner and record.
    siblings: &'a [(&'a str, &'a str)],
    /// Events of our record: channel and record.
    events: &'a [(&'a str, &'a str)],
}

fn record(id: &str, status: &str, amount: u32) -> String {
    format!(
        r#"{{"id":"{id}","object":"refund","amount":{amount},"charge":"ch_1","payment_intent":"pi_1","currency":"usd",
        "created":{},"metadata":{{}},"status":"{status}"}}"#,
        BEGIN + 1
    )
}

fn evidence(shown: &Shown<'_>, now: i64) -> Evidence {
    let read_at = at(now);
    let item = |owner: &str, record: &str| {
        let id = parse(record).unwrap().get("id").unwrap().to_string();
        format!(r#"{{"id":{id},"owner":"{owner}","value":{record}}}"#)
    };
    let own = item("this", shown.record);
    let items: Vec<String> =
        shown.siblings.iter().map(|(owner, record)| item(owner, record)).chain([own]).collect();
    let channel_events = |name: &str| {
        let events = shown.events.iter().filter(|(channel, _)| *channel == name).map(|(channel, record)| {
            format!(
                r#"{{"time":"{time}","received_at":"{time}","item":{{"id":"re_1","owner":"this","value":{{"id":"evt_1","type":"{channel}","record_id":"re_1","record":{record}}}}}}}"#,
                time = at(2)
            )
        });
        format!(
            r#"{{"channel":"{name}","read":{{"events":{{"events":[{}]}}}}}}"#,
            events.collect::<Vec<_>>().join(",")
        )
    };
    let events = ["refund_created_events", "refund_succeeded_events", "refund_failed_events"]
        .map(channel_events)
        .join(",");
    let text = format!(
        r#"{{"observation":7,
        "correlation":{{"record":{{"id":"re_1","by":"claim","since":"{seen}","first_seen":"{seen}"}},"keys":[["refund_id","re_1"]],"conflict":null}},
        "channels":[
          {{"channel":"refund_readback","read":{{"record":{{"observation":7,"value":{record},"state_time":null,"state_since":"{seen}","whole":true}}}}}},
          {{"channel":"refund_list","read":{{"list":{{"observation":7,"read_at":"{read_at}","exhausted":true,"items":[{items}]}}}}}},
          {events}],
        "baselines":[{{"channel":"refund_list","complete":true,"ids":["re_0"],"value":null}}],
        "scope_records":["re_1"]}}"#,
        seen = at(2),
        record = shown.record,
        items = items.join(",")
    );
    from_value(&parse(&text).unwrap()).unwrap()
}

fn judged(level: &str, input: &str, shown: &Shown<'_>, now: i64) -> String {
    let program = program(level);
    let operation = operation(input);
    operation_allowed(&program, &operation);
    let evidence = evidence(shown, now);
    let evaluation = evaluate(&program, &operation, &evidence, Time::from_seconds(BEGIN + now));
    format!("{} {}", evaluation.verdict, evaluation.reason_code)
}

fn operation_allowed(program: &Program, operation: &Operation) {
    program.contract().intent.input_schema.check(&operation.input).unwrap();
}

const INPUT: &str = r#"{"charge":"ch_1","amount":14200}"#;
const VERIFIED: &str = "VERIFIED all_conditions_satisfied";
const AWAITING: &str = "PENDING awaiting_evidence";

#[test]
fn a_refund_that_succeeds_at_once_verifies_by_its_creation_event_alone() {
    let done = record("re_1", "succeeded", 14200);
    let shown = Shown { record: &done, siblings: &[], events: &[("refund_succeeded_events", &done)] };
    assert_eq!(judged("succeeded", INPUT, &shown, 10), AWAITING, "inside the stale window");
    assert_eq!(judged("succeeded", INPUT, &shown, 23), VERIFIED);
    assert_eq!(judged("created", INPUT, &shown, 23), VERIFIED);
    let silent = Shown { events: &[], ..shown };
    assert_eq!(judged("succeeded", INPUT, &silent, 23), AWAITING);
}

#[test]
fn each_state_gets_its_verdict() {
    let rows = [
        ("pending", "PENDING still_transitional", VERIFIED),
        ("requires_action", "PENDING still_transitional", VERIFIED),
        ("failed", "FAILED terminal_failure", "FAILED terminal_failure"),
        ("canceled", "CONTRADICTED canceled", "CONTRADICTED canceled"),
        ("a_new_word", AWAITING, AWAITING),
    ];
    for (status, succeeded, created) in rows {
        let record = record("re_1", status, 14200);
        let shown = Shown { record: &record, siblings: &[], events: &[] };
        assert_eq!(judged("succeeded", INPUT, &shown, 23), succeeded, "{status}");
        assert_eq!(judged("created", INPUT, &shown, 23), created, "{status}");
    }
}

#[test]
fn a_failure_event_beside_a_stale_success_does_not_verify() {
    let (done, failed) = (record("re_1", "succeeded", 14200), record("re_1", "failed", 14200));
    let events: &[(&str, &str)] = &[("refund_succeeded_events", &done), ("refund_failed_events", &failed)];
    let shown = Shown { record: &done, siblings: &[], events };
    assert_eq!(judged("succeeded", INPUT, &shown, 10), AWAITING);
    assert_eq!(judged("succeeded", INPUT, &shown, 23), "FAILED terminal_failure");
    assert_eq!(judged("created", INPUT, &shown, 23), "FAILED terminal_failure");
}

#[test]
fn siblings_are_duplicates_only_if_nobody_else_made_them() {
    let done = record("re_1", "succeeded", 14200);
    let (twin, part) = (record("re_2", "succeeded", 14200), record("re_2", "succeeded", 5000));
    let failed = record("re_2", "failed", 14200);
    let rows: [(&str, &str, &str); 6] = [
        ("none", &twin, "CONTRADICTED duplicate_refund"),
        ("other", &twin, VERIFIED),
        ("open", &twin, AWAITING),
        ("none", &part, AWAITING),
        ("other", &part, VERIFIED),
        ("none", &failed, VERIFIED),
    ];
    for (owner, sibling, wanted) in rows {
        let siblings = [(owner, sibling)];
        let shown =
            Shown { record: &done, siblings: &siblings, events: &[("refund_succeeded_events", &done)] };
        assert_eq!(judged("succeeded", INPUT, &shown, 23), wanted, "{owner} {sibling}");
    }
    let old = record("re_0", "succeeded", 14200);
    let siblings: [(&str, &str); 1] = [("none", &old)];
    let shown = Shown { record: &done, siblings: &siblings, events: &[("refund_succeeded_events", &done)] };
    assert_eq!(judged("succeeded", INPUT, &shown, 23), VERIFIED, "it was there before");
}

#[test]
fn the_input_is_compared_as_the_provider_means_it() {
    let done = record("re_1", "succeeded", 14200);
    let expanded = done.replace(r#""charge":"ch_1""#, r#""charge":{"id":"ch_1","object":"charge"}"#);
    let without_charge = done.replace(r#""charge":"ch_1""#, r#""charge":null"#);
    let rows: [(&str, &str, &str); 9] = [
        (r#"{"charge":"ch_1","amount":14200,"currency":"USD"}"#, &done, VERIFIED),
        (r#"{"charge":"ch_1","amount":14200,"currency":"eur"}"#, &done, "CONTRADICTED wrong_currency"),
        (r#"{"charge":"ch_2","amount":14200}"#, &done, "CONTRADICTED wrong_subject"),
        (r#"{"payment_intent":"pi_2","amount":14200}"#, &done, "CONTRADICTED wrong_subject"),
        (r#"{"charge":"ch_1","amount":14201}"#, &done, "CONTRADICTED wrong_amount"),
        (INPUT, &expanded, VERIFIED),
        (r#"{"payment_intent":"pi_1","amount":14200}"#, &without_charge, VERIFIED),
        (INPUT, &without_charge, AWAITING),
        (r#"{"charge":"ch_1","payment_intent":"pi_1","amount":14200}"#, &done, VERIFIED),
    ];
    for (input, record, wanted) in rows {
        let shown = Shown { record, siblings: &[], events: &[("refund_succeeded_events", record)] };
        assert_eq!(judged("succeeded", input, &shown, 23), wanted, "{input} {record}");
    }
}

#[test]
fn a_record_of_before_contradicts_and_one_of_the_same_second_does_not() {
    let done = record("re_1", "succeeded", 14200);
    let made = |seconds: i64| {
        done.replace(&format!("\"created\":{}", BEGIN + 1), &format!("\"created\":{}", BEGIN + seconds))
    };
    for (seconds, wanted) in [(-60, "CONTRADICTED pre_existing_state"), (0, VERIFIED), (6, VERIFIED)] {
        let record = made(seconds);
        let shown = Shown { record: &record, siblings: &[], events: &[("refund_succeeded_events", &record)] };
        assert_eq!(judged("succeeded", INPUT, &shown, 23), wanted, "{seconds}");
    }
}
