//! Whole operations over a provider in memory: what verifies, what never does, and when.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod world;

use provely_evaluator::contract::{Causality, KeyDirective};
use provely_evaluator::evaluate::DirectiveAction;
use provely_evaluator::operation::ReportedOutcome;
use provely_evaluator::state::State;
use provely_evaluator::verdict::Verdict;
use provely_runtime::{BeginError, Body, KeyPlace};
use world::Bench;

const DAY: i64 = 86_400_000;
const WEEK: i64 = 7 * DAY;

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
    assert!(bench.elapsed() <= 23_000, "{} ms", bench.elapsed());
    let receipts = bench.runtime.status(&begun.operation_id).unwrap().receipt_ids;
    assert_eq!(receipts.len(), 1);
}

#[test]
fn t01_t79_a_pending_refund_waits_and_is_seen_when_it_settles_on_day_three() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.refund("re_1", 14_200, "pending", None);
    bench.accept(&begun.operation_id, "re_1");
    let waiting = bench.run(&begun.operation_id, 3 * DAY);
    assert_eq!((waiting.verdict, waiting.state), (Verdict::Pending, State::Pending));
    assert_eq!(waiting.directive.action, DirectiveAction::Wait);
    bench.set("re_1", "succeeded");
    let end = bench.run(&begun.operation_id, WEEK);
    assert_eq!(end.verdict, Verdict::Verified);
    assert!(bench.elapsed() < 3 * DAY + 6 * 3_600_000, "{} h", bench.elapsed() / 3_600_000);
}

#[test]
fn t02_a_later_failure_makes_a_superseding_receipt_and_leaves_the_first() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.refund("re_1", 14_200, "succeeded", Some(&begun.idempotency_key));
    bench.accept(&begun.operation_id, "re_1");
    let first = bench.run(&begun.operation_id, DAY);
    assert_eq!(first.verdict, Verdict::Verified);
    bench.pass(DAY);
    let event = bench.set("re_1", "failed");
    let delivered = bench.runtime.deliver_parsed("acme", "acct_1", event.into()).unwrap();
    assert_eq!(delivered.operations, std::slice::from_ref(&begun.operation_id));
    let second = bench.run(&begun.operation_id, WEEK);
    assert_eq!((second.verdict, second.reason_code.as_str()), (Verdict::Failed, "refund_failed"));
    assert_eq!(second.state, State::Verified, "the first terminal state is frozen");
    let drafts = bench.runtime.store();
    let drafts = provely_runtime::Store::receipts(drafts, &begun.operation_id).unwrap();
    assert_eq!(drafts.len(), 2);
    assert_eq!(drafts[1].supersedes.as_ref(), Some(&drafts[0].id));
    assert_eq!(drafts[0].verdict.verdict, Verdict::Verified);
}

#[test]
fn t12_t16_two_effects_for_one_intent_are_a_duplicate() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", Some("first-try"));
    bench.runtime.report(&begun.operation_id, ReportedOutcome::Lost, None).unwrap();
    bench.pass(2_000);
    bench.refund("re_2", 14_200, "succeeded", Some("second-try"));
    bench.accept(&begun.operation_id, "re_2");
    let end = bench.run(&begun.operation_id, WEEK);
    assert_eq!((end.verdict, end.reason_code.as_str()), (Verdict::Contradicted, "duplicate_refund"));
}

#[test]
fn t14_a_server_error_after_the_commit_is_read_back_by_key() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", Some(&begun.idempotency_key));
    let outcome = bench.runtime.report_reply(&begun.operation_id, 500, None).unwrap();
    assert_eq!(outcome, ReportedOutcome::Lost);
    let end = bench.run(&begun.operation_id, DAY);
    assert_eq!((end.verdict, end.causality), (Verdict::Verified, Some(Causality::Key)));
    assert_eq!(end.record_id.as_deref(), Some("re_1"));
}

#[test]
fn t15_a_lost_reply_without_an_echo_waits_for_a_resubmission_with_the_same_key() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.runtime.report_reply(&begun.operation_id, 409, Some(&Body::from("{}"))).unwrap();
    bench.pass(2_000);
    let seen = bench.observe(&begun.operation_id);
    assert_eq!(seen.directive.action, DirectiveAction::Resubmit);
    assert_eq!(seen.directive.key.as_deref(), Some(begun.idempotency_key.as_str()));
    let end = bench.run(&begun.operation_id, WEEK + DAY);
    assert_eq!((end.verdict, end.state), (Verdict::Unverifiable, State::HumanReview));
}

