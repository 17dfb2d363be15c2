//! Effects on a record that the input names: absence is known only of what was there.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod world;

use provely_evaluator::contract::{Causality, Contract, Request, Target};
use provely_evaluator::json::{self, Value};
use provely_evaluator::load::Program;
use provely_evaluator::operation::ReportedOutcome;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;
use provely_runtime::events::SeenEvent;
use provely_runtime::{Ask, BeginError, Begun, correlate};
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

/// A contract without a comparison with the input: all that ties it is the request, changed as the case says.
fn untied(change: impl FnOnce(&mut Contract)) -> Result<(), Vec<&'static str>> {
    let text = include_str!("fixtures/delete.json");
    let mut contract: Contract = json::from_value(&json::parse(text).unwrap()).unwrap();
    contract.completion.all_of.retain(|own| own.id == "record_absent");
    change(&mut contract);
    Program::load(contract).map(|_| ()).map_err(|errors| errors.iter().map(|error| error.code).collect())
}

fn request(contract: &mut Contract) -> &mut Request {
    contract.evidence_policy.channels[0].request.as_mut().unwrap()
}

#[test]
fn a_record_is_named_by_the_whole_address_and_by_nothing_that_only_filters() {
    assert_eq!(untied(|_| {}), Ok(()));
    let open = Err(vec!["subject_unguarded"]);
    let filtered = untied(|contract| {
        let own = request(contract);
        own.path = "/refunds".to_owned();
        own.query = std::mem::take(&mut own.parameters);
    });
    assert_eq!(filtered, open, "a provider may pay no heed to a filter");
    let half = untied(|contract| {
        let own = request(contract);
        own.path = "/charges/{charge}/refunds/{refund}".to_owned();
        own.parameters.insert("charge".to_owned(), "ch_1".to_owned());
    });
    assert_eq!(half, open, "half of the address is the contract's own");
    let told = untied(|contract| {
        contract.correlation.strategies[0].keys[0].source = "$action.result.id".to_owned();
    });
    assert_eq!(told, open, "the agent names the record");
    let other = untied(|contract| {
        let mut latest = contract.evidence_policy.channels[0].clone();
        latest.name = "latest".to_owned();
        let own = latest.request.as_mut().unwrap();
        (own.path, own.parameters) = ("/refunds/latest".to_owned(), Default::default());
        contract.evidence_policy.channels.push(latest);
        let mut shown = contract.completion.all_of[0].clone();
        shown.id = "latest_absent".to_owned();
        shown.path = Some("$observed.latest.id".to_owned());
        shown.evidence = vec!["latest".to_owned()];
        contract.completion.all_of.push(shown);
    });
    assert_eq!(other, open, "one of the records is whichever comes last");
}

/// What our key brought into being is another record than the one that the input names.
#[test]
fn a_key_names_no_record_that_was_there() {
    let text = include_str!("fixtures/refund.json");
    let mut contract: Contract = json::from_value(&json::parse(text).unwrap()).unwrap();
    let seen = SeenEvent {
        record_id: "re_2".to_owned(),
        key: Some("op_1".to_owned()),
        creation: true,
        time: None,
        received_at: Time::from_millis(0),
        value: Value::Null,
    };
    let by_key = |contract: &Contract| correlate::by_key(contract, "op_1", std::iter::once(&seen));
    assert_eq!(by_key(&contract).unwrap().id, "re_2");
    contract.action.target = Target::Existing;
    assert_eq!(by_key(&contract), None);
}
