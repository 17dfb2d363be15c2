//! Records without a state that proves the outcome: what their contracts promise, and what they are called.

use provely_evaluator::contract::{As, Contract, NegativeClass, Operator, Target};
use provely_evaluator::load::Program;
use provely_model::{Effect, FieldKind, Lifecycle, Operation, Parameter, Parts, Place, Resource, Role};

use super::{Synthesised, synthesise};
use crate::plan::Rules;
use crate::plan::tests::{Fixture, field, operation, parameter, refunds};
use crate::source::Names;

fn written(fixture: &Fixture) -> Synthesised {
    synthesise(&fixture.planned(), &Names::default(), &Rules::builtin().unwrap())
}

fn of<'w>(written: &'w Synthesised, operation: &str) -> Vec<&'w Contract> {
    let own = written.contracts.iter().filter(|synthesis| synthesis.operation == operation);
    own.map(|synthesis| &synthesis.contract).collect()
}

fn id(name: &str) -> provely_model::Parameter {
    parameter(name, Place::Path, FieldKind::Text, "An id.")
}

/// The refunds with one more operation, about a record whose states nobody explains.
fn with(added: Operation) -> Fixture {
    let mut fixture = refunds();
    let lifecycle: &mut Option<Lifecycle> = &mut fixture.resource_mut("refund").lifecycle;
    *lifecycle = None;
    fixture.service.operations.push(added);
    fixture
}

#[test]
fn a_change_that_nothing_explains_is_promised_as_a_change_and_no_more() {
    let remind = "POST /v1/refunds/{refund}/remind";
    let added = operation(remind, Effect::OtherAct, Role::Act, ("refund", false), vec![id("refund")]);
    let all = written(&with(added));
    let [contract] = of(&all, remind)[..] else { panic!("{:?}", all.uncertainties) };
    assert_eq!(contract.id, "stripe.refund.changed_by_remind");
    let altered = contract.completion.all_of.iter().find(|own| own.id == "refund_record_altered").unwrap();
    assert_eq!(altered.operator, Some(Operator::Ne));
    assert!(altered.fallback.is_some(), "without a baseline nothing is known to have changed");
    assert!(contract.promise.contains("not part of the promise"), "{}", contract.promise);
    let open = all.uncertainties.iter().find(|open| open.subject == remind).unwrap();
    assert!(open.cap < 75, "it stays a question");
}

#[test]
fn the_time_of_the_latest_change_says_that_a_record_changed() {
    let remind = "POST /v1/refunds/{refund}/remind";
    let added = operation(remind, Effect::OtherAct, Role::Act, ("refund", false), vec![id("refund")]);
    let mut fixture = with(added);
    fixture.resource_mut("refund").fields.push(field("updated_at", FieldKind::EpochSeconds));
    let all = written(&fixture);
    let [contract] = of(&all, remind)[..] else { panic!() };
    let altered = contract.completion.all_of.iter().find(|own| own.id == "refund_record_altered").unwrap();
    assert_eq!(altered.path.as_deref(), Some("$observed.refund_readback.updated_at"));
}

/// `/charges/{charge}/policy`: one record of its parent, without an id.
fn policies() -> Fixture {
    let mut fixture = refunds();
    let assertions = vec!["stripe.openapi#/components/schemas/policy".to_owned()];
    fixture.service.resources.push(Resource {
        name: "policy".to_owned(),
        schema: "/components/schemas/policy".to_owned(),
        fields: vec![field("days", FieldKind::Integer)],
        id: None,
        created: None,
        lifecycle: None,
        axes: Vec::new(),
        assertions,
    });
    let at = "/v1/charges/{charge}/policy";
    let days = parameter("days", Place::Body, FieldKind::Integer, "How long.");
    let made = |method: &str, effect, role, parameters| {
        operation(&format!("{method} {at}"), effect, role, ("policy", false), parameters)
    };
    fixture.service.operations.extend([
        made("GET", Effect::Read, Role::Read, vec![id("charge")]),
        made("PUT", Effect::RecordUpdate, Role::Update, vec![id("charge"), days]),
        made("DELETE", Effect::RecordDelete, Role::Delete, vec![id("charge")]),
    ]);
    fixture
}

