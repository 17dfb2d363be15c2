//! The ground truth of a world: what really happened, with every time. Only oracles and tests read it;
//! nothing here reaches a reply.

use std::sync::Arc;

use provely_evaluator::json::Value;
use provely_evaluator::time::Time;
use provely_model::Effect;

/// Everything that happened in a world. Times are true times, whatever the provider's clock said.
#[derive(Debug, Clone, Copy)]
pub struct GroundTruth<'a> {
    /// Every record ever made, in order of creation, deleted ones included.
    pub records: &'a [TrueRecord],
    /// Every request, in order; [`crate::Reply::request`] and [`crate::Lost::request`] are places in it.
    pub requests: &'a [TrueRequest],
    /// Every event that the provider made, in order, delivered or not.
    pub events: &'a [TrueEvent],
    /// The account.
    pub account: &'a str,
    /// A live account.
    pub live: bool,
}

/// One record and all it went through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrueRecord {
    /// Name of its resource.
    pub resource: Arc<str>,
    /// Id.
    pub id: String,
    /// When it came into being.
    pub created: Time,
    /// When it was deleted.
    pub deleted: Option<Time>,
    /// It is shown after its deletion, with a flag that says so.
    pub flagged: bool,
    /// What it looked like, oldest first; never empty.
    pub versions: Vec<Version>,
    /// What was done to it by requests.
    pub effects: Vec<TrueEffect>,
    /// Place of its kind in the blueprint.
    pub(crate) kind: usize,
    /// Path parameters of the request that made it.
    pub(crate) scope: Vec<Scoped>,
    /// Places that show what its parts have settled.
    pub(crate) sums: Vec<Vec<provely_evaluator::query::Step>>,
}

/// A path parameter that a record was made under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scoped {
    pub(crate) name: String,
    /// Where it stood: the segments in front of it, `v1/orders/{}`.
    pub(crate) slot: String,
    pub(crate) id: String,
}

/// A record from one change to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// From when on.
    pub at: Time,
    /// Its state, if its kind has states; of parts, the one that all are in.
    pub state: Option<String>,
    /// The move was not one that the lifecycle allows.
    pub forced: bool,
    /// The record as an undisturbed read shows it.
    pub value: Value,
    /// Its parts, where parts carry its outcome.
    pub parts: Vec<TruePart>,
}

/// One part of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruePart {
    /// Its state.
    pub state: String,
    /// It is of the kind and the mode that count.
    pub counts: bool,
    /// Its amount, as it is written.
    pub amount: Option<String>,
}

/// Something a request did to a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrueEffect {
    /// When.
    pub at: Time,
    /// The operation's effect on the world.
    pub effect: Effect,
    /// What became of the record.
    pub change: Change,
    /// The request, as a place in [`GroundTruth::requests`]; absent for records that were put there.
    pub request: Option<usize>,
    /// The idempotency key that came along.
    pub key: Option<String>,
    /// The tag that came along.
    pub tag: Option<String>,
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// It was made.
    Created,
    /// Its fields were changed.
    Updated,
    /// It was moved to another state.
    Moved,
    /// It was taken away.
    Deleted,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrueRequest {
    /// When it arrived.
    pub at: Time,
    /// Id of the operation; absent if no operation has that method and path.
    pub operation: Option<Arc<str>>,
    /// The idempotency key that came along.
    pub key: Option<String>,
    /// Records it made or changed, as places in [`GroundTruth::records`].
    pub records: Vec<usize>,
    /// What the caller got; absent if no reply came.
    pub status: Option<u16>,
    /// It was answered with the stored reply of an earlier request.
    pub replay_of: Option<usize>,
}

impl TrueRequest {
    /// True if it changed something in the world.
    #[must_use]
    pub fn committed(&self) -> bool {
        !self.records.is_empty() && self.replay_of.is_none()
    }
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrueEvent {
    /// Event id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// When.
    pub at: Time,
    /// The record, as a place in [`GroundTruth::records`].
    pub record: usize,
    /// The record's version, as a place in [`TrueRecord::versions`].
    pub version: usize,
    /// The event as it is sent.
    pub value: Arc<Value>,
    /// The event list shows it.
    pub listed: bool,
}

impl TrueRecord {
    /// The version that stands at a time; none before its creation and from its deletion on.
    #[must_use]
    pub fn at(&self, time: Time) -> Option<&Version> {
        if self.deleted.is_some_and(|deleted| deleted <= time) {
            return None;
        }
        self.versions.iter().rev().find(|version| version.at <= time)
    }

    /// The version that a read by id shows: that of a deleted record too, where it is flagged.
    #[must_use]
    pub fn shown(&self, time: Time) -> Option<&Version> {
        match self.at(time) {
            None if self.flagged => self.versions.iter().rev().find(|version| version.at <= time),
            standing => standing,
        }
    }

    /// The newest version.
    #[must_use]
    pub fn latest(&self) -> Option<&Version> {
        self.versions.last()
    }

    /// Its newest state.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.latest()?.state.as_deref()
    }

    /// What made it.
    #[must_use]
    pub fn creation(&self) -> Option<&TrueEffect> {
        self.effects.iter().find(|effect| effect.change == Change::Created)
    }
}

impl<'a> GroundTruth<'a> {
    /// The records of a resource.
    pub fn of(&self, resource: &str) -> impl Iterator<Item = &'a TrueRecord> {
        self.records.iter().filter(move |record| &*record.resource == resource)
    }

    /// The newest record of that id.
    #[must_use]
    pub fn record(&self, id: &str) -> Option<&'a TrueRecord> {
        self.records.iter().rev().find(|record| record.id == id)
    }
}
