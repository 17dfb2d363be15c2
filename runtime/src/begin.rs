//! `begin`: checks the input, reads what was there before, and only then answers with key and tag. It
//! must not answer while an action could fall into a doubt that it leaves.

use core::fmt;
use std::collections::BTreeMap;

use provely_evaluator::contract::{
    Channel, Condition, Contract, InputError, ItemTest, NegativeClass, Target, Truth,
};
use provely_evaluator::evidence::Baseline;
use provely_evaluator::json::Value;
use provely_evaluator::operation::{Operation, ProviderInstant, SKEW_WITH_DATE_MS, SKEW_WITHOUT_DATE_MS};
use provely_evaluator::state::State;
use provely_evaluator::time::Time;

use crate::bind;
use crate::channels::{self, Kind};
use crate::connection::{Connection, Mode};
use crate::correlate;
use crate::key_place::KeyPlace;
use crate::read;
use crate::request::Context;
use crate::runtime::{Loaded, Runtime, record_ref};
use crate::schedule;
use crate::scope;
use crate::store::{IdKind, Inserted, OperationRow, Store, StoreError};
use crate::transport::{Clock, Transport};

/// What `begin` is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The contract.
    pub contract_id: String,
    /// The input, by the contract's `intent.input_schema`.
    pub input: Value,
    /// The caller's name of the ask.
    pub intent_ref: Option<String>,
    /// Whose account, and how it is read.
    pub connection: Connection,
    /// Go on where a needed channel is not set up.
    pub accept_missing_channels: bool,
}

/// What `begin` answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// The operation.
    pub operation_id: String,
    /// The key to send with the action, where the provider takes one.
    pub idempotency_key: String,
    /// Where it goes.
    pub key_place: Option<KeyPlace>,
    /// The tag to put on the record, where the contract reads one.
    pub tag: Option<String>,
    /// The action may be sent from here on.
    pub ready_at: Time,
    /// The deadline while no sign of the action is seen.
    pub deadline: Time,
    /// The first observation.
    pub next_observation_at: Time,
    /// Channels that are needed and not set up.
    pub missing_channels: Vec<String>,
}

/// Why nothing was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeginError {
    /// No loaded contract has this id.
    UnknownContract {
        /// The id.
        contract_id: String,
    },
    /// The input does not fit the contract.
    Input(InputError),
    /// The same ask is there already.
    OperationExists {
        /// Its operation.
        operation_id: String,
    },
    /// Another open operation has the same effect on the record that the input names.
    RecordHeld {
        /// That operation.
        operation_id: String,
    },
    /// The input does not name the record that the action changes.
    RecordNotNamed,
    /// A channel that a condition needs is not set up.
    ChannelNotConfigured {
        /// The channels.
        channels: Vec<String>,
    },
    /// Only a failed operation of the same ask can be replaced.
    NotReplaceable {
        /// The operation that was named.
        operation_id: String,
    },
    /// The store failed.
    Store(StoreError),
}

impl BeginError {
    /// Stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownContract { .. } => "contract_unknown",
            Self::Input(error) => error.code(),
            Self::OperationExists { .. } => "operation_exists",
            Self::RecordHeld { .. } => "record_held",
            Self::RecordNotNamed => "record_not_named",
            Self::ChannelNotConfigured { .. } => "channel_not_configured",
            Self::NotReplaceable { .. } => "operation_not_replaceable",
            Self::Store(error) => error.code(),
        }
    }
}

impl fmt::Display for BeginError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => return write!(out, "{}: {error}", error.code()),
            Self::Store(error) => return error.fmt(out),
            Self::UnknownContract { .. }
            | Self::OperationExists { .. }
            | Self::RecordHeld { .. }
            | Self::RecordNotNamed
            | Self::NotReplaceable { .. }
            | Self::ChannelNotConfigured { .. } => write!(out, "{}: ", self.code())?,
        }
        match self {
            Self::UnknownContract { contract_id } => {
                write!(out, "no skill here has `{contract_id}`; add its package")
            }
            Self::OperationExists { operation_id } => write!(
                out,
                "this ask is `{operation_id}` already; go on with it, or name another ask by `intent_ref`"
            ),
            Self::RecordHeld { operation_id } => {
                write!(out, "`{operation_id}` is open on this record and effect; wait until it ends")
            }
            Self::RecordNotNamed => out.write_str("the input must name the record that the action changes"),
            Self::ChannelNotConfigured { channels } => write!(
                out,
                "`{}` must be set up before this can be verified; set it up, or accept that it may stay unverifiable",
                channels.join("`, `")
            ),
            Self::NotReplaceable { operation_id } => {
                write!(out, "`{operation_id}` is no failed operation of this ask; go on with it instead")
            }
            Self::Input(_) | Self::Store(_) => Ok(()),
        }
    }
}

