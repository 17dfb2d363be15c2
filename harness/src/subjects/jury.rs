//! Asks every subject at the same moments and holds its answers against what really happened. Whether something is
//! done is read off the oracle's rows; nothing here knows a contract.

use std::collections::BTreeMap;

use provely_evaluator::evaluate::DirectiveAction;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;

use super::{Sheet, Subject};
use crate::book::Sources;
use crate::case::Case;
use crate::play::Play;

/// The name of the skill itself among the subjects.
pub const SKILL: &str = "skill";

/// What came of one case: sheets by subject, in the order of the subjects, the skill itself first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hearing {
    /// One sheet for each ask and subject: place of the subject, and its sheet.
    pub sheets: Vec<(usize, Sheet)>,
    /// Subjects that could not answer: place of the subject, and why.
    pub unable: Vec<(usize, String)>,
    /// How long the first VERIFIED of each ask came after it was done, in milliseconds; only where others are asked.
    pub delays: Vec<i64>,
}

/// The subjects of one case.
pub(crate) struct Jury<'s> {
    subjects: &'s [&'s dyn Subject],
    sheets: BTreeMap<(String, usize), Sheet>,
    unable: Vec<(usize, String)>,
    /// Since when each ask is done.
    done_since: BTreeMap<String, Time>,
    /// How long the first VERIFIED of each ask came after that.
    delays: BTreeMap<String, i64>,
}

/// A moment at which everybody is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment<'m> {
    /// The operation, by its name in the case.
    pub(crate) by: &'m str,
    /// What the skill says.
    pub(crate) skill: Verdict,
    /// What the sources can show.
    pub(crate) sources: Sources,
    /// Nobody asks again.
    pub(crate) is_end: bool,
}

impl<'s> Jury<'s> {
    pub(crate) const fn new(subjects: &'s [&'s dyn Subject]) -> Self {
        Self {
            subjects,
            sheets: BTreeMap::new(),
            unable: Vec::new(),
            done_since: BTreeMap::new(),
            delays: BTreeMap::new(),
        }
    }

    /// Notes what is done by now.
    pub(crate) fn watch(&mut self, play: &mut Play<'_>, case: &Case) {
        if self.subjects.is_empty() {
            return;
        }
        let now = play.now();
        let names: Vec<String> = play.players.keys().cloned().collect();
        for name in names {
            let facts = play.facts(&name, now, Sources::Open, false);
            if facts.is_some_and(|facts| case.oracle.is_done(&facts)) {
                self.done_since.entry(name).or_insert(now);
            } else {
                self.done_since.remove(&name);
            }
        }
    }

    /// Notes that the skill says done.
    pub(crate) fn verified(&mut self, name: &str, now: Time) {
        if let Some(since) = self.done_since.get(name) {
            self.delays.entry(name.to_owned()).or_insert(now.since(*since));
        }
    }

    /// Asks everybody.
    pub(crate) fn hear(&mut self, play: &mut Play<'_>, case: &Case, moment: Moment<'_>) {
        if self.subjects.is_empty() {
            return;
        }
        let Moment { by, skill, sources, is_end } = moment;
        let now = play.now();
        let Some(facts) = play.facts(by, now, sources, is_end) else { return };
        let required = case.oracle.required(&facts).map(|row| row.verdicts.as_slice());
        let safe = is_end && required == Some(&[Verdict::Verified][..]);
        let trap = !case.oracle.is_done(&facts);
        self.note(by, 0, (safe, trap), skill);
        for (place, subject) in (1..).zip(self.subjects) {
            let Some(mut desk) = play.desk(by, is_end) else { continue };
            match subject.answer(&mut desk) {
                Ok(verdict) => self.note(by, place, (safe, trap), verdict),
                Err(why) => self.unable.push((place, why)),
            }
        }
    }

    fn note(&mut self, by: &str, place: usize, (safe, trap): (bool, bool), verdict: Verdict) {
        let sheet = self.sheets.entry((by.to_owned(), place)).or_default();
        let done = verdict == Verdict::Verified;
        sheet.safe |= safe;
        sheet.trap |= trap;
        sheet.false_safe |= trap && done;
        sheet.false_block |= safe && !done;
    }

    pub(crate) fn close(self) -> Hearing {
        let sheets = self.sheets.into_iter().map(|((_, place), sheet)| (place, sheet)).collect();
        Hearing { sheets, unable: self.unable, delays: self.delays.into_values().collect() }
    }
}

impl crate::book::OracleBook {
    /// True if what was asked for is done: no row forbids to say so for what happened. That nobody has read the
    /// version that is asked for, or that the sources are silent, makes it no less done.
    fn is_done(&self, facts: &crate::facts::Facts) -> bool {
        let facts = crate::facts::Facts { covered: true, sources: Sources::Open, ..facts.clone() };
        !self.breaches(&facts, Verdict::Verified, DirectiveAction::None).iter().any(|own| own.critical)
    }
}
