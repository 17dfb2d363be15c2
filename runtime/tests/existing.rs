//! Effects on a record that the input names: absence is known only of what was there.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod world;

use provely_evaluator::contract::Causality;
use provely_evaluator::json;
use provely_evaluator::operation::ReportedOutcome;
use provely_evaluator::verdict::Verdict;
use provely_runtime::{Ask, BeginError, Begun};
use world::Bench;

const HOUR: i64 = 3_600_000;

fn bench() -> Bench {
    Bench::with(|contract| {
        *contract = json::from_value(&json::parse(include_str!("fixtures/delete.json")).unwrap()).unwrap();
    })
}

fn ask(id: &str, intent_ref: Option<&str>) -> Ask {
    let mut ask = Bench::ask(&format!(r#"{{"refund":"{id}"}}"#), intent_ref);
    ask.contract_id = "acme.refund.deleted".into();
    ask
}

fn begin(bench: &mut Bench, id: &str) -> Begun {
    bench.runtime.begin(&ask(id, None)).unwrap()
}

fn remove(bench: &Bench, id: &str) {
    bench.world.0.borrow_mut().refunds.retain(|refund| refund.id != id);
}

#[test]
fn a_deleted_record_verifies_outside_the_stale_window() {
    let mut bench = bench();
    bench.refund("re_1", 1, "succeeded", None);
    let begun = begin(&mut bench, "re_1");
    bench.pass(1_000);
    remove(&bench, "re_1");
    bench.runtime.report(&begun.operation_id, ReportedOutcome::Accepted, None).unwrap();
    let end = bench.run(&begun.operation_id, HOUR / 2);
    assert_eq!((end.verdict, end.causality), (Verdict::Verified, Some(Causality::Input)));
    assert!((21_000..=30_000).contains(&bench.elapsed()), "{} ms", bench.elapsed());
}

#[test]
fn t76_not_found_for_what_was_never_there_proves_nothing() {
    let mut bench = bench();
    let begun = begin(&mut bench, "re_of_another_tenant");
    bench.pass(1_000);
    bench.runtime.report(&begun.operation_id, ReportedOutcome::Accepted, None).unwrap();
    let end = bench.run(&begun.operation_id, HOUR * 2);
    assert_eq!(end.verdict, Verdict::Unverifiable);
}

#[test]
fn a_record_that_stays_is_never_verified() {
    let mut bench = bench();
    bench.refund("re_1", 1, "succeeded", None);
    let begun = begin(&mut bench, "re_1");
    bench.pass(1_000);
    bench.runtime.report(&begun.operation_id, ReportedOutcome::Accepted, None).unwrap();
    let end = bench.run(&begun.operation_id, HOUR * 2);
    assert_eq!(end.verdict, Verdict::Unverifiable);
}

#[test]
fn one_open_operation_holds_a_record_and_effect() {
    let mut bench = bench();
    bench.refund("re_1", 1, "succeeded", None);
    let first = begin(&mut bench, "re_1");
    let held = BeginError::RecordHeld { operation_id: first.operation_id.clone() };
    assert_eq!(bench.runtime.begin(&ask("re_1", Some("other"))), Err(held));
    bench.pass(1_000);
    bench.run(&first.operation_id, HOUR * 2);
    assert!(bench.runtime.begin(&ask("re_1", Some("other"))).is_ok(), "an ended operation lets go");
}

/// The record is looked for in the list of its parent, two items a page.
fn found_in_list() -> Bench {
    Bench::with(|contract| {
        let text = include_str!("fixtures/delete.json");
        *contract = json::from_value(&json::parse(text).unwrap()).unwrap();
        let channel = r#"{
            "name": "record_readback", "evidence_level": "E2", "independence": "provider_readback",
            "verifier": { "name": "http", "version": "^1" }, "baseline": true, "find": true,
            "request": { "method": "GET", "path": "/refunds", "query": { "charge": "ch_1" } },
            "select": "$.data", "record_id": "@.id",
            "page": { "style": "cursor", "parameter": "starting_after", "cursor": "@.id", "more": "$.has_more",
                      "order": "newest_first" }
        }"#;
        contract.evidence_policy.channels = vec![json::from_value(&json::parse(channel).unwrap()).unwrap()];
    })
}

#[test]
fn a_record_is_found_on_a_later_page_and_gone_only_once_every_page_lacks_it() {
    let mut bench = found_in_list();
    for id in ["re_1", "re_2", "re_3", "re_4"] {
        bench.refund(id, 1, "succeeded", None);
        bench.pass(1_000);
    }
    let begun = begin(&mut bench, "re_1");
    let asked = bench.world.0.borrow().requests.len();
    assert_eq!(asked, 2, "the oldest stands on the second page");
    remove(&bench, "re_1");
    bench.runtime.report(&begun.operation_id, ReportedOutcome::Accepted, None).unwrap();
    let end = bench.run(&begun.operation_id, HOUR / 2);
    assert_eq!(end.verdict, Verdict::Verified);
}

#[test]
fn a_list_that_breaks_off_shows_nobody_gone() {
    let mut bench = found_in_list();
    bench.refund("re_1", 1, "succeeded", None);
    let begun = begin(&mut bench, "re_1");
    remove(&bench, "re_1");
    bench.world.0.borrow_mut().failing.push(("/refunds".to_owned(), 503));
    bench.runtime.report(&begun.operation_id, ReportedOutcome::Accepted, None).unwrap();
    let end = bench.run(&begun.operation_id, HOUR * 2);
    assert_eq!(end.verdict, Verdict::Unverifiable);
}

/// One record of the account, read by a path without an id, whatever id it carries itself.
#[test]
fn the_only_record_of_its_kind_is_known_from_the_baseline() {
    let mut bench = Bench::with(|contract| {
        let text = include_str!("fixtures/delete.json").replace("$input.refund", "$account");
        *contract = json::from_value(&json::parse(&text).unwrap()).unwrap();
        contract.intent.input_schema.required.clear();
        let channel = &mut contract.evidence_policy.channels[0];
        channel.record_id = None;
        let request = channel.request.as_mut().unwrap();
        (request.path, request.parameters) = ("/refunds/re_1".to_owned(), Default::default());
        contract.completion.all_of.retain(|own| own.id == "record_absent");
    });
    bench.refund("re_1", 1, "succeeded", None);
    let mut asked = ask("re_1", None);
    asked.input = json::parse("{}").unwrap();
    let begun = bench.runtime.begin(&asked).unwrap();
    asked.intent_ref = Some("another".to_owned());
    assert!(matches!(bench.runtime.begin(&asked), Err(BeginError::RecordHeld { .. })), "one at a time");
    bench.pass(1_000);
    remove(&bench, "re_1");
    bench.runtime.report(&begun.operation_id, ReportedOutcome::Accepted, None).unwrap();
    let end = bench.run(&begun.operation_id, HOUR / 2);
    assert_eq!((end.verdict, end.causality), (Verdict::Verified, Some(Causality::Input)));
}
