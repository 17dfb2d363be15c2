//! Finds the record in a reply: alone, wrapped, or as the items of a list. Must not name resources.

use crate::classify::cues::cues;
use crate::classify::refusals::worked;
use crate::ingest::{Property, Schema};

/// The record that a reply holds.
#[derive(Debug, Clone)]
pub(super) struct Held<'a> {
    /// Schema of the record.
    pub(super) record: Schema<'a>,
    /// Query from the reply to the record or the list, rooted at `$`.
    pub(super) select: String,
    /// The reply holds a list.
    pub(super) list: bool,
}

/// The record of a reply's schema.
pub(super) fn held<'a>(reply: &Schema<'a>) -> Option<Held<'a>> {
    let reply = settled(reply);
    if let Some(items) = array_of(&reply) {
        return Some(Held { record: settled(&items), select: "$".to_owned(), list: true });
    }
    let properties = reply.properties();
    if properties.is_empty() {
        return None;
    }
    page(&properties)
        .or_else(|| wrapped(&reply, &properties))
        .or_else(|| Some(Held { record: reply.clone(), select: "$".to_owned(), list: false }))
}

/// The first variant with a name or with properties, where a schema is only a choice.
pub(super) fn settled<'a>(schema: &Schema<'a>) -> Schema<'a> {
    let mut schema = schema.clone();
    for _ in 0..4 {
        if schema.keyword("properties").is_some() {
            break;
        }
        if schema.keyword("allOf").is_some() {
            match only_part(&schema) {
                Some(part) => schema = part,
                None => break,
            }
            continue;
        }
        let variants = schema.variants();
        let Some(first) =
            variants.into_iter().find(|variant| !variant.types().contains(&"string") && !variant.nothing())
        else {
            break;
        };
        schema = first;
    }
    schema
}

/// The one part of a composition that says anything.
fn only_part<'a>(schema: &Schema<'a>) -> Option<Schema<'a>> {
    let mut parts = schema.all_of().into_iter().filter(|part| {
        ["properties", "allOf", "oneOf", "anyOf"].iter().any(|keyword| part.keyword(keyword).is_some())
    });
    let part = parts.next()?;
    (parts.next().is_none() && schema.name().is_none() && part.name().is_some()).then_some(part)
}

/// The schema of the items, if this is an array.
pub(super) fn array_of<'a>(schema: &Schema<'a>) -> Option<Schema<'a>> {
    let array = schema.types().contains(&"array") || schema.keyword("items").is_some();
    if array { schema.items() } else { None }
}

/// An object with one array of objects, all other members of which are known from pages.
fn page<'a>(properties: &[Property<'a>]) -> Option<Held<'a>> {
    let mut arrays = properties.iter().filter_map(|property| {
        let items = settled(&array_of(&property.schema)?);
        (!items.properties().is_empty()).then_some((property.name, items))
    });
    let (name, record) = arrays.next()?;
    if arrays.next().is_some() {
        return None;
    }
    let others = properties.iter().filter(|property| property.name != name);
    others.clone().all(|property| surrounds(property)).then(|| Held {
        record,
        select: format!("$.{name}"),
        list: true,
    })
}

/// An object whose one member that is not known from pages is an object: what holds nothing but one record wraps it.
fn wrapped<'a>(reply: &Schema<'a>, properties: &[Property<'a>]) -> Option<Held<'a>> {
    let shapes = &cues().shapes;
    let mut others = properties.iter().filter(|property| {
        !surrounds(property) || shapes.wrappers.iter().any(|wrapper| wrapper == property.name)
    });
    let inner = others.next()?;
    if others.next().is_some() {
        return None;
    }
    if let Some(items) = array_of(&inner.schema) {
        let record = settled(&items);
        let select = format!("$.{}", inner.name);
        return (!record.properties().is_empty()).then_some(Held { record, select, list: true });
    }
    let record = settled(&inner.schema);
    let fields = record.properties();
    (fields.len() > 1 && reply.identity() != record.identity()).then(|| Held {
        record,
        select: format!("$.{}", inner.name),
        list: false,
    })
}

/// True for a member that stands around a record: it turns pages, or says how the call went.
fn surrounds(member: &Property<'_>) -> bool {
    let shapes = &cues().shapes;
    let name = member.name.to_ascii_lowercase();
    shapes.page_members.contains(&name)
        || shapes.refusals.flags.contains(&name)
        || shapes.refusals.beside.contains(&name)
        || worked(member).is_some()
}