#[test]
fn t17_yesterdays_refund_is_not_this_operations() {
    let mut bench = Bench::new();
    bench.refund("re_0", 14_200, "succeeded", None);
    bench.pass(DAY);
    let begun = bench.begin(14_200, None);
    bench.accept(&begun.operation_id, "re_0");
    let end = bench.run(&begun.operation_id, DAY * 2);
    assert_eq!((end.verdict, end.reason_code.as_str()), (Verdict::Contradicted, "pre_existing_state"));
}

#[test]
fn t18_t74_no_action_at_all_expires_and_a_hidden_one_does_not() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    let end = bench.run(&begun.operation_id, WEEK + DAY);
    assert_eq!((end.state, end.reason_code.as_str()), (State::Expired, "expired_without_action"));

    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(2_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    let end = bench.run(&begun.operation_id, WEEK + DAY);
    assert_eq!((end.verdict, end.state), (Verdict::Unverifiable, State::HumanReview));

    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(2_000);
    bench.refund("re_1", 14_200, "succeeded", Some(&begun.idempotency_key));
    let end = bench.run(&begun.operation_id, WEEK + DAY);
    assert_eq!(end.verdict, Verdict::Verified, "found by key although the agent died");
}

#[test]
fn t25_an_event_delivered_again_and_again_changes_nothing() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    let event = std::sync::Arc::new(bench.refund("re_1", 14_200, "succeeded", Some(&begun.idempotency_key)));
    bench.runtime.deliver_parsed("acme", "acct_1", event.clone()).unwrap();
    bench.accept(&begun.operation_id, "re_1");
    let end = bench.run(&begun.operation_id, DAY);
    assert_eq!(end.verdict, Verdict::Verified);
    for _ in 0..46 {
        bench.pass(2_300_000);
        let again = bench.runtime.deliver_parsed("acme", "acct_1", event.clone()).unwrap();
        assert_eq!(again.stored, provely_runtime::store::Stored::Duplicate);
        assert!(again.operations.is_empty());
    }
    assert_eq!(bench.runtime.status(&begun.operation_id).unwrap().receipt_ids.len(), 1);
    assert_eq!(bench.runtime.next_due().unwrap(), None);
}

#[test]
fn t31_t34_t77_events_of_another_mode_or_version_are_counted_and_never_evidence() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    let refund = world::Refund {
        id: "re_1".into(),
        charge: "ch_1".into(),
        amount: 14_200,
        status: "failed".into(),
        created_ms: bench.now(),
    };
    let test_mode =
        world::event_text("evt_t", "refund.created", &refund, Some(&begun.idempotency_key), bench.now());
    let old = test_mode.replace("evt_t", "evt_o").replace("2026-05-27", "2023-08-16");
    let test_mode = test_mode.replace("\"livemode\":true", "\"livemode\":false");
    for text in [test_mode, old] {
        let event = provely_evaluator::json::parse(&text).unwrap();
        let delivered = bench.runtime.deliver_parsed("acme", "acct_1", event.into()).unwrap();
        assert!(delivered.operations.is_empty());
    }
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.accept(&begun.operation_id, "re_1");
    let end = bench.run(&begun.operation_id, DAY);
    assert_eq!(end.verdict, Verdict::Verified, "a good readback goes on beside them");
    let row = provely_runtime::Store::operation(bench.runtime.store(), &begun.operation_id).unwrap();
    assert_eq!(row.inadmissible.get("event_mode_not_admitted"), Some(&1));
    assert_eq!(row.inadmissible.get("event_version_not_covered"), Some(&1));
}

#[test]
fn t36_a_filter_that_is_ignored_makes_no_duplicate_of_foreign_records() {
    let mut bench = Bench::new();
    bench.world.0.borrow_mut().ignores_filter = true;
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    for id in ["re_a", "re_b", "re_c"] {
        bench.refund_of("ch_other", id, 14_200, "succeeded", None);
    }
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.accept(&begun.operation_id, "re_1");
    assert_eq!(bench.run(&begun.operation_id, DAY).verdict, Verdict::Verified);
}

#[test]
fn t37_not_found_inside_the_window_is_pending() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.accept(&begun.operation_id, "re_1");
    bench.pass(1_000);
    assert_eq!(bench.observe(&begun.operation_id).verdict, Verdict::Pending);
    bench.refund("re_1", 14_200, "succeeded", None);
    assert_eq!(bench.run(&begun.operation_id, DAY).verdict, Verdict::Verified);
}

