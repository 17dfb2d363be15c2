//! Contracts for records without a lifecycle: made, changed, deleted.

use super::*;

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