#[test]
fn the_one_record_of_a_parent_is_named_by_the_parent() {
    let all = written(&policies());
    let [updated] = of(&all, "PUT /v1/charges/{charge}/policy")[..] else {
        panic!("{:?}", all.uncertainties)
    };
    assert_eq!((updated.id.as_str(), updated.action.target), ("stripe.policy.updated", Target::Existing));
    let key = &updated.correlation.strategies[0].keys[0];
    assert_eq!(key.source, "$input.charge");
    assert!(updated.completion.all_of.iter().any(|own| own.id == "policy_input_days"));
    let [deleted] = of(&all, "DELETE /v1/charges/{charge}/policy")[..] else { panic!() };
    let absent = deleted.completion.all_of.iter().find(|own| own.id == "policy_record_absent").unwrap();
    assert_eq!(
        (absent.path.as_deref(), absent.operator),
        (Some("$observed.policy_readback"), Some(Operator::Absent))
    );
}

/// Settings of the whole account: no id names them, and their own id is no part of a path.
#[test]
fn the_only_record_of_its_kind_is_named_by_the_account() {
    let mut fixture = policies();
    fixture.resource_mut("policy").id = Some("@.id".to_owned());
    fixture.resource_mut("policy").fields.push(field("id", FieldKind::Text));
    let days = parameter("days", Place::Body, FieldKind::Integer, "How long.");
    for (id, effect, role, parameters) in [
        ("GET /v1/policy", Effect::Read, Role::Read, vec![]),
        ("PATCH /v1/policy", Effect::RecordUpdate, Role::Update, vec![days]),
    ] {
        fixture.service.operations.push(operation(id, effect, role, ("policy", false), parameters));
    }
    let all = written(&fixture);
    let [updated] = of(&all, "PATCH /v1/policy")[..] else { panic!("{:?}", all.uncertainties) };
    assert_eq!(updated.correlation.strategies[0].keys[0].source, "$account");
    assert_eq!(updated.intent.input_schema.required, Vec::<String>::new());
    assert!(updated.completion.all_of.iter().any(|own| own.id == "policy_input_days"));
    let readback = &updated.evidence_policy.channels[0];
    assert_eq!((readback.baseline, readback.record_id.as_deref()), (true, None));
}

/// A record that is still shown after it was deleted may have been deleted long ago.
#[test]
fn a_flag_of_deletion_has_to_be_set_since_the_operation_began() {
    let delete = "DELETE /v1/refunds/{refund}";
    let added = operation(delete, Effect::RecordDelete, Role::Delete, ("refund", false), vec![id("refund")]);
    let mut fixture = with(added);
    fixture.resource_mut("refund").fields.push(field("deleted", FieldKind::Boolean));
    let all = written(&fixture);
    let [deleted] = of(&all, delete)[..] else { panic!("{:?}", all.uncertainties) };
    let before = &deleted.negative_conditions.any_of[0];
    assert_eq!(before.class, Some(NegativeClass::PreExistingState));
    assert_eq!(before.path.as_deref(), Some("$baseline.refund_readback.deleted"));
}

/// Members of a list that nothing reads one by one: the list tells what was put in and taken out.
#[test]
fn what_only_a_list_shows_is_found_there_by_its_id() {
    let at = "/v1/charges/{charge}/notes";
    let mut fixture = refunds();
    fixture.service.resources.push(Resource {
        name: "note".to_owned(),
        schema: "/components/schemas/note".to_owned(),
        fields: vec![
            field("id", FieldKind::Text),
            field("made", FieldKind::DateTime),
            field("text", FieldKind::Text),
        ],
        id: Some("@.id".to_owned()),
        created: Some("@.made".to_owned()),
        lifecycle: None,
        axes: Vec::new(),
        assertions: vec!["stripe.openapi#/components/schemas/note".to_owned()],
    });
    let text = || parameter("text", Place::Body, FieldKind::Text, "What it says.");
    let made =
        |id: String, effect, role, list, parameters| operation(&id, effect, role, ("note", list), parameters);
    let both = || vec![id("charge"), id("note")];
    let changed = [both(), vec![text()]].concat();
    fixture.service.operations.extend([
        made(format!("GET {at}"), Effect::Read, Role::List, true, vec![id("charge")]),
        made(format!("POST {at}"), Effect::RecordCreate, Role::Create, false, vec![id("charge"), text()]),
        made(format!("PATCH {at}/{{note}}"), Effect::RecordUpdate, Role::Update, false, changed),
        made(format!("PUT {at}/{{note}}"), Effect::RecordUpdate, Role::Update, false, both()),
        made(format!("DELETE {at}/{{note}}"), Effect::RecordDelete, Role::Delete, false, both()),
    ]);
    let all = written(&fixture);
    let ids = |operation: &str| of(&all, operation).iter().map(|own| own.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&format!("POST {at}")), ["stripe.note.created"], "{:?}", all.uncertainties);
    assert_eq!(ids(&format!("PATCH {at}/{{note}}")), ["stripe.note.updated"]);
    assert_eq!(ids(&format!("PUT {at}/{{note}}")), ["stripe.note.added"]);
    assert_eq!(ids(&format!("DELETE {at}/{{note}}")), ["stripe.note.deleted"]);
    let deleted = of(&all, &format!("DELETE {at}/{{note}}"))[0];
    assert!(deleted.evidence_policy.channels[0].find && deleted.evidence_policy.channels[0].baseline);
    let added = of(&all, &format!("PUT {at}/{{note}}"))[0];
    let new = added.completion.all_of.iter().find(|own| own.id == "note_record_new").unwrap();
    assert_eq!(new.outside.as_deref(), Some("$baseline.note_list"));
    let fallback = new.fallback.as_ref().and_then(|test| test.operator);
    assert_eq!(fallback, Some(Operator::Exists), "when a note was made says nothing of when it was put here");
    assert!(added.evidence_policy.channels.iter().all(|channel| channel.record_created.is_none()));
}

