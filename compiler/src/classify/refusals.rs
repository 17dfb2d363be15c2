//! When a reply with a success status is a refusal all the same: which member of the reply says so, as its schema or
//! a document states. Must not take the state of a record for the outcome of a call.

use std::collections::{BTreeMap, BTreeSet};

use provely_evaluator::json::Value;
use provely_model::FailurePredicate;
use rayon::prelude::*;
use serde::Deserialize;

use super::cues::cues;
use super::fields::is_scalar;
use super::graph::is_error_list;
use super::records::{held, settled};
use super::words::snake;
use crate::ingest::{ApiOperation, Ingested, Property, Schema};

/// Words by which replies say how the call went; `refusals` in `shapes.yaml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RefusalWords {
    /// Booleans that are true where the call worked.
    pub(crate) flags: BTreeSet<String>,
    /// Members that name how the call went.
    pub(crate) outcomes: BTreeSet<String>,
    /// Their words for a call that worked.
    pub(crate) worked: BTreeSet<String>,
    /// Their words for one that did not.
    pub(crate) failed: BTreeSet<String>,
    /// Members that stand beside and tell what went wrong.
    pub(crate) beside: BTreeSet<String>,
    /// What a text says of such a flag.
    pub(crate) says: Vec<String>,
}

/// How an operation refuses under a success status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Where the reply says so.
    pub predicate: FailurePredicate,
    /// What states it.
    pub assertions: Vec<String>,
}

/// The operations behind paths that refuse under a success status, by their ids.
pub(crate) fn refusals(found: &Ingested) -> BTreeMap<String, Refusal> {
    let told = told(found);
    let paths = found.operations.par_iter().filter(|operation| operation.graphql.is_none());
    let stated =
        paths.filter_map(|operation| Some((operation.id.clone(), refusal(found, operation, &told)?)));
    stated.collect()
}

/// The flags that documents explain, each with the passage.
fn told(found: &Ingested) -> Vec<(&str, &str)> {
    let words = &cues().shapes.refusals;
    let explained = found.passages.iter().flat_map(|passage| {
        let quoted = passage.text.split('`').skip(1).step_by(2);
        let flag = quoted.filter(|word| words.flags.contains(&snake(word)));
        flag.filter(|_| says(&passage.text)).map(|word| (word, passage.assertion.as_str()))
    });
    explained.collect()
}

fn says(text: &str) -> bool {
    let text = text.to_lowercase();
    cues().shapes.refusals.says.iter().any(|phrase| text.contains(phrase.as_str()))
}

fn refusal(found: &Ingested, operation: &ApiOperation, told: &[(&str, &str)]) -> Option<Refusal> {
    let reply = operation.success()?;
    let schema = reply.schema.as_ref().and_then(|schema| found.schema(schema));
    let members = schema.as_ref().map(|schema| settled(schema).properties()).unwrap_or_default();
    let Some(schema) = schema.filter(|_| !members.is_empty()) else {
        // Nothing is said of the reply itself: what a document says of every reply holds.
        let (flag, passage) = told.first()?;
        return Some(unless(flag, Value::Bool(true), vec![(*passage).to_owned()]));
    };
    let envelope = Envelope::of(found, operation, &schema, &members);
    envelope
        .flag(told)
        .or_else(|| envelope.outcome())
        .or_else(|| envelope.errors())
        .or_else(|| envelope.error())
}

/// What is known of a reply's outermost object.
struct Envelope<'a, 'm> {
    members: &'m [Property<'a>],
    /// It is the record itself: what it says is the record's state.
    is_record: bool,
    /// It holds the record, or nothing but what surrounds one.
    surrounds: bool,
    /// It is one of several objects that are answered.
    is_choice: bool,
    /// It tells what went wrong.
    tells_errors: bool,
    /// The members of the replies with an error status.
    failing: Vec<Property<'a>>,
}

