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
