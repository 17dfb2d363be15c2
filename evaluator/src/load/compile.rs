//! Compiles the conditions of a contract: references to expressions, channel names to indices.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::conditions::reads_observed;
use super::program::{
    ChannelKind, ChannelView, Expression, Form, LifecycleView, Negative, Positive, Program, Test,
};
use super::{Faults, rules};
use crate::contract::{Channel, Condition, Contract, Independence, NegativeClass};
use crate::version::{RangeError, VersionRange};

/// The compiled parts, to be joined with the document.
pub(super) struct Parts {
    positives: Vec<Positive>,
    negatives: Vec<Negative>,
    rules: Vec<Test>,
    lifecycle: Option<LifecycleView>,
    channels: Vec<ChannelView>,
    versions: Vec<VersionRange>,
    event_versions: Vec<VersionRange>,
    inadmissible: Vec<VersionRange>,
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
            event_versions: self.event_versions,
            inadmissible: self.inadmissible,
            variants: Vec::new(),
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
    let valid = &contract.valid_for;
    let versions = ranges("valid_for", &valid.provider_api_versions, compiler.faults);
    let event_versions = match &valid.event_payload_versions {
        Some(texts) => ranges("valid_for", texts, compiler.faults),
        None => versions.clone(),
    };
    let inadmissible = ranges("valid_for", &valid.inadmissible_versions, compiler.faults);
    Some(Parts {
        positives: positives?,
        negatives: negatives?,
        rules: rules?,
        lifecycle,
        channels: views,
        versions,
        event_versions,
        inadmissible,
    })
}

pub(super) struct Compiler<'c, 'f> {
    pub(super) channels: &'c [Channel],
    pub(super) lifecycle: Option<Expression>,
    faults: &'f mut Faults,
    pub(super) at: String,
}

impl Compiler<'_, '_> {
    pub(super) fn fault<T>(
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

    pub(super) fn under<T>(&mut self, path: String, work: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let outer = core::mem::replace(&mut self.at, path);
        let result = work(self);
        self.at = outer;
        result
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
            reads_record: !matches!(test.form, Form::Over(_)) && reads_observed(&test),
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

/// The closed ranges of a list of texts; a text that is none is a fault.
pub(super) fn ranges(path: &str, texts: &[String], faults: &mut Faults) -> Vec<VersionRange> {
    let mut ranges = Vec::new();
    for text in texts {
        let error = match VersionRange::parse(text) {
            Ok(range) => {
                ranges.push(range);
                continue;
            }
            Err(error) => error,
        };
        let (code, what) = match error {
            RangeError::Open => ("version_range_open", "leaves a bound open"),
            RangeError::Unreadable => ("version_range_unreadable", "is no range of versions"),
            RangeError::Empty => ("version_range_empty", "holds no version"),
        };
        let help = "write `>=A <=B` with versions that somebody has read, or one version";
        faults.add(code, path, format!("`{text}` {what}"), Some(help));
    }
    ranges
}

/// What a channel carries, by its declared members.
pub(super) fn kind_of(channel: &Channel) -> ChannelKind {
    if channel.events.is_some() {
        ChannelKind::Events
    } else if channel.independence == Independence::SameResponse {
        ChannelKind::Response
    } else if channel.page.is_some() && !channel.find {
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
