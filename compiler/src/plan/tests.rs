//! A service written by hand, and what stage 3 makes of it.

use provely_evaluator::contract::{As, Channel, InstantFormat, Order, PageStyle, StateClass};
use provely_evaluator::json::{Value, parse};
use provely_model::{
    BodyEncoding, Certainty, EchoKind, Effect, Field, FieldKind, Lifecycle, LifecycleState, Operation,
    Parameter, Place, Reply, Resource, Role, Service, VersionRule,
};

use super::{
    Envelope, EventType, Known, Passage, Planned, Rules, Target, cited, part, plan, roles, target_of,
};

const API: &str = "stripe.openapi#";

/// Sources by hand: the service and what stands beside it.
#[derive(Clone)]
pub(crate) struct Fixture {
    pub service: Service,
    pub passages: Vec<Passage>,
    pub events: Vec<EventType>,
    pub envelopes: Vec<Envelope>,
    pub refusals: std::collections::BTreeMap<String, crate::classify::Refusal>,
    pub directives: Vec<crate::ingest::ApiDirective>,
}

impl Fixture {
    pub fn planned(&self) -> Planned {
        let known = Known {
            service: &self.service,
            passages: &self.passages,
            events: &self.events,
            envelopes: &self.envelopes,
            declared: &[],
            event_id_header: None,
            event_type_header: None,
            graph: &crate::classify::GraphFacts::none(),
            scopes: &std::collections::BTreeMap::new(),
            refusals: &self.refusals,
            directives: &self.directives,
            described_version: None,
        };
        plan(&known, &Rules::builtin().unwrap())
    }

    pub fn operation_mut(&mut self, id: &str) -> &mut Operation {
        self.service.operations.iter_mut().find(|operation| operation.id == id).unwrap()
    }

    pub fn resource_mut(&mut self, name: &str) -> &mut Resource {
        self.service.resources.iter_mut().find(|resource| resource.name == name).unwrap()
    }
}

pub(crate) fn field(name: &str, kind: FieldKind) -> Field {
    Field {
        name: name.to_owned(),
        kind,
        required: false,
        nullable: false,
        values: Vec::new(),
        refers_to: None,
    }
}

fn required(name: &str, kind: FieldKind) -> Field {
    Field { required: true, ..field(name, kind) }
}

fn reference(name: &str, resource: &str) -> Field {
    Field { nullable: true, refers_to: Some(resource.to_owned()), ..field(name, FieldKind::IdOrRecord) }
}

pub(crate) fn parameter(name: &str, place: Place, kind: FieldKind, description: &str) -> Parameter {
    Parameter {
        name: name.to_owned(),
        place,
        kind,
        required: place == Place::Path,
        description: Some(description.to_owned()),
    }
}

pub(crate) fn operation(
    id: &str,
    effect: Effect,
    role: Role,
    reply: (&str, bool),
    parameters: Vec<Parameter>,
) -> Operation {
    let (method, path) = id.split_once(' ').unwrap();
    let (resource, list) = reply;
    let pointer = path.replace('/', "~1");
    Operation {
        id: id.to_owned(),
        method: method.to_owned(),
        path: path.to_owned(),
        graphql: None,
        effect,
        resource: Some(resource.to_owned()),
        role,
        parameters,
        body: if method == "POST" { BodyEncoding::Form } else { BodyEncoding::None },
        reply: Some(Reply {
            status: 200,
            resource: Some(resource.to_owned()),
            select: if list { "$.data" } else { "$" }.to_owned(),
            list,
            fixed: Vec::new(),
            location: None,
        }),
        plan: None,
        assertions: vec![format!("{API}/paths/{pointer}/{}", method.to_lowercase())],
    }
}

fn state(name: &str, class: StateClass, paragraph: u8, from: &[&str]) -> LifecycleState {
    LifecycleState {
        name: name.to_owned(),
        class,
        certainty: Certainty::Documented,
        reversible: class == StateClass::TerminalSuccess,
        from: Some(from.iter().map(|name| (*name).to_owned()).collect()),
        assertions: vec![format!("stripe.docs.refunds#refunds/refund-status/p{paragraph}")],
    }
}

