//! What an operation is, and the reading of one description: its head, its named schemas, and the order in
//! which its parts are read. Must not classify anything.

use std::collections::{BTreeMap, HashSet};

use provely_document::{Diagnostic, Kind, Node};
use provely_model::BodyEncoding;
use serde::Serialize;

use super::events::{read_types, wrong};
use super::forest::{Forest, NodeRef, Place};
use super::graphql::ApiRootField;
use super::oddity::{Oddities, Oddity};
use super::{Ingested, paths, security, swagger};
use crate::assertion::pointer_token;

/// The file is no OpenAPI description.
pub const NOT_OPENAPI: &str = "ingest/not-openapi";
/// The file is of a version of the format that is not read.
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

/// Which format a description is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// OpenAPI 3, any minor version.
    Three,
    /// Swagger 2.0.
    Two,
}

/// What the reading of one description needs and fills.
pub(super) struct Reader<'a, 'f> {
    pub(super) forest: &'a Forest,
    pub(super) root: Place<'a>,
    pub(super) dialect: Dialect,
    pub(super) found: &'f mut Ingested,
    pub(super) findings: &'f mut Vec<Diagnostic>,
    pub(super) oddities: &'f mut Oddities,
    /// Ids of operations, of all descriptions.
    pub(super) ids: HashSet<String>,
    /// `operationId`s of this description.
    pub(super) operation_ids: HashSet<String>,
}

/// Reads one description into `found`.
pub(super) fn read(
    forest: &Forest,
    tree: usize,
    found: &mut Ingested,
    findings: &mut Vec<Diagnostic>,
    oddities: &mut Oddities,
) {
    let Some(root) = forest.root(tree) else { return };
    let dialect = match dialect(root.node) {
        Ok(dialect) => dialect,
        Err(finding) => {
            findings.push(*finding);
            return;
        }
    };
    read_head(root.node, dialect, found);
    let ids = found.operations.iter().map(|operation| operation.id.clone()).collect();
    let (root_place, operation_ids) = (root.clone(), HashSet::new());
    Reader { forest, root: root_place, dialect, found, findings, oddities, ids, operation_ids }.paths();
    read_types(forest, &root, found);
    read_components(forest, &root, dialect, found);
}

impl Reader<'_, '_> {
    fn paths(mut self) {
        let Some(all) = self.root.node.get("paths") else { return };
        match all.kind() {
            Kind::Object => paths::read(&mut self, all),
            Kind::Null => {}
            Kind::Array if all.is_empty() => self.oddities.note(Oddity::EmptyArray, self.root.tree, all),
            Kind::Bool | Kind::Number | Kind::String | Kind::Array => {
                self.findings.push(wrong(all, "`paths` is an object"));
            }
        }
    }
}

fn dialect(root: Node<'_>) -> Result<Dialect, Box<Diagnostic>> {
    let source = root.document().source();
    let fault = |code, span, message: &str| Box::new(Diagnostic::error(code, source, span, message));
    let starts = |version: Node<'_>, major: &str| {
        let text = version.scalar_text().unwrap_or_default().trim();
        text.strip_prefix(major).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    match (root.get("openapi"), root.get("swagger")) {
        (Some(version), _) if starts(version, "3") => Ok(Dialect::Three),
        (_, Some(version)) if starts(version, "2") => Ok(Dialect::Two),
        (Some(version), _) | (None, Some(version)) => {
            let finding = fault(UNSUPPORTED, version.span(), "neither OpenAPI 3 nor Swagger 2.0");
            Err(Box::new(finding.with_help("write `openapi: 3.1.0`, or the version that the file follows")))
        }
        (None, None) => {
            let keys = root.entries().map(|entry| entry.key);
            let near = provely_document::nearest("openapi", keys).and_then(|key| root.entry(key));
            let span = near.map_or_else(|| root.span(), |entry| entry.key_span);
            let help = "an OpenAPI description starts with `openapi: 3.0.0` or a later version";
            let finding =
                fault(NOT_OPENAPI, span, "this is no OpenAPI description: the member `openapi` is missing");
            Err(Box::new(finding.with_help(help)))
        }
    }
}

fn read_head(root: Node<'_>, dialect: Dialect, found: &mut Ingested) {
    let info = |key: &str| root.get("info").and_then(|info| info.get(key)).and_then(Node::scalar_text);
    if found.title.is_empty() {
        found.title = info("title").unwrap_or_default().to_owned();
        found.version = info("version").map(str::to_owned);
    }
    match dialect {
        Dialect::Three => {
            let servers = root.get("servers").into_iter().flat_map(Node::items);
            let named = servers.filter_map(|server| server.get("url")?.as_str());
            found.servers.extend(named.map(str::to_owned));
        }
        Dialect::Two => found.servers.extend(swagger::server(root)),
    }
}

fn read_components<'a>(forest: &'a Forest, root: &Place<'a>, dialect: Dialect, found: &mut Ingested) {
    let (schemas, schemes) = match dialect {
        Dialect::Three => ("/components/schemas", "/components/securitySchemes"),
        Dialect::Two => ("/definitions", "/securityDefinitions"),
    };
    for entry in root.node.at(schemas).into_iter().flat_map(Node::entries) {
        let pointer = format!("{schemas}{}", pointer_token(entry.key));
        found.schemas.push(Place { tree: root.tree, node: entry.value, pointer }.keep(forest));
    }
    found.security.extend(security::read(forest, root, schemes));
}

/// The names in braces of a path template.
#[must_use]
pub fn placeholders(path: &str) -> Vec<&str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}