/// The kernel's side of it: a record that is read by what the input names needs no other tie, one that is not does.
#[test]
fn what_was_there_has_to_be_read_by_what_the_input_names() {
    let all = written(&policies());
    let mut contract = of(&all, "DELETE /v1/charges/{charge}/policy")[0].clone();
    contract.hash = None;
    assert!(Program::load(contract.clone()).is_ok());
    for channel in &mut contract.evidence_policy.channels {
        for value in channel.request.iter_mut().flat_map(|request| request.parameters.values_mut()) {
            *value = "ch_1".to_owned();
        }
    }
    let refused = Program::load(contract).unwrap_err();
    assert!(refused.iter().any(|error| error.code == "subject_unguarded"), "{refused:?}");
}

/// Money, and a subject that only the path names: the list of the parent shows what nobody explains.
#[test]
fn a_sibling_of_another_amount_is_seen_where_the_path_alone_names_the_parent() {
    let at = "/v1/charges/{charge}/reversals";
    let money = |fixture: &mut Fixture, id: &str, source: &str| {
        let mut made = fixture.service.operation(source).unwrap().clone();
        (made.id, made.path) = (format!("{} {id}", made.method), id.to_owned());
        made.parameters.retain(|own| !["charge", "payment_intent"].contains(&own.name.as_str()));
        made.parameters.insert(0, self::id("charge"));
        fixture.service.operations.insert(0, made);
    };
    let mut fixture = refunds();
    money(&mut fixture, at, "POST /v1/refunds");
    money(&mut fixture, at, "GET /v1/refunds");
    fixture.service.operations.retain(|own| own.id != "GET /v1/refunds");
    let all = written(&fixture);
    let [created, ..] = of(&all, &format!("POST {at}"))[..] else { panic!("{:?}", all.uncertainties) };
    let classes: Vec<_> = created.negative_conditions.any_of.iter().filter_map(|own| own.class).collect();
    assert!(classes.contains(&NegativeClass::UnattributedSibling), "{classes:?}");
    let fixture = {
        fixture.events.clear();
        fixture
    };
    let all = written(&fixture);
    let [created, ..] = of(&all, &format!("POST {at}"))[..] else { panic!("{:?}", all.uncertainties) };
    assert!(created.correlation.sibling_scope.is_empty(), "everything below the parent is a sibling");
}

#[test]
fn contracts_of_several_operations_are_told_apart_by_their_paths() {
    let beside = "POST /v1/charges/{charge}/refunds";
    let mut made = refunds().service.operation("POST /v1/refunds").unwrap().clone();
    (made.id, made.path) = (beside.to_owned(), "/v1/charges/{charge}/refunds".to_owned());
    made.parameters.push(id("charge"));
    let mut fixture = refunds();
    fixture.service.operations.insert(0, made);
    let all = written(&fixture);
    let ids = |operation| of(&all, operation).iter().map(|own| own.id.clone()).collect::<Vec<_>>();
    assert!(ids("POST /v1/refunds").contains(&"stripe.refund.created".to_owned()));
    assert_eq!(ids(beside)[0], "stripe.refund.created_via_charges");
    let one = of(&all, beside)[0];
    assert_eq!(one.completion_level, "created_via_charges");
    assert!(Program::load(one.clone()).is_ok(), "its hash fits its new id");
    assert!(all.contracts.iter().all(|own| !own.contract.id.ends_with("_2")));
}

