//! Finds the record in the result of a root field: itself, the items of a connection, or the one member of a
//! payload that stands beside errors. Must not name resources.

use provely_model::RootKind;

use crate::classify::cues::cues;
use crate::classify::fields::is_scalar;
use crate::classify::graph::{Style, form, id_field, verb_and_nouns};
use crate::classify::records::{Held, array_of, settled};
use crate::classify::words::{singular, snake, words};
use crate::ingest::{ApiRootField, Property, Schema};

/// The record that a root field's result holds.
pub(in crate::classify) fn held<'a>(
    result: &Schema<'a>,
    root: &ApiRootField,
    style: Style,
) -> Option<Held<'a>> {
    let base = format!("$.data.{}", root.name);
    let thing = verb_and_nouns(&root.name, style).1.join("_");
    if let Some(found) = list(result, &base) {
        return Some(found);
    }
    if is_bare(result) {
        return None;
    }
    let single = |record: &Schema<'a>| Held { record: record.clone(), select: base.clone(), list: false };
    match (root.kind, form(result)) {
        (_, Some("union")) => {
            let variants = result.variants();
            let records = variants.iter().filter(|one| id_field(one).is_some());
            let record = records.max_by_key(|one| nearness(&one.name().unwrap_or_default(), &thing));
            let payload = || variants.iter().find_map(|one| payload(one, &thing, &base));
            record.map(single).or_else(payload)
        }
        (RootKind::Query, _) if !result.properties().is_empty() => Some(single(result)),
        (RootKind::Mutation, _) if id_field(result).is_some() => Some(single(result)),
        (RootKind::Mutation, _) => payload(result, &thing, &base),
        (RootKind::Query, _) => None,
    }
}

/// The items of a list or a connection.
fn list<'a>(schema: &Schema<'a>, base: &str) -> Option<Held<'a>> {
    if let Some(items) = array_of(schema) {
        return has_fields(&items).then(|| Held { record: items, select: base.to_owned(), list: true });
    }
    let (record, member) = connection(schema)?;
    Some(Held { record, select: format!("{base}.{member}"), list: true })
}

/// The record of a connection, and the member that lists it: `nodes` where there is one, else `edges`.
pub(in crate::classify) fn connection<'a>(schema: &Schema<'a>) -> Option<(Schema<'a>, &'static str)> {
    let properties = schema.properties();
    let member = |name: &str| properties.iter().find(|property| property.name == name);
    member("pageInfo")?;
    if let Some(record) = member("nodes").and_then(|nodes| array_of(&nodes.schema)) {
        return Some((record, "nodes"));
    }
    let edge = array_of(&member("edges")?.schema)?;
    Some((edge.property("node")?.schema, "edges"))
}

/// The member of a payload that is the record: the one whose name or type the root field is named after, last
/// word first; else one alone before a list, and the first of several.
fn payload<'a>(payload: &Schema<'a>, thing: &str, base: &str) -> Option<Held<'a>> {
    let properties = payload.properties();
    let candidates = properties.iter().filter_map(|property| {
        let (record, select, list) = member(property, base)?;
        let named = nearness(property.name, thing).max(nearness(&record.name()?, thing));
        Some((named, !list, Held { record, select, list }))
    });
    // The first of equals: `max_by_key` would take the last.
    let mut best: Option<(usize, bool, Held<'a>)> = None;
    for one in candidates {
        if best.as_ref().is_none_or(|known| (one.0, one.1) > (known.0, known.1)) {
            best = Some(one);
        }
    }
    best.map(|(_, _, held)| held)
}

fn member<'a>(property: &Property<'a>, base: &str) -> Option<(Schema<'a>, String, bool)> {
    let shapes = &cues().shapes;
    let name = snake(property.name);
    if is_error_list(property) || shapes.not_records.contains(&name) || shapes.page_members.contains(&name) {
        return None;
    }
    let base = format!("{base}.{}", property.name);
    if let Some(found) = list(&property.schema, &base) {
        return Some((found.record, found.select, true));
    }
    let edge = property.schema.property("node").filter(|_| property.name.ends_with("Edge"));
    if let Some(node) = edge {
        return Some((node.schema, format!("{base}.node"), false));
    }
    let record = has_fields(&property.schema) && !is_bare(&property.schema);
    record.then(|| (property.schema.clone(), base, false))
}

/// An interface of all that has an id: no record of its own.
fn is_bare(schema: &Schema<'_>) -> bool {
    form(schema) == Some("interface") && schema.properties().len() == 1
}

fn has_fields(schema: &Schema<'_>) -> bool {
    !settled(schema).properties().is_empty()
}

/// A list of what went wrong: by its name, and because each item has a message.
pub(in crate::classify) fn is_error_list(property: &Property<'_>) -> bool {
    let names = &cues().shapes.error_lists;
    let parts = words(property.name);
    let named = parts.last().is_some_and(|last| names.contains(last));
    let Some(items) = array_of(&property.schema) else { return false };
    let members = settled(&items).properties();
    named && (is_scalar(&items) || members.iter().any(|member| names_message(member.name)))
}

fn names_message(name: &str) -> bool {
    words(name).iter().any(|word| cues().shapes.error_members.contains(word))
}

/// How near to the end of a root field's name the last word of another name stands, and how many words
/// of it go before; 0 if it does not stand there.
fn nearness(name: &str, root: &str) -> usize {
    let stems = |text: &str| -> Vec<String> { words(text).iter().map(|word| singular(word)).collect() };
    let (ours, theirs) = (stems(name), stems(root));
    let Some(last) = ours.last() else { return 0 };
    let Some(at) = theirs.iter().rposition(|word| word == last) else { return 0 };
    let before = theirs.get(..at).unwrap_or_default();
    let shared =
        ours.iter().rev().skip(1).zip(before.iter().rev()).take_while(|(one, two)| one == two).count();
    (at + 1) * 8 + shared.min(7)
}
