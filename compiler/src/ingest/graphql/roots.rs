//! Reads the fields of the query and mutation roots as operations. Must not say what they do.

use std::collections::BTreeMap;

use provely_document::Node;
use provely_model::{Argument, BodyEncoding, RootKind};
use serde::Serialize;

use super::lower::{ARGUMENTS, REPEATED, REQUEST_DIRECTIVES};
use crate::ingest::forest::{Forest, Place};
use crate::ingest::openapi::{ApiOperation, ApiReply, Body};
use crate::ingest::{Ingested, Schema};
use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// How a document asks for an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApiRootField {
    /// Query or mutation.
    pub kind: RootKind,
    /// Its name.
    pub name: String,
    /// Its arguments, in source order.
    pub arguments: Vec<Argument>,
}

/// A directive that a request may put on a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApiDirective {
    /// Its name, without `@`.
    pub name: String,
    /// The names of its arguments.
    pub arguments: Vec<String>,
    /// Assertion id.
    pub assertion: String,
}

/// Reads one schema into `found`; requests go to `path`.
pub(in crate::ingest) fn read(forest: &Forest, tree: usize, path: &str, found: &mut Ingested) {
    let Some(root) = forest.root(tree) else { return };
    for entry in root.node.at("/components/schemas").into_iter().flat_map(Node::entries) {
        let pointer = format!("/components/schemas/{}", entry.key);
        found.schemas.push(Place { tree, node: entry.value, pointer }.keep(forest));
    }
    for name in root.node.get(REPEATED).into_iter().flat_map(Node::items).filter_map(Node::as_str) {
        let question = format!("`{name}` stands twice in the schema; the first was read. Which one holds?");
        let owner = name.split('.').next().unwrap_or(name);
        let seen = forest.assertion(tree, &format!("/components/schemas/{owner}"));
        let odd = Uncertainty::new(UncertaintyKind::Input, name, question);
        found.uncertainties.push(odd.with_assertions(vec![seen]));
    }
    for entry in root.node.get(REQUEST_DIRECTIVES).into_iter().flat_map(Node::entries) {
        let arguments = entry.value.get(ARGUMENTS).into_iter().flat_map(Node::items);
        found.directives.push(ApiDirective {
            name: entry.key.to_owned(),
            arguments: arguments.filter_map(Node::as_str).map(str::to_owned).collect(),
            assertion: forest.assertion(tree, &format!("/{REQUEST_DIRECTIVES}/{}", entry.key)),
        });
    }
    for (name, kind) in [("query", RootKind::Query), ("mutation", RootKind::Mutation)] {
        for entry in root.node.get(name).into_iter().flat_map(Node::entries) {
            let place = Place { tree, node: entry.value, pointer: format!("/{name}/{}", entry.key) };
            found.operations.push(operation(forest, (name, kind), entry.key, path, &place));
        }
    }
}

fn operation(
    forest: &Forest,
    (root, kind): (&str, RootKind),
    name: &str,
    path: &str,
    place: &Place<'_>,
) -> ApiOperation {
    let below = |member: &str| {
        let node = place.node.get(member)?;
        Some(Place { tree: place.tree, node, pointer: format!("{}/{member}", place.pointer) }.keep(forest))
    };
    let assertion = forest.assertion(place.tree, &place.pointer);
    ApiOperation {
        id: format!("{root} {name}"),
        method: "POST".to_owned(),
        path: path.to_owned(),
        operation_id: Some(name.to_owned()),
        summary: None,
        description: place.node.get("description").and_then(Node::as_str).map(str::to_owned),
        tags: Vec::new(),
        deprecated: place.node.get("deprecated").and_then(Node::as_bool) == Some(true),
        parameters: Vec::new(),
        body: Some(Body {
            media_type: "application/json".to_owned(),
            encoding: BodyEncoding::Json,
            required: true,
            schema: below("arguments"),
        }),
        replies: vec![ApiReply {
            status: "200".to_owned(),
            description: None,
            schema: below("result"),
            assertion: assertion.clone(),
        }],
        scopes: Vec::new(),
        hints: BTreeMap::new(),
        graphql: Some(ApiRootField { kind, name: name.to_owned(), arguments: arguments(place.node) }),
        assertion,
    }
}

/// The arguments of a field of a record.
pub(crate) fn field_arguments(field: &Schema<'_>) -> Vec<Argument> {
    arguments(field.named_node())
}

/// The arguments that stand at a field.
fn arguments(field: Node<'_>) -> Vec<Argument> {
    let list = field.get(ARGUMENTS).into_iter().flat_map(Node::items);
    list.filter_map(|argument| {
        Some(Argument {
            name: argument.get("name")?.as_str()?.to_owned(),
            kind: argument.get("kind")?.as_str()?.to_owned(),
            required: argument.get("required").and_then(Node::as_bool) == Some(true),
        })
    })
    .collect()
}
