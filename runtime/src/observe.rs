//! One observation of one operation: read, decide, move the state machine, plan the next look, and on an
//! end draw the receipt; all of it kept in one commit.

use std::sync::Arc;

use provely_evaluator::contract::Target;
use provely_evaluator::evaluate::{Evaluation, evaluate};
use provely_evaluator::evidence::Evidence;
use provely_evaluator::receipt::ReceiptDraft;
use provely_evaluator::state::Move;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;

use crate::collect::{Collected, Collector};
use crate::correlate;
use crate::directive::Advice;
use crate::receipt::{self, Sources};
use crate::runtime::{Loaded, Runtime, RuntimeError, record_ref};
use crate::schedule::{self, Moment};
use crate::store::{Change, IdKind, LogEntry, LogEvent, OperationRow, RecordRef, Store, StoreError};
use crate::transport::{Clock, Transport};
use crate::verification::{Verification, conditions};

impl<T: Transport, S: Store, C: Clock> Runtime<T, S, C> {
    /// A scheduled observation. On an ended operation it looks again only if an event or a claim asked for
    /// it; else it answers what stands.
    ///
    /// # Errors
    /// [`RuntimeError`].
    pub fn observe(&mut self, operation_id: &str) -> Result<Arc<Verification>, RuntimeError> {
        let row = self.store.operation(operation_id)?;
        if row.state.is_terminal() {
            let due = row.next_observation_at.is_some_and(|at| at <= self.clock.now());
            return if due { self.again(operation_id) } else { self.standing(&row) };
        }
        self.look(operation_id, true)
    }

    /// The caller's own look; it does not count against the fast phase. On an ended operation it answers
    /// what stands, unobserved.
    ///
    /// # Errors
    /// [`RuntimeError`].
    pub fn verify(&mut self, operation_id: &str) -> Result<Arc<Verification>, RuntimeError> {
        let row = self.store.operation(operation_id)?;
        if row.state.is_terminal() { self.standing(&row) } else { self.look(operation_id, false) }
    }

    /// Examines an ended operation again. Its first terminal state stays; a verdict that differs and that
    /// the evidence decides makes a receipt that supersedes the last one. A source that cannot be read
    /// now takes nothing back.
    ///
    /// # Errors
    /// [`RuntimeError::IllegalMove`] for an operation that has not ended.
    pub fn again(&mut self, operation_id: &str) -> Result<Arc<Verification>, RuntimeError> {
        loop {
            let row = self.store.operation(operation_id)?;
            row.state
                .after(Move::Again)
                .map_err(|_| RuntimeError::IllegalMove { state: row.state, asked: "another examination" })?;
            match self.re_examine(&row) {
                Err(RuntimeError::Store(StoreError::Conflict)) => {}
                other => return other,
            }
        }
    }

    fn standing(&self, row: &OperationRow) -> Result<Arc<Verification>, RuntimeError> {
        let missing = || RuntimeError::IllegalMove { state: row.state, asked: "a standing verdict" };
        row.standing.clone().ok_or_else(missing)
    }

    fn look(&mut self, operation_id: &str, scheduled: bool) -> Result<Arc<Verification>, RuntimeError> {
        loop {
            let row = self.store.operation(operation_id)?;
            // Another observation may have ended it meanwhile.
            if row.state.is_terminal() {
                return self.standing(&row);
            }
            match self.look_once(&row, scheduled) {
                Err(RuntimeError::Store(StoreError::Conflict)) => {}
                other => return other,
            }
        }
    }

