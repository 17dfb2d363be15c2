//! Events as they are pushed: kept once, whatever they are, and acknowledged only then. Whether one is
//! evidence is judged later, per channel.

use std::sync::Arc;

use provely_evaluator::hash::Digest;
use provely_evaluator::json::{self, Value};
use provely_evaluator::state::Move;
use provely_evaluator::time::Time;
use provely_model::SignatureScheme;

use crate::channels;
use crate::events::{self, Admission, SeenEvent};
use crate::runtime::{Loaded, Runtime, RuntimeError};
use crate::store::{Change, LogEntry, LogEvent, OperationRow, Store, StoreError, Stored, StoredEvent};
use crate::transport::{Clock, Transport};
use crate::webhook::{self, SignatureError};

/// Where deliveries of one account arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The service.
    pub service: String,
    /// The provider account.
    pub account: String,
    /// How deliveries are signed.
    pub scheme: SignatureScheme,
    /// Every active secret.
    pub secrets: Vec<String>,
}

/// Why a delivery is refused. Nothing was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryError {
    /// The signature does not hold.
    Signature(SignatureError),
    /// The body is not JSON.
    Malformed,
    /// The store failed.
    Runtime(RuntimeError),
}

impl DeliveryError {
    /// Stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Signature(error) => error.code(),
            Self::Malformed => "event_malformed",
            Self::Runtime(error) => error.code(),
        }
    }
}

