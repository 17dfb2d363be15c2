//! Gathers what stage 3 reads from the output of stages 1 and 2: passages, event types with samples, and the
//! members beside each list. Copies and pairs; must not interpret.

use std::collections::BTreeMap;

use provely_document::{Kind, Node};
use provely_evaluator::contract::Channel;
use provely_evaluator::json::{Number, Object, Value};
use provely_model::{Field, FieldKind, Operation, Resource, Service};

use super::known::{Envelope, EventType, Known, Passage};
use crate::classify::{
    Classified, GraphFacts, Refusal, facts, refusals, singular, snake, stated_scopes, words,
};
use crate::ingest::{ApiDirective, ApiOperation, Ingested, Schema};

/// Deepest value that is copied out of a sample.
const MOST_DEPTH: usize = 32;

/// What stage 3 reads, gathered from the stages before it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gathered {
    passages: Vec<Passage>,
    events: Vec<EventType>,
    envelopes: Vec<Envelope>,
    declared: Vec<Channel>,
    graph: GraphFacts,
    scopes: BTreeMap<String, Vec<String>>,
    refusals: BTreeMap<String, Refusal>,
    directives: Vec<ApiDirective>,
    version: Option<String>,
    event_id_header: Option<String>,
    event_type_header: Option<String>,
}

impl Gathered {
    /// Gathers from what was ingested and classified.
    #[must_use]
    pub fn of(found: &Ingested, classified: &Classified) -> Self {
        let service = &classified.service;
        let written = found.passages.iter().map(|passage| Passage::new(&passage.assertion, &passage.text));
        let described = found.operations.iter().filter_map(description);
        let lists = service
            .operations
            .iter()
            .filter(|operation| operation.reply.as_ref().is_some_and(|reply| reply.list));
        let file = found.file.as_ref();
        let ((events, refusals), (envelopes, graph)) = rayon::join(
            || rayon::join(|| events(found, &service.resources), || refusals(found)),
            || {
                let envelopes = lists.filter_map(|operation| envelope(found, operation)).collect();
                (envelopes, facts(found, &service.resources))
            },
        );
        Self {
            passages: written.chain(described).collect(),
            events,
            envelopes,
            declared: file
                .map(|file| file.channels.e4.iter().chain(&file.channels.e5).cloned().collect())
                .unwrap_or_default(),
            graph,
            scopes: scopes(found),
            refusals,
            directives: found.directives.clone(),
            version: found.version.clone(),
            event_id_header: file.and_then(|file| file.event_id_header.clone()),
            event_type_header: file.and_then(|file| file.event_type_header.clone()),
        }
    }

    /// What stage 3 takes.
    #[must_use]
    pub fn known<'a>(&'a self, service: &'a Service) -> Known<'a> {
        Known {
            service,
            passages: &self.passages,
            events: &self.events,
            envelopes: &self.envelopes,
            declared: &self.declared,
            event_id_header: self.event_id_header.as_deref(),
            event_type_header: self.event_type_header.as_deref(),
            graph: &self.graph,
            scopes: &self.scopes,
            refusals: &self.refusals,
            directives: &self.directives,
            described_version: self.version.as_deref(),
        }
    }
}

/// The scopes that queries ask for, by their own description or by that of what they answer.
fn scopes(found: &Ingested) -> BTreeMap<String, Vec<String>> {
    let queries = found.operations.iter().filter(|operation| operation.graphql.is_some());
    let stated = queries.filter_map(|operation| {
        let result = operation.success().and_then(|reply| found.schema(reply.schema.as_ref()?));
        let said = operation.description.as_deref().into_iter();
        let scopes: Vec<String> = said
            .chain(result.as_ref().and_then(|result| result.keyword("description")?.as_str()))
            .flat_map(stated_scopes)
            .fold(Vec::new(), |mut list, scope| {
                if !list.contains(&scope) {
                    list.push(scope);
                }
                list
            });
        (!scopes.is_empty()).then(|| (operation.id.clone(), scopes))
    });
    stated.collect()
}

fn description(operation: &ApiOperation) -> Option<Passage> {
    let said = [&operation.summary, &operation.description].into_iter().flatten();
    let text = said.map(String::as_str).collect::<Vec<_>>().join(" ");
    let id = match operation.graphql {
        Some(_) => operation.assertion.clone(),
        None => format!("{}/description", operation.assertion),
    };
    (!text.is_empty()).then(|| Passage::new(id, text))
}

