//! By which operation a record is read back, for actions of every kind of path.

use provely_model::{Effect, FieldKind, Place, Role};

use super::{Fixture, channel, operation, parameter, refunds};
use crate::plan::{Target, roles, target_of};

/// Adds an operation, about `resource`, that answers one record of `answers`.
fn add(fixture: &mut Fixture, id: &str, role: Role, resource: Option<&str>, answers: Option<&str>) {
    let effect = if role == Role::Read { Effect::Read } else { Effect::OtherAct };
    let names: Vec<&str> = roles::path_parameters(id).collect();
    let parameters =
        names.into_iter().map(|name| parameter(name, Place::Path, FieldKind::Text, "An ID.")).collect();
    let mut added = operation(id, effect, role, (resource.unwrap_or("refund"), false), parameters);
    added.resource = resource.map(str::to_owned);
    added.reply.as_mut().unwrap().resource = answers.map(str::to_owned);
    fixture.service.operations.push(added);
}

/// What reads back an operation, its last path parameter, and what it acts on.
fn found(fixture: &Fixture, id: &str) -> (Option<String>, Option<Target>) {
    let planned = fixture.planned().service;
    let operation = planned.operation(id).unwrap();
    let readback = operation.plan.as_ref().and_then(|plan| plan.readback.clone());
    let target = readback.as_deref().and_then(|id| target_of(operation, planned.operation(id).unwrap()));
    (readback, target)
}

fn existing(parameter: &str) -> Option<Target> {
    Some(Target::Existing { parameter: parameter.to_owned() })
}

#[test]
fn a_record_is_read_where_it_stands_whatever_the_path_of_the_action() {
    let read = Some("GET /v1/refunds/{refund}".to_owned());
    let refund = Some("refund");
    let part = Some(Target::Part { parameter: "refund".to_owned() });
    let cases = [
        ("POST /v1/helpers/refunds/{id}/expire", Role::Act, refund, existing("id")),
        ("POST /v1/refunds/{other}/expire", Role::Act, None, existing("other")),
        ("POST /v1/refunds/expire/{refund}", Role::Act, None, existing("refund")),
        ("DELETE /v1/refunds/{id}", Role::Delete, None, existing("id")),
        ("POST /v1/charges/{charge}/refunds", Role::Create, refund, Some(Target::Create)),
        ("POST /v1/refunds/reverse", Role::Act, refund, None),
        ("POST /v1/refunds/duplicate", Role::Act, refund, Some(Target::Create)),
        ("POST /v1/refunds/create", Role::Create, None, Some(Target::Create)),
        ("DELETE /v1/refunds/{refund}/metadata", Role::Delete, None, part.clone()),
        ("DELETE /v1/refunds/{refund}/notes/{note}", Role::Delete, refund, part),
        ("DELETE /v1/helpers/refunds/{id}", Role::Delete, refund, existing("id")),
    ];
    for (id, role, answers, target) in cases {
        let mut fixture = refunds();
        add(&mut fixture, id, role, refund, answers);
        assert_eq!(found(&fixture, id), (read.clone(), target), "{id}");
    }
}

#[test]
fn a_record_is_never_read_for_another_one() {
    let refund = Some("refund");
    let cases = [
        ("POST /v1/refunds/{refund}/items/{item}/close", Role::Act),
        ("PUT /v1/refunds/{refund}/settings", Role::Update),
        ("DELETE /v1/refunds/{refund}/notes", Role::Delete),
        ("POST /v1/refunds/{refund}/notes", Role::Create),
    ];
    for (id, role) in cases {
        let mut fixture = refunds();
        add(&mut fixture, id, role, refund, None);
        assert_eq!(found(&fixture, id).0, None, "{id}");
    }
}

#[test]
fn a_copy_is_not_read_under_the_path_of_the_original() {
    let mut fixture = refunds();
    add(&mut fixture, "GET /v1/boxes/{owner}/{box}", Role::Read, Some("event"), Some("event"));
    add(&mut fixture, "POST /v1/boxes/{owner}/{box}/copies", Role::Create, Some("event"), Some("event"));
    let list = Some("GET /v1/events".to_owned());
    assert_eq!(found(&fixture, "POST /v1/boxes/{owner}/{box}/copies").0, list, "where its kind is listed");
}

#[test]
fn what_stands_alone_is_read_under_its_own_path() {
    let mut fixture = refunds();
    add(&mut fixture, "GET /v1/settings", Role::Read, Some("refund"), Some("refund"));
    add(&mut fixture, "POST /v1/settings", Role::Update, Some("refund"), Some("refund"));
    let settings = (Some("GET /v1/settings".to_owned()), existing("$account"));
    assert_eq!(found(&fixture, "POST /v1/settings"), settings);
}

#[test]
fn parents_come_from_the_input_and_the_record_from_the_reply() {
    let mut fixture = refunds();
    add(&mut fixture, "GET /v1/fees/{fee}/parts/{id}", Role::Read, Some("event"), Some("event"));
    add(&mut fixture, "POST /v1/fees/{id}/parts", Role::Create, Some("event"), Some("event"));
    let planned = fixture.planned().service;
    let plan = planned.operation("POST /v1/fees/{id}/parts").unwrap().plan.clone().unwrap();
    let request = channel(&plan, "event_readback").request.clone().unwrap();
    assert_eq!(request.parameters["fee"], "$input.id");
    assert_eq!(request.parameters["id"], "$correlation.event_id");
    assert_eq!(plan.result_id.as_deref(), Some("$action.result.id"));
}

#[test]
fn what_is_taken_from_a_record_is_read_at_the_record() {
    let mut fixture = refunds();
    add(&mut fixture, "DELETE /v1/refunds/{refund}/label", Role::Delete, None, None);
    add(&mut fixture, "POST /v1/refunds/{refund}/notice", Role::Create, None, None);
    add(&mut fixture, "DELETE /v1/refunds/{refund}/copies", Role::Delete, None, None);
    let part = Some(Target::Part { parameter: "refund".to_owned() });
    let read = Some("GET /v1/refunds/{refund}".to_owned());
    assert_eq!(found(&fixture, "DELETE /v1/refunds/{refund}/label"), (read.clone(), part.clone()));
    assert_eq!(found(&fixture, "POST /v1/refunds/{refund}/notice"), (read, part));
    assert_eq!(found(&fixture, "DELETE /v1/refunds/{refund}/copies"), (None, None));
}

#[test]
fn nothing_is_read_back_by_a_method_that_may_act() {
    let mut fixture = refunds();
    fixture.service.operations.retain(|operation| operation.id != "GET /v1/refunds/{refund}");
    add(&mut fixture, "POST /v1/refunds/{refund}/show", Role::Read, Some("refund"), Some("refund"));
    add(&mut fixture, "POST /v1/refunds/{refund}/show/close", Role::Act, Some("refund"), Some("refund"));
    let list = Some("GET /v1/refunds".to_owned());
    assert_eq!(found(&fixture, "POST /v1/refunds/{refund}/show/close").0, list);
}
