//! Who answers: what a verdict is made of an observation. It sees what the runtime saw, never the ground truth.

use core::fmt;

use provely_evaluator::verdict::Verdict;
use provely_runtime::Verification;

/// Answers a verdict from what an observation gave.
pub trait Verifier: fmt::Debug + Sync {
    /// The verdict.
    fn verdict(&self, answer: &Verification) -> Verdict;
}

/// The contract's own verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Contract;

impl Verifier for Contract {
    fn verdict(&self, answer: &Verification) -> Verdict {
        answer.verdict
    }
}