fn refund() -> Resource {
    let schema = "/components/schemas/refund".to_owned();
    let open = ["pending", "requires_action"];
    Resource {
        name: "refund".to_owned(),
        fields: vec![
            required("amount", FieldKind::Integer),
            reference("charge", "charge"),
            required("created", FieldKind::EpochSeconds),
            required("currency", FieldKind::Text),
            required("id", FieldKind::Text),
            field("metadata", FieldKind::Map),
            Field { values: vec!["refund".to_owned()], ..required("object", FieldKind::Text) },
            reference("payment_intent", "payment_intent"),
            Field {
                values: vec!["duplicate".to_owned(), "fraudulent".to_owned()],
                ..field("reason", FieldKind::Text)
            },
            field("status", FieldKind::Text),
        ],
        id: Some("@.id".to_owned()),
        created: Some("@.created".to_owned()),
        lifecycle: Some(Lifecycle {
            field: format!("{schema}/properties/status"),
            path: "@.status".to_owned(),
            parts: None,
            states: vec![
                state("pending", StateClass::Transitional, 1, &[]),
                state("requires_action", StateClass::Transitional, 2, &["pending", "succeeded"]),
                state("succeeded", StateClass::TerminalSuccess, 3, &["pending"]),
                state("failed", StateClass::TerminalFailure, 4, &["pending", "requires_action", "succeeded"]),
                state("canceled", StateClass::TerminalNeutral, 5, &open),
            ],
        }),
        axes: Vec::new(),
        assertions: vec![format!("{API}{schema}")],
        schema,
    }
}

fn event() -> Resource {
    let schema = "/components/schemas/event".to_owned();
    Resource {
        name: "event".to_owned(),
        fields: vec![
            required("created", FieldKind::EpochSeconds),
            required("data", FieldKind::Object),
            required("id", FieldKind::Text),
            required("livemode", FieldKind::Boolean),
            required("type", FieldKind::Text),
        ],
        id: Some("@.id".to_owned()),
        created: Some("@.created".to_owned()),
        lifecycle: None,
        axes: Vec::new(),
        assertions: vec![format!("{API}{schema}")],
        schema,
    }
}

fn paging() -> Vec<Parameter> {
    vec![
        parameter(
            "limit",
            Place::Query,
            FieldKind::Integer,
            "Page size, from 1 to 100, and 10 when left out.",
        ),
        parameter("starting_after", Place::Query, FieldKind::Text, "Cursor, the ID of the last item."),
    ]
}

fn operations() -> Vec<Operation> {
    let text = |name: &str, place| parameter(name, place, FieldKind::Text, "An ID.");
    let mut list = vec![text("charge", Place::Query), text("payment_intent", Place::Query)];
    list.extend(paging());
    let mut events = vec![
        parameter("type", Place::Query, FieldKind::Text, "One type."),
        parameter("types", Place::Query, FieldKind::Array, "Several types."),
    ];
    events.extend(paging());
    let create = vec![
        parameter(
            "amount",
            Place::Body,
            FieldKind::Integer,
            "How much to refund, in the smallest unit of the currency.",
        ),
        parameter("charge", Place::Body, FieldKind::Text, "The ID of the charge to refund."),
        parameter("currency", Place::Body, FieldKind::Text, "Currency as a three-letter code."),
        parameter("metadata", Place::Body, FieldKind::Map, "Free key-value pairs."),
        parameter("payment_intent", Place::Body, FieldKind::Text, "The ID of the PaymentIntent to refund."),
        parameter("reason", Place::Body, FieldKind::Text, "Why."),
    ];
    let id = || vec![text("refund", Place::Path)];
    let metadata = parameter("metadata", Place::Body, FieldKind::Map, "Free key-value pairs.");
    vec![
        operation("GET /v1/refunds", Effect::Read, Role::List, ("refund", true), list),
        operation("POST /v1/refunds", Effect::MoneyRefund, Role::Create, ("refund", false), create),
        operation("GET /v1/refunds/{refund}", Effect::Read, Role::Read, ("refund", false), id()),
        operation(
            "POST /v1/refunds/{refund}",
            Effect::RecordUpdate,
            Role::Update,
            ("refund", false),
            vec![text("refund", Place::Path), metadata],
        ),
        operation(
            "POST /v1/refunds/{refund}/cancel",
            Effect::OtherAct,
            Role::Cancel,
            ("refund", false),
            id(),
        ),
        operation("GET /v1/events", Effect::Read, Role::List, ("event", true), events),
    ]
}

