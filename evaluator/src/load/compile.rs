//! Compiles the conditions of a contract: references to expressions, channel names to indices.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::program::{
    ChannelKind, ChannelView, Comparison, Expected, Expression, Form, Gate, ItemTest, ItemTestKind,
    LifecycleView, Negative, OverTest, Positive, Program, Test,
};
use super::{Faults, rules};
use crate::compare::Pattern;
use crate::contract::{self, Channel, Condition, Contract, Independence, NegativeClass, Operator, Truth};
use crate::json::Value;
use crate::query::{Reference, Root, Step};
use crate::version::{RangeError, VersionRange};

/// The compiled parts, to be joined with the document.
pub(super) struct Parts {
    positives: Vec<Positive>,
    negatives: Vec<Negative>,
    rules: Vec<Test>,
    lifecycle: Option<LifecycleView>,
    channels: Vec<ChannelView>,
    versions: Vec<VersionRange>,
}

impl Parts {
    pub(super) fn into_program(self, contract: Contract) -> Program {
        let complete_list = self.channels.iter().position(|channel| channel.complete);
        Program {
            contract,
            positives: self.positives,
            negatives: self.negatives,
            rules: self.rules,
            lifecycle: self.lifecycle,
            channels: self.channels,
            versions: self.versions,
            complete_list,
        }
    }
}

/// Compiles everything; `None` only with a fault recorded.
pub(super) fn compile(contract: &Contract, faults: &mut Faults) -> Option<Parts> {
    let channels = contract.evidence_policy.channels.as_slice();
    let mut compiler = Compiler { channels, lifecycle: None, faults, at: String::new() };
    let views = compiler.channel_views();
    let lifecycle = compiler.lifecycle(contract);
    let positives = compiler.positives(contract);
    let negatives = compiler.negatives(contract);
    let rules = compiler.rules(contract);
    let versions = compiler.versions(contract);
    Some(Parts {
        positives: positives?,
        negatives: negatives?,
        rules: rules?,
        lifecycle,
        channels: views,
        versions,
    })
}

struct Compiler<'c, 'f> {
    channels: &'c [Channel],
    lifecycle: Option<Expression>,
    faults: &'f mut Faults,
    at: String,
}

impl Compiler<'_, '_> {
    fn fault<T>(
        &mut self,
        code: &'static str,
        member: &str,
        message: String,
        help: Option<&'static str>,
    ) -> Option<T> {
        let path = if member.is_empty() { self.at.clone() } else { format!("{}.{member}", self.at) };
        self.faults.add(code, &path, message, help);
        None
    }

    /// Parses a reference under the path at hand.
    fn reference(&mut self, member: &str, text: &str) -> Option<Reference> {
        match Reference::parse(text) {
            Ok(reference) => Some(reference),
            Err(error) => self.fault(
                "reference_unreadable",
                member,
                format!("`{text}` is not a reference: {error}"),
                Some("write a root and steps, such as `$observed.refund_readback.status`"),
            ),
        }
    }

    fn channel(&mut self, member: &str, name: &str) -> Option<usize> {
        let found = self.channels.iter().position(|channel| channel.name == name);
        if found.is_none() {
            let known: Vec<&str> = self.channels.iter().map(|channel| channel.name.as_str()).collect();
            self.fault::<()>(
                "channel_undeclared",
                member,
                format!("the channel `{name}` is not declared; declared are {}", known.join(", ")),
                Some("declare it under evidence_policy.channels"),
            );
        }
        found
    }

    fn kind(&self, channel: usize) -> ChannelKind {
        self.channels.get(channel).map_or(ChannelKind::Record, kind_of)
    }

    fn relative(&mut self, member: &str, text: &str) -> Option<Vec<Step>> {
        let reference = self.reference(member, text)?;
        match reference.root {
            Root::Item => Some(reference.steps),
            Root::Document
            | Root::Input
            | Root::Operation
            | Root::Correlation(_)
            | Root::Observed(_)
            | Root::Baseline(_)
            | Root::ActionResult => {
                self.fault("reference_root", member, format!("`{text}` must be rooted at `@`"), None)
            }
        }
    }

