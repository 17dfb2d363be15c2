//! Compiles one condition: its form, its gates, its fallback and the channels it reads.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::compile::Compiler;
use super::program::{
    ChannelKind, Comparison, Expected, Expression, Form, Gate, ItemTest, ItemTestKind, OverTest, Test,
};
use crate::compare::Pattern;
use crate::contract::{self, Condition, Operator, Truth};
use crate::json::Value;
use crate::query::{Root, Step};

impl Compiler<'_, '_> {
    pub(super) fn comparison(
        &mut self,
        path: &str,
        operator: Option<Operator>,
        expected: Option<&Value>,
        read_as: Option<contract::As>,
    ) -> Option<Comparison> {
        let path = self.expression("path", path)?;
        let Some(operator) = operator else {
            return self.fault("operator_missing", "operator", "a path needs an operator".into(), None);
        };
        let expected = self.expectation(operator, expected)?;
        let pattern = self.pattern(operator, &expected)?;
        let folded = self.lifecycle.as_ref() == Some(&path);
        Some(Comparison { path, operator, expected, read_as, pattern, folded })
    }

    pub(super) fn pattern(&mut self, operator: Operator, expected: &Expected) -> Option<Option<Pattern>> {
        if operator != Operator::Matches {
            return Some(None);
        }
        match expected {
            Expected::Literal(Value::String(text)) => match Pattern::new(text) {
                Ok(pattern) => Some(Some(pattern)),
                Err(error) => self.fault("pattern_unreadable", "expected", error, None),
            },
            Expected::Nothing | Expected::Literal(_) | Expected::Reference(_) | Expected::List(_) => self
                .fault(
                    "pattern_unreadable",
                    "expected",
                    "`matches` takes a regular expression as a literal text".into(),
                    None,
                ),
        }
    }

    pub(super) fn item_test(&mut self, test: &contract::ItemTest) -> Option<ItemTest> {
        let when = match &test.when {
            Some(when) => Some(Box::new(self.item_test(when)?)),
            None => None,
        };
        let kind = match (&test.path, test.owner.is_empty(), test.effect) {
            (Some(path), true, false) => {
                let comparison =
                    self.comparison(path, test.operator, test.expected.as_ref(), test.read_as)?;
                ItemTestKind::Compare(Comparison { folded: false, ..comparison })
            }
            (None, false, false) => ItemTestKind::Owner(test.owner.clone()),
            (None, true, true) => ItemTestKind::Effect,
            _ => {
                return self.fault(
                    "item_test_shape",
                    "",
                    "an item test has exactly one of `path`, `owner` and `effect: true`".into(),
                    None,
                );
            }
        };
        Some(ItemTest { kind, when })
    }

    pub(super) fn gate(&mut self, condition: &Condition) -> Option<Gate> {
        let mut side = |member: &str, test: &Option<Box<contract::ItemTest>>| match test {
            None => Some(None),
            Some(test) => self.under(format!("{}.{member}", self.at), |this| this.input_test(test)).map(Some),
        };
        Some(Gate { when: side("when", &condition.when)?, unless: side("unless", &condition.unless)? })
    }

    pub(super) fn input_test(&mut self, test: &contract::ItemTest) -> Option<ItemTest> {
        let compiled = self.item_test(test)?;
        match &compiled.kind {
            ItemTestKind::Compare(Comparison { path: Expression::Input(_), .. })
                if compiled.when.is_none() =>
            {
                Some(compiled)
            }
            ItemTestKind::Compare(_) | ItemTestKind::Owner(_) | ItemTestKind::Effect => self.fault(
                "gate_not_on_input",
                "path",
                "`when` and `unless` are rooted at `$input`".into(),
                Some("which conditions apply is fixed when the operation begins"),
            ),
        }
    }