    fn look_once(
        &mut self,
        row: &Arc<OperationRow>,
        scheduled: bool,
    ) -> Result<Arc<Verification>, RuntimeError> {
        let loaded = self.contract_of(row)?;
        let mut start = OperationRow::clone(row);
        start.operation.attempts = start.operation.attempts.saturating_add(u32::from(scheduled));
        let Collected { mut row, evidence, not_before } = self.collect(start, &loaded)?;
        let now = self.clock.now();
        let operation = row.operation.clone();
        let evaluation = evaluate(&loaded.program, &operation, &evidence, now);
        let ending = evaluation.ending();
        row.state = row
            .state
            .after(Move::Observed(ending))
            .map_err(|_| RuntimeError::IllegalMove { state: row.state, asked: "an observation" })?;
        row.next_observation_at = next(&loaded, &row, &evidence, &evaluation, now, not_before);
        row.settles_at = settles_at(&loaded, &row, &evidence);
        let receipt = match ending {
            Some(_) => Some(self.draft_receipt(&loaded, &row, &evaluation, &evidence, now, None)?),
            None => None,
        };
        let release = ending.and_then(|_| released(&loaded, &row));
        let receipt_id = receipt.as_ref().map(|draft| draft.id.clone());
        let verification = Arc::new(answer(&row, &evaluation, &evidence, receipt_id, now));
        row.standing = Some(Arc::clone(&verification));
        let entry = LogEntry {
            at: now,
            event: LogEvent::Observed {
                observation: row.observation,
                state: row.state,
                reason_code: verification.reason_code.clone(),
            },
        };
        self.store.commit(Change { row, entry, receipt, release })?;
        Ok(verification)
    }

    fn re_examine(&mut self, row: &Arc<OperationRow>) -> Result<Arc<Verification>, RuntimeError> {
        let loaded = self.contract_of(row)?;
        let before = self.standing(row)?;
        let mut start = OperationRow::clone(row);
        // What is looked at again is looked at ever more rarely, as before its end.
        start.operation.attempts = start.operation.attempts.saturating_add(1);
        let Collected { mut row, evidence, not_before } = self.collect(start, &loaded)?;
        let now = self.clock.now();
        let operation = row.operation.clone();
        let evaluation = evaluate(&loaded.program, &operation, &evidence, now);
        row.next_observation_at = next(&loaded, &row, &evidence, &evaluation, now, not_before)
            .or_else(|| once_more(&loaded, &row, &evidence, now, not_before));
        row.settles_at = settles_at(&loaded, &row, &evidence);
        let receipt = if supersedes(&before, &evaluation) {
            Some(self.draft_receipt(&loaded, &row, &evaluation, &evidence, now, before.receipt_id.clone())?)
        } else {
            None
        };
        let receipt_id = receipt.as_ref().map(|draft| draft.id.clone()).or_else(|| before.receipt_id.clone());
        let verification = Arc::new(answer(&row, &evaluation, &evidence, receipt_id, now));
        if receipt.is_some() {
            row.standing = Some(Arc::clone(&verification));
        }
        let entry = LogEntry {
            at: now,
            event: LogEvent::ReExamined { reason_code: verification.reason_code.clone() },
        };
        self.store.commit(Change { row, entry, receipt, release: None })?;
        Ok(verification)
    }

    fn collect(&mut self, row: OperationRow, loaded: &Loaded) -> Result<Collected, RuntimeError> {
        let clock = &self.clock;
        let now = || clock.now();
        let collector = Collector {
            transport: &mut self.transport,
            store: &mut self.store,
            now: &now,
            contracts: &self.loaded,
            loaded,
            row,
        };
        Ok(collector.collect()?)
    }

    fn draft_receipt(
        &mut self,
        loaded: &Loaded,
        row: &OperationRow,
        evaluation: &Evaluation<'_>,
        evidence: &Evidence,
        now: Time,
        supersedes: Option<String>,
    ) -> Result<ReceiptDraft, RuntimeError> {
        let id = self.store.next_id(IdKind::Receipt)?;
        Ok(receipt::draft(id, Sources { loaded, row, evaluation, evidence, now }, supersedes))
    }
}

/// A later verdict replaces the standing one if it differs and the evidence decides it.
fn supersedes(before: &Verification, evaluation: &Evaluation<'_>) -> bool {
    let decided = match evaluation.verdict {
        Verdict::Verified | Verdict::Contradicted | Verdict::Failed => evaluation.terminal,
        Verdict::Pending | Verdict::Unverifiable => false,
    };
    decided && (before.verdict != evaluation.verdict || before.reason_code != evaluation.reason_code)
}

