//! What the names of states suggest, each by itself and beside the others. Must not read passages: a name is
//! a hint, never a proof.

use provely_evaluator::contract::StateClass;

use super::cues::{Saying, StateNames, cues};
use super::words::{snake, words};

/// What a name suggests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Hint {
    /// The class, as a saying.
    pub(super) saying: Option<Saying>,
    /// The word means the same whatever the record is.
    pub(super) strong: bool,
    /// The name says that only a part is done.
    pub(super) partial: bool,
    /// The name says that nothing is known.
    pub(super) blank: bool,
    /// The name says that the thing itself is done, not only agreed to.
    pub(super) done: bool,
    /// The record runs until an end: a word for an end does not tell whether that has come.
    pub(super) runs: bool,
    /// The name says that somebody called it off.
    pub(super) called_off: bool,
}

/// What the names of a field's states suggest.
pub(super) fn hints(states: &[String]) -> Vec<Hint> {
    let beside_only = &cues().states.only_beside;
    let ends_process = |state: &str| {
        let stem = state.to_lowercase();
        let stem = stem.strip_suffix("ed").map(|stem| format!("{stem}ing"));
        stem.is_some_and(|running| states.iter().any(|other| other.to_lowercase() == running))
    };
    let lone = |state: &str| {
        let needs = beside_only.get(&snake(state));
        needs.is_some_and(|needs| !states.iter().any(|other| needs.contains(&snake(other))))
    };
    let one = |state: &String| match hint(state) {
        _ if lone(state) => Hint::default(),
        // What ends a step that is a state too need not be on its way any more.
        Hint { saying: Some(Saying::Transitional), strong: false, .. } if ends_process(state) => {
            Hint::default()
        }
        own => own,
    };
    let alone: Vec<(Hint, Option<usize>)> = states.iter().map(|state| (one(state), rung(state))).collect();
    let top = alone
        .iter()
        .filter(|(hint, _)| hint.saying == Some(Saying::Success))
        .filter_map(|(_, rung)| *rung)
        .max();
    let plain_failure =
        states.iter().any(|state| words(state).len() == 1 && hint(state).saying == Some(Saying::Failure));
    let contest = states.iter().any(|state| cues().states.contest.contains(&snake(state)));
    let named = states.iter().zip(alone);
    named
        .map(|(state, (hint, rung))| {
            if contest && rung == Some(0) && hint.saying == Some(Saying::Success) {
                return Hint::default();
            }
            let of_other = plain_failure && shares_front(state, states) && !goes(hint);
            if of_other {
                Hint { partial: hint.partial, blank: hint.blank, ..Hint::default() }
            } else {
                step(beside(hint, rung, top), state, plain_failure)
            }
        })
        .collect()
}

fn goes(hint: Hint) -> bool {
    hint.saying == Some(Saying::Transitional)
}

/// Another state begins with the same word: a process of its own, whose end is not that of the record. A word
/// that itself says how the record stands is no process.
fn shares_front(state: &str, states: &[String]) -> bool {
    let own = words(state);
    if own.first().is_some_and(|first| hint(first).saying.is_some()) {
        return false;
    }
    let same = |other: &&String| words(other).first() == own.first() && other.as_str() != state;
    own.len() > 1 && states.iter().any(|other| same(&other))
}

/// Beside a plain failure one with more words may be that of a step.
fn step(hint: Hint, state: &str, plain_failure: bool) -> Hint {
    let known = cues().states.strong.values().any(|names| names.contains(&snake(state)));
    let of_step = plain_failure && hint.saying == Some(Saying::Failure) && words(state).len() > 1 && !known;
    Hint { strong: hint.strong && !of_step, ..hint }
}

/// Where another field carries the outcome, words that only say that it is over suggest nothing.
pub(super) fn without_outcome(hints: &mut [Hint], states: &[String]) {
    if hints.iter().any(|hint| hint.saying == Some(Saying::Failure)) {
        return;
    }
    for (hint, state) in hints.iter_mut().zip(states) {
        if cues().states.over.contains(&snake(state)) {
            *hint = Hint { blank: true, ..Hint::default() };
        }
    }
}

/// A success beside one that lies further on is a step to it, or nothing is said.
fn beside(hint: Hint, rung: Option<usize>, top: Option<usize>) -> Hint {
    match (hint.saying, rung, top) {
        (Some(Saying::Success), Some(own), Some(top)) if own < top && own < DONE => {
            Hint { saying: Some(Saying::Transitional), ..Hint::default() }
        }
        (Some(Saying::Success), Some(own), Some(top)) if own < top => Hint::default(),
        _ => hint,
    }
}

/// The rung from which on the thing itself is done: not only agreed to, nor in force.
const DONE: usize = 2;

/// How far on a success lies: words of agreement, of what is in force, of the thing done, of the whole finished.
fn rung(name: &str) -> Option<usize> {
    let (whole, parts) = (snake(name), words(name));
    cues()
        .states
        .ladder
        .iter()
        .rposition(|rung| rung.contains(&whole) || parts.last().is_some_and(|last| rung.contains(last)))
}

