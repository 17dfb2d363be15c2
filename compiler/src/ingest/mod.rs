//! Stage 1: reads the sources into operations, schemas, events, passages and security schemes, each with
//! its assertion. Must not judge what anything means, and does no I/O.

mod check;
mod docs;
mod event_names;
mod events;
mod forest;
mod graphql;
mod html;
mod oddity;
mod openapi;
mod operation;
mod passage;
mod paths;
mod schema;
mod sdk;
mod security;
mod swagger;

use provely_document::Diagnostic;
use provely_evaluator::hash::Digest;
use provely_evaluator::version::Version;
use rayon::prelude::*;
use serde::Serialize;

pub use check::file_references;
pub use events::{EventSample, EventType};
pub use forest::{Forest, NodeRef, Tree};
pub use graphql::{ApiDirective, ApiRootField, USUAL_PATH};
pub(crate) use graphql::{FORM, IMPLEMENTED_BY, IMPLEMENTS, SCALAR, field_arguments};
pub use openapi::{ApiOperation, ApiParameter, ApiReply, Body, ParameterPlace};
pub use passage::{Block, Passage, blocks, slug};
pub use schema::{Property, Schema};
pub use security::SecurityScheme;

use crate::assertion::SourceRecord;
use crate::source::{Answer, ServiceFile, SourceFile, SourceKind, Sources, service_slug};
use crate::uncertainty::Uncertainty;

/// What the sources say, in their order. The trees behind [`NodeRef`]s are kept, and left out when printed.
#[derive(Debug, Serialize)]
pub struct Ingested {
    /// Short id of the service.
    pub service: String,
    /// Title of the service.
    pub title: String,
    /// The version that the description names.
    pub version: Option<String>,
    /// The servers that the description names.
    pub servers: Vec<String>,
    /// The sources with their digests.
    pub sources: Vec<SourceRecord>,
    /// Every operation, in source order.
    pub operations: Vec<ApiOperation>,
    /// The directives that a request may put on a field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub directives: Vec<ApiDirective>,
    /// Every named schema, in source order.
    pub schemas: Vec<NodeRef>,
    /// Event types that a description declares.
    pub event_types: Vec<EventType>,
    /// Samples of events.
    pub event_samples: Vec<EventSample>,
    /// Paragraphs of documents.
    pub passages: Vec<Passage>,
    /// Security schemes.
    pub security: Vec<SecurityScheme>,
    /// What was odd.
    pub uncertainties: Vec<Uncertainty>,
    /// The service file.
    pub file: Option<ServiceFile>,
    /// A reviewer's answers.
    pub review: Vec<Answer>,
    /// The trees.
    #[serde(skip)]
    pub forest: Forest,
}

impl Ingested {
    /// A view of a schema; references are followed as they are met.
    #[must_use]
    pub fn schema(&self, place: &NodeRef) -> Option<Schema<'_>> {
        Schema::at(&self.forest, place)
    }

    /// The operation of that id.
    #[must_use]
    pub fn operation(&self, id: &str) -> Option<&ApiOperation> {
        self.operations.iter().find(|operation| operation.id == id)
    }
}

/// Reads the sources.
///
/// # Errors
/// One finding for each file that is malformed, each reference that leads nowhere and each member of the
/// wrong type, with file, line and column.
pub fn ingest(sources: &Sources) -> Result<Ingested, Vec<Diagnostic>> {
    let (forest, records) = rayon::join(|| Forest::plant(&sources.files), || records(sources));
    let forest = forest?;
    let (read, (checked, named)) = rayon::join(
        || read(sources, &forest, records),
        || rayon::join(|| check::check(&forest), || event_names::listed(&forest)),
    );
    let ((mut found, findings, mut oddities), (mut faults, odd, noted)) = (read, checked);
    faults.extend(findings);
    found.uncertainties.extend(odd);
    event_names::add(&forest, named, &mut found);
    oddities.merge(noted);
    found.uncertainties.extend(oddities.questions(&forest));
    // A schema has neither title nor version.
    if found.title.is_empty() && sources.files.iter().any(|file| file.kind == SourceKind::Graphql) {
        found.title.clone_from(&found.service);
    }
    found.version =
        found.version.filter(|text| Version::parse(text).is_some()).or_else(|| only_version(sources));
    if let Some(service) = &sources.service {
        found.title.clone_from(&service.title);
    }
    found.forest = forest;
    if faults.is_empty() { Ok(found) } else { Err(faults) }
}

