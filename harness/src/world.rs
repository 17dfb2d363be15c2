//! The simulated provider as the runtime's transport, and virtual time as its clock. Values are handed
//! over as they are; nothing is decided here.

use std::sync::Arc;

use provely_evaluator::time::Time;
use provely_runtime::{Clock, HttpRequest, HttpResponse, Transport, TransportError};
use provely_simulator::{Body, Lost, LostCause, Provider, Reply, Request};

/// A provider that the runtime reads at the present virtual time.
#[derive(Debug)]
pub struct SimulatedTransport {
    /// The provider.
    pub provider: Provider,
    /// The present time.
    pub now: Time,
}

impl Transport for SimulatedTransport {
    fn send(&mut self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let request = Request {
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.query.clone(),
            headers: request.headers.clone(),
            body: request.body.clone().map_or(Body::Empty, Body::Text),
        };
        self.provider.handle(self.now, &request).map(response).map_err(|lost| error(&lost))
    }
}

/// A reply as the runtime takes it, with its `Date`.
#[must_use]
pub fn response(reply: Reply) -> HttpResponse {
    let mut headers = reply.headers.clone();
    headers.push((String::from("date"), reply.date_header()));
    HttpResponse { status: reply.status, headers, body: body(reply.body) }
}

/// A body as the runtime takes it.
#[must_use]
pub fn body(body: Body) -> provely_runtime::Body {
    match body {
        Body::Empty => provely_runtime::Body::default(),
        Body::Json(value) => provely_runtime::Body::Json(Arc::new(value)),
        Body::Text(text) => provely_runtime::Body::Text(text),
    }
}

fn error(lost: &Lost) -> TransportError {
    match lost.cause {
        LostCause::Timeout => TransportError::Timeout,
        LostCause::Unreachable => TransportError::Refused,
    }
}

/// Virtual time: it stands until it is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VirtualClock(pub Time);

impl Clock for VirtualClock {
    fn now(&self) -> Time {
        self.0
    }
}
