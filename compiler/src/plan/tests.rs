//! A service written by hand, and what stage 3 makes of it.

mod fixture;
mod places;

use provely_evaluator::contract::{As, Channel, InstantFormat, Order, PageStyle};
use provely_model::EchoKind;

use super::{cited, part};

pub(crate) use fixture::*;

fn planned_refund(fixture: &Fixture) -> provely_model::Plan {
    fixture.planned().service.operation("POST /v1/refunds").unwrap().plan.clone().unwrap()
}

fn channel<'p>(plan: &'p provely_model::Plan, name: &str) -> &'p Channel {
    plan.channels.iter().find(|channel| channel.name == name).unwrap()
}

#[test]
fn a_refund_is_read_by_id() {
    let plan = planned_refund(&refunds());
    let readback = channel(&plan, "refund_readback");
    let request = readback.request.as_ref().unwrap();
    assert_eq!(request.path, "/v1/refunds/{refund}");
    assert_eq!(request.parameters["refund"], "$correlation.refund_id");
    assert_eq!(readback.record_created.as_deref(), Some("@.created"));
    assert_eq!(plan.result_id.as_deref(), Some("$action.result.id"));
    assert_eq!(plan.readback.as_deref(), Some("GET /v1/refunds/{refund}"));
}

#[test]
fn siblings_are_listed_by_the_subject_that_the_input_names() {
    let plan = planned_refund(&refunds());
    let list = channel(&plan, "refund_list");
    let request = list.request.as_ref().unwrap();
    assert_eq!(request.query["charge"], "$input.charge");
    assert_eq!(request.optional, ["charge", "payment_intent"]);
    assert_eq!(request.scope, request.optional);
    assert!(list.complete && list.baseline);
    let page = list.page.as_ref().unwrap();
    assert_eq!((page.style, page.order), (PageStyle::Cursor, Order::NewestFirst));
    assert_eq!((page.parameter.as_deref(), page.cursor.as_deref()), (Some("starting_after"), Some("@.id")));
    assert_eq!(
        (page.more.as_deref(), page.size.as_deref(), page.max_size),
        (Some("$.has_more"), Some("limit"), Some(100))
    );
    assert_eq!(
        list.instant.as_ref().map(|rule| (rule.format, rule.granularity_ms)),
        Some((InstantFormat::EpochSeconds, 1000))
    );
    assert_eq!(cited(&plan, part::ORDER), ["stripe.docs.refunds#refunds/listing-refunds/p1"]);
}

/// A number that nobody explains counts seconds; where it counts something finer, no year of ours comes of it.
#[test]
fn a_creation_time_in_plain_numbers_is_read_as_seconds() {
    let mut fixture = refunds();
    let created = fixture.resource_mut("refund").fields.iter_mut().find(|own| own.name == "created").unwrap();
    created.kind = provely_model::FieldKind::Integer;
    let plan = fixture.planned().service.operation("POST /v1/refunds").unwrap().plan.clone().unwrap();
    let rule = channel(&plan, "refund_readback").instant.clone().unwrap();
    assert_eq!(rule.format, InstantFormat::EpochSeconds);
    let in_milliseconds = provely_evaluator::json::Value::from(1_788_616_800_000_i64);
    assert_eq!(provely_evaluator::compare::Instant::read(&in_milliseconds, &rule), None);
}

#[test]
fn a_list_whose_order_nobody_states_is_unordered_and_a_search_is_never_complete() {
    let mut fixture = refunds();
    fixture.passages.retain(|passage| !passage.id.contains("listing"));
    let plan = planned_refund(&fixture);
    assert_eq!(channel(&plan, "refund_list").page.as_ref().unwrap().order, Order::Unordered);
    fixture.operation_mut("GET /v1/refunds").path = "/v1/refunds/search".to_owned();
    assert!(!channel(&planned_refund(&fixture), "refund_list").complete);
}

#[test]
fn a_list_that_can_end_early_is_never_complete() {
    let mut fixture = refunds();
    fixture.envelopes.clear();
    fixture
        .operation_mut("GET /v1/refunds")
        .parameters
        .retain(|parameter| parameter.name != "starting_after");
    assert!(!channel(&planned_refund(&fixture), "refund_list").complete);
    fixture.operation_mut("GET /v1/refunds").parameters.retain(|parameter| parameter.name != "limit");
    assert!(channel(&planned_refund(&fixture), "refund_list").complete, "it has no pages");
}

