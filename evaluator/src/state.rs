//! The operation state machine: one table. No plugin and no contract changes it.

use core::fmt;
use serde::{Deserialize, Serialize};

use crate::evaluate::Evaluation;
use crate::operation::ReportedOutcome;
use crate::verdict::Verdict;

/// Where an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum State {
    /// `begin` answered.
    Created,
    /// The reply was lost, or a first sign came without one.
    ActionStarted,
    /// The provider acknowledged.
    ActionAccepted,
    /// Observed once, or reported as rejected.
    Observing,
    /// Observed again, the evidence not sufficient.
    Pending,
    /// Ended: the promise held.
    Verified,
    /// Ended: another outcome than the intent allows.
    Contradicted,
    /// Ended: the provider reports a terminal failure.
    Failed,
    /// Ended: the evidence never became sufficient.
    Unverifiable,
    /// Ended: no sign of the action by the deadline.
    Expired,
    /// Ended: a person must decide.
    HumanReview,
}

/// A terminal state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Ending {
    /// See [`State::Verified`].
    Verified,
    /// See [`State::Contradicted`].
    Contradicted,
    /// See [`State::Failed`].
    Failed,
    /// See [`State::Unverifiable`].
    Unverifiable,
    /// See [`State::Expired`].
    Expired,
    /// See [`State::HumanReview`].
    HumanReview,
}

/// What can happen to an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// The agent handed in a result.
    Result(ReportedOutcome),
    /// An evaluation answered; `None` if it was not terminal.
    Observed(Option<Ending>),
    /// An event of the operation's scope was stored.
    EventStored,
    /// The deadline passed and the last observation decided nothing else.
    Deadline(DeadlineEnding),
    /// An ended operation is examined again; its first terminal state stays.
    Again,
}

/// How an operation may end by its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeadlineEnding {
    /// See [`State::Unverifiable`].
    Unverifiable,
    /// See [`State::Expired`].
    Expired,
    /// See [`State::HumanReview`].
    HumanReview,
}

/// A move that the state does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IllegalMove {
    /// The operation has ended; its first terminal state is frozen.
    Ended(State),
    /// Only an ended operation can be examined again.
    NotEnded(State),
}

impl IllegalMove {
    /// Stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Ended(_) => "operation_ended",
            Self::NotEnded(_) => "operation_not_ended",
        }
    }
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(state) => write!(f, "the operation ended as {}; its state is frozen", state.name()),
            Self::NotEnded(state) => {
                write!(f, "the operation is {} and has not ended; verify it instead", state.name())
            }
        }
    }
}

impl core::error::Error for IllegalMove {}

impl Ending {
    /// The state it leads to.
    #[must_use]
    pub const fn state(self) -> State {
        match self {
            Self::Verified => State::Verified,
            Self::Contradicted => State::Contradicted,
            Self::Failed => State::Failed,
            Self::Unverifiable => State::Unverifiable,
            Self::Expired => State::Expired,
            Self::HumanReview => State::HumanReview,
        }
    }
}

impl DeadlineEnding {
    const fn state(self) -> State {
        match self {
            Self::Unverifiable => State::Unverifiable,
            Self::Expired => State::Expired,
            Self::HumanReview => State::HumanReview,
        }
    }
}

impl Evaluation<'_> {
    /// The terminal state that this evaluation leads to; `None` if the operation goes on.
    #[must_use]
    pub const fn ending(&self) -> Option<Ending> {
        if !self.terminal {
            return None;
        }
        Some(match (self.escalated, self.expired, self.verdict) {
            (true, _, _) => Ending::HumanReview,
            (false, true, _) => Ending::Expired,
            (false, false, Verdict::Verified) => Ending::Verified,
            (false, false, Verdict::Contradicted) => Ending::Contradicted,
            (false, false, Verdict::Failed) => Ending::Failed,
            // A terminal PENDING is always escalated: a load rule.
            (false, false, Verdict::Unverifiable | Verdict::Pending) => Ending::Unverifiable,
        })
    }
}

impl State {
    /// Every state.
    pub const ALL: [Self; 11] = [
        Self::Created,
        Self::ActionStarted,
        Self::ActionAccepted,
        Self::Observing,
        Self::Pending,
        Self::Verified,
        Self::Contradicted,
        Self::Failed,
        Self::Unverifiable,
        Self::Expired,
        Self::HumanReview,
    ];

