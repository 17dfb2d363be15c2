//! Reads security schemes and their scopes. Must not decide which scope an operation needs beyond what is
//! written.

use provely_document::Node;
use serde::Serialize;

use super::forest::{Forest, Place};
use crate::assertion::pointer_token;

/// One security scheme.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecurityScheme {
    /// Its name.
    pub name: String,
    /// `http`, `apiKey`, `oauth2`, `openIdConnect`, `mutualTLS` or `basic`, as written.
    pub kind: String,
    /// The HTTP scheme, or the name of the key.
    pub detail: Option<String>,
    /// The scopes that its flows name.
    pub scopes: Vec<String>,
    /// Assertion id.
    pub assertion: String,
}

/// The schemes that a description keeps at a pointer.
pub(super) fn read<'a>(forest: &'a Forest, root: &Place<'a>, at: &str) -> Vec<SecurityScheme> {
    let schemes = root.node.at(at).into_iter().flat_map(Node::entries);
    schemes
        .map(|entry| {
            let pointer = format!("{at}{}", pointer_token(entry.key));
            let place = forest.resolve(Place { tree: root.tree, node: entry.value, pointer });
            let text = |key: &str| place.node.get(key).and_then(Node::as_str).map(str::to_owned);
            SecurityScheme {
                name: entry.key.to_owned(),
                kind: text("type").unwrap_or_default(),
                detail: text("scheme").or_else(|| text("name")),
                scopes: scopes(place.node),
                assertion: forest.assertion(place.tree, &place.pointer),
            }
        })
        .collect()
}

fn scopes(scheme: Node<'_>) -> Vec<String> {
    let flows = scheme.get("flows").into_iter().flat_map(Node::entries).map(|flow| flow.value);
    // Swagger 2.0 has one flow, written into the scheme itself.
    let stated = flows.chain([scheme]).filter_map(|flow| flow.get("scopes"));
    let named = stated.flat_map(Node::entries);
    let mut scopes: Vec<String> = named.map(|scope| scope.key.to_owned()).collect();
    scopes.sort();
    scopes.dedup();
    scopes
}

/// The scopes that an operation, or else the whole description, asks for.
pub(super) fn needed(root: Node<'_>, operation: Node<'_>) -> Vec<String> {
    let rules = operation.get("security").or_else(|| root.get("security"));
    let schemes = rules.into_iter().flat_map(Node::items).flat_map(Node::entries);
    let named = schemes.flat_map(|scheme| scheme.value.items()).filter_map(Node::as_str);
    let mut scopes: Vec<String> = named.map(str::to_owned).collect();
    scopes.sort();
    scopes.dedup();
    scopes
}
