//! Finds the field that carries a record's state, and its states: from an enum, or from the prose of its
//! description. Must not say what a state means.

use provely_document::Node;
use provely_model::Parts;

use super::cues::{Saying, cues};
use super::fields::{path, step};
use super::graph;
use super::names::hint;
use super::prose::{examples, prose_states};
use super::records::settled;
use super::words::words;
use crate::ingest::{Property, Schema};

/// The field that carries the state, and the states.
#[derive(Debug, Clone)]
pub(super) struct StateField<'a> {
    /// Name of the field.
    pub(super) name: String,
    /// Where a record carries it, rooted at `@`; within a part, where there are parts.
    pub(super) path: String,
    /// Its schema.
    pub(super) schema: Schema<'a>,
    /// The schema of the object that it stands in.
    pub(super) owner: Schema<'a>,
    /// The states, in source order, as they are written.
    pub(super) states: Vec<String>,
    /// What each state is called: its name, or what a number is said to stand for.
    pub(super) called: Vec<String>,
    /// The states come from prose; there may be others.
    pub(super) open: bool,
    /// States are texts: a contract can name them.
    pub(super) text: bool,
    /// The list inside the record that carries it.
    pub(super) parts: Option<Parts>,
    /// Another field of the record carries the outcome.
    pub(super) outcome_elsewhere: bool,
    /// A further field: what is said of the record without naming the field is not said of it.
    pub(super) further: bool,
}

/// The values of a field that may be states.
#[derive(Debug)]
struct Values {
    states: Vec<String>,
    called: Vec<String>,
    open: bool,
    text: bool,
}

impl Values {
    fn texts(states: Vec<String>, open: bool) -> Self {
        Self { called: states.clone(), states, open, text: true }
    }

    /// How many of them are called what states are called.
    fn known(&self) -> usize {
        self.called.iter().filter(|name| hint(name).saying.is_some()).count()
    }
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
                        carries(&schema, member, (&members, 0), &path(property.name))
                    })
                })
            })
            .next()
    })
}