    /// True for the states that nothing leaves.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Created | Self::ActionStarted | Self::ActionAccepted | Self::Observing | Self::Pending => {
                false
            }
            Self::Verified
            | Self::Contradicted
            | Self::Failed
            | Self::Unverifiable
            | Self::Expired
            | Self::HumanReview => true,
        }
    }

    /// The name as printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "CREATED",
            Self::ActionStarted => "ACTION_STARTED",
            Self::ActionAccepted => "ACTION_ACCEPTED",
            Self::Observing => "OBSERVING",
            Self::Pending => "PENDING",
            Self::Verified => "VERIFIED",
            Self::Contradicted => "CONTRADICTED",
            Self::Failed => "FAILED",
            Self::Unverifiable => "UNVERIFIABLE",
            Self::Expired => "EXPIRED",
            Self::HumanReview => "HUMAN_REVIEW",
        }
    }

    /// The state after a move.
    ///
    /// # Errors
    /// [`IllegalMove`] where the state does not allow the move; the state is then unchanged.
    pub const fn after(self, step: Move) -> Result<Self, IllegalMove> {
        if self.is_terminal() {
            return match step {
                Move::EventStored | Move::Again => Ok(self),
                Move::Result(_) | Move::Observed(_) | Move::Deadline(_) => Err(IllegalMove::Ended(self)),
            };
        }
        match step {
            Move::Result(outcome) => Ok(self.after_result(outcome)),
            Move::Observed(None) => Ok(self.after_observation()),
            Move::Observed(Some(ending)) => Ok(ending.state()),
            Move::EventStored => Ok(self.after_sign()),
            Move::Deadline(ending) => Ok(ending.state()),
            Move::Again => Err(IllegalMove::NotEnded(self)),
        }
    }

    const fn after_result(self, outcome: ReportedOutcome) -> Self {
        match (self, outcome) {
            (Self::Created | Self::ActionStarted, ReportedOutcome::Accepted) => Self::ActionAccepted,
            (Self::Created | Self::ActionStarted | Self::ActionAccepted, ReportedOutcome::Rejected) => {
                Self::Observing
            }
            (_, ReportedOutcome::Lost) => self.after_sign(),
            (_, ReportedOutcome::Accepted | ReportedOutcome::Rejected) => self,
        }
    }

    /// A sign of the action without a reply.
    const fn after_sign(self) -> Self {
        if matches!(self, Self::Created) { Self::ActionStarted } else { self }
    }

    const fn after_observation(self) -> Self {
        if matches!(self, Self::Observing | Self::Pending) { Self::Pending } else { Self::Observing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::{BTreeMap, BTreeSet};
    use alloc::vec::Vec;
    use std::println;

    const MOVES: [Move; 15] = [
        Move::Result(ReportedOutcome::Accepted),
        Move::Result(ReportedOutcome::Rejected),
        Move::Result(ReportedOutcome::Lost),
        Move::Observed(None),
        Move::Observed(Some(Ending::Verified)),
        Move::Observed(Some(Ending::Contradicted)),
        Move::Observed(Some(Ending::Failed)),
        Move::Observed(Some(Ending::Unverifiable)),
        Move::Observed(Some(Ending::Expired)),
        Move::Observed(Some(Ending::HumanReview)),
        Move::EventStored,
        Move::Deadline(DeadlineEnding::Unverifiable),
        Move::Deadline(DeadlineEnding::Expired),
        Move::Deadline(DeadlineEnding::HumanReview),
        Move::Again,
    ];

    fn reachable(from: State) -> BTreeSet<State> {
        let mut seen = BTreeSet::from([from]);
        let mut open = Vec::from([from]);
        while let Some(state) = open.pop() {
            for next in MOVES.iter().filter_map(|step| state.after(*step).ok()) {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    }

    #[test]
    fn every_pair_is_explored() {
        let mut transitions = BTreeMap::new();
        let mut illegal = 0;
        for state in State::ALL {
            for step in MOVES {
                match state.after(step) {
                    Ok(next) => *transitions.entry((state, next)).or_insert(0) += 1,
                    Err(_) => illegal += 1,
                }
            }
        }
        let legal: usize = transitions.values().sum();
        println!(
            "{} states, {} moves, {legal} legal moves over {} transitions, {illegal} illegal moves",
            State::ALL.len(),
            MOVES.len(),
            transitions.len()
        );
        assert_eq!(legal + illegal, State::ALL.len() * MOVES.len());
        assert_eq!((legal, transitions.len(), illegal), (82, 47, 83));
    }

    #[test]
    fn every_state_is_reached_and_every_end_from_every_open_state() {
        assert_eq!(reachable(State::Created).len(), State::ALL.len());
        for state in State::ALL.into_iter().filter(|state| !state.is_terminal()) {
            let ends = reachable(state).into_iter().filter(|state| state.is_terminal()).count();
            assert_eq!(ends, 6, "{state:?} is a dead end");
        }
    }

    #[test]
    fn nothing_leaves_a_terminal_state() {
        for state in State::ALL.into_iter().filter(|state| state.is_terminal()) {
            assert_eq!(reachable(state), BTreeSet::from([state]));
            assert_eq!(state.after(Move::Result(ReportedOutcome::Accepted)), Err(IllegalMove::Ended(state)));
        }
    }

    #[test]
    fn the_table_says_what_each_move_does() {
        use ReportedOutcome::{Accepted, Lost, Rejected};
        let cases = [
            (State::Created, Move::Result(Lost), State::ActionStarted),
            (State::Created, Move::EventStored, State::ActionStarted),
            (State::Created, Move::Result(Accepted), State::ActionAccepted),
            (State::ActionStarted, Move::Result(Accepted), State::ActionAccepted),
            (State::ActionAccepted, Move::Result(Lost), State::ActionAccepted),
            (State::ActionAccepted, Move::Result(Rejected), State::Observing),
            (State::Created, Move::Observed(None), State::Observing),
            (State::Observing, Move::Observed(None), State::Pending),
            (State::Pending, Move::Result(Rejected), State::Pending),
            (State::Verified, Move::Again, State::Verified),
            (State::Failed, Move::EventStored, State::Failed),
        ];
        for (state, step, expected) in cases {
            assert_eq!(state.after(step), Ok(expected), "{state:?} {step:?}");
        }
        assert_eq!(State::Pending.after(Move::Again), Err(IllegalMove::NotEnded(State::Pending)));
    }
}
