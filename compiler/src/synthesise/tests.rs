//! What stage 4 writes: two contracts in full, and for each rule a case that fails without it.

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

/// A plain record without a lifecycle, with an update and a delete.
fn contacts() -> Fixture {
    use crate::plan::tests::{field, operation, parameter};
    use provely_model::{Place, Role};
    let mut fixture = refunds();
    let resource = fixture.resource_mut("refund");
    resource.name = "contact".to_owned();
    resource.lifecycle = None;
    resource.fields =
        vec![field("id", FieldKind::Text), field("name", FieldKind::Text), field("size", FieldKind::Integer)];
    resource.created = None;
    let id = || parameter("contact", Place::Path, FieldKind::Text, "An ID.");
    let body = || {
        vec![
            parameter("name", Place::Body, FieldKind::Text, "A name."),
            parameter("size", Place::Body, FieldKind::Integer, "A size."),
        ]
    };
    let with_id = || std::iter::once(id()).chain(body()).collect();
    fixture.service.operations = vec![
        operation("POST /contacts", Effect::RecordCreate, Role::Create, ("contact", false), body()),
        operation("GET /contacts", Effect::Read, Role::List, ("contact", true), Vec::new()),
        operation("GET /contacts/{contact}", Effect::Read, Role::Read, ("contact", false), vec![id()]),
        operation(
            "PATCH /contacts/{contact}",
            Effect::RecordUpdate,
            Role::Update,
            ("contact", false),
            with_id(),
        ),
        operation(
            "DELETE /contacts/{contact}",
            Effect::RecordDelete,
            Role::Delete,
            ("contact", false),
            vec![id()],
        ),
    ];
    fixture
}

#[test]
fn records_without_a_lifecycle_are_created_updated_and_deleted() {
    let all = unnamed(&contacts());
    let found: Vec<_> = all.iter().map(|contract| contract.id.as_str()).collect();
    assert_eq!(found, ["stripe.contact.created", "stripe.contact.updated", "stripe.contact.deleted"]);
    let updated = &all[1];
    let name = condition(updated, "contact_input_name");
    assert_eq!(name.path.as_deref(), Some("$observed.contact_readback.name"));
    assert!(name.when.is_some(), "only what the input names is compared");
    let before = condition(updated, "contact_pre_existing_state_input");
    assert_eq!(before.all_of.len(), 2);
    let deleted = &all[2];
    assert_eq!(
        condition(deleted, "contact_record_was_there").path.as_deref(),
        Some("$baseline.contact_readback.id")
    );
    assert_eq!(
        condition(deleted, "contact_record_absent").operator,
        Some(provely_evaluator::contract::Operator::Absent)
    );
}

#[test]
fn a_record_without_a_time_is_new_by_the_baseline_or_by_our_mark_or_not_at_all() {
    let all = unnamed(&contacts());
    let fresh = condition(&all[0], "contact_record_new");
    assert_eq!(fresh.outside.as_deref(), Some("$baseline.contact_list"));
    assert_eq!(fresh.fallback.as_ref().unwrap().path.as_deref(), Some("$baseline.contact_list.id"));
    let mut unlisted = contacts();
    unlisted.service.operations.retain(|operation| operation.id != "GET /contacts");
    unlisted.passages.clear();
    assert!(
        unnamed(&unlisted).iter().all(|contract| contract.completion_level != "created"),
        "nothing tells old from new"
    );
    let map = crate::plan::tests::field("metadata", FieldKind::Map);
    unlisted.resource_mut("contact").fields.push(map);
    let body = crate::plan::tests::parameter("metadata", provely_model::Place::Body, FieldKind::Map, "Free.");
    unlisted.operation_mut("POST /contacts").parameters.push(body);
    let marked = unnamed(&unlisted);
    assert_eq!(marked[0].correlation.minimum_causality, Some(provely_evaluator::contract::Causality::Tag));
}

#[test]
fn a_record_that_is_shown_after_its_deletion_is_gone_by_its_flag() {
    let mut fixture = contacts();
    fixture.resource_mut("contact").fields.push(crate::plan::tests::field("deleted", FieldKind::Boolean));
    let all = unnamed(&fixture);
    let deleted = all.iter().find(|contract| contract.completion_level == "deleted").unwrap();
    assert_eq!(condition(deleted, "contact_record_absent").expected, Some(Value::from(true)));
}