#[test]
fn t38_a_duplicate_on_the_second_page_is_found_and_a_failed_page_leaves_it_open() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    for id in ["re_1", "re_2", "re_3"] {
        bench.refund(id, 14_200, if id == "re_2" { "failed" } else { "succeeded" }, None);
        bench.pass(1_000);
    }
    bench.accept(&begun.operation_id, "re_3");
    let end = bench.run(&begun.operation_id, DAY);
    assert_eq!((end.verdict, end.reason_code.as_str()), (Verdict::Contradicted, "duplicate_refund"));

    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.accept(&begun.operation_id, "re_1");
    bench.world.0.borrow_mut().failing.push(("/refunds".into(), 0));
    let waiting = bench.run(&begun.operation_id, DAY);
    assert_eq!(waiting.verdict, Verdict::Pending, "an unread list proves nothing");
}

#[test]
fn t65_a_record_is_one_operations() {
    let mut bench = Bench::new();
    let first = bench.begin(14_200, Some("a"));
    let second = bench.begin(14_200, Some("b"));
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.accept(&first.operation_id, "re_1");
    bench.accept(&second.operation_id, "re_1");
    assert_eq!(bench.run(&first.operation_id, DAY).verdict, Verdict::Verified);
    let other = bench.run(&second.operation_id, WEEK + DAY);
    assert_eq!(other.verdict, Verdict::Unverifiable);

    let mut bench = Bench::new();
    let first = bench.begin(14_200, Some("a"));
    let second = bench.begin(14_200, Some("b"));
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", Some(&first.idempotency_key));
    bench.accept(&second.operation_id, "re_1");
    let waiting = bench.run(&second.operation_id, DAY);
    assert_eq!(waiting.verdict, Verdict::Pending);
    assert_eq!(bench.run(&first.operation_id, DAY).verdict, Verdict::Verified, "key decides over the claim");
    let other = bench.run(&second.operation_id, WEEK + DAY);
    assert_eq!(
        (other.verdict, other.reason_code.as_str()),
        (Verdict::Contradicted, "record_of_another_operation")
    );
}

#[test]
fn t66_a_dummy_operation_begun_afterwards_takes_no_duplicate_away() {
    let mut bench = Bench::new();
    let first = bench.begin(14_200, Some("a"));
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.accept(&first.operation_id, "re_1");
    bench.pass(1_000);
    bench.refund("re_2", 14_200, "succeeded", None);
    bench.pass(30_000);
    let dummy = bench.begin(14_200, Some("b"));
    bench.accept(&dummy.operation_id, "re_2");
    let end = bench.run(&first.operation_id, DAY);
    assert_eq!((end.verdict, end.reason_code.as_str()), (Verdict::Contradicted, "duplicate_refund"));
    assert_ne!(bench.run(&dummy.operation_id, WEEK + DAY).verdict, Verdict::Verified);
}

#[test]
fn t67_the_same_ask_is_the_same_operation() {
    let mut bench = Bench::new();
    let first = bench.begin(14_200, Some("a"));
    let exists = BeginError::OperationExists { operation_id: first.operation_id.clone() };
    assert_eq!(bench.try_begin(14_200, Some("a")), Err(exists.clone()));
    assert_eq!(bench.try_begin(14_200, None), Err(exists));
    assert!(bench.try_begin(14_200, Some("b")).is_ok());
    assert!(bench.try_begin(5_000, None).is_ok());
}

