//! Lifecycles: the states of a resource, their classes, and how sure we are of them.

use provely_evaluator::contract::StateClass;
use serde::{Deserialize, Serialize};

/// The states of one resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifecycle {
    /// The field that carries the state, as a reference into the source: `#/pointer`, or `FILE#/pointer` for
    /// another file of a description in several.
    pub field: String,
    /// Where a record carries its state, rooted at `@`; within a part, where there are parts.
    pub path: String,
    /// The parts whose states these are, where the record has none of its own and its outcome stands in a list inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Parts>,
    /// The states, in the order of the source.
    pub states: Vec<LifecycleState>,
}

/// The list inside a record whose items carry the state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts {
    /// Where a record carries the list, rooted at `@`.
    pub over: String,
    /// The resource that the items are.
    pub resource: String,
    /// Only items that carry this value count: where an item carries it, rooted at `@`, and the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<(String, String)>,
    /// Where an item carries its amount, rooted at `@`; absent: in its field `amount`, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<String>,
    /// The boolean by which an item says that it is of the live mode: where, rooted at `@`, and the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<(String, bool)>,
    /// The boolean by which an item says that its effect is made by hand, outside the provider: where, rooted at
    /// `@`. Such an item proves nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<String>,
    /// The assertions that the list, what counts of it and its amount rest on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assertions: Vec<String>,
}

/// One state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LifecycleState {
    /// The word that the provider writes.
    pub name: String,
    /// What it means.
    pub class: StateClass,
    /// How sure the class is.
    pub certainty: Certainty,
    /// A success that may still turn.
    #[serde(default)]
    pub reversible: bool,
    /// States it can be entered from, where a source says so.
    #[serde(default)]
    pub from: Option<Vec<String>>,
    /// The assertions that the class rests on.
    pub assertions: Vec<String>,
}

/// How sure a class is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// Nothing speaks for any class.
    None,
    /// Only the name suggests it.
    Lexical,
    /// A person answered, citing an assertion.
    Reviewed,
    /// A passage about this state says it.
    Documented,
}

impl Certainty {
    /// True for a class that a contract may rest on.
    #[must_use]
    pub const fn is_certain(self) -> bool {
        match self {
            Self::Documented | Self::Reviewed => true,
            Self::Lexical | Self::None => false,
        }
    }
}

impl Lifecycle {
    /// The state of that name.
    #[must_use]
    pub fn state(&self, name: &str) -> Option<&LifecycleState> {
        self.states.iter().find(|state| state.name == name)
    }

    /// States of a class.
    pub fn of_class(&self, class: StateClass) -> impl Iterator<Item = &LifecycleState> {
        self.states.iter().filter(move |state| state.class == class)
    }

    /// True if a record may move from one state to another. Where no source says, any transitional
    /// state may reach any state, a reversible success a failure, and nothing leaves another ended state.
    #[must_use]
    pub fn allows(&self, from: &str, to: &str) -> bool {
        let (Some(start), Some(end)) = (self.state(from), self.state(to)) else { return false };
        if let Some(sources) = &end.from {
            return sources.iter().any(|source| source == from);
        }
        match start.class {
            StateClass::Transitional | StateClass::Unknown => true,
            StateClass::TerminalSuccess => start.reversible && end.class.is_effectless(),
            StateClass::TerminalFailure | StateClass::TerminalNeutral => false,
        }
    }
}
