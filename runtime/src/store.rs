//! What the runtime keeps: operations, events, bindings of records, receipts. One method is one atomic
//! transition; a method that fails has changed nothing.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;

use provely_evaluator::contract::Causality;
use provely_evaluator::evidence::{Baseline, BoundRecord};
use provely_evaluator::json::Value;
use provely_evaluator::operation::Operation;
use provely_evaluator::receipt::ReceiptDraft;
use provely_evaluator::state::State;
use provely_evaluator::time::Time;
use serde::{Deserialize, Serialize};

use crate::connection::{Connection, Mode};
use crate::verification::Verification;

/// One operation's current row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationRow {
    /// Rises by one with every commit; a commit on an older one is refused.
    pub revision: u64,
    /// What the evaluation takes.
    pub operation: Operation,
    /// The contract.
    pub contract_id: String,
    /// The service.
    pub service: String,
    /// `service.resource`.
    pub record_type: String,
    /// The canonical effect.
    pub effect: String,
    /// Whose account, and how it is read.
    pub connection: Connection,
    /// The caller's name of the ask.
    pub intent_ref: Option<String>,
    /// The failed operation that this one takes the place of.
    pub replaces: Option<String>,
    /// The first operation of this ask: key and tag are its id, and records are bound to it.
    pub owner: String,
    /// The agent may act from here on.
    pub ready_at: Time,
    /// What `begin` read.
    pub baselines: Vec<Baseline>,
    /// Ids of conditions that do not apply to the input.
    pub not_applied: Vec<String>,
    /// Every id that was ever handed in.
    pub claims: Vec<Claim>,
    /// Every record of the sibling scope that any channel has shown, and when first, on our clock.
    pub seen: BTreeMap<String, Time>,
    /// The operation's record.
    pub bound: Option<BoundRecord>,
    /// Since when a channel shows its present state.
    pub states: BTreeMap<String, (String, Time)>,
    /// Number of the last observation.
    pub observation: u32,
    /// Events that were not admitted so far, by cause.
    pub inadmissible: BTreeMap<String, u32>,
    /// When the last of the stale windows ends that were open at the last observation, or have ended: from then on
    /// time alone tells nothing before the deadline.
    pub settles_at: Option<Time>,
    /// Where the operation stands.
    pub state: State,
    /// When to observe next; `None` once it has ended.
    pub next_observation_at: Option<Time>,
    /// The standing answer.
    pub standing: Option<Arc<Verification>>,
}

/// An id that the agent handed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The id.
    pub id: String,
    /// When it was handed in, on our clock.
    pub at: Time,
}

/// One entry of an operation's append-only log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// When, on our clock.
    pub at: Time,
    /// What.
    pub event: LogEvent,
}

/// What the log keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogEvent {
    /// `begin` answered.
    Begun,
    /// The agent handed in a result.
    Reported {
        /// What it said.
        outcome: provely_evaluator::operation::ReportedOutcome,
        /// The ids in it.
        claims: Vec<String>,
    },
    /// An event of the operation was stored.
    EventStored {
        /// The event's id.
        event_id: String,
    },
    /// One observation.
    Observed {
        /// Its number.
        observation: u32,
        /// The state it led to.
        state: State,
        /// The reason code.
        reason_code: String,
    },
    /// An ended operation was examined again.
    ReExamined {
        /// The reason code.
        reason_code: String,
    },
}

/// Account, mode and type: where ids are unique.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordScope {
    /// The service.
    pub service: String,
    /// The provider account.
    pub account: String,
    /// Test or live.
    pub mode: Mode,
    /// `service.resource`, with the effect where records exist before the action.
    pub kind: String,
}

/// One record at the provider.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordRef {
    /// Where its id is unique.
    pub scope: RecordScope,
    /// Its id.
    pub id: String,
}

/// Whose a record is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The first operation of the ask.
    pub owner: String,
    /// What decided.
    pub by: Causality,
    /// Since when, on our clock.
    pub since: Time,
}

