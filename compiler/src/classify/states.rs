//! Finds the field that carries a record's state, and its states: from an enum, or from the prose of its
//! description. Must not say what a state means.

use provely_document::Node;

use super::cues::cues;
use super::fields::{path, step};
use super::graph;
use super::records::settled;
use super::words::words;
use crate::ingest::{Property, Schema, blocks};

/// The field that carries the state, and the states.
#[derive(Debug)]
pub(super) struct StateField<'a> {
    /// Name of the field.
    pub(super) name: String,
    /// Where a record carries it, rooted at `@`.
    pub(super) path: String,
    /// Its schema.
    pub(super) schema: Schema<'a>,
    /// The schema of the object that it stands in.
    pub(super) owner: Schema<'a>,
    /// The states, in source order.
    pub(super) states: Vec<String>,
    /// The states come from prose; there may be others.
    pub(super) open: bool,
}

/// The state field of a record: its own fields first, then those of containers one level down.
pub(super) fn state_field<'a>(record: &Schema<'a>) -> Option<StateField<'a>> {
    let properties = record.properties();
    best(record, &properties, "@").or_else(|| {
        let containers = &cues().states.containers;
        let holds = |name: &str, wanted: &str| words(name).last().is_some_and(|last| last == wanted);
        let inner = containers
            .iter()
            .map(String::as_str)
            .flat_map(|wanted| properties.iter().filter(move |property| holds(property.name, wanted)));
        inner
            .filter_map(|property| {
                let schema = settled(&property.schema);
                let members = schema.properties();
                let state = rank(property.name).is_some();
                // Another record has states of its own, unless it is what the state is.
                if !state && graph::form(&schema).is_some() && graph::id_field(&schema).is_some() {
                    return None;
                }
                best(&schema, &members, &path(property.name)).or_else(|| {
                    let kinds = if state { cues().states.kinds.as_slice() } else { &[] };
                    kinds.iter().find_map(|kind| {
                        let member = members.iter().find(|member| member.name == kind)?;
                        carries(&schema, member, &members, &path(property.name))
                    })
                })
            })
            .next()
    })
}

fn best<'a>(owner: &Schema<'a>, properties: &[Property<'a>], above: &str) -> Option<StateField<'a>> {
    let mut ranked: Vec<(usize, &Property<'a>)> =
        properties.iter().filter_map(|property| Some((rank(property.name)?, property))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().find_map(|(_, property)| carries(owner, property, properties, above))
}

/// The field as that of the state, if it has states.
fn carries<'a>(
    owner: &Schema<'a>,
    property: &Property<'a>,
    siblings: &[Property<'a>],
    above: &str,
) -> Option<StateField<'a>> {
    if graph::takes_arguments(&property.schema) {
        return None;
    }
    let (states, open) = states_of(&property.schema, siblings)?;
    Some(StateField {
        name: property.name.to_owned(),
        path: step(above, property.name),
        schema: property.schema.clone(),
        owner: owner.clone(),
        states,
        open,
    })
}

/// How well a name fits a state field, 0 best.
fn rank(name: &str) -> Option<usize> {
    let table = &cues().states.field_names;
    let parts = words(name);
    let whole = parts.join("_");
    if let Some(exact) = table.exact.iter().position(|known| *known == whole) {
        return Some(exact);
    }
    let last = parts.last()?;
    let suffix = table.suffixes.iter().position(|known| known == last)?;
    let about_else =
        parts.iter().any(|word| table.excluded.contains(word)) || table.excluded.contains(&whole);
    (!about_else).then_some(table.exact.len() + suffix)
}

fn states_of(schema: &Schema<'_>, siblings: &[Property<'_>]) -> Option<(Vec<String>, bool)> {
    let listed = schema.values();
    let types = schema.types();
    if listed.len() >= 2 {
        let numbers = types.iter().all(|name| matches!(*name, "integer" | "number")) && !types.is_empty();
        return (!numbers).then_some((listed, false));
    }
    if !types.is_empty() && types != ["string"] {
        return None;
    }
    let said = prose_states(schema, siblings);
    (said.len() >= 2).then_some((said, true))
}

/// Values that the description sets in code or quotes, names of sibling fields left out.
fn prose_states(schema: &Schema<'_>, siblings: &[Property<'_>]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (_, description) in schema.descriptions() {
        for block in blocks(description) {
            let (crate::ingest::Block::Text(text) | crate::ingest::Block::Heading(_, text)) = block else {
                continue;
            };
            for token in marked(&text) {
                let sibling = siblings.iter().any(|property| property.name == token);
                if is_value(token) && !sibling && !found.iter().any(|known| known == token) {
                    found.push(token.to_owned());
                }
            }
        }
    }
    if found.is_empty() {
        found = schema.descriptions().iter().find_map(|(_, text)| enumerated(text)).unwrap_or_default();
    }
    let examples = schema.keyword("example").and_then(Node::as_str);
    if found.len() == 1 && examples.is_some_and(|example| found.iter().all(|known| known != example)) {
        found.extend(examples.map(str::to_owned));
    }
    found
}

/// The single words of an enumeration behind a colon, three at least: `State: new, open or closed.`
fn enumerated(text: &str) -> Option<Vec<String>> {
    let (_, rest) = text.split_once(": ")?;
    let sentence = rest.split(['.', ';', '\n']).next()?;
    let (front, last) = sentence.rsplit_once(" or ").or_else(|| sentence.rsplit_once(" and "))?;
    let items = front.trim_end_matches(',').split(',').chain([last]).map(str::trim);
    let found: Vec<String> = items.map(str::to_owned).collect();
    (found.len() >= 3 && found.iter().all(|word| is_value(word))).then_some(found)
}

/// Texts between backticks or double quotes.
pub(super) fn marked(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '"', '“']) {
        let tail = rest.get(at..).unwrap_or_default();
        let mut letters = tail.chars();
        let open = letters.next().unwrap_or('`');
        let close = if open == '“' { '”' } else { open };
        let inside = letters.as_str();
        let Some(end) = inside.find(close) else { break };
        found.extend(inside.get(..end));
        rest = inside.get(end + close.len_utf8()..).unwrap_or_default();
    }
    found
}

/// Looks like a fixed value: one word of letters, digits, `_` and `-`, with letters.
fn is_value(token: &str) -> bool {
    let plain = token.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'));
    let letters = token.chars().filter(char::is_ascii_alphabetic).count();
    plain && letters >= 2 && token.len() <= 48 && !matches!(token, "null" | "true" | "false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_enumeration_behind_a_colon_names_states() {
        let found = enumerated("Lifecycle state: pending, active, or gone_for_good.");
        assert_eq!(found.unwrap(), ["pending", "active", "gone_for_good"]);
        assert_eq!(enumerated("Note: the record is kept, or not, as you wish."), None);
        assert_eq!(enumerated("Either: on or off."), None);
    }
}
