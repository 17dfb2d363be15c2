//! What stage 4 writes: two contracts in full, and for each rule a case that fails without it.

mod messages;
mod records;

use std::path::Path;

use provely_evaluator::contract::{As, Condition, Contract, NegativeClass, StateClass, Target, Truth};
use provely_evaluator::json::{Value, to_value};
use provely_evaluator::load::Program;
use provely_evaluator::verdict::Verdict;
use provely_model::{Certainty, Effect, FieldKind};

use super::{Synthesised, synthesise};
use crate::plan::Rules;
use crate::plan::tests::{Fixture, refunds};
use crate::source::{Names, read_service};

fn names() -> Names {
    read_service("service.yaml", include_str!("../../../sources/stripe/service.yaml")).unwrap().names
}

fn written(fixture: &Fixture, names: &Names) -> Synthesised {
    synthesise(&fixture.planned(), names, &Rules::builtin().unwrap())
}

fn contract(fixture: &Fixture, id: &str) -> Contract {
    let found =
        written(fixture, &names()).contracts.into_iter().find(|synthesis| synthesis.contract.id == id);
    found.unwrap().contract
}

fn condition<'c>(contract: &'c Contract, id: &str) -> &'c Condition {
    let all = contract.completion.all_of.iter().chain(&contract.negative_conditions.any_of);
    all.into_iter().find(|condition| condition.id == id).unwrap_or_else(|| panic!("no `{id}`"))
}

fn printed(contract: &Contract) -> String {
    format!("{:#}\n", to_value(contract).unwrap())
}

#[test]
fn both_refund_contracts_are_as_they_were_read_last() {
    for id in ["stripe.refund.created", "stripe.refund.succeeded"] {
        let text = printed(&contract(&refunds(), id));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/synthesise/{id}.json"));
        if std::env::var_os("PROVELY_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{id}: set PROVELY_BLESS=1 and review");
    }
}

#[test]
fn every_contract_loads_and_carries_its_hash() {
    let all = written(&refunds(), &names());
    assert!(all.contracts.iter().any(|synthesis| synthesis.contract.id == "stripe.refund.canceled"));
    for synthesis in all.contracts {
        assert_eq!(synthesis.contract.hash.as_ref().map(String::len), Some(64));
        Program::load(synthesis.contract).unwrap();
    }
}

fn unnamed(fixture: &Fixture) -> Vec<Contract> {
    written(fixture, &Names::default()).contracts.into_iter().map(|synthesis| synthesis.contract).collect()
}

/// Every id of a contract with the place that bears it, so that two contracts can be laid over each other.
fn ids(contract: &Contract) -> Vec<String> {
    let channels = contract.evidence_policy.channels.iter().map(|channel| channel.name.clone());
    let conditions = contract.completion.all_of.iter().chain(&contract.negative_conditions.any_of);
    let rules = contract.verdict_map.iter().map(|rule| rule.id.clone());
    channels.chain(conditions.map(|condition| condition.id.clone())).chain(rules).collect()
}

/// The contract without its wording, its ids replaced by their number.
fn bare(contract: &Contract) -> Value {
    let mut contract = contract.clone();
    contract.hash = None;
    contract.promise.clear();
    contract.intent.statement.clear();
    contract.evidence_policy.channels.iter_mut().for_each(|channel| channel.description = None);
    contract.completion.all_of.iter_mut().for_each(|condition| condition.description = None);
    contract.negative_conditions.any_of.iter_mut().for_each(|condition| condition.reason = None);
    contract.verdict_map.iter_mut().for_each(|rule| rule.reason.clear());
    let mut text = to_value(&contract).unwrap().to_string();
    let mut numbered: Vec<(String, usize)> =
        ids(&contract).into_iter().enumerate().map(|(number, id)| (id, number)).collect();
    numbered.sort_by_key(|(id, _)| std::cmp::Reverse(id.len()));
    for (id, number) in numbered {
        for end in ["\"", ".", "["] {
            for start in ["\"", "."] {
                text = text.replace(&format!("{start}{id}{end}"), &format!("{start}#{number}#{end}"));
            }
        }
    }
    provely_evaluator::json::parse(&text).unwrap()
}

#[test]
fn without_names_the_same_contracts_come_out_under_generated_ids() {
    let named = written(&refunds(), &names()).contracts;
    let plain = unnamed(&refunds());
    assert_eq!(named.len(), plain.len());
    for (named, plain) in named.iter().zip(&plain) {
        assert_eq!(named.contract.id, plain.id);
        assert_eq!(bare(&named.contract), bare(plain), "{}", plain.id);
    }
    assert_ne!(ids(&named[0].contract), ids(&plain[0]));
}

