//! Evidence channels: how one source is read. Data for the runtime; nothing is read here.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::ItemTest;

/// One source of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Channel {
    /// Name under `$observed`.
    pub name: String,
    /// What it is, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Rank of what it shows.
    pub evidence_level: EvidenceLevel,
    /// How far it is from the action path.
    pub independence: Independence,
    /// Who reads it.
    pub verifier: Verifier,
    /// Read before `begin` answers, to know what was there before.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub baseline: bool,
    /// A list that can be known to hold every record of its scope.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub complete: bool,
    /// The request of a readback, a list, or the pull source of events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Request>,
    /// Query from the reply to the record, the list, or the list of events; rooted at `$`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub select: Option<String>,
    /// Where a record or list item carries its id; rooted at `@`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// Where a record carries its creation time; rooted at `@`, the record. Lists without it use
    /// `page.created`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_created: Option<String>,
    /// Where a record carries the time or version of its state; rooted at `@`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_time: Option<String>,
    /// How the list pages; a channel with this member is a list (or a pulled event list).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
    /// The reply is a list and the record is the item that carries the id asked for; `page` says how the list goes
    /// on. A channel with this member reads one record.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub find: bool,
    /// How events are read; a channel with this member carries events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<EventSource>,
    /// How instants of this channel are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instant: Option<InstantRule>,
    /// Usual delay behind the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical_latency_ms: Option<u64>,
}

/// Rank of evidence by its independence from the action path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum EvidenceLevel {
    /// The agent's word.
    E0,
    /// The action's own response.
    E1,
    /// A provider readback.
    E2,
    /// A provider event.
    E3,
    /// An independent system.
    E4,
    /// An external outcome.
    E5,
}

/// How far a channel is from the action path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Independence {
    /// The reply of the action itself.
    SameResponse,
    /// A separate read of the provider.
    ProviderReadback,
    /// An event that the provider sent.
    ProviderEvent,
    /// Another system, such as a ledger.
    IndependentSystem,
    /// An outcome outside both.
    ExternalOutcome,
}

impl Independence {
    /// The highest level that a channel of this kind may claim.
    #[must_use]
    pub const fn ceiling(self) -> EvidenceLevel {
        match self {
            Self::SameResponse => EvidenceLevel::E1,
            Self::ProviderReadback => EvidenceLevel::E2,
            Self::ProviderEvent => EvidenceLevel::E3,
            Self::IndependentSystem => EvidenceLevel::E4,
            Self::ExternalOutcome => EvidenceLevel::E5,
        }
    }
}

/// The verifier that reads a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Verifier {
    /// `http`, `webhook`, `action_result` or `sql`.
    pub name: String,
    /// Version requirement.
    pub version: String,
}

/// A request, with references as parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// `GET`, `HEAD`, or `POST` with a query document.
    pub method: String,
    /// Template such as `/v1/refunds/{refund}`.
    pub path: String,
    /// Path parameter to reference or literal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// Query parameter to reference or literal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, String>,
    /// Header to reference or literal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Query document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Variables of the document, to reference or literal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// Parameters that may be left out when they do not resolve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optional: Vec<String>,
    /// Parameters that narrow the request to its scope: with none of them it is never sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    /// Tests on the reply (rooted at `@`): where one holds, the read failed, whatever its status.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_band_failure: Vec<ItemTest>,
}

/// How a list pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// How the next page is asked for.
    pub style: PageStyle,
    /// The parameter that carries cursor, number or offset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// Where the cursor stands: in the reply (`$...`) or in the page's last item (`@...`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Where the reply says that more follows; rooted at `$`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
    /// The parameter for the size of a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// The largest page that may be asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_size: Option<u32>,
    /// The order of the items.
    pub order: Order,
    /// Where an item carries its creation time; rooted at `@`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
}

/// How the next page is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PageStyle {
    /// One page holds everything.
    Single,
    /// A cursor taken from the reply.
    Cursor,
    /// Numbered pages, from 1.
    Number,
    /// An offset in items.
    Offset,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// By creation, newest first.
    NewestFirst,
    /// By creation, oldest first.
    OldestFirst,
    /// Not stated.
    Unordered,
}

/// How events are read. Queries are rooted at `$`, the event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EventSource {
    /// Admitted event types.
    pub types: Vec<String>,
    /// Types among them that are sent when the record comes into being.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub creation_types: Vec<String>,
    /// Where the event's id stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The header of a delivery that carries the event's id, where the event itself does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_header: Option<String>,
    /// Where its type stands.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The header of a delivery that carries its type, where the event itself does not.
    #[serde(rename = "type_header", default, skip_serializing_if = "Option::is_none")]
    pub kind_header: Option<String>,
    /// Where the record stands.
    pub record: String,
    /// Where the record's id stands.
    pub record_id: String,
    /// Where the idempotency key of the causing request stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Where the version of the payload stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where test and live are told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<EventMode>,
    /// Where the provider's time of the event stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
}

/// How an event says that it is live.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EventMode {
    /// Where the mark stands; rooted at `$`.
    pub path: String,
    /// The boolean that means live.
    pub live: bool,
}

/// How instants are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InstantRule {
    /// Notation.
    pub format: InstantFormat,
    /// Offset from UTC in minutes for zone-less text; absent: such text is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_minutes: Option<i32>,
    /// A value stands for `[t, t + granularity)`, in milliseconds.
    pub granularity_ms: u64,
}

/// Notation of an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum InstantFormat {
    /// RFC 3339.
    Rfc3339,
    /// RFC 3339 with a space for the `T` and offsets such as `+00`, or the dates of mail (RFC 5322).
    Rfc3339Like,
    /// Seconds since the Unix epoch, as a number.
    EpochSeconds,
    /// Milliseconds since the Unix epoch, as a number.
    EpochMilliseconds,
}
