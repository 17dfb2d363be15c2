//! The selection set that asks for a record: its own values, its parents by id, money and other plain objects
//! in full, and lists of children that carry a state. Bounded in depth and size. Must not hold variables.

use std::fmt::Write as _;

use super::{Types, connection, form, list_field, takes_arguments};
use crate::classify::fields::is_scalar;
use crate::classify::records::array_of;
use crate::ingest::{Property, Schema, field_arguments};

/// How many children are asked for at once.
pub(crate) const MOST_ITEMS: u32 = 50;
/// Deepest selection.
const MOST_DEPTH: usize = 6;
/// Most fields of one selection.
const MOST_FIELDS: usize = 300;

/// The selection of a root field's result, braces included; empty for a scalar. `select` leads to the record
/// in a reply: what else a payload holds is asked for in brief.
pub(super) fn of_result(types: &Types, result: &Schema<'_>, select: &str) -> String {
    let record = select.split('.').nth(3);
    let mut writer = Writer { types, record, out: String::new(), left: MOST_FIELDS };
    writer.whole(&array_of(result).unwrap_or_else(|| result.clone()), MOST_DEPTH);
    writer.out
}

struct Writer<'t> {
    types: &'t Types,
    /// The member of a payload that is its record.
    record: Option<&'t str>,
    out: String,
    left: usize,
}

