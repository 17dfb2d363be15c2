//! Reads the paths of a description: which operations there are. Must not read what an operation says.

use std::collections::HashSet;

use provely_document::{Kind, Node};

use super::events::{read_callbacks, wrong};
use super::forest::Place;
use super::oddity::Oddity;
use super::openapi::{ApiOperation, Dialect, ParameterPlace, Reader, placeholders};
use super::operation::{self, OperationAt};
use crate::assertion::pointer_token;
use crate::uncertainty::{Uncertainty, UncertaintyKind};

const METHODS: [&str; 9] = ["get", "post", "put", "patch", "delete", "head", "options", "trace", "query"];
/// Members of a path item that are no methods.
const OTHERS: [&str; 6] = ["parameters", "summary", "description", "servers", "$ref", "additionalOperations"];

/// Reads every path item.
pub(super) fn read<'a>(reader: &mut Reader<'a, '_>, paths: Node<'a>) {
    for entry in paths.entries().filter(|entry| !entry.key.starts_with("x-")) {
        let pointer = format!("/paths{}", pointer_token(entry.key));
        if entry.key.contains(['?', '#']) {
            reader.oddities.note(Oddity::PathWithQuery, reader.root.tree, entry.value);
        }
        let item = Place { tree: reader.root.tree, node: entry.value, pointer };
        let layers = layers(reader, item);
        match layers.last().map(|last| last.node.kind()) {
            Some(Kind::Object) => read_path(reader, entry.key, &layers),
            Some(Kind::Null) => {
                if let Some(last) = layers.last() {
                    reader.oddities.note(Oddity::EmptyPath, last.tree, last.node);
                }
            }
            Some(Kind::Bool | Kind::Number | Kind::String | Kind::Array) | None => {
                let node = layers.last().map_or(entry.value, |last| last.node);
                reader.findings.push(wrong(node, "a path item is an object"));
            }
        }
    }
}

/// Most path items in a row, each naming the next by `$ref`.
const MOST_LAYERS: usize = 16;

/// A path item and those that it leads to: what stands beside `$ref` counts, and wins over what stands behind.
fn layers<'a>(reader: &Reader<'a, '_>, item: Place<'a>) -> Vec<Place<'a>> {
    let mut layers = vec![item];
    while let Some(last) = layers.last().filter(|_| layers.len() < MOST_LAYERS) {
        let reference = last.node.get("$ref").and_then(Node::as_str);
        let Some(next) = reference.and_then(|reference| reader.forest.follow(last.tree, reference)) else {
            break;
        };
        if layers.iter().any(|known| known.tree == next.tree && known.node.id() == next.node.id()) {
            break;
        }
        layers.push(next);
    }
    layers
}

fn read_path<'a>(reader: &mut Reader<'a, '_>, path: &str, layers: &[Place<'a>]) {
    let mut seen = HashSet::new();
    for layer in layers {
        for method in METHODS {
            if let Some(node) = layer.node.get(method) {
                let at = Place { tree: layer.tree, node, pointer: format!("{}/{method}", layer.pointer) };
                read_method(reader, (method, path), layers, at, &mut seen);
            }
        }
        for entry in layer.node.get("additionalOperations").into_iter().flat_map(Node::entries) {
            let pointer = format!("{}/additionalOperations{}", layer.pointer, pointer_token(entry.key));
            let at = Place { tree: layer.tree, node: entry.value, pointer };
            read_method(reader, (entry.key, path), layers, at, &mut seen);
        }
        strange_members(reader, path, layer);
    }
}

fn read_method<'a>(
    reader: &mut Reader<'a, '_>,
    (method, path): (&str, &str),
    layers: &[Place<'a>],
    at: Place<'a>,
    seen: &mut HashSet<String>,
) {
    if at.node.is_null() {
        reader.oddities.note(Oddity::EmptyOperation, at.tree, at.node);
        return;
    }
    let place = reader.forest.resolve(at);
    if place.node.kind() != Kind::Object {
        reader.findings.push(wrong(place.node, "an operation is an object"));
        return;
    }
    let method = method.to_ascii_uppercase();
    if !seen.insert(method.clone()) {
        return;
    }
    let at = OperationAt { method: &method, path, layers, place: &place };
    let mut operation = operation::read(reader, &at);
    operation.id = unique(reader, operation.id, &place);
    reader.found.uncertainties.extend(unbound(&operation));
    reader.found.uncertainties.extend(operation::unnamed(reader, &at, &operation.id));
    if reader.dialect == Dialect::Three {
        read_callbacks(reader.forest, &place, reader.found);
    }
    reader.found.operations.push(operation);
}

/// The id, with a number behind it if another description has the same operation.
fn unique(reader: &mut Reader<'_, '_>, id: String, place: &Place<'_>) -> String {
    if reader.ids.insert(id.clone()) {
        return id;
    }
    reader.oddities.note(Oddity::SameOperation, place.tree, place.node);
    let mut number = 2;
    loop {
        let numbered = format!("{id} ({number})");
        if reader.ids.insert(numbered.clone()) {
            return numbered;
        }
        number += 1;
    }
}

fn strange_members(reader: &mut Reader<'_, '_>, path: &str, layer: &Place<'_>) {
    for entry in layer.node.entries() {
        let known = METHODS.contains(&entry.key) || OTHERS.contains(&entry.key);
        if known || entry.key.starts_with("x-") {
            continue;
        }
        let question = format!("`{path}` has the member `{}`, which is no method. What is it?", entry.key);
        let at = reader.forest.assertion(layer.tree, &layer.pointer);
        let subject = format!("{path}:{}", entry.key);
        let odd = Uncertainty::new(UncertaintyKind::Input, subject, question);
        reader.found.uncertainties.push(odd.with_assertions(vec![at]));
    }
}

/// A placeholder of the path that no parameter describes.
fn unbound(operation: &ApiOperation) -> Vec<Uncertainty> {
    let named = |name: &&str| {
        !operation.parameters.iter().any(|known| known.place == ParameterPlace::Path && known.name == **name)
    };
    placeholders(&operation.path)
        .into_iter()
        .filter(named)
        .map(|name| {
            let question =
                format!("`{}` does not describe its path parameter `{name}`. What is it?", operation.id);
            Uncertainty::new(UncertaintyKind::Input, format!("{}:{name}", operation.id), question)
                .with_assertions(vec![operation.assertion.clone()])
        })
        .collect()
}
