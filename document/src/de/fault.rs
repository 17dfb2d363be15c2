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
        if self.0.span.is_some() {
            return self;
        }
        if let Reason::UnknownMember { name, .. } = &self.0.reason
            && let Some(entry) = node.entry(name)
        {
            return self.at_key(entry.key, entry.key_span);
        }
        if let (Reason::WrongType { found, .. }, Some(text)) = (&mut self.0.reason, node.number_text()) {
            *found = format!("the number {}", quoted(text));
        }
        self.0.span = Some(node.span());
        self.0.help = node_advice(&self.0.reason, node);
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
        let whole = node.document().root().id() == node.id();
        let place = match (path.is_empty(), whole) {
            (true, true) => "the document".to_owned(),
            (true, false) => "this value".to_owned(),
            (false, _) => quoted_path(&path),
        };
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

/// What now, as far as the node tells: a bare `1.10` can be made a string, and the member that is missing
/// may be there under a slip of its name.
fn node_advice(reason: &Reason, node: Node<'_>) -> Option<String> {
    match reason {
        Reason::WrongType { wanted, .. } => {
            let text = node.scalar_text().filter(|text| !text.is_empty() && text.len() <= 40)?;
            let bare = wanted.contains("string") && node.as_str().is_none();
            bare.then(|| format!("write \"{text}\" for a string"))
        }
        Reason::Missing(name) => {
            let slip = nearest(name, node.entries().map(|entry| entry.key))?;
            Some(format!("{} is there; did you mean {}?", quoted(slip), quoted(name)))
        }
        Reason::UnknownMember { .. } | Reason::UnknownName { .. } | Reason::Range(_) | Reason::Other(_) => {
            None
        }
    }
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
        Self::wrong_type(&plain(&wanted.to_string()), &name(found))
    }

    fn invalid_length(found: usize, wanted: &dyn Expected) -> Self {
        Self::custom(format!("expected {wanted}, found {found}"))
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

/// What was wanted, in the words of the file rather than of Rust.
fn plain(wanted: &str) -> String {
    let word = match wanted {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "unit" => "null",
        "a map" => "an object",
        "a sequence" => "an array",
        _ if wanted.starts_with("struct ") => "an object",
        _ => wanted,
    };
    word.to_owned()
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
