//! The evidence of one observation, parsed and annotated, as the runtime hands it in.
//!
//! Everything here is fact gathering; nothing here is a verdict. Records are bound to operations
//! and siblings are annotated before an evaluation.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::contract::{Causality, Owner};
use crate::json::Value;
use crate::time::Time;

/// All that was seen when an operation is evaluated.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Number of this observation; reads of another observation are stale.
    pub observation: u32,
    /// Which record is the operation's, and how we know.
    #[serde(default)]
    pub correlation: Correlation,
    /// What each channel showed; a channel that is not listed is unavailable.
    #[serde(default)]
    pub channels: Vec<ChannelEvidence>,
    /// What `begin` read.
    #[serde(default)]
    pub baselines: Vec<Baseline>,
    /// Ids of every record of the sibling scope that any channel has shown so far.
    #[serde(default)]
    pub scope_records: Vec<String>,
}

/// Which record is the operation's.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correlation {
    /// The record, once one strong correlation is resolved.
    #[serde(default)]
    pub record: Option<BoundRecord>,
    /// Values of `$correlation.<key>`.
    #[serde(default)]
    pub keys: Vec<(String, Value)>,
    /// Why a claim does not count.
    #[serde(default)]
    pub conflict: Option<Conflict>,
}

/// The operation's record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundRecord {
    /// The record's id.
    pub id: String,
    /// What bound it.
    pub by: Causality,
    /// When it was bound, on our clock (for a claim: when the id was handed in).
    pub since: Time,
    /// When any channel first showed it, on our clock.
    pub first_seen: Option<Time>,
}

/// Why a claim does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conflict {
    /// Key or tag gives the claimed record to another operation, and nothing else correlates.
    RecordOfAnotherOperation,
    /// Another operation claimed the record first.
    ClaimConflict,
    /// Several claims, none of them decided.
    SeveralClaims,
}

/// What one channel showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelEvidence {
    /// The channel's name.
    pub channel: String,
    /// What was read.
    pub read: Read,
}

/// What a channel's read gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Read {
    /// One record was found.
    Record(RecordRead),
    /// The provider answered that there is no such record.
    NotFound {
        /// The observation that asked.
        observation: u32,
    },
    /// A list was read.
    List(ListRead),
    /// Stored events; they do not age.
    Events(EventRead),
    /// No usable answer.
    Unavailable {
        /// Stable code of the cause.
        cause: String,
    },
}

/// One record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordRead {
    /// The observation that read it.
    pub observation: u32,
    /// The record.
    pub value: Value,
    /// The provider's time or version of the state, where the channel declares one.
    #[serde(default)]
    pub state_time: Option<Time>,
    /// Since when this channel shows the present state, on our clock.
    pub state_since: Time,
    /// Lists inside the record were read to their last page.
    pub whole: bool,
}

/// A list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListRead {
    /// The observation that read it.
    pub observation: u32,
    /// When its first page was asked for, on our clock.
    pub read_at: Time,
    /// Every page back to `begin` minus skew was read.
    pub exhausted: bool,
    /// The items.
    pub items: Vec<Item>,
}

/// Stored events of one channel, deduplicated and admissible.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventRead {
    /// The events, in any order.
    pub events: Vec<Event>,
}

/// A list item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// The record's id.
    pub id: String,
    /// Who it belongs to.
    pub owner: Owner,
    /// The record; `@` of an item test.
    pub value: Value,
}

/// A stored event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Provider's time of the event; `None` if it carries none that can be read.
    pub time: Option<Time>,
    /// When it was first received, on our clock.
    pub received_at: Time,
    /// The record it is about: id, owner, and `@`, which is
    /// `{id, type, record_id, record}` of the event.
    pub item: Item,
}

/// What `begin` read from a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The channel's name.
    pub channel: String,
    /// All pages back to `begin` minus skew were read.
    pub complete: bool,
    /// Ids of the records seen.
    pub ids: Vec<String>,
    /// The record, for a readback.
    #[serde(default)]
    pub value: Option<Value>,
}

impl Evidence {
    /// What a channel showed.
    #[must_use]
    pub fn channel(&self, name: &str) -> Option<&Read> {
        self.channels.iter().find(|entry| entry.channel == name).map(|entry| &entry.read)
    }

    /// What `begin` read from a channel.
    #[must_use]
    pub fn baseline(&self, name: &str) -> Option<&Baseline> {
        self.baselines.iter().find(|entry| entry.channel == name)
    }
}
