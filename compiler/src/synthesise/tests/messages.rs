//! Contracts for messages: people, heading, milestones told by events.

use super::*;

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