impl Writer<'_> {
    /// Everything that a plan may need of a record, a payload or a connection.
    fn whole(&mut self, schema: &Schema<'_>, depth: usize) {
        let types = self.types;
        if is_scalar(schema) {
            return;
        }
        if form(schema) == Some("union") {
            return self.union(schema, depth);
        }
        if let Some((item, member)) = connection(schema) {
            return self.connection(&item, member, depth, true);
        }
        let written = types.selection(schema, || {
            let mut writer = Writer { types, record: None, out: String::new(), left: MOST_FIELDS };
            writer.fields(schema, MOST_DEPTH - 2, true);
            writer.out
        });
        match written {
            Some(text) => self.insert(text),
            None => self.fields(schema, depth, false),
        }
    }

    fn insert(&mut self, text: &str) {
        if !self.out.is_empty() && !text.is_empty() {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    fn fields(&mut self, schema: &Schema<'_>, depth: usize, record: bool) {
        self.braces(|writer| {
            for property in ordered(schema) {
                writer.field(&property, depth, record);
            }
        });
    }

    /// One field of a whole; inside a payload records are whole too.
    fn field(&mut self, property: &Property<'_>, depth: usize, record: bool) {
        if self.left == 0 || takes_arguments(&property.schema) || is_deprecated(property) {
            return;
        }
        let item = array_of(&property.schema);
        let inner = item.clone().unwrap_or_else(|| property.schema.clone());
        if is_scalar(&inner) {
            return self.name(property.name);
        }
        if depth <= 1 {
            return;
        }
        let child = list_field(property).filter(|list| self.types.has_state(&list.item));
        let connected = connection(&property.schema).is_some();
        match (child, record) {
            (Some(list), true) => self.children(property, &list.item, list.below, depth),
            (None, true) if connected || item.is_some() => {
                // Of lists that carry no state only plain values are of use.
                if !connected && self.types.id(&inner).is_none() {
                    self.sub(property.name, |writer| writer.brief(&inner, depth - 1));
                }
            }
            (None, true) => self.sub(property.name, |writer| writer.brief(&inner, depth - 1)),
            (_, false) if self.record.is_none_or(|record| record == property.name) => {
                self.sub(property.name, |writer| writer.whole(&inner, depth - 1));
            }
            (_, false) if connected => {}
            (_, false) => self.sub(property.name, |writer| writer.brief(&inner, depth - 1)),
        }
    }

    fn children(&mut self, property: &Property<'_>, item: &Schema<'_>, below: Option<&str>, depth: usize) {
        let sized = field_arguments(&property.schema).iter().any(|argument| argument.name == "first");
        let mut name = property.name.to_owned();
        if sized {
            // Writing to a string cannot fail.
            let _ = write!(name, "(first: {MOST_ITEMS})");
        }
        self.sub(&name, |writer| match below {
            Some(member) => writer.connection(item, member, depth - 1, false),
            None => writer.child(item, depth - 1),
        });
    }

    fn connection(&mut self, item: &Schema<'_>, member: &str, depth: usize, whole: bool) {
        self.braces(|writer| {
            let content = |writer: &mut Self| {
                if whole {
                    writer.whole(item, depth.saturating_sub(1))
                } else {
                    writer.child(item, depth.saturating_sub(1))
                }
            };
            if member == "edges" {
                writer.sub("edges", |writer| {
                    writer.braces(|writer| {
                        writer.name("cursor");
                        writer.sub("node", content);
                    })
                });
            } else {
                writer.sub(member, content);
            }
            writer.name("pageInfo { hasNextPage endCursor }");
        });
    }

    /// A child: its own values, and plain objects in full.
    fn child(&mut self, schema: &Schema<'_>, depth: usize) {
        self.braces(|writer| {
            for property in ordered(schema) {
                let plain = array_of(&property.schema).is_none() && connection(&property.schema).is_none();
                if plain {
                    writer.field(&property, depth, true);
                }
            }
        });
    }

    /// Another record by its id and its state; a plain object in full.
    fn brief(&mut self, schema: &Schema<'_>, depth: usize) {
        if form(schema) == Some("union") {
            return self.union(schema, depth);
        }
        let types = self.types;
        let Some(id) = types.id(schema) else { return self.plain(schema, depth) };
        let state = types.state(schema);
        let kinds = &crate::classify::cues::cues().states.kinds;
        self.braces(|writer| {
            writer.name(id);
            for property in schema.properties() {
                let wanted = Some(property.name) == state || kinds.iter().any(|kind| kind == property.name);
                let open = takes_arguments(&property.schema) || is_deprecated(&property);
                if wanted && property.name != id && is_scalar(&property.schema) && !open {
                    writer.name(property.name);
                }
            }
        });
    }

    fn plain(&mut self, schema: &Schema<'_>, depth: usize) {
        self.braces(|writer| {
            for property in schema.properties() {
                let open = takes_arguments(&property.schema) || is_deprecated(&property);
                let item = array_of(&property.schema);
                let values = is_scalar(item.as_ref().unwrap_or(&property.schema));
                if open || (item.is_some() && !values) || writer.left == 0 {
                    continue;
                }
                if values {
                    writer.name(property.name);
                } else if depth > 1 && connection(&property.schema).is_none() {
                    writer.sub(property.name, |writer| writer.brief(&property.schema, depth - 1));
                }
            }
        });
    }

    /// Members may type a field of one name differently, so only ids are asked for.
    fn union(&mut self, schema: &Schema<'_>, depth: usize) {
        if depth == 0 {
            return;
        }
        self.braces(|writer| {
            writer.name("__typename");
            for variant in schema.variants() {
                if let (Some(name), Some(id)) = (variant.name(), writer.types.id(&variant)) {
                    writer.name(&format!("... on {name} {{ {id} }}"));
                }
            }
        });
    }

    fn name(&mut self, name: &str) {
        if self.left > 0 {
            self.left -= 1;
            if !self.out.is_empty() {
                self.out.push(' ');
            }
            self.out.push_str(name);
        }
    }

    /// A field with a selection of its own; nothing at all where that stays empty.
    fn sub(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        let (before, left) = (self.out.len(), self.left);
        self.name(name);
        let mark = self.out.len();
        content(self);
        if self.out.len() == mark {
            self.out.truncate(before);
            self.left = left;
        }
    }

    /// Braces around what is written; nothing at all where nothing is.
    fn braces(&mut self, content: impl FnOnce(&mut Self)) {
        let before = self.out.len();
        self.out.push_str(if before == 0 { "{" } else { " {" });
        let mark = self.out.len();
        content(self);
        if self.out.len() == mark {
            self.out.truncate(before);
        } else {
            self.out.push_str(" }");
        }
    }
}

/// The fields of a type, those that hold one value first, the id before them: what a limit cuts off is the rest.
fn ordered<'a>(schema: &Schema<'a>) -> Vec<Property<'a>> {
    let mut properties = schema.properties();
    let ids = &crate::classify::cues::cues().shapes.id;
    properties.sort_by_cached_key(|property| match () {
        () if ids.iter().any(|id| id == property.name) => 0,
        () if is_scalar(&property.schema) => 1,
        () if array_of(&property.schema).is_none() && connection(&property.schema).is_none() => 2,
        () => 3,
    });
    properties
}

fn is_deprecated(property: &Property<'_>) -> bool {
    property.schema.beside("deprecated").and_then(provely_document::Node::as_bool) == Some(true)
}