fn envelope(found: &Ingested, operation: &Operation) -> Option<Envelope> {
    let stated = found.operation(&operation.id)?.success()?.schema.as_ref()?;
    let schema = found.schema(stated)?;
    let fields = schema.properties().into_iter().map(|property| Field {
        name: property.name.to_owned(),
        kind: FieldKind::Any,
        required: property.required,
        nullable: property.schema.nullable(),
        values: Vec::new(),
        refers_to: None,
    });
    Some(Envelope { operation: operation.id.clone(), fields: fields.collect() })
}

/// Declared types first, then those that only a sample shows; each name once.
fn events(found: &Ingested, resources: &[Resource]) -> Vec<EventType> {
    let mut types: Vec<EventType> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let declared = found.event_types.iter().map(|event| {
        let schema = event.payload.as_ref().and_then(|payload| found.schema(payload));
        let reported = schema.and_then(|schema| resource_in(&schema, resources, 3));
        (event.name.as_str(), reported, event.assertion.as_str(), None)
    });
    let sampled = found.event_samples.iter().map(|sample| {
        let value = found.forest.node(&sample.payload).map(|node| value(node, MOST_DEPTH));
        (sample.name.as_str(), None, sample.assertion.as_str(), value)
    });
    for (name, reported, assertion, sample) in declared.chain(sampled) {
        let place = *places.entry(name).or_insert_with(|| {
            types.push(EventType {
                name: name.to_owned(),
                resource: None,
                samples: Vec::new(),
                assertions: Vec::new(),
            });
            types.len() - 1
        });
        let Some(event) = types.get_mut(place) else { continue };
        event.resource = event.resource.take().or(reported).or_else(|| resource_named(name, resources));
        event.samples.extend(sample);
        if !event.assertions.iter().any(|known| known == assertion) {
            event.assertions.push(assertion.to_owned());
        }
    }
    types
}

/// The resource whose schema the payload is, or holds.
fn resource_in(schema: &Schema<'_>, resources: &[Resource], depth: usize) -> Option<String> {
    let own = resources.iter().find(|resource| resource.schema == schema.pointer());
    if let Some(resource) = own {
        return Some(resource.name.clone());
    }
    if depth == 0 {
        return None;
    }
    schema.properties().iter().find_map(|property| resource_in(&property.schema, resources, depth - 1))
}

/// The resource that stands in front of an event's last words: `refund` in `refund.created`, `REFUNDS_CREATE`.
fn resource_named(event: &str, resources: &[Resource]) -> Option<String> {
    let named = |name: &str| {
        resources.iter().find(|resource| resource.name == name).map(|resource| resource.name.clone())
    };
    let dotted = event.rsplit_once(['.', '/']).and_then(|(front, _)| {
        let last = front.rsplit(['.', '/']).next().unwrap_or(front);
        named(front).or_else(|| named(last))
    });
    dotted.or_else(|| {
        let words = words(event);
        (1..=2).find_map(|cut| {
            let (last, front) = words.get(..words.len().checked_sub(cut)?)?.split_last()?;
            let front: String = front.iter().map(|word| format!("{word}_")).collect();
            let wanted = [format!("{front}{last}"), format!("{front}{}", singular(last))];
            let fits = |resource: &&Resource| wanted.contains(&snake(&resource.name));
            resources.iter().find(fits).map(|resource| resource.name.clone())
        })
    })
}

/// A sample's value; numbers keep their text.
fn value(node: Node<'_>, depth: usize) -> Value {
    match node.kind() {
        _ if depth == 0 => Value::Null,
        Kind::Null => Value::Null,
        Kind::Bool => node.as_bool().map_or(Value::Null, Value::from),
        Kind::Number => node.number_text().and_then(Number::from_text).map_or(Value::Null, Value::from),
        Kind::String => node.as_str().map_or(Value::Null, Value::from),
        Kind::Array => Value::Array(node.items().map(|item| value(item, depth - 1)).collect()),
        Kind::Object => {
            let members = node.entries().map(|entry| (entry.key, value(entry.value, depth - 1)));
            Value::Object(members.collect::<Object>())
        }
    }
}
