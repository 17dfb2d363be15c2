//! Which state can be entered from which, and which success can turn, as passages say it. Must not change a
//! class.

use std::collections::BTreeSet;

use provely_evaluator::contract::StateClass;
use provely_model::LifecycleState;

use super::statements::Statement;

/// Which state can be entered from which, and which success can turn.
pub(super) fn transitions(states: &mut [LifecycleState], said: &[(&str, Statement)]) {
    let mut edges: Vec<(usize, usize, &str)> = Vec::new();
    let mut listed: BTreeSet<usize> = BTreeSet::new();
    let mut elsewhere: BTreeSet<usize> = BTreeSet::new();
    for (assertion, statement) in said {
        match statement {
            Statement::Moves { from, to } => edges.push((*from, *to, assertion)),
            Statement::Entered { to, from } => {
                listed.insert(*to);
                edges.extend(from.iter().map(|from| (*from, *to, *assertion)));
            }
            Statement::EnteredFromElsewhere { to } => {
                elsewhere.insert(*to);
            }
            Statement::NotFinal { state } => turn(states, *state, assertion),
            Statement::Means { .. }
            | Statement::Defined { .. }
            | Statement::Ends { .. }
            | Statement::Occurs { .. }
            | Statement::Affirmed { .. }
            | Statement::Left { .. }
            | Statement::Varies { .. }
            | Statement::Explained { .. }
            | Statement::Happened { .. } => {}
        }
    }
    for (from, to, assertion) in &edges {
        let leaves = states.get(*to).is_some_and(|state| state.class != StateClass::TerminalSuccess);
        if leaves {
            turn(states, *from, assertion);
        }
    }
    let usual: Vec<Vec<usize>> = (0..states.len()).map(|to| usual_sources(states, to)).collect();
    for (to, usual) in usual.iter().enumerate() {
        let mut from: BTreeSet<usize> =
            edges.iter().filter(|(_, target, _)| *target == to).map(|(from, _, _)| *from).collect();
        let widens = from.iter().any(|source| !usual.contains(source));
        if elsewhere.contains(&to) || !(listed.contains(&to) || widens) {
            continue;
        }
        if !listed.contains(&to) {
            from.extend(usual.iter().copied());
        }
        let names =
            from.iter().filter_map(|index| states.get(*index)).map(|state| state.name.clone()).collect();
        let sources = edges.iter().filter(|(_, target, _)| *target == to).map(|(_, _, assertion)| *assertion);
        let sources: Vec<String> = sources.map(str::to_owned).collect();
        if let Some(state) = states.get_mut(to) {
            state.from = Some(names);
            cite(state, sources);
        }
    }
}

fn cite(state: &mut LifecycleState, assertions: impl IntoIterator<Item = String>) {
    for assertion in assertions {
        if !state.assertions.contains(&assertion) {
            state.assertions.push(assertion);
        }
    }
}

fn turn(states: &mut [LifecycleState], index: usize, assertion: &str) {
    if let Some(state) = states.get_mut(index).filter(|state| state.class == StateClass::TerminalSuccess) {
        state.reversible = true;
        cite(state, [assertion.to_owned()]);
    }
}

/// Where a state comes from when no source says: what the model takes for granted.
fn usual_sources(states: &[LifecycleState], to: usize) -> Vec<usize> {
    let Some(target) = states.get(to) else { return Vec::new() };
    let reaches = |state: &LifecycleState| match state.class {
        StateClass::Transitional | StateClass::Unknown => true,
        StateClass::TerminalSuccess => state.reversible && target.class.is_effectless(),
        StateClass::TerminalFailure | StateClass::TerminalNeutral => false,
    };
    states
        .iter()
        .enumerate()
        .filter(|(index, state)| *index != to && reaches(state))
        .map(|(index, _)| index)
        .collect()
}
