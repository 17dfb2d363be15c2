//! What an observation answers, owned: the caller need not hold program and evidence.

use provely_evaluator::contract::{Causality, EvidenceLevel, Truth};
use provely_evaluator::evaluate::{ConditionKind, Evaluation};
use provely_evaluator::state::State;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;

use crate::directive::Advice;

/// The answer of one observation, or the standing answer of an ended operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The operation.
    pub operation_id: String,
    /// Where it stands.
    pub state: State,
    /// The verdict.
    pub verdict: Verdict,
    /// Observation has ended.
    pub terminal: bool,
    /// A person has to look at it.
    pub escalated: bool,
    /// Stable reason code.
    pub reason_code: String,
    /// The reason in words.
    pub reason: String,
    /// Every condition that applies, and what is known of it.
    pub conditions: Vec<ConditionResult>,
    /// Levels of the evidence that the verdict rests on.
    pub evidence_levels_used: Vec<EvidenceLevel>,
    /// What ties the record to the operation.
    pub causality: Option<Causality>,
    /// The operation's record.
    pub record_id: Option<String>,
    /// What to do now.
    pub directive: Advice,
    /// When the next observation is due.
    pub next_observation_at: Option<Time>,
    /// The receipt, once one was made.
    pub receipt_id: Option<String>,
    /// When this was seen, on our clock.
    pub observed_at: Time,
    /// Number of the observation.
    pub observation: u32,
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionResult {
    /// Its id.
    pub id: String,
    /// Positive, negative, built-in or rule.
    pub kind: ConditionKind,
    /// What is known of it.
    pub truth: Truth,
}

/// The conditions of an evaluation, owned.
#[must_use]
pub fn conditions(evaluation: &Evaluation<'_>) -> Vec<ConditionResult> {
    let owned = evaluation.conditions.iter();
    owned.map(|one| ConditionResult { id: one.id.to_owned(), kind: one.kind, truth: one.truth }).collect()
}