#[test]
fn another_level_of_an_ask_shares_key_begin_and_baseline() {
    let mut bench = Bench::new();
    bench.add(|contract| contract.id = "acme.refund.created".into());
    let first = bench.begin(14_200, Some("a"));
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.accept(&first.operation_id, "re_1");
    bench.pass(60_000);
    let mut ask = Bench::ask(r#"{"charge":"ch_1","amount":14200}"#, Some("a"));
    ask.contract_id = "acme.refund.created".into();
    let second = bench.runtime.begin(&ask).unwrap();
    assert_eq!(second.idempotency_key, first.idempotency_key);
    assert_ne!(second.operation_id, first.operation_id);
    assert_eq!(bench.run(&first.operation_id, DAY).verdict, Verdict::Verified);
    assert_eq!(bench.run(&second.operation_id, DAY).verdict, Verdict::Verified, "one owner, one record");
}

/// The first level could read no baseline; by the time of the second the record is there.
#[test]
fn another_level_never_reads_its_own_record_into_a_baseline() {
    let mut bench = Bench::new();
    bench.add(|contract| contract.id = "acme.refund.created".into());
    bench.world.0.borrow_mut().failing.push(("/refunds".into(), 503));
    let first = bench.begin(14_200, Some("a"));
    bench.world.0.borrow_mut().failing.clear();
    bench.pass(7_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.accept(&first.operation_id, "re_1");
    let mut ask = Bench::ask(r#"{"charge":"ch_1","amount":14200}"#, Some("a"));
    ask.contract_id = "acme.refund.created".into();
    let second = bench.runtime.begin(&ask).unwrap();
    assert_eq!(bench.run(&second.operation_id, DAY).verdict, Verdict::Verified);
}

/// A failed record that was handed in by mistake, before the event shows ours: nobody may act again.
#[test]
fn a_fresh_claim_is_nobodys_failure() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_wrong", 14_200, "failed", None);
    bench.accept(&begun.operation_id, "re_wrong");
    assert_eq!(bench.observe(&begun.operation_id).verdict, Verdict::Pending);
    let event = bench.refund("re_1", 14_200, "succeeded", Some(&begun.idempotency_key));
    bench.runtime.deliver_parsed("acme", "acct_1", event.into()).unwrap();
    assert_eq!(bench.run(&begun.operation_id, DAY).verdict, Verdict::Verified);
}

/// An event that was stored without anybody looking, as by the pull of another operation, still wakes whom
/// it concerns when it is delivered.
#[test]
fn a_known_event_wakes_whoever_has_not_looked_since() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    let event = std::sync::Arc::new(bench.refund("re_1", 14_200, "pending", Some(&begun.idempotency_key)));
    bench.runtime.deliver_parsed("acme", "acct_1", event.clone()).unwrap();
    let again = bench.runtime.deliver_parsed("acme", "acct_1", event.clone()).unwrap();
    assert_eq!(again.operations, std::slice::from_ref(&begun.operation_id));
    bench.pass(1_000);
    bench.observe(&begun.operation_id);
    assert!(bench.runtime.deliver_parsed("acme", "acct_1", event).unwrap().operations.is_empty());
}

#[test]
fn t68_a_key_that_is_stamped_on_later_proves_nothing() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund_of("ch_2", "re_x", 14_200, "succeeded", None);
    let stamped = {
        let state = bench.world.0.borrow();
        let refund = state.refunds[0].clone();
        world::event_text("evt_stamp", "refund.updated", &refund, Some(&begun.idempotency_key), state.now)
    };
    let event = provely_evaluator::json::parse(&stamped).unwrap();
    bench.runtime.deliver_parsed("acme", "acct_1", event.into()).unwrap();
    bench.pass(1_000);
    let seen = bench.observe(&begun.operation_id);
    assert_eq!((seen.causality, seen.record_id.clone()), (None, None));
}

#[test]
fn t70_a_first_try_of_another_amount_stays_unexplained() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 5_000, "succeeded", None);
    bench.pass(1_000);
    bench.refund("re_2", 14_200, "succeeded", None);
    bench.accept(&begun.operation_id, "re_2");
    let end = bench.run(&begun.operation_id, WEEK + DAY);
    assert_eq!((end.verdict, end.state), (Verdict::Unverifiable, State::HumanReview));
}

#[test]
fn t71_ids_handed_in_one_after_another_leave_the_correlation_open() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.accept(&begun.operation_id, "re_invented");
    bench.accept(&begun.operation_id, "re_1");
    let end = bench.run(&begun.operation_id, WEEK + DAY);
    assert_eq!((end.verdict, end.state), (Verdict::Unverifiable, State::HumanReview));

    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "failed", None);
    bench.accept(&begun.operation_id, "re_1");
    bench.pass(1_000);
    bench.refund("re_2", 14_200, "succeeded", None);
    bench.accept(&begun.operation_id, "re_2");
    let end = bench.run(&begun.operation_id, DAY);
    assert_eq!(end.verdict, Verdict::Verified, "the other claim was read and ended without effect");

    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.runtime.report(&begun.operation_id, ReportedOutcome::Rejected, None).unwrap();
    let end = bench.run(&begun.operation_id, WEEK + DAY);
    assert_ne!(end.verdict, Verdict::Failed, "an invented rejection beside a new record");
}

#[test]
fn a_reported_rejection_with_nothing_new_fails() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    let outcome = bench.runtime.report_reply(&begun.operation_id, 402, Some(&Body::from("{}"))).unwrap();
    assert_eq!(outcome, ReportedOutcome::Rejected);
    let end = bench.run(&begun.operation_id, DAY);
    assert_eq!((end.verdict, end.reason_code.as_str()), (Verdict::Failed, "action_rejected"));
}

