//! A service written by hand: refunds of charges, with documents and events. No assertions.

use provely_evaluator::contract::StateClass;
use provely_evaluator::json::{Value, parse};
use provely_model::{
    BodyEncoding, Certainty, Effect, Field, FieldKind, Lifecycle, LifecycleState, Operation, Parameter,
    Place, Reply, Resource, Role, Service, VersionRule,
};

use crate::plan::{Envelope, EventType, Known, Passage, Planned, Rules, plan};

pub(crate) const API: &str = "stripe.openapi#";

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

pub(crate) fn required(name: &str, kind: FieldKind) -> Field {
    Field { required: true, ..field(name, kind) }
}

pub(crate) fn reference(name: &str, resource: &str) -> Field {
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

pub(crate) fn state(name: &str, class: StateClass, paragraph: u8, from: &[&str]) -> LifecycleState {
    LifecycleState {
        name: name.to_owned(),
        class,
        certainty: Certainty::Documented,
        reversible: class == StateClass::TerminalSuccess,
        from: Some(from.iter().map(|name| (*name).to_owned()).collect()),
        assertions: vec![format!("stripe.docs.refunds#refunds/refund-status/p{paragraph}")],
    }
}

pub(crate) fn refund() -> Resource {
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

pub(crate) fn event() -> Resource {
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

pub(crate) fn paging() -> Vec<Parameter> {
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

pub(crate) fn operations() -> Vec<Operation> {
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

pub(crate) fn sample(kind: &str, status: &str, key: &str) -> Value {
    let text = format!(
        r#"{{"id":"evt_1","object":"event","api_version":"2026-05-27.dahlia","created":1781085600,
        "data":{{"object":{{"id":"re_1","object":"refund","amount":2500,"charge":"ch_1","created":1781085600,
        "currency":"usd","metadata":{{}},"payment_intent":"pi_1","status":"{status}"}}}},
        "livemode":false,"pending_webhooks":1,"request":{{"id":"req_1","idempotency_key":{key}}},"type":"{kind}"}}"#
    );
    parse(&text).unwrap()
}

pub(crate) fn event_type(name: &str, samples: Vec<Value>) -> EventType {
    EventType {
        name: name.to_owned(),
        resource: Some("refund".to_owned()),
        samples,
        assertions: vec![format!("stripe.events#/events/{name}")],
    }
}

pub(crate) fn passage(id: &str, text: &str) -> Passage {
    Passage::new(id, text)
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
