//! How records move in virtual time: by schedule, by script, by hand. Moves that the lifecycle does not
//! allow are not made unless forced. It must not read a clock.

use std::sync::Arc;

use core::fmt;

use provely_evaluator::contract::StateClass;
use provely_evaluator::time::Time;

use crate::blueprint::{Kind, Moment};
use crate::fault::FaultKind;
use crate::options::{Script, Settle};
use crate::place::set_at;
use crate::provider::Provider;
use crate::truth::Version;

/// A move to come.
#[derive(Debug, Clone)]
pub(crate) struct Due {
    record: usize,
    /// One of its parts; absent: the record, or all of them.
    part: Option<usize>,
    state: String,
    forced: bool,
}

/// What follows a success.
#[derive(Debug, Clone)]
pub(crate) struct Reversal {
    after_ms: u64,
    to: Option<String>,
}

/// Why a record was not moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MoveError {
    /// No record has that id, or it was deleted.
    NoRecord,
    /// Its kind has no state of that name.
    NoState,
    /// The lifecycle does not allow the move from the state named here.
    NotAllowed(String),
}

impl fmt::Display for MoveError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRecord => {
                out.write_str("record_unknown: no record has this id; insert or create it first")
            }
            Self::NoState => out.write_str("state_unknown: the lifecycle has no such state"),
            Self::NotAllowed(from) => {
                write!(
                    out,
                    "move_not_allowed: the lifecycle does not allow this move from `{from}`; force it"
                )
            }
        }
    }
}

impl core::error::Error for MoveError {}

impl Provider {
    /// Lets time pass up to `now`: moves that fall due are made, each at its own time.
    pub fn advance(&mut self, now: Time) {
        while let Some(entry) = self.due.first_entry().filter(|entry| entry.key().0 <= now) {
            let at = entry.key().0;
            let due = entry.remove();
            self.now = self.now.max(at);
            self.tick();
            // A move that is no longer allowed is dropped: somebody else moved the record first.
            let _dropped = match due.part {
                None => self.shift(due.record, &due.state, due.forced, None),
                Some(part) => self.shift_parts(due.record, &due.state, (Some(part), due.forced), None),
            };
        }
        self.now = self.now.max(now);
        self.tick();
    }

    /// The time of the next move or delivery.
    #[must_use]
    pub fn next_due(&self) -> Option<Time> {
        let moves = self.due.first_key_value().map(|((at, _), _)| *at);
        let deliveries = self.outbox.first_key_value().map(|((at, _), _)| *at);
        moves.into_iter().chain(deliveries).min()
    }

    /// Moves a record now.
    ///
    /// # Errors
    /// If the record or state is unknown or the lifecycle does not allow the move.
    pub fn move_record(&mut self, id: &str, state: &str) -> Result<(), MoveError> {
        self.shift(self.find_any(id).ok_or(MoveError::NoRecord)?, state, false, None)
    }

    /// Moves a record now, allowed or not; the state may be one that the lifecycle does not list.
    ///
    /// # Errors
    /// If the record is unknown.
    pub fn force_record(&mut self, id: &str, state: &str) -> Result<(), MoveError> {
        self.shift(self.find_any(id).ok_or(MoveError::NoRecord)?, state, true, None)
    }

    /// Replaces what a record has before it: after so many milliseconds from now, that state.
    ///
    /// # Errors
    /// If the record or a state is unknown. Whether a move is allowed shows when it falls due.
    pub fn plan(&mut self, id: &str, moves: &[(u64, &str)]) -> Result<(), MoveError> {
        let record = self.find_any(id).ok_or(MoveError::NoRecord)?;
        let blueprint = Arc::clone(&self.blueprint);
        let life = self.records.get(record).and_then(|r| blueprint.kinds.get(r.kind)?.life.as_ref());
        let known = |state: &str| life.is_some_and(|life| life.lifecycle.state(state).is_some());
        if moves.iter().any(|(_, state)| !known(state)) {
            return Err(MoveError::NoState);
        }
        self.due.retain(|_, due| due.record != record);
        for (after_ms, state) in moves {
            self.enqueue(record, None, *after_ms, state, false);
        }
        Ok(())
    }

