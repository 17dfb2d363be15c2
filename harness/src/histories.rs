//! Randomised histories: what may happen between an agent, a provider and those about, drawn from a seed, played on the
//! stage of the cases, and held against the oracle.
//!
//! ```text
//! (contract, seed) -> draw -> script of a case -> play -> every answer -> rows of `never` -> Figures
//! ```
//!
//! The same entries, count and seed give the same figures on any number of threads. A history that goes wrong replays
//! from its contract and seed. Nothing here reads a contract to say what is right, and no provider is named.

mod clear;
mod dice;
mod draw;
mod figures;
mod ground;
mod judge;
mod shrink;
mod text;
mod verifier;

use std::sync::Arc;

use provely_evaluator::load::Program;
use provely_model::Service;
use provely_simulator::Blueprint;
use rayon::prelude::*;

use crate::book::{CaseBook, OracleBook};
use crate::level::Level;
use crate::oracle::Never;
use crate::play::{Looks, Stuck};
use crate::stage::{Setup, Stage};
use draw::Drawn;
use ground::Ground;
use judge::Outcome;

pub use draw::Behaviour;
pub use figures::{Figures, Finding};
pub use verifier::{Contract, Verifier};

/// A contract and what its level promises.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'e> {
    /// The contract.
    pub program: &'e Program,
    /// The id of the acting operation.
    pub operation: &'e str,
    /// Its level.
    pub level: &'e Level,
}

/// The levels of a service, ready for any number of histories.
#[derive(Debug)]
pub struct Histories<'s> {
    scenes: Vec<Scene<'s>>,
    never: Never,
    rows: Vec<&'s str>,
    looks: Looks,
}

#[derive(Debug)]
struct Scene<'s> {
    contract: &'s str,
    stage: Stage<'s>,
    ground: Ground,
}

impl<'s> Histories<'s> {
    /// Makes the levels ready that can be simulated; the others are left out.
    #[must_use]
    pub fn new(service: &'s Service, entries: &[Entry<'s>], book: &'s CaseBook) -> Self {
        let blueprint = Arc::new(Blueprint::new(service));
        let scene = |entry: &Entry<'s>| scene(*entry, (service, &blueprint), &book.oracle);
        Self {
            scenes: entries.iter().filter_map(|entry| scene(entry).ok()).collect(),
            never: Never::new(&book.oracle),
            rows: book.oracle.never.iter().map(|row| row.id.as_str()).collect(),
            looks: Looks::default(),
        }
    }

    /// Makes every look that is due, those too that see the same world again. Takes many times as long.
    #[must_use]
    pub fn with_every_look(self) -> Self {
        Self { looks: Looks::All, ..self }
    }

    /// The contracts that histories are drawn for.
    pub fn contracts(&self) -> impl Iterator<Item = &'s str> {
        self.scenes.iter().map(|scene| scene.contract)
    }

    /// Plays so many histories, on all cores.
    #[must_use]
    pub fn run(&self, count: u64, seed: u64) -> Figures {
        self.run_as(count, seed, &Contract)
    }

    /// The same, with what another verifier makes of every observation.
    #[must_use]
    pub fn run_as(&self, count: u64, seed: u64, verifier: &dyn Verifier) -> Figures {
        let played = (0..count).into_par_iter().fold(Figures::default, |mut figures, number| {
            self.play(number, seed_of(seed, number), verifier, &mut figures);
            figures
        });
        played.reduce(Figures::default, Figures::merge)
    }

    /// Plays one history again and says what came of it; nothing where no such contract is ready.
    #[must_use]
    pub fn replay(&self, contract: &str, seed: u64) -> Option<Replay> {
        self.replay_as(contract, seed, &Contract)
    }

    /// The same, with another verifier.
    #[must_use]
    pub fn replay_as(&self, contract: &str, seed: u64, verifier: &dyn Verifier) -> Option<Replay> {
        let scene = self.scenes.iter().find(|scene| scene.contract == contract)?;
        let drawn = draw::draw(&scene.ground, seed);
        let judged = |drawn: &Drawn, telling| {
            judge::judge(&scene.stage, &self.never, drawn, (seed, verifier), (self.looks, telling))
        };
        let outcome = judged(&drawn, true);
        let wrong = self.wrong(&outcome);
        // What does not come to rest takes too long to be played again and again.
        let played = wrong.as_ref().filter(|_| outcome.stuck.is_none());
        let shrunk = played.map(|wrong| {
            let small =
                shrink::shrink(&drawn, |smaller| self.wrong(&judged(smaller, false)).as_ref() == Some(wrong));
            Shrunk { case: text::case(&small, wrong), story: story(&judged(&small, true)) }
        });
        Some(Replay { case: text::case(&drawn, "As drawn."), story: story(&outcome), wrong, shrunk })
    }

    /// What went wrong first, in a word.
    fn wrong(&self, outcome: &Outcome) -> Option<String> {
        if let Some(breach) = outcome.breaches.first() {
            let row = self.rows.get(breach.row).copied().unwrap_or_default();
            return Some(format!("{} against {row} ({})", breach.verdict.name(), breach.reason));
        }
        let late = outcome.delays.iter().any(|delay| delay.late);
        outcome.stuck.clone().or_else(|| late.then(|| String::from("late")))
    }

    fn play(&self, number: u64, seed: u64, verifier: &dyn Verifier, figures: &mut Figures) {
        let scenes = u64::try_from(self.scenes.len()).unwrap_or(0);
        let place = number.checked_rem(scenes).and_then(|place| usize::try_from(place).ok());
        let Some(scene) = place.and_then(|place| self.scenes.get(place)) else { return };
        let drawn = draw::draw(&scene.ground, seed);
        let outcome = judge::judge(&scene.stage, &self.never, &drawn, (seed, verifier), (self.looks, false));
        let what = self.wrong(&outcome);
        let finding = what.map(|what| Finding { number, contract: scene.contract.to_owned(), seed, what });
        figures.add(&drawn, &outcome, finding);
    }
}

/// One history, played again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// The history, as a case of the case file.
    pub case: String,
    /// What was said when.
    pub story: Vec<String>,
    /// What went wrong first.
    pub wrong: Option<String>,
    /// A smaller history that goes wrong in the same way.
    pub shrunk: Option<Shrunk>,
}

/// A smaller history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shrunk {
    /// As a case of the case file.
    pub case: String,
    /// What was said when.
    pub story: Vec<String>,
}

fn story(outcome: &Outcome) -> Vec<String> {
    let line = |said: &judge::Said| {
        format!("{}: {} {} ({})", said.by, crate::report::span(said.at), said.verdict.name(), said.reason)
    };
    let late = outcome.delays.iter().filter(|delay| delay.late).map(|delay| match delay.millis {
        Some(millis) => format!("{}: {} late", delay.by, crate::report::span(millis)),
        None => format!("{}: never", delay.by),
    });
    outcome.story.iter().map(line).chain(late).collect()
}

/// The seed of one history of a run.
const fn seed_of(seed: u64, number: u64) -> u64 {
    dice::mix(seed ^ dice::mix(number))
}

fn scene<'s>(
    entry: Entry<'s>,
    service: (&'s Service, &Arc<Blueprint>),
    oracle: &OracleBook,
) -> Result<Scene<'s>, Stuck> {
    let level = entry.level;
    let subject = Setup {
        operation: entry.operation,
        promise: &level.promise,
        existing: level.existing.as_deref(),
        stale_window_ms: oracle.stale_window_ms,
    };
    let stage = Stage::new(entry.program, service, subject)?;
    Ok(Scene { contract: &level.contract_id, ground: Ground::of(&stage), stage })
}
