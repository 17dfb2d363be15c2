//! The sources of one service, as values: what every stage starts from. Stages take these; reading files
//! is the job of the loaders alone.

mod discover;
mod edition;
mod folder;
mod parts;
mod service_file;

use provely_document::{Diagnostic, Format, Limits, from_node, read};
use serde::{Deserialize, Serialize};

pub use discover::{Described, descriptions, kind_of};
pub use edition::{Edition, EditionError};
pub use folder::{LoadError, load_description, load_descriptions, load_folder, load_graphql, load_openapi};
pub use parts::add_parts;
pub use service_file::{
    ChannelDeclarations, Names, Publication, RuleName, SecretKey, ServiceFile, SignatureFile, SignatureParts,
    SourceEntry, TimestampUnit, VersionHeader, VersionRange,
};

/// Everything that the compiler is given about one service.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The service file, where there is one.
    pub service: Option<ServiceFile>,
    /// The sources, in the order of the service file.
    pub files: Vec<SourceFile>,
    /// A reviewer's answers.
    pub review: Vec<Answer>,
}

/// One source.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Id, `vendor.openapi`; every assertion of the source starts with it.
    pub id: String,
    /// What it is.
    pub kind: SourceKind,
    /// Name for messages, as a path relative to the folder; references to other files start from it.
    pub name: String,
    /// Where it was read.
    pub url: Option<String>,
    /// Day of retrieval, `YYYY-MM-DD`.
    pub retrieved: Option<String>,
    /// How an excerpt was made.
    pub excerpt: Option<String>,
    /// Its text.
    pub text: String,
}

/// What a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// An OpenAPI description.
    Openapi,
    /// A further file of an OpenAPI description, reached only through references.
    OpenapiPart,
    /// A GraphQL schema, in SDL or as the answer to an introspection query.
    Graphql,
    /// Prose in Markdown.
    Docs,
    /// Types of the vendor's SDK, in TypeScript.
    SdkTypes,
    /// Samples of events, `{"events": {type: [payload]}}`.
    EventSample,
}

impl SourceKind {
    /// The name that service files use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Openapi => "openapi",
            Self::OpenapiPart => "openapi_part",
            Self::Graphql => "graphql",
            Self::Docs => "docs",
            Self::SdkTypes => "sdk_types",
            Self::EventSample => "event_sample",
        }
    }
}

/// A reviewer's answer to one uncertainty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Id of the uncertainty.
    pub uncertainty: String,
    /// One of the answers that it offers.
    pub answer: String,
    /// The assertion that says so.
    pub assertion: String,
    /// Who answered.
    pub reviewer: String,
    /// When, `YYYY-MM-DD`.
    pub date: String,
}

impl Sources {
    /// One OpenAPI description without a service file; its source id is `<slug>.openapi`, the slug being
    /// the file's name without its ending.
    #[must_use]
    pub fn of_openapi(name: &str, text: impl Into<String>) -> Self {
        Self::of_one(SourceKind::Openapi, name, text.into())
    }

    /// One GraphQL schema without a service file; its source id is `<slug>.graphql`.
    #[must_use]
    pub fn of_graphql(name: &str, text: impl Into<String>) -> Self {
        Self::of_one(SourceKind::Graphql, name, text.into())
    }

    fn of_one(kind: SourceKind, name: &str, text: String) -> Self {
        let file = SourceFile {
            id: format!("{}.{}", service_slug(name), kind.name()),
            kind,
            name: name.to_owned(),
            url: None,
            retrieved: None,
            excerpt: None,
            text,
        };
        Self { service: None, files: vec![file], review: Vec::new() }
    }
}

/// The slug of a file's name: its stem, lower-cased, with hyphens.
#[must_use]
pub fn service_slug(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    let slug = crate::ingest::slug(stem);
    if slug.is_empty() { "service".to_owned() } else { slug }
}

/// Reads a service file.
///
/// # Errors
/// A syntax error, or a member that is unknown, missing or of the wrong type, with its place.
pub fn read_service(name: &str, text: &str) -> Result<ServiceFile, Box<Diagnostic>> {
    let document = read(name, text, Format::Auto, &Limits::default())?;
    Ok(from_node(document.root())?)
}

/// Reads a file of answers.
///
/// # Errors
/// A syntax error, or a member that is unknown, missing or of the wrong type, with its place.
pub fn read_review(name: &str, text: &str) -> Result<Vec<Answer>, Box<Diagnostic>> {
    let document = read(name, text, Format::Auto, &Limits::default())?;
    Ok(from_node(document.root())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_member_of_a_service_file_is_refused_with_a_suggestion() {
        let finding = read_service("service.yaml", "id: a\ntitle: A\nsourcs: []\n").unwrap_err();
        assert_eq!(finding.code, "value/unknown-member");
        assert_eq!(finding.place().line, 3);
        assert_eq!(finding.help.as_deref(), Some("did you mean `sources`?"));
    }

    #[test]
    fn an_answer_needs_its_assertion() {
        let text = "- uncertainty: u\n  answer: unknown\n  reviewer: R\n  date: 2026-01-01\n";
        let finding = read_review("review.yaml", text).unwrap_err();
        assert_eq!(finding.code, "value/missing-member");
    }

    #[test]
    fn the_slug_of_a_file_is_its_stem() {
        assert_eq!(service_slug("a/b/My Vendor.v2.yaml"), "my-vendor");
        assert_eq!(service_slug(".yaml"), "service");
    }
}
