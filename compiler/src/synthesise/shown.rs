//! Contracts of a record that was made and that nothing tells from an older one: it is there under the id that was
//! handed in, with everything that was asked for. They promise that and no more, and never where money moves or a
//! message goes out.

use provely_evaluator::contract::{Condition, Contract, Operator, Target};
use provely_evaluator::json::Value;
use provely_model::{Effect, Operation, Plan, Resource};

use super::Subject;
use super::conditions::input;
use super::draft::Draft;
use super::levels::Level;
use super::parts::{scalar, under};
use crate::plan::{channel_name, cited, field_assertion, part};

/// True if something tells a new record from one that was there before: its time, a list, our key or tag.
pub(super) fn tells_new(resource: &Resource, plan: &Plan) -> bool {
    let list = channel_name(resource, part::LIST);
    let listed = plan.channels.iter().any(|channel| channel.name == list && channel.record_id.is_some());
    let stamped = plan.tag.is_some() || plan.idempotency.as_ref().is_some_and(|planned| planned.echoed);
    resource.created.is_some() || listed || stamped
}

/// True for effects that done twice, or not done at all, do no harm that only the act itself would show.
pub(super) fn may_be_shown(operation: &Operation) -> bool {
    !operation.effect.moves_money()
        && !matches!(operation.effect, Effect::MessageSend | Effect::DocumentSend | Effect::OrderPlace)
}

/// The contract; `None` if no input that has to be given stands in the record.
pub(super) fn shown(subject: Subject<'_>, level: &Level) -> Option<Contract> {
    let mut draft = Draft::new(subject, level);
    draft.take_channel(part::READBACK, part::READBACK);
    draft.take_channel(part::ACTION_RESPONSE, part::ACTION_RESPONSE);
    let readback = draft.readback()?;
    let observed = format!("$observed.{readback}");
    let id = subject.resource.id.as_deref()?;
    let ours = Value::from(format!("$correlation.{}", draft.id_key()));
    let present = Condition {
        read_as: draft.id_reading(),
        ..scalar(&readback, under(&observed, id), Operator::Eq, ours)
    };
    let mut assertions = vec![field_assertion(subject.resource, id)?];
    assertions.extend(cited(subject.plan, part::READBACK).first().cloned());
    draft.positive("record.present", present, assertions);
    let echoes: Vec<_> = draft.inputs().filter(|echo| echo.path != id).collect();
    echoes.iter().find(|echo| draft.is_required(echo))?;
    for echo in echoes {
        let equal = Condition {
            read_as: echo.read_as,
            when: draft.gate(echo),
            ..scalar(&readback, under(&observed, &echo.path), Operator::Eq, input(&echo.input))
        };
        draft.positive(&format!("input.{}", echo.input), equal, vec![echo.assertion.clone()]);
    }
    draft.input_negatives();
    draft.finish(Target::Create, None)
}
