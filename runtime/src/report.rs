//! What the agent hands in after its call: a sign that something happened and claims of ids, never a
//! proof. Append-only.

use std::sync::Arc;

use provely_evaluator::contract::{Causality, ItemTest, Target};
use provely_evaluator::json::Value;
use provely_evaluator::operation::{Report, ReportedOutcome};
use provely_evaluator::state::Move;
use provely_evaluator::time::Time;

use crate::correlate;
use crate::runtime::{Loaded, Runtime, RuntimeError, record_ref};
use crate::scope::fails_in_band;
use crate::store::{Binding, Change, Claim, LogEntry, LogEvent, OperationRow, Store, StoreError};
use crate::transport::{Body, Clock, Transport};

/// What a reply says about the call. A timeout has no status; a 5xx, a 409 or a 429 is no refusal: the
/// action may have been done. A success status is a refusal only where the action's own tests say so
/// (T15, T19).
#[must_use]
pub fn outcome_of(status: u16, body: Option<&Value>, in_band_failure: &[ItemTest]) -> ReportedOutcome {
    match status {
        200..=299 if body.is_some_and(|body| fails_in_band(in_band_failure, body)) => {
            ReportedOutcome::Rejected
        }
        200..=299 if body.is_some() => ReportedOutcome::Accepted,
        408 | 409 | 425 | 429 => ReportedOutcome::Lost,
        400..=499 => ReportedOutcome::Rejected,
        _ => ReportedOutcome::Lost,
    }
}

impl<T: Transport, S: Store, C: Clock> Runtime<T, S, C> {
    /// Takes a reply as it came: the outcome is read from status and body.
    ///
    /// # Errors
    /// [`RuntimeError`].
    pub fn report_reply(
        &mut self,
        operation_id: &str,
        status: u16,
        body: Option<&Body>,
    ) -> Result<ReportedOutcome, RuntimeError> {
        let row = self.store.operation(operation_id)?;
        let loaded = self.contract_of(&row)?;
        let value = body.and_then(Body::json);
        let outcome = outcome_of(status, value.as_deref(), &loaded.contract().action.in_band_failure);
        self.take_report(operation_id, outcome, value.as_deref())?;
        Ok(outcome)
    }

    /// Takes the agent's word on its call, with the reply's body if it has one.
    ///
    /// # Errors
    /// [`RuntimeError`].
    pub fn report(
        &mut self,
        operation_id: &str,
        outcome: ReportedOutcome,
        body: Option<&Body>,
    ) -> Result<(), RuntimeError> {
        let value = body.and_then(Body::json);
        self.take_report(operation_id, outcome, value.as_deref())
    }

    fn take_report(
        &mut self,
        operation_id: &str,
        outcome: ReportedOutcome,
        result: Option<&Value>,
    ) -> Result<(), RuntimeError> {
        loop {
            let row = self.store.operation(operation_id)?;
            let loaded = self.contract_of(&row)?;
            let now = self.clock.now();
            let change = reported(&row, &loaded, outcome, result, now)?;
            let claims = change.row.claims.clone();
            match self.store.commit(change) {
                Err(StoreError::Conflict) => {}
                other => {
                    other?;
                    return self.bind_claims(&row, &loaded, &claims);
                }
            }
        }
    }

    /// Every claimed record that nobody has goes to this operation, by claim.
    fn bind_claims(
        &mut self,
        row: &OperationRow,
        loaded: &Loaded,
        claims: &[Claim],
    ) -> Result<(), RuntimeError> {
        if loaded.contract().action.target == Target::Existing {
            return Ok(());
        }
        for claim in claims.iter().filter(|claim| !row.claims.contains(claim)) {
            let record = record_ref(row, loaded.contract(), &claim.id);
            let asking = Binding { owner: row.owner.clone(), by: Causality::Claim, since: claim.at };
            self.store.bind(&record, asking)?;
        }
        Ok(())
    }
}

fn reported(
    row: &Arc<OperationRow>,
    loaded: &Loaded,
    outcome: ReportedOutcome,
    result: Option<&Value>,
    now: Time,
) -> Result<Change, RuntimeError> {
    let mut new = OperationRow::clone(row);
    let ids = result.map(|result| correlate::claimed_ids(loaded.contract(), result)).unwrap_or_default();
    let fresh: Vec<String> =
        ids.iter().filter(|id| !new.claims.iter().any(|claim| claim.id == **id)).cloned().collect();
    new.claims.extend(fresh.iter().map(|id| Claim { id: id.clone(), at: now }));
    new.operation.reports.push(Report { at: now, outcome });
    new.operation.first_sign.get_or_insert(now);
    if !new.state.is_terminal() {
        new.state = new
            .state
            .after(Move::Result(outcome))
            .map_err(|_| RuntimeError::IllegalMove { state: row.state, asked: "a result" })?;
        let delay = i64::try_from(loaded.contract().timing.initial_delay_ms).unwrap_or(i64::MAX);
        let soon = now.plus(delay);
        new.next_observation_at = Some(new.next_observation_at.map_or(soon, |at| at.min(soon)));
    } else if !fresh.is_empty() {
        // A new claim on an ended operation is looked at: it may be a second effect.
        new.next_observation_at = Some(now);
    }
    let entry = LogEntry { at: now, event: LogEvent::Reported { outcome, claims: fresh } };
    Ok(Change { row: new, entry, receipt: None, release: None })
}