    /// Sends a record through a script from now on, in place of what it has before it.
    ///
    /// # Errors
    /// If the record is unknown.
    pub fn follow(&mut self, id: &str, script: &Script) -> Result<(), MoveError> {
        let record = self.find_any(id).ok_or(MoveError::NoRecord)?;
        self.due.retain(|_, due| due.record != record);
        for (after_ms, state) in &script.moves {
            self.enqueue(record, None, *after_ms, state, script.forced);
        }
        Ok(())
    }

    /// The state that records of a kind are born in.
    pub(crate) fn first_state(&self, kind: &Kind) -> Option<String> {
        let life = kind.life.as_ref()?;
        let first = life.first()?;
        let state = match self.options.settle {
            Settle::AtOnce => life.reachable(first, StateClass::TerminalSuccess).unwrap_or(first),
            Settle::Succeed(..) | Settle::Reach(..) | Settle::Stay => first,
        };
        Some(state.to_owned())
    }

    /// The script for a new record: a fault's, else the next in the queue, else none.
    pub(crate) fn script(&mut self, kind: usize, faults: &[FaultKind]) -> Script {
        let by_fault = faults.iter().find_map(|fault| {
            if let FaultKind::Scripted(script) = fault { Some(script.clone()) } else { None }
        });
        let queued = self.scripts.get_mut(&kind).and_then(std::collections::VecDeque::pop_front);
        by_fault.or(queued).unwrap_or_else(|| self.settling(kind))
    }

    /// The script of a record that nobody gave one.
    fn settling(&mut self, kind: usize) -> Script {
        let blueprint = Arc::clone(&self.blueprint);
        let life = blueprint.kinds.get(kind).and_then(|kind| kind.life.as_ref());
        let first = life.and_then(|life| life.first());
        let (Some(life), Some(first)) = (life, first) else { return Script::default() };
        let moves = match &self.options.settle {
            Settle::Succeed(least, most) => {
                let to = life.reachable(first, StateClass::TerminalSuccess);
                to.map(|to| (self.timing.between(*least, *most), to.to_owned()))
            }
            Settle::Reach(to, least, most) => Some((self.timing.between(*least, *most), to.clone())),
            Settle::Stay | Settle::AtOnce => None,
        };
        Script { moves: moves.into_iter().collect(), ..Script::default() }
    }

    /// Queues the moves of a new record.
    pub(crate) fn schedule(&mut self, record: usize, script: &Script, faults: &[FaultKind]) {
        for fault in faults {
            if let FaultKind::LateReversal { after_ms, to } = fault {
                self.reversals.insert(record, Reversal { after_ms: *after_ms, to: to.clone() });
            }
        }
        for (after_ms, state) in &script.moves {
            self.enqueue(record, None, *after_ms, state, script.forced);
        }
        for (part, own) in script.parts.iter().flatten().enumerate() {
            for (after_ms, state) in &own.moves {
                self.enqueue(record, Some(part), *after_ms, state, script.forced);
            }
        }
        let state = self.records.get(record).and_then(|record| record.state()).map(str::to_owned);
        if let Some(state) = state {
            self.reverse_later(record, &state);
        }
    }

    fn enqueue(&mut self, record: usize, part: Option<usize>, after_ms: u64, state: &str, forced: bool) {
        let at = self.now.plus(i64::try_from(after_ms).unwrap_or(i64::MAX));
        let sequence = self.next_sequence();
        self.due.insert((at, sequence), Due { record, part, state: state.to_owned(), forced });
    }

