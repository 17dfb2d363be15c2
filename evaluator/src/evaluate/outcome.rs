//! What an evaluation answers: the verdict and everything that led to it.

use alloc::vec::Vec;

use crate::compare::Operand;
use crate::contract::{Causality, EvidenceLevel, Truth};
use crate::time::Time;
use crate::verdict::Verdict;

use super::directive::Directive;

/// The answer of one evaluation. Borrows from program and evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// The operation ends with it.
    pub terminal: bool,
    /// A person must decide.
    pub escalated: bool,
    /// The deadline passed without any sign of the action.
    pub expired: bool,
    /// Stable reason code.
    pub reason_code: &'a str,
    /// The reason in words.
    pub reason: &'a str,
    /// Every condition that applies, built-in checks first.
    pub conditions: Vec<ConditionOutcome<'a>>,
    /// Levels of the channels that the deciding conditions rest on.
    pub levels: Levels,
    /// What bound the record to the operation.
    pub causality: Option<Causality>,
    /// What the agent may do next.
    pub directive: Directive<'a>,
    /// When to observe again; `None` once the operation has ended.
    pub next_observation_at: Option<Time>,
}

/// The result of one condition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConditionOutcome<'a> {
    /// The condition's id.
    pub id: &'a str,
    /// Which block it stands in.
    pub kind: ConditionKind,
    /// What is known of it.
    pub truth: Truth,
    /// What it saw.
    pub seen: Operand<'a>,
}

/// Which block a condition stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConditionKind {
    /// A check that every contract carries.
    BuiltIn,
    /// A positive postcondition.
    Positive,
    /// A negative postcondition.
    Negative,
    /// A verdict rule.
    Rule,
}

/// A set of evidence levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Levels(u8);

const ALL_LEVELS: [EvidenceLevel; 6] = [
    EvidenceLevel::E0,
    EvidenceLevel::E1,
    EvidenceLevel::E2,
    EvidenceLevel::E3,
    EvidenceLevel::E4,
    EvidenceLevel::E5,
];

impl Levels {
    /// Adds a level.
    pub const fn add(&mut self, level: EvidenceLevel) {
        self.0 |= 1 << level as u8;
    }

    /// The levels, lowest first.
    pub fn iter(self) -> impl Iterator<Item = EvidenceLevel> {
        ALL_LEVELS.into_iter().filter(move |level| self.0 & (1 << *level as u8) != 0)
    }
}
