//! The levels that are put to the test: a contract's id and what it promises, in states of the lifecycle.
//! Whoever wrote the contracts says so; nothing here reads one.

use provely_evaluator::contract::StateClass;
use provely_model::{Lifecycle, Resource};
use serde::{Deserialize, Serialize};

/// One completion level of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Id of the contract that proves it.
    pub contract_id: String,
    /// Its name, `created`.
    pub name: String,
    /// What it promises.
    pub promise: Promise,
    /// The parameter that names the record, where the action changes one that is there already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub existing: Option<String>,
}

/// What a level promises.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Promise {
    /// The record is there and has not ended without effect.
    Exists,
    /// The record is there, whatever its state means.
    Present,
    /// The record is in one of these states.
    Reaches(Vec<String>),
    /// The record shows every field that was asked for.
    Changed,
    /// The record is otherwise than before.
    Altered,
    /// The record is gone.
    Gone,
}

/// The kind of a promise, by the class of its states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromiseKind {
    /// The record exists.
    Exists,
    /// It reaches a success, or a milestone on the way to one.
    Success,
    /// It reaches a failure, for example a bounce.
    Failure,
    /// It shows what was asked for.
    Changed,
    /// It is gone.
    Gone,
}

/// The lifecycle of a resource as far as somebody stated it: what only a name suggests is unknown here.
pub(crate) fn stated(resource: &Resource) -> Option<Lifecycle> {
    let mut lifecycle = resource.lifecycle.clone()?;
    for state in lifecycle.states.iter_mut().filter(|state| !state.certainty.is_certain()) {
        (state.class, state.reversible) = (StateClass::Unknown, false);
    }
    Some(lifecycle)
}

impl Promise {
    /// Its kind.
    #[must_use]
    pub fn kind(&self, lifecycle: Option<&Lifecycle>) -> PromiseKind {
        let class = |state: &String| lifecycle.and_then(|own| own.state(state)).map(|state| state.class);
        match self {
            Self::Exists | Self::Present => PromiseKind::Exists,
            Self::Reaches(states)
                if states.iter().any(|s| class(s).is_some_and(StateClass::is_effectless)) =>
            {
                PromiseKind::Failure
            }
            Self::Reaches(_) => PromiseKind::Success,
            Self::Changed | Self::Altered => PromiseKind::Changed,
            Self::Gone => PromiseKind::Gone,
        }
    }

    /// True if a record in this state keeps the promise.
    #[must_use]
    pub fn is_kept(&self, lifecycle: Option<&Lifecycle>, state: Option<&str>) -> bool {
        match self {
            Self::Present => true,
            Self::Changed | Self::Altered | Self::Gone => false,
            Self::Reaches(states) => state.is_some_and(|state| states.iter().any(|own| own == state)),
            Self::Exists => match lifecycle {
                None => true,
                Some(lifecycle) => state.and_then(|state| lifecycle.state(state)).is_some_and(|state| {
                    matches!(state.class, StateClass::Transitional | StateClass::TerminalSuccess)
                }),
            },
        }
    }
}
