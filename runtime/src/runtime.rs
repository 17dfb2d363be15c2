//! The runtime: loaded contracts over a transport, a store and a clock. The moves themselves stand in
//! `begin`, `report`, `deliver` and `observe`.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;

use provely_evaluator::contract::{Channel, Contract, Target};
use provely_evaluator::hash::Digest;
use provely_evaluator::load::{Program, contract_hash};
use provely_evaluator::receipt::SkillReference;
use provely_evaluator::state::State;
use provely_evaluator::time::Time;

use crate::request::{NotSent, check_reads};
use crate::store::{OperationRow, RecordRef, RecordScope, Store, StoreError};
use crate::transport::{Clock, Transport};
use crate::verification::Verification;

/// Drives operations from `begin` to the receipt.
#[derive(Debug)]
pub struct Runtime<T, S, C> {
    pub(crate) transport: T,
    pub(crate) store: S,
    pub(crate) clock: C,
    pub(crate) loaded: BTreeMap<String, Arc<Loaded>>,
}

/// A contract, ready to be driven.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The compiled contract.
    pub program: Program,
    /// The package it came in.
    pub skill: Skill,
    /// SHA-256 of the contract.
    pub hash: Digest,
}

/// What the package says beside the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Named in receipts.
    pub reference: SkillReference,
    /// The version that is read with where the connection pins none.
    pub default_version: Option<String>,
}

impl Skill {
    /// A package of that service and version, uncertified.
    #[must_use]
    pub fn new(service: &str, skill_version: &str) -> Self {
        let reference = SkillReference {
            service: service.to_owned(),
            skill_version: skill_version.to_owned(),
            certification: "community".to_owned(),
        };
        Self { reference, default_version: None }
    }
}

/// Why a contract is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddError {
    /// A channel would do more than read.
    NotARead {
        /// The channel.
        channel: String,
    },
    /// A verifier that nobody registered.
    UnknownVerifier {
        /// The channel.
        channel: String,
        /// The name.
        verifier: String,
    },
    /// The contract has no hash.
    Unhashable {
        /// Why.
        detail: String,
    },
}

impl AddError {
    /// Stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotARead { .. } => "channel_not_a_read",
            Self::UnknownVerifier { .. } => "verifier_unknown",
            Self::Unhashable { .. } => "contract_unhashable",
        }
    }
}

impl fmt::Display for AddError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.code())?;
        match self {
            Self::NotARead { channel } => {
                write!(out, "the channel `{channel}` may only read: GET, HEAD, or POST with a query document")
            }
            Self::UnknownVerifier { channel, verifier } => {
                write!(
                    out,
                    "the channel `{channel}` names the verifier `{verifier}`, which is not known here"
                )
            }
            Self::Unhashable { detail } => write!(out, "{detail}"),
        }
    }
}

impl std::error::Error for AddError {}

/// Why a move on an operation was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuntimeError {
    /// The store did not do it.
    Store(StoreError),
    /// The operation's contract is not loaded.
    ContractNotLoaded {
        /// The contract.
        contract_id: String,
    },
    /// The state machine has no such move.
    IllegalMove {
        /// Where the operation stands.
        state: State,
        /// What was asked for.
        asked: &'static str,
    },
}

impl RuntimeError {
    /// Stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => error.code(),
            Self::ContractNotLoaded { .. } => "contract_not_loaded",
            Self::IllegalMove { .. } => "illegal_move",
        }
    }
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(out),
            Self::ContractNotLoaded { contract_id } => {
                write!(out, "contract_not_loaded: no skill here has `{contract_id}`; add its package")
            }
            Self::IllegalMove { state, asked } => {
                write!(out, "illegal_move: {asked} is not possible in the state {state:?}")
            }
        }
    }
}

impl std::error::Error for RuntimeError {}

impl From<StoreError> for RuntimeError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl<T: Transport, S: Store, C: Clock> Runtime<T, S, C> {
    /// A runtime without contracts.
    pub fn new(transport: T, store: S, clock: C) -> Self {
        Self { transport, store, clock, loaded: BTreeMap::new() }
    }

    /// Adds a contract under its id; one of the same id is replaced.
    ///
    /// # Errors
    /// [`AddError`] if a channel does more than read, or names a verifier that is not known.
    pub fn add(&mut self, program: Program, skill: Skill) -> Result<(), AddError> {
        let loaded = Loaded::new(program, skill)?;
        self.loaded.insert(loaded.program.contract().id.clone(), Arc::new(loaded));
        Ok(())
    }

    /// Adds a contract that was made ready before; several runtimes may share it.
    pub fn share(&mut self, loaded: Arc<Loaded>) {
        self.loaded.insert(loaded.program.contract().id.clone(), loaded);
    }