    pub(super) fn test(&mut self, condition: &Condition) -> Option<Test> {
        let form = match (&condition.path, &condition.over, condition.all_of.is_empty()) {
            (Some(path), None, true) => Form::Scalar(self.comparison(
                path,
                condition.operator,
                condition.expected.as_ref(),
                condition.read_as,
            )?),
            (None, Some(over), true) => Form::Over(self.over(over, condition)?),
            (None, None, false) => Form::AllOf(self.conjunction(condition)?),
            _ => {
                return self.fault(
                    "condition_shape",
                    "",
                    "a condition has exactly one of `path`, `over` and `all_of`".into(),
                    None,
                );
            }
        };
        self.shape(condition, &form)?;
        let fallback = match &condition.fallback {
            Some(test) => Some(self.under(format!("{}.fallback", self.at), |this| this.item_test(test))?),
            None => None,
        };
        let baseline = baseline_of(&form);
        let needs = baseline.is_some() || matches!(&form, Form::Over(over) if over.outside.is_some());
        if needs && fallback.is_none() {
            return self.fault(
                "baseline_without_fallback",
                "fallback",
                "a condition on the baseline needs a test by time for when none could be read".into(),
                Some("add `fallback: {path, operator: time_after, expected: $operation.created_at}`"),
            );
        }
        let soften = condition.result == Some(Truth::Unknown);
        if condition.result.is_some() && !soften {
            return self.fault("result_not_unknown", "result", "`result` can only be `unknown`".into(), None);
        }
        Some(Test { form, soften, baseline, fallback })
    }

    /// Members that belong to another form are refused, so that nothing is silently ignored.
    pub(super) fn shape(&mut self, condition: &Condition, form: &Form) -> Option<()> {
        let list_members = !condition.matching.is_empty()
            || condition.outside.is_some()
            || condition.count
            || condition.sum.is_some();
        let comparing =
            condition.operator.is_some() || condition.expected.is_some() || condition.read_as.is_some();
        let wrong = match form {
            Form::Scalar(_) => list_members,
            Form::Over(over) => condition
                .read_as
                .is_some_and(|read_as| over.sum.is_none() || read_as != contract::As::Decimal),
            Form::AllOf(_) => list_members || comparing,
        };
        if wrong {
            self.fault("condition_shape", "", "the condition mixes members of two forms".into(), None)
        } else {
            Some(())
        }
    }

    pub(super) fn conjunction(&mut self, condition: &Condition) -> Option<Vec<Test>> {
        let mut tests = Vec::new();
        for (index, member) in condition.all_of.iter().enumerate() {
            let path = format!("{}.all_of[{index}]", self.at);
            let plain = member.id.is_empty()
                && member.all_of.is_empty()
                && member.when.is_none()
                && member.unless.is_none();
            let test = self.under(path, |this| {
                if plain {
                    this.test(member)
                } else {
                    this.fault(
                        "condition_shape",
                        "",
                        "a member of `all_of` has no id, gate or `all_of` of its own".into(),
                        None,
                    )
                }
            });
            tests.push(test?);
        }
        Some(tests)
    }

    pub(super) fn over(&mut self, over: &str, condition: &Condition) -> Option<OverTest> {
        let (channel, inner) = self.list(over)?;
        let mut tests = Vec::new();
        for (index, test) in condition.matching.iter().enumerate() {
            let path = format!("{}.where[{index}]", self.at);
            tests.push(self.under(path, |this| this.item_test(test))?);
        }
        let outside = match &condition.outside {
            Some(text) => Some(self.outside(text)?),
            None => None,
        };
        let sum = match (&condition.sum, condition.count) {
            (Some(text), false) => Some(self.relative("sum", text)?),
            (None, true) => None,
            _ => {
                return self.fault(
                    "condition_shape",
                    "",
                    "`over` takes exactly one of `count` and `sum`".into(),
                    None,
                );
            }
        };
        let Some(operator) = condition.operator else {
            return self.fault("operator_missing", "operator", "`over` needs an operator".into(), None);
        };
        let expected = self.expectation(operator, condition.expected.as_ref())?;
        let read_as = condition.read_as;
        Some(OverTest { channel, inner, tests, outside, sum, read_as, operator, expected })
    }