impl std::error::Error for BeginError {}

impl From<StoreError> for BeginError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl<T: Transport, S: Store, C: Clock> Runtime<T, S, C> {
    /// Begins an operation: input, baseline, then key and tag.
    ///
    /// # Errors
    /// [`BeginError`]; nothing was kept then.
    pub fn begin(&mut self, ask: &Ask) -> Result<Begun, BeginError> {
        self.begin_as(ask, None)
    }

    /// Begins an operation in the place of one that FAILED: the same ask with a new key, since a provider
    /// replays the stored reply of a used one.
    ///
    /// # Errors
    /// [`BeginError`]; nothing was kept then.
    pub fn begin_replacing(&mut self, ask: &Ask, replaces: &str) -> Result<Begun, BeginError> {
        self.begin_as(ask, Some(replaces))
    }

    fn begin_as(&mut self, ask: &Ask, replaces: Option<&str>) -> Result<Begun, BeginError> {
        let unknown = || BeginError::UnknownContract { contract_id: ask.contract_id.clone() };
        let loaded = self.loaded.get(&ask.contract_id).cloned().ok_or_else(unknown)?;
        let contract = loaded.contract();
        contract.intent.input_schema.check(&ask.input).map_err(BeginError::Input)?;
        let effective = loaded.program.at(version(ask, &loaded)).contract();
        let missing = missing_channels(effective, ask);
        if !missing.is_empty() && !ask.accept_missing_channels {
            return Err(BeginError::ChannelNotConfigured { channels: missing });
        }
        let mut row = self.draft_row(ask, &loaded)?;
        row.replaces = replaces.map(str::to_owned);
        let first_of_effect = self.first_of_effect(&row)?;
        let replaced = row.replaces.as_deref().map(|id| self.store.operation(id)).transpose()?;
        match (first_of_effect, replaced) {
            (Some(first), _) => {
                row.owner.clone_from(&first.owner);
                self.take_over(&mut row, &first);
            }
            (None, Some(replaced)) => self.take_over(&mut row, &replaced),
            (None, None) => self.read_baselines(&mut row, &loaded),
        }
        self.keep(row, contract, missing)
    }

    /// A row with an id and without a baseline.
    fn draft_row(&mut self, ask: &Ask, loaded: &Loaded) -> Result<OperationRow, BeginError> {
        let contract = loaded.contract();
        let id = self.store.next_id(IdKind::Operation)?;
        let now = self.clock.now();
        let operation = Operation {
            id: id.clone(),
            input: ask.input.clone(),
            begun_at: now,
            begin: ProviderInstant { at: now, from_provider: false, skew_ms: SKEW_WITHOUT_DATE_MS },
            api_version: version(ask, loaded).map(str::to_owned),
            live: Some(ask.connection.mode == Mode::Live),
            reports: Vec::new(),
            first_sign: None,
            attempts: 0,
        };
        Ok(OperationRow {
            revision: 0,
            operation,
            contract_id: contract.id.clone(),
            service: contract.service.clone(),
            record_type: contract.subject.kind.clone(),
            effect: contract.action.canonical_effect.clone(),
            connection: ask.connection.clone(),
            intent_ref: ask.intent_ref.clone(),
            replaces: None,
            owner: id,
            ready_at: now,
            baselines: Vec::new(),
            not_applied: not_applied(loaded.program.at(version(ask, loaded)).contract(), &ask.input),
            claims: Vec::new(),
            seen: BTreeMap::new(),
            bound: None,
            states: BTreeMap::new(),
            observation: 0,
            inadmissible: BTreeMap::new(),
            settles_at: None,
            state: State::Created,
            next_observation_at: None,
            standing: None,
        })
    }

    /// The first operation of the same effect, input and name, if there is one. The same contract again
    /// is refused here, before anything is read.
    fn first_of_effect(
        &self,
        row: &OperationRow,
    ) -> Result<Option<std::sync::Arc<OperationRow>>, BeginError> {
        let connection = &row.connection;
        let known = self.store.operations_of(&row.service, &connection.account, connection.mode)?;
        if let Some(existing) = bind::existing_ask(known.iter().rev(), row) {
            return Err(BeginError::OperationExists { operation_id: existing.operation.id.clone() });
        }
        if let Some(operation_id) = &row.replaces {
            let replaced = known.iter().find(|known| known.operation.id == *operation_id);
            if !replaced.is_some_and(|old| old.state == State::Failed && bind::same_ask(old, row)) {
                return Err(BeginError::NotReplaceable { operation_id: operation_id.clone() });
            }
        }
        Ok(bind::shared_effect(&known, row).cloned())
    }