/// A stored event, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// The service.
    pub service: String,
    /// The account that the endpoint belongs to.
    pub account: String,
    /// Event id; the digest of the body where nobody knows where the id stands.
    pub id: String,
    /// Event type; empty where nobody knows.
    pub kind: String,
    /// When it was first received, on our clock.
    pub received_at: Time,
    /// The event.
    pub value: Arc<Value>,
}

/// What became of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// It is new.
    New,
    /// Its id is known: nothing changed.
    Duplicate,
}

/// What [`Store::insert`] answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inserted {
    /// The operation is kept.
    New,
    /// The same ask is open under this id.
    Exists {
        /// The operation.
        operation_id: String,
    },
    /// Another open operation holds the record that the input names.
    Held {
        /// The operation.
        operation_id: String,
    },
}

/// What one commit writes, all of it or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The new row; its `revision` is the one that was read.
    pub row: OperationRow,
    /// What happened.
    pub entry: LogEntry,
    /// The receipt of a terminal state.
    pub receipt: Option<ReceiptDraft>,
    /// Records that an ended operation sets free.
    pub release: Option<RecordRef>,
}

/// What ids are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdKind {
    /// `op_...`
    Operation,
    /// `rc_...`
    Receipt,
}

/// Why the store did not do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// The row has changed since it was read; read it again.
    Conflict,
    /// No such operation.
    NotFound {
        /// The id asked for.
        operation_id: String,
    },
    /// The store could not be reached or written.
    Unavailable {
        /// What it said.
        detail: String,
    },
}

impl StoreError {
    /// Stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Conflict => "store_conflict",
            Self::NotFound { .. } => "operation_not_found",
            Self::Unavailable { .. } => "store_unavailable",
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict => out.write_str("store_conflict: the operation changed meanwhile; try again"),
            Self::NotFound { operation_id } => {
                write!(out, "operation_not_found: no operation `{operation_id}`; check the id")
            }
            Self::Unavailable { detail } => write!(out, "store_unavailable: {detail}; try again"),
        }
    }
}

impl std::error::Error for StoreError {}

/// The store. Ids of events are kept for good, so that a late repeat is still a duplicate.
pub trait Store {
    /// A new id, never given before.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn next_id(&mut self, kind: IdKind) -> Result<String, StoreError>;

    /// Keeps a new operation, unless its ask is there already ([`crate::bind::existing_ask`]) or another
    /// open operation holds `held`.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn insert(&mut self, row: OperationRow, held: Option<&RecordRef>) -> Result<Inserted, StoreError>;

    /// The current row.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], [`StoreError::Unavailable`].
    fn operation(&self, id: &str) -> Result<Arc<OperationRow>, StoreError>;

    /// Writes a row, its log entry and its receipt.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the row's revision is not the current one.
    fn commit(&mut self, change: Change) -> Result<(), StoreError>;

    /// The log of an operation, oldest first.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], [`StoreError::Unavailable`].
    fn log(&self, id: &str) -> Result<Vec<LogEntry>, StoreError>;

    /// Operations whose next observation is due, the longest overdue first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn due(&self, now: Time) -> Result<Vec<String>, StoreError>;

    /// The earliest next observation of any operation.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn next_due(&self) -> Result<Option<Time>, StoreError>;

    /// Every operation of an account and mode at a service, open or ended, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn operations_of(
        &self,
        service: &str,
        account: &str,
        mode: Mode,
    ) -> Result<Vec<Arc<OperationRow>>, StoreError>;

    /// Appends an event unless its id is known for the service and account.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn store_event(&mut self, event: StoredEvent) -> Result<Stored, StoreError>;

    /// Stored events of a service and account whose type is listed, in the order received.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn events(
        &self,
        service: &str,
        account: &str,
        types: &[String],
    ) -> Result<Vec<Arc<StoredEvent>>, StoreError>;

    /// Binds a record by [`crate::bind::decide`] and answers whose it is now.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn bind(&mut self, record: &RecordRef, asking: Binding) -> Result<Binding, StoreError>;

    /// Whose a record is.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn binding(&self, record: &RecordRef) -> Result<Option<Binding>, StoreError>;

    /// The receipts of an operation, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn receipts(&self, id: &str) -> Result<Vec<ReceiptDraft>, StoreError>;
}
