//! Contracts of operations on a record that is already there: changed, ended, gone. What the baseline
//! already showed proves nothing, and without a baseline nothing is proven.

use provely_evaluator::contract::{
    Condition, Contract, ItemTest, NegativeClass, Operator, Target as ContractTarget,
};
use provely_evaluator::json::Value;
use provely_model::{EchoKind, Field, FieldKind};

use super::Subject;
use super::conditions::input;
use super::draft::Draft;
use super::levels::{Level, Promise};
use super::parts::{item, scalar, states, under};
use crate::plan::{cited, field_assertion, part};

/// The contract of a level for the record whose id the path parameter carries.
pub(super) fn changed(subject: Subject<'_>, level: &Level, parameter: &str) -> Option<Contract> {
    let mut draft = Draft::new(subject, level);
    draft.take_channel(part::READBACK, part::READBACK);
    draft.take_channel(part::ACTION_RESPONSE, part::ACTION_RESPONSE);
    let readback = draft.readback()?;
    draft
        .channels
        .iter_mut()
        .filter(|channel| channel.name == readback)
        .for_each(|channel| channel.baseline = true);
    if level.promise == Promise::Added {
        draft.added(&readback)?;
        return draft.finish(ContractTarget::Existing, Some(parameter));
    }
    draft.was_there(&readback)?;
    match level.promise {
        Promise::Gone => draft.gone(&readback)?,
        Promise::Altered => draft.altered(&readback)?,
        Promise::Changed => draft.shows_input(&readback)?,
        Promise::Reached | Promise::Failed | Promise::Exists | Promise::Shown | Promise::Added => {
            draft.state_conditions()?;
            draft.input_negatives();
            draft.state_was_there(&readback)?;
            draft.verdict_rules();
        }
    }
    draft.finish(ContractTarget::Existing, Some(parameter))
}

/// A test that is unknown where no baseline could be read.
fn unread(readback: &str) -> Option<Box<ItemTest>> {
    Some(Box::new(item(format!("$baseline.{readback}"), Operator::Exists, None, None)))
}

