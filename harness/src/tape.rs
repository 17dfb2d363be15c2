//! Recorded exchanges with a provider's sandbox: their format, one exchange a file. What is secret or personal is
//! taken out before anything is written. No socket and no file is touched here.

mod recorded;
mod redact;
mod replay;

pub use recorded::Recorded;
pub use redact::Redactor;
pub use replay::{ReplayError, Replayed, Rerun, replay};

use std::collections::BTreeMap;

use provely_evaluator::json::{ToValueError, Value, from_value, parse, to_value};
use provely_evaluator::time::Time;
use serde::{Deserialize, Serialize};

/// The version of the format.
const FORMAT: &str = "provely.exchange/1";

/// One request and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// The version of the format.
    pub format: String,
    /// When the request was sent on.
    pub sent_at: Time,
    /// When the reply was there, or none came.
    pub at: Time,
    /// The request.
    pub request: Sent,
    /// The reply; absent where none came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Answered>,
}

/// A request as it was sent on, what is secret and personal taken out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// The method, upper case.
    pub method: String,
    /// The path, percent-encoded.
    pub path: String,
    /// Query parameters, decoded, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub query: Vec<(String, String)>,
    /// The headers that are kept, lower case.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Content>,
}

/// A reply, what is secret and personal taken out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// The headers that are kept, lower case.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Content>,
}

/// A body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// A JSON value.
    Json(Value),
    /// The pairs of a form, decoded, in order.
    Form(Vec<(String, String)>),
    /// Other text.
    Text(String),
    /// So many bytes that are no text; they are not kept.
    Omitted(u64),
}

impl Content {
    /// Takes a body as it came; nothing where it is empty.
    #[must_use]
    pub fn of(bytes: &[u8], content_type: Option<&str>) -> Option<Self> {
        if bytes.is_empty() {
            return None;
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Some(Self::Omitted(bytes.len() as u64));
        };
        if content_type.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded")) {
            return Some(Self::Form(pairs(text)));
        }
        Some(parse(text).map_or_else(|_| Self::Text(text.to_owned()), Self::Json))
    }

    /// The JSON value, where it is one.
    #[must_use]
    pub const fn json(&self) -> Option<&Value> {
        match self {
            Self::Json(value) => Some(value),
            Self::Form(_) | Self::Text(_) | Self::Omitted(_) => None,
        }
    }
}

impl Exchange {
    /// An exchange of this format's version.
    #[must_use]
    pub fn new(sent_at: Time, at: Time, request: Sent, reply: Option<Answered>) -> Self {
        Self { format: FORMAT.to_owned(), sent_at, at, request, reply }
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let value = parse(text).map_err(|error| error.to_string())?;
        let exchange: Self = from_value(&value).map_err(|error| error.to_string())?;
        if exchange.format == FORMAT {
            return Ok(exchange);
        }
        Err(format!("`format` is `{}`, and only `{FORMAT}` is read", exchange.format))
    }

    /// The text of a file.
    ///
    /// # Errors
    /// Never for an exchange of this crate; the writer's error otherwise.
    pub fn to_text(&self) -> Result<String, ToValueError> {
        Ok(format!("{:#}\n", to_value(self)?))
    }
}

/// The pairs of a query or a form, decoded.
#[must_use]
pub fn pairs(text: &str) -> Vec<(String, String)> {
    let parts = text.split('&').filter(|part| !part.is_empty());
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (decoded(&name.replace('+', " ")), decoded(&value.replace('+', " ")))
    };
    parts.map(pair).collect()
}

/// Percent-decodes; what is no escape, or gives no UTF-8, stays as it is.
#[must_use]
pub fn decoded(text: &str) -> String {
    let digit = |byte: Option<u8>| {
        byte.and_then(|byte| char::from(byte).to_digit(16)).and_then(|own| u8::try_from(own).ok())
    };
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                out.push(high << 4 | low);
                bytes = ahead;
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}
