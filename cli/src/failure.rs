//! Why a command stopped: where, what, what now, with a stable code. It must not print, and never holds a secret.

use crate::summary_text::row;
use provely_document::{Diagnostic, Where};
use serde::Serialize;
use std::path::Path;

/// Why a command stopped. It may hold several findings of equal rank.
#[derive(Debug)]
pub struct Failure(Vec<Finding>);

#[derive(Debug)]
enum Finding {
    /// A place in a file that was read.
    Located(Box<Diagnostic>),
    /// Anything else.
    Plain(Plain),
}

#[derive(Debug)]
struct Plain {
    code: &'static str,
    message: String,
    file: Option<String>,
    help: Option<String>,
}

impl Failure {
    /// A failure with a stable code and one sentence without a full stop.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self(vec![Finding::Plain(Plain { code, message: message.into(), file: None, help: None })])
    }

    /// A file that cannot be read or written.
    #[must_use]
    pub fn file(code: &'static str, path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::new(code, format!("`{}`: {reason}", path.display())).at(path)
    }

    /// Names the file it is about.
    #[must_use]
    pub fn at(mut self, path: &Path) -> Self {
        if let Some(Finding::Plain(plain)) = self.0.last_mut() {
            plain.file = Some(path.display().to_string());
        }
        self
    }

    /// Says what to do now.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        match self.0.last_mut() {
            Some(Finding::Plain(plain)) => plain.help = Some(help.into()),
            Some(Finding::Located(found)) => found.help = Some(help.into()),
            None => {}
        }
        self
    }

    /// All findings of several failures, in order.
    #[must_use]
    pub fn joined(failures: Vec<Failure>) -> Self {
        Self(failures.into_iter().flat_map(|failure| failure.0).collect())
    }

    /// The code of the first finding.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.first().map_or("unknown", Finding::code)
    }

    /// For people: each finding with its source, where it has one.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let findings: Vec<String> = self.0.iter().map(|finding| finding.render(colour)).collect();
        findings.join("\n\n") + "\n"
    }

    /// For machines: `{"error": {code, message, where, help}}`, and `more` with the further findings, if any.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut findings = self.0.iter().map(Finding::machine);
        let first = findings.next().unwrap_or_else(|| Machine::bare("unknown"));
        let document = Document { error: Error { first, more: findings.collect() } };
        serde_json::to_string(&document).unwrap_or_default() + "\n"
    }
}

impl From<Diagnostic> for Failure {
    fn from(found: Diagnostic) -> Self {
        Box::new(found).into()
    }
}

impl From<Box<Diagnostic>> for Failure {
    fn from(found: Box<Diagnostic>) -> Self {
        Self(vec![Finding::Located(found)])
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(found: Vec<Diagnostic>) -> Self {
        Self::joined(found.into_iter().map(Failure::from).collect())
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::new("not_printable", error.to_string())
    }
}

impl Finding {
    fn code(&self) -> &'static str {
        match self {
            Finding::Located(found) => found.code,
            Finding::Plain(plain) => plain.code,
        }
    }

    fn render(&self, colour: bool) -> String {
        match self {
            Finding::Located(found) => found.render(colour),
            Finding::Plain(plain) => plain.render(colour),
        }
    }

    fn machine(&self) -> Machine<'_> {
        match self {
            Finding::Located(found) => {
                let Where { file, line, column } = found.place();
                let place = Place { file, line: Some(line), column: Some(column) };
                Machine {
                    code: found.code,
                    message: &found.message,
                    place: Some(place),
                    help: found.help.as_deref(),
                }
            }
            Finding::Plain(plain) => Machine {
                code: plain.code,
                message: &plain.message,
                place: plain.file.clone().map(|file| Place { file, line: None, column: None }),
                help: plain.help.as_deref(),
            },
        }
    }
}

impl Plain {
    fn render(&self, colour: bool) -> String {
        let (start, end) = if colour { ("\x1b[1m\x1b[91m", "\x1b[0m") } else { ("", "") };
        let mut text = format!("{start}error[{}]{end}: {}", self.code, self.message);
        if let Some(help) = &self.help {
            text.push('\n');
            let mut label = "  = help: ";
            for words in help.lines() {
                row(&mut text, label, words);
                label = "          ";
            }
        }
        text.trim_end().to_owned()
    }
}

#[derive(Serialize)]
struct Document<'f> {
    error: Error<'f>,
}

#[derive(Serialize)]
struct Error<'f> {
    #[serde(flatten)]
    first: Machine<'f>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<Machine<'f>>,
}

#[derive(Serialize)]
struct Machine<'f> {
    code: &'static str,
    message: &'f str,
    #[serde(rename = "where")]
    place: Option<Place>,
    help: Option<&'f str>,
}

impl Machine<'_> {
    fn bare(code: &'static str) -> Self {
        Self { code, message: "", place: None, help: None }
    }
}

#[derive(Serialize)]
struct Place {
    file: String,
    line: Option<u32>,
    column: Option<u32>,
}
