//! Reads the operations and named schemas of an OpenAPI 3 description. Must not classify them.

use std::collections::BTreeMap;

use provely_document::{Diagnostic, Kind, Node};
use provely_model::BodyEncoding;
use serde::Serialize;

use super::events::{read_callbacks, read_types, wrong};
use super::forest::{Forest, NodeRef, Place};
use super::graphql::ApiRootField;
use super::{Ingested, security};
use crate::assertion::pointer_token;
use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// The file is no OpenAPI 3 description.
pub const NOT_OPENAPI: &str = "ingest/not-openapi";
/// The file is of a format that is not read yet.
pub const UNSUPPORTED: &str = "ingest/unsupported-format";

/// One operation as the description states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApiOperation {
    /// `METHOD /path` as written.
    pub id: String,
    /// Method, upper case.
    pub method: String,
    /// Path template as written.
    pub path: String,
    /// The description's own id; may be missing or not unique.
    pub operation_id: Option<String>,
    /// One line.
    pub summary: Option<String>,
    /// Prose, Markdown or HTML.
    pub description: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Marked as deprecated.
    pub deprecated: bool,
    /// Parameters outside the body: the operation's own, then those of the path that it does not override.
    pub parameters: Vec<ApiParameter>,
    /// The request body.
    pub body: Option<Body>,
    /// The replies, in source order.
    pub replies: Vec<ApiReply>,
    /// Scopes that it needs.
    pub scopes: Vec<String>,
    /// Vendor members with scalar values.
    pub hints: BTreeMap<String, String>,
    /// How a document asks for it; only for GraphQL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graphql: Option<ApiRootField>,
    /// Assertion id.
    pub assertion: String,
}

/// A parameter outside the body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApiParameter {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: ParameterPlace,
    /// Must be given.
    pub required: bool,
    /// What is said of it.
    pub description: Option<String>,
    /// Its schema.
    pub schema: Option<NodeRef>,
    /// Assertion id.
    pub assertion: String,
}

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterPlace {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
}

/// A request body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Body {
    /// Media type as written.
    pub media_type: String,
    /// How it is encoded.
    pub encoding: BodyEncoding,
    /// Must be given.
    pub required: bool,
    /// Its schema.
    pub schema: Option<NodeRef>,
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApiReply {
    /// `200`, `2XX`, `default`.
    pub status: String,
    /// What is said of it.
    pub description: Option<String>,
    /// Schema of its body.
    pub schema: Option<NodeRef>,
    /// Assertion id.
    pub assertion: String,
}

impl ApiReply {
    /// True for a status that means success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status.starts_with('2')
    }
}

impl ApiOperation {
    /// The first reply that means success and has a body, else the first that means success.
    #[must_use]
    pub fn success(&self) -> Option<&ApiReply> {
        let mut replies = self.replies.iter().filter(|reply| reply.is_success());
        replies.clone().find(|reply| reply.schema.is_some()).or_else(|| replies.next())
    }
}

const METHODS: [&str; 8] = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

/// Reads one description into `found`.
pub(super) fn read(forest: &Forest, tree: usize, found: &mut Ingested, findings: &mut Vec<Diagnostic>) {
    let Some(root) = forest.root(tree) else { return };
    if let Err(finding) = read_head(root.node, found) {
        findings.push(*finding);
        return;
    }
    if let Some(paths) = root.node.get("paths") {
        read_paths(forest, &root, paths, found, findings);
    }
    read_types(forest, &root, found);
    read_components(forest, &root, found);
}

fn read_paths<'a>(
    forest: &'a Forest,
    root: &Place<'a>,
    paths: Node<'a>,
    found: &mut Ingested,
    findings: &mut Vec<Diagnostic>,
) {
    if !matches!(paths.kind(), Kind::Object | Kind::Null) {
        findings.push(wrong(paths, "`paths` is an object"));
    }
    for entry in paths.entries().filter(|entry| !entry.key.starts_with("x-")) {
        let pointer = format!("/paths{}", pointer_token(entry.key));
        let item = forest.resolve(Place { tree: root.tree, node: entry.value, pointer });
        if item.node.kind() == Kind::Object {
            read_path(forest, root.node, entry.key, &item, found, findings);
        } else {
            findings.push(wrong(item.node, "a path item is an object"));
        }
    }
}

