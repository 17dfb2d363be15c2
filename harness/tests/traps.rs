//! Traps from the field, each as a full sequence through runtime and simulator (`traps.yaml`), on both
//! levels of the invented provider.

#![expect(clippy::indexing_slicing, clippy::panic, reason = "a test says at once what it misses")]

mod fixture;

use fixture::{OPERATION, SEED, fixture, level, program};
use proptest::prelude::*;
use provely_evaluator::verdict::Verdict;
use provely_harness::{Case, CaseBook, CaseResult, generate, run};
use provely_simulator::{Fault, FaultKind, When};

fn book() -> CaseBook {
    let oracle = include_str!("../../benchmark/oracle.yaml");
    let traps = include_str!("traps.yaml");
    CaseBook::parse(("traps.yaml", traps), ("oracle.yaml", oracle))
        .unwrap_or_else(|f| panic!("{}", f.render(false)))
}

/// A repeated event is not lost: the two faults would tell two stories.
fn loses_events(case: &Case) -> bool {
    case.script().faults.iter().any(|fault| matches!(fault.what, FaultKind::EventsLost { .. }))
}

/// Plays every case of a trap; all must pass, and at least one must apply.
fn play(class: &str) -> Vec<CaseResult> {
    let fixture = fixture();
    let mut results = Vec::new();
    for name in ["settled", "created"] {
        let program = program(fixture.contracts[name].clone());
        let cases = generate(&fixture.service, OPERATION, &level(name), &book());
        let own = cases.into_iter().filter(|case| case.class == class && case.not_applicable.is_none());
        results.extend(own.map(|case| run(&program, &fixture.service, &case, SEED)));
    }
    assert!(!results.is_empty(), "no case is called {class}");
    for result in &results {
        assert!(result.passed, "{}\n  {}\n  {}", result.id, result.faults.join("\n  "), result.story());
    }
    results
}

macro_rules! traps {
    ($($name:ident),+ $(,)?) => {
        $(#[test] fn $name() { play(stringify!($name)); })+

        #[test]
        fn every_case_has_its_test() {
            let named = [$(stringify!($name)),+];
            for case in book().cases {
                assert!(named.contains(&case.class.as_str()), "{}", case.class);
            }
        }
    };
}

traps! {
    t1_settled_days_later,
    t2_success_turns,
    t7_every_state,
    t7_unlisted_state,
    t10_sent_then_dropped,
    t11_unknown_word_then_success,
    t12_retry_with_a_new_key,
    t14_error_though_committed,
    t16_resumed_workflow,
    t17_done_yesterday,
    t18_no_call_in_the_trace,
    t23_updated_before_created,
    t24_earlier_step_arrives_later,
    t25_forty_six_deliveries,
    t26_endpoint_disabled,
    t35_list_empty_for_a_minute,
    t36_filter_ignored,
    t37_created_then_not_found,
    t38_second_page,
    t64_late_event_of_the_first,
    t65_one_record_two_operations,
    t66_dummy_operation_claims_the_second,
    t67_two_operations_for_one_ask,
    t70_part_first_then_the_whole,
    t71_ids_one_after_another,
    t71_invented_rejection,
    t72_clock_three_seconds_behind,
    t74_agent_dies,
    t75_in_motion_at_the_deadline,
    t77_event_of_an_old_version,
    t79_fast_polls_end_within_the_hour,
}

#[test]
fn t3_silence_is_no_success_and_a_poll_finds_it() {
    let fixture = fixture();
    let mut contract = fixture.contracts["settled"].clone();
    contract.completion.all_of.retain(|condition| condition.id != "event_shows_settled");
    let program = program(contract);
    let cases = generate(&fixture.service, OPERATION, &level("settled"), &book());
    let mut case = cases.into_iter().find(|case| case.class == "t1_settled_days_later").unwrap();
    case.faults_mut().push(Fault { what: FaultKind::EventsLost { unlisted: true }, when: When::default() });
    let result = run(&program, &fixture.service, &case, SEED);
    assert!(result.passed, "{} {}", result.why(), result.story());
    assert_eq!(result.got, Some(Verdict::Verified));
}

#[test]
fn t69_a_thin_input_is_refused() {
    let contract = &fixture().contracts["settled"];
    let thin = provely_evaluator::json::parse(r#"{"sale":"sale_one"}"#).unwrap();
    assert_eq!(contract.intent.input_schema.check(&thin).unwrap_err().code(), "input_member_missing");
}

#[test]
fn a_result_replays_from_its_seed() {
    let fixture = fixture();
    let program = program(fixture.contracts["settled"].clone());
    for case in generate(&fixture.service, OPERATION, &level("settled"), &book()) {
        if case.not_applicable.is_none() {
            let once = run(&program, &fixture.service, &case, 99);
            assert_eq!(once, run(&program, &fixture.service, &case, 99));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// T8: reply, poll and events in any order, multiplicity and delay give one verdict.
    #[test]
    fn t8_deliveries_in_any_order_give_one_verdict(
        seed in any::<u64>(),
        late in 0u64..12_000,
        repeats in 1u32..5,
        every in 1u64..40_000,
        within in 0u64..15_000,
        skip in 0u32..3,
    ) {
        let fixture = fixture();
        let faults = [
            (FaultKind::EventsLate { ms: late }, When { skip, ..When::default() }),
            (FaultKind::EventsRepeated { times: repeats, every_ms: every }, When::default()),
            (FaultKind::EventsReordered { within_ms: within }, When { permille: Some(500), ..When::default() }),
        ];
        for name in ["settled", "created"] {
            let program = program(fixture.contracts[name].clone());
            let book = CaseBook::builtin().unwrap_or_else(|finding| panic!("{}", finding.render(false)));
            let cases = generate(&fixture.service, OPERATION, &level(name), &book);
            for class in ["terminal_success", "terminal_failure", "wrong_amount", "duplicate_side_effect"] {
                for mut case in cases.iter().filter(|case| case.class == class && !loses_events(case)).cloned() {
                    case.faults_mut().extend(faults.clone().map(|(what, when)| Fault { what, when }));
                    let result = run(&program, &fixture.service, &case, seed);
                    prop_assert!(result.passed, "{} {} {}", result.id, result.why(), result.story());
                }
            }
        }
    }
}