#[test]
fn every_name_of_the_service_file_is_used() {
    let names = names();
    let all: Vec<String> =
        written(&refunds(), &names).contracts.iter().flat_map(|synthesis| ids(&synthesis.contract)).collect();
    let wanted = names.conditions.values().chain(names.rules.values()).chain(names.channels.values());
    for name in wanted.filter_map(|name| name.id.as_ref()) {
        assert!(all.contains(name), "`{name}` names nothing");
    }
}

#[test]
fn every_part_cites_an_assertion() {
    for contract in unnamed(&refunds()) {
        let cites = |part: String| {
            assert!(
                contract.provenance.get(&part).is_some_and(|assertions| !assertions.is_empty()),
                "{}: {part}",
                contract.id
            );
        };
        contract.completion.all_of.iter().for_each(|condition| cites(format!("completion.{}", condition.id)));
        contract
            .negative_conditions
            .any_of
            .iter()
            .for_each(|condition| cites(format!("negative_conditions.{}", condition.id)));
        contract.verdict_map.iter().for_each(|rule| cites(format!("verdict_map.{}", rule.id)));
        contract
            .evidence_policy
            .channels
            .iter()
            .for_each(|channel| cites(format!("channels.{}", channel.name)));
        contract
            .subject
            .lifecycle
            .iter()
            .flat_map(|lifecycle| lifecycle.states.keys())
            .for_each(|state| cites(format!("lifecycle.{state}")));
        cites("timing".to_owned());
        assert_eq!(
            contract.provenance["timing"],
            [format!("provely.rules#timing/{}", contract.action.canonical_effect)]
        );
    }
}

#[test]
fn every_own_rule_that_is_cited_stands_in_a_data_file() {
    let (plan, timing) = (include_str!("../../data/plan.yaml"), include_str!("../../data/timing.yaml"));
    for contract in unnamed(&refunds()) {
        for rule in contract
            .provenance
            .values()
            .flatten()
            .filter_map(|assertion| assertion.strip_prefix("provely.rules#"))
        {
            let (file, name) = rule.split_once('/').unwrap();
            let text = if file == "plan" { plan } else { timing };
            assert!(text.contains(&format!("{name}:")), "{rule}");
        }
    }
}

#[test]
fn a_state_without_an_assertion_is_unknown() {
    let mut fixture = refunds();
    fixture.resource_mut("refund").lifecycle.as_mut().unwrap().states[4].assertions.clear();
    let contract = contract(&fixture, "stripe.refund.succeeded");
    assert_eq!(contract.subject.lifecycle.as_ref().unwrap().states["canceled"].class, StateClass::Unknown);
    assert!(contract.verdict_map.iter().all(|rule| rule.id != "canceled"));
}

