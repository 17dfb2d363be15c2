//! Conditions on a record whose outcome stands in its parts: which of them count, that at least one is done and
//! none is not, that together they are what was asked for. An empty list proves nothing, and a sum is wrong only
//! once no part is in motion.

use provely_evaluator::contract::{As, Condition, ItemTest, NegativeClass, Operator, StateClass};
use provely_evaluator::json::Value;
use provely_evaluator::verdict::Verdict;
use provely_model::{Echo, EchoKind, Lifecycle, Parts};

use super::conditions::input;
use super::draft::Draft;
use super::levels::{Promise, certain};
use super::parts::{count, item, states as one_of, under};

/// The parts of a record, as its readback shows them.
struct PartList<'a> {
    channel: String,
    over: String,
    lifecycle: &'a Lifecycle,
    parts: &'a Parts,
}

impl PartList<'_> {
    /// The tests that a part passes which counts: of the kind, made by the provider, in the credential's mode.
    fn counting(&self) -> Vec<ItemTest> {
        let only =
            self.parts.only.as_ref().map(|(path, value)| {
                item(path.clone(), Operator::Eq, Some(Value::from(value.as_str())), None)
            });
        let by_hand = self
            .parts
            .by_hand
            .as_ref()
            .map(|path| item(path.clone(), Operator::Eq, Some(Value::Bool(false)), None));
        let mode = self.parts.live.as_ref().map(|(path, live)| {
            let operator = if *live { Operator::Eq } else { Operator::Ne };
            item(path.clone(), operator, Some(Value::from("$operation.live")), None)
        });
        only.into_iter().chain(by_hand).chain(mode).collect()
    }

    /// The number of parts that count and whose state is one of `states`, or none of them.
    fn number(&self, (states, within): (&[String], bool), operator: Operator, number: u32) -> Condition {
        let mut tests = self.counting();
        tests.push(self.in_state(states, within));
        count(self.over.clone(), &self.channel, tests, operator, number)
    }

    fn in_state(&self, states: &[String], within: bool) -> ItemTest {
        let (operator, expected) = one_of(states);
        let operator = match (operator, within) {
            (Operator::Eq, false) => Operator::Ne,
            (Operator::In, false) => Operator::NotIn,
            (operator, _) => operator,
        };
        item(self.lifecycle.path.clone(), operator, Some(expected), None)
    }

    /// What the parts in `states` come to, beside what was asked for.
    fn sum(&self, states: &[String], amount: &str, operator: Operator, asked: &Echo) -> Condition {
        let one = self.number((states, true), operator, 0);
        Condition {
            count: false,
            sum: Some(amount.to_owned()),
            expected: Some(input(&asked.input)),
            read_as: asked.read_as.filter(|read_as| *read_as == As::Decimal),
            ..one
        }
    }

    /// No part is in motion: each is in a state that ends it.
    fn at_rest(&self) -> Condition {
        self.number(
            (&self.of(|class| class.is_effectless() || class == StateClass::TerminalSuccess), false),
            Operator::Eq,
            0,
        )
    }

    fn of(&self, fits: impl Fn(StateClass) -> bool) -> Vec<String> {
        certain(self.lifecycle).filter(|state| fits(state.class)).map(|state| state.name.clone()).collect()
    }
}

impl<'a> Draft<'a> {
    /// True if the record's outcome stands in its parts.
    pub(super) fn has_parts(&self) -> bool {
        self.subject.resource.lifecycle.as_ref().is_some_and(|lifecycle| lifecycle.parts.is_some())
    }

    /// True for an input that parts show, and not the record itself.
    pub(super) fn is_in_parts(&self, echo: &Echo) -> bool {
        let parts = self.subject.resource.lifecycle.as_ref().and_then(|lifecycle| lifecycle.parts.as_ref());
        parts.is_some_and(|parts| {
            // Parts without amounts leave the sum to the record.
            let summed = echo.kind == EchoKind::Amount && parts.amount.is_some();
            summed || echo.path.starts_with(&parts.over)
        })
    }

