//! Conditions on the record itself: that it is there, new, in the promised state, and as the input asked.
//! Chooses them by what the record carries; must not rest on the action's own reply.

use provely_evaluator::contract::{As, Causality, Condition, ItemTest, NegativeClass, Operator, StateClass};
use provely_evaluator::json::Value;
use provely_evaluator::verdict::Verdict;
use provely_model::{Echo, EchoKind, Effect, LifecycleState};

use super::draft::Draft;
use super::levels::{Promise, certain};
use super::parts::{count, item, outside, scalar, states, under};
use crate::plan::{cited, field_assertion, part};

impl Draft<'_> {
    /// The record is there under our id, and it is new.
    pub(super) fn record_conditions(&mut self) -> Option<()> {
        let readback = self.readback()?;
        let observed = format!("$observed.{readback}");
        let resource = self.subject.resource;
        let id = resource.id.as_deref()?;
        let id_assertion = field_assertion(resource, id)?;
        let ours = Value::from(format!("$correlation.{}", self.id_key()));
        let present = Condition {
            read_as: self.id_reading(),
            ..scalar(&readback, under(&observed, id), Operator::Eq, ours)
        };
        let mut assertions = vec![id_assertion];
        assertions.extend(cited(self.subject.plan, part::READBACK).first().cloned());
        self.positive("record.present", present, assertions);
        let timed = resource
            .created
            .as_deref()
            .and_then(|created| Some((created, field_assertion(resource, created)?)));
        let Some((created, stated)) = timed else { return self.is_new() };
        let against = |operator| Condition {
            read_as: Some(As::Instant),
            ..scalar(&readback, under(&observed, created), operator, Value::from("$operation.created_at"))
        };
        self.positive("record.created_in_window", against(Operator::TimeAfter), vec![stated.clone()]);
        let before =
            Condition { class: Some(NegativeClass::PreExistingState), ..against(Operator::TimeBefore) };
        self.negative("pre_existing_state.created", "pre_existing_state", before, vec![stated]);
        Some(())
    }

    /// Where a record shows no time of creation: the list shows it and the baseline did not, or our key or
    /// tag stands on its creation. `None` if nothing can tell an old record from a new one.
    fn is_new(&mut self) -> Option<()> {
        let Some((list, id)) =
            self.channel(part::LIST).and_then(|list| Some((list.name.clone(), list.record_id.clone()?)))
        else {
            let stamped = self.subject.plan.tag.is_some()
                || self.subject.plan.idempotency.as_ref().is_some_and(|planned| planned.echoed);
            self.minimum_causality = stamped.then_some(Causality::Tag);
            return self.minimum_causality.map(|_| ());
        };
        let fallback = self.subject.resource.created.clone();
        self.not_there_before(&list, id, fallback.as_deref());
        Some(())
    }

    /// The list holds the record, which the baseline of the list did not.
    pub(super) fn not_there_before(&mut self, list: &str, id: String, created: Option<&str>) {
        let ours = Value::from(format!("$correlation.{}", self.id_key()));
        let matching = vec![item(id, Operator::Eq, Some(ours), self.id_reading())];
        let fresh = count(format!("$observed.{list}"), list, matching, Operator::Gte, 1);
        let fresh = outside(fresh, "@", Some(list), created);
        self.positive("record.new", fresh, cited(self.subject.plan, part::LIST).to_vec());
    }

    /// The record is in a state of the level, and an event says so too where events can.
    pub(super) fn state_conditions(&mut self) -> Option<()> {
        if self.level.states.is_empty() {
            return Some(());
        }
        let readback = self.readback()?;
        let lifecycle = self.subject.resource.lifecycle.as_ref()?;
        if self.has_parts() {
            return self.part_conditions();
        }
        let (operator, expected) = states(&self.level.states);
        let path = under(&format!("$observed.{readback}"), &lifecycle.path);
        let state = scalar(&readback, path, operator, expected);
        let rests_on = self.state_assertions(&self.level.states);
        let key = match self.level.promise {
            Promise::Exists => "state.known".to_owned(),
            Promise::Reached
            | Promise::Failed
            | Promise::Changed
            | Promise::Altered
            | Promise::Shown
            | Promise::Added
            | Promise::Gone => {
                format!("state.{}", self.level.name)
            }
        };
        self.positive(&key, state, rests_on);
        if self.level.promise != Promise::Exists {
            self.amount_positive(&readback);
            self.event_condition();
        }
        Some(())
    }

    pub(super) fn state_assertions(&self, names: &[String]) -> Vec<String> {
        let lifecycle = self.subject.resource.lifecycle.iter();
        let found = lifecycle
            .flat_map(|lifecycle| lifecycle.states.iter())
            .filter(|state| names.contains(&state.name));
        found.flat_map(|state| state.assertions.iter().cloned()).collect()
    }

    /// The amount, as a positive beside the negative: a record that does not show it proves nothing.
    fn amount_positive(&mut self, readback: &str) {
        for echo in self.inputs().filter(|echo| echo.kind == EchoKind::Amount) {
            let equal = Condition {
                read_as: echo.read_as,
                when: self.gate(echo),
                ..scalar(
                    readback,
                    under(&format!("$observed.{readback}"), &echo.path),
                    Operator::Eq,
                    input(&echo.input),
                )
            };
            self.positive(&format!("input.{}", echo.input), equal, vec![echo.assertion.clone()]);
        }
    }

    /// At least one event of this record carries a state of the level.
    fn event_condition(&mut self) {
        let key = format!("{}_events", self.level.name);
        let Some(channel) = self.channel(&key) else { return };
        let name = channel.name.clone();
        let types = channel.events.as_ref().map(|events| events.types.clone()).unwrap_or_default();
        let Some(lifecycle) = &self.subject.resource.lifecycle else { return };
        let ours = item(
            "@.record_id".to_owned(),
            Operator::Eq,
            Some(Value::from(format!("$correlation.{}", self.id_key()))),
            None,
        );
        let carried = cited(self.subject.plan, part::EVENT_STATE).to_vec();
        let (test, mut assertions) = if carried.is_empty() {
            let named: Vec<String> = types.into_iter().filter(|event| self.names_state(event)).collect();
            if named.is_empty() {
                return;
            }
            let failed = self.level.promise == Promise::Failed;
            let reported = if failed { part::ENDED_EVENTS } else { part::STATE_EVENTS };
            (of_states("@.type".to_owned(), &named), cited(self.subject.plan, reported).to_vec())
        } else {
            (of_states(under("@.record", &lifecycle.path), &self.level.states), carried)
        };
        assertions.extend(self.state_assertions(&self.level.states));
        let seen = count(format!("$observed.{name}.events"), &name, vec![ours, test], Operator::Gte, 1);
        self.positive(&format!("event.{}", self.level.name), seen, assertions);
    }

    fn names_state(&self, event: &str) -> bool {
        let last = event.rsplit(['.', '/']).next().unwrap_or_default();
        self.level.states.iter().any(|state| state == last)
    }

    /// A negative for each input that the record echoes.
    pub(super) fn input_negatives(&mut self) {
        let Some(readback) = self.readback() else { return };
        let observed = format!("$observed.{readback}");
        let of_record: Vec<&Echo> = self.inputs().filter(|echo| !self.is_in_parts(echo)).collect();
        for echo in of_record {
            let (class, key) = match echo.kind {
                EchoKind::Subject | EchoKind::Other => (NegativeClass::WrongSubject, "wrong_subject"),
                EchoKind::Amount => (NegativeClass::WrongAmount, "wrong_amount"),
                EchoKind::Currency => (NegativeClass::WrongCurrency, "wrong_currency"),
            };
            let differs = Condition {
                read_as: echo.read_as,
                class: Some(class),
                when: self.gate(echo),
                ..scalar(&readback, under(&observed, &echo.path), Operator::Ne, input(&echo.input))
            };
            self.negative(&format!("{key}.{}", echo.input), key, differs, vec![echo.assertion.clone()]);
            self.unnamed_people(&readback, echo);
        }
    }

    /// A record that goes to several people has one state for all of them, and so proves nothing of each.
    pub(super) fn several_recipients(&mut self) {
        let Some(readback) = self.readback().filter(|_| self.subject.resource.lifecycle.is_some()) else {
            return;
        };
        let recipients: Vec<&Echo> = self.inputs().filter(|echo| self.is_recipients(echo)).collect();
        for echo in recipients {
            let over = under(&format!("$observed.{readback}"), &echo.path);
            let several = Condition {
                class: Some(NegativeClass::PartialCompletion),
                ..count(over, &readback, Vec::new(), Operator::Gt, 1)
            };
            let key = format!("partial_completion.{}", echo.input);
            self.negative(&key, "partial_completion", several, vec![echo.assertion.clone()]);
        }
    }

    /// True for the list of those a message goes to, copies apart.
    pub(super) fn is_recipients(&self, echo: &Echo) -> bool {
        let message = self.subject.operation.effect == Effect::MessageSend;
        let list = matches!(echo.read_as, Some(As::Set(_)));
        message && list && self.subject.rules.plan.recipients.contains(&echo.input)
    }

    /// A list of people that the input does not name is empty.
    fn unnamed_people(&mut self, readback: &str, echo: &Echo) {
        let people = echo.kind == EchoKind::Subject && matches!(echo.read_as, Some(As::Set(_)));
        let Some(named) = self.gate(echo).filter(|_| people) else { return };
        let path = under(&format!("$observed.{readback}"), &echo.path);
        let empty = Condition {
            unless: Some(named),
            ..scalar(readback, path, Operator::ArrayLength, Value::from(0_u32))
        };
        self.positive(&format!("unnamed.{}", echo.input), empty, vec![echo.assertion.clone()]);
    }

    /// Rules for the states that the lifecycle ends without the promise, and for those that can still move.
    pub(super) fn verdict_rules(&mut self) {
        let (Some(readback), Some(lifecycle)) = (self.readback(), self.subject.resource.lifecycle.as_ref())
        else {
            return;
        };
        if self.level.states.is_empty() {
            return;
        }
        if self.has_parts() {
            return self.part_rules();
        }
        let path = under(&format!("$observed.{readback}"), &lifecycle.path);
        let outside = |state: &&LifecycleState| !self.level.states.contains(&state.name);
        let of = |class| -> Vec<String> {
            let states = certain(lifecycle).filter(|state| state.class == class).filter(outside);
            states.map(|state| state.name.clone()).collect()
        };
        let failed = of(StateClass::TerminalFailure);
        let moving = of(StateClass::Transitional);
        let neutral = of(StateClass::TerminalNeutral);
        let is = |names: &[String], listed: bool| {
            let (operator, expected) = if listed {
                (Operator::In, names.iter().map(String::as_str).collect())
            } else {
                states(names)
            };
            scalar(&readback, path.clone(), operator, expected)
        };
        if !failed.is_empty() {
            let rests_on = self.state_assertions(&failed);
            self.rule("terminal_failure", is(&failed, true), Verdict::Failed, rests_on);
        }
        if !moving.is_empty() {
            let rests_on = self.state_assertions(&moving);
            self.rule("still_transitional", is(&moving, true), Verdict::Pending, rests_on);
        }
        let done = of(StateClass::TerminalSuccess);
        if self.level.promise == Promise::Failed && !done.is_empty() {
            let rests_on = self.state_assertions(&done);
            self.rule("succeeded_instead", is(&done, true), Verdict::Contradicted, rests_on);
        }
        for state in neutral {
            let names = [state];
            let rests_on = self.state_assertions(&names);
            let [state] = &names;
            self.rule(state, is(&names, false), Verdict::Contradicted, rests_on);
        }
    }
}

/// A reference to an input member.
pub(super) fn input(name: &str) -> Value {
    Value::from(format!("$input.{name}"))
}

fn of_states(path: String, names: &[String]) -> ItemTest {
    item(path, Operator::In, Some(names.iter().map(String::as_str).collect()), None)
}
