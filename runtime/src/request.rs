//! A channel's request with its references resolved. Only reads are built: `GET`, `HEAD`, or a
//! `POST` with a query document. Nothing is sent here.

use std::fmt::Write as _;

use provely_evaluator::contract::{InstantFormat, InstantRule, Request};
use provely_evaluator::json::{Object, Value};
use provely_evaluator::operation::ProviderInstant;
use provely_evaluator::query::{Reference, Root, Step, walk};

use crate::connection::Connection;
use crate::transport::HttpRequest;

/// What the references of a request may see.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// `$input`.
    pub input: &'a Value,
    /// `$operation.id`: what key and tag are made of.
    pub operation_id: &'a str,
    /// `$operation.created_at`.
    pub begin: Option<ProviderInstant>,
    /// `$correlation.<key>`.
    pub correlation: &'a [(String, Value)],
    /// How instants are written for this channel.
    pub instant: Option<&'a InstantRule>,
}

/// Why a request is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSent {
    /// It would not only read.
    NotARead,
    /// A parameter that is not optional does not resolve.
    Unresolved {
        /// The parameter.
        parameter: String,
    },
    /// No parameter that narrows it to its scope resolves.
    Unscoped,
    /// A path parameter that would change the path.
    UnsafePath {
        /// The parameter.
        parameter: String,
    },
}

impl NotSent {
    /// Stable code, used as the cause of an unavailable channel.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotARead => "request_not_a_read",
            Self::Unresolved { .. } => "parameter_unresolved",
            Self::Unscoped => "request_unscoped",
            Self::UnsafePath { .. } => "path_unsafe",
        }
    }
}

/// Says whether a request only reads. A document must parse and hold nothing but queries.
///
/// # Errors
/// [`NotSent::NotARead`].
pub fn check_reads(request: &Request) -> Result<(), NotSent> {
    let reads = match &request.document {
        None => matches!(request.method.as_str(), "GET" | "HEAD"),
        Some(document) => request.method == "POST" && is_query(document),
    };
    if reads { Ok(()) } else { Err(NotSent::NotARead) }
}

fn is_query(document: &str) -> bool {
    use graphql_parser::query::{Definition, OperationDefinition};
    let Ok(parsed) = graphql_parser::parse_query::<&str>(document) else { return false };
    let reads = parsed.definitions.iter().all(|definition| match definition {
        Definition::Fragment(_) => true,
        Definition::Operation(operation) => match operation {
            OperationDefinition::Query(_) | OperationDefinition::SelectionSet(_) => true,
            OperationDefinition::Mutation(_) | OperationDefinition::Subscription(_) => false,
        },
    });
    reads && parsed.definitions.iter().any(|definition| matches!(definition, Definition::Operation(_)))
}

/// Builds the request of a channel. [`check_reads`] has passed on it when its contract was added.
///
/// # Errors
/// [`NotSent`], with the parameter that is missing or unsafe.
pub fn build(
    request: &Request,
    connection: &Connection,
    context: &Context<'_>,
) -> Result<HttpRequest, NotSent> {
    if request.document.is_none() && !matches!(request.method.as_str(), "GET" | "HEAD") {
        return Err(NotSent::NotARead);
    }
    let mut builder = Builder { request, context, scoped: request.scope.is_empty() };
    let path = builder.path()?;
    let query = builder.pairs(request.query.iter())?;
    let mut headers = builder.pairs(request.headers.iter())?;
    let body = builder.body()?;
    if !builder.scoped {
        return Err(NotSent::Unscoped);
    }
    if let (Some(name), Some(version)) = (&connection.version_header, &connection.api_version) {
        headers.push((name.clone(), version.clone()));
    }
    if body.is_some() {
        headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    }
    Ok(HttpRequest { method: request.method.clone(), path, query, headers, body })
}

/// Sets a parameter of a request that was built: a variable of its document, else a query parameter.
pub fn set_parameter(request: &mut HttpRequest, document: bool, name: &str, value: Value) {
    if document {
        let body = request.body.as_deref().and_then(|text| provely_evaluator::json::parse(text).ok());
        if let Some(mut body) = body {
            let variables = body.as_object_mut().and_then(|object| object.get_mut("variables"));
            if let Some(variables) = variables.and_then(Value::as_object_mut) {
                variables.insert(name, value);
            }
            request.body = Some(body.to_string());
        }
        return;
    }
    let Some(text) = scalar_text(&value) else { return };
    match request.query.iter_mut().find(|(own, _)| own == name) {
        Some(pair) => pair.1 = text,
        None => request.query.push((name.to_owned(), text)),
    }
}

struct Builder<'a> {
    request: &'a Request,
    context: &'a Context<'a>,
    scoped: bool,
}