    pub(super) fn list(&mut self, over: &str) -> Option<(usize, Option<Vec<Step>>)> {
        let reference = self.reference("over", over)?;
        let Root::Observed(name) = &reference.root else {
            return self.fault(
                "reference_root",
                "over",
                format!("`{over}` must be rooted at `$observed`"),
                None,
            );
        };
        let channel = self.channel("over", name)?;
        let steps = reference.steps;
        match (self.kind(channel), steps.as_slice()) {
            (ChannelKind::List, []) => Some((channel, None)),
            (ChannelKind::Events, [Step::Member(name)]) if name == "events" => Some((channel, None)),
            (ChannelKind::Record, [_, ..]) => Some((channel, Some(steps))),
            (ChannelKind::List | ChannelKind::Events | ChannelKind::Record | ChannelKind::Response, _) => {
                self.fault("not_a_list", "over", format!("`{over}` is no list"), None)
            }
        }
    }

    pub(super) fn outside(&mut self, text: &str) -> Option<usize> {
        let reference = self.reference("outside", text)?;
        match (&reference.root, reference.steps.as_slice()) {
            (Root::Baseline(name), []) => self.channel("outside", name),
            _ => self.fault(
                "reference_root",
                "outside",
                format!("`{text}` must be `$baseline.<channel>`"),
                None,
            ),
        }
    }

    pub(super) fn evidence(&mut self, names: &[String]) -> Option<Vec<usize>> {
        names.iter().map(|name| self.channel("evidence", name)).collect()
    }

    /// A condition's references are rooted in the channels that its `evidence` names.
    pub(super) fn rooted(&mut self, test: &Test, evidence: &[usize]) -> Option<()> {
        let mut roots = Vec::new();
        observed_channels(test, &mut roots);
        if let Some(stray) = roots.iter().find(|channel| !evidence.contains(channel)) {
            let name = self.channels.get(*stray).map_or("", |channel| channel.name.as_str());
            let message = format!("it reads the channel `{name}`, which its `evidence` does not name");
            return self.fault(
                "path_outside_evidence",
                "evidence",
                message,
                Some("name the channel it reads"),
            );
        }
        if roots.is_empty() {
            return self.fault(
                "condition_without_evidence",
                "path",
                "it reads no channel, so nothing observed can decide it".into(),
                Some("root it in `$observed`"),
            );
        }
        Some(())
    }
}

fn baseline_of(form: &Form) -> Option<usize> {
    let of = |expression: &Expression| match expression {
        Expression::Baseline(channel, _) => Some(*channel),
        _ => None,
    };
    match form {
        Form::Scalar(comparison) => of(&comparison.path).or(match &comparison.expected {
            Expected::Reference(expression) => of(expression),
            Expected::Nothing | Expected::Literal(_) | Expected::List(_) => None,
        }),
        Form::Over(_) | Form::AllOf(_) => None,
    }
}

/// True if some reference of the test is rooted in `$observed`.
pub(super) fn reads_observed(test: &Test) -> bool {
    match &test.form {
        Form::Scalar(comparison) => {
            let expected = match &comparison.expected {
                Expected::Reference(expression) => expression.observed(),
                Expected::Nothing | Expected::Literal(_) | Expected::List(_) => None,
            };
            comparison.path.observed().or(expected).is_some()
        }
        Form::Over(_) => true,
        Form::AllOf(tests) => tests.iter().any(reads_observed),
    }
}

/// Every channel that a test observes, or whose baseline it reads.
fn observed_channels(test: &Test, found: &mut Vec<usize>) {
    let of = |expression: &Expression| match expression {
        Expression::Baseline(channel, _) => Some(*channel),
        other => other.observed(),
    };
    match &test.form {
        Form::Scalar(comparison) => {
            found.extend(of(&comparison.path));
            if let Expected::Reference(expression) = &comparison.expected {
                found.extend(of(expression));
            }
        }
        Form::Over(over) => found.push(over.channel),
        Form::AllOf(tests) => tests.iter().for_each(|test| observed_channels(test, found)),
    }
}
