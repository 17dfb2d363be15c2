//! What a root field does: a query reads, a mutation acts, unless its words say otherwise. Must not look at
//! paths.

use provely_model::{Effect, Role, RootKind};

use super::{Judgement, Wording};
use crate::classify::cues::cues;
use crate::classify::graph::{Style, reading, verb_and_nouns};
use crate::classify::words::{holds_phrase, prose_words, snake, verb, words};
use crate::ingest::{ApiOperation, ApiRootField, Schema};

/// Role and effect of a root field. `lists`: it answers a list; `result`: what it answers.
pub(in crate::classify) fn judge_root(
    operation: &ApiOperation,
    root: &ApiRootField,
    style: Style,
    (lists, result): (bool, Option<&Schema<'_>>),
) -> Judgement {
    let wording = wording(operation, root, style);
    let reads = match root.kind {
        RootKind::Query => !query_acts(&wording),
        RootKind::Mutation => mutation_reads(&wording, result),
    };
    if reads {
        return Judgement { role: reading(lists), effect: Effect::Read, close: false };
    }
    let role = role(&wording);
    let (effect, close) = wording.effect(role);
    Judgement { role, effect, close }
}

fn wording(operation: &ApiOperation, root: &ApiRootField, style: Style) -> Wording {
    let (action, nouns) = verb_and_nouns(&root.name, style);
    let text = operation.description.as_deref().unwrap_or_default();
    let opening: String = text.chars().take(160).collect();
    let opening = opening.split(". ").next().unwrap_or_default().to_owned();
    let mut said = words(&root.name);
    said.extend(prose_words(&opening));
    let lead = prose_words(&opening).first().map(|word| verb(word));
    let makes = action.as_ref().is_some_and(|word| cues().effects.making.contains(word));
    let lead = lead.filter(|_| action.is_none() || root.kind == RootKind::Query).or_else(|| action.clone());
    Wording {
        method: match root.kind {
            RootKind::Query => "QUERY".to_owned(),
            RootKind::Mutation => "MUTATION".to_owned(),
        },
        ends_in_id: false,
        verb: action,
        makes,
        last: nouns.clone(),
        nouns,
        lead,
        said,
        described: None,
    }
}

/// A query whose description opens with a verb that acts.
fn query_acts(wording: &Wording) -> bool {
    wording.lead.as_ref().is_some_and(|word| cues().effects.reads.acting_query.contains(word))
}

/// A mutation that only asks: by its verb, by a question in its description, or because it answers whether
/// something is valid.
fn mutation_reads(wording: &Wording, result: Option<&Schema<'_>>) -> bool {
    let reads = &cues().effects.reads;
    let asked = wording.verb.as_ref().is_some_and(|word| reads.mutation.contains(word));
    let question = reads.asks.iter().any(|phrase| holds_phrase(&wording.said, phrase));
    let answers = result.is_some_and(|result| {
        result.properties().iter().any(|property| reads.answers.contains(&snake(property.name)))
    });
    let makes = wording.makes || wording.verb.as_ref().is_some_and(|word| named(Role::Create, word));
    asked || (!makes && (question || answers))
}

fn named(role: Role, word: &str) -> bool {
    cues().effects.roles.get(&role).is_some_and(|list| list.contains(word))
}

fn role(wording: &Wording) -> Role {
    let table = &cues().effects;
    let Some(word) = wording.verb.as_ref().or(wording.lead.as_ref()) else { return Role::Act };
    if table.cancel.contains(word) {
        return Role::Cancel;
    }
    match () {
        () if named(Role::Delete, word) => Role::Delete,
        () if named(Role::Update, word) || table.updating.contains(word) => Role::Update,
        () if wording.makes || named(Role::Create, word) => Role::Create,
        () => Role::Act,
    }
}
