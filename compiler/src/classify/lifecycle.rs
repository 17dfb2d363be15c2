//! Weighs what passages and names say of each state, and asks where nothing certain is said. A guess is never
//! promoted: only a passage about the state, or a reviewer, makes a class certain.

use provely_evaluator::contract::StateClass;
use provely_model::{Certainty, Lifecycle, LifecycleState};

use super::cues::{Saying, cues};
use super::names::{Hint, class_of, hints, undecided, while_it_runs, without_outcome};
use super::statements::{Known, Statement, Talk, statements};
use super::states::StateField;
use super::transitions::transitions;
use super::weighing::{Evidence, Outcome, decide};
use super::words::{singular, words};
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
    talks: &[&Talk],
    review: &[Answer],
) -> Weighed {
    let own = if field.further { "" } else { resource.rsplit('.').next().unwrap_or(resource) };
    // A number tells records of one name apart.
    let named = words(own).into_iter().filter(|word| !word.chars().all(|letter| letter.is_ascii_digit()));
    let record: Vec<String> = named.map(|word| singular(&word)).collect();
    let mut hints = hints(&field.called);
    if field.outcome_elsewhere {
        without_outcome(&mut hints, &field.called);
    }
    if record.iter().any(|word| cues().states.running.contains(word)) {
        while_it_runs(&mut hints);
    }
    if record.iter().any(|word| cues().states.contests.contains(word)) {
        undecided(&mut hints, &field.called);
    }
    let siblings: Vec<String> = field
        .owner
        .properties()
        .iter()
        .map(|property| property.name.to_owned())
        .filter(|name| *name != field.name && !field.states.contains(name))
        .collect();
    let above = field.path.rsplit_once('.').map_or("", |(above, _)| above);
    let holders: Vec<String> = words(above).iter().map(|word| singular(word)).collect();
    let known = Known {
        states: &field.states,
        hints: &hints,
        record: &record,
        field: &field.name,
        holders: &holders,
        siblings: &siblings,
    };
    let said: Vec<(&str, Statement)> = talks
        .iter()
        .flat_map(|talk| statements(talk, &known).into_iter().map(|one| (talk.assertion.as_str(), one)))
        .collect();
    let mut out = Weighed {
        lifecycle: Lifecycle {
            field: place,
            path: field.path.clone(),
            parts: field.parts.clone(),
            states: Vec::new(),
        },
        uncertainties: Vec::new(),
        answered: Vec::new(),
    };
    for (index, name) in field.states.iter().enumerate() {
        let subject = format!("{resource}.{}:{name}", field.name);
        let (state, question) = class(index, name, &said, &hints, field, &subject);
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

fn class(
    index: usize,
    name: &str,
    said: &[(&str, Statement)],
    hints: &[Hint],
    field: &StateField<'_>,
    subject: &str,
) -> (LifecycleState, Option<Uncertainty>) {
    let mut others = hints.iter().enumerate().filter(|(other, _)| *other != index);
    let over = |other: usize| {
        field.called.get(other).is_some_and(|name| cues().states.over.contains(&super::words::snake(name)))
    };
    let other_over = others.clone().any(|(other, _)| over(other));
    let other_success = others.any(|(_, hint)| hint.saying == Some(Saying::Success));
    let mut evidence = Evidence::of(index, said.iter().map(|(_, statement)| statement), other_success);
    evidence.other_over = other_over;
    evidence.after_success = after_success(index, said, hints);
    let outcome = decide(&evidence, hints.get(index).copied().unwrap_or_default());
    let mut seen = passages(index, said, outcome);
    let (class, certainty) = match outcome {
        Outcome::Documented(saying) => (class_of(saying), Certainty::Documented),
        Outcome::Lexical { saying, .. } => (class_of(saying), Certainty::Lexical),
        Outcome::AgainstName { .. } | Outcome::Divided | Outcome::Partial | Outcome::Silent { .. } => {
            (StateClass::Unknown, Certainty::None)
        }
    };
    if seen.is_empty() {
        seen.push(field.schema.assertion());
    }
    let question = question(name, outcome).map(|(kind, question)| {
        Uncertainty::new(kind, subject, question).with_answers(ANSWERS).with_assertions(seen.clone())
    });
    let state = LifecycleState {
        name: name.to_owned(),
        class,
        certainty,
        reversible: false,
        from: None,
        assertions: seen,
    };
    (state, question)
}

/// A state is said to be entered, and only from states that are called successes.
fn after_success(index: usize, said: &[(&str, Statement)], hints: &[Hint]) -> bool {
    let success = |state: &usize| hints.get(*state).is_some_and(|hint| hint.saying == Some(Saying::Success));
    let mut sources = said.iter().filter_map(|(_, statement)| match statement {
        Statement::Entered { to, from } if *to == index => Some(from),
        _ => None,
    });
    sources.clone().next().is_some() && sources.all(|from| from.iter().all(success))
}

/// The passages that an outcome rests on, those that say it outright before those that only speak of the state.
fn passages(index: usize, said: &[(&str, Statement)], outcome: Outcome) -> Vec<String> {
    let outright = |statement: &Statement| match (statement, outcome) {
        (Statement::Means { saying, .. }, Outcome::Documented(wanted)) => {
            *saying == wanted || *saying == Saying::Ended
        }
        (Statement::Means { .. }, _) => true,
        (Statement::Happened { .. } | Statement::Occurs { .. }, Outcome::Documented(Saying::Success)) => true,
        _ => false,
    };
    let of = |wanted: &dyn Fn(&Statement) -> bool| {
        let mut seen: Vec<String> = Vec::new();
        for (assertion, _) in said.iter().filter(|(_, one)| one.about() == Some(index) && wanted(one)) {
            if !seen.iter().any(|known| known == assertion) {
                seen.push((*assertion).to_owned());
            }
        }
        seen
    };
    let mut tiers =
        [of(&outright), of(&|one| matches!(one, Statement::Defined { .. })), of(&|_| true)].into_iter();
    tiers.find(|seen| !seen.is_empty()).unwrap_or_default()
}

/// The question that an outcome leaves, true to what is missing.
fn question(name: &str, outcome: Outcome) -> Option<(UncertaintyKind, String)> {
    let word = |saying: Saying| class_name(class_of(saying));
    let asked = match outcome {
        Outcome::Documented(_) => return None,
        Outcome::Lexical { saying, explained: false } => (
            UncertaintyKind::StateClass,
            format!(
                "The name `{name}` suggests {}, but no passage says what the state means. What does it mean?",
                word(saying)
            ),
        ),
        Outcome::Lexical { saying, explained: true } => (
            UncertaintyKind::StateClass,
            format!(
                "The name `{name}` suggests {}; passages speak of the state, but none says so. What does it mean?",
                word(saying)
            ),
        ),
        Outcome::AgainstName { said, name: named } => (
            UncertaintyKind::StateConflict,
            format!(
                "The name `{name}` suggests {}, a passage {}. What does the state mean?",
                word(named),
                word(said)
            ),
        ),
        Outcome::Divided => (
            UncertaintyKind::StateConflict,
            format!("Passages about `{name}` say different things. What does the state mean?"),
        ),
        Outcome::Partial => (
            UncertaintyKind::StateConflict,
            format!(
                "A passage says that only a part is done in `{name}`. How does the state count for the whole?"
            ),
        ),
        Outcome::Silent { explained: false } => (
            UncertaintyKind::StateClass,
            format!("No passage says what the state `{name}` means. What does it mean?"),
        ),
        Outcome::Silent { explained: true } => (
            UncertaintyKind::StateClass,
            format!(
                "Passages speak of `{name}`, but neither they nor its name say whether it ends, and how. What does it mean?"
            ),
        ),
    };
    Some(asked)
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
