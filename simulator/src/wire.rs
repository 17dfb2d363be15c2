//! Requests and replies as values, so that no text is printed or read where nobody looks at the wire.
//! No sockets.

use core::fmt;

use provely_evaluator::json::{self, Value};
use provely_evaluator::time::Time;

use crate::form;

/// A request as the provider receives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Method, upper case.
    pub method: String,
    /// Path without query, percent-encoded as on the wire.
    pub path: String,
    /// Query parameters in order, decoded; brackets stay in the name (`created[gte]`).
    pub query: Vec<(String, String)>,
    /// Headers; names are compared without case.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Body,
}

/// The body of a request or a reply.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Body {
    /// No body.
    #[default]
    Empty,
    /// A JSON value, read or still to be printed. In a request it may stand for any encoding: the
    /// values are checked as if they had been read from it.
    Json(Value),
    /// Text as on the wire: in a request read as the operation's encoding says, in a reply what is no
    /// longer JSON.
    Text(String),
}

impl Body {
    /// The text on the wire.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Json(value) => value.to_string(),
            Self::Text(text) => text.clone(),
        }
    }

    /// The value, if the body is JSON; text is read.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        match self {
            Self::Empty => None,
            Self::Json(value) => Some(value.clone()),
            Self::Text(text) => json::parse(text).ok(),
        }
    }

    /// The value where it needs no reading.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        if let Self::Json(value) = self { Some(value) } else { None }
    }
}

impl Request {
    /// A request to a path with an optional query, `/v1/things?limit=3`.
    #[must_use]
    pub fn new(method: &str, target: &str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Self {
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            query: form::pairs(query),
            headers: Vec::new(),
            body: Body::Empty,
        }
    }

    /// The same with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same with a JSON body.
    #[must_use]
    pub fn json(mut self, body: Value) -> Self {
        self.body = Body::Json(body);
        self
    }

    /// The same with a body as text, such as `amount=5&metadata[a]=b`.
    #[must_use]
    pub fn text(mut self, body: &str) -> Self {
        self.body = Body::Text(body.to_owned());
        self
    }

    /// The value of a header, its name without case.
    #[must_use]
    pub fn header_value(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// What the provider answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Headers, names in small letters; `date` is not among them, see [`Reply::date_header`].
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Body,
    /// The provider's clock.
    pub date: Time,
    /// The request in the ground truth.
    pub request: usize,
}

impl Reply {
    /// The value of a header, its name without case.
    #[must_use]
    pub fn header_value(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The `Date` header of this reply (RFC 9110, section 5.6.7), whole seconds.
    #[must_use]
    pub fn date_header(&self) -> String {
        crate::instant::http_date(self.date)
    }

    /// True for 2xx.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        self.status >= 200 && self.status < 300
    }
}

/// No reply came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lost {
    /// What the caller saw.
    pub cause: LostCause,
    /// The request in the ground truth; whether it took effect stands there alone.
    pub request: usize,
}

/// What a caller sees who gets no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LostCause {
    /// The connection stayed silent.
    Timeout,
    /// No connection came about.
    Unreachable,
}

impl fmt::Display for Lost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause {
            LostCause::Timeout => out.write_str("timeout: the provider did not answer"),
            LostCause::Unreachable => out.write_str("unreachable: no connection to the provider"),
        }
    }
}

impl core::error::Error for Lost {}
