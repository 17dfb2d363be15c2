//! From state words of a case to scripts in states of a lifecycle. It must not decide what a state proves.

use std::collections::{BTreeMap, VecDeque};

use provely_evaluator::contract::StateClass;
use provely_model::Lifecycle;
use provely_simulator::{PartScript, Script};

use crate::book::{Life, Move, Part, Span, StateWord};
use crate::level::Promise;

/// A word that no lifecycle lists.
pub(crate) const UNLISTED: &str = "zz_nobody_listed_this";

/// What stands between two states of one way, in milliseconds.
const STRIDE_MS: i64 = 500;

/// The lifecycle of a case, with what its words mean.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words<'c> {
    pub(crate) lifecycle: &'c Lifecycle,
    pub(crate) promise: &'c Promise,
    pub(crate) this: Option<&'c str>,
}

impl<'c> Words<'c> {
    /// The state that records are born in: the rule of the simulator, transitional before others.
    pub(crate) fn first(&self) -> Option<&'c str> {
        let free = |state: &&provely_model::LifecycleState| state.from.as_ref().is_none_or(Vec::is_empty);
        let moving = || self.lifecycle.of_class(StateClass::Transitional);
        let found = moving().find(free).or_else(|| moving().next()).or(self.lifecycle.states.first());
        found.map(|state| state.name.as_str())
    }

    /// The state that keeps the promise.
    pub(crate) fn promised(&self) -> Option<&'c str> {
        let first = self.first()?;
        let reachable = |state: &&str| *state == first || self.way(first, state).is_some();
        match self.promise {
            Promise::Reaches(states) => {
                let mut names = states.iter().map(String::as_str);
                names.clone().find(reachable).or_else(|| names.next())
            }
            Promise::Exists | Promise::Present | Promise::Changed | Promise::Altered | Promise::Gone => {
                let of = |class| self.lifecycle.of_class(class).map(|state| state.name.as_str());
                let mut names = of(StateClass::TerminalSuccess).chain(of(StateClass::Transitional));
                names.find(reachable)
            }
        }
    }

    /// A failure, after the promised state if the lifecycle has such a move.
    pub(crate) fn failure(&self) -> Option<&'c str> {
        let failures =
            || self.lifecycle.of_class(StateClass::TerminalFailure).map(|state| state.name.as_str());
        let after = self.promised().and_then(|from| failures().find(|to| self.lifecycle.allows(from, to)));
        after.or_else(|| failures().next())
    }

    /// A state in which a record may be that is then taken to the promised one.
    pub(crate) fn before(&self) -> Option<&'c str> {
        let kept = |state: &str| self.promise.is_kept(Some(self.lifecycle), Some(state));
        let of = |class| self.lifecycle.of_class(class).map(|state| state.name.as_str());
        let alive = || of(StateClass::Transitional).chain(of(StateClass::TerminalSuccess));
        let all = || alive().chain(self.lifecycle.states.iter().map(|state| state.name.as_str()));
        let Promise::Reaches(states) = self.promise else { return alive().next() };
        let leads = |from: &&str| !kept(from) && states.iter().any(|to| self.lifecycle.allows(from, to));
        all().find(leads).or_else(|| all().find(|state| !kept(state)))
    }

    /// The state of a word.
    pub(crate) fn state(&self, word: StateWord) -> Option<&'c str> {
        match word {
            StateWord::This => self.this,
            StateWord::Promised => self.promised(),
            StateWord::Before => self.before(),
            StateWord::Failure => self.failure(),
            StateWord::Unlisted => Some(UNLISTED),
        }
    }

    /// The script of a record, given the time that the operation has.
    pub(crate) fn script(&self, life: Option<&Life>, allowed_ms: i64) -> Script {
        let born = life.and_then(|life| life.born).and_then(|word| self.state(word)).or_else(|| self.first());
        let mut script = self.script_from(born.unwrap_or_default(), life, allowed_ms);
        script.initial = born.map(str::to_owned);
        let parts = life.and_then(|life| life.parts.as_ref());
        script.parts = parts.map(|parts| parts.iter().map(|part| self.part(part, allowed_ms)).collect());
        script
    }

    fn part(&self, part: &Part, allowed_ms: i64) -> PartScript {
        let first = self.first();
        let life = Life { moves: part.moves.clone(), ..Life::default() };
        PartScript {
            share: part.share.unwrap_or(1000),
            other_kind: part.other_kind,
            test: part.test,
            by_hand: part.by_hand,
            initial: first.map(str::to_owned),
            moves: self.script_from(first.unwrap_or_default(), Some(&life), allowed_ms).moves,
        }
    }

    /// The script of a record that stands in a state already.
    pub(crate) fn script_from(&self, state: &str, life: Option<&Life>, allowed_ms: i64) -> Script {
        let usual;
        let life = match life {
            Some(life) => life,
            None => {
                let moves = vec![Move { after: Span::Millis(3_000), to: StateWord::Promised }];
                usual = Life { moves, ..Life::default() };
                &usual
            }
        };
        // A class that nobody stated bars no way here, but may at the provider.
        let unstated = self.lifecycle.states.iter().any(|state| !state.certainty.is_certain());
        let mut script = Script { forced: unstated, ..Script::default() };
        let mut stands = state;
        let mut since = 0;
        for step in &life.moves {
            let Some(to) = self.state(step.to).filter(|to| *to != stands) else { continue };
            let at = step.after.millis(allowed_ms);
            match self.way(stands, to) {
                None => script.forced = true,
                Some(way) => {
                    for (place, state) in (1..).zip(way) {
                        let early = (since + STRIDE_MS * place).min(at);
                        script.moves.push((u64::try_from(early).unwrap_or(0), state.to_owned()));
                    }
                }
            }
            script.moves.push((u64::try_from(at).unwrap_or(0), to.to_owned()));
            (stands, since) = (to, at);
        }
        script
    }

    /// The states between two states, by the shortest way that the lifecycle allows.
    fn way(&self, from: &str, to: &str) -> Option<Vec<&'c str>> {
        let from = self.lifecycle.states.iter().map(|state| state.name.as_str()).find(|own| *own == from)?;
        let mut came: BTreeMap<&'c str, &'c str> = BTreeMap::new();
        let mut open = VecDeque::from([from]);
        while let Some(state) = open.pop_front() {
            for next in self.lifecycle.states.iter().map(|state| state.name.as_str()) {
                if next == from || came.contains_key(next) || !self.lifecycle.allows(state, next) {
                    continue;
                }
                came.insert(next, state);
                open.push_back(next);
            }
        }
        let mut way = Vec::new();
        let mut state = *came.get(to)?;
        while state != from {
            way.push(state);
            state = came.get(state)?;
        }
        way.reverse();
        Some(way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use provely_model::{Certainty, LifecycleState};

    fn lifecycle() -> Lifecycle {
        let state = |name: &str, class, from: &[&str]| LifecycleState {
            name: name.into(),
            class,
            certainty: Certainty::Documented,
            reversible: class == StateClass::TerminalSuccess,
            from: Some(from.iter().map(|name| (*name).to_owned()).collect()),
            assertions: Vec::new(),
        };
        Lifecycle {
            field: String::new(),
            path: "@.state".into(),
            parts: None,
            states: vec![
                state("queued", StateClass::Transitional, &[]),
                state("sent", StateClass::Transitional, &["queued"]),
                state("there", StateClass::TerminalSuccess, &["sent"]),
                state("lost", StateClass::TerminalFailure, &["queued", "there"]),
            ],
        }
    }

    #[test]
    fn a_script_passes_the_states_on_the_way() {
        let lifecycle = lifecycle();
        let promise = Promise::Reaches(vec!["there".into()]);
        let words = Words { lifecycle: &lifecycle, promise: &promise, this: None };
        let script = words.script(None, 0);
        assert_eq!(script.moves, [(500, "sent".to_owned()), (3_000, "there".to_owned())]);
        assert!(!script.forced && script.initial.as_deref() == Some("queued"));
        assert_eq!(words.failure(), Some("lost"));
    }

    #[test]
    fn a_word_nobody_listed_is_forced() {
        let lifecycle = lifecycle();
        let words = Words { lifecycle: &lifecycle, promise: &Promise::Exists, this: None };
        let moves = vec![Move { after: Span::Half, to: StateWord::Unlisted }];
        let script = words.script(Some(&Life { moves, ..Life::default() }), 10_000);
        assert_eq!(script.moves, [(5_000, UNLISTED.to_owned())]);
        assert!(script.forced);
    }
}