    fn expression(&mut self, member: &str, text: &str) -> Option<Expression> {
        let reference = self.reference(member, text)?;
        let steps = reference.steps;
        match reference.root {
            Root::Item => Some(Expression::Item(steps)),
            Root::Input => Some(Expression::Input(steps)),
            Root::Operation => self.operation(member, text, &steps),
            Root::Correlation(key) => Some(Expression::Correlation(key, steps)),
            Root::Baseline(name) => {
                self.channel(member, &name).map(|channel| Expression::Baseline(channel, steps))
            }
            Root::Observed(name) => {
                let channel = self.channel(member, &name)?;
                self.observed(member, text, channel, steps)
            }
            Root::ActionResult => self.fault(
                "action_result_in_condition",
                member,
                format!("`{text}` is the agent's word and cannot support a condition"),
                Some("use `$correlation.<key>`"),
            ),
            Root::Document => {
                self.fault("reference_root", member, format!("`{text}` has no root here"), None)
            }
        }
    }

    fn operation(&mut self, member: &str, text: &str, steps: &[Step]) -> Option<Expression> {
        match steps {
            [Step::Member(name)] if name == "id" => Some(Expression::OperationId),
            [Step::Member(name)] if name == "created_at" => Some(Expression::OperationCreated),
            _ => self.fault(
                "reference_unknown",
                member,
                format!("`{text}` is not known; `$operation` has `id` and `created_at`"),
                None,
            ),
        }
    }

    fn observed(&mut self, member: &str, text: &str, channel: usize, steps: Vec<Step>) -> Option<Expression> {
        match self.kind(channel) {
            ChannelKind::Record => Some(Expression::Record(channel, steps)),
            ChannelKind::Response => self.fault(
                "evidence_below_minimum",
                member,
                format!("`{text}` reads the action's own response, which is E1 at most"),
                Some("read the record back through another channel"),
            ),
            ChannelKind::List => self.fault(
                "reference_unknown",
                member,
                format!("`{text}` is a list; use `over`"),
                None,
            ),
            ChannelKind::Events => match steps.split_first() {
                Some((Step::Member(name), [])) if name == "count" => Some(Expression::EventCount(channel)),
                Some((Step::Member(name), rest)) if name == "latest" => {
                    Some(Expression::EventLatest(channel, rest.to_vec()))
                }
                Some((Step::Member(name), rest)) if name == "earliest" => {
                    Some(Expression::EventEarliest(channel, rest.to_vec()))
                }
                _ => self.fault(
                    "reference_unknown",
                    member,
                    format!("`{text}` is not known; events have `count`, `latest`, `earliest` and, for `over`, `events`"),
                    None,
                ),
            },
        }
    }

    fn expected(&mut self, value: &Value) -> Option<Expected> {
        match value {
            Value::String(text) if Reference::is_reference(text) => {
                self.expression("expected", text).map(Expected::Reference)
            }
            Value::String(text) => {
                let literal = if text.starts_with("$$") { text.get(1..).unwrap_or_default() } else { text };
                Some(Expected::Literal(Value::from(literal)))
            }
            Value::Array(items) => {
                let items: Option<Vec<Expected>> = items.iter().map(|item| self.expected(item)).collect();
                items.map(|items| {
                    let literal = items.iter().all(|item| matches!(item, Expected::Literal(_)));
                    if literal { Expected::Literal(value.clone()) } else { Expected::List(items) }
                })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                Some(Expected::Literal(value.clone()))
            }
        }
    }

    fn expectation(&mut self, operator: Operator, expected: Option<&Value>) -> Option<Expected> {
        let takes_none = matches!(operator, Operator::Exists | Operator::Absent);
        match (takes_none, expected) {
            (true, None) => Some(Expected::Nothing),
            (true, Some(_)) => self.fault(
                "expected_superfluous",
                "expected",
                "this operator compares with nothing".into(),
                None,
            ),
            (false, None) => self.fault(
                "expected_missing",
                "expected",
                "this operator compares with a value".into(),
                Some("add `expected`"),
            ),
            (false, Some(value)) => {
                let is_list =
                    matches!(value, Value::Array(_)) || value.as_str().is_some_and(Reference::is_reference);
                if matches!(operator, Operator::In | Operator::NotIn | Operator::ContainsAll) && !is_list {
                    return self.fault(
                        "expected_not_a_list",
                        "expected",
                        "this operator compares with a list".into(),
                        None,
                    );
                }
                self.expected(value)
            }
        }
    }