#[test]
fn t72_a_clock_that_is_behind_and_the_second_of_begin_block_nothing() {
    for (ahead_ms, delay_ms) in [(-3_000, 300), (0, 10), (3_000, 300), (-86_400_000, 500), (999, 1)] {
        let mut bench = Bench::new();
        bench.world.0.borrow_mut().ahead_ms = ahead_ms;
        bench.pass(640);
        let begun = bench.begin(14_200, None);
        bench.pass(delay_ms);
        bench.refund("re_1", 14_200, "succeeded", None);
        bench.accept(&begun.operation_id, "re_1");
        let end = bench.run(&begun.operation_id, DAY);
        assert_eq!(end.verdict, Verdict::Verified, "ahead by {ahead_ms}, made after {delay_ms}");
    }
}

#[test]
fn a_baseline_that_cannot_be_read_delays_the_answer_by_the_skew_and_a_granule() {
    let mut bench = Bench::new();
    bench.world.0.borrow_mut().failing.push(("/refunds".into(), 503));
    let begun = bench.begin(14_200, None);
    assert_eq!(begun.ready_at.as_millis() - bench.now(), 6_000);
    bench.world.0.borrow_mut().failing.clear();
    bench.pass(7_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.accept(&begun.operation_id, "re_1");
    assert_eq!(bench.run(&begun.operation_id, DAY).verdict, Verdict::Verified);

    let mut bench = Bench::new();
    bench.world.0.borrow_mut().without_date = true;
    bench.world.0.borrow_mut().failing.push(("/refunds".into(), 0));
    let begun = bench.begin(14_200, None);
    assert_eq!(begun.ready_at.as_millis() - bench.now(), 31_000);
}

#[test]
fn two_intended_partials_verify_each_as_if_alone() {
    for order in [[0, 1], [1, 0]] {
        let mut bench = Bench::new();
        let first = bench.begin(5_000, Some("a"));
        let second = bench.begin(9_200, Some("b"));
        bench.pass(1_000);
        for index in order {
            let (begun, id, amount) =
                if index == 0 { (&first, "re_1", 5_000) } else { (&second, "re_2", 9_200) };
            bench.refund(id, amount, "succeeded", None);
            bench.accept(&begun.operation_id, id);
            bench.pass(700);
        }
        assert_eq!(bench.run(&first.operation_id, DAY).verdict, Verdict::Verified);
        assert_eq!(bench.run(&second.operation_id, DAY).verdict, Verdict::Verified);
        assert!(bench.elapsed() < 60_000, "{} ms", bench.elapsed());
    }
}

#[test]
fn a_wrong_charge_or_amount_is_contradicted() {
    for (charge, amount, code) in [("ch_2", 14_200, "wrong_subject"), ("ch_1", 14_100, "wrong_amount")] {
        let mut bench = Bench::new();
        let begun = bench.begin(14_200, None);
        bench.pass(1_000);
        bench.refund_of(charge, "re_1", amount, "succeeded", Some(&begun.idempotency_key));
        bench.accept(&begun.operation_id, "re_1");
        let end = bench.run(&begun.operation_id, DAY);
        assert_eq!((end.verdict, end.reason_code.as_str()), (Verdict::Contradicted, code));
    }
}

#[test]
fn verify_on_an_ended_operation_reads_nothing() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.accept(&begun.operation_id, "re_1");
    let end = bench.run(&begun.operation_id, DAY);
    let requests = bench.world.0.borrow().requests.len();
    assert_eq!(bench.runtime.verify(&begun.operation_id).unwrap(), end);
    assert_eq!(bench.runtime.observe(&begun.operation_id).unwrap(), end);
    assert_eq!(bench.world.0.borrow().requests.len(), requests);
    let again = bench.runtime.again(&begun.operation_id).unwrap();
    assert_eq!(again.verdict, Verdict::Verified);
    assert!(bench.world.0.borrow().requests.len() > requests);
    assert_eq!(bench.runtime.status(&begun.operation_id).unwrap().receipt_ids.len(), 1);
}

#[test]
fn an_unsupported_version_ends_at_the_first_look() {
    let mut bench = Bench::new();
    let mut ask = Bench::ask(r#"{"charge":"ch_1","amount":14200}"#, None);
    ask.connection.api_version = Some("2023-08-16".into());
    let begun = bench.runtime.begin(&ask).unwrap();
    bench.pass(1_000);
    let end = bench.observe(&begun.operation_id);
    assert_eq!((end.state, end.reason_code.as_str()), (State::Unverifiable, "version_unsupported"));
}

#[test]
fn only_reads_leave_and_each_names_the_version() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.refund("re_1", 14_200, "succeeded", None);
    bench.accept(&begun.operation_id, "re_1");
    bench.run(&begun.operation_id, DAY);
    let state = bench.world.0.borrow();
    assert!(!state.requests.is_empty());
    for request in &state.requests {
        assert_eq!((request.method.as_str(), &request.body), ("GET", &None));
        assert_eq!(request.headers, [("Api-Version".to_owned(), "2026-05-27".to_owned())]);
    }
}