/// What is known of a record's id is text, whatever the record writes.
#[test]
fn an_id_that_is_a_number_is_compared_as_one() {
    let mut fixture = refunds();
    let id = fixture.resource_mut("refund").fields.iter_mut().find(|own| own.name == "id").unwrap();
    id.kind = FieldKind::Integer;
    let all = written(&fixture);
    let [created, ..] = of(&all, "POST /v1/refunds")[..] else { panic!("{:?}", all.uncertainties) };
    let present = created.completion.all_of.iter().find(|own| own.id == "refund_record_present").unwrap();
    assert_eq!(present.read_as, Some(As::Decimal));
}

/// A reply that shows nothing does not matter where the input chooses the name.
#[test]
fn a_record_made_under_a_chosen_name_is_tied_by_the_input() {
    let mut fixture = policies();
    let policy = fixture.resource_mut("policy");
    policy.fields.extend([field("name", FieldKind::Text), field("created", FieldKind::DateTime)]);
    policy.created = Some("@.created".to_owned());
    let name = Parameter { required: true, ..parameter("name", Place::Body, FieldKind::Text, "Its name.") };
    let mut made =
        operation("POST /v1/policies", Effect::RecordCreate, Role::Create, ("policy", false), vec![name]);
    made.reply = None;
    let read = vec![id("name")];
    let read = operation("GET /v1/policies/{name}", Effect::Read, Role::Read, ("policy", false), read);
    fixture.service.operations.extend([made, read]);
    let all = written(&fixture);
    let [created] = of(&all, "POST /v1/policies")[..] else { panic!("{:?}", all.uncertainties) };
    assert_eq!(created.correlation.strategies[0].keys[0].source, "$input.name");
}

/// No time, no list, no mark: what was asked for is there, and that is all that is promised.
#[test]
fn a_record_that_nothing_tells_from_an_older_one_is_promised_as_shown() {
    let mut fixture = policies();
    let policy = fixture.resource_mut("policy");
    policy.id = Some("@.id".to_owned());
    policy.fields.push(field("id", FieldKind::Text));
    let days =
        Parameter { required: true, ..parameter("days", Place::Body, FieldKind::Integer, "How long.") };
    let at = "POST /v1/policies";
    fixture.service.operations.extend([
        operation(at, Effect::RecordCreate, Role::Create, ("policy", false), vec![days]),
        operation("GET /v1/policies/{id}", Effect::Read, Role::Read, ("policy", false), vec![id("id")]),
    ]);
    let all = written(&fixture);
    let [shown] = of(&all, at)[..] else { panic!("{:?}", all.uncertainties) };
    assert_eq!(shown.id, "stripe.policy.shown");
    assert!(shown.promise.contains("is not part of the promise"), "{}", shown.promise);
    assert!(shown.completion.all_of.iter().any(|own| own.id == "policy_input_days"));
    let open = all.uncertainties.iter().find(|open| open.subject == at).unwrap();
    assert_eq!(open.cap, 49, "it stays a question");
    fixture.operation_mut(at).parameters[0].required = false;
    assert!(of(&written(&fixture), at).is_empty(), "nothing that has to be given stands in the record");
    fixture.operation_mut(at).parameters[0].required = true;
    fixture.operation_mut(at).effect = Effect::MessageSend;
    assert!(of(&written(&fixture), at).is_empty(), "a message is sent or not");
}

/// Where the parts of a record carry no amounts, the record's own amount is still the one that was asked for.
#[test]
fn parts_without_amounts_leave_the_amount_to_the_record() {
    let mut fixture = refunds();
    let mut parts = Parts {
        over: "@.items".to_owned(),
        resource: "item".to_owned(),
        only: None,
        live: None,
        amount: None,
        by_hand: None,
        assertions: vec!["stripe.openapi#/components/schemas/refund/properties/items".to_owned()],
    };
    let mut amounts = |parts: &Parts| {
        let own = fixture.resource_mut("refund").lifecycle.as_mut().unwrap();
        own.parts = Some(parts.clone());
        let all = written(&fixture);
        let made = of(&all, "POST /v1/refunds");
        let negatives = made.iter().flat_map(|own| own.negative_conditions.any_of.clone());
        let of_amount = negatives.filter(|own| own.class == Some(NegativeClass::WrongAmount));
        of_amount.filter_map(|own| own.path).collect::<Vec<_>>()
    };
    assert!(amounts(&parts).contains(&"$observed.refund_readback.amount".to_owned()));
    parts.amount = Some("@.amount".to_owned());
    assert!(amounts(&parts).is_empty(), "their sum is what counts");
}