fn next(
    loaded: &Loaded,
    row: &OperationRow,
    evidence: &Evidence,
    evaluation: &Evaluation<'_>,
    now: Time,
    not_before: Option<Time>,
) -> Option<Time> {
    let planned = evaluation.next_observation_at?;
    let timing = &loaded.contract().timing;
    let moment = Moment { now, deadline: row.operation.deadline(timing.timeout_ms), not_before };
    let claims = row.claims.iter().map(|claim| claim.at);
    let seen = row.seen.values().copied();
    let states = row.states.values().map(|(_, since)| *since);
    let received = events_received(evidence);
    let next = schedule::next(timing, planned, moment, claims.chain(seen).chain(states).chain(received));
    Some(next.max(row.ready_at))
}

/// When the last stale window ends of all that the operation has seen or was told.
fn settles_at(loaded: &Loaded, row: &OperationRow, evidence: &Evidence) -> Option<Time> {
    let window = i64::try_from(loaded.contract().timing.stale_read_window_ms).unwrap_or(i64::MAX);
    let claims = row.claims.iter().map(|claim| claim.at);
    let seen = row.seen.values().copied();
    let states = row.states.values().map(|(_, since)| *since);
    let own = evidence.correlation.record.iter().flat_map(|own| [Some(own.since), own.first_seen]).flatten();
    let last = claims.chain(seen).chain(states).chain(own).chain(row.operation.last_sign());
    last.chain(events_received(evidence)).max().map(|start| start.plus(window))
}

/// When the events of the own record came: a state that they show may count once a window has passed.
fn events_received(evidence: &Evidence) -> impl Iterator<Item = Time> {
    use provely_evaluator::evidence::Read;
    let own = evidence.correlation.record.as_ref().map(|record| record.id.as_str());
    evidence.channels.iter().flat_map(move |entry| {
        let events = match &entry.read {
            Read::Events(read) => read.events.as_slice(),
            Read::Record(_) | Read::NotFound { .. } | Read::List(_) | Read::Unavailable { .. } => &[],
        };
        events.iter().filter(move |event| own == Some(event.item.id.as_str())).map(|event| event.received_at)
    })
}

/// When an ended operation is worth another look: once the provider wants to be read again, or once the
/// stale window after an event of its record has passed. A look that comes after both is the last. A provider that
/// never lets itself be read is asked until the deadline, or for as long after the last event.
fn once_more(
    loaded: &Loaded,
    row: &OperationRow,
    evidence: &Evidence,
    now: Time,
    not_before: Option<Time>,
) -> Option<Time> {
    let timing = &loaded.contract().timing;
    let span = |millis: u64| i64::try_from(millis).unwrap_or(i64::MAX);
    let ends = events_received(evidence).map(|received| received.plus(span(timing.stale_read_window_ms)));
    let patience = events_received(evidence).map(|received| received.plus(span(timing.timeout_ms))).max();
    let patience = patience.max(Some(row.operation.deadline(timing.timeout_ms)));
    ends.chain(not_before.filter(|at| Some(*at) <= patience)).filter(|at| *at > now).min()
}

/// The record that an ended operation on an existing record sets free.
fn released(loaded: &Loaded, row: &OperationRow) -> Option<RecordRef> {
    let contract = loaded.contract();
    if contract.action.target != Target::Existing {
        return None;
    }
    correlate::named_id(contract, &row.operation.input).map(|id| record_ref(row, contract, &id))
}

fn answer(
    row: &OperationRow,
    evaluation: &Evaluation<'_>,
    evidence: &Evidence,
    receipt_id: Option<String>,
    now: Time,
) -> Verification {
    Verification {
        operation_id: row.operation.id.clone(),
        state: row.state,
        verdict: evaluation.verdict,
        terminal: evaluation.terminal,
        escalated: evaluation.escalated,
        reason_code: evaluation.reason_code.to_owned(),
        reason: evaluation.reason.to_owned(),
        conditions: conditions(evaluation),
        evidence_levels_used: evaluation.levels.iter().collect(),
        causality: evaluation.causality,
        record_id: evidence.correlation.record.as_ref().map(|record| record.id.clone()),
        directive: Advice::new(&evaluation.directive, &row.owner),
        next_observation_at: row.next_observation_at,
        receipt_id,
        observed_at: now,
        observation: row.observation,
    }
}
