//! The records that stand in lists inside a record. Must not judge what they mean.

use std::collections::BTreeSet;

use super::{Types, connection, form, takes_arguments};
use crate::classify::fields;
use crate::classify::records::{Held, array_of};
use crate::ingest::{Property, Schema};

/// A list of records inside a record.
pub(in crate::classify) struct ListField<'a> {
    /// The schema of its items.
    pub item: Schema<'a>,
    /// The member below the field that lists them, if it is a connection.
    pub below: Option<&'static str>,
}

/// The records that a field lists, plainly or as a connection.
pub(in crate::classify) fn list_field<'a>(property: &Property<'a>) -> Option<ListField<'a>> {
    if takes_arguments(&property.schema) {
        return None;
    }
    let (item, below) = match array_of(&property.schema) {
        Some(item) => (item, None),
        None => connection(&property.schema).map(|(item, member)| (item, Some(member)))?,
    };
    matches!(form(&item), Some("object" | "interface")).then_some(ListField { item, below })
}

/// True for a record that lists records of a type.
fn lists(owner: &Schema<'_>, record: &Schema<'_>) -> bool {
    let listed = owner.properties();
    listed.iter().filter_map(list_field).any(|list| list.item.identity() == record.identity())
}

/// The types of records that stand in lists inside other records, have an id and carry a state, and of the
/// records that list those that name them; each once.
pub(in crate::classify) fn children<'a>(types: &Types, held: &[Option<Held<'a>>]) -> Vec<Schema<'a>> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for record in held.iter().flatten().map(|held| &held.record).filter(|record| form(record).is_some()) {
        if !seen.insert(fields::key(record)) {
            continue;
        }
        for property in record.properties() {
            match list_field(&property) {
                Some(list) if types.id(&list.item).is_some() && types.has_state(&list.item) => {
                    found.push(list.item);
                }
                None if types.id(&property.schema).is_some() && lists(&property.schema, record) => {
                    found.push(property.schema);
                }
                Some(_) | None => {}
            }
        }
    }
    found
}
