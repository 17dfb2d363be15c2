//! The fields of a record and their kinds. Must not look at what a field is for, beyond its type.

use std::collections::BTreeMap;

use provely_model::{Field, FieldKind, Parameter, Place};

use super::cues::cues;
use super::graph;
use super::records::array_of;
use super::words::{prose_words, snake};
use crate::ingest::{ApiOperation, Forest, ParameterPlace, Property, SCALAR, Schema};

/// Resource names by the pointer of their schema.
pub(super) type Names = BTreeMap<(usize, String), String>;

/// The fields of a record.
pub(super) fn fields(schema: &Schema<'_>, names: &Names) -> Vec<Field> {
    let properties = schema.properties();
    let shown = properties.iter().filter(|property| !super::graph::takes_arguments(&property.schema));
    shown.map(|property| field(property, names)).collect()
}

fn field(property: &Property<'_>, names: &Names) -> Field {
    if graph::form(&property.schema).is_some()
        || array_of(&property.schema).is_some_and(|item| graph::form(&item).is_some())
    {
        // A list inside a record, plain or as a connection, is one of the records that it holds.
        if let Some(list) = graph::list_field(property) {
            return Field {
                name: property.name.to_owned(),
                kind: FieldKind::Array,
                required: property.required,
                nullable: property.schema.nullable(),
                values: Vec::new(),
                refers_to: names.get(&key(&list.item)).cloned(),
            };
        }
    }
    let refers_to = referred(&property.schema).and_then(|schema| names.get(&key(&schema)).cloned());
    Field {
        name: property.name.to_owned(),
        kind: kind(&property.schema),
        required: property.required,
        nullable: property.schema.nullable(),
        values: property.schema.values(),
        refers_to,
    }
}

/// The key of a schema in [`Names`].
pub(super) fn key(schema: &Schema<'_>) -> (usize, String) {
    (schema.identity().0, schema.pointer().to_owned())
}

fn referred<'a>(schema: &Schema<'a>) -> Option<Schema<'a>> {
    if schema.name().is_some() {
        return Some(schema.clone());
    }
    schema
        .variants()
        .into_iter()
        .chain(schema.all_of())
        .find(|variant| variant.name().is_some() && is_object(variant))
}

/// True for what holds one value: text, number, flag, a word of an enum or a scalar of the schema's own.
pub(super) fn is_scalar(schema: &Schema<'_>) -> bool {
    let types = schema.types();
    let plain = types.iter().any(|name| !matches!(*name, "object" | "array"));
    plain || schema.keyword(SCALAR).is_some()
}

fn is_object(schema: &Schema<'_>) -> bool {
    schema.types().contains(&"object")
        || schema.keyword("properties").is_some()
        || schema.keyword("allOf").is_some()
}

/// The kind of a schema.
pub(super) fn kind(schema: &Schema<'_>) -> FieldKind {
    kind_within(schema, 6)
}

fn kind_within(schema: &Schema<'_>, depth: usize) -> FieldKind {
    if depth == 0 {
        return FieldKind::Any;
    }
    if let Some(name) = schema.keyword(SCALAR).and_then(provely_document::Node::as_str) {
        return scalar_kind(name, schema);
    }
    let types = schema.types();
    match types.as_slice() {
        ["string"] => text_kind(schema),
        ["integer"] => integer_kind(schema),
        ["number"] => match integer_kind(schema) {
            FieldKind::Integer => FieldKind::Number,
            time => time,
        },
        ["boolean"] => FieldKind::Boolean,
        ["array"] => FieldKind::Array,
        ["object"] => object_kind(schema),
        [] => untyped(schema, depth),
        _ => FieldKind::Any,
    }
}

/// The kind of a named scalar: one that every schema has, else by the words of its name and description.
fn scalar_kind(name: &str, schema: &Schema<'_>) -> FieldKind {
    match name {
        "ID" => return FieldKind::Text,
        "String" => return text_kind(schema),
        "Int" => return integer_kind(schema),
        "Float" => return FieldKind::Number,
        "Boolean" => return FieldKind::Boolean,
        _ => {}
    }
    let table = &cues().shapes.scalars;
    let parts = super::words::words(name);
    let whole = parts.join("_");
    let exact = table.iter().find(|(_, names)| names.contains(&whole)).map(|(kind, _)| *kind);
    let ending = || {
        let last = parts.last()?;
        table.iter().find(|(_, names)| names.contains(last)).map(|(kind, _)| *kind)
    };
    exact.or_else(ending).unwrap_or(FieldKind::Any)
}

fn object_kind(schema: &Schema<'_>) -> FieldKind {
    let named = schema.keyword("properties").is_some_and(|node| !node.is_empty())
        || schema.keyword("allOf").is_some();
    if !named && schema.takes_free_keys() { FieldKind::Map } else { FieldKind::Object }
}

fn untyped(schema: &Schema<'_>, depth: usize) -> FieldKind {
    if schema.keyword("properties").is_some() || schema.takes_free_keys() {
        return object_kind(schema);
    }
    if schema.keyword("items").is_some() {
        return FieldKind::Array;
    }
    let variants: Vec<Schema<'_>> =
        schema.variants().into_iter().filter(|variant| !variant.nothing()).collect();
    if !variants.is_empty() {
        return choice(&variants, depth);
    }
    let parts = schema.all_of();
    match parts.as_slice() {
        [] if !schema.values().is_empty() => FieldKind::Text,
        [] => FieldKind::Any,
        parts => parts
            .iter()
            .map(|part| kind_within(part, depth - 1))
            .find(|kind| *kind != FieldKind::Any)
            .unwrap_or(FieldKind::Any),
    }
}

