//! What stage 3 is handed: the classified service with the passages, event types and reply envelopes that
//! belong to it. Holds it; must not interpret it.

use std::collections::BTreeMap;

use provely_evaluator::contract::Channel;
use provely_evaluator::json::Value;
use provely_model::{Field, Operation, Resource, Service};

use crate::classify::{GraphFacts, Refusal};
use crate::ingest::ApiDirective;

/// What the sources say about one service.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Operations with effects, resources with lifecycles.
    pub service: &'a Service,
    /// Paragraphs of documents, and descriptions of operations and parameters.
    pub passages: &'a [Passage],
    /// Event types.
    pub events: &'a [EventType],
    /// Members of list replies.
    pub envelopes: &'a [Envelope],
    /// Channels beyond the provider's own, from the service file.
    pub declared: &'a [Channel],
    /// The header of a delivery that carries the event's id.
    pub event_id_header: Option<&'a str>,
    /// The header of a delivery that carries the event's type.
    pub event_type_header: Option<&'a str>,
    /// What is known of GraphQL types.
    pub graph: &'a GraphFacts,
    /// Operations to the scopes that their descriptions ask for.
    pub scopes: &'a BTreeMap<String, Vec<String>>,
    /// Operations behind paths to how they refuse under a success status.
    pub refusals: &'a BTreeMap<String, Refusal>,
    /// The directives that a request may put on a field.
    pub directives: &'a [ApiDirective],
    /// The version that the description names; used where the service file states none.
    pub described_version: Option<&'a str>,
}

/// One paragraph, or one description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Assertion id.
    pub id: String,
    /// Its words.
    pub text: String,
    /// What it quotes that may be an operation.
    quoted: Vec<String>,
}

impl Passage {
    /// A passage of that id.
    #[must_use]
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        let (id, text) = (id.into(), text.into());
        let mut parts: Vec<&str> = text.split('`').skip(1).collect();
        // Nothing closes the last.
        parts.pop();
        let quoted = parts.into_iter().filter(|part| part.contains(' ')).map(str::to_owned).collect();
        Self { id, text, quoted }
    }
}

/// One type of event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventType {
    /// Name, as the provider writes it.
    pub name: String,
    /// The resource that it reports.
    pub resource: Option<String>,
    /// Sample payloads.
    pub samples: Vec<Value>,
    /// The assertions that name it.
    pub assertions: Vec<String>,
}

/// The members of a list reply that stand beside the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// Operation id.
    pub operation: String,
    /// The members.
    pub fields: Vec<Field>,
}

impl<'a> Known<'a> {
    /// The resource that an operation is about.
    #[must_use]
    pub fn resource_of(&self, operation: &Operation) -> Option<&'a Resource> {
        self.service.resource(operation.resource.as_deref()?)
    }

    /// The passages that speak of an operation: its own description, and those that write `METHOD /path`.
    #[must_use]
    pub fn passages_about(&self, operation: &Operation) -> Vec<&'a Passage> {
        let own = |passage: &Passage| {
            let below = |assertion: &String| passage.id.strip_prefix(assertion.as_str());
            operation.assertions.iter().filter_map(below).any(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let writes = |passage: &Passage| passage.quoted.contains(&operation.id);
        self.passages.iter().filter(|passage| own(passage) || writes(passage)).collect()
    }

    /// The members beside the list in an operation's reply.
    #[must_use]
    pub fn envelope(&self, operation: &str) -> &'a [Field] {
        self.envelopes
            .iter()
            .find(|envelope| envelope.operation == operation)
            .map_or(&[], |envelope| envelope.fields.as_slice())
    }
}

/// The assertion of a record's field; `path` is rooted at `@`.
#[must_use]
pub fn field_assertion(resource: &Resource, path: &str) -> Option<String> {
    let field = field_at(resource, path)?;
    let base = resource.assertions.first()?;
    if base.split_once('#').is_some_and(|(_, place)| !place.is_empty() && !place.contains('/')) {
        return Some(format!("{base}.{}", field.name));
    }
    Some(format!("{base}/properties{}", crate::assertion::pointer_token(&field.name)))
}

/// The record's field that a path of one step names.
#[must_use]
pub fn field_at<'r>(resource: &'r Resource, path: &str) -> Option<&'r Field> {
    let name = path.strip_prefix("@.")?;
    let name = name.split(['.', '[']).next()?;
    resource.fields.iter().find(|field| field.name == name)
}
