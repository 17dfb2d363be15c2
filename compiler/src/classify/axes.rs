//! Further fields of a record that carry states: beside the state field, inside objects and lists of the
//! record, and as booleans that say that something is done. Must not choose the state field.

use std::collections::BTreeSet;

use provely_model::Parts;

use super::cues::cues;
use super::fields::{Names, key, path, step};
use super::graph;
use super::records::{array_of, settled};
use super::states::{StateField, ranked};
use super::words::{snake, words};
use crate::ingest::{Property, Schema};

/// Most further fields of one record.
const MOST: usize = 12;

/// How deep objects are looked into.
const MOST_DEPTH: usize = 2;

/// The further fields of a record that carry states. `resources`: schemas that are records of their own.
pub(super) fn axes<'a>(
    record: &Schema<'a>,
    main: Option<&StateField<'a>>,
    resources: &Names,
) -> Vec<StateField<'a>> {
    let mut search = Search { resources, seen: BTreeSet::from([key(record)]), found: Vec::new() };
    search.object(record, "@", None, MOST_DEPTH);
    let mut places = BTreeSet::new();
    let mut found = search.found;
    found.retain(|field| {
        let own = main.is_some_and(|main| main.path == field.path && field.parts.is_none());
        !own && places.insert((field.path.clone(), field.parts.as_ref().map(|parts| parts.over.clone())))
    });
    found.truncate(MOST);
    found
}

struct Search<'a, 'n> {
    resources: &'n Names,
    seen: BTreeSet<(usize, String)>,
    found: Vec<StateField<'a>>,
}

impl<'a> Search<'a, '_> {
    fn object(&mut self, owner: &Schema<'a>, above: &str, parts: Option<&Parts>, depth: usize) {
        let properties = owner.properties();
        let here = ranked(owner, &properties, above).into_iter().map(|(_, field)| field);
        let here: Vec<StateField<'a>> = here.chain(flags(owner, &properties, above)).collect();
        let placed =
            here.into_iter().map(|field| StateField { parts: parts.cloned(), further: true, ..field });
        self.found.extend(placed);
        if depth == 0 || self.found.len() >= MOST {
            return;
        }
        for property in &properties {
            self.inside(property, above, parts, depth);
        }
    }

    fn inside(&mut self, property: &Property<'a>, above: &str, parts: Option<&Parts>, depth: usize) {
        if graph::takes_arguments(&property.schema) {
            return;
        }
        let schema = settled(&property.schema);
        if let Some(items) = array_of(&schema).filter(|_| parts.is_none()) {
            let items = settled(&items);
            if self.enters(&items) {
                let parts = Parts {
                    over: step(above, property.name),
                    resource: self.called(&items, property.name),
                    only: None,
                    amount: None,
                    live: None,
                    by_hand: None,
                    assertions: vec![property.schema.named_assertion()],
                };
                self.object(&items, "@", Some(&parts), depth - 1);
            }
        } else if self.enters(&schema) {
            self.object(&schema, &step(above, property.name), parts, depth - 1);
        }
    }

    /// An object that is no record of its own and was not looked into.
    fn enters(&mut self, schema: &Schema<'a>) -> bool {
        let inner = schema.keyword("properties").is_some() || schema.keyword("allOf").is_some();
        let node = graph::form(schema).is_some() && graph::id_field(schema).is_some();
        inner && !node && !self.resources.contains_key(&key(schema)) && self.seen.insert(key(schema))
    }

    fn called(&self, items: &Schema<'a>, list: &str) -> String {
        let name = items.name().map(|name| snake(&name));
        name.unwrap_or_else(|| {
            words(list).iter().map(|word| super::words::singular(word)).collect::<Vec<_>>().join("_")
        })
    }
}

/// Booleans that are called what states are called: `paid`, `is_complete`.
fn flags<'a>(owner: &Schema<'a>, properties: &[Property<'a>], above: &str) -> Vec<StateField<'a>> {
    let table = &cues().states;
    let flag = |property: &Property<'a>| {
        let name = snake(property.name);
        let name =
            table.flag_fronts.iter().find_map(|front| name.strip_prefix(front.as_str())).unwrap_or(&name);
        (property.schema.types() == ["boolean"] && table.flags.contains(name)).then(|| name.to_owned())
    };
    properties
        .iter()
        .filter_map(|property| {
            let name = flag(property)?;
            Some(StateField {
                name: property.name.to_owned(),
                path: if above == "@" { path(property.name) } else { step(above, property.name) },
                schema: property.schema.clone(),
                owner: owner.clone(),
                states: vec!["true".to_owned(), "false".to_owned()],
                called: vec![name, "false".to_owned()],
                open: false,
                text: false,
                parts: None,
                further: true,
                outcome_elsewhere: false,
            })
        })
        .collect()
}
