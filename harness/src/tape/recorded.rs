//! A recording as the runtime's transport: a read gets what the same read got at that time, and what was not
//! recorded is unavailable. Nothing is made up, and nothing is answered from a later or a long gone moment.

use std::collections::BTreeSet;

use provely_evaluator::json::parse;
use provely_evaluator::time::Time;
use provely_runtime::{Body, HttpRequest, HttpResponse, Transport, TransportError};

use super::{Answered, Content, Exchange, decoded};

/// How long an answer counts as that of its moment, in milliseconds: reads that belong together follow each other.
const MOMENT_MS: i64 = 10_000;

/// A recording at a time.
#[derive(Debug)]
pub struct Recorded {
    exchanges: Vec<Exchange>,
    /// Parameters that only say how much of a list is asked for at once.
    sizes: BTreeSet<String>,
    /// The present time.
    pub now: Time,
    /// Reads that were asked for and have no answer at their time.
    pub missing: BTreeSet<String>,
}

impl Recorded {
    /// A recording, in the order of time; `sizes` names the parameters that only say how long a page is.
    #[must_use]
    pub fn new(mut exchanges: Vec<Exchange>, sizes: BTreeSet<String>) -> Self {
        exchanges.sort_by_key(|exchange| exchange.at);
        let now = exchanges.first().map_or(Time::from_seconds(0), |first| first.sent_at);
        Self { exchanges, sizes, now, missing: BTreeSet::new() }
    }

    fn find(&self, request: &HttpRequest) -> Option<&Exchange> {
        let asked = self.pairs(&request.query);
        let body = request.body.as_deref().and_then(|body| parse(body).ok());
        self.exchanges
            .iter()
            .rev()
            .skip_while(|own| own.at > self.now)
            .take_while(|own| self.now.since(own.at) <= MOMENT_MS)
            .find(|own| {
                let sent = &own.request;
                sent.method == request.method
                    && decoded(&sent.path) == decoded(&request.path)
                    && self.pairs(&sent.query) == asked
                    && sent.body.as_ref().and_then(Content::json) == body.as_ref()
            })
    }

    /// Query parameters without order and without those that say how long a page is: a shorter page says itself that
    /// more follows.
    fn pairs<'q>(&self, query: &'q [(String, String)]) -> Vec<&'q (String, String)> {
        let mut pairs: Vec<_> = query.iter().filter(|(name, _)| !self.sizes.contains(name)).collect();
        pairs.sort();
        pairs
    }
}

impl Transport for Recorded {
    fn send(&mut self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        match self.find(request) {
            None => {
                self.missing.insert(format!("{} {}", request.method, request.path));
                Err(TransportError::Refused)
            }
            Some(Exchange { reply: None, .. }) => Err(TransportError::Timeout),
            Some(Exchange { reply: Some(reply), .. }) => Ok(response(reply)),
        }
    }
}

/// A recorded reply as the runtime takes it.
pub(super) fn response(reply: &Answered) -> HttpResponse {
    HttpResponse {
        status: reply.status,
        headers: reply.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        body: match &reply.body {
            Some(Content::Json(value)) => Body::from(value.clone()),
            Some(Content::Text(text)) => Body::from(text.as_str()),
            Some(Content::Form(_) | Content::Omitted(_)) | None => Body::default(),
        },
    }
}
