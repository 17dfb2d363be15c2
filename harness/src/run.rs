//! Runs a case: holds what is answered against the oracle. It must not know what a verdict rests on.

use std::collections::BTreeMap;
use std::sync::Arc;

use provely_evaluator::load::Program;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;
use provely_model::Service;
use provely_runtime::{Store, Verification};
use provely_simulator::Blueprint;

use crate::book::Sources;
use crate::case::Case;
use crate::course::{self, Listener};
use crate::play::{Looks, Part, Play, START, Stuck};
use crate::report::{CaseResult, Said};
use crate::stage::{Setup, Stage};
use crate::subjects::{Hearing, Jury, Moment, Subject};

/// Runs one case on a contract. The same program, service, case and seed give the same result. For many
/// cases make a [`Setting`] once.
#[must_use]
pub fn run(program: &Program, service: &Service, case: &Case, seed: u64) -> CaseResult {
    Setting::new(service).run(program, case, seed)
}

/// A service made ready for any number of cases.
#[derive(Debug)]
pub struct Setting<'s> {
    service: &'s Service,
    blueprint: Arc<Blueprint>,
    looks: Looks,
}

impl<'s> Setting<'s> {
    /// Compiles the service for its worlds.
    #[must_use]
    pub fn new(service: &'s Service) -> Self {
        Self { service, blueprint: Arc::new(Blueprint::new(service)), looks: Looks::default() }
    }

    /// Makes every look that is due, those too that see the same world again; else these are passed over, since they
    /// answer the same. Takes many times as long.
    #[must_use]
    pub fn with_every_look(self) -> Self {
        Self { looks: Looks::All, ..self }
    }

    /// Runs one case on a contract.
    #[must_use]
    pub fn run(&self, program: &Program, case: &Case, seed: u64) -> CaseResult {
        self.hear(program, case, seed, &[]).0
    }

    /// Runs one case on a contract and asks other subjects at the same moments: at the looks of the case and at its
    /// end. The result is that of [`Self::run`], whoever else is asked.
    #[must_use]
    pub fn hear(
        &self,
        program: &Program,
        case: &Case,
        seed: u64,
        subjects: &[&dyn Subject],
    ) -> (CaseResult, Hearing) {
        let mut jury = Jury::new(subjects);
        let mut result = CaseResult::new(case, seed);
        let setup = Setup {
            operation: &case.operation,
            promise: &case.promise,
            existing: case.existing.as_deref(),
            stale_window_ms: case.oracle.stale_window_ms,
        };
        let played = Stage::new(program, (self.service, &self.blueprint), setup)
            .and_then(|stage| played(&stage, (case, seed, self.looks), &mut result, &mut jury));
        if let Err(Stuck(why)) = played {
            result.faults.push(why);
        }
        (result.close(), jury.close())
    }
}

fn played(
    stage: &Stage<'_>,
    (case, seed, looks): (&Case, u64, Looks),
    result: &mut CaseResult,
    jury: &mut Jury<'_>,
) -> Result<(), Stuck> {
    let script = case.script();
    let part = Part { script, this: case.state.as_deref(), seed, wire: true, lenient: false };
    let mut play = Play::new(stage, part);
    play.looks = looks;
    let mut trial = Trial { case, ended: BTreeMap::new(), last: BTreeMap::new(), result, jury };
    course::take(&mut play, (&script.steps, &script.looks), &mut trial)?;
    trial.close(&mut play)
}

/// A case in progress.
struct Trial<'c, 'r, 's> {
    case: &'c Case,
    /// Operations that have ended, by their name in the case, with the first terminal answer.
    ended: BTreeMap<String, Arc<Verification>>,
    /// The last answer about each operation.
    last: BTreeMap<String, Verdict>,
    result: &'r mut CaseResult,
    jury: &'r mut Jury<'s>,
}

impl Listener for Trial<'_, '_, '_> {
    /// Holds a fresh answer against what may never be said.
    fn heard(&mut self, play: &mut Play<'_>, name: &str, answer: &Arc<Verification>) -> Result<(), Stuck> {
        let now = play.now();
        if answer.observed_at != now {
            return Ok(());
        }
        let facts = play.facts(name, now, Sources::Open, false);
        let facts = facts.ok_or_else(|| Stuck(format!("nobody is called `{name}`")))?;
        for breach in self.case.oracle.breaches(&facts, answer.verdict, answer.directive.action) {
            self.result.critical |= breach.critical;
            let what = format!(
                "{} was said of `{name}` at {} against `{}`",
                answer.verdict.name(),
                since_start(now),
                breach.row
            );
            self.result.fault(what);
        }
        if answer.verdict == Verdict::Verified {
            self.jury.verified(name, now);
        }
        self.last.insert(name.to_owned(), answer.verdict);
        self.result.said(Said { by: name.to_owned(), at: now.since(START), verdict: answer.verdict });
        if answer.terminal {
            self.ended.entry(name.to_owned()).or_insert_with(|| Arc::clone(answer));
        }
        Ok(())
    }

    fn stepped(&mut self, play: &mut Play<'_>) {
        self.jury.watch(play, self.case);
    }

    fn looked(&mut self, play: &mut Play<'_>, name: &str, answer: &Arc<Verification>, sources: Sources) {
        self.last.insert(name.to_owned(), answer.verdict);
        self.ask_others(play, name, (sources, false));
        self.require(play, name, answer, (sources, false));
    }
}