#[test]
fn t69_an_input_that_does_not_fit_is_refused_and_nothing_is_kept() {
    let mut bench = Bench::new();
    for (input, code) in [
        (r#"{"charge":"ch_1"}"#, "input_member_missing"),
        (r#"{"charge":"ch_1","amount":"1"}"#, "input_member_mistyped"),
        (r#"{"charge":"ch_1","amount":1,"amuont":1}"#, "input_member_unknown"),
    ] {
        let error = bench.runtime.begin(&Bench::ask(input, None)).unwrap_err();
        assert_eq!(error.code(), code);
    }
    assert!(bench.world.0.borrow().requests.is_empty());
    assert_eq!(bench.runtime.next_due().unwrap(), None);
}

#[test]
fn begin_says_where_the_key_goes() {
    let directive = KeyDirective { name: "once".into(), argument: "key".into() };
    let places = [
        (Some("Idempotency-Key"), None, None, KeyPlace::Header("Idempotency-Key".into())),
        (None, Some("request.key"), None, KeyPlace::Field("request.key".into())),
        (None, None, Some(directive.clone()), KeyPlace::Directive(directive)),
    ];
    for (header, field, directive, place) in places {
        let mut bench = Bench::with(|contract| {
            let own = contract.action.idempotency.as_mut().unwrap();
            (own.header, own.field) = (header.map(str::to_owned), field.map(str::to_owned));
            own.directive = directive;
        });
        assert_eq!(bench.begin(14_200, None).key_place, Some(place));
    }
}

#[test]
fn a_failed_operation_is_replaced_under_a_new_key() {
    let mut bench = Bench::new();
    let first = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "failed", Some(&first.idempotency_key));
    bench.accept(&first.operation_id, "re_1");
    let ask = Bench::ask(r#"{"charge":"ch_1","amount":14200}"#, None);
    let early = bench.runtime.begin_replacing(&ask, &first.operation_id).unwrap_err();
    assert_eq!(early.code(), "operation_not_replaceable");
    let failed = bench.run(&first.operation_id, DAY);
    assert_eq!((failed.verdict, failed.directive.action), (Verdict::Failed, DirectiveAction::RetryAction));
    assert_eq!(failed.directive.replaces.as_deref(), Some(first.operation_id.as_str()));
    bench.pass(1_000);
    let second = bench.runtime.begin_replacing(&ask, &first.operation_id).unwrap();
    assert_ne!(second.idempotency_key, first.idempotency_key);
    let exists = BeginError::OperationExists { operation_id: second.operation_id.clone() };
    assert_eq!(bench.try_begin(14_200, None), Err(exists));
    bench.pass(1_000);
    bench.refund("re_2", 14_200, "succeeded", Some(&second.idempotency_key));
    bench.accept(&second.operation_id, "re_2");
    assert_eq!(bench.run(&second.operation_id, DAY).verdict, Verdict::Verified);
}

/// The keyed try failed, a retry of some library without our key moved the money: no failure is said, so nobody is
/// sent to try again.
#[test]
fn t12_a_failure_waits_until_nothing_else_can_have_taken_effect() {
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "failed", Some(&begun.idempotency_key));
    bench.refund("re_stray", 14_200, "succeeded", None);
    bench.accept(&begun.operation_id, "re_1");
    let end = bench.run(&begun.operation_id, 40 * DAY);
    assert_eq!(end.verdict, Verdict::Unverifiable);
    assert_eq!(end.directive.replaces, None);
}

/// What failed as well, what was there before and what is for another charge does not stand in the way.
#[test]
fn a_failure_is_said_beside_records_that_have_no_effect_of_ours() {
    let mut bench = Bench::new();
    bench.refund("re_old", 14_200, "succeeded", None);
    bench.pass(60_000);
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "failed", Some(&begun.idempotency_key));
    bench.refund("re_2", 14_200, "failed", None);
    bench.refund_of("ch_2", "re_3", 14_200, "succeeded", None);
    bench.accept(&begun.operation_id, "re_1");
    assert_eq!(bench.run(&begun.operation_id, DAY).verdict, Verdict::Failed);
}

/// The first try failed, a retry without our key succeeded afterwards: the replacement makes a second effect.
#[test]
fn t12_a_replacement_does_not_hide_what_its_ask_made_before() {
    let mut bench = Bench::new();
    let first = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "failed", Some(&first.idempotency_key));
    bench.accept(&first.operation_id, "re_1");
    assert_eq!(bench.run(&first.operation_id, DAY).verdict, Verdict::Failed);
    bench.refund("re_stray", 14_200, "succeeded", None);
    bench.pass(1_000);
    let ask = Bench::ask(r#"{"charge":"ch_1","amount":14200}"#, None);
    let second = bench.runtime.begin_replacing(&ask, &first.operation_id).unwrap();
    bench.pass(1_000);
    bench.refund("re_2", 14_200, "succeeded", Some(&second.idempotency_key));
    bench.accept(&second.operation_id, "re_2");
    let end = bench.run(&second.operation_id, DAY);
    assert_eq!((end.verdict, end.reason_code.as_str()), (Verdict::Contradicted, "duplicate_refund"));
}

#[test]
fn t64_a_count_of_events_alone_never_verifies() {
    let mut bench = Bench::with(|contract| {
        for negative in &mut contract.negative_conditions.any_of {
            if negative.id == "duplicate_refund_present" {
                negative.over = Some("$observed.refund_events.events".into());
                negative.evidence = vec!["refund_events".into()];
                negative.matching.retain(|test| test.path.is_none());
            }
        }
    });
    let begun = bench.begin(14_200, None);
    bench.pass(1_000);
    bench.refund("re_1", 14_200, "succeeded", Some(&begun.idempotency_key));
    bench.accept(&begun.operation_id, "re_1");
    let end = bench.run(&begun.operation_id, WEEK + DAY);
    assert_eq!(end.verdict, Verdict::Unverifiable);
}

#[test]
fn two_looks_at_one_operation_make_one_transition() {
    use provely_runtime::store::{Change, LogEntry, LogEvent};
    use provely_runtime::{MemoryStore, Store, StoreError};
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    let row = bench.runtime.store().operation(&begun.operation_id).unwrap();
    let mut store: MemoryStore = bench.runtime.store().clone();
    let change = Change {
        row: (*row).clone(),
        entry: LogEntry { at: row.operation.begun_at, event: LogEvent::Begun },
        receipt: None,
        release: None,
    };
    assert_eq!(store.commit(change.clone()), Ok(()));
    assert_eq!(store.commit(change), Err(StoreError::Conflict));
    assert_eq!(store.log(&begun.operation_id).unwrap().len(), 2);
}

/// T8: whatever the order, multiplicity and mix of pushed events, polls and the report, the end is one.
#[test]
fn t08_t23_any_order_of_the_same_facts_ends_the_same() {
    use proptest::prelude::*;
    let steps = proptest::collection::vec(0..4_u8, 0..12);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    runner
        .run(&(steps, any::<bool>()), |(steps, fails)| {
            let mut bench = Bench::new();
            let begun = bench.begin(14_200, None);
            bench.pass(1_000);
            let created =
                std::sync::Arc::new(bench.refund("re_1", 14_200, "pending", Some(&begun.idempotency_key)));
            let updated = std::sync::Arc::new(bench.set("re_1", if fails { "failed" } else { "succeeded" }));
            for step in steps {
                match step {
                    0 => drop(bench.runtime.deliver_parsed("acme", "acct_1", created.clone()).unwrap()),
                    1 => drop(bench.runtime.deliver_parsed("acme", "acct_1", updated.clone()).unwrap()),
                    2 => drop(bench.runtime.verify(&begun.operation_id).unwrap()),
                    _ => bench.accept(&begun.operation_id, "re_1"),
                }
                bench.pass(700);
            }
            let end = bench.run(&begun.operation_id, DAY);
            prop_assert_eq!(end.verdict, if fails { Verdict::Failed } else { Verdict::Verified });
            prop_assert_eq!(end.causality, Some(Causality::Key));
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_signed_delivery_is_kept_and_a_forged_one_is_not() {
    use provely_model::{SecretEncoding, SignatureDigest, SignatureScheme, SignatureText};
    use provely_runtime::{DeliveryError, Endpoint, webhook};
    let mut bench = Bench::new();
    let begun = bench.begin(14_200, None);
    let scheme = SignatureScheme {
        header: "X-Signature".into(),
        text: SignatureText::Pairs { timestamp: "t".into(), signature: "v1".into() },
        signed: "{t}.{body}".into(),
        digest: SignatureDigest::HmacSha256,
        encoding: SecretEncoding::Hex,
        key: SecretEncoding::Raw,
        key_prefix: None,
        timestamp_header: None,
        id_header: None,
        tolerance_seconds: Some(300),
    };
    let secrets = vec!["hush".to_owned()];
    let endpoint =
        Endpoint { service: "acme".into(), account: "acct_1".into(), scheme: scheme.clone(), secrets };
    let body = bench.refund("re_1", 14_200, "succeeded", Some(&begun.idempotency_key)).to_string();
    let now = provely_evaluator::time::Time::from_millis(bench.now());
    let headers = webhook::sign(&scheme, "hush", now, "", body.as_bytes()).unwrap();
    let forged = webhook::sign(&scheme, "other", now, "", body.as_bytes()).unwrap();
    let refused = bench.runtime.deliver(&endpoint, &forged, body.as_bytes());
    assert_eq!(refused, Err(DeliveryError::Signature(webhook::SignatureError::Mismatch)));
    let kept = bench.runtime.deliver(&endpoint, &headers, body.as_bytes()).unwrap();
    assert_eq!(kept.operations, std::slice::from_ref(&begun.operation_id));
    let unknown = provely_evaluator::json::parse(r#"{"what":"is this"}"#).unwrap();
    let kept = bench.runtime.deliver_parsed("acme", "acct_1", unknown.into()).unwrap();
    assert_eq!((kept.event_id.len(), kept.kind.as_str()), (64, ""));
}

#[test]
fn an_overlay_holds_for_operations_read_with_its_versions() {
    let ended = |versions: &str| {
        let mut bench = Bench::with(|contract| {
            let items = provely_evaluator::json::to_value(&contract.completion).unwrap();
            let mut items = items.get("all_of").unwrap().as_array().unwrap().to_vec();
            let mut gated = items.iter().find(|item| item.get("path").is_some()).unwrap().clone();
            let object = gated.as_object_mut().unwrap();
            object.insert("id", "never");
            object.insert("path", "$observed.refund_readback.amount");
            object.insert("operator", "eq");
            object.insert("expected", 1_i64);
            items.push(gated);
            let text = format!(
                "[{{\"versions\": [\"{versions}\"], \"patch\": {{\"completion\": {{\"all_of\": {}}}}}}}]",
                provely_evaluator::json::Value::Array(items)
            );
            let overlays = provely_evaluator::json::parse(&text).unwrap();
            contract.overlays = provely_evaluator::json::from_value(&overlays).unwrap();
        });
        let begun = bench.begin(14_200, None);
        bench.pass(1_000);
        bench.refund("re_1", 14_200, "succeeded", None);
        bench.accept(&begun.operation_id, "re_1");
        bench.run(&begun.operation_id, DAY).verdict
    };
    assert_eq!(ended("2025-09-30"), Verdict::Verified);
    assert_eq!(ended("2026-05-27"), Verdict::Pending);
}

/// The input chooses the name under which the record is made: no reply has to hand it in.
#[test]
fn a_record_made_under_a_chosen_name_is_found_by_it() {
    let bench = || {
        Bench::with(|contract| {
            let member = contract.intent.input_schema.properties["charge"].clone();
            contract.intent.input_schema.properties.insert("name".to_owned(), member);
            contract.intent.input_schema.required.push("name".to_owned());
            let own = contract.correlation.strategies.iter_mut().find(|own| own.required).unwrap();
            own.keys[0].source = "$input.name".to_owned();
        })
    };
    let input = r#"{"charge":"ch_1","amount":142,"name":"re_mine"}"#;
    let mut fresh = bench();
    let begun = fresh.runtime.begin(&Bench::ask(input, None)).unwrap();
    fresh.pass(1_000);
    fresh.refund("re_mine", 142, "succeeded", None);
    fresh.runtime.report(&begun.operation_id, ReportedOutcome::Accepted, None).unwrap();
    let end = fresh.run(&begun.operation_id, 3_600_000);
    assert_eq!((end.verdict, end.causality), (Verdict::Verified, Some(Causality::Input)));
    let mut taken = bench();
    taken.refund("re_mine", 142, "succeeded", None);
    taken.pass(3_600_000);
    let begun = taken.runtime.begin(&Bench::ask(input, None)).unwrap();
    taken.runtime.report(&begun.operation_id, ReportedOutcome::Accepted, None).unwrap();
    let end = taken.run(&begun.operation_id, 7_200_000);
    assert_eq!((end.verdict, end.reason_code.as_str()), (Verdict::Contradicted, "pre_existing_state"));
}
