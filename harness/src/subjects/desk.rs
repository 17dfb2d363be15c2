//! What a subject may see of one ask at one moment: the ask, the agent's report, the model, delivered events, and
//! reads of the provider. It must not show what really happened, nor let a read change the world.

use std::sync::Arc;

use provely_evaluator::contract::Channel;
use provely_evaluator::json::Value;
use provely_evaluator::query::{Reference, Root};
use provely_evaluator::time::Time;
use provely_model::{Operation, Plan, Resource, Service};
use provely_runtime::channels::{Kind, kind, needs_record};
use provely_runtime::read::{self, Found};
use provely_runtime::request::Context;
use provely_runtime::store::StoredEvent;
use provely_runtime::{Connection, HttpRequest, HttpResponse, Store, Transport, TransportError};
use provely_simulator::Provider;

use crate::book::Said;
use crate::level::Promise;
use crate::world::SimulatedTransport;

/// What the agent handed in so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Handed {
    /// What it last said of its call.
    pub said: Option<Said>,
    /// The ids that it named, in order.
    pub ids: Vec<String>,
    /// When it last said something.
    pub at: Option<Time>,
}

/// One ask at one moment, as a checker sees it.
pub struct Desk<'d> {
    /// The service.
    pub service: &'d Service,
    /// The operation that was to be done.
    pub operation: &'d Operation,
    /// How its outcome can be read.
    pub plan: &'d Plan,
    /// The kind of record.
    pub resource: &'d Resource,
    /// What is to be confirmed.
    pub promise: &'d Promise,
    /// What was asked for.
    pub input: Value,
    /// When.
    pub begun_at: Time,
    /// The id of the record that the ask names, where it is there already.
    pub existing: Option<String>,
    /// What the agent handed in.
    pub handed: &'d Handed,
    /// The present time.
    pub now: Time,
    /// Nobody asks again after this.
    pub is_end: bool,
    pub(crate) connection: Connection,
    pub(crate) store: &'d dyn Store,
    pub(crate) provider: &'d Provider,
    pub(crate) world: Option<SimulatedTransport>,
}

impl Desk<'_> {
    /// The id that the ask names, else the one that the agent handed in last.
    #[must_use]
    pub fn named(&self) -> Option<String> {
        self.existing.clone().or_else(|| self.handed.ids.last().cloned())
    }

    /// The channel that reads one record.
    #[must_use]
    pub fn record_channel(&self) -> Option<&Channel> {
        self.of_kind(Kind::Record)
    }

    /// The channel that lists records.
    #[must_use]
    pub fn list_channel(&self) -> Option<&Channel> {
        self.of_kind(Kind::List)
    }

    fn of_kind(&self, wanted: Kind) -> Option<&Channel> {
        self.plan.channels.iter().find(|own| own.request.is_some() && kind(own) == wanted)
    }

    /// Reads the record of that id.
    pub fn record(&mut self, id: &str) -> Found {
        let Some(channel) = self.record_channel().cloned() else {
            return Found::Unavailable(String::from("no_request"));
        };
        let keys = keys(&channel, id);
        let asked = needs_record(&channel).then_some(id);
        let (input, now) = (self.input.clone(), self.now);
        let context = context(&input, &keys, &channel);
        let connection = self.connection.clone();
        read::record(self.world(), &|| now, &channel, &connection, &context, asked).found
    }

    /// Reads the list that the ask narrows; `None` if it could not be read to its end.
    pub fn list(&mut self) -> Option<Vec<Value>> {
        let channel = self.list_channel()?.clone();
        let (input, now) = (self.input.clone(), self.now);
        let context = context(&input, &[], &channel);
        let connection = self.connection.clone();
        let listing = read::list(self.world(), &|| now, &channel, &connection, &context, None);
        listing.exhausted.then_some(listing.items)
    }

    /// Sends a read that the subject wrote itself.
    ///
    /// # Errors
    /// [`TransportError`] if no reply came, or the request would not only read.
    pub fn send(&mut self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let document = request.body.as_deref().and_then(|body| {
            let body = provely_evaluator::json::parse(body).ok()?;
            body.get("query")?.as_str().map(str::to_owned)
        });
        let asked = provely_evaluator::contract::Request {
            method: request.method.clone(),
            path: request.path.clone(),
            parameters: Default::default(),
            query: Default::default(),
            headers: Default::default(),
            document,
            variables: Default::default(),
            optional: Vec::new(),
            scope: Vec::new(),
            in_band_failure: Vec::new(),
        };
        provely_runtime::request::check_reads(&asked).map_err(|_| TransportError::Forbidden)?;
        self.world().send(request)
    }

    /// The events that were delivered so far and whose signature held, in the order received.
    #[must_use]
    pub fn events(&self) -> Vec<Arc<StoredEvent>> {
        let sources = self.plan.channels.iter().filter_map(|channel| channel.events.as_ref());
        let mut types: Vec<String> = sources.flat_map(|source| source.types.iter().cloned()).collect();
        types.sort();
        types.dedup();
        self.store.events(&self.service.id, &self.connection.account, &types).unwrap_or_default()
    }

    /// The world as it is now, apart from the one that goes on: reading leaves no trace there.
    fn world(&mut self) -> &mut SimulatedTransport {
        let (provider, now) = (self.provider, self.now);
        self.world.get_or_insert_with(|| SimulatedTransport { provider: provider.clone(), now })
    }
}

fn context<'a>(input: &'a Value, keys: &'a [(String, Value)], channel: &'a Channel) -> Context<'a> {
    Context { input, operation_id: "", begin: None, correlation: keys, instant: channel.instant.as_ref() }
}

/// The names by which a request asks for the record, each with the id.
fn keys(channel: &Channel, id: &str) -> Vec<(String, Value)> {
    let Some(request) = &channel.request else { return Vec::new() };
    let places = [&request.parameters, &request.query, &request.variables, &request.headers];
    let named = places.into_iter().flat_map(|place| place.values()).filter_map(|source| {
        match Reference::parse(source).ok()?.root {
            Root::Correlation(key) => Some((key, Value::from(id))),
            _ => None,
        }
    });
    named.collect()
}
