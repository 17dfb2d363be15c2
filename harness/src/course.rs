//! The course of a play: lets virtual time pass, takes the steps, asks for verdicts when they are due, and hands every
//! answer to whoever listens. It must not judge.

use std::sync::Arc;

use provely_evaluator::time::Time;
use provely_runtime::Verification;

use crate::book::{Look, Sources, Span, Step};
use crate::play::{Play, START, Stuck};

/// More moments than any case has; a runtime that never comes to rest ends here.
const MOST_MOMENTS: u32 = 20_000;

/// Hears what is answered in a play.
pub(crate) trait Listener {
    /// The answer of an observation, about the operation of that name; of an ended one, perhaps the standing answer.
    fn heard(&mut self, play: &mut Play<'_>, name: &str, answer: &Arc<Verification>) -> Result<(), Stuck>;

    /// The steps of a moment were taken, and nothing is observed yet.
    fn stepped(&mut self, _play: &mut Play<'_>) {}

    /// The answer to a look that the case asks for, after it was heard.
    fn looked(&mut self, play: &mut Play<'_>, name: &str, answer: &Arc<Verification>, sources: Sources);
}

/// Plays to the end; answers by how much later than written everything came.
pub(crate) fn take(
    play: &mut Play<'_>,
    (steps, looks): (&[Step], &[Look]),
    listener: &mut impl Listener,
) -> Result<i64, Stuck> {
    Course { play, shift_ms: 0, listener }.go(steps, looks)
}

struct Course<'p, 'c, L> {
    play: &'p mut Play<'c>,
    /// Everything happens so much later, because `begin` asked the agent to wait.
    shift_ms: i64,
    listener: &'p mut L,
}

impl<L: Listener> Course<'_, '_, L> {
    fn go(&mut self, steps: &[Step], looks: &[Look]) -> Result<i64, Stuck> {
        let mut steps = steps.iter().peekable();
        let mut looks = looks.iter().peekable();
        for _ in 0..MOST_MOMENTS {
            let step_at = steps.peek().map(|step| self.at(step.at));
            let look_at = looks.peek().map(|look| self.at(look.at));
            let own = self.play.next()?;
            let Some(now) = step_at.into_iter().chain(look_at).chain(own).min() else {
                return Ok(self.shift_ms);
            };
            self.play.pass(now)?;
            while let Some(step) = steps.peek().filter(|step| self.at(step.at) <= self.play.now()) {
                if let Some(ready_at) =
                    self.play.ready_at(step).filter(|ready_at| *ready_at > self.play.now())
                {
                    let wait = ready_at.since(self.play.now());
                    self.shift_ms += wait;
                    self.play.delay_faults(wait);
                    break;
                }
                self.play.step(step)?;
                steps.next();
            }
            self.listener.stepped(self.play);
            let step_at = steps.peek().map(|step| self.at(step.at));
            let look_at = looks.peek().map(|look| self.at(look.at));
            self.observe_due(step_at.into_iter().chain(look_at).min())?;
            while let Some(look) = looks.next_if(|look| self.at(look.at) <= self.play.now()) {
                self.look(look.sources)?;
            }
        }
        Err(Stuck(format!("the case did not come to rest in {MOST_MOMENTS} moments")))
    }

    fn at(&self, span: Span) -> Time {
        START.plus(span.millis(0) + self.shift_ms)
    }

    /// Every observation that is due; `horizon` is when somebody does or asks something.
    fn observe_due(&mut self, horizon: Option<Time>) -> Result<(), Stuck> {
        let now = self.play.now();
        for operation_id in self.play.runtime.due(now).map_err(stuck)? {
            let name = self.play.players.iter().find(|(_, player)| player.operation_id == operation_id);
            let Some(name) = name.map(|(name, _)| name.clone()) else { continue };
            if let Some(answer) = self.play.observe(&name, &operation_id, horizon)? {
                self.listener.heard(self.play, &name, &answer)?;
            }
        }
        Ok(())
    }

    /// The caller asks for the verdict of every operation.
    fn look(&mut self, sources: Sources) -> Result<(), Stuck> {
        let names: Vec<String> = self.play.players.keys().cloned().collect();
        for name in names {
            let Some(answer) = self.play.verify(&name)? else { continue };
            self.listener.heard(self.play, &name, &answer)?;
            self.listener.looked(self.play, &name, &answer, sources);
        }
        Ok(())
    }
}

fn stuck(error: provely_runtime::RuntimeError) -> Stuck {
    Stuck(format!("the runtime failed: {error}"))
}
