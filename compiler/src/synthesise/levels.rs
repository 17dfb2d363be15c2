//! Completion levels: which promises a record's lifecycle can carry. Judges by class and by the states that
//! can only be reached through another; must not read a name as a meaning.

use std::collections::BTreeSet;

use provely_evaluator::contract::StateClass;
use provely_model::{Effect, Lifecycle, LifecycleState, Operation, Plan, Resource, Role};
use serde::Serialize;

use super::shown::{may_be_shown, tells_new};
use crate::plan::{Target, identifier};

/// One promise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Level {
    /// Generated name, `created` or the name of a state.
    pub name: String,
    /// What it promises.
    pub promise: Promise,
    /// States in which the promise holds; empty where no state carries it, or no class is certain.
    pub states: Vec<String>,
}

/// What a level promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Promise {
    /// The record is there and alive.
    Exists,
    /// The record reached a state, or one that only follows it.
    Reached,
    /// The record failed in the named way.
    Failed,
    /// The record shows the fields that were asked for.
    Changed,
    /// The record reads otherwise than before.
    Altered,
    /// A record is there as it was asked for, whenever it was made.
    Shown,
    /// The record is where it was not before.
    Added,
    /// The record is gone.
    Gone,
}

/// The levels of an operation, in the order of the lifecycle.
#[must_use]
pub fn levels_of(operation: &Operation, resource: &Resource, plan: &Plan, target: &Target) -> Vec<Level> {
    let echoes = plan.echoes.iter().any(|echo| echo.path != resource.id.as_deref().unwrap_or_default());
    let own = match (target, operation.role) {
        (Target::Create, _) => return of_creation(operation, resource, plan),
        (Target::Part { .. }, _) => Vec::new(),
        (Target::Added { .. }, _) => vec![plain("added", Promise::Added)],
        (Target::Existing { .. }, Role::Delete) => vec![plain("deleted", Promise::Gone)],
        (Target::Existing { .. }, Role::Update) if echoes => vec![plain("updated", Promise::Changed)],
        (Target::Existing { .. }, Role::Update) => Vec::new(),
        (Target::Existing { .. }, Role::Cancel) => reached(resource, StateClass::TerminalNeutral, ""),
        (Target::Existing { .. }, Role::Act | Role::Create | Role::Read | Role::List) => {
            reached(resource, StateClass::TerminalSuccess, &format!("{}_", identifier(&verb(operation))))
        }
    };
    if own.is_empty() { vec![altered(operation, target)] } else { own }
}

/// Where nothing shows the outcome itself: that the record changed, named after what it changed by.
fn altered(operation: &Operation, target: &Target) -> Level {
    let name = match (target, operation.role) {
        (Target::Existing { .. }, Role::Update) => "changed".to_owned(),
        (_, Role::Delete) => format!("changed_by_delete_{}", identifier(&verb(operation))),
        _ => format!("changed_by_{}", identifier(&verb(operation))),
    };
    plain(&name, Promise::Altered)
}

/// The last word of a path; of a root field its whole name.
fn verb(operation: &Operation) -> String {
    if let Some(root) = &operation.graphql {
        return crate::classify::snake(&root.name);
    }
    let mut words =
        operation.path.split(['/', ':', '#', '?']).filter(|word| !word.contains('{') && !word.is_empty());
    words.next_back().map(crate::classify::snake).unwrap_or_default()
}

fn plain(name: &str, promise: Promise) -> Level {
    Level { name: name.to_owned(), promise, states: Vec::new() }
}

fn of_creation(operation: &Operation, resource: &Resource, plan: &Plan) -> Vec<Level> {
    if !tells_new(resource, plan) && may_be_shown(operation) {
        return vec![plain("shown", Promise::Shown)];
    }
    let Some(lifecycle) = &resource.lifecycle else { return vec![plain("created", Promise::Exists)] };
    let alive: Vec<String> = certain(lifecycle)
        .filter(|state| matches!(state.class, StateClass::Transitional | StateClass::TerminalSuccess))
        .map(|state| state.name.clone())
        .collect();
    let mut levels = vec![Level { name: "created".to_owned(), promise: Promise::Exists, states: alive }];
    for state in certain(lifecycle) {
        let own_event =
            plan.events.iter().any(|event| event.rsplit(['.', '/']).next() == Some(state.name.as_str()));
        let promise = match state.class {
            StateClass::TerminalSuccess => Promise::Reached,
            StateClass::Transitional if own_event => Promise::Reached,
            StateClass::TerminalFailure if own_event && operation.effect == Effect::MessageSend => {
                Promise::Failed
            }
            StateClass::Transitional
            | StateClass::TerminalFailure
            | StateClass::TerminalNeutral
            | StateClass::Unknown => continue,
        };
        let failed = promise == Promise::Failed;
        let states = if failed { vec![state.name.clone()] } else { implied(lifecycle, state) };
        levels.push(Level { name: identifier(&state.name), promise, states });
    }
    levels.dedup_by(|later, first| later.name == first.name);
    levels
}

/// States of a class, each a level; `front` says which of several operations leads there.
fn reached(resource: &Resource, class: StateClass, front: &str) -> Vec<Level> {
    // What parts come to is read from creation on; no baseline shows it.
    let own = resource.lifecycle.iter().filter(|lifecycle| lifecycle.parts.is_none());
    let states = own.flat_map(certain).filter(|state| state.class == class);
    states
        .map(|state| Level {
            name: format!("{front}{}", identifier(&state.name)),
            promise: Promise::Reached,
            states: vec![state.name.clone()],
        })
        .collect()
}

/// States whose class a contract may rest on.
pub(super) fn certain(lifecycle: &Lifecycle) -> impl Iterator<Item = &LifecycleState> {
    lifecycle.states.iter().filter(|state| state.certainty.is_certain() && state.class != StateClass::Unknown)
}

/// The state, and every live state that no record enters without having been in it.
fn implied(lifecycle: &Lifecycle, milestone: &LifecycleState) -> Vec<String> {
    let reachable = reachable_without(lifecycle, &milestone.name);
    certain(lifecycle)
        .filter(|state| {
            let follows = state.from.is_some() && !reachable.contains(state.name.as_str());
            state.name == milestone.name || (follows && !state.class.is_effectless())
        })
        .map(|state| state.name.clone())
        .collect()
}

/// States that a record can be in without ever having been in `barred`. A state whose sources nobody
/// states, or whose stated sources are empty, can be a beginning.
fn reachable_without<'l>(lifecycle: &'l Lifecycle, barred: &str) -> BTreeSet<&'l str> {
    let mut reached = BTreeSet::new();
    loop {
        let before = reached.len();
        for state in lifecycle.states.iter().filter(|state| state.name != barred) {
            let open = match &state.from {
                None => true,
                Some(sources) => {
                    sources.is_empty() || sources.iter().any(|source| reached.contains(source.as_str()))
                }
            };
            if open {
                reached.insert(state.name.as_str());
            }
        }
        if reached.len() == before {
            return reached;
        }
    }
}