impl<'a, 'm> Envelope<'a, 'm> {
    fn of(
        found: &'a Ingested,
        operation: &'a ApiOperation,
        schema: &Schema<'a>,
        members: &'m [Property<'a>],
    ) -> Self {
        let shapes = &cues().shapes;
        let words = &shapes.refusals;
        let inner = held(schema).is_some_and(|held| held.list || held.select != "$");
        let names_id = |member: &Property<'_>| {
            let name = snake(member.name);
            shapes.id.contains(&name) || name.ends_with("_id")
        };
        let around = |member: &Property<'_>| {
            let name = snake(member.name);
            shapes.page_members.contains(&name)
                || words.flags.contains(&name)
                || words.outcomes.contains(&name)
                || words.beside.contains(&name)
                || is_error_list(member)
        };
        let others = operation.replies.iter().filter(|reply| !reply.is_success());
        let failing = others
            .filter_map(|reply| found.schema(reply.schema.as_ref()?))
            .flat_map(|schema| settled(&schema).properties());
        Self {
            is_record: !inner && members.iter().any(names_id),
            is_choice: !schema.variants().is_empty(),
            surrounds: inner || members.iter().all(around),
            tells_errors: members
                .iter()
                .any(|member| words.beside.contains(&snake(member.name)) || is_error_list(member)),
            failing: failing.collect(),
            members,
        }
    }

    /// A boolean that is true where the call worked.
    fn flag(&self, told: &[(&str, &str)]) -> Option<Refusal> {
        let words = &cues().shapes.refusals;
        let flags = self.members.iter().filter(|member| words.flags.contains(&snake(member.name)));
        flags.into_iter().find_map(|member| {
            let values = member.schema.values();
            let only_true = values == ["true"];
            if !only_true && (member.schema.types() != ["boolean"] || values == ["false"]) {
                return None;
            }
            let passage = told.iter().find(|(flag, _)| *flag == member.name).map(|(_, passage)| *passage);
            let explained = member.schema.description().is_some_and(says);
            let sure = only_true || self.fails_by(member.name) || passage.is_some();
            let outer = explained || self.tells_errors || (self.surrounds && member.required);
            (sure || (!self.is_record && outer)).then(|| {
                let stated = std::iter::once(member.schema.named_assertion());
                let cited = stated.chain(passage.map(str::to_owned)).collect();
                unless(member.name, Value::Bool(true), cited)
            })
        })
    }

    /// A word for how the call went.
    fn outcome(&self) -> Option<Refusal> {
        if self.is_record || self.is_choice || !(self.tells_errors || self.surrounds) {
            return None;
        }
        let (member, word) = self.members.iter().find_map(|member| Some((member, worked(member)?)))?;
        // One word alone is said of calls that worked; that there are others must be stated as well.
        let others = member.schema.values().len() > 1;
        let fails = self.failing.iter().any(|failing| failing.name == member.name);
        if !(others || fails || self.tells_errors) {
            return None;
        }
        Some(unless(member.name, Value::from(word), vec![member.schema.named_assertion()]))
    }

    /// A list of what went wrong, beside the record.
    fn errors(&self) -> Option<Refusal> {
        let list = self.members.iter().find(|member| is_error_list(member) && snake(member.name) == "errors");
        let list = list.filter(|_| !self.is_record && self.surrounds)?;
        Some(stated(list.name.to_owned(), list))
    }

    /// One text, or an object with a text, that tells what went wrong and is left out where nothing did.
    fn error(&self) -> Option<Refusal> {
        let member = self.members.iter().find(|member| snake(member.name) == "error")?;
        let absent = !member.required || member.schema.nullable();
        if self.is_record || !self.surrounds || !absent {
            return None;
        }
        let inner = settled(&member.schema);
        if inner.types() == ["string"] {
            return Some(stated(member.name.to_owned(), member));
        }
        let texts = inner.properties().into_iter().find(|text| {
            cues().shapes.error_members.contains(&snake(text.name))
                && is_scalar(&text.schema)
                && text.schema.types() == ["string"]
        })?;
        Some(stated(format!("{}.{}", member.name, texts.name), member))
    }

    /// True if replies with an error status carry the same flag.
    fn fails_by(&self, name: &str) -> bool {
        self.failing.iter().any(|member| {
            member.name == name
                && (member.schema.types() == ["boolean"] || member.schema.values() == ["false"])
        })
    }
}

/// The word for a call that worked, of a member that names how the call went and has but one, beside words for calls
/// that did not.
pub(super) fn worked(member: &Property<'_>) -> Option<String> {
    let words = &cues().shapes.refusals;
    if !words.outcomes.contains(&snake(member.name)) {
        return None;
    }
    let (worked, others): (Vec<String>, Vec<String>) =
        member.schema.values().into_iter().partition(|value| words.worked.contains(&snake(value)));
    let failed = others.iter().all(|value| words.failed.contains(&snake(value)));
    let mut worked = worked.into_iter();
    worked.next().filter(|_| failed && worked.next().is_none())
}

fn unless(member: &str, worked: Value, assertions: Vec<String>) -> Refusal {
    let predicate = FailurePredicate { path: format!("$.{member}"), equals: None, unless: Some(worked) };
    Refusal { predicate, assertions }
}

fn stated(path: String, member: &Property<'_>) -> Refusal {
    let predicate = FailurePredicate { path: format!("$.{path}"), equals: None, unless: None };
    Refusal { predicate, assertions: vec![member.schema.named_assertion()] }
}
