//! Observations that would show nothing new, passed over in one step. For virtual time alone: somebody who knows the
//! world says that it stands still. Nothing is read, and no verdict changes.

use provely_evaluator::schedule::{self, Moment};
use provely_evaluator::time::Time;

use crate::runtime::{Runtime, RuntimeError};
use crate::store::{Change, LogEntry, LogEvent, Store};
use crate::transport::{Clock, Transport};

impl<T: Transport, S: Store, C: Clock> Runtime<T, S, C> {
    /// Passes over the scheduled observations of an operation that are due before `until`, as if each had read
    /// what the last one read. The first that may tell something by the time alone is left: the end of a stale window,
    /// the deadline. The answer that stands stays; attempts and schedule are those that the observations would have left.
    ///
    /// The caller vouches that every read before `until` gives what the last observation read, and that no event was
    /// stored, no claim handed in and no record bound since.
    ///
    /// Answers when the next observation is due.
    ///
    /// # Errors
    /// [`RuntimeError`].
    pub fn pass_idle(&mut self, operation_id: &str, until: Time) -> Result<Option<Time>, RuntimeError> {
        let row = self.store.operation(operation_id)?;
        let (Some(mut at), Some(standing)) = (row.next_observation_at, row.standing.as_ref()) else {
            return Ok(row.next_observation_at);
        };
        let loaded = self.contract_of(&row)?;
        let timing = &loaded.contract().timing;
        let deadline = row.operation.deadline(timing.timeout_ms);
        let settled = row.settles_at.is_none_or(|settles_at| settles_at < at);
        if !settled || standing.observation == 0 {
            return Ok(Some(at));
        }
        let mut attempts = row.operation.attempts;
        let mut last = None;
        while at < until && at < deadline {
            attempts = attempts.saturating_add(1);
            last = Some(at);
            at = schedule::next_observation(&Moment {
                timing,
                begun_at: row.operation.begun_at,
                attempts,
                now: at,
                deadline,
                window_ends: [None; 4],
            });
        }
        let Some(last) = last else { return Ok(Some(at)) };
        let mut passed = (*row).clone();
        passed.observation = passed.observation.saturating_add(attempts - row.operation.attempts);
        passed.operation.attempts = attempts;
        passed.next_observation_at = Some(at);
        let reason_code = standing.reason_code.clone();
        let event = if passed.state.is_terminal() {
            LogEvent::ReExamined { reason_code }
        } else {
            LogEvent::Observed { observation: passed.observation, state: passed.state, reason_code }
        };
        let entry = LogEntry { at: last, event };
        self.store.commit(Change { row: passed, entry, receipt: None, release: None })?;
        Ok(Some(at))
    }
}
