//! Stored events as evidence: admitted, parsed, dated. An event of another mode, type or version is
//! never evidence; it says so by its cause. Nothing here says that something did not happen.

use provely_evaluator::compare::Instant;
use provely_evaluator::contract::{Channel, EventSource};
use provely_evaluator::json::{Object, Value};
use provely_evaluator::load::Program;
use provely_evaluator::time::Time;

use crate::connection::Mode;
use crate::pages::query;
use crate::scope::id_text;
use crate::store::StoredEvent;
use crate::transport::header;

/// An event that a channel admits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenEvent {
    /// The id of the record it is about.
    pub record_id: String,
    /// The idempotency key of the request that caused it.
    pub key: Option<String>,
    /// Its type is sent when the record comes into being.
    pub creation: bool,
    /// The provider's time.
    pub time: Option<Time>,
    /// When it was first received, on our clock.
    pub received_at: Time,
    /// `{id, type, record_id, record}`.
    pub value: Value,
}

impl SeenEvent {
    /// The record as the event shows it.
    #[must_use]
    pub fn record(&self) -> &Value {
        static NULL: Value = Value::Null;
        self.value.get("record").unwrap_or(&NULL)
    }
}

/// Why a stored event is no evidence for a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotAdmitted {
    /// Another type; not counted, it is simply not this channel's.
    OtherType,
    /// Test for live, live for test, or no mark where one is declared.
    OtherMode,
    /// A version that the contract does not cover.
    Version,
    /// A record or its id does not stand where it should.
    Unreadable,
}

impl NotAdmitted {
    /// Stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::OtherType => "event_type_not_admitted",
            Self::OtherMode => "event_mode_not_admitted",
            Self::Version => "event_version_not_covered",
            Self::Unreadable => "event_unreadable",
        }
    }
}

/// Which events are evidence at all.
#[derive(Debug, Clone, Copy)]
pub struct Admission<'a> {
    /// The connection's mode.
    pub mode: Mode,
    /// The contract, for the version that the verifier reads with.
    pub program: &'a Program,
}

/// The id and type of an event by the queries of a source, or by headers of its delivery.
#[must_use]
pub fn identify(
    source: &EventSource,
    headers: &[(String, String)],
    event: &Value,
) -> Option<(String, String)> {
    let in_event = source.id.as_deref().and_then(|path| query(path, event)).and_then(id_text);
    let in_header = |name: &Option<String>| header(headers, name.as_deref()?).map(str::to_owned);
    let id = in_event.or_else(|| in_header(&source.id_header))?;
    let kind = source.kind.as_deref().and_then(|path| query(path, event)?.as_str().map(str::to_owned));
    Some((id, kind.or_else(|| in_header(&source.kind_header))?))
}

/// Reads a stored event for a channel.
///
/// # Errors
/// [`NotAdmitted`].
pub fn admit(
    channel: &Channel,
    source: &EventSource,
    stored: &StoredEvent,
    admission: Admission<'_>,
) -> Result<SeenEvent, NotAdmitted> {
    if !source.types.contains(&stored.kind) {
        return Err(NotAdmitted::OtherType);
    }
    let event = stored.value.as_ref();
    if !is_of_mode(source, event, admission.mode) {
        return Err(NotAdmitted::OtherMode);
    }
    if !is_covered(source, event, admission.program) {
        return Err(NotAdmitted::Version);
    }
    let record = query(&source.record, event).filter(|record| record.as_object().is_some());
    let record_id = query(&source.record_id, event).and_then(id_text);
    let (Some(record), Some(record_id)) = (record, record_id) else { return Err(NotAdmitted::Unreadable) };
    let key = source.key.as_deref().and_then(|path| query(path, event)).and_then(Value::as_str);
    Ok(SeenEvent {
        key: key.map(str::to_owned),
        creation: source.creation_types.contains(&stored.kind),
        time: time(channel, source, event),
        received_at: stored.received_at,
        value: item_value(stored, &record_id, record),
        record_id,
    })
}

fn item_value(stored: &StoredEvent, record_id: &str, record: &Value) -> Value {
    let mut value = Object::new();
    value.insert("id", stored.id.as_str());
    value.insert("type", stored.kind.as_str());
    value.insert("record_id", record_id);
    value.insert("record", record.clone());
    Value::Object(value)
}

fn is_of_mode(source: &EventSource, event: &Value, mode: Mode) -> bool {
    let Some(mark) = &source.mode else { return true };
    let live = query(&mark.path, event).and_then(Value::as_bool).map(|value| value == mark.live);
    live == Some(mode == Mode::Live)
}

fn is_covered(source: &EventSource, event: &Value, program: &Program) -> bool {
    let Some(path) = &source.version else { return true };
    query(path, event).and_then(Value::as_str).is_some_and(|version| program.covers_event(version))
}

fn time(channel: &Channel, source: &EventSource, event: &Value) -> Option<Time> {
    let value = query(source.time.as_deref()?, event)?;
    Instant::read(value, channel.instant.as_ref()?).map(|instant| instant.from)
}
