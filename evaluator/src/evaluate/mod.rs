//! The judge: from a program, an operation and its evidence to a verdict. Total and pure.
//!
//! It reads no clock, does no I/O and cannot fail. The order of the steps is frozen; the rules are
//! stated in full beside the differential test.

mod conditions;
mod context;
mod directive;
mod fold;
mod lists;
mod outcome;
mod steps;

use crate::evidence::Evidence;
use crate::load::Program;
use crate::operation::Operation;
use crate::time::Time;

pub use directive::{Directive, DirectiveAction};
pub use outcome::{ConditionKind, ConditionOutcome, Evaluation, Levels};

use context::Context;

/// Evaluates an operation against its evidence at a moment on our clock.
///
/// The evidence is that of one observation; reads of another observation count as unavailable.
/// `operation.input` is what `begin` accepted: it is not checked again.
#[must_use]
pub fn evaluate<'a>(
    program: &'a Program,
    operation: &'a Operation,
    evidence: &'a Evidence,
    now: Time,
) -> Evaluation<'a> {
    let program = program.at(operation.api_version.as_deref());
    let context = Context::new(program, operation, evidence, now);
    steps::decide(&context)
}