impl core::fmt::Display for DeliveryError {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Signature(error) => error.fmt(out),
            Self::Malformed => out.write_str("event_malformed: the signed body is not JSON"),
            Self::Runtime(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for DeliveryError {}

impl<E: Into<RuntimeError>> From<E> for DeliveryError {
    fn from(error: E) -> Self {
        Self::Runtime(error.into())
    }
}

/// What became of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// The event's id.
    pub event_id: String,
    /// Its type; empty where no loaded contract knows where it stands.
    pub kind: String,
    /// New or a repeat.
    pub stored: Stored,
    /// Operations that it is evidence for; they are due now.
    pub operations: Vec<String>,
}

impl<T: Transport, S: Store, C: Clock> Runtime<T, S, C> {
    /// Takes a delivery: signature over the raw bytes first, then the JSON.
    ///
    /// # Errors
    /// [`DeliveryError`].
    pub fn deliver(
        &mut self,
        endpoint: &Endpoint,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Result<Delivered, DeliveryError> {
        let now = self.clock.now();
        webhook::verify(&endpoint.scheme, &endpoint.secrets, headers, body, now)
            .map_err(DeliveryError::Signature)?;
        let text = core::str::from_utf8(body).map_err(|_| DeliveryError::Malformed)?;
        let event = json::parse(text).map_err(|_| DeliveryError::Malformed)?;
        Ok(self.receive(&endpoint.service, &endpoint.account, headers, Arc::new(event))?)
    }

    /// Takes an event whose delivery was checked already.
    ///
    /// # Errors
    /// [`RuntimeError::Store`].
    pub fn deliver_parsed(
        &mut self,
        service: &str,
        account: &str,
        event: Arc<Value>,
    ) -> Result<Delivered, RuntimeError> {
        self.receive(service, account, &[], event)
    }

    /// Takes an event whose delivery was checked already, with its headers: some providers name event and type there.
    ///
    /// # Errors
    /// [`RuntimeError::Store`].
    pub fn deliver_checked(
        &mut self,
        service: &str,
        account: &str,
        headers: &[(String, String)],
        event: Arc<Value>,
    ) -> Result<Delivered, RuntimeError> {
        self.receive(service, account, headers, event)
    }

    fn receive(
        &mut self,
        service: &str,
        account: &str,
        headers: &[(String, String)],
        event: Arc<Value>,
    ) -> Result<Delivered, RuntimeError> {
        let (event_id, kind) = self.identify(service, headers, &event);
        let received_at = self.clock.now();
        let stored_event = StoredEvent {
            service: service.to_owned(),
            account: account.to_owned(),
            id: event_id.clone(),
            kind: kind.clone(),
            received_at,
            value: event,
        };
        let stored = self.store.store_event(stored_event.clone())?;
        // One that is stored already may have come by the pull of another operation, or waking may have
        // failed: whoever has not looked since it first came is due.
        let first_received = match stored {
            Stored::New => received_at,
            Stored::Duplicate => self.first_received(&stored_event)?,
        };
        let operations = self.wake(&stored_event, first_received, received_at)?;
        Ok(Delivered { event_id, kind, stored, operations })
    }

    /// Id and type by the first loaded contract of the service that can read both; else the digest of the
    /// event, so that an unknown event is kept and shown all the same.
    fn identify(&self, service: &str, headers: &[(String, String)], event: &Value) -> (String, String) {
        let contracts = self.loaded.values().map(|loaded| loaded.contract());
        let mut sources = contracts
            .filter(|contract| contract.service == service)
            .flat_map(|contract| &contract.evidence_policy.channels)
            .filter_map(|channel| channel.events.as_ref());
        let known = sources.find_map(|source| events::identify(source, headers, event));
        known.unwrap_or_else(|| (Digest::of_observation(event).to_hex(), String::new()))
    }

    fn first_received(&self, event: &StoredEvent) -> Result<Time, RuntimeError> {
        let kinds = core::slice::from_ref(&event.kind);
        let known = self.store.events(&event.service, &event.account, kinds)?;
        let first = known.iter().find(|known| known.id == event.id);
        Ok(first.map_or(event.received_at, |known| known.received_at))
    }

    /// Makes every operation due that the event is evidence for and that has not looked since it first came.
    fn wake(&mut self, event: &StoredEvent, since: Time, now: Time) -> Result<Vec<String>, RuntimeError> {
        let mut woken = Vec::new();
        for mode in [crate::connection::Mode::Test, crate::connection::Mode::Live] {
            for row in self.store.operations_of(&event.service, &event.account, mode)? {
                let Some(loaded) = self.loaded.get(&row.contract_id).cloned() else { continue };
                let looked = row.standing.as_ref().is_some_and(|standing| standing.observed_at > since);
                if !looked && concerns(&row, &loaded, event) {
                    self.wake_one(&row.operation.id, &event.id, now)?;
                    woken.push(row.operation.id.clone());
                }
            }
        }
        Ok(woken)
    }

    fn wake_one(&mut self, operation_id: &str, event_id: &str, now: Time) -> Result<(), RuntimeError> {
        loop {
            let row = self.store.operation(operation_id)?;
            let mut new = OperationRow::clone(&row);
            if !new.state.is_terminal() {
                new.state = new
                    .state
                    .after(Move::EventStored)
                    .map_err(|_| RuntimeError::IllegalMove { state: row.state, asked: "an event" })?;
            }
            new.next_observation_at = Some(now.max(new.ready_at));
            let entry = LogEntry { at: now, event: LogEvent::EventStored { event_id: event_id.to_owned() } };
            match self.store.commit(Change { row: new, entry, receipt: None, release: None }) {
                Err(StoreError::Conflict) => {}
                other => return Ok(other?),
            }
        }
    }
}

/// True if a channel of the operation's contract admits the event and it is about the operation's record,
/// a claim, its scope, or carries its key.
fn concerns(row: &OperationRow, loaded: &Loaded, event: &StoredEvent) -> bool {
    let admission = Admission { mode: row.connection.mode, program: loaded.program_for(row) };
    channels::of_kind(loaded.contract(), channels::Kind::Events).any(|channel| {
        let source = channel.events.as_ref();
        source.is_some_and(|source| {
            events::admit(channel, source, event, admission).is_ok_and(|seen| is_of(row, loaded, &seen))
        })
    })
}

fn is_of(row: &OperationRow, loaded: &Loaded, seen: &SeenEvent) -> bool {
    crate::subject::is_relevant(row, loaded.contract(), &row.claims, seen)
}
