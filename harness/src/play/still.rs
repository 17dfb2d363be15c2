//! Looks that are due. Where the world stands still, those that would see the same again are passed over; the
//! verdicts are the same, as a test shows by playing cases both ways.

use std::sync::Arc;

use provely_evaluator::state::State;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;
use provely_runtime::Verification;

use super::{Play, Stuck};

/// What an operation's last look saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LastLook {
    /// How much had happened until then.
    happened: u64,
    /// Reads are answered the same until then; `None`: for ever.
    until: Option<Time>,
    answer: (Verdict, State, Option<String>),
}

impl Play<'_> {
    /// Makes the observation of an operation that is due, or passes over those that would see the same until `horizon`:
    /// nothing is heard then.
    pub(crate) fn observe(
        &mut self,
        name: &str,
        operation_id: &str,
        horizon: Option<Time>,
    ) -> Result<Option<Arc<Verification>>, Stuck> {
        if self.looks == Looks::UntilSomethingHappens
            && let Some(until) = self.stands_still(name)
        {
            let until = until.into_iter().chain(horizon).min().unwrap_or(Time::MAX);
            let next = self.runtime.pass_idle(operation_id, until).map_err(failed)?;
            if next.is_none_or(|next| next > self.now) {
                return Ok(None);
            }
        }
        let answer = self.runtime.observe(operation_id).map_err(failed)?;
        self.looked(name, &answer);
        Ok(Some(answer))
    }

    /// The caller's own look.
    pub(crate) fn verify(&mut self, name: &str) -> Result<Option<Arc<Verification>>, Stuck> {
        let Some(player) = self.players.get(name) else { return Ok(None) };
        let operation_id = player.operation_id.clone();
        let answer = self.runtime.verify(&operation_id).map_err(failed)?;
        self.looked(name, &answer);
        Ok(Some(answer))
    }

    /// Until when reads give what an operation's last look saw, if they do now.
    fn stands_still(&self, name: &str) -> Option<Option<Time>> {
        let last = self.players.get(name)?.last_look.as_ref()?;
        let still = last.happened == self.happened && last.until.is_none_or(|until| until > self.now);
        still.then_some(last.until)
    }

    fn looked(&mut self, name: &str, answer: &Verification) {
        let until = self.runtime.transport_mut().provider.next_difference();
        let answer = (answer.verdict, answer.state, answer.record_id.clone());
        let Some(player) = self.players.get_mut(name) else { return };
        // What one operation has found out may tell another one whose a record is.
        if player.last_look.as_ref().is_none_or(|last| last.answer != answer) {
            self.happened += 1;
        }
        player.last_look = Some(LastLook { happened: self.happened, until, answer });
    }
}

/// Which of the looks that are due are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Looks {
    /// Those at which something can be seen that the last one did not see.
    #[default]
    UntilSomethingHappens,
    /// All.
    All,
}

fn failed(error: provely_runtime::RuntimeError) -> Stuck {
    Stuck(format!("the runtime failed: {error}"))
}
