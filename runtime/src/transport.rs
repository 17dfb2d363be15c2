//! The seams to the outside: sending a read, and telling the time. Traits and plain values only;
//! no socket and no clock is touched here.

use core::fmt;
use std::sync::Arc;

use provely_evaluator::json::{self, Value};
use provely_evaluator::time::Time;

/// Sends one read to the provider. Credentials, TLS, time and size limits are its business.
pub trait Transport {
    /// Sends a request and gives the reply, whatever its status.
    ///
    /// # Errors
    /// [`TransportError`] if no reply came.
    fn send(&mut self, request: &HttpRequest) -> Result<HttpResponse, TransportError>;
}

/// Tells the time.
pub trait Clock {
    /// Now, on our clock.
    fn now(&self) -> Time;
}

/// One read. Names and values are plain; the transport encodes the query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpRequest {
    /// `GET`, `HEAD`, or `POST` for a query document.
    pub method: String,
    /// Path, its parameters percent-encoded.
    pub path: String,
    /// Query parameters, in order.
    pub query: Vec<(String, String)>,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// Body text, JSON.
    pub body: Option<String>,
}

/// One reply.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Body,
}

/// A body: text, or a value that was parsed already (a transport in memory need not print it).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Text as it came.
    Text(String),
    /// A parsed JSON value.
    Json(Arc<Value>),
}

impl Default for Body {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Value> for Body {
    fn from(value: Value) -> Self {
        Self::Json(Arc::new(value))
    }
}

impl Body {
    /// The JSON value, read without losing a digit; `None` if the text is not JSON.
    #[must_use]
    pub fn json(&self) -> Option<Arc<Value>> {
        match self {
            Self::Text(text) => json::parse(text).ok().map(Arc::new),
            Self::Json(value) => Some(Arc::clone(value)),
        }
    }
}

impl HttpResponse {
    /// A header's first value; names are compared without case (RFC 9110, section 5.1).
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

/// The first value of a header among pairs; names are compared without case.
#[must_use]
pub fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// Why no reply came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransportError {
    /// No reply in time.
    Timeout,
    /// No connection.
    Refused,
    /// The reply broke off or was too large.
    Broken,
    /// The address, or a redirect to it, is not allowed.
    Forbidden,
}

impl TransportError {
    /// Stable code, used as the cause of an unavailable channel.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Refused => "refused",
            Self::Broken => "broken_reply",
            Self::Forbidden => "address_forbidden",
        }
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: the provider could not be read; it is tried again", self.code())
    }
}

impl std::error::Error for TransportError {}
