//! What is asked of many types many times, found once: the field of the id, and that of the state. Must not
//! judge states.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::{Style, form, id_field};
use crate::classify::fields::key;
use crate::classify::states::state_field;
use crate::ingest::{Ingested, Schema};

/// The habits and types of a schema.
pub(in crate::classify) struct Types {
    /// Where the verb stands in the names of mutations.
    pub style: Style,
    fields: BTreeMap<(usize, String), Shape>,
}

#[derive(Default)]
struct Shape {
    id: Option<String>,
    /// Only a field of the type's own, not one further down.
    state: Option<String>,
    has_state: bool,
    /// The selection that asks for a record of the type.
    selection: OnceLock<String>,
}

impl Types {
    /// Looks at every type once.
    pub(in crate::classify) fn of(found: &Ingested) -> Self {
        let schemas = found.schemas.par_iter().filter_map(|place| found.schema(place));
        let types = schemas.filter(|schema| matches!(form(schema), Some("object" | "interface")));
        let fields = types.map(|schema| (key(&schema), Shape::of(&schema))).collect();
        Self { style: Style::of(found), fields }
    }

    /// The field of a type that carries its id.
    pub(in crate::classify) fn id(&self, schema: &Schema<'_>) -> Option<&str> {
        self.fields.get(&key(schema))?.id.as_deref()
    }

    /// The type's own field that carries its state.
    pub(in crate::classify) fn state(&self, schema: &Schema<'_>) -> Option<&str> {
        self.fields.get(&key(schema))?.state.as_deref()
    }

    /// The selection of a type's record, written once.
    pub(in crate::classify) fn selection(
        &self,
        schema: &Schema<'_>,
        write: impl FnOnce() -> String,
    ) -> Option<&str> {
        let shape = self.fields.get(&key(schema)).filter(|shape| shape.id.is_some())?;
        Some(shape.selection.get_or_init(write))
    }

    /// True for a type whose records carry a state.
    pub(in crate::classify) fn has_state(&self, schema: &Schema<'_>) -> bool {
        self.fields.get(&key(schema)).is_some_and(|shape| shape.has_state)
    }
}

impl Shape {
    fn of(schema: &Schema<'_>) -> Self {
        let state = state_field(schema);
        let own = state.as_ref().filter(|field| field.owner.identity() == schema.identity());
        Self {
            id: id_field(schema),
            state: own.map(|field| field.name.clone()),
            has_state: state.is_some(),
            selection: OnceLock::new(),
        }
    }
}