fn sample(kind: &str, status: &str, key: &str) -> Value {
    let text = format!(
        r#"{{"id":"evt_1","object":"event","api_version":"2026-05-27.dahlia","created":1781085600,
        "data":{{"object":{{"id":"re_1","object":"refund","amount":2500,"charge":"ch_1","created":1781085600,
        "currency":"usd","metadata":{{}},"payment_intent":"pi_1","status":"{status}"}}}},
        "livemode":false,"pending_webhooks":1,"request":{{"id":"req_1","idempotency_key":{key}}},"type":"{kind}"}}"#
    );
    parse(&text).unwrap()
}

fn event_type(name: &str, samples: Vec<Value>) -> EventType {
    EventType {
        name: name.to_owned(),
        resource: Some("refund".to_owned()),
        samples,
        assertions: vec![format!("stripe.events#/events/{name}")],
    }
}

fn passage(id: &str, text: &str) -> Passage {
    Passage { id: id.to_owned(), text: text.to_owned() }
}

/// Refunds of one payment provider, as stage 2 hands them on.
pub(crate) fn refunds() -> Fixture {
    let more = |operation: &str| Envelope {
        operation: operation.to_owned(),
        fields: vec![required("has_more", FieldKind::Boolean), required("url", FieldKind::Text)],
    };
    Fixture {
        service: Service {
            id: "stripe".to_owned(),
            title: "Stripe".to_owned(),
            base_url: Some("https://api.stripe.com".to_owned()),
            version: Some(VersionRule {
                header: Some("Stripe-Version".to_owned()),
                default: "2026-05-27.dahlia".to_owned(),
                from: "2024-10-28.acacia".to_owned(),
                to: "2026-05-27.dahlia".to_owned(),
            }),
            signature: None,
            operations: operations(),
            resources: vec![refund(), event()],
        },
        passages: vec![
            passage(
                "stripe.docs.refunds#refunds/listing-refunds/p1",
                "`GET /v1/refunds` lists the refunds of the account, the newest first; `charge` or `payment_intent` narrows the list.",
            ),
            passage(
                "stripe.docs.events#events/reading-events/p1",
                "`GET /v1/events` lists events of the last 30 days, the newest first.",
            ),
            passage(
                "stripe.docs.idempotency#idempotent-requests/p1",
                "A `POST` request can carry the header `Idempotency-Key`. With the same key a request can be sent again without creating a second object.",
            ),
            passage(
                "stripe.docs.idempotency#idempotent-requests/lifetime-of-a-key/p1",
                "Keys may be removed once they are at least 24 hours old.",
            ),
        ],
        events: vec![
            event_type(
                "refund.created",
                vec![
                    sample("refund.created", "pending", "\"op_1\""),
                    sample("refund.created", "succeeded", "null"),
                ],
            ),
            event_type("refund.updated", vec![sample("refund.updated", "succeeded", "null")]),
            event_type("refund.failed", vec![sample("refund.failed", "failed", "null")]),
        ],
        envelopes: vec![more("GET /v1/refunds"), more("GET /v1/events")],
        refusals: std::collections::BTreeMap::new(),
        directives: Vec::new(),
    }
}

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
        ("DELETE /v1/refunds/{refund}/note", Role::Delete),
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
fn nothing_is_read_back_by_a_method_that_may_act() {
    let mut fixture = refunds();
    fixture.service.operations.retain(|operation| operation.id != "GET /v1/refunds/{refund}");
    add(&mut fixture, "POST /v1/refunds/{refund}/show", Role::Read, Some("refund"), Some("refund"));
    add(&mut fixture, "POST /v1/refunds/{refund}/show/close", Role::Act, Some("refund"), Some("refund"));
    let list = Some("GET /v1/refunds".to_owned());
    assert_eq!(found(&fixture, "POST /v1/refunds/{refund}/show/close").0, list);
}