fn best<'a>(owner: &Schema<'a>, properties: &[Property<'a>], above: &str) -> Option<StateField<'a>> {
    let mut fields = ranked(owner, properties, above);
    fields.retain(|(_, field)| field.text && field.states.len() > 1);
    fields.into_iter().map(|(_, field)| field).next()
}

/// The fields of an object that may carry a state, best first.
pub(super) fn ranked<'a>(
    owner: &Schema<'a>,
    properties: &[Property<'a>],
    above: &str,
) -> Vec<(usize, StateField<'a>)> {
    let mut ranked: Vec<(usize, &Property<'a>)> =
        properties.iter().filter_map(|property| Some((rank(property.name)?, property))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let outcomes = cues().states.field_names.first_outcome();
    let fields = ranked
        .iter()
        .filter_map(|(rank, property)| Some((*rank, carries(owner, property, (properties, *rank), above)?)));
    let mut fields: Vec<(usize, StateField<'a>)> = fields.collect();
    let ends = |(rank, field): &(usize, StateField<'a>)| {
        let says = |wanted: Saying| field.called.iter().any(|name| hint(name).saying == Some(wanted));
        *rank >= outcomes && says(Saying::Success) && says(Saying::Failure)
    };
    if fields.iter().any(ends) {
        for (_, field) in fields.iter_mut().filter(|(rank, _)| *rank < outcomes) {
            field.outcome_elsewhere = true;
        }
    }
    fields
}

/// The field as one that carries states, if it has some.
fn carries<'a>(
    owner: &Schema<'a>,
    property: &Property<'a>,
    (siblings, rank): (&[Property<'a>], usize),
    above: &str,
) -> Option<StateField<'a>> {
    if graph::takes_arguments(&property.schema) {
        return None;
    }
    let values = values_of(&property.schema, siblings, rank)?;
    let sure = rank < cues().states.field_names.first_outcome() || values.known() * 2 >= values.states.len();
    sure.then(|| field(owner, property, above, values))
}

fn field<'a>(owner: &Schema<'a>, property: &Property<'a>, above: &str, values: Values) -> StateField<'a> {
    StateField {
        name: property.name.to_owned(),
        path: step(above, property.name),
        schema: property.schema.clone(),
        owner: owner.clone(),
        states: values.states,
        called: values.called,
        open: values.open,
        text: values.text,
        parts: None,
        further: false,
        outcome_elsewhere: false,
    }
}

/// How well a name fits a state field, 0 best: exact names, endings, then names of outcomes and, last,
/// endings about something else, which need that the values are called what states are called.
fn rank(name: &str) -> Option<usize> {
    let table = &cues().states.field_names;
    let parts = words(name);
    let whole = parts.join("_");
    if let Some(exact) = table.exact.iter().position(|known| *known == whole) {
        return Some(exact);
    }
    let last = parts.last()?;
    let suffix = table.suffixes.iter().position(|known| known == last);
    let about_else =
        parts.iter().any(|word| table.excluded.contains(word)) || table.excluded.contains(&whole);
    match suffix {
        Some(suffix) if !about_else => Some(table.exact.len() + suffix),
        Some(_) => Some(table.first_outcome() + table.outcomes.len()),
        None => {
            let outcome = table.outcomes.iter().position(|known| *known == whole || known == last)?;
            Some(table.first_outcome() + outcome)
        }
    }
}

fn values_of(schema: &Schema<'_>, siblings: &[Property<'_>], rank: usize) -> Option<Values> {
    let listed = schema.values();
    let numbers = !listed.is_empty() && listed.iter().all(|value| value.parse::<i64>().is_ok());
    if numbers {
        let called = numbered(schema, &listed)?;
        return Some(Values { states: listed, called, open: false, text: false });
    }
    let exact = rank < cues().states.field_names.exact.len();
    if listed.len() >= 2
        || (exact && listed.len() == 1 && listed.iter().any(|name| hint(name).saying.is_some()))
    {
        return Some(Values::texts(listed, false));
    }
    let types = schema.types();
    if !types.is_empty() && types != ["string"] {
        return None;
    }
    let said = prose_states(schema, siblings);
    let few = exact && said.is_empty();
    let said = if few { examples(schema) } else { said };
    (said.len() >= 2 || (few && said.len() == 1)).then(|| Values::texts(said, true))
}

/// What the numbers of an enumeration stand for: variants with a title, lists of names in the order of the
/// values, or `1: name` in prose.
fn numbered(schema: &Schema<'_>, listed: &[String]) -> Option<Vec<String>> {
    let titled = titles(schema, 4);
    let members = &cues().shapes.value_names;
    let names = members.iter().find_map(|member| schema.keyword(member));
    let names: Vec<&str> = names.into_iter().flat_map(Node::items).filter_map(Node::as_str).collect();
    let called = |(index, value): (usize, &String)| {
        let titled = titled.iter().find(|(known, _)| known == value).map(|(_, title)| title.clone());
        let in_order =
            || names.get(index).filter(|_| names.len() == listed.len()).map(|name| (*name).to_owned());
        titled.or_else(in_order).or_else(|| spelled(schema, value))
    };
    let found: Vec<String> = listed.iter().enumerate().filter_map(called).collect();
    (found.len() == listed.len() && found.len() >= 2).then_some(found)
}

/// Variants that fix one value each, with their titles.
fn titles(schema: &Schema<'_>, depth: usize) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if depth == 0 {
        return found;
    }
    for variant in schema.variants().into_iter().chain(schema.all_of()) {
        match (variant.values().as_slice(), variant.keyword("title").and_then(Node::as_str)) {
            ([only], Some(title)) => found.push((only.clone(), title.to_owned())),
            _ => found.extend(titles(&variant, depth - 1)),
        }
    }
    found
}

/// The word behind a number in the description: `1: pending`, `2 = done`, `3 - failed`.
fn spelled(schema: &Schema<'_>, value: &str) -> Option<String> {
    for (_, text) in schema.descriptions() {
        for line in text.split(['\n', ',', ';']) {
            let line = line.trim_start_matches(|letter: char| !letter.is_ascii_digit() && letter != '-');
            let Some(rest) = line.trim_start_matches(['-', ' ']).strip_prefix(value) else { continue };
            let rest = rest.trim_start_matches(['`', '*', '"', ' ']);
            let Some(name) = rest.strip_prefix([':', '=', '-', '–', '—', '(']) else { continue };
            let name = name.trim_start_matches(['>', ' ', '`', '*', '"']);
            let name: String =
                name.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            if !name.is_empty() {
                return Some(name);
            }
        }
    }
    None
}
