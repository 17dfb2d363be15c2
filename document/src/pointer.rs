//! JSON pointers (RFC 6901) and the fragments of `$ref`. It must not follow references to other files.

use std::fmt;
use std::sync::Arc;

use crate::code;
use crate::diagnostic::{Diagnostic, quoted};
use crate::nearest::nearest;
use crate::node::Node;
use crate::source::{Source, Span};
use crate::tree::Kind;

/// A JSON pointer as its unescaped tokens.
///
/// ```
/// use provely_document::Pointer;
/// let pointer = Pointer::parse_fragment("#/paths/~1v1~1x%7Bid%7D/get").unwrap();
/// assert_eq!(pointer.tokens(), ["paths", "/v1/x{id}", "get"]);
/// assert_eq!(pointer.to_string(), "/paths/~1v1~1x{id}/get");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer {
    tokens: Vec<String>,
}

/// Why a text is no pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerSyntax {
    /// A pointer is empty or starts with `/`.
    NoSlash,
    /// A fragment starts with `#`.
    NoHash,
    /// `~` stands before something other than `0` or `1`.
    Tilde,
}

impl fmt::Display for PointerSyntax {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            PointerSyntax::NoSlash => "a JSON pointer must be empty or start with `/`",
            PointerSyntax::NoHash => "a fragment must start with `#`",
            PointerSyntax::Tilde => "in a JSON pointer `~` must be followed by `0` or `1`",
        })
    }
}

impl std::error::Error for PointerSyntax {}

impl Pointer {
    /// The pointer to the whole document.
    pub fn root() -> Self {
        Self::default()
    }

    /// Reads the string form of RFC 6901, section 3: `""` or `/a/b~1c`.
    ///
    /// # Errors
    /// If it does not start with `/`, or a `~` is neither `~0` nor `~1`.
    pub fn parse(text: &str) -> Result<Self, PointerSyntax> {
        let Some(rest) = text.strip_prefix('/') else {
            return if text.is_empty() { Ok(Self::root()) } else { Err(PointerSyntax::NoSlash) };
        };
        let stray = text.split('~').skip(1).any(|after| !after.starts_with(['0', '1']));
        if stray {
            return Err(PointerSyntax::Tilde);
        }
        Ok(Self { tokens: rest.split('/').map(unescape).collect() })
    }

    /// Reads the fragment of a `$ref`, such as `#/paths/~1v1~1x/get`: percent-decodes (RFC 6901, section 6),
    /// then splits at `/`, then turns `~1` and then `~0` back. A `%` that starts no escape, and escapes that
    /// are not UTF-8, stay as they are, and so does a stray `~`: published files hold such names.
    ///
    /// # Errors
    /// If the text does not start with `#`, or what follows is neither empty nor starts with `/` (an
    /// anchor name, for example).
    pub fn parse_fragment(text: &str) -> Result<Self, PointerSyntax> {
        let fragment = text.strip_prefix('#').ok_or(PointerSyntax::NoHash)?;
        let decoded = percent_decoded(fragment);
        match decoded.strip_prefix('/') {
            Some(rest) => Ok(Self { tokens: rest.split('/').map(unescape).collect() }),
            None if decoded.is_empty() => Ok(Self::root()),
            None => Err(PointerSyntax::NoSlash),
        }
    }

    /// The unescaped tokens.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// Goes one step down: a key, or an index in decimal.
    pub fn push(&mut self, token: impl Into<String>) {
        self.tokens.push(token.into());
    }

    /// Goes one step up; the token that was left, if any.
    pub fn pop(&mut self) -> Option<String> {
        self.tokens.pop()
    }

    /// This pointer, one step further down.
    #[must_use]
    pub fn join(&self, token: impl Into<String>) -> Self {
        let mut longer = self.clone();
        longer.push(token);
        longer
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_tokens(out, &self.tokens)
    }
}

impl std::str::FromStr for Pointer {
    type Err = PointerSyntax;

    fn from_str(text: &str) -> Result<Self, PointerSyntax> {
        Self::parse(text)
    }
}

fn write_tokens(out: &mut impl fmt::Write, tokens: &[String]) -> fmt::Result {
    tokens.iter().try_for_each(|token| write!(out, "/{}", token.replace('~', "~0").replace('/', "~1")))
}

fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// Decodes runs of `%XX` that are UTF-8 together; leaves all else as it is.
#[must_use]
pub fn percent_decoded(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, after) = rest.split_at(at);
        decoded.push_str(before);
        let run = escape_run(after);
        let length = (run.len() * 3).max(1);
        let raw = after.get(..length).unwrap_or(after);
        decoded.push_str(std::str::from_utf8(&run).ok().filter(|run| !run.is_empty()).unwrap_or(raw));
        rest = after.get(length..).unwrap_or_default();
    }
    decoded.push_str(rest);
    decoded
}