    /// Takes `begin` and baselines of an earlier operation of the same ask: what was there before is told
    /// from the first `begin`. What is there now may be the ask's own doing, so nothing is read, and what the
    /// earlier one could not read stays unread.
    fn take_over(&self, row: &mut OperationRow, earlier: &OperationRow) {
        let now = self.clock.now();
        row.baselines.clone_from(&earlier.baselines);
        row.operation.begun_at = now;
        row.operation.begin = earlier.operation.begin;
        row.ready_at = earlier.ready_at.max(now);
    }

    /// Reads every baseline channel and fixes `begin` on both clocks.
    fn read_baselines(&mut self, row: &mut OperationRow, loaded: &Loaded) {
        let contract = loaded.contract();
        let mut date = None;
        let listed = |channel: &Channel| channel.baseline && matches!(channels::kind(channel), Kind::List);
        let mut lacking =
            contract.action.target == Target::Create && !contract.evidence_policy.channels.iter().any(listed);
        let now = self.clock.now();
        let bound = ProviderInstant { at: now, from_provider: false, skew_ms: SKEW_WITHOUT_DATE_MS };
        for channel in contract.evidence_policy.channels.iter().filter(|channel| channel.baseline) {
            let (baseline, seen) = self.read_baseline(row, contract, channel, bound);
            date = seen.or(date);
            lacking |= baseline
                .as_ref()
                .is_none_or(|baseline| !baseline.complete && matches!(channels::kind(channel), Kind::List));
            row.baselines.extend(baseline);
        }
        let answered = self.clock.now();
        row.operation.begun_at = answered;
        row.operation.begin = begin_instant(answered, date, row.connection.skew_ms);
        row.ready_at =
            if lacking { answered.plus(doubt_ms(contract, row.operation.begin)) } else { answered };
    }

    fn read_baseline(
        &mut self,
        row: &OperationRow,
        contract: &Contract,
        channel: &Channel,
        bound: ProviderInstant,
    ) -> (Option<Baseline>, Option<(Time, Time)>) {
        let named = correlate::named_id(contract, &row.operation.input);
        let context = Context { begin: Some(bound), ..read::context(row, channel, &[]) };
        let keys = correlate::keys(contract, named.as_deref(), &context);
        let context = Context { correlation: &keys, ..context };
        let clock = &self.clock;
        let now = || clock.now();
        let name = channel.name.clone();
        match channels::kind(channel) {
            Kind::Response | Kind::Events => (None, None),
            Kind::List => {
                let listing =
                    read::list(&mut self.transport, &now, channel, &row.connection, &context, Some(bound));
                let ids: Option<Vec<String>> =
                    listing.items.iter().map(|item| channels::record_id(channel, item)).collect();
                let complete = listing.exhausted && ids.is_some();
                let ids =
                    listing.items.iter().filter_map(|item| channels::record_id(channel, item)).collect();
                let read_any = complete || !listing.items.is_empty();
                let baseline = Baseline { channel: name, complete, ids, value: None };
                (read_any.then_some(baseline), listing.date)
            }
            Kind::Record => {
                let asked = named.as_deref().filter(|_| channels::needs_record(channel));
                let read = read::record(&mut self.transport, &now, channel, &row.connection, &context, asked);
                let baseline = match read.found {
                    read::Found::Record(value) => {
                        // What is read by its parent, or as the only one, is the record that the input names.
                        let own = channel
                            .record_id
                            .as_ref()
                            .map_or(named, |_| channels::record_id(channel, &value));
                        let ids = own.into_iter().collect();
                        Some(Baseline { channel: name, complete: true, ids, value: Some(value) })
                    }
                    read::Found::Nothing | read::Found::Unavailable(_) => None,
                };
                (baseline, read.date)
            }
        }
    }