    fn part_list(&self) -> Option<PartList<'a>> {
        let channel = self.readback()?;
        let lifecycle = self.subject.resource.lifecycle.as_ref()?;
        let parts = lifecycle.parts.as_ref()?;
        Some(PartList {
            over: under(&format!("$observed.{channel}"), &parts.over),
            channel,
            lifecycle,
            parts,
        })
    }

    fn rests_on(&self, list: &PartList<'_>, states: &[String]) -> Vec<String> {
        let mut assertions = self.state_assertions(states);
        assertions.extend(list.parts.assertions.iter().cloned());
        assertions
    }

    /// At least one part is in a state of the level and none is not; together they are what was asked for.
    pub(super) fn part_conditions(&mut self) -> Option<()> {
        let list = self.part_list()?;
        let states = &self.level.states;
        let key = match self.level.promise {
            Promise::Exists => "known".to_owned(),
            _ => self.level.name.clone(),
        };
        let rests_on = self.rests_on(&list, states);
        self.positive(
            &format!("part.{key}"),
            list.number((states, true), Operator::Gte, 1),
            rests_on.clone(),
        );
        self.positive(&format!("parts.{key}"), list.number((states, false), Operator::Eq, 0), rests_on);
        self.part_sums(&list);
        self.part_currencies(&list);
        self.partly_done(&list);
        Some(())
    }

    fn part_sums(&mut self, list: &PartList<'_>) {
        let Some(amount) = list.parts.amount.as_deref() else { return };
        let states = &self.level.states;
        for echo in self.inputs().filter(|echo| echo.kind == EchoKind::Amount) {
            let mut rests_on = list.parts.assertions.clone();
            rests_on.push(echo.assertion.clone());
            let equal = list.sum(states, amount, Operator::Eq, echo);
            self.positive(&format!("input.{}", echo.input), equal, rests_on.clone());
            // Parts may still come, so a sum is wrong only where none is in motion and none has failed.
            let ended = list.of(StateClass::is_effectless);
            let none_ended = (!ended.is_empty()).then(|| list.number((&ended, true), Operator::Eq, 0));
            let done = list.of(|class| class == StateClass::TerminalSuccess);
            let differs = Condition {
                class: Some(NegativeClass::WrongAmount),
                evidence: vec![list.channel.clone()],
                all_of: [list.at_rest(), list.number((&done, true), Operator::Gte, 1)]
                    .into_iter()
                    .chain(none_ended)
                    .chain([list.sum(&done, amount, Operator::Ne, echo)])
                    .map(bare)
                    .collect(),
                ..Condition::default()
            };
            self.negative(&format!("wrong_amount.{}", echo.input), "wrong_amount", differs, rests_on);
        }
    }

    /// A part in another currency than the input names.
    fn part_currencies(&mut self, list: &PartList<'_>) {
        let front = format!("{}[0]", list.parts.over);
        for echo in self.inputs().filter(|echo| echo.kind == EchoKind::Currency) {
            let Some(inside) = echo.path.strip_prefix(&front) else { continue };
            let mut tests = list.counting();
            tests.push(item(format!("@{inside}"), Operator::Ne, Some(input(&echo.input)), echo.read_as));
            let differs = Condition {
                class: Some(NegativeClass::WrongCurrency),
                when: self.gate(echo),
                ..count(list.over.clone(), &list.channel, tests, Operator::Gte, 1)
            };
            let rests_on = vec![echo.assertion.clone()];
            self.negative(&format!("wrong_currency.{}", echo.input), "wrong_currency", differs, rests_on);
        }
    }

    /// One part is done and another ended without effect, and none is in motion.
    fn partly_done(&mut self, list: &PartList<'_>) {
        let ended = list.of(StateClass::is_effectless);
        let done = list.of(|class| class == StateClass::TerminalSuccess);
        if ended.is_empty() || done.is_empty() {
            return;
        }
        let partly = Condition {
            class: Some(NegativeClass::PartialCompletion),
            evidence: vec![list.channel.clone()],
            all_of: vec![
                bare(list.at_rest()),
                bare(list.number((&done, true), Operator::Gte, 1)),
                bare(list.number((&ended, true), Operator::Gte, 1)),
            ],
            ..Condition::default()
        };
        let both: Vec<String> = ended.iter().chain(&done).cloned().collect();
        let rests_on = self.rests_on(list, &both);
        self.negative("partial_completion.parts", "partial_completion", partly, rests_on);
    }

    /// Rules for parts that all ended without the outcome, for parts in motion, and for a state that means
    /// nothing to the provider itself.
    pub(super) fn part_rules(&mut self) {
        let Some(list) = self.part_list() else { return };
        let outside = |names: Vec<String>| -> Vec<String> {
            names.into_iter().filter(|name| !self.level.states.contains(name)).collect()
        };
        let failed = outside(list.of(|class| class == StateClass::TerminalFailure));
        let neutral = outside(list.of(|class| class == StateClass::TerminalNeutral));
        let moving = outside(list.of(|class| class == StateClass::Transitional));
        let ended: Vec<String> = failed.iter().chain(&neutral).cloned().collect();
        let all_ended = |one: &[String]| Condition {
            evidence: vec![list.channel.clone()],
            all_of: vec![
                bare(list.number((one, true), Operator::Gte, 1)),
                bare(list.number((&ended, false), Operator::Eq, 0)),
            ],
            ..Condition::default()
        };
        for state in &neutral {
            let names = [state.clone()];
            let rests_on = self.rests_on(&list, &names);
            self.rule(state, all_ended(&names), Verdict::Contradicted, rests_on);
        }
        if !failed.is_empty() {
            let rests_on = self.rests_on(&list, &failed);
            self.rule("terminal_failure", all_ended(&failed), Verdict::Failed, rests_on);
        }
        if !moving.is_empty() {
            let rests_on = self.rests_on(&list, &moving);
            let in_motion = list.number((&moving, true), Operator::Gte, 1);
            self.rule("still_transitional", in_motion, Verdict::Pending, rests_on);
        }
        let unknown: Vec<String> = list
            .lifecycle
            .states
            .iter()
            .filter(|state| state.class == StateClass::Unknown && state.certainty.is_certain())
            .map(|state| state.name.clone())
            .collect();
        if !unknown.is_empty() {
            let rests_on = self.rests_on(&list, &unknown);
            let seen = list.number((&unknown, true), Operator::Gte, 1);
            self.rule("status_unknown", seen, Verdict::Unverifiable, rests_on);
        }
    }

    /// What the list of parts rests on, for the lifecycle.
    pub(super) fn parts_over(&self) -> Option<String> {
        self.part_list().map(|list| list.over)
    }
}

/// A condition as one of several: the evidence stands at the whole.
fn bare(condition: Condition) -> Condition {
    Condition { evidence: Vec::new(), ..condition }
}