#[test]
fn events_are_pushed_or_pulled_and_say_where_everything_stands() {
    let plan = planned_refund(&refunds());
    let created = channel(&plan, "refund_created_events");
    let events = created.events.as_ref().unwrap();
    assert_eq!(events.types, ["refund.created"]);
    assert_eq!(events.creation_types, ["refund.created"]);
    assert_eq!((events.id.as_deref(), events.kind.as_deref()), (Some("$.id"), Some("$.type")));
    assert_eq!((events.record.as_str(), events.record_id.as_str()), ("$.data.object", "$.data.object.id"));
    assert_eq!(events.key.as_deref(), Some("$.request.idempotency_key"));
    assert_eq!(events.version.as_deref(), Some("$.api_version"));
    assert_eq!(events.mode.as_ref().map(|mode| (mode.path.as_str(), mode.live)), Some(("$.livemode", true)));
    assert_eq!(events.time.as_deref(), Some("$.created"));
    assert_eq!(created.request.as_ref().unwrap().query["type"], "refund.created");
    let state = channel(&plan, "refund_state_events");
    assert_eq!(state.events.as_ref().unwrap().types, ["refund.created", "refund.updated"]);
    assert_eq!(state.request.as_ref().unwrap().query["types[1]"], "refund.updated");
    let ended = channel(&plan, "refund_ended_events");
    assert_eq!(ended.events.as_ref().unwrap().types, ["refund.failed"]);
    assert_eq!(plan.event_list.as_deref(), Some("GET /v1/events"));
    assert_eq!(plan.read_scopes, ["refund:read", "event:read"]);
}

#[test]
fn without_samples_no_event_channel_is_guessed() {
    let mut fixture = refunds();
    fixture.events.iter_mut().for_each(|event| event.samples.clear());
    let plan = planned_refund(&fixture);
    assert!(plan.channels.iter().all(|channel| channel.events.is_none()));
}

#[test]
fn the_retry_key_is_what_the_passages_state() {
    let plan = planned_refund(&refunds());
    let retry = plan.idempotency.as_ref().unwrap();
    assert_eq!(
        (retry.header.as_deref(), retry.life_ms, retry.echoed),
        (Some("Idempotency-Key"), 86_400_000, true)
    );
    let mut fixture = refunds();
    fixture.passages.retain(|passage| !passage.id.contains("lifetime"));
    assert!(planned_refund(&fixture).idempotency.is_none());
    let mut other = refunds();
    other.passages.iter_mut().filter(|passage| passage.id.ends_with("requests/p1")).for_each(|passage| {
        passage.text.push_str(" Only `POST /v1/emails` takes it.");
    });
    assert!(planned_refund(&other).idempotency.is_none());
}

#[test]
fn the_tag_goes_into_a_free_map_that_the_record_echoes() {
    let tag = planned_refund(&refunds()).tag.unwrap();
    assert_eq!(
        (tag.parameter.as_str(), tag.path.as_str()),
        ("metadata.provely_operation", "@.metadata.provely_operation")
    );
    assert!(!tag.immutable);
    let mut fixture = refunds();
    fixture.passages.push(passage("d#m", "`metadata` cannot be changed later."));
    assert!(planned_refund(&fixture).tag.unwrap().immutable);
    fixture.resource_mut("refund").fields.retain(|field| field.name != "metadata");
    assert!(planned_refund(&fixture).tag.is_none());
}

#[test]
fn echoed_fields_have_a_kind_and_a_reading() {
    let plan = planned_refund(&refunds());
    let found: Vec<_> =
        plan.echoes.iter().map(|echo| (echo.input.as_str(), echo.kind, echo.read_as)).collect();
    assert_eq!(
        found,
        [
            ("amount", EchoKind::Amount, None),
            ("charge", EchoKind::Subject, Some(As::Id)),
            ("currency", EchoKind::Currency, Some(As::Code)),
            ("payment_intent", EchoKind::Subject, Some(As::Id)),
            ("reason", EchoKind::Other, None),
        ]
    );
    assert!(
        plan.echoes
            .iter()
            .all(|echo| echo.assertion.starts_with("stripe.openapi#/components/schemas/refund/properties/"))
    );
}

#[test]
fn an_operation_that_nothing_reads_is_reported_and_not_dropped() {
    let mut fixture = refunds();
    fixture.service.operations.retain(|operation| operation.id != "GET /v1/refunds/{refund}");
    let planned = fixture.planned();
    let plan = planned.service.operation("POST /v1/refunds").unwrap().plan.as_ref().unwrap();
    let list = Some("GET /v1/refunds");
    assert_eq!((plan.readback.as_deref(), plan.list.as_deref()), (list, list));
    assert_eq!(plan.result_id.as_deref(), Some("$action.result.id"));
    let found = channel(plan, "refund_readback");
    assert!(found.find && !found.complete && !found.baseline, "one record, looked for in the list");
    fixture.service.operations.retain(|operation| operation.id != "GET /v1/refunds");
    let planned = fixture.planned();
    let open: Vec<_> = planned.uncertainties.iter().map(|open| (open.id.as_str(), open.cap)).collect();
    assert!(open.contains(&("evidence:POST /v1/refunds", 49)), "{open:?}");
    assert!(planned.service.operation("POST /v1/refunds").is_some_and(|operation| operation.plan.is_none()));
}

#[test]
fn money_without_a_retry_key_is_a_question() {
    let mut fixture = refunds();
    assert!(fixture.planned().uncertainties.is_empty());
    fixture.passages.retain(|passage| !passage.id.starts_with("stripe.docs.idempotency"));
    let open: Vec<_> = fixture.planned().uncertainties.into_iter().map(|open| (open.id, open.cap)).collect();
    assert_eq!(open, [("retry:POST /v1/refunds".to_owned(), 89)]);
}

#[test]
fn the_same_sources_give_the_same_plan() {
    assert_eq!(refunds().planned(), refunds().planned());
}
