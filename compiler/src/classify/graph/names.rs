//! What a root field is named after: its verb, and the thing. Must not say what the verb does.

use std::collections::BTreeSet;

use crate::classify::cues::cues;
use crate::classify::fields::Names;
use crate::classify::words::{singular, snake, words};
use crate::ingest::{ApiRootField, Ingested, Schema};
use provely_model::RootKind;

/// Where the verb stands in the names of a schema's mutations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::classify) enum Style {
    /// `createOrder`.
    First,
    /// `orderCreate`.
    Last,
}

impl Style {
    /// The habit of most mutations.
    pub(in crate::classify) fn of(found: &Ingested) -> Self {
        let table = &cues().effects;
        // A verb that names a type, such as `refund`, may stand for the thing.
        let types: BTreeSet<String> =
            found.schemas.iter().filter_map(|place| Some(snake(&found.schema(place)?.name()?))).collect();
        let mutations = found.operations.iter().filter_map(|operation| operation.graphql.as_ref());
        let (mut first, mut last) = (0_usize, 0_usize);
        for root in mutations.filter(|root| root.kind == RootKind::Mutation) {
            let parts = words(&root.name);
            let is_verb = |word: Option<&String>| {
                word.is_some_and(|word| table.verbs.contains(word) && !types.contains(word))
            };
            first += usize::from(is_verb(parts.first()));
            last += usize::from(is_verb(parts.last()));
        }
        if last > first { Self::Last } else { Self::First }
    }
}

/// The verb of a name, and the words of the thing, up to what only says where or for whom.
pub(in crate::classify) fn verb_and_nouns(name: &str, style: Style) -> (Option<String>, Vec<String>) {
    let table = &cues().effects;
    let mut parts = words(name);
    if let Some(cut) = parts.iter().skip(1).position(|word| table.links.contains(word)) {
        parts.truncate(cut + 1);
    }
    let acts = |word: &String| table.verbs.contains(word);
    // Where verbs stand last, the first word is the thing, whatever else it may mean.
    let find = |fits: &dyn Fn(&String) -> bool| match style {
        Style::First => parts.iter().position(fits),
        Style::Last => parts.iter().rposition(fits).filter(|at| *at > 0 || parts.len() == 1),
    };
    let usual = match style {
        Style::First => 0,
        Style::Last => parts.len().saturating_sub(1),
    };
    let at = find(&acts).or_else(|| find(&|word| reads(word)));
    // A verb that is not known still stands where verbs stand.
    let at = at.or((parts.len() > 1).then_some(usual));
    let verb = at.and_then(|at| parts.get(at)).cloned();
    let nouns =
        parts.iter().enumerate().filter(|(place, _)| Some(*place) != at).map(|(_, word)| singular(word));
    (verb, nouns.collect())
}

fn reads(word: &str) -> bool {
    let reads = &cues().effects.reads;
    reads.summary.contains(word) || reads.strong.contains(word)
}

/// The resource that a root field is named after where its result holds none: the longest row of words of its
/// name that names a resource.
pub(super) fn about(root: &ApiRootField, names: &Names) -> Option<String> {
    if root.kind == RootKind::Query {
        return None;
    }
    let stems: Vec<String> = words(&root.name).iter().map(|word| singular(word)).collect();
    longest(&stems, names)
}

fn longest(stems: &[String], names: &Names) -> Option<String> {
    (1..=stems.len()).rev().find_map(|length| {
        stems.windows(length).find_map(|row| {
            let wanted = row.join("_");
            names.values().find(|name| **name == wanted).cloned()
        })
    })
}

/// The name of a type as a resource: its words joined by `_`, nothing shed.
pub(in crate::classify) fn of_type(schema: &Schema<'_>) -> Option<String> {
    super::form(schema)?;
    Some(words(&schema.name()?).join("_"))
}