#[test]
fn a_state_that_only_follows_another_proves_it_too() {
    use provely_model::{Effect, LifecycleState};
    let mut fixture = refunds();
    fixture.operation_mut("POST /v1/refunds").effect = Effect::MessageSend;
    let lifecycle = fixture.resource_mut("refund").lifecycle.as_mut().unwrap();
    let like = lifecycle.states[2].clone();
    lifecycle.states.push(LifecycleState {
        name: "opened".to_owned(),
        from: Some(vec!["succeeded".to_owned()]),
        ..like
    });
    let all = unnamed(&fixture);
    let succeeded = all.iter().find(|contract| contract.completion_level == "succeeded").unwrap();
    let expected = condition(succeeded, "refund_state_succeeded").expected.as_ref().unwrap().to_string();
    assert_eq!(expected, r#"["succeeded","opened"]"#);
    let opened = all.iter().find(|contract| contract.completion_level == "opened").unwrap();
    assert_eq!(condition(opened, "refund_state_opened").expected, Some(Value::from("opened")));
    let failed = all.iter().find(|contract| contract.completion_level == "failed").unwrap();
    assert_eq!(
        condition(failed, "refund_state_failed").expected,
        Some(Value::from("failed")),
        "a bounce can be proven"
    );
}

#[test]
fn two_operations_with_one_promise_get_two_ids() {
    let mut fixture = refunds();
    let mut second = fixture.service.operations[4].clone();
    second.id = "POST /v1/refunds/{refund}/annul".to_owned();
    second.path = "/v1/refunds/{refund}/annul".to_owned();
    fixture.service.operations.push(second);
    let all = unnamed(&fixture);
    let found: Vec<_> =
        all.iter().map(|contract| contract.id.as_str()).filter(|id| id.contains("canceled")).collect();
    assert_eq!(found, ["stripe.refund.canceled_via_cancel", "stripe.refund.canceled"]);
    all.into_iter().for_each(|contract| drop(Program::load(contract).unwrap()));
}

#[test]
fn what_can_be_read_but_not_proven_is_a_question() {
    let written = written(&refunds(), &names());
    let open: Vec<_> = written.uncertainties.iter().map(|open| (open.subject.as_str(), open.cap)).collect();
    assert_eq!(open, [("POST /v1/refunds/{refund}", 49)], "that the record changed is no answer");
}

/// A message that is answered by its id alone, read elsewhere, and reported by events that carry no state.
fn emails() -> Fixture {
    use crate::plan::EventType;
    use crate::plan::tests::{field, operation, parameter};
    use provely_model::{Field, LifecycleState, Place, Resource, Role};
    let mut fixture = refunds();
    let email = fixture.resource_mut("refund");
    email.name = "email".to_owned();
    email.created = Some("@.created_at".to_owned());
    let needed = |name: &str, kind| Field { required: true, ..field(name, kind) };
    email.fields = vec![
        needed("id", FieldKind::Text),
        needed("to", FieldKind::Array),
        needed("from", FieldKind::Text),
        field("cc", FieldKind::Array),
        needed("subject", FieldKind::Text),
        needed("created_at", FieldKind::DateTime),
        needed("last_event", FieldKind::Text),
    ];
    let lifecycle = email.lifecycle.as_mut().unwrap();
    lifecycle.path = "@.last_event".to_owned();
    let like = lifecycle.states[0].clone();
    let state = |name: &str, class, from: &[&str]| LifecycleState {
        name: name.to_owned(),
        class,
        from: Some(from.iter().map(|name| (*name).to_owned()).collect()),
        ..like.clone()
    };
    lifecycle.states = vec![
        state("queued", StateClass::Transitional, &[]),
        state("sent", StateClass::Transitional, &["queued"]),
        state("delivered", StateClass::TerminalSuccess, &["sent"]),
        state("opened", StateClass::TerminalSuccess, &["delivered"]),
        state("bounced", StateClass::TerminalFailure, &["sent"]),
    ];
    let answer = Resource {
        name: "answer".to_owned(),
        fields: vec![needed("id", FieldKind::Text)],
        lifecycle: None,
        ..email.clone()
    };
    fixture.service.resources.push(answer);
    let body = |name: &str, kind, needed| provely_model::Parameter {
        required: needed,
        ..parameter(name, Place::Body, kind, "?")
    };
    let input = vec![
        body("to", FieldKind::Any, true),
        body("from", FieldKind::Text, true),
        body("cc", FieldKind::Any, false),
        body("subject", FieldKind::Text, true),
    ];
    let id = parameter("email_id", Place::Path, FieldKind::Text, "An ID.");
    fixture.service.operations = vec![
        operation("POST /emails", Effect::MessageSend, Role::Create, ("answer", false), input),
        operation("GET /emails/{email_id}", Effect::Read, Role::Read, ("email", false), vec![id]),
    ];
    let event = |name: &str| {
        EventType {
        name: name.to_owned(),
        resource: None,
        samples: vec![
            provely_evaluator::json::parse(&format!(
                r#"{{"id":"v1","type":"{name}","created_at":"2026-01-01T00:00:00.000Z","data":{{"email_id":"e1","to":["a@b.test"],"from":"c@d.test","subject":"s"}}}}"#
            ))
            .unwrap(),
        ],
        assertions: vec![format!("v.events#/events/{name}")],
    }
    };
    fixture.events = ["email.sent", "email.delivered", "email.opened", "email.bounced"].map(event).into();
    fixture
}

#[test]
fn a_record_that_is_read_elsewhere_than_it_is_answered_is_found_by_path() {
    let planned = emails().planned();
    let send = planned.service.operation("POST /emails").unwrap();
    assert_eq!(send.resource.as_deref(), Some("email"));
    let plan = send.plan.as_ref().unwrap();
    assert_eq!(plan.readback.as_deref(), Some("GET /emails/{email_id}"));
    assert_eq!(plan.result_id.as_deref(), Some("$action.result.id"));
}

#[test]
fn a_message_is_told_apart_by_its_people_and_its_heading() {
    let all = unnamed(&emails());
    let contract = &all[0];
    assert_eq!(
        contract.intent.input_schema.required,
        ["subject", "to"],
        "who sends may be left to the caller"
    );
    assert_eq!(condition(contract, "email_wrong_subject_to").read_as.map(As::name), Some("set<email>"));
    assert_eq!(condition(contract, "email_wrong_subject_from").read_as, Some(As::Email));
    assert_eq!(condition(contract, "email_wrong_subject_subject").read_as, None);
    let nobody = condition(contract, "email_unnamed_cc");
    assert!(nobody.unless.is_some() && nobody.expected == Some(Value::from(0_u32)));
}

#[test]
fn milestones_rest_on_events_by_type_where_the_payload_has_no_state() {
    let all = unnamed(&emails());
    let levels: Vec<_> = all.iter().map(|contract| contract.completion_level.as_str()).collect();
    assert_eq!(levels, ["created", "sent", "delivered", "opened", "bounced"]);
    let sent = condition(&all[1], "email_state_sent").expected.as_ref().unwrap().to_string();
    assert_eq!(
        sent, r#"["sent","delivered","opened"]"#,
        "a later state absorbs an earlier one, a failure does not"
    );
    let proof = condition(&all[2], "email_event_delivered");
    assert_eq!(proof.matching[1].path.as_deref(), Some("@.type"));
    let types = proof.matching[1].expected.as_ref().unwrap().to_string();
    assert_eq!(types, r#"["email.delivered","email.opened"]"#);
    let channel = all[2]
        .evidence_policy
        .channels
        .iter()
        .find(|channel| channel.name == "email_delivered_events")
        .unwrap();
    assert_eq!(channel.events.as_ref().unwrap().record_id, "$.data.email_id");
    let failed = all[4].verdict_map.iter().map(|rule| rule.verdict).collect::<Vec<_>>();
    assert!(!failed.contains(&Verdict::Failed), "the bounce is what is promised");
}
