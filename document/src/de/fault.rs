//! The error of the serde reader: a reason that gains its place and path on the way up. It must not lose
//! the innermost place.

use std::fmt;

use serde::de::{Error, Expected, Unexpected};

use crate::code;
use crate::diagnostic::{Diagnostic, quoted};
use crate::nearest::nearest;
use crate::node::Node;
use crate::source::Span;

type Names = &'static [&'static str];

/// Why a value does not fit.
#[derive(Debug)]
enum Reason {
    UnknownMember { name: String, known: Names },
    UnknownName { name: String, known: Names },
    Missing(&'static str),
    WrongType { wanted: String, found: String },
    Range(String),
    Other(String),
}

/// One step of the path to the place.
#[derive(Debug)]
enum Step {
    Key(String),
    Index(usize),
}

#[derive(Debug)]
struct Inner {
    reason: Reason,
    span: Option<Span>,
    help: Option<String>,
    /// Innermost step first.
    path: Vec<Step>,
}

/// A reason with, once known, its place; boxed to keep results small.
#[derive(Debug)]
pub(crate) struct Fault(Box<Inner>);

impl Fault {
    fn new(reason: Reason) -> Self {
        Self(Box::new(Inner { reason, span: None, help: None, path: Vec::new() }))
    }

    pub(crate) fn range(message: impl Into<String>) -> Self {
        Self::new(Reason::Range(message.into()))
    }

    pub(crate) fn wrong_type(wanted: &str, found: &str) -> Self {
        Self::new(Reason::WrongType { wanted: wanted.to_owned(), found: found.to_owned() })
    }

    /// Gives the place of `node`, unless a place nearer to the cause is known. A member that is unknown is
    /// looked up, since serde may notice it only after it has buffered the object.
    pub(crate) fn at(mut self, node: Node<'_>) -> Self {
        if self.0.span.is_none() {
            let member = match &self.0.reason {
                Reason::UnknownMember { name, .. } => node.entry(name),
                _ => None,
            };
            match member {
                Some(entry) => self = self.at_key(entry.key, entry.key_span),
                None => self.0.span = Some(node.span()),
            }
            self.0.help = self.0.help.or_else(|| quote_advice(&self.0.reason, node));
        }
        self
    }

    /// Gives the place of a key.
    pub(crate) fn at_key(mut self, key: &str, span: Span) -> Self {
        if self.0.span.is_none() {
            self.0.span = Some(span);
            self.0.path.push(Step::Key(key.to_owned()));
        }
        self
    }

    pub(crate) fn below_key(mut self, key: &str) -> Self {
        self.0.path.push(Step::Key(key.to_owned()));
        self
    }

    pub(crate) fn below_index(mut self, index: usize) -> Self {
        self.0.path.push(Step::Index(index));
        self
    }

    pub(crate) fn into_diagnostic(self, node: Node<'_>) -> Diagnostic {
        let path = path(&self.0.path);
        let place = if path.is_empty() { "the document".to_owned() } else { quoted_path(&path) };
        let (code, message) = describe(&self.0.reason, &place);
        let span = self.0.span.unwrap_or_else(|| node.span());
        let mut finding = Diagnostic::error(code, node.document().source(), span, message);
        finding.help = self.0.help.or_else(|| names_advice(&self.0.reason));
        finding
    }
}

fn describe(reason: &Reason, place: &str) -> (&'static str, String) {
    match reason {
        Reason::UnknownMember { name, .. } => {
            (code::UNKNOWN_MEMBER, format!("unknown member {} at {place}", quoted(name)))
        }
        Reason::UnknownName { name, .. } => {
            (code::UNKNOWN_NAME, format!("{} at {place} is none of the known names", quoted(name)))
        }
        Reason::Missing(name) => (code::MISSING_MEMBER, format!("{place} lacks the member {}", quoted(name))),
        Reason::WrongType { wanted, found } => {
            (code::WRONG_TYPE, format!("expected {wanted} at {place}, found {found}"))
        }
        Reason::Range(message) => (code::NUMBER_RANGE, format!("{message} at {place}")),
        Reason::Other(message) => (code::INVALID_VALUE, format!("{message} at {place}")),
    }
}

/// Most names that an advice lists.
const LISTED: usize = 12;

fn names_advice(reason: &Reason) -> Option<String> {
    let (name, known) = match reason {
        Reason::UnknownMember { name, known } | Reason::UnknownName { name, known } => (name, *known),
        Reason::Missing(_) | Reason::WrongType { .. } | Reason::Range(_) | Reason::Other(_) => return None,
    };
    if known.is_empty() {
        return Some("nothing is allowed here".to_owned());
    }
    if let Some(near) = nearest(name, known.iter().copied()) {
        return Some(format!("did you mean {}?", quoted(near)));
    }
    let list: Vec<String> = known.iter().take(LISTED).map(|name| quoted(name)).collect();
    let more = if known.len() > LISTED { ", ..." } else { "" };
    Some(format!("known are {}{more}", list.join(", ")))
}

/// In YAML a bare `1.10` or `true` is no string; say how to make it one.
fn quote_advice(reason: &Reason, node: Node<'_>) -> Option<String> {
    let Reason::WrongType { wanted, .. } = reason else { return None };
    let text = node.scalar_text().filter(|text| !text.is_empty() && text.len() <= 40)?;
    (wanted.contains("string") && node.as_str().is_none()).then(|| format!("write \"{text}\" for a string"))
}

/// `completion.all_of[1].operatr`; keys that are no plain names stand in `["..."]`.
fn path(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps.iter().rev() {
        match step {
            Step::Index(index) => path.push_str(&format!("[{index}]")),
            Step::Key(key) if plain_name(key) => {
                let dot = if path.is_empty() { "" } else { "." };
                path.push_str(dot);
                path.push_str(key);
            }
            Step::Key(key) => path.push_str(&format!("[{key:?}]")),
        }
    }
    path
}

fn plain_name(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '$'))
}

/// Longest path that a message shows, in characters; the end of a longer one matters most.
const PATH: usize = 160;

fn quoted_path(path: &str) -> String {
    let count = path.chars().count();
    if count <= PATH {
        return format!("`{path}`");
    }
    let tail: String = path.chars().skip(count - PATH).collect();
    format!("`…{tail}`")
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&describe(&self.0.reason, "this place").1)
    }
}

impl std::error::Error for Fault {}

impl Error for Fault {
    fn custom<M: fmt::Display>(message: M) -> Self {
        Self::new(Reason::Other(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::wrong_type(&wanted.to_string(), &name(found))
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        let number = matches!(found, Unexpected::Signed(_) | Unexpected::Unsigned(_) | Unexpected::Float(_));
        let message = format!("{} does not fit {wanted}", name(found));
        if number { Self::range(message) } else { Self::custom(message) }
    }

    fn unknown_variant(name: &str, known: Names) -> Self {
        Self::new(Reason::UnknownName { name: name.to_owned(), known })
    }

    fn unknown_field(name: &str, known: Names) -> Self {
        Self::new(Reason::UnknownMember { name: name.to_owned(), known })
    }

    fn missing_field(name: &'static str) -> Self {
        Self::new(Reason::Missing(name))
    }
}

/// What was found, in the words of the file rather than of the reader.
fn name(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("the boolean `{value}`"),
        Unexpected::Unsigned(value) => format!("the number `{value}`"),
        Unexpected::Signed(value) => format!("the number `{value}`"),
        Unexpected::Float(value) => format!("the number `{value}`"),
        Unexpected::Str(text) => format!("the string {}", quoted(text)),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "an array".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        other => other.to_string(),
    }
}
