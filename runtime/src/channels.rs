//! What a channel carries, by its declared members, and how its records are dated and named.

use provely_evaluator::compare::Instant;
use provely_evaluator::contract::{Channel, Contract, Independence};
use provely_evaluator::json::Value;
use provely_evaluator::operation::ProviderInstant;

use crate::pages::{query, read_instant};
use crate::scope::id_text;

/// What a channel carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The action's own reply.
    Response,
    /// One record.
    Record,
    /// A list of records.
    List,
    /// Events.
    Events,
}

/// The kind of a channel.
#[must_use]
pub fn kind(channel: &Channel) -> Kind {
    if channel.events.is_some() {
        Kind::Events
    } else if channel.independence == Independence::SameResponse {
        Kind::Response
    } else if channel.page.is_some() && !channel.find {
        Kind::List
    } else {
        Kind::Record
    }
}

/// The channels of one kind.
pub fn of_kind(contract: &Contract, wanted: Kind) -> impl Iterator<Item = &Channel> {
    contract.evidence_policy.channels.iter().filter(move |channel| kind(channel) == wanted)
}

/// The id of a record as a channel shows it; `id` where the channel does not say.
#[must_use]
pub fn record_id(channel: &Channel, record: &Value) -> Option<String> {
    query(channel.record_id.as_deref().unwrap_or("@.id"), record).and_then(id_text)
}

/// When a record was created, by its channel, or else by the first list of the contract: records of one
/// type carry one form.
#[must_use]
pub fn created(contract: &Contract, channel: &Channel, record: &Value) -> Option<Instant> {
    own_created(channel, record)
        .or_else(|| of_kind(contract, Kind::List).find_map(|list| own_created(list, record)))
}

fn own_created(channel: &Channel, record: &Value) -> Option<Instant> {
    let page = channel.page.as_ref().filter(|_| kind(channel) == Kind::List);
    let paged = page.and_then(|page| page.created.as_deref());
    read_instant(channel, channel.record_created.as_deref().or(paged)?, record)
}

/// True if a record is known to be older than `begin` by more than the skew.
#[must_use]
pub fn is_older(created: Option<Instant>, begin: ProviderInstant) -> bool {
    created.is_some_and(|created| created.is_before(begin.at, begin.skew_ms))
}

/// True if the request of a channel names the operation's record, or the record is looked for by its id.
#[must_use]
pub fn needs_record(channel: &Channel) -> bool {
    if channel.find {
        return true;
    }
    let Some(request) = &channel.request else { return false };
    let sources = request.parameters.values().chain(request.query.values()).chain(request.variables.values());
    sources.chain(request.headers.values()).any(|source| source.starts_with("$correlation."))
}