/// What one name suggests by itself.
pub(super) fn hint(name: &str) -> Hint {
    let table = &cues().states;
    let (whole, parts) = (snake(name), words(name));
    let exact = table.exact.iter().find(|(_, names)| names.contains(&whole)).map(|(class, _)| *class);
    if parts.iter().any(|word| table.blank.contains(word)) {
        return Hint { blank: true, ..Hint::default() };
    }
    let partial = parts.iter().any(|word| table.partial.contains(word));
    let Some(class) = exact.or_else(|| of_words(table, &parts)) else {
        return Hint { partial, ..Hint::default() };
    };
    let edge = [parts.last(), parts.first().filter(|_| class == StateClass::Transitional)];
    let strong = table.strong.get(&class).is_some_and(|names| {
        let heads = || edge.into_iter().flatten().any(|word| names.contains(word));
        names.contains(&whole) || (exact.is_none() && heads())
    });
    let moving = class == StateClass::Transitional && parts.iter().any(|word| goes_on(table, word));
    Hint {
        saying: saying_of(class),
        strong: strong || moving,
        partial,
        blank: false,
        done: rung(name).is_some_and(|rung| rung >= DONE),
        runs: false,
        called_off: parts.iter().any(|word| table.called_off.contains(word)),
    }
}

fn of_words(table: &StateNames, parts: &[String]) -> Option<StateClass> {
    if parts.iter().any(|word| table.undoing.contains(word)) {
        return None;
    }
    let edge = [parts.first(), parts.last()];
    if edge.into_iter().flatten().any(|word| table.waiting.contains(word)) {
        return Some(StateClass::Transitional);
    }
    if parts.iter().any(|word| table.neither.contains(word)) {
        return None;
    }
    let class = |word: &String| {
        let listed = table.words.iter().find(|(_, names)| names.contains(word)).map(|(class, _)| *class);
        listed.or_else(|| goes_on(table, word).then_some(StateClass::Transitional))
    };
    let mut classes: Vec<StateClass> = parts.iter().filter_map(class).collect();
    classes.dedup();
    // "Declined for renegotiation": what it was ended for goes on.
    let purpose = parts.iter().skip(1).any(|word| word == "for");
    match classes.as_slice() {
        [only] if purpose && *only != StateClass::Transitional => None,
        [only] => Some(*only),
        [.., last] if parts.last().and_then(class) == Some(*last) && last.is_effectless() => Some(*last),
        _ => None,
    }
}

/// A verb in the progressive form.
fn goes_on(table: &StateNames, word: &str) -> bool {
    word.len() > 5 && word.ends_with("ing") && !table.no_progress.contains(word)
}

pub(super) const fn saying_of(class: StateClass) -> Option<Saying> {
    match class {
        StateClass::TerminalSuccess => Some(Saying::Success),
        StateClass::TerminalFailure => Some(Saying::Failure),
        StateClass::TerminalNeutral => Some(Saying::Neutral),
        StateClass::Transitional => Some(Saying::Transitional),
        StateClass::Unknown => None,
    }
}

pub(super) const fn class_of(saying: Saying) -> StateClass {
    match saying {
        Saying::Success => StateClass::TerminalSuccess,
        Saying::Failure => StateClass::TerminalFailure,
        Saying::Neutral => StateClass::TerminalNeutral,
        Saying::Transitional => StateClass::Transitional,
        Saying::Temporary | Saying::Ended | Saying::Partial | Saying::Begun | Saying::Nothing => {
            StateClass::Unknown
        }
    }
}

/// A contest that is over has been decided, in whose favour is not told by words that say no more.
pub(super) fn undecided(hints: &mut [Hint], states: &[String]) {
    for (hint, state) in hints.iter_mut().zip(states) {
        let name = snake(state);
        if cues().states.over.contains(&name) || cues().states.undecided.contains(&name) {
            *hint = Hint { blank: true, ..Hint::default() };
        }
    }
}

/// What runs until its end can be called off long before, and expires when it has done what it was for: how it
/// ended is not told by one word.
pub(super) fn while_it_runs(hints: &mut [Hint]) {
    for hint in hints.iter_mut().filter(|hint| matches!(hint.saying, Some(Saying::Failure | Saying::Neutral)))
    {
        hint.strong = false;
        hint.runs = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(name: &str) -> Option<Saying> {
        hint(name).saying
    }

    #[test]
    fn names_are_read_in_any_spelling() {
        for name in ["in_progress", "IN_PROGRESS", "inProgress", "in-progress", "In Progress"] {
            assert_eq!(says(name), Some(Saying::Transitional), "{name}");
        }
        assert_eq!(says("VerificationFailed"), Some(Saying::Failure));
        assert_eq!(says("refund-pending"), Some(Saying::Transitional));
        assert_eq!(says("reindexing"), Some(Saying::Transitional));
    }

    #[test]
    fn a_name_that_does_not_settle_it_suggests_nothing() {
        for name in ["partially_paid", "succeeded_with_errors", "not_paid", "outstanding", "blue", "unknown"]
        {
            assert_eq!(says(name), None, "{name}");
        }
    }

    #[test]
    fn a_step_is_no_success_beside_one_further_on() {
        let of = |names: &[&str]| -> Vec<Option<Saying>> {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            hints(&names).into_iter().map(|hint| hint.saying).collect()
        };
        assert_eq!(of(&["approved", "completed"]), [Some(Saying::Transitional), Some(Saying::Success)]);
        assert_eq!(of(&["paid", "completed"]), [None, Some(Saying::Success)]);
        assert_eq!(of(&["accepted", "won"]), [None, Some(Saying::Success)]);
        assert_eq!(of(&["approved", "rejected"]), [Some(Saying::Success), Some(Saying::Failure)]);
    }
}