    /// Moves a record at the present time and sends its events.
    pub(crate) fn shift(
        &mut self,
        place: usize,
        to: &str,
        forced: bool,
        key: Option<&str>,
    ) -> Result<(), MoveError> {
        let blueprint = Arc::clone(&self.blueprint);
        let record = self.records.get(place).filter(|record| record.deleted.is_none());
        let record = record.ok_or(MoveError::NoRecord)?;
        let kind = blueprint.kinds.get(record.kind).ok_or(MoveError::NoRecord)?;
        let life = kind.life.as_ref().ok_or(MoveError::NoState)?;
        if life.parts.is_some() {
            return self.shift_parts(place, to, (None, forced), key);
        }
        let from = record.state().unwrap_or_default();
        let allowed = life.lifecycle.allows(from, to);
        if !forced && !allowed {
            let known = life.lifecycle.state(to).is_some();
            return Err(if known { MoveError::NotAllowed(from.to_owned()) } else { MoveError::NoState });
        }
        let mut value = self.latest(place).cloned().unwrap_or_default();
        set_at(&mut value, &life.steps, to.into());
        self.push_version(place, kind, value, Some(to.to_owned()), !allowed);
        self.emit(place, &Moment::State(to.to_owned()), key);
        self.reverse_later(place, to);
        Ok(())
    }

    /// Moves the parts of a record, one or all, at the present time and sends its events.
    fn shift_parts(
        &mut self,
        place: usize,
        to: &str,
        (only, forced): (Option<usize>, bool),
        key: Option<&str>,
    ) -> Result<(), MoveError> {
        let blueprint = Arc::clone(&self.blueprint);
        let record = self.records.get(place).filter(|record| record.deleted.is_none());
        let record = record.ok_or(MoveError::NoRecord)?;
        let kind = blueprint.kinds.get(record.kind).ok_or(MoveError::NoRecord)?;
        let (life, parts) = kind.parts().ok_or(MoveError::NoState)?;
        let before = record.latest().map(|version| &version.value).ok_or(MoveError::NoRecord)?;
        let value = Self::moved_parts(life, parts, before, to, (only, forced));
        let Some(mut value) = value else {
            let from = record.state().unwrap_or_default().to_owned();
            let known = life.lifecycle.state(to).is_some();
            return Err(if known { MoveError::NotAllowed(from) } else { MoveError::NoState });
        };
        for to in record.sums.clone() {
            crate::parts::resum(kind, &to, &mut value);
        }
        let state = crate::parts::common_state(&crate::parts::true_parts(kind, &value, self.options.live));
        self.push_version(place, kind, value, state, forced);
        self.emit(place, &Moment::State(to.to_owned()), key);
        self.reverse_later(place, to);
        Ok(())
    }

    /// Adds a version at the present time.
    pub(crate) fn push_version(
        &mut self,
        place: usize,
        kind: &Kind,
        mut value: provely_evaluator::json::Value,
        state: Option<String>,
        forced: bool,
    ) {
        if let Some(stamp) = &kind.changed {
            let notation = stamp.notation.at_least(self.clockwork.granularity_ms);
            set_at(&mut value, &stamp.steps, notation.write(self.clock()));
        }
        let parts = crate::parts::true_parts(kind, &value, self.options.live);
        if let Some(record) = self.records.get_mut(place) {
            record.versions.push(Version { at: self.now, state, forced, value, parts });
        }
    }

    /// A success that a fault will turn is turned once.
    fn reverse_later(&mut self, place: usize, state: &str) {
        let blueprint = Arc::clone(&self.blueprint);
        let kind = self.records.get(place).and_then(|record| blueprint.kinds.get(record.kind));
        let Some(life) = kind.and_then(|kind| kind.life.as_ref()) else { return };
        if life.class(state) != StateClass::TerminalSuccess {
            return;
        }
        let Some(reversal) = self.reversals.remove(&place) else { return };
        let to =
            reversal.to.or_else(|| life.reachable(state, StateClass::TerminalFailure).map(str::to_owned));
        if let Some(to) = to {
            self.enqueue(place, None, reversal.after_ms, &to, false);
        }
    }
}
