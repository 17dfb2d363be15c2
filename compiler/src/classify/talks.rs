//! Collects the texts that may speak of a record's states: at the field and its values, at the record and
//! its other fields, at operations and events, and in documents. Must not read them.

use provely_document::{Kind, Node};
use provely_model::{Operation, Role};

use super::cues::cues;
use super::sentences::about;
use super::statements::Talk;
use super::states::StateField;
use super::words::{holds_phrase, prose_words, words};
use crate::ingest::{Block, Ingested, Schema, blocks};

/// The texts that may speak of the states of one resource, those nearest to the field first.
pub(super) fn talks(
    found: &Ingested,
    record: &Schema<'_>,
    field: &StateField<'_>,
    resource: &str,
    operations: &[&Operation],
) -> Vec<Talk> {
    let mut talks = Vec::new();
    for (assertion, text) in field.schema.descriptions() {
        add(&mut talks, &assertion, text, None, false);
    }
    values(&field.schema, &field.states, &mut talks, 4);
    for schema in [record, &field.owner] {
        for (assertion, text) in schema.descriptions() {
            add(&mut talks, &assertion, text, None, false);
        }
    }
    siblings(field, &mut talks);
    for operation in operations {
        at_operation(found, operation, &mut talks);
    }
    events(found, field, resource, &mut talks);
    for passage in &found.passages {
        let headings = passage.headings.join(" / ");
        if about(&headings, resource) {
            let heading = passage.headings.last().map(|text| super::words::snake(text));
            let topic = field.states.iter().position(|state| Some(super::words::snake(state)) == heading);
            let text = passage.text.clone();
            talks.push(Talk { assertion: passage.assertion.clone(), text, about: topic, moving: false });
        }
    }
    talks.dedup_by(|one, two| one.assertion == two.assertion && one.text == two.text);
    talks
}

/// Adds the blocks of a text; what it is about holds for the first of them.
fn add(talks: &mut Vec<Talk>, assertion: &str, text: &str, about: Option<usize>, moving: bool) {
    let mut about = about;
    for block in blocks(text) {
        match block {
            Block::Text(text) | Block::Heading(_, text) => {
                talks.push(Talk { assertion: assertion.to_owned(), text, about: about.take(), moving });
            }
            Block::Code(_) => {}
        }
    }
}

/// Texts that stand at single values: variants that fix one value each, and vendor members.
fn values(schema: &Schema<'_>, states: &[String], talks: &mut Vec<Talk>, depth: usize) {
    let position = |name: &str| states.iter().position(|state| state == name);
    for member in &cues().shapes.value_texts {
        let Some(node) = schema.keyword(member) else { continue };
        let assertion = format!("{}/{member}", schema.assertion());
        match node.kind() {
            Kind::Object => {
                for entry in node.entries() {
                    if let (Some(state), Some(text)) = (position(entry.key), entry.value.as_str()) {
                        add(talks, &assertion, text, Some(state), false);
                    }
                }
            }
            Kind::Array => listed(node, schema, states, &assertion, talks),
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => {}
        }
    }
    if depth == 0 {
        return;
    }
    for variant in schema.variants().into_iter().chain(schema.all_of()) {
        let fixed = variant.values();
        if let ([only], Some(text)) = (fixed.as_slice(), variant.description())
            && let Some(state) = position(only)
        {
            add(talks, &variant.assertion(), text, Some(state), false);
        }
        values(&variant, states, talks, depth - 1);
    }
}

fn listed(node: Node<'_>, schema: &Schema<'_>, states: &[String], assertion: &str, talks: &mut Vec<Talk>) {
    let order = schema.values();
    for (index, item) in node.items().enumerate() {
        let name = ["value", "name", "enum"].iter().find_map(|key| item.get(key)).and_then(Node::scalar_text);
        let name = name.map(str::to_owned).or_else(|| order.get(index).cloned());
        let text = item.as_str().or_else(|| item.get("description").and_then(Node::as_str));
        let state = name.and_then(|name| states.iter().position(|state| *state == name));
        if let (Some(state), Some(text)) = (state, text) {
            add(talks, assertion, text, Some(state), false);
        }
    }
}

/// Other fields of the record whose texts mention states that are not their own values.
fn siblings(field: &StateField<'_>, talks: &mut Vec<Talk>) {
    for property in field.owner.properties() {
        if property.name == field.name {
            continue;
        }
        let Some(text) = property.schema.description() else { continue };
        let own = property.schema.values().iter().any(|value| field.states.contains(value));
        let mentions = field.states.iter().any(|state| text.contains(state.as_str()));
        if !own && mentions {
            let assertion = property.schema.named_assertion();
            add(talks, &assertion, text, None, false);
        }
    }
}

fn at_operation(found: &Ingested, operation: &Operation, talks: &mut Vec<Talk>) {
    let Some(stated) = found.operation(&operation.id) else { return };
    let moving = matches!(operation.role, Role::Cancel | Role::Act) && moves_on(&operation.path);
    for text in [&stated.summary, &stated.description].into_iter().flatten() {
        add(talks, &stated.assertion, text, None, moving);
    }
}

/// The path ends in a verb that moves a record on.
fn moves_on(path: &str) -> bool {
    let last = path.rsplit(['/', ':']).next().unwrap_or_default();
    let first = words(last).into_iter().next().unwrap_or_default();
    cues().phrases.open_verbs.iter().any(|verb| super::words::fits(&first, verb))
}

/// Events of the resource whose last word is a state: their text explains the state.
fn events(found: &Ingested, field: &StateField<'_>, resource: &str, talks: &mut Vec<Talk>) {
    let last = resource.rsplit('.').next().unwrap_or(resource);
    let name = words(last);
    for event in &found.event_types {
        let Some(text) = event.description.as_ref().or(event.summary.as_ref()) else { continue };
        let parts = words(&event.name);
        let rest = parts.strip_prefix(name.as_slice()).unwrap_or_default();
        let topic = field.states.iter().position(|state| !rest.is_empty() && words(state) == rest);
        let subject = !name.is_empty() && holds_phrase(&prose_words(text), last);
        if topic.is_some() || (subject && rest.len() < parts.len()) {
            add(talks, &event.assertion, text, topic, false);
        }
    }
}
