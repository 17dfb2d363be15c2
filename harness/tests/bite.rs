//! The cases bite: a contract that lacks something is caught by a case that says what.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test says at once what it misses"
)]

mod fixture;

use fixture::{failing, fixture, program, run_all};
use provely_evaluator::contract::{Contract, Operator};
use provely_evaluator::json::{Value, parse};
use provely_evaluator::load::Program;

type Break = fn(&mut Contract);

/// What is broken, on which contract, how, and the cases that must catch it; `!` marks a false VERIFIED.
const BROKEN: &[(&str, &str, Break, &[&str])] = &[
    (
        "no negative on a second effect",
        "settled",
        |contract| drop_all(contract, &["second_reversal_listed", "second_reversal_told"]),
        &["duplicate_side_effect.new_key", "!duplicate_side_effect.slow", "!hidden_by_pagination"],
    ),
    (
        "a second effect is only looked for in events",
        "created",
        |contract| drop_all(contract, &["second_reversal_listed"]),
        &["terminal_success"],
    ),
    (
        "no negative on the sale",
        "settled",
        |contract| drop_all(contract, &["other_sale"]),
        &["wrong_subject"],
    ),
    (
        "no negative on the amount",
        "settled",
        |contract| drop_all(contract, &["other_amount"]),
        &["wrong_amount", "wrong_amount.provider", "partial_completion"],
    ),
    (
        "no negative on the currency",
        "settled",
        |contract| drop_all(contract, &["other_currency"]),
        &["!wrong_currency"],
    ),
    (
        "the currency is compared letter by letter",
        "settled",
        |contract| negative(contract, "other_currency").read_as = None,
        &["currency_in_another_case"],
    ),
    (
        "states in motion count as settled",
        "settled",
        |contract| {
            let all = parse(r#"["queued","on_hold","settled"]"#).unwrap();
            contract.verdict_map.retain(|rule| rule.id != "in_motion");
            let shows = positive(contract, "readback_shows_settled");
            (shows.operator, shows.expected) = (Some(Operator::In), Some(all.clone()));
            let told = &mut positive(contract, "event_shows_settled").matching[1];
            (told.operator, told.expected) = (Some(Operator::In), Some(all));
        },
        &["!still_transitional/queued", "!still_transitional/on_hold"],
    ),
    (
        "no event is asked for",
        "settled",
        |contract| drop_all(contract, &["event_shows_settled"]),
        &["!readback_ahead"],
    ),
    (
        "any event will do",
        "settled",
        |contract| {
            positive(contract, "event_shows_settled").matching.truncate(1);
        },
        &["!readback_ahead"],
    ),
    (
        "nobody asks when the record was made",
        "settled",
        |contract| drop_all(contract, &["reversal_after_begin", "made_before"]),
        &["!acted_before_begin.no_baseline"],
    ),
    (
        "nobody asks when the record was made",
        "created",
        |contract| drop_all(contract, &["reversal_after_begin", "made_before"]),
        &["!pre_existing_state.no_baseline", "!acted_before_begin.no_baseline"],
    ),
    (
        "a sibling of another amount is nobody's business",
        "settled",
        |contract| drop_all(contract, &["unexplained_reversal"]),
        &["!second_effect_of_another_amount"],
    ),
    (
        "siblings are not asked whose they are",
        "settled",
        |contract| {
            for id in ["second_reversal_listed", "second_reversal_told"] {
                negative(contract, id).matching.remove(0);
            }
        },
        &["second_partial_by_another_operation.interleaved"],
    ),
    (
        "a bounced reversal gives no verdict",
        "settled",
        |contract| contract.verdict_map.retain(|rule| rule.id != "gave_up"),
        &["terminal_failure/bounced"],
    ),
    (
        "a withdrawn reversal gives no verdict",
        "created",
        |contract| contract.verdict_map.retain(|rule| rule.id != "called_off"),
        &["terminal_failure/withdrawn"],
    ),
    (
        "every version will do",
        "settled",
        |contract| contract.valid_for.provider_api_versions = vec![String::from(">=1800-01-01 <=2026-03-01")],
        &["!version_mismatch"],
    ),
    (
        "nothing is waited for",
        "settled",
        |contract| contract.timing.stale_read_window_ms = 0,
        &["duplicate_side_effect.late_in_the_list"],
    ),
    (
        "nobody is asked at the deadline",
        "settled",
        |contract| contract.on_timeout.escalate_to_human_review = false,
        &["error_before_execution.server_error", "error_before_execution.timeout"],
    ),
    (
        "the time is up after two minutes",
        "settled",
        |contract| contract.timing.timeout_ms = 120_000,
        &["slow_success.ten_minutes"],
    ),
    (
        "the key is not looked for",
        "settled",
        |contract| {
            contract
                .correlation
                .strategies
                .retain(|own| own.keys.iter().all(|key| key.name != "idempotency_key"));
        },
        &["lost_acknowledgement_recovered_by_key", "lost_acknowledgement_recovered_by_key.silent"],
    ),
];

fn drop_all(contract: &mut Contract, ids: &[&str]) {
    let kept = |id: &str| !ids.contains(&id);
    contract.completion.all_of.retain(|condition| kept(&condition.id));
    contract.negative_conditions.any_of.retain(|condition| kept(&condition.id));
}

fn positive<'c>(contract: &'c mut Contract, id: &str) -> &'c mut provely_evaluator::contract::Condition {
    contract.completion.all_of.iter_mut().find(|condition| condition.id == id).unwrap()
}