/// The bytes of the `%XX` that stand one after the other at the start of `text`.
fn escape_run(text: &str) -> Vec<u8> {
    let chunks = text.as_bytes().chunks_exact(3);
    chunks
        .map_while(|chunk| match chunk {
            [b'%', high, low] => Some((hex(*high)? << 4) | hex(*low)?),
            _ => None,
        })
        .collect()
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

/// What stopped a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointerReason {
    /// The object has no such key; perhaps this one was meant.
    NoSuchKey {
        /// The closest key there is, if one is close.
        nearest: Option<String>,
    },
    /// The array ends before this index.
    NoSuchIndex {
        /// How many items there are.
        len: usize,
    },
    /// The token is no array index: digits without a leading zero.
    NotAnIndex,
    /// Nothing can stand below a scalar.
    Scalar(Kind),
}

/// Where a pointer stopped and why.
#[derive(Clone, Debug)]
pub struct PointerError {
    /// The whole pointer.
    pub pointer: Pointer,
    /// Which token failed, from 0.
    pub failed: usize,
    /// Why.
    pub reason: PointerReason,
    /// The span of the last node that was reached.
    pub reached: Span,
    source: Arc<Source>,
}

impl PointerError {
    /// The token that failed.
    pub fn token(&self) -> &str {
        self.pointer.tokens.get(self.failed).map_or("", String::as_str)
    }

    /// The nearest existing name, if one is close.
    pub fn nearest(&self) -> Option<&str> {
        match &self.reason {
            PointerReason::NoSuchKey { nearest } => nearest.as_deref(),
            PointerReason::NoSuchIndex { .. } | PointerReason::NotAnIndex | PointerReason::Scalar(_) => None,
        }
    }

    /// This error as a finding about the node that holds the pointer (a `$ref`, for example).
    pub fn at(&self, node: Node<'_>) -> Diagnostic {
        let source = node.document().source();
        let mut finding = Diagnostic::error(code::POINTER_UNRESOLVED, source, node.span(), self.to_string());
        if Arc::ptr_eq(source, &self.source) {
            let reached = self.reached.start as usize;
            finding = finding.with_label(Span::new(reached, reached + 1), "it leads as far as this");
        }
        finding.help = self.nearest().map(|name| format!("did you mean {}?", quoted(name)));
        finding
    }
}

impl fmt::Display for PointerError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = quoted(self.token());
        let mut parent = String::new();
        write_tokens(&mut parent, self.pointer.tokens.get(..self.failed).unwrap_or_default())?;
        let parent = if parent.is_empty() { "the document".to_owned() } else { quoted(&parent) };
        let pointer = quoted(&self.pointer.to_string());
        write!(out, "{pointer} leads nowhere: ")?;
        match &self.reason {
            PointerReason::NoSuchKey { nearest: None } => write!(out, "{parent} has no key {token}"),
            PointerReason::NoSuchKey { nearest: Some(near) } => {
                write!(out, "{parent} has no key {token}; the nearest is {}", quoted(near))
            }
            PointerReason::NoSuchIndex { len } => write!(out, "{parent} has {len} items, none at {token}"),
            PointerReason::NotAnIndex => write!(out, "{parent} is an array and {token} is no index"),
            PointerReason::Scalar(kind) => write!(out, "{parent} is {} and holds no {token}", kind.noun()),
        }
    }
}

impl std::error::Error for PointerError {}

impl<'a> Node<'a> {
    /// Follows a pointer from this node.
    ///
    /// # Errors
    /// Says which token failed, why, and the nearest existing key.
    pub fn resolve(self, pointer: &Pointer) -> Result<Node<'a>, PointerError> {
        let mut node = self;
        for (failed, token) in pointer.tokens.iter().enumerate() {
            node = node.child(token).map_err(|reason| PointerError {
                pointer: pointer.clone(),
                failed,
                reason,
                reached: node.span(),
                source: Arc::clone(node.document().source()),
            })?;
        }
        Ok(node)
    }

    fn child(self, token: &str) -> Result<Node<'a>, PointerReason> {
        match self.kind() {
            Kind::Object => self.get(token).ok_or_else(|| {
                let nearest = nearest(token, self.entries().map(|entry| entry.key)).map(str::to_owned);
                PointerReason::NoSuchKey { nearest }
            }),
            Kind::Array => {
                let index = index(token).ok_or(PointerReason::NotAnIndex)?;
                self.item(index).ok_or(PointerReason::NoSuchIndex { len: self.len() })
            }
            kind @ (Kind::Null | Kind::Bool | Kind::Number | Kind::String) => {
                Err(PointerReason::Scalar(kind))
            }
        }
    }
}

/// RFC 6901, section 4: `0`, or digits without a leading zero.
fn index(token: &str) -> Option<usize> {
    let digits = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
    let padded = token.len() > 1 && token.starts_with('0');
    (digits && !padded).then(|| token.parse().unwrap_or(usize::MAX))
}