    fn comparison(
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

    fn pattern(&mut self, operator: Operator, expected: &Expected) -> Option<Option<Pattern>> {
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

    fn item_test(&mut self, test: &contract::ItemTest) -> Option<ItemTest> {
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

    fn under<T>(&mut self, path: String, work: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let outer = core::mem::replace(&mut self.at, path);
        let result = work(self);
        self.at = outer;
        result
    }

    fn gate(&mut self, condition: &Condition) -> Option<Gate> {
        let mut side = |member: &str, test: &Option<Box<contract::ItemTest>>| match test {
            None => Some(None),
            Some(test) => self.under(format!("{}.{member}", self.at), |this| this.input_test(test)).map(Some),
        };
        Some(Gate { when: side("when", &condition.when)?, unless: side("unless", &condition.unless)? })
    }

    fn input_test(&mut self, test: &contract::ItemTest) -> Option<ItemTest> {
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

    fn test(&mut self, condition: &Condition) -> Option<Test> {
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
    fn shape(&mut self, condition: &Condition, form: &Form) -> Option<()> {
        let list_members = !condition.matching.is_empty()
            || condition.outside.is_some()
            || condition.count
            || condition.sum.is_some();
        let comparing =
            condition.operator.is_some() || condition.expected.is_some() || condition.read_as.is_some();
        let wrong = match form {
            Form::Scalar(_) => list_members,
            Form::Over(_) => condition.read_as.is_some(),
            Form::AllOf(_) => list_members || comparing,
        };
        if wrong {
            self.fault("condition_shape", "", "the condition mixes members of two forms".into(), None)
        } else {
            Some(())
        }
    }

    fn conjunction(&mut self, condition: &Condition) -> Option<Vec<Test>> {
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

    fn over(&mut self, over: &str, condition: &Condition) -> Option<OverTest> {
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
        Some(OverTest { channel, inner, tests, outside, sum, operator, expected })
    }

    fn list(&mut self, over: &str) -> Option<(usize, Option<Vec<Step>>)> {
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

    fn outside(&mut self, text: &str) -> Option<usize> {
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

    fn evidence(&mut self, names: &[String]) -> Option<Vec<usize>> {
        names.iter().map(|name| self.channel("evidence", name)).collect()
    }

    /// A condition's references are rooted in the channels that its `evidence` names.
    fn rooted(&mut self, test: &Test, evidence: &[usize]) -> Option<()> {
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

    fn positives(&mut self, contract: &Contract) -> Option<Vec<Positive>> {
        let mut all = Some(Vec::new());
        for (index, condition) in contract.completion.all_of.iter().enumerate() {
            let positive = self.under(format!("completion.all_of[{index}]"), |this| {
                let gate = this.gate(condition)?;
                let test = this.test(condition)?;
                let channels = this.evidence(&condition.evidence)?;
                this.rooted(&test, &channels)?;
                Some(Positive { test, gate, channels })
            });
            all = all.zip(positive).map(|(mut list, positive)| {
                list.push(positive);
                list
            });
        }
        all
    }

    fn negatives(&mut self, contract: &Contract) -> Option<Vec<Negative>> {
        let list = contract.negative_conditions.any_of.as_slice();
        let mut all = Some(Vec::new());
        for (index, condition) in list.iter().enumerate() {
            let group = duplicate_group(list, condition);
            let negative = self.under(format!("negative_conditions.any_of[{index}]"), |this| {
                this.negative(condition, group)
            });
            all = all.zip(negative).map(|(mut list, negative)| {
                list.push(negative);
                list
            });
        }
        all
    }

    fn negative(&mut self, condition: &Condition, group: Option<usize>) -> Option<Negative> {
        let gate = self.gate(condition)?;
        let test = self.test(condition)?;
        let channels = self.evidence(&condition.evidence)?;
        self.rooted(&test, &channels)?;
        let over_complete = matches!(&test.form, Form::Over(over)
            if over.inner.is_none() && self.channels.get(over.channel).is_some_and(|channel| channel.complete));
        Some(Negative {
            reads_record: !matches!(test.form, Form::Over(_)),
            test,
            gate,
            class: condition.class?,
            blocking: condition.blocking.unwrap_or(true),
            channels,
            group,
            over_complete,
        })
    }

    fn rules(&mut self, contract: &Contract) -> Option<Vec<Test>> {
        let mut all = Some(Vec::new());
        for (index, rule) in contract.verdict_map.iter().enumerate() {
            let test = self.under(format!("verdict_map[{index}].match"), |this| {
                let test = this.test(&rule.matching)?;
                let channels = this.evidence(&rule.matching.evidence)?;
                this.rooted(&test, &channels)?;
                Some(test)
            });
            all = all.zip(test).map(|(mut list, test)| {
                list.push(test);
                list
            });
        }
        all
    }

    fn lifecycle(&mut self, contract: &Contract) -> Option<LifecycleView> {
        let lifecycle = contract.subject.lifecycle.as_ref()?;
        let expression =
            self.under("subject.lifecycle".into(), |this| this.expression("path", &lifecycle.path))?;
        let view = match (&expression, &lifecycle.over) {
            (Expression::Record(channel, steps), None) => {
                LifecycleView { channel: Some(*channel), steps: steps.clone() }
            }
            (Expression::Item(steps), Some(_)) => LifecycleView { channel: None, steps: steps.clone() },
            _ => {
                return self.under("subject.lifecycle".into(), |this| {
                    this.fault(
                        "lifecycle_root",
                        "path",
                        "the lifecycle's path stands in a readback, or at `@` where `over` is set".into(),
                        None,
                    )
                });
            }
        };
        self.lifecycle = Some(expression);
        Some(view)
    }

    fn versions(&mut self, contract: &Contract) -> Vec<VersionRange> {
        let mut ranges = Vec::new();
        let events = contract.valid_for.event_payload_versions.iter().flatten();
        for text in contract.valid_for.provider_api_versions.iter().chain(events) {
            match VersionRange::parse(text) {
                Ok(range) => ranges.push(range),
                Err(error) => {
                    let (code, what) = match error {
                        RangeError::Open => ("version_range_open", "leaves a bound open"),
                        RangeError::Unreadable => ("version_range_unreadable", "is no range of versions"),
                        RangeError::Empty => ("version_range_empty", "holds no version"),
                    };
                    self.faults.add(
                        code,
                        "valid_for",
                        format!("`{text}` {what}"),
                        Some("write `>=A <=B` with versions that somebody has read, or one version"),
                    );
                }
            }
        }
        ranges.truncate(contract.valid_for.provider_api_versions.len());
        ranges
    }

    fn channel_views(&mut self) -> Vec<ChannelView> {
        let channels = self.channels;
        let mut views = Vec::new();
        for (index, channel) in channels.iter().enumerate() {
            let kind = kind_of(channel);
            let page_created = channel.page.as_ref().and_then(|page| page.created.as_deref());
            let created = match (&channel.record_created, kind) {
                (Some(text), _) => Some(text.as_str()),
                (None, ChannelKind::List) => page_created,
                (None, ChannelKind::Record | ChannelKind::Events | ChannelKind::Response) => None,
            };
            let created = created.and_then(|text| {
                self.under(format!("evidence_policy.channels[{index}]"), |this| {
                    this.relative("record_created", text)
                })
            });
            views.push(ChannelView {
                kind,
                complete: channel.complete && kind == ChannelKind::List,
                created,
                instant: channel.instant.clone(),
            });
            rules::check_queries(channel, index, self.faults);
        }
        views
    }
}

/// What a channel carries, by its declared members.
pub(super) fn kind_of(channel: &Channel) -> ChannelKind {
    if channel.events.is_some() {
        ChannelKind::Events
    } else if channel.independence == Independence::SameResponse {
        ChannelKind::Response
    } else if channel.page.is_some() {
        ChannelKind::List
    } else {
        ChannelKind::Record
    }
}

/// The first negative that asks the same question of another source.
fn duplicate_group(list: &[Condition], condition: &Condition) -> Option<usize> {
    if condition.class != Some(NegativeClass::DuplicateSideEffect) {
        return None;
    }
    list.iter().position(|other| other.class == condition.class && other.reason_code == condition.reason_code)
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
