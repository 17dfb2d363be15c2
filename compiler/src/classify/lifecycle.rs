//! Weighs what passages and names say of each state, and asks where nothing certain is said. A guess is never
//! promoted: only a passage about the state, or a reviewer, makes a class certain.

use std::collections::BTreeSet;

use provely_evaluator::contract::StateClass;
use provely_model::{Certainty, Lifecycle, LifecycleState};

use super::cues::{Saying, cues};
use super::statements::{Known, Statement, Talk, statements};
use super::states::StateField;
use super::words::{snake, words};
use crate::source::Answer;
use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// Answers that a reviewer can give to a question about a state.
const ANSWERS: [&str; 6] = [
    "transitional",
    "terminal_success",
    "terminal_success_reversible",
    "terminal_failure",
    "terminal_neutral",
    "unknown",
];

/// A lifecycle with what stayed open.
pub(super) struct Weighed {
    pub(super) lifecycle: Lifecycle,
    pub(super) uncertainties: Vec<Uncertainty>,
    /// Ids of the answers that were used.
    pub(super) answered: Vec<String>,
}

/// The lifecycle of one resource; `place` is where its state field stands in the sources.
pub(super) fn weigh(
    resource: &str,
    (field, place): (&StateField<'_>, String),
    talks: &[Talk],
    review: &[Answer],
) -> Weighed {
    let names: Vec<Option<Saying>> = field.states.iter().map(|state| name_says(state)).collect();
    let siblings: Vec<String> = field
        .owner
        .properties()
        .iter()
        .map(|property| property.name.to_owned())
        .filter(|name| *name != field.name && !field.states.contains(name))
        .collect();
    let known = Known { states: &field.states, names: &names, field: &field.name, siblings: &siblings };
    let said: Vec<(&str, Statement)> = talks
        .iter()
        .flat_map(|talk| statements(talk, &known).into_iter().map(|one| (talk.assertion.as_str(), one)))
        .collect();
    let mut out = Weighed {
        lifecycle: Lifecycle { field: place, path: field.path.clone(), parts: None, states: Vec::new() },
        uncertainties: Vec::new(),
        answered: Vec::new(),
    };
    for (index, name) in field.states.iter().enumerate() {
        let subject = format!("{resource}.{}:{name}", field.name);
        let (state, question) = class(index, name, &said, &names, field, &subject);
        let (state, question) = answered(state, question, review, &mut out.answered);
        out.lifecycle.states.push(state);
        out.uncertainties.extend(question);
    }
    transitions(&mut out.lifecycle.states, &said);
    if field.open && out.lifecycle.states.iter().all(|state| !state.certainty.is_certain()) {
        let question = format!(
            "Is `{}` of {resource} the field that carries its state, and are its states those that its description names?",
            field.name
        );
        let open =
            Uncertainty::new(UncertaintyKind::StateField, format!("{resource}.{}", field.name), question);
        out.uncertainties
            .push(open.with_answers(["yes", "no"]).with_assertions(vec![field.schema.named_assertion()]));
    }
    out
}

/// What the name of a state suggests.
pub(super) fn name_says(name: &str) -> Option<Saying> {
    let table = &cues().states;
    let whole = snake(name);
    let exact = table.exact.iter().find(|(_, names)| names.contains(&whole)).map(|(class, _)| *class);
    let parts = words(name);
    let class = exact.or_else(|| {
        if parts.iter().any(|word| table.neither.contains(word)) {
            return None;
        }
        let classes: BTreeSet<StateClass> = parts
            .iter()
            .flat_map(|word| {
                table.words.iter().filter(move |(_, names)| names.contains(word)).map(|(class, _)| *class)
            })
            .collect();
        classes.first().copied().filter(|_| classes.len() == 1)
    })?;
    match class {
        StateClass::TerminalSuccess => Some(Saying::Success),
        StateClass::TerminalFailure => Some(Saying::Failure),
        StateClass::TerminalNeutral => Some(Saying::Neutral),
        StateClass::Transitional => Some(Saying::Transitional),
        StateClass::Unknown => None,
    }
}

const fn class_of(saying: Saying) -> StateClass {
    match saying {
        Saying::Success => StateClass::TerminalSuccess,
        Saying::Failure => StateClass::TerminalFailure,
        Saying::Neutral => StateClass::TerminalNeutral,
        Saying::Transitional => StateClass::Transitional,
        Saying::Temporary | Saying::Ended | Saying::Nothing => StateClass::Unknown,
    }
}

/// What the votes and the name come to.
enum Outcome {
    Documented(Saying),
    Lexical(Saying),
    Conflict,
    Silent,
}

fn decide(votes: &BTreeSet<Saying>, name: Option<Saying>, strong: bool) -> Outcome {
    let ended = votes.contains(&Saying::Ended);
    let classes: Vec<Saying> = votes.iter().copied().filter(|saying| *saying != Saying::Ended).collect();
    match (classes.as_slice(), name) {
        ([], Some(Saying::Success)) if ended && strong => Outcome::Documented(Saying::Success),
        ([], Some(name)) => Outcome::Lexical(name),
        ([], None) => Outcome::Silent,
        ([one], None) => Outcome::Documented(*one),
        ([one], Some(name)) if *one == name => Outcome::Documented(*one),
        (several, Some(name))
            if !several.contains(&Saying::Success) && several.contains(&name) && ends(several) =>
        {
            Outcome::Documented(name)
        }
        ([_] | [_, ..], _) => Outcome::Conflict,
    }
}

/// Failures and calling off are told apart by the name.
fn ends(several: &[Saying]) -> bool {
    several.iter().all(|saying| matches!(saying, Saying::Failure | Saying::Neutral))
}

fn class(
    index: usize,
    name: &str,
    said: &[(&str, Statement)],
    names: &[Option<Saying>],
    field: &StateField<'_>,
    subject: &str,
) -> (LifecycleState, Option<Uncertainty>) {
    let about = |statement: &Statement| match statement {
        Statement::Means { state, saying } if *state == index => Some(*saying),
        Statement::Means { .. }
        | Statement::Moves { .. }
        | Statement::Entered { .. }
        | Statement::EnteredFromElsewhere { .. }
        | Statement::NotFinal { .. } => None,
    };
    let votes: BTreeSet<Saying> = said.iter().filter_map(|(_, statement)| about(statement)).collect();
    let strong = cues().states.strong_success.contains(&snake(name));
    let outcome = decide(&votes, names.get(index).copied().flatten(), strong);
    let mut seen: Vec<String> = Vec::new();
    for (assertion, statement) in said {
        if about(statement).is_some() && !seen.iter().any(|known| known == assertion) {
            seen.push((*assertion).to_owned());
        }
    }
    let fallback = || vec![field.schema.assertion()];
    let state = |class, certainty, assertions| LifecycleState {
        name: name.to_owned(),
        class,
        certainty,
        reversible: false,
        from: None,
        assertions,
    };
    let ask = |kind, question: String, seen: Vec<String>| {
        Some(Uncertainty::new(kind, subject, question).with_answers(ANSWERS).with_assertions(seen))
    };
    match outcome {
        Outcome::Documented(saying) => (state(class_of(saying), Certainty::Documented, seen), None),
        Outcome::Lexical(saying) => {
            let word = class_name(class_of(saying));
            let question = format!(
                "The name `{name}` suggests {word}, but no passage says what the state means. What does it mean?"
            );
            (
                state(class_of(saying), Certainty::Lexical, fallback()),
                ask(UncertaintyKind::StateClass, question, fallback()),
            )
        }
        Outcome::Conflict => {
            let question = format!(
                "Passages about `{name}`, or a passage and the name, say different things. What does the state mean?"
            );
            (
                state(StateClass::Unknown, Certainty::None, seen.clone()),
                ask(UncertaintyKind::StateConflict, question, seen),
            )
        }
        Outcome::Silent => {
            let question = format!("No passage says what the state `{name}` means. What does it mean?");
            (
                state(StateClass::Unknown, Certainty::None, fallback()),
                ask(UncertaintyKind::StateClass, question, fallback()),
            )
        }
    }
}

const fn class_name(class: StateClass) -> &'static str {
    match class {
        StateClass::Transitional => "transitional",
        StateClass::TerminalSuccess => "terminal_success",
        StateClass::TerminalFailure => "terminal_failure",
        StateClass::TerminalNeutral => "terminal_neutral",
        StateClass::Unknown => "unknown",
    }
}

