//! Finds event types that a description only names: the values of a field such as `enabled_events`. Must not
//! guess what they carry.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use provely_document::{Format, Kind, Limits, Node, from_node, read};
use rayon::prelude::*;
use serde::Deserialize;

use super::Ingested;
use super::check::{NAMED, VALUES};
use super::events::EventType;
use super::forest::{Forest, NodeRef, Place};
use super::schema::Schema;
use crate::assertion::pointer_token;
use crate::classify::{snake, words};
use crate::source::SourceKind;

/// `events.yaml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventCues {
    members: BTreeSet<String>,
    schemas: BTreeSet<String>,
    endings: BTreeSet<String>,
    pub(super) kinds: BTreeSet<String>,
}

/// The table, read once.
pub(super) fn cues() -> &'static EventCues {
    static CUES: OnceLock<EventCues> = OnceLock::new();
    CUES.get_or_init(|| {
        let text = include_str!("../../data/events.yaml");
        let document = read("events.yaml", text, Format::Yaml, &Limits::default()).ok();
        document.and_then(|document| from_node(document.root()).ok()).unwrap_or_default()
    })
}

/// An event type that a description only names, with the assertion of the name.
pub(super) type Named = (String, String);

/// The event types that descriptions list as values, in source order.
pub(super) fn listed(forest: &Forest) -> Vec<Vec<Named>> {
    let described =
        |tree: &usize| matches!(forest.kind(*tree), Some(SourceKind::Openapi | SourceKind::OpenapiPart));
    let roots = (0..forest.len()).into_par_iter().filter(described).filter_map(|tree| forest.root(tree));
    roots.map(|root| listed_below(forest, &root)).collect()
}

fn listed_below(forest: &Forest, root: &Place<'_>) -> Vec<Named> {
    let mut named = Vec::new();
    for place in candidates(root) {
        let schema = Schema::of(forest, place);
        let listed = schema.items().filter(|items| !items.values().is_empty()).unwrap_or(schema);
        let values = listed.values();
        if !are_events(&values) {
            continue;
        }
        named.extend(values.into_iter().filter(|value| is_name(value)).map(|value| {
            let assertion = assertion_of(&listed, &value);
            (value, assertion)
        }));
    }
    named
}

/// Adds the event types of each description that it names and nothing declares.
pub(super) fn add(forest: &Forest, named: Vec<Vec<Named>>, found: &mut Ingested) {
    let mut known: BTreeSet<String> = found.event_types.iter().map(|event| event.name.clone()).collect();
    for mut named in named {
        named.retain(|(name, _)| known.insert(name.clone()));
        let envelope = if named.is_empty() { None } else { envelope(forest, &found.schemas) };
        found.event_types.extend(named.into_iter().map(|(name, assertion)| EventType {
            name,
            summary: None,
            description: None,
            payload: None,
            envelope: envelope.clone(),
            assertion,
        }));
    }
}

/// Names without blanks; `*` and the like stand for many.
fn is_name(value: &str) -> bool {
    value.len() > 2 && value.starts_with(char::is_alphabetic) && !value.contains([' ', '*'])
}

/// True if most values say that something happened. One or two values may be a field of one event.
fn are_events(values: &[String]) -> bool {
    let happened = values.iter().filter(|value| is_name(value) && says_what_happened(value)).count();
    values.len() > 1 && happened * 2 > values.len()
}

fn says_what_happened(value: &str) -> bool {
    let words = words(value);
    words.last().is_some_and(|last| cues().endings.contains(last))
}

/// The place of one value in the list, or of the list.
fn assertion_of(schema: &Schema<'_>, value: &str) -> String {
    let listed = schema.keyword("enum").into_iter().flat_map(Node::items);
    match listed.into_iter().position(|item| item.scalar_text() == Some(value)) {
        Some(index) => format!("{}/enum/{index}", schema.assertion()),
        None => schema.assertion(),
    }
}