/// What the sources say, without the trees, with what is malformed and what is odd.
fn read(
    sources: &Sources,
    forest: &Forest,
    records: Vec<SourceRecord>,
) -> (Ingested, Vec<Diagnostic>, oddity::Oddities) {
    let mut findings = Vec::new();
    let mut oddities = oddity::Oddities::default();
    let mut found = Ingested {
        service: service_id(sources),
        title: String::new(),
        version: None,
        servers: Vec::new(),
        sources: records,
        operations: Vec::new(),
        directives: Vec::new(),
        schemas: Vec::new(),
        event_types: Vec::new(),
        event_samples: Vec::new(),
        passages: documents(sources, &mut findings),
        security: Vec::new(),
        uncertainties: Vec::new(),
        file: sources.service.clone(),
        review: sources.review.clone(),
        forest: Forest::default(),
    };
    for tree in 0..forest.len() {
        match forest.kind(tree) {
            Some(SourceKind::Openapi) => {
                openapi::read(forest, tree, &mut found, &mut findings, &mut oddities)
            }
            Some(SourceKind::Graphql) => graphql::read(forest, tree, endpoint(sources), &mut found),
            Some(SourceKind::EventSample) => events::read_samples(forest, tree, &mut found, &mut findings),
            Some(SourceKind::Docs | SourceKind::OpenapiPart | SourceKind::SdkTypes) | None => {}
        }
    }
    (found, findings, oddities)
}

/// A description that names no version, or calls it `latest`, is known by the day on which it was read, else it is
/// the only one.
fn only_version(sources: &Sources) -> Option<String> {
    let described = |file: &&SourceFile| matches!(file.kind, SourceKind::Graphql | SourceKind::Openapi);
    let file = sources.files.iter().find(described)?;
    Some(file.retrieved.clone().unwrap_or_else(|| "1".to_owned()))
}

fn endpoint(sources: &Sources) -> &str {
    let named = sources.service.as_ref().and_then(|service| service.graphql_path.as_deref());
    named.unwrap_or(USUAL_PATH)
}

fn service_id(sources: &Sources) -> String {
    let first = sources.files.first().map(|file| service_slug(&file.name));
    sources.service.as_ref().map(|service| service.id.clone()).or(first).unwrap_or_default()
}

/// The passages of all documents, in their order.
fn documents(sources: &Sources, findings: &mut Vec<Diagnostic>) -> Vec<Passage> {
    let documents: Vec<&SourceFile> =
        sources.files.iter().filter(|file| file.kind == SourceKind::Docs).collect();
    let read: Vec<Result<Vec<Passage>, Diagnostic>> =
        documents.par_iter().map(|file| docs::read(file)).collect();
    let mut passages = Vec::new();
    for document in read {
        match document {
            Ok(found) => passages.extend(found),
            Err(finding) => findings.push(finding),
        }
    }
    passages
}

fn records(sources: &Sources) -> Vec<SourceRecord> {
    let whole = sources.files.par_iter().filter(|file| file.kind != SourceKind::OpenapiPart);
    whole.map(record).collect()
}

fn record(file: &SourceFile) -> SourceRecord {
    SourceRecord {
        id: file.id.clone(),
        kind: file.kind.name(),
        url: file.url.clone(),
        retrieved: file.retrieved.clone(),
        excerpt: file.excerpt.clone(),
        sha256: Digest::of(file.text.as_bytes()).to_hex(),
    }
}