#[test]
fn a_class_that_is_not_certain_never_verifies() {
    let mut fixture = refunds();
    fixture.resource_mut("refund").lifecycle.as_mut().unwrap().states[2].certainty = Certainty::Lexical;
    let all = unnamed(&fixture);
    assert!(all.iter().all(|contract| contract.completion_level != "succeeded"));
    let created = &all[0];
    let known = condition(created, "refund_state_known").expected.as_ref().unwrap().to_string();
    assert_eq!(known, r#"["pending","requires_action"]"#);
    assert_eq!(created.subject.lifecycle.as_ref().unwrap().states["succeeded"].class, StateClass::Unknown);
}

#[test]
fn an_uncertain_lifecycle_leaves_existence_alone() {
    let mut fixture = refunds();
    let lifecycle = fixture.resource_mut("refund").lifecycle.as_mut().unwrap();
    lifecycle.states.iter_mut().for_each(|state| state.certainty = Certainty::Lexical);
    let all = unnamed(&fixture);
    let created = &all[0];
    assert_eq!(created.completion_level, "created");
    assert!(created.subject.lifecycle.is_none() && created.verdict_map.is_empty());
    assert!(created.promise.contains("What its state means is not part of the promise."));
    let duplicate = condition(created, "refund_duplicate_side_effect_record");
    assert!(duplicate.matching.iter().any(|test| test.effect), "a failed sibling is no second effect");
}

#[test]
fn conditions_rest_on_the_correlation_and_never_on_the_agents_word() {
    for contract in unnamed(&refunds()) {
        let text = to_value(&contract.completion).unwrap().to_string()
            + &to_value(&contract.negative_conditions).unwrap().to_string();
        assert!(!text.contains("$action.result"), "{}", contract.id);
    }
    let contract = contract(&refunds(), "stripe.refund.created");
    assert_eq!(condition(&contract, "refund_present").expected, Some(Value::from("$correlation.refund_id")));
    assert_eq!(contract.subject.identity["refund_id"], "$correlation.refund_id");
}

#[test]
fn the_input_asks_for_one_subject_and_the_amount() {
    let schema = contract(&refunds(), "stripe.refund.succeeded").intent.input_schema;
    assert_eq!(
        schema.properties.keys().collect::<Vec<_>>(),
        ["amount", "charge", "currency", "payment_intent"]
    );
    assert_eq!(schema.required, ["amount"]);
    let sets: Vec<_> = schema.any_of.iter().map(|set| set.required.clone()).collect();
    assert_eq!(sets, [["charge"], ["payment_intent"]]);
    let check = |text: &str| schema.check(&provely_evaluator::json::parse(text).unwrap()).is_ok();
    assert!(
        check(r#"{"charge":"ch_1","amount":1}"#)
            && check(r#"{"payment_intent":"pi_1","amount":1,"currency":"usd"}"#)
    );
    assert!(
        !check(r#"{"amount":1}"#)
            && !check(r#"{"charge":"ch_1"}"#)
            && !check(r#"{"charge":"ch_1","amount":0}"#)
    );
}

#[test]
fn each_echoed_input_has_a_negative_that_applies_when_it_is_given() {
    let contract = contract(&refunds(), "stripe.refund.succeeded");
    let rows = [
        ("refund_on_wrong_charge", NegativeClass::WrongSubject, Some(As::Id), Some("$input.charge")),
        (
            "refund_on_wrong_payment_intent",
            NegativeClass::WrongSubject,
            Some(As::Id),
            Some("$input.payment_intent"),
        ),
        ("refund_currency_mismatch", NegativeClass::WrongCurrency, Some(As::Code), Some("$input.currency")),
        ("refund_amount_mismatch", NegativeClass::WrongAmount, None, None),
    ];
    for (id, class, read_as, gate) in rows {
        let negative = condition(&contract, id);
        assert_eq!((negative.class, negative.read_as), (Some(class), read_as), "{id}");
        assert_eq!(negative.when.as_ref().and_then(|when| when.path.as_deref()), gate, "{id}");
        assert_eq!(negative.blocking, None, "{id}");
    }
}

#[test]
fn a_required_subject_has_no_gate() {
    let mut fixture = refunds();
    let create = fixture.operation_mut("POST /v1/refunds");
    create.parameters.retain(|parameter| parameter.name != "payment_intent");
    let contract = contract(&fixture, "stripe.refund.succeeded");
    assert_eq!(contract.intent.input_schema.required, ["amount", "charge"]);
    assert!(contract.intent.input_schema.any_of.is_empty());
    assert_eq!(condition(&contract, "refund_on_wrong_charge").when, None);
    assert_eq!(contract.correlation.sibling_scope[0].when, None);
}

#[test]
fn a_second_effect_is_one_question_asked_of_two_sources() {
    let contract = contract(&refunds(), "stripe.refund.succeeded");
    let list = condition(&contract, "duplicate_refund_present");
    let events = condition(&contract, "duplicate_refund_reported");
    for negative in [list, events] {
        assert_eq!(negative.reason_code.as_deref(), Some("duplicate_refund"));
        assert_eq!(negative.outside.as_deref(), Some("$baseline.refund_list"));
        assert!(negative.fallback.is_some() && negative.matching.iter().any(|test| test.effect));
        assert!(negative.matching.iter().any(|test| test.owner.len() == 2));
    }
    assert_eq!(events.fallback.as_ref().unwrap().path.as_deref(), Some("@.record.created"));
    let channels = &contract.evidence_policy.channels;
    let complete: Vec<_> = channels
        .iter()
        .filter(|channel| channel.complete && channel.baseline)
        .map(|channel| channel.name.as_str())
        .collect();
    assert_eq!(complete, ["refund_list"]);
}

#[test]
fn without_a_complete_source_a_duplicate_does_not_block_and_the_promise_says_so() {
    let mut fixture = refunds();
    fixture.service.operations.retain(|operation| operation.id != "GET /v1/refunds");
    let all = unnamed(&fixture);
    let duplicate = condition(&all[0], "refund_duplicate_side_effect_event");
    assert_eq!(duplicate.blocking, Some(false));
    assert!(all[0].promise.contains("only once is not part of the promise"));
    assert!(
        all[0]
            .negative_conditions
            .any_of
            .iter()
            .all(|negative| negative.class != Some(NegativeClass::UnattributedSibling))
    );
}

#[test]
fn an_unexplained_sibling_is_unknown_and_never_a_contradiction() {
    let contract = contract(&refunds(), "stripe.refund.succeeded");
    let sibling = condition(&contract, "unattributed_refund_present");
    assert_eq!(
        (sibling.result, sibling.class),
        (Some(Truth::Unknown), Some(NegativeClass::UnattributedSibling))
    );
    assert!(sibling.matching.iter().any(|test| test.path.as_deref() == Some("@.amount")));
}

#[test]
fn the_event_proof_counts_events_of_our_record_that_carry_the_state() {
    let contract = contract(&refunds(), "stripe.refund.succeeded");
    let proof = condition(&contract, "refund_event_succeeded");
    assert_eq!(proof.over.as_deref(), Some("$observed.refund_succeeded_events.events"));
    assert_eq!(proof.matching[0].expected, Some(Value::from("$correlation.refund_id")));
    assert_eq!(proof.matching[1].path.as_deref(), Some("@.record.status"));
    let channel = contract
        .evidence_policy
        .channels
        .iter()
        .find(|channel| channel.name == "refund_succeeded_events")
        .unwrap();
    assert_eq!(channel.events.as_ref().unwrap().types, ["refund.created", "refund.updated"]);
    assert!(channel.request.is_some(), "it can be pulled where no webhook is set up");
}

#[test]
fn rules_follow_the_classes() {
    let all = unnamed(&refunds());
    let verdicts = |contract: &Contract| -> Vec<(String, Verdict)> {
        contract.verdict_map.iter().map(|rule| (rule.id.clone(), rule.verdict)).collect()
    };
    let failed = ("terminal_failure".to_owned(), Verdict::Failed);
    let moving = ("still_transitional".to_owned(), Verdict::Pending);
    let canceled = ("canceled".to_owned(), Verdict::Contradicted);
    assert_eq!(verdicts(&all[0]), [failed.clone(), canceled.clone()]);
    assert_eq!(verdicts(&all[1]), [failed, moving, canceled]);
    let states = &all[1].subject.lifecycle.as_ref().unwrap().states;
    assert!(states["succeeded"].reversible && !states["failed"].reversible);
}

#[test]
fn strategies_are_strong_where_something_names_one_record() {
    let strategies = contract(&refunds(), "stripe.refund.created").correlation.strategies;
    let found: Vec<_> = strategies
        .iter()
        .map(|strategy| {
            (to_value(&strategy.name).unwrap().to_string(), strategy.required, strategy.window_ms)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("\"resource_id\"".to_owned(), true, None),
            ("\"idempotency_key\"".to_owned(), false, None),
            ("\"tag\"".to_owned(), false, None),
            ("\"fingerprint\"".to_owned(), false, Some(600_000)),
        ]
    );
    let mut silent = refunds();
    silent.events.clear();
    let strategies = contract(&silent, "stripe.refund.created").correlation.strategies;
    assert_eq!(strategies.len(), 3, "a key that nothing echoes ties no record");
}

#[test]
fn timing_follows_the_effect() {
    let timing = contract(&refunds(), "stripe.refund.succeeded").timing;
    assert_eq!((timing.initial_delay_ms, timing.poll_interval_ms), (1000, 5000));
    assert_eq!((timing.backoff.factor, timing.backoff.max_ms, timing.maximum_attempts), (2, 60_000, 40));
    assert_eq!((timing.timeout_ms, timing.stale_read_window_ms), (604_800_000, 20_000));
}

#[test]
fn canceling_rests_on_the_baseline() {
    let contract = contract(&refunds(), "stripe.refund.canceled");
    assert_eq!(contract.action.target, Target::Existing);
    assert_eq!(contract.correlation.strategies[0].keys[0].source, "$input.refund");
    assert_eq!(contract.intent.input_schema.required, ["refund"]);
    let readback = &contract.evidence_policy.channels[0];
    assert!(readback.baseline && readback.name == "refund_readback");
    let before = condition(&contract, "refund_pre_existing_state_state");
    assert_eq!(before.path.as_deref(), Some("$baseline.refund_readback.status"));
    assert_eq!(before.class, Some(NegativeClass::PreExistingState));
}