impl Draft<'_> {
    /// The baseline showed the record that the input names.
    fn was_there(&mut self, readback: &str) -> Option<()> {
        let resource = self.subject.resource;
        let Some(id) = resource.id.as_deref().filter(|_| self.is_read_by_id()) else {
            return self.was_read(readback);
        };
        let ours = Value::from(format!("$correlation.{}", self.id_key()));
        let condition = Condition {
            fallback: unread(readback),
            read_as: self.id_reading(),
            ..scalar(readback, under(&format!("$baseline.{readback}"), id), Operator::Eq, ours)
        };
        let mut assertions = vec![field_assertion(resource, id)?];
        assertions.extend(cited(self.subject.plan, part::READBACK).first().cloned());
        self.positive("record.was_there", condition, assertions);
        Some(())
    }

    /// The baseline showed the one record that the request names by its path.
    fn was_read(&mut self, readback: &str) -> Option<()> {
        let condition = Condition {
            expected: None,
            fallback: unread(readback),
            ..scalar(readback, format!("$baseline.{readback}"), Operator::Exists, Value::Null)
        };
        self.positive("record.was_there", condition, cited(self.subject.plan, part::READBACK).to_vec());
        Some(())
    }

    /// The list shows the record, and did not before. When the record itself was made says nothing of when it came to
    /// stand there.
    fn added(&mut self, readback: &str) -> Option<()> {
        let id = self.subject.resource.id.clone()?;
        self.take_channel(part::LIST, part::LIST);
        let list = self.channel(part::LIST)?.name.clone();
        for channel in &mut self.channels {
            (channel.record_created, channel.instant) = (None, None);
            if let Some(page) = &mut channel.page {
                page.created = None;
            }
            channel.baseline = channel.name == list;
        }
        let ours = Value::from(format!("$correlation.{}", self.id_key()));
        let present = Condition {
            read_as: self.id_reading(),
            ..scalar(readback, under(&format!("$observed.{readback}"), &id), Operator::Eq, ours)
        };
        self.positive("record.present", present, cited(self.subject.plan, part::READBACK).to_vec());
        self.not_there_before(&list, id, None);
        Some(())
    }

    /// True if the record is asked for by its own id, so that it has to carry it too.
    pub(super) fn is_read_by_id(&self) -> bool {
        let own = format!("$correlation.{}", self.id_key());
        let Some(channel) = self.channel(part::READBACK) else { return false };
        channel.find
            || channel.request.as_ref().is_some_and(|request| {
                request.parameters.values().chain(request.variables.values()).any(|value| *value == own)
            })
    }

    /// The record reads otherwise than before: by the time of its latest change where it shows one.
    fn altered(&mut self, readback: &str) -> Option<()> {
        let timed = self.channel(part::READBACK).and_then(|channel| channel.state_time.clone());
        let path = timed.as_deref().unwrap_or("@");
        let was = Value::from(under(&format!("$baseline.{readback}"), path));
        let differs = Condition {
            fallback: unread(readback),
            ..scalar(readback, under(&format!("$observed.{readback}"), path), Operator::Ne, was)
        };
        let assertions = match timed.as_deref().and_then(|path| field_assertion(self.subject.resource, path))
        {
            Some(stated) => vec![stated],
            None => cited(self.subject.plan, part::READBACK).to_vec(),
        };
        self.positive("record.altered", differs, assertions);
        Some(())
    }

    /// The record is no longer shown, or shown with a flag that says it was deleted.
    fn gone(&mut self, readback: &str) -> Option<()> {
        let names = &self.subject.rules.plan.gone;
        let flagged = |field: &&Field| field.kind == FieldKind::Boolean && names.contains(&field.name);
        if let Some(flag) = self.subject.resource.fields.iter().find(flagged) {
            let path = format!("@.{}", flag.name);
            let stated = field_assertion(self.subject.resource, &path)?;
            let observed = under(&format!("$observed.{readback}"), &path);
            let condition = scalar(readback, observed, Operator::Eq, Value::from(true));
            self.positive("record.absent", condition, vec![stated.clone()]);
            let before = Condition {
                class: Some(NegativeClass::PreExistingState),
                fallback: unread(readback),
                ..scalar(
                    readback,
                    under(&format!("$baseline.{readback}"), &path),
                    Operator::Eq,
                    Value::from(true),
                )
            };
            self.negative("pre_existing_state.deleted", "pre_existing_state", before, vec![stated]);
            return Some(());
        }
        let id = self.subject.resource.id.as_deref().filter(|_| self.is_read_by_id()).unwrap_or("@");
        let condition = Condition {
            expected: None,
            ..scalar(readback, under(&format!("$observed.{readback}"), id), Operator::Absent, Value::Null)
        };
        self.positive("record.absent", condition, self.subject.operation.assertions.clone());
        Some(())
    }

    /// The record shows each field that the input names, and the baseline did not show all of them.
    fn shows_input(&mut self, readback: &str) -> Option<()> {
        let echoes: Vec<_> = self.inputs().collect();
        let mut before = Vec::new();
        let mut assertions = Vec::new();
        for echo in &echoes {
            let shown = |root: &str, operator| Condition {
                read_as: echo.read_as,
                ..scalar(readback, under(root, &echo.path), operator, input(&echo.input))
            };
            let now =
                Condition { when: self.gate(echo), ..shown(&format!("$observed.{readback}"), Operator::Eq) };
            self.positive(&format!("input.{}", echo.input), now, vec![echo.assertion.clone()]);
            let then = shown(&format!("$baseline.{readback}"), Operator::Eq);
            before.push(Condition { evidence: Vec::new(), fallback: unread(readback), ..then });
            assertions.push(echo.assertion.clone());
            if echo.kind == EchoKind::Amount {
                self.amount_negative(readback, echo);
            }
        }
        if before.is_empty() {
            return None;
        }
        let condition = Condition {
            all_of: before,
            class: Some(NegativeClass::PreExistingState),
            evidence: vec![readback.to_owned()],
            ..Condition::default()
        };
        self.negative("pre_existing_state.input", "pre_existing_state", condition, assertions);
        Some(())
    }

    fn amount_negative(&mut self, readback: &str, echo: &provely_model::Echo) {
        let differs = Condition {
            read_as: echo.read_as,
            class: Some(NegativeClass::WrongAmount),
            when: self.gate(echo),
            ..scalar(
                readback,
                under(&format!("$observed.{readback}"), &echo.path),
                Operator::Ne,
                input(&echo.input),
            )
        };
        self.negative(
            &format!("wrong_amount.{}", echo.input),
            "wrong_amount",
            differs,
            vec![echo.assertion.clone()],
        );
    }

    /// The baseline already showed a state of the level.
    fn state_was_there(&mut self, readback: &str) -> Option<()> {
        let lifecycle = self.subject.resource.lifecycle.as_ref()?;
        let (operator, expected) = states(&self.level.states);
        let path = under(&format!("$baseline.{readback}"), &lifecycle.path);
        let condition = Condition {
            class: Some(NegativeClass::PreExistingState),
            fallback: unread(readback),
            ..scalar(readback, path, operator, expected)
        };
        let assertions = lifecycle
            .states
            .iter()
            .filter(|state| self.level.states.contains(&state.name))
            .flat_map(|state| state.assertions.clone());
        self.negative("pre_existing_state.state", "pre_existing_state", condition, assertions.collect());
        Some(())
    }
}
