//! What went wrong, where, and what to do now. It must not print; [`crate::Diagnostic::render`] gives a
//! string.

use std::fmt;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::source::{Source, Span};

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used; somebody should look.
    Warning,
    /// A remark.
    Note,
}

impl Severity {
    /// The lower-case word.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A second place that explains the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place, in the same source.
    pub span: Span,
    /// What to see there.
    pub message: String,
}

/// A place in the form that machines read: serialises as `{"file", "line", "column"}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Where {
    /// The name of the source.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One finding about one source.
///
/// `Display` gives one line, [`Diagnostic::render`] a snippet, `Serialize` the plain form
/// `{"code", "severity", "message", "where", "labels", "help"}`.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Stable code, see [`crate::code`]; other crates bring their own.
    pub code: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The text that the spans point into.
    pub source: Arc<Source>,
    /// Where.
    pub span: Span,
    /// Further places.
    pub labels: Vec<Label>,
    /// What now.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding of the given severity.
    pub fn new(
        code: &'static str,
        severity: Severity,
        source: &Arc<Source>,
        span: Span,
        message: impl Into<String>,
    ) -> Self {
        let source = Arc::clone(source);
        Self { code, severity, message: message.into(), source, span, labels: Vec::new(), help: None }
    }

    /// An error.
    pub fn error(code: &'static str, source: &Arc<Source>, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, source, span, message)
    }

    /// A warning.
    pub fn warning(code: &'static str, source: &Arc<Source>, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, source, span, message)
    }

    /// Adds a further place.
    #[must_use]
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Says what to do now.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The place of the finding as file, line and column.
    pub fn place(&self) -> Where {
        self.place_of(self.span)
    }

    pub(crate) fn boxed(self) -> Box<Self> {
        Box::new(self)
    }

    fn place_of(&self, span: Span) -> Where {
        let location = self.source.location(span.start);
        Where { file: self.source.name().to_owned(), line: location.line, column: location.column }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Where { file, line, column } = self.place();
        let word = self.severity.word();
        write!(out, "{file}:{line}:{column}: {word}[{}]: {}", self.code, self.message)
    }
}

impl std::error::Error for Diagnostic {}

impl Serialize for Where {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut plain = serializer.serialize_struct("Where", 3)?;
        plain.serialize_field("file", &self.file)?;
        plain.serialize_field("line", &self.line)?;
        plain.serialize_field("column", &self.column)?;
        plain.end()
    }
}

/// A label with its place worked out.
struct PlainLabel<'d> {
    message: &'d str,
    place: Where,
}

impl Serialize for PlainLabel<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut plain = serializer.serialize_struct("Label", 2)?;
        plain.serialize_field("message", self.message)?;
        plain.serialize_field("where", &self.place)?;
        plain.end()
    }
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let label = |label: &'_ Label| (label.message.clone(), self.place_of(label.span));
        let places: Vec<(String, Where)> = self.labels.iter().map(label).collect();
        let labels: Vec<PlainLabel<'_>> =
            places.iter().map(|(message, place)| PlainLabel { message, place: place.clone() }).collect();
        let mut plain = serializer.serialize_struct("Diagnostic", 6)?;
        plain.serialize_field("code", self.code)?;
        plain.serialize_field("severity", self.severity.word())?;
        plain.serialize_field("message", &self.message)?;
        plain.serialize_field("where", &self.place())?;
        plain.serialize_field("labels", &labels)?;
        plain.serialize_field("help", &self.help)?;
        plain.end()
    }
}

/// Longest piece of input that a message quotes, in characters.
const QUOTED: usize = 60;

/// Input in backticks, cut if long.
pub(crate) fn quoted(text: &str) -> String {
    let mut cut: String = text.chars().take(QUOTED).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    format!("`{cut}`")
}