fn read_head(root: Node<'_>, found: &mut Ingested) -> Result<(), Box<Diagnostic>> {
    let source = root.document().source();
    let fault = |code, span, message: &str| Box::new(Diagnostic::error(code, source, span, message));
    if let Some(version) = root.get("swagger") {
        return Err(fault(UNSUPPORTED, version.span(), "Swagger 2.0 is not read yet"));
    }
    let Some(version) = root.get("openapi") else {
        let keys = root.entries().map(|entry| entry.key);
        let near = provely_document::nearest("openapi", keys).and_then(|key| root.entry(key));
        let span = near.map_or_else(|| root.span(), |entry| entry.key_span);
        let help = "an OpenAPI description starts with `openapi: 3.0.0` or a later version";
        let finding =
            fault(NOT_OPENAPI, span, "this is no OpenAPI description: the member `openapi` is missing");
        return Err(Box::new(finding.with_help(help)));
    };
    if !version.scalar_text().is_some_and(|text| text.starts_with("3.") || text == "3") {
        return Err(fault(UNSUPPORTED, version.span(), "only OpenAPI 3 is read"));
    }
    let info = |key: &str| root.get("info").and_then(|info| info.get(key)).and_then(Node::scalar_text);
    if found.title.is_empty() {
        found.title = info("title").unwrap_or_default().to_owned();
        found.version = info("version").map(str::to_owned);
    }
    let servers = root.get("servers").into_iter().flat_map(Node::items);
    found.servers.extend(servers.filter_map(|server| server.get("url")?.as_str()).map(str::to_owned));
    Ok(())
}

fn read_components<'a>(forest: &'a Forest, root: &Place<'a>, found: &mut Ingested) {
    for entry in root.node.at("/components/schemas").into_iter().flat_map(Node::entries) {
        let pointer = format!("/components/schemas{}", pointer_token(entry.key));
        found.schemas.push(Place { tree: root.tree, node: entry.value, pointer }.keep(forest));
    }
    found.security.extend(security::read(forest, root));
}

fn read_path<'a>(
    forest: &'a Forest,
    root: Node<'a>,
    path: &str,
    item: &Place<'a>,
    found: &mut Ingested,
    findings: &mut Vec<Diagnostic>,
) {
    for method in METHODS {
        let Some(node) = item.node.get(method) else { continue };
        let pointer = format!("{}/{method}", item.pointer);
        let place = forest.resolve(Place { tree: item.tree, node, pointer });
        if place.node.kind() != Kind::Object {
            findings.push(wrong(place.node, "an operation is an object"));
            continue;
        }
        let operation = read_operation(forest, root, (method, path), item, &place);
        if found.operations.iter().rev().take(1).any(|last| last.id == operation.id) {
            continue;
        }
        found.uncertainties.extend(unbound(&operation));
        found.uncertainties.extend(unnamed(forest, item, &place, &operation.id));
        read_callbacks(forest, &place, found);
        found.operations.push(operation);
    }
    for entry in item.node.entries() {
        let known = METHODS.contains(&entry.key)
            || ["parameters", "summary", "description", "servers", "$ref", "query", "additionalOperations"]
                .contains(&entry.key);
        if !known && !entry.key.starts_with("x-") {
            let question =
                format!("`{path}` has the member `{}`, which is no method. What is it?", entry.key);
            let at = forest.assertion(item.tree, &item.pointer);
            let subject = format!("{path}:{}", entry.key);
            let odd = Uncertainty::new(UncertaintyKind::Input, subject, question);
            found.uncertainties.push(odd.with_assertions(vec![at]));
        }
    }
}

fn read_operation<'a>(
    forest: &'a Forest,
    root: Node<'a>,
    (method, path): (&str, &str),
    item: &Place<'a>,
    place: &Place<'a>,
) -> ApiOperation {
    let text = |key: &str| place.node.get(key).and_then(Node::scalar_text).map(str::to_owned);
    let inherited = |key: &str| item.node.get(key).and_then(Node::as_str).map(str::to_owned);
    let method = method.to_ascii_uppercase();
    let mut hints = BTreeMap::new();
    for entry in place.node.entries().filter(|entry| entry.key.starts_with("x-")) {
        if let Some(value) = entry.value.scalar_text() {
            hints.insert(entry.key.to_owned(), value.to_owned());
        }
    }
    ApiOperation {
        id: format!("{method} {path}"),
        path: path.to_owned(),
        operation_id: text("operationId"),
        summary: text("summary").or_else(|| inherited("summary")),
        description: text("description").or_else(|| inherited("description")),
        tags: place
            .node
            .get("tags")
            .into_iter()
            .flat_map(Node::items)
            .filter_map(Node::as_str)
            .map(str::to_owned)
            .collect(),
        deprecated: place.node.get("deprecated").and_then(Node::as_bool) == Some(true),
        parameters: parameters(forest, item, place),
        body: body(forest, place),
        replies: replies(forest, place),
        scopes: security::needed(root, place.node),
        hints,
        graphql: None,
        assertion: forest.assertion(place.tree, &place.pointer),
        method,
    }
}

fn parameters<'a>(forest: &'a Forest, item: &Place<'a>, operation: &Place<'a>) -> Vec<ApiParameter> {
    let mut parameters: Vec<ApiParameter> = Vec::new();
    for owner in [operation, item] {
        for (index, node) in owner.node.get("parameters").into_iter().flat_map(Node::items).enumerate() {
            let pointer = format!("{}/parameters/{index}", owner.pointer);
            let place = forest.resolve(Place { tree: owner.tree, node, pointer });
            let Some(parameter) = parameter(forest, &place) else { continue };
            let same = |known: &ApiParameter| known.name == parameter.name && known.place == parameter.place;
            if !parameters.iter().any(same) {
                parameters.push(parameter);
            }
        }
    }
    parameters
}

