//! Runs a case: lets virtual time pass, asks for verdicts, and holds them against the oracle. It must not
//! know what a verdict rests on.

use std::collections::BTreeMap;
use std::sync::Arc;

use provely_evaluator::load::Program;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;
use provely_model::Service;
use provely_runtime::{Store, Verification};
use provely_simulator::Blueprint;

use crate::book::{Look, Sources, Span, Step};
use crate::case::Case;
use crate::play::{Looks, Play, START, Stuck};
use crate::report::{CaseResult, Said};
use crate::subjects::{Hearing, Jury, Moment, Subject};

/// More moments than any case has; a runtime that never comes to rest ends here.
const MOST_MOMENTS: u32 = 20_000;

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
        let mut play = Play::new(program, (self.service, &self.blueprint), case, seed);
        if let Ok(play) = &mut play {
            play.looks = self.looks;
        }
        played(play, case, seed, Jury::new(subjects))
    }
}

fn played(
    play: Result<Play<'_>, Stuck>,
    case: &Case,
    seed: u64,
    mut jury: Jury<'_>,
) -> (CaseResult, Hearing) {
    let mut result = CaseResult::new(case, seed);
    match play {
        Err(Stuck(why)) => result.faults.push(why),
        Ok(play) => {
            let mut trial = Trial {
                case,
                play,
                ended: BTreeMap::new(),
                last: BTreeMap::new(),
                shift_ms: 0,
                result: &mut result,
                jury: &mut jury,
            };
            if let Err(Stuck(why)) = trial.go() {
                trial.result.faults.push(why);
            }
        }
    }
    (result.close(), jury.close())
}

/// A case in progress.
struct Trial<'c, 'r, 's> {
    case: &'c Case,
    play: Play<'c>,
    /// Operations that have ended, by their name in the case, with the first terminal answer.
    ended: BTreeMap<String, Arc<Verification>>,
    /// The last answer about each operation.
    last: BTreeMap<String, Verdict>,
    /// Everything happens so much later, because `begin` asked the agent to wait.
    shift_ms: i64,
    result: &'r mut CaseResult,
    jury: &'r mut Jury<'s>,
}

impl<'c> Trial<'c, '_, '_> {
    fn go(&mut self) -> Result<(), Stuck> {
        let case = self.case;
        let mut steps = case.script.steps.iter().peekable();
        let mut looks = case.script.looks.iter().peekable();
        for _ in 0..MOST_MOMENTS {
            let step_at = steps.peek().map(|step: &&Step| at(step.at.millis(0) + self.shift_ms));
            let look_at = looks.peek().map(|look: &&Look| at(look.at.millis(0) + self.shift_ms));
            let own = self.play.next()?;
            let Some(now) = step_at.into_iter().chain(look_at).chain(own).min() else {
                return self.close();
            };
            self.play.pass(now)?;
            while let Some(step) = steps.peek().filter(|step| self.is_due(step.at)) {
                if let Some(ready_at) =
                    self.play.ready_at(step).filter(|ready_at| *ready_at > self.play.now())
                {
                    let wait = ready_at.since(self.play.now());
                    self.shift_ms += wait;
                    self.play.delay_faults(wait);
                    break;
                }
                self.play.step(step)?;
                steps.next();
            }
            self.jury.watch(&mut self.play, case);
            let step_at = steps.peek().map(|step| at(step.at.millis(0) + self.shift_ms));
            let look_at = looks.peek().map(|look| at(look.at.millis(0) + self.shift_ms));
            self.observe_due(step_at.into_iter().chain(look_at).min())?;
            while let Some(look) = looks.next_if(|look| self.is_due(look.at)) {
                self.look(look.sources)?;
            }
        }
        Err(Stuck(format!("the case did not come to rest in {MOST_MOMENTS} moments")))
    }

    fn is_due(&self, span: Span) -> bool {
        at(span.millis(0) + self.shift_ms) <= self.play.now()
    }

    /// Every observation that is due; `horizon` is when somebody does or asks something.
    fn observe_due(&mut self, horizon: Option<Time>) -> Result<(), Stuck> {
        let now = self.play.now();
        for operation_id in self.play.runtime.due(now).map_err(stuck)? {
            let name = self.play.players.iter().find(|(_, player)| player.operation_id == operation_id);
            let Some(name) = name.map(|(name, _)| name.clone()) else { continue };
            if let Some(answer) = self.play.observe(&name, &operation_id, horizon)? {
                self.heard(&name, &answer)?;
            }
        }
        Ok(())
    }

    /// The caller asks for the verdict of every operation, and it has to be right.
    fn look(&mut self, sources: Sources) -> Result<(), Stuck> {
        let names: Vec<String> = self.play.players.keys().cloned().collect();
        for name in names {
            let Some(answer) = self.play.verify(&name)? else { continue };
            self.heard(&name, &answer)?;
            self.last.insert(name.clone(), answer.verdict);
            self.ask_others(&name, sources, false);
            self.require(&name, &answer, sources, false);
        }
        Ok(())
    }

    /// Asks the other subjects about an operation.
    fn ask_others(&mut self, name: &str, sources: Sources, is_end: bool) {
        let skill = self.last.get(name).copied().unwrap_or(Verdict::Pending);
        self.jury.hear(&mut self.play, self.case, Moment { by: name, skill, sources, is_end });
    }

    /// Holds a fresh answer against what may never be said.
    fn heard(&mut self, name: &str, answer: &Arc<Verification>) -> Result<(), Stuck> {
        let now = self.play.now();
        if answer.observed_at != now {
            return Ok(());
        }
        let facts = self.play.facts(name, now, Sources::Open, false);
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

    /// Holds an answer against what has to be said.
    fn require(&mut self, name: &str, answer: &Verification, sources: Sources, is_end: bool) {
        let at = if answer.terminal { answer.observed_at } else { self.play.now() };
        let Some(facts) = self.play.facts(name, at, sources, is_end || answer.terminal) else { return };
        let when =
            if is_end { String::from("at the end") } else { format!("at {}", since_start(self.play.now())) };
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

    fn close(&mut self) -> Result<(), Stuck> {
        let names: Vec<String> = self.play.players.keys().cloned().collect();
        for name in names.iter().rev() {
            self.ask_others(name, self.case.script.end.sources, true);
            match self.ended.get(name).cloned() {
                None => self.result.fault(format!("`{name}` has not ended")),
                Some(answer) => self.require(name, &answer, self.case.script.end.sources, true),
            }
        }
        match names.first().cloned() {
            Some(first) => self.expectations(&first),
            None => Err(Stuck(String::from("no operation was begun"))),
        }
    }

    /// What must be so besides the verdicts, for the first operation of the case.
    fn expectations(&mut self, name: &str) -> Result<(), Stuck> {
        let expect = &self.case.script.expect;
        let Some(player) = self.play.players.get(name) else { return Ok(()) };
        let receipts = self.play.runtime.store().receipts(&player.operation_id);
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

const fn at(millis: i64) -> Time {
    START.plus(millis)
}

fn since_start(time: Time) -> String {
    crate::report::span(time.since(START))
}

fn stuck(error: provely_runtime::RuntimeError) -> Stuck {
    Stuck(format!("the runtime failed: {error}"))
}