/// A text or a record is an id or the record; an emptied map is a map; equal kinds are that kind.
fn choice(variants: &[Schema<'_>], depth: usize) -> FieldKind {
    let kinds: Vec<FieldKind> = variants.iter().map(|variant| kind_within(variant, depth - 1)).collect();
    let first = kinds.first().copied().unwrap_or(FieldKind::Any);
    if kinds.iter().all(|kind| *kind == first) {
        return first;
    }
    let has = |wanted: FieldKind| kinds.contains(&wanted);
    if has(FieldKind::Text) && has(FieldKind::Object) {
        return if variants.iter().any(|variant| variant.name().is_some()) {
            FieldKind::IdOrRecord
        } else {
            FieldKind::Any
        };
    }
    if has(FieldKind::Map) && has(FieldKind::Text) { FieldKind::Map } else { FieldKind::Any }
}

fn format_of(schema: &Schema<'_>) -> String {
    let format = schema.keyword("format").and_then(provely_document::Node::as_str).unwrap_or_default();
    format.to_ascii_lowercase()
}

fn text_kind(schema: &Schema<'_>) -> FieldKind {
    let format = format_of(schema);
    let shapes = &cues().shapes;
    if format == "date-time" || format == "datetime" {
        return FieldKind::DateTime;
    }
    let said = schema.description().unwrap_or_default().to_lowercase();
    let decimal = shapes.decimal_words.iter().any(|phrase| said.contains(phrase.as_str()));
    if shapes.decimal_formats.contains(&format) || decimal { FieldKind::Decimal } else { FieldKind::Text }
}

fn integer_kind(schema: &Schema<'_>) -> FieldKind {
    let shapes = &cues().shapes;
    let said = schema.description().unwrap_or_default();
    let lower = said.to_lowercase();
    let epoch = shapes.epoch_formats.contains(&format_of(schema))
        || shapes.epoch_words.iter().any(|phrase| lower.contains(phrase.as_str()));
    if !epoch {
        return FieldKind::Integer;
    }
    let words = prose_words(said);
    let fine = shapes
        .millisecond_words
        .iter()
        .any(|word| words.contains(word) || lower.contains(&format!("{word} ")));
    if fine { FieldKind::EpochMilliseconds } else { FieldKind::EpochSeconds }
}

/// The field among `wanted` names that a record has, best name first, as a path rooted at `@`.
pub(super) fn named(fields: &[Field], wanted: &[String]) -> Option<String> {
    wanted
        .iter()
        .find_map(|name| fields.iter().find(|field| snake(&field.name) == *name))
        .map(|field| path(&field.name))
}

/// A path to a member, rooted at `@`; names that are no plain words stand in brackets.
pub(crate) fn path(name: &str) -> String {
    step("@", name)
}

/// One step further down.
pub(super) fn step(path: &str, name: &str) -> String {
    let plain = name.chars().enumerate().all(|(at, letter)| {
        letter == '_' || letter.is_ascii_alphabetic() || (at > 0 && letter.is_ascii_digit())
    });
    if plain && !name.is_empty() {
        format!("{path}.{name}")
    } else {
        format!("{path}['{}']", name.replace('\'', "\\'"))
    }
}

/// Parameters and body fields of an operation; nested body fields up to two levels.
pub(super) fn parameters(forest: &Forest, operation: &ApiOperation) -> Vec<Parameter> {
    let outside = operation.parameters.iter().filter_map(|parameter| {
        let place = match parameter.place {
            ParameterPlace::Path => Place::Path,
            ParameterPlace::Query => Place::Query,
            ParameterPlace::Header => Place::Header,
            ParameterPlace::Cookie => return None,
        };
        let schema = parameter.schema.as_ref().and_then(|schema| Schema::at(forest, schema));
        Some(Parameter {
            name: parameter.name.clone(),
            place,
            kind: schema.as_ref().map_or(FieldKind::Any, kind),
            required: parameter.required,
            description: parameter.description.as_deref().map(one_line),
        })
    });
    let mut parameters: Vec<Parameter> = outside.collect();
    let body = operation.body.as_ref().and_then(|body| body.schema.as_ref());
    if let Some(schema) = body.and_then(|schema| Schema::at(forest, schema)) {
        body_fields(&schema, "", true, 2, &mut parameters);
    }
    parameters
}

/// Most body fields of one operation.
const MOST_FIELDS: usize = 400;

fn body_fields(schema: &Schema<'_>, prefix: &str, required: bool, depth: usize, found: &mut Vec<Parameter>) {
    for property in schema.properties() {
        if found.len() >= MOST_FIELDS {
            return;
        }
        let name = format!("{prefix}{}", property.name);
        let kind = kind(&property.schema);
        found.push(Parameter {
            name: name.clone(),
            place: Place::Body,
            kind,
            required: required && property.required,
            description: property.schema.description().map(one_line),
        });
        if kind == FieldKind::Object && depth > 1 {
            body_fields(
                &property.schema,
                &format!("{name}."),
                required && property.required,
                depth - 1,
                found,
            );
        }
    }
}

/// The first sentence of a text, on one line.
pub(super) fn one_line(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    line.get(..end).unwrap_or(&line).chars().take(240).collect()
}