    fn keep(
        &mut self,
        mut row: OperationRow,
        contract: &Contract,
        missing: Vec<String>,
    ) -> Result<Begun, BeginError> {
        let deadline = row.operation.deadline(contract.timing.timeout_ms);
        let first = schedule::first(&contract.timing, row.ready_at, deadline);
        row.next_observation_at = Some(first);
        let held = match contract.action.target {
            Target::Create => None,
            Target::Existing => {
                let id =
                    correlate::named_id(contract, &row.operation.input).ok_or(BeginError::RecordNotNamed)?;
                Some(record_ref(&row, contract, &id))
            }
        };
        let begun = Begun {
            operation_id: row.operation.id.clone(),
            idempotency_key: row.owner.clone(),
            key_place: contract.action.idempotency.as_ref().and_then(KeyPlace::of),
            tag: correlate::takes_tag(contract).then(|| row.owner.clone()),
            ready_at: row.ready_at,
            deadline,
            next_observation_at: first,
            missing_channels: missing,
        };
        match self.store.insert(row, held.as_ref())? {
            Inserted::New => Ok(begun),
            Inserted::Exists { operation_id } => Err(BeginError::OperationExists { operation_id }),
            Inserted::Held { operation_id } => Err(BeginError::RecordHeld { operation_id }),
        }
    }
}

/// `begin` on the provider's clock. `Date` counts whole seconds, cut off: the moment of the reply lay in
/// `[Date, Date + 1 s)`. The start of that second plus the time that passed since the reply came is
/// the least that the provider's clock can show when `begin` answers, so nothing that is made afterwards
/// lies before it, and what a second of doubt leaves is covered by the skew.
fn begin_instant(answered: Time, date: Option<(Time, Time)>, skew_ms: Option<i64>) -> ProviderInstant {
    match date {
        Some((date, received)) => ProviderInstant {
            at: date.plus(answered.since(received).max(0)),
            from_provider: true,
            skew_ms: skew_ms.unwrap_or(SKEW_WITH_DATE_MS).max(0),
        },
        None => ProviderInstant {
            at: answered,
            from_provider: false,
            skew_ms: skew_ms.unwrap_or(SKEW_WITHOUT_DATE_MS).max(0),
        },
    }
}

fn applies(condition: &Condition, input: &Value) -> bool {
    let context = Context { input, operation_id: "", begin: None, correlation: &[], instant: None };
    let holds =
        |test: &ItemTest| scope::passes(std::slice::from_ref(test), &Value::Null, &context) == Truth::Holds;
    condition.when.as_deref().is_none_or(holds) && !condition.unless.as_deref().is_some_and(holds)
}

/// The version that the verifier reads with: the connection's pin, else the skill's default.
fn version<'a>(ask: &'a Ask, loaded: &'a Loaded) -> Option<&'a str> {
    ask.connection.api_version.as_deref().or(loaded.skill.default_version.as_deref())
}

fn not_applied(contract: &Contract, input: &Value) -> Vec<String> {
    let all = contract.completion.all_of.iter().chain(&contract.negative_conditions.any_of);
    all.filter(|condition| !applies(condition, input)).map(|condition| condition.id.clone()).collect()
}

/// Channels that a positive, or a blocking negative without a readable alternative, needs and that
/// nobody set up.
fn missing_channels(contract: &Contract, ask: &Ask) -> Vec<String> {
    let readable = |name: &String| {
        let channel = contract.evidence_policy.channels.iter().find(|own| own.name == *name);
        channel.is_some_and(|channel| is_readable(channel, &ask.connection))
    };
    let can = |condition: &Condition| condition.evidence.iter().all(readable);
    let positives = contract.completion.all_of.iter().filter(|condition| applies(condition, &ask.input));
    let negatives =
        contract.negative_conditions.any_of.iter().filter(|condition| applies(condition, &ask.input));
    let alternative =
        |lost: &Condition| {
            lost.class == Some(NegativeClass::DuplicateSideEffect)
                && contract.negative_conditions.any_of.iter().any(|other| {
                    other.class == lost.class && other.reason_code == lost.reason_code && can(other)
                })
        };
    let blocking = negatives.filter(|one| one.blocking.unwrap_or(true) && !alternative(one));
    let mut missing: Vec<String> = positives
        .chain(blocking)
        .flat_map(|condition| condition.evidence.iter().filter(|name| !readable(name)).cloned())
        .collect();
    missing.sort_unstable();
    missing.dedup();
    missing
}

fn is_readable(channel: &Channel, connection: &Connection) -> bool {
    match channel.verifier.name.as_str() {
        "http" => channel.request.is_some(),
        "action_result" => true,
        name => channel.request.is_some() || connection.verifiers.iter().any(|own| own == name),
    }
}

/// How long after `begin` a record's time may still leave open whether it came before: the skew, and one
/// granule of the coarsest channel.
fn doubt_ms(contract: &Contract, begin: ProviderInstant) -> i64 {
    let rules = contract.evidence_policy.channels.iter().filter_map(|channel| channel.instant.as_ref());
    let granule = rules.map(|rule| rule.granularity_ms).max().unwrap_or(0);
    begin.skew_ms.saturating_add(i64::try_from(granule).unwrap_or(i64::MAX))
}
