//! What a reviewer's answers say about effects and state fields. Takes them as they are; must not answer itself.

use provely_model::{Effect, Operation};

use crate::source::Answer;
use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// Gives the operations the effects that answers name. Gives back the ids of the questions that are closed so.
pub(super) fn effects(review: &[Answer], asked: &[Uncertainty], operations: &mut [Operation]) -> Vec<String> {
    let mut closed = Vec::new();
    for question in asked {
        let answer = review.iter().find(|answer| answer.uncertainty == question.id);
        let named = answer.and_then(|answer| Some((answer, Effect::from_name(&answer.answer)?)));
        let operation = operations.iter_mut().find(|operation| operation.id == question.subject);
        if let (Some((answer, effect)), Some(operation)) = (named, operation) {
            operation.effect = effect;
            operation.assertions.push(answer.assertion.clone());
            closed.push(question.id.clone());
        }
    }
    closed
}

/// The id of the question whether a field carries the state, where the answer is that it does not.
pub(super) fn no_state(review: &[Answer], asked: &[Uncertainty]) -> Option<String> {
    let fields = asked.iter().filter(|question| question.kind == UncertaintyKind::StateField);
    let mut refused = fields.filter(|question| {
        review.iter().any(|answer| answer.uncertainty == question.id && answer.answer == "no")
    });
    refused.next().map(|question| question.id.clone())
}
