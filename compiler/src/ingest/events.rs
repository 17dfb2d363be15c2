//! Reads event types that a description declares, and samples of events. Must not tell what an event is
//! about.

use provely_document::{Diagnostic, Kind, Node};
use serde::Serialize;

use super::Ingested;
use super::forest::{Forest, NodeRef, Place};
use super::schema::Schema;
use crate::assertion::pointer_token;

/// A member has another type than the format asks for.
pub const WRONG_TYPE: &str = "ingest/wrong-type";

/// An event type that a description declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EventType {
    /// Its name.
    pub name: String,
    /// One line.
    pub summary: Option<String>,
    /// What the description says of it.
    pub description: Option<String>,
    /// Schema of its payload.
    pub payload: Option<NodeRef>,
    /// Schema of any event of the vendor, where the type has no payload of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub envelope: Option<NodeRef>,
    /// Assertion id of its declaration.
    pub assertion: String,
}

/// A sample of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EventSample {
    /// Its type.
    pub name: String,
    /// The payload; its assertion is that of the event type.
    pub payload: NodeRef,
    /// Assertion id of the type, `vendor.events#/events/refund.updated`.
    pub assertion: String,
}

/// Members of a description that hold events by name.
const DECLARED: [&str; 2] = ["webhooks", "x-webhooks"];

/// Reads the declared event types of a description.
pub(super) fn read_types<'a>(forest: &'a Forest, root: &Place<'a>, found: &mut Ingested) {
    for member in DECLARED {
        let events = root.node.get(member).into_iter().flat_map(Node::entries);
        for event in events {
            let pointer = format!("/{member}{}", pointer_token(event.key));
            let item = forest.resolve(Place { tree: root.tree, node: event.value, pointer });
            read_callback(forest, event.key, &item, found);
        }
    }
}

/// Reads the callbacks of one operation.
pub(super) fn read_callbacks<'a>(forest: &'a Forest, operation: &Place<'a>, found: &mut Ingested) {
    for callback in operation.node.get("callbacks").into_iter().flat_map(Node::entries) {
        let pointer = format!("{}/callbacks{}", operation.pointer, pointer_token(callback.key));
        let callback_place = forest.resolve(Place { tree: operation.tree, node: callback.value, pointer });
        for expression in callback_place.node.entries() {
            let pointer = format!("{}{}", callback_place.pointer, pointer_token(expression.key));
            let item = forest.resolve(Place { tree: callback_place.tree, node: expression.value, pointer });
            read_callback(forest, callback.key, &item, found);
        }
    }
}

fn read_callback<'a>(forest: &'a Forest, name: &str, item: &Place<'a>, found: &mut Ingested) {
    let Some(post) = item.node.get("post").or_else(|| item.node.get("put")) else { return };
    let method = if item.node.get("post").is_some() { "post" } else { "put" };
    let pointer = format!("{}/{method}", item.pointer);
    let place = Place { tree: item.tree, node: post, pointer };
    let payload = super::operation::body(forest, &place).and_then(|body| body.schema);
    let own = payload.as_ref().and_then(|payload| type_of(forest, payload));
    let text = |key: &str| post.get(key).and_then(Node::as_str).map(str::to_owned);
    found.event_types.push(EventType {
        name: own.unwrap_or_else(|| name.to_owned()),
        summary: text("summary"),
        description: text("description"),
        payload,
        envelope: None,
        assertion: forest.assertion(place.tree, &place.pointer),
    });
}

/// The type that a payload names in itself, if it allows one alone. A webhook is often declared under a name
/// that is written in another way.
fn type_of(forest: &Forest, payload: &NodeRef) -> Option<String> {
    let schema = Schema::at(forest, payload)?;
    let kinds = &super::event_names::cues().kinds;
    let fixed = schema.properties().into_iter().filter(|property| kinds.contains(property.name));
    let mut names = fixed.filter_map(|property| match property.schema.values().as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    });
    let first = names.next()?;
    (names.next().is_none() && first.contains(['.', '_', '/', '-', ':'])).then_some(first)
}

/// Reads `{"events": {type: [payload]}}`.
pub(super) fn read_samples(
    forest: &Forest,
    tree: usize,
    found: &mut Ingested,
    findings: &mut Vec<Diagnostic>,
) {
    let Some(root) = forest.root(tree) else { return };
    let Some(events) = root.node.get("events").filter(|node| node.kind() == Kind::Object) else {
        findings.push(wrong(root.node, "samples of events stand under `events`, by type"));
        return;
    };
    for entry in events.entries() {
        let pointer = format!("/events{}", pointer_token(entry.key));
        if entry.value.kind() != Kind::Array {
            findings.push(wrong(entry.value, "the samples of one event type are an array"));
            continue;
        }
        let assertion = forest.assertion(tree, &pointer);
        for (index, payload) in entry.value.items().enumerate() {
            found.event_samples.push(EventSample {
                name: entry.key.to_owned(),
                payload: NodeRef {
                    tree,
                    node: payload.id(),
                    pointer: format!("{pointer}/{index}"),
                    assertion: assertion.clone(),
                },
                assertion: assertion.clone(),
            });
        }
    }
}

/// A finding about a node of the wrong type.
pub(super) fn wrong(node: Node<'_>, wanted: &str) -> Diagnostic {
    let message = format!("{wanted}; here stands {}", node.kind().noun());
    Diagnostic::error(WRONG_TYPE, node.document().source(), node.span(), message)
}
