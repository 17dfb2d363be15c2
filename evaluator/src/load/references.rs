//! Compiles references and expectations: names of channels become indices, texts become steps.

use alloc::format;
use alloc::vec::Vec;

use super::compile::{Compiler, kind_of};
use super::program::{ChannelKind, Expected, Expression};
use crate::contract::Operator;
use crate::json::Value;
use crate::query::{Reference, Root, Step};

impl Compiler<'_, '_> {
    /// Parses a reference under the path at hand.
    pub(super) fn reference(&mut self, member: &str, text: &str) -> Option<Reference> {
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

    pub(super) fn channel(&mut self, member: &str, name: &str) -> Option<usize> {
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

    pub(super) fn kind(&self, channel: usize) -> ChannelKind {
        self.channels.get(channel).map_or(ChannelKind::Record, kind_of)
    }

    pub(super) fn relative(&mut self, member: &str, text: &str) -> Option<Vec<Step>> {
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

    pub(super) fn expression(&mut self, member: &str, text: &str) -> Option<Expression> {
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

    pub(super) fn operation(&mut self, member: &str, text: &str, steps: &[Step]) -> Option<Expression> {
        match steps {
            [Step::Member(name)] if name == "id" => Some(Expression::OperationId),
            [Step::Member(name)] if name == "created_at" => Some(Expression::OperationCreated),
            [Step::Member(name)] if name == "live" => Some(Expression::OperationLive),
            _ => self.fault(
                "reference_unknown",
                member,
                format!("`{text}` is not known; `$operation` has `id`, `created_at` and `live`"),
                None,
            ),
        }
    }

    pub(super) fn observed(
        &mut self,
        member: &str,
        text: &str,
        channel: usize,
        steps: Vec<Step>,
    ) -> Option<Expression> {
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

    pub(super) fn expected(&mut self, value: &Value) -> Option<Expected> {
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

    pub(super) fn expectation(&mut self, operator: Operator, expected: Option<&Value>) -> Option<Expected> {
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
}