impl Builder<'_> {
    fn resolved(&mut self, name: &str, source: &str) -> Result<Option<Value>, NotSent> {
        let value = resolve(source, self.context);
        if value.is_some() {
            self.scoped |= self.request.scope.iter().any(|own| own == name);
        } else if !self.request.optional.iter().any(|own| own == name) {
            return Err(NotSent::Unresolved { parameter: name.to_owned() });
        }
        Ok(value)
    }

    fn path(&mut self) -> Result<String, NotSent> {
        let mut path = self.request.path.clone();
        let request = self.request;
        for (name, source) in &request.parameters {
            let unresolved = || NotSent::Unresolved { parameter: name.clone() };
            let value = self.resolved(name, source)?.ok_or_else(unresolved)?;
            let text = scalar_text(&value).ok_or_else(unresolved)?;
            if matches!(text.as_str(), "" | "." | "..") {
                return Err(NotSent::UnsafePath { parameter: name.clone() });
            }
            path = path.replace(&format!("{{{name}}}"), &percent_encoded(&text));
        }
        if path.contains(['{', '}']) {
            return Err(NotSent::Unresolved { parameter: path });
        }
        Ok(path)
    }

    fn pairs<'p>(
        &mut self,
        pairs: impl Iterator<Item = (&'p String, &'p String)>,
    ) -> Result<Vec<(String, String)>, NotSent> {
        let mut out = Vec::new();
        for (name, source) in pairs {
            if let Some(value) = self.resolved(name, source)? {
                let unresolved = NotSent::Unresolved { parameter: name.clone() };
                out.push((name.clone(), scalar_text(&value).ok_or(unresolved)?));
            }
        }
        Ok(out)
    }

    fn body(&mut self) -> Result<Option<String>, NotSent> {
        let request = self.request;
        let Some(document) = &request.document else { return Ok(None) };
        let mut variables = Object::new();
        for (name, source) in &request.variables {
            if let Some(value) = self.resolved(name, source)? {
                variables.insert(name.as_str(), value);
            }
        }
        let mut body = Object::new();
        body.insert("query", document.as_str());
        body.insert("variables", variables);
        Ok(Some(Value::Object(body).to_string()))
    }
}

/// The value of a literal or a reference; `None` if it leads nowhere or to null.
#[must_use]
pub fn resolve(source: &str, context: &Context<'_>) -> Option<Value> {
    if !Reference::is_reference(source) {
        return Some(Value::from(
            source.strip_prefix('$').filter(|_| source.starts_with("$$")).unwrap_or(source),
        ));
    }
    if let Some(below) = source.strip_prefix("$input.").filter(|below| !below.contains(['.', '['])) {
        return context.input.get(below).filter(|value| !value.is_null()).cloned();
    }
    if let Some(key) = source.strip_prefix("$correlation.").filter(|key| !key.contains(['.', '['])) {
        let value = context.correlation.iter().find(|(name, _)| name == key);
        return value.map(|(_, value)| value.clone()).filter(|value| !value.is_null());
    }
    let reference = Reference::parse(source).ok()?;
    let value = match &reference.root {
        Root::Input => reference.walk(context.input).cloned(),
        Root::Operation => operation_value(&reference.steps, context),
        Root::Correlation(key) => {
            let value = context.correlation.iter().find(|(name, _)| name == key);
            value.and_then(|(_, value)| walk(&reference.steps, value)).cloned()
        }
        Root::Document | Root::Item | Root::Observed(_) | Root::Baseline(_) | Root::ActionResult => None,
    };
    value.filter(|value| !value.is_null())
}

fn operation_value(steps: &[Step], context: &Context<'_>) -> Option<Value> {
    let [Step::Member(name)] = steps else { return None };
    match name.as_str() {
        "id" => Some(Value::from(context.operation_id)),
        "created_at" => context.begin.map(|begin| from_begin(begin, context.instant)),
        _ => None,
    }
}

/// `begin` as a filter: earlier by the skew and one granule, so that the filter hides nothing.
fn from_begin(begin: ProviderInstant, rule: Option<&InstantRule>) -> Value {
    let granule = rule.map_or(0, |rule| i64::try_from(rule.granularity_ms).unwrap_or(0));
    let from = begin.at.minus(begin.skew_ms).minus(granule);
    match rule.map(|rule| rule.format) {
        Some(InstantFormat::EpochSeconds) => Value::from(from.as_millis().div_euclid(1000)),
        Some(InstantFormat::EpochMilliseconds) => Value::from(from.as_millis()),
        Some(InstantFormat::Rfc3339 | InstantFormat::Rfc3339Like) | None => Value::from(from.to_string()),
    }
}

/// The text of a scalar; `None` for null, arrays and objects.
#[must_use]
pub fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.as_str().to_owned()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Percent-encodes all but the unreserved characters of RFC 3986, section 2.3.
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
