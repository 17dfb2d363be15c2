//! One read of one channel: the request resolved and sent, the answer taken apart. Facts only.

use std::sync::Arc;

use provely_evaluator::contract::Channel;
use provely_evaluator::json::Value;
use provely_evaluator::operation::ProviderInstant;
use provely_evaluator::time::Time;

use crate::channels::record_id;
use crate::connection::Connection;
use crate::pages::{self, Listing, query, taken};
use crate::reply::{self, FAILED_IN_BAND, NOT_FOUND};
use crate::request::{Context, build};
use crate::scope::fails_in_band;
use crate::store::OperationRow;
use crate::transport::Transport;

/// What a readback gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The record.
    Record(Value),
    /// The provider answered that there is none.
    Nothing,
    /// No usable answer, by its cause.
    Unavailable(String),
}

/// One readback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordSeen {
    /// What came.
    pub found: Found,
    /// `Date` of the reply, and when it came.
    pub date: Option<(Time, Time)>,
    /// The provider asked to wait that long, in milliseconds.
    pub retry_after_ms: Option<i64>,
}

/// The references that a channel's request may see.
#[must_use]
pub fn context<'a>(row: &'a OperationRow, channel: &'a Channel, keys: &'a [(String, Value)]) -> Context<'a> {
    Context {
        input: &row.operation.input,
        operation_id: &row.owner,
        begin: Some(row.operation.begin),
        correlation: keys,
        instant: channel.instant.as_ref(),
    }
}

/// Reads a list. A request that cannot be built gives an empty, unexhausted listing with its cause.
pub fn list<T: Transport>(
    transport: &mut T,
    now: &dyn Fn() -> Time,
    channel: &Channel,
    connection: &Connection,
    context: &Context<'_>,
    bound: Option<ProviderInstant>,
) -> Listing {
    let Some(request) = &channel.request else {
        return Listing { cause: Some("no_request".to_owned()), ..Listing::default() };
    };
    match build(request, connection, context) {
        Ok(first) => pages::read(transport, now, channel, first, bound),
        Err(error) => Listing { cause: Some(error.code().to_owned()), ..Listing::default() },
    }
}

/// Reads one record. An answer that shows another record than the one asked for is of no use.
pub fn record<T: Transport>(
    transport: &mut T,
    now: &dyn Fn() -> Time,
    channel: &Channel,
    connection: &Connection,
    context: &Context<'_>,
    asked: Option<&str>,
) -> RecordSeen {
    let unavailable = |cause: &str| RecordSeen {
        found: Found::Unavailable(cause.to_owned()),
        date: None,
        retry_after_ms: None,
    };
    let Some(request) = &channel.request else { return unavailable("no_request") };
    let built = match build(request, connection, context) {
        Ok(built) => built,
        Err(error) => return unavailable(error.code()),
    };
    if channel.find {
        return match asked {
            Some(asked) => found_in(pages::find(transport, now, channel, built, asked)),
            None => unavailable("no_record_named"),
        };
    }
    let sent = reply::send(transport, now, &built);
    let found = match sent.body {
        Err(cause) if cause == NOT_FOUND && request.document.is_none() => Found::Nothing,
        Err(cause) => Found::Unavailable(cause),
        Ok(body) if fails_in_band(&request.in_band_failure, &body) => {
            Found::Unavailable(FAILED_IN_BAND.to_owned())
        }
        Ok(body) => take(channel, request.document.is_some(), body, asked),
    };
    RecordSeen { found, date: sent.date, retry_after_ms: sent.retry_after_ms }
}

/// A record is not there only where the list was read to its end.
fn found_in((record, listing): (Option<Value>, Listing)) -> RecordSeen {
    let found = match (record, listing.exhausted) {
        (Some(record), _) => Found::Record(record),
        (None, true) => Found::Nothing,
        (None, false) => Found::Unavailable(listing.cause.unwrap_or_default()),
    };
    RecordSeen { found, date: listing.date, retry_after_ms: listing.retry_after_ms }
}

fn take(channel: &Channel, document: bool, body: Arc<Value>, asked: Option<&str>) -> Found {
    if document && reply::has_errors(&body) {
        return Found::Unavailable("document_errors".to_owned());
    }
    let select = channel.select.as_deref().unwrap_or("$");
    match query(select, &body) {
        Some(Value::Null) if document => Found::Nothing,
        Some(record) if record.as_object().is_some() => {
            let same = match (asked, record_id(channel, record)) {
                (Some(asked), Some(id)) => asked == id,
                (Some(_), None) => channel.record_id.is_none(),
                (None, _) => true,
            };
            let record = same.then(|| taken(select, body)).flatten();
            record.map_or_else(|| Found::Unavailable("other_record".to_owned()), Found::Record)
        }
        Some(_) | None => Found::Unavailable("no_record_in_reply".to_owned()),
    }
}