/// Takes a reviewer's answer, if there is one for the question.
fn answered(
    state: LifecycleState,
    question: Option<Uncertainty>,
    review: &[Answer],
    used: &mut Vec<String>,
) -> (LifecycleState, Option<Uncertainty>) {
    let Some(open) = question else { return (state, None) };
    let Some(answer) = review.iter().find(|answer| answer.uncertainty == open.id) else {
        return (state, Some(open));
    };
    let (class, reversible) = match answer.answer.as_str() {
        "transitional" => (StateClass::Transitional, false),
        "terminal_success" => (StateClass::TerminalSuccess, false),
        "terminal_success_reversible" => (StateClass::TerminalSuccess, true),
        "terminal_failure" => (StateClass::TerminalFailure, false),
        "terminal_neutral" => (StateClass::TerminalNeutral, false),
        "unknown" => (StateClass::Unknown, false),
        _ => return (state, Some(open)),
    };
    used.push(open.id);
    let assertions = vec![answer.assertion.clone()];
    (LifecycleState { class, certainty: Certainty::Reviewed, reversible, assertions, ..state }, None)
}

/// Which state can be entered from which, and which success can turn.
fn transitions(states: &mut [LifecycleState], said: &[(&str, Statement)]) {
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
            Statement::Means { .. } => {}
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
