//! A request from the wire to the provider, and its reply back. It must not know what the reply means.

use std::sync::Arc;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, DATE, HeaderName, HeaderValue};
use hyper::{Method, Response, StatusCode};
use provely_evaluator::json;
use provely_simulator::{Body, Lost, LostCause, Reply, Request};

use crate::control;
use crate::world::World;

/// The longest body that is read, in bytes.
const MOST_BYTES: usize = 8 << 20;
/// How long a connection stays silent where no reply comes.
const SILENCE: std::time::Duration = std::time::Duration::from_secs(120);

/// A reply on the wire.
pub(crate) type Wire = Response<Full<Bytes>>;

/// No reply: the connection is closed.
#[derive(Debug)]
pub(crate) struct Closed;

impl core::fmt::Display for Closed {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.write_str("the connection is closed without a reply")
    }
}

impl core::error::Error for Closed {}

/// Serves one request.
///
/// # Errors
/// [`Closed`] where the world says that no reply comes.
pub(crate) async fn answer(world: Arc<World>, request: hyper::Request<Incoming>) -> Result<Wire, Closed> {
    let (head, body) = request.into_parts();
    let Ok(body) = Limited::new(body, MOST_BYTES).collect().await else {
        return Ok(plain(StatusCode::PAYLOAD_TOO_LARGE, "the body is longer than 8 MiB or broke off\n"));
    };
    let Ok(text) = String::from_utf8(body.to_bytes().to_vec()) else {
        return Ok(plain(StatusCode::BAD_REQUEST, "the body is no UTF-8\n"));
    };
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    if let Some(below) = head.uri.path().strip_prefix(control::PREFIX) {
        return Ok(control::answer(&world, &head.method, below, head.uri.query(), &text));
    }
    let mut request = Request::new(head.method.as_str(), target);
    request.path = own_path(&world, &head.method, &request.path);
    let named = |(name, value): (&HeaderName, &HeaderValue)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    };
    request.headers = head.headers.iter().filter_map(named).collect();
    if !text.is_empty() {
        request.body = Body::Text(text);
    }
    let reply = {
        let now = world.now();
        world.provider().handle(now, &request)
    };
    match reply {
        Ok(reply) => Ok(wire(&reply)),
        Err(Lost { cause: LostCause::Unreachable, .. }) => Err(Closed),
        Err(Lost { cause: LostCause::Timeout, .. }) => {
            tokio::time::sleep(SILENCE).await;
            Err(Closed)
        }
    }
}

/// The path as the model writes it: without that of the service's address; documents go to their one endpoint.
fn own_path(world: &World, method: &Method, path: &str) -> String {
    let below = path.strip_prefix(world.base_path.as_str()).filter(|below| below.starts_with('/'));
    let path = below.unwrap_or(path);
    let documents = path.ends_with("/graphql") || path.ends_with("/graphql.json");
    match &world.endpoint {
        Some(endpoint) if documents && *method == Method::POST => endpoint.clone(),
        Some(_) | None => path.to_owned(),
    }
}

fn wire(reply: &Reply) -> Wire {
    let is_json = match &reply.body {
        Body::Json(_) => true,
        Body::Text(text) => json::parse(text).is_ok(),
        Body::Empty => false,
    };
    let kind = if is_json { "application/json" } else { "text/html; charset=utf-8" };
    let mut response = Response::new(Full::from(reply.body.text()));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    if reply.body != Body::Empty {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    if let Ok(date) = HeaderValue::from_str(&reply.date_header()) {
        headers.insert(DATE, date);
    }
    for (name, value) in &reply.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name.as_str()), HeaderValue::from_str(value)) {
            headers.insert(name, value);
        }
    }
    response
}

/// A reply in plain words.
pub(crate) fn plain(status: StatusCode, text: &str) -> Wire {
    with_type(status, "text/plain; charset=utf-8", text.to_owned())
}

/// A reply of a type.
pub(crate) fn with_type(status: StatusCode, kind: &'static str, text: String) -> Wire {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
