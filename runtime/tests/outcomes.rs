//! Whole operations over a provider in memory: what verifies, what never does, and when.

mod world;

use provely_evaluator::contract::Causality;
use provely_evaluator::state::State;
use provely_evaluator::verdict::Verdict;
use world::Bench;

const DAY: i64 = 86_400_000;

#[test]
fn an_honest_refund_verifies_once_the_stale_window_has_passed() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.accept(&begun.operation_id, "re_1");
    let end = bench.run(&begun.operation_id, DAY);
    assert_eq!((end.verdict, end.reason_code.as_str()), (Verdict::Verified, "all_conditions_satisfied"));
    assert_eq!(end.causality, Some(Causality::Claim));
    assert!(bench.elapsed() <= 22_000, "{} ms", bench.elapsed());
    let receipts = bench.runtime.status(&begun.operation_id).unwrap().receipt_ids;
    assert_eq!(receipts.len(), 1);
}