    /// The loaded contract of that id.
    #[must_use]
    pub fn loaded(&self, contract_id: &str) -> Option<&Arc<Loaded>> {
        self.loaded.get(contract_id)
    }

    /// The transport, to look at.
    pub const fn transport(&self) -> &T {
        &self.transport
    }

    /// The transport.
    pub fn transport_mut(&mut self) -> &mut T {
        &mut self.transport
    }

    /// The clock.
    pub fn clock_mut(&mut self) -> &mut C {
        &mut self.clock
    }

    /// The store.
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// Operations that are due, the longest overdue first.
    ///
    /// # Errors
    /// [`RuntimeError::Store`].
    pub fn due(&self, now: Time) -> Result<Vec<String>, RuntimeError> {
        Ok(self.store.due(now)?)
    }

    /// The earliest next observation of any operation.
    ///
    /// # Errors
    /// [`RuntimeError::Store`].
    pub fn next_due(&self) -> Result<Option<Time>, RuntimeError> {
        Ok(self.store.next_due()?)
    }

    /// Where an operation stands; only reads.
    ///
    /// # Errors
    /// [`RuntimeError::Store`].
    pub fn status(&self, operation_id: &str) -> Result<Status, RuntimeError> {
        let row = self.store.operation(operation_id)?;
        let receipts = self.store.receipts(operation_id)?;
        let now = self.clock.now();
        Ok(Status {
            state: row.state,
            standing: row.standing.clone(),
            receipt_ids: receipts.into_iter().map(|draft| draft.id).collect(),
            next_observation_at: row.next_observation_at,
            overdue: row.next_observation_at.is_some_and(|at| at < now),
        })
    }

    pub(crate) fn contract_of(&self, row: &OperationRow) -> Result<Arc<Loaded>, RuntimeError> {
        let loaded = self.loaded.get(&row.contract_id).cloned();
        loaded.ok_or_else(|| RuntimeError::ContractNotLoaded { contract_id: row.contract_id.clone() })
    }
}

/// Where an operation stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The state.
    pub state: State,
    /// The answer of the last observation.
    pub standing: Option<Arc<Verification>>,
    /// Receipts, oldest first; a later one supersedes the one before it.
    pub receipt_ids: Vec<String>,
    /// When the next observation is due.
    pub next_observation_at: Option<Time>,
    /// It is past that moment.
    pub overdue: bool,
}

impl Loaded {
    /// Makes a contract ready to be driven.
    ///
    /// # Errors
    /// [`AddError`] if a channel does more than read, or names a verifier that is not known.
    pub fn new(program: Program, skill: Skill) -> Result<Self, AddError> {
        let contract = program.contract();
        contract.evidence_policy.channels.iter().try_for_each(check_channel)?;
        let hash =
            contract_hash(contract).map_err(|error| AddError::Unhashable { detail: error.to_string() })?;
        Ok(Self { program, skill, hash })
    }

    /// The program for the version that an operation is read with.
    #[must_use]
    pub fn program_for(&self, row: &OperationRow) -> &Program {
        self.program.at(row.operation.api_version.as_deref())
    }

    /// The contract.
    #[must_use]
    pub fn contract(&self) -> &Contract {
        self.program.contract()
    }
}

fn check_channel(channel: &Channel) -> Result<(), AddError> {
    let reads = channel.request.as_ref().map_or(Ok(()), check_reads);
    if let Err(
        NotSent::NotARead | NotSent::Unresolved { .. } | NotSent::Unscoped | NotSent::UnsafePath { .. },
    ) = reads
    {
        return Err(AddError::NotARead { channel: channel.name.clone() });
    }
    match channel.verifier.name.as_str() {
        "http" | "webhook" | "action_result" | "sql" => Ok(()),
        name => Err(AddError::UnknownVerifier { channel: channel.name.clone(), verifier: name.to_owned() }),
    }
}

/// Where the ids of an operation's records are unique. Records that exist before the action may be held
/// by one open operation per effect.
#[must_use]
pub(crate) fn record_scope(row: &OperationRow, contract: &Contract) -> RecordScope {
    let kind = match contract.action.target {
        Target::Create => row.record_type.clone(),
        Target::Existing => format!("{}#{}", row.record_type, row.effect),
    };
    RecordScope {
        service: row.service.clone(),
        account: row.connection.account.clone(),
        mode: row.connection.mode,
        kind,
    }
}

/// A record of an operation.
pub(crate) fn record_ref(row: &OperationRow, contract: &Contract, id: &str) -> RecordRef {
    RecordRef { scope: record_scope(row, contract), id: id.to_owned() }
}