impl Trial<'_, '_, '_> {
    /// Asks the other subjects about an operation.
    fn ask_others(&mut self, play: &mut Play<'_>, name: &str, (sources, is_end): (Sources, bool)) {
        let skill = self.last.get(name).copied().unwrap_or(Verdict::Pending);
        self.jury.hear(play, self.case, Moment { by: name, skill, sources, is_end });
    }

    /// Holds an answer against what has to be said.
    fn require(
        &mut self,
        play: &mut Play<'_>,
        name: &str,
        answer: &Verification,
        (sources, is_end): (Sources, bool),
    ) {
        let at = if answer.terminal { answer.observed_at } else { play.now() };
        let Some(facts) = play.facts(name, at, sources, is_end || answer.terminal) else { return };
        let when =
            if is_end { String::from("at the end") } else { format!("at {}", since_start(play.now())) };
        let Some(row) = self.case.oracle.required(&facts) else {
            self.result.fault(format!("the oracle has no row for {facts:?}"));
            return;
        };
        if is_end {
            self.result.required.clone_from(&row.verdicts);
            self.result.got = Some(answer.verdict);
        }
        if !row.verdicts.contains(&answer.verdict) {
            let wanted: Vec<&str> = row.verdicts.iter().map(|verdict| verdict.name()).collect();
            self.result.fault(format!(
                "{when} `{name}` must be {} (`{}`), and is {} ({})",
                wanted.join(" or "),
                row.id,
                answer.verdict.name(),
                answer.reason_code
            ));
            self.result.unsettled(answer);
        }
        if is_end && row.escalated && !answer.escalated {
            self.result.fault(format!("`{name}` must be handed to a person, and is not"));
        }
    }

    fn close(&mut self, play: &mut Play<'_>) -> Result<(), Stuck> {
        let names: Vec<String> = play.players.keys().cloned().collect();
        for name in names.iter().rev() {
            self.ask_others(play, name, (self.case.script.end.sources, true));
            match self.ended.get(name).cloned() {
                None => self.result.fault(format!("`{name}` has not ended")),
                Some(answer) => self.require(play, name, &answer, (self.case.script.end.sources, true)),
            }
        }
        match names.first().cloned() {
            Some(first) => self.expectations(play, &first),
            None => Err(Stuck(String::from("no operation was begun"))),
        }
    }

    /// What must be so besides the verdicts, for the first operation of the case.
    fn expectations(&mut self, play: &Play<'_>, name: &str) -> Result<(), Stuck> {
        let expect = &self.case.script.expect;
        let Some(player) = play.players.get(name) else { return Ok(()) };
        let receipts = play.runtime.store().receipts(&player.operation_id);
        let receipts = receipts.map_err(|error| Stuck(error.to_string()))?;
        if let Some(wanted) = expect.receipts.filter(|wanted| usize::try_from(*wanted) != Ok(receipts.len()))
        {
            self.result.fault(format!("there must be {wanted} receipts, and there are {}", receipts.len()));
        }
        let reason = self.ended.get(name).map(|answer| answer.reason_code.as_str());
        if let Some(wanted) = expect.reason.as_deref().filter(|wanted| reason != Some(*wanted)) {
            let got = reason.unwrap_or("none").to_owned();
            self.result.fault(format!("the reason must be `{wanted}`, and is `{got}`"));
        }
        if expect.superseded {
            let first = receipts.first().map(|draft| draft.verdict.verdict);
            let last = receipts.last().filter(|draft| draft.supersedes.is_some());
            let turned = first == Some(Verdict::Verified)
                && last.is_some_and(|draft| draft.verdict.verdict != Verdict::Verified);
            if !turned {
                self.result
                    .fault(String::from("a later receipt must take the place of the first, and does not"));
            }
        }
        Ok(())
    }
}

fn since_start(time: Time) -> String {
    crate::report::span(time.since(START))
}