/// The one named schema that is a whole event: it names its type, carries data and has an id.
fn envelope(forest: &Forest, schemas: &[NodeRef]) -> Option<NodeRef> {
    let is_event = |place: &&NodeRef| {
        let Some(schema) = Schema::at(forest, place) else { return false };
        let called =
            schema.name().is_some_and(|name| words(&name).last().is_some_and(|word| word == "event"));
        let properties = if called { schema.properties() } else { Vec::new() };
        let has = |names: &[&str]| properties.iter().any(|property| names.contains(&property.name));
        let kind = properties.iter().any(|property| cues().kinds.contains(property.name));
        kind && has(&["id", "event_id", "eventId"]) && has(&["data", "payload", "object", "resource"])
    };
    let mut events = schemas.iter().filter(is_event);
    let only = events.next()?;
    events.next().is_none().then(|| only.clone())
}

/// One step on the way to a node.
#[derive(Clone, Copy)]
enum Token<'a> {
    Key(&'a str),
    Index(usize),
}

/// The places of schemas that may list event types, in source order.
fn candidates<'a>(root: &Place<'a>) -> Vec<Place<'a>> {
    let mut trail: Vec<(usize, Token<'a>)> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut found: BTreeMap<usize, (Node<'a>, usize, Option<&'a str>)> = BTreeMap::new();
    let mut stack = vec![(root.node, usize::MAX, false)];
    while let Some((node, at, named)) = stack.pop() {
        if !seen.insert(node.id()) {
            continue;
        }
        let order = node.span().start as usize;
        if let Some(schema) = listing_parameter(node) {
            found.insert(order, (schema.0, at, schema.1));
        }
        let mut below = Vec::new();
        for (index, item) in node.items().enumerate().filter(|(_, item)| is_container(*item)) {
            trail.push((at, Token::Index(index)));
            below.push((item, trail.len() - 1, false));
        }
        for entry in node.entries().filter(|entry| is_container(entry.value)) {
            let foreign = entry.key.starts_with("x-") && entry.key != "x-webhooks";
            if !named && (VALUES.contains(&entry.key) || foreign) {
                continue;
            }
            trail.push((at, Token::Key(entry.key)));
            let here = trail.len() - 1;
            if named && lists(entry.key) {
                found.insert(entry.value.span().start as usize, (entry.value, here, None));
            }
            below.push((entry.value, here, !named && NAMED.contains(&entry.key)));
        }
        stack.extend(below.into_iter().rev());
    }
    let places = found.into_values().map(|(node, at, member)| {
        let end = member.map(|member| format!("/{member}")).unwrap_or_default();
        Place { tree: root.tree, node, pointer: format!("{}{end}", pointer(&trail, at)) }
    });
    places.collect()
}

fn is_container(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::Array | Kind::Object)
}

/// True for the name of a field, or of a schema, whose values are event types.
fn lists(name: &str) -> bool {
    let name = snake(name);
    let ends = |end: &String| {
        name.strip_suffix(end.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
    };
    cues().members.contains(&name) || cues().schemas.iter().any(ends)
}

/// The schema of a parameter whose values are event types: its own member, or the parameter itself.
fn listing_parameter(node: Node<'_>) -> Option<(Node<'_>, Option<&'static str>)> {
    let name = node.get("name").and_then(Node::as_str)?;
    node.get("in").and_then(Node::as_str)?;
    if !cues().members.contains(&snake(name.trim_end_matches("[]"))) {
        return None;
    }
    Some(node.get("schema").map_or((node, None), |schema| (schema, Some("schema"))))
}

fn pointer(trail: &[(usize, Token<'_>)], at: usize) -> String {
    let mut tokens = Vec::new();
    let mut at = at;
    while let Some((parent, token)) = trail.get(at) {
        tokens.push(match token {
            Token::Key(key) => pointer_token(key),
            Token::Index(index) => format!("/{index}"),
        });
        at = *parent;
    }
    tokens.into_iter().rev().collect()
}
