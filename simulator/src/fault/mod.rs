//! Faults as data: what goes wrong, and when. They compose; each acts at one stage of serving.
//! A fault must not know operations or states of any provider: it is told them.

mod armed;
mod kind;
mod print;

use provely_evaluator::json::Value;
use serde::{Deserialize, Serialize};

use crate::options::Script;

pub(crate) use armed::{Armed, Occasion, Still};
pub(crate) use print::Print;

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// What goes wrong.
    pub what: FaultKind,
    /// When and how often.
    #[serde(default)]
    pub when: When,
}

/// When a fault strikes: every condition given must be met.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct When {
    /// Only for this operation, by id. Events have none.
    pub operation: Option<String>,
    /// Only for operations that act (true) or only read (false).
    pub acting: Option<bool>,
    /// Only for records of this resource.
    pub resource: Option<String>,
    /// Only for events of this type.
    pub event: Option<String>,
    /// From this many milliseconds after the start on.
    pub from_ms: Option<u64>,
    /// Until this many milliseconds after the start, exclusive.
    pub until_ms: Option<u64>,
    /// Lets this many occasions pass first.
    pub skip: u32,
    /// Strikes at most this often.
    pub times: Option<u32>,
    /// Strikes in this many of a thousand occasions, by the seed.
    pub permille: Option<u16>,
}

/// What goes wrong. The stage at which each acts is [`FaultKind::stage`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FaultKind {
    /// An error reply; nothing was done.
    ErrorBefore {
        /// HTTP status.
        status: u16,
        /// A retry with the same key gets the same reply.
        #[serde(default)]
        stored: bool,
    },
    /// No reply; nothing was done.
    TimeoutBefore {},
    /// No connection: the source is down.
    Unreachable {},
    /// 429; nothing was done.
    RateLimited {
        /// The Retry-After header, in seconds.
        retry_after_s: u32,
    },
    /// A refusal that the provider means: in band where the operation has a failure predicate, else 4xx.
    Refused {
        /// The code in the reply.
        code: String,
    },
    /// One request makes two records.
    CommitTwice {},
    /// What was asked of a record is accepted, and nothing is done.
    NotDone {},
    /// Of several fields that a request changes, the first alone is changed.
    PartlyDone {},
    /// A record is made with another value than was asked for.
    Altered {
        /// Where, rooted at `@`.
        path: String,
        /// The value.
        value: Value,
    },
    /// A record goes through this script.
    Scripted(Script),
    /// A record that has reached a reversible success turns afterwards.
    LateReversal {
        /// How long afterwards, in milliseconds.
        after_ms: u64,
        /// To which state; absent: a failure that the lifecycle allows.
        #[serde(default)]
        to: Option<String>,
    },
    /// An error reply, though it was done.
    ErrorAfter {
        /// HTTP status.
        status: u16,
        /// A retry with the same key gets the same reply; else the true one.
        #[serde(default = "yes")]
        stored: bool,
    },
    /// No reply, though it was done.
    TimeoutAfter {},
    /// Reads show the world of some time ago.
    Stale {
        /// How long ago, in milliseconds.
        by_ms: u64,
    },
    /// Reads by id do not find a record until it has this age, in milliseconds.
    NotFoundFor {
        /// The age.
        ms: u64,
    },
    /// Lists leave a record out until it has this age, in milliseconds.
    HiddenFromLists {
        /// The age.
        ms: u64,
    },
    /// Pages hold no more items than this, and say honestly that more follow.
    SmallPages {
        /// Items per page.
        size: u32,
    },
    /// A list ends after this many items and says that nothing follows.
    CutLists {
        /// Items.
        size: u32,
    },
    /// Lists pay no heed to filters.
    IgnoredFilters {},
    /// The answer to a query document carries errors instead of data; paths know nothing of it.
    DocumentErrors {},
    /// Records show a state word that nobody knows.
    UnknownState {
        /// The word.
        word: String,
    },
    /// A field stands under another name.
    RenamedField {
        /// Name in the source.
        from: String,
        /// Name on the wire.
        to: String,
    },
    /// Numbers are printed in another way.
    Decimals(DecimalStyle),
    /// The provider's clock runs ahead (behind, if negative), in milliseconds.
    ClockSkew {
        /// By how much.
        ms: i64,
    },
    /// Times are written in whole seconds.
    WholeSeconds {},
    /// The body ends in the middle.
    Truncated {
        /// Bytes that come through; never all of them.
        bytes: usize,
    },
    /// The body is no JSON.
    Malformed {},
    /// The reply says in its body that it failed, under a success status and beside all that it would show; it is as
    /// it is where the operation has no words for that.
    FailsInBand {},
    /// Replies and events are of another version.
    OtherVersion {
        /// The version.
        version: String,
    },
    /// Events carry the mark of the other mode.
    OtherMode {},
    /// Events are not delivered.
    EventsLost {
        /// The event list does not show them either.
        #[serde(default)]
        unlisted: bool,
    },
    /// Events are delivered later.
    EventsLate {
        /// By how much, in milliseconds.
        ms: u64,
    },
    /// Events are delivered again and again.
    EventsRepeated {
        /// How often in all.
        times: u32,
        /// How far apart, in milliseconds.
        every_ms: u64,
    },
    /// An event waits until the next one of its record has overtaken it.
    EventsReordered {
        /// How long it waits at most, in milliseconds.
        within_ms: u64,
    },
    /// Beside the true event comes one that somebody else wrote, with a signature that does not fit.
    EventsForged {
        /// The state that the forgery claims.
        state: String,
    },
    /// The same bytes with the same headers come again.
    EventsReplayed {
        /// How much later, in milliseconds.
        after_ms: u64,
    },
    /// Events are signed with another secret.
    OtherSecret {
        /// The secret.
        secret: String,
    },
}

/// Ways to print a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecimalStyle {
    /// `142.00` as `142.0`, `142` as `142.0`: one digit behind the point at least, no idle zeros.
    Short,
    /// `142.0` and `142` as `142.0000`.
    Long,
}

/// When in the course of serving a fault acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Before anything is done.
    Arrival,
    /// While a record is made.
    Commit,
    /// After it was done.
    Answer,
    /// While a read looks at the world.
    View,
    /// While a record is printed, into a reply or an event.
    Print,
    /// Wherever the provider reads its clock.
    Clock,
    /// While the reply is sent.
    Wire,
    /// While the version of a reply or an event is said.
    Version,
    /// While an event is made.
    Event,
    /// While an event is delivered.
    Delivery,
}

const fn yes() -> bool {
    true
}