fn negative<'c>(contract: &'c mut Contract, id: &str) -> &'c mut provely_evaluator::contract::Condition {
    contract.negative_conditions.any_of.iter_mut().find(|condition| condition.id == id).unwrap()
}

#[test]
fn every_broken_contract_is_caught_by_the_case_that_says_so() {
    let fixture = fixture();
    let mut survived = Vec::new();
    for (what, level, broken, cases) in BROKEN {
        let mut contract = fixture.contracts[*level].clone();
        broken(&mut contract);
        let results = run_all(&fixture.service, level, contract);
        for case in *cases {
            let (name, critical) = case.strip_prefix('!').map_or((*case, false), |name| (name, true));
            let id = format!("larkpay.reversal.{level}/{name}");
            let result =
                results.iter().find(|result| result.id == id).unwrap_or_else(|| panic!("no case {id}"));
            if result.passed || result.critical != critical {
                survived.push(format!(
                    "{what}: {name} {} [{}] {:?}",
                    result.why(),
                    result.story(),
                    failing(&results)
                ));
            }
        }
    }
    assert!(survived.is_empty(), "{}", survived.join("\n"));
}

#[test]
fn t22_a_contract_without_conditions_is_refused() {
    let mut contract = fixture().contracts["settled"].clone();
    contract.completion.all_of.clear();
    let errors = Program::load(contract).unwrap_err();
    assert!(errors.iter().any(|error| error.code == "vacuous_contract"), "{errors:?}");
}

/// Takes the agent's word: whatever record it hands in will do, in whatever state.
#[test]
fn t22_a_contract_that_believes_everything_fails() {
    let fixture = fixture();
    let mut contract = fixture.contracts["settled"].clone();
    drop_all(&mut contract, &["reversal_after_begin", "event_shows_settled"]);
    contract.negative_conditions.any_of.retain(|condition| condition.id == "other_sale");
    negative(&mut contract, "other_sale").blocking = Some(false);
    contract.verdict_map.clear();
    let all = parse(r#"["queued","on_hold","settled","bounced","withdrawn"]"#).unwrap();
    let shows = positive(&mut contract, "readback_shows_settled");
    (shows.operator, shows.expected) = (Some(Operator::In), Some(all));
    let amount = positive(&mut contract, "amount_as_asked");
    (amount.operator, amount.expected) = (Some(Operator::Gt), Some(Value::from(0)));
    let all_true = Program::load(contract.clone());
    if all_true.is_err() {
        // The loader wants an amount that is compared with the input.
        let amount = positive(&mut contract, "amount_as_asked");
        (amount.operator, amount.expected) = (Some(Operator::Lte), Some(Value::from("$input.amount")));
    }
    drop(program(contract.clone()));
    let results = run_all(&fixture.service, "settled", contract);
    let critical = results.iter().filter(|result| result.critical).count();
    assert!(critical >= 8, "{critical}: {:?}", failing(&results));
}