/// What stands among the parameters and is none: it has no name, or stands nowhere that is known.
fn unnamed<'a>(forest: &'a Forest, item: &Place<'a>, operation: &Place<'a>, id: &str) -> Vec<Uncertainty> {
    let mut odd = Vec::new();
    for (owner, level) in [(operation, "operation"), (item, "path")] {
        for (index, node) in owner.node.get("parameters").into_iter().flat_map(Node::items).enumerate() {
            let pointer = format!("{}/parameters/{index}", owner.pointer);
            let at = forest.assertion(owner.tree, &pointer);
            let place = forest.resolve(Place { tree: owner.tree, node, pointer });
            if parameter(forest, &place).is_none() {
                let question = format!(
                    "Parameter {index} of the {level} of `{id}` has no name or no known place. What is it?"
                );
                let subject = format!("{id}:{level}:{index}");
                odd.push(
                    Uncertainty::new(UncertaintyKind::Input, subject, question).with_assertions(vec![at]),
                );
            }
        }
    }
    odd
}

fn parameter<'a>(forest: &'a Forest, place: &Place<'a>) -> Option<ApiParameter> {
    let text = |key: &str| place.node.get(key).and_then(Node::as_str);
    let stands = match text("in")? {
        "path" => ParameterPlace::Path,
        "query" => ParameterPlace::Query,
        "header" => ParameterPlace::Header,
        "cookie" => ParameterPlace::Cookie,
        _ => return None,
    };
    let required = place.node.get("required").and_then(Node::as_bool) == Some(true);
    Some(ApiParameter {
        name: place.node.get("name").and_then(Node::scalar_text)?.to_owned(),
        place: stands,
        required: required || stands == ParameterPlace::Path,
        description: text("description").map(str::to_owned),
        schema: below(place, "schema")
            .map(|schema| schema.keep(forest))
            .or_else(|| media(forest, place).and_then(|(_, schema)| schema)),
        assertion: forest.assertion(place.tree, &place.pointer),
    })
}

/// The request body of an operation: JSON first, then forms.
pub(super) fn body<'a>(forest: &'a Forest, operation: &Place<'a>) -> Option<Body> {
    let place = forest.resolve(below(operation, "requestBody")?);
    let (media_type, schema) = media(forest, &place)?;
    Some(Body {
        encoding: encoding(&media_type),
        media_type,
        required: place.node.get("required").and_then(Node::as_bool) == Some(true),
        schema,
    })
}

fn replies<'a>(forest: &'a Forest, operation: &Place<'a>) -> Vec<ApiReply> {
    let replies = operation.node.get("responses").into_iter().flat_map(Node::entries);
    replies
        .filter(|entry| !entry.key.starts_with("x-"))
        .map(|entry| {
            let pointer = format!("{}/responses{}", operation.pointer, pointer_token(entry.key));
            let assertion = forest.assertion(operation.tree, &pointer);
            let place = forest.resolve(Place { tree: operation.tree, node: entry.value, pointer });
            ApiReply {
                status: entry.key.to_owned(),
                description: place.node.get("description").and_then(Node::as_str).map(str::to_owned),
                schema: media(forest, &place).and_then(|(_, schema)| schema),
                assertion,
            }
        })
        .collect()
}

fn below<'a>(place: &Place<'a>, member: &str) -> Option<Place<'a>> {
    let node = place.node.get(member)?;
    Some(Place { tree: place.tree, node, pointer: format!("{}/{member}", place.pointer) })
}

/// The media type of a body and its schema: JSON before forms before anything else.
fn media<'a>(forest: &'a Forest, place: &Place<'a>) -> Option<(String, Option<NodeRef>)> {
    let content = place.node.get("content")?;
    let rank = |name: &str| match encoding(name) {
        BodyEncoding::Json => 0,
        BodyEncoding::Form => 1,
        BodyEncoding::Multipart => 2,
        BodyEncoding::None | BodyEncoding::Other => 3,
    };
    let entry = content.entries().min_by_key(|entry| rank(entry.key))?;
    let pointer = format!("{}/content{}", place.pointer, pointer_token(entry.key));
    let media = Place { tree: place.tree, node: entry.value, pointer };
    Some((entry.key.to_owned(), below(&media, "schema").map(|schema| schema.keep(forest))))
}

fn encoding(media_type: &str) -> BodyEncoding {
    let name = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match name.as_str() {
        "application/x-www-form-urlencoded" => BodyEncoding::Form,
        "multipart/form-data" => BodyEncoding::Multipart,
        _ if name == "application/json" || name.ends_with("+json") || name == "*/*" => BodyEncoding::Json,
        _ => BodyEncoding::Other,
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

/// The names in braces of a path template.
#[must_use]
pub fn placeholders(path: &str) -> Vec<&str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}
