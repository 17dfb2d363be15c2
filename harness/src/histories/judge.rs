//! Plays one history and holds every answer against the oracle's rows. It must not read a contract to say what is right.

use std::sync::Arc;

use provely_evaluator::evaluate::DirectiveAction;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;
use provely_runtime::Verification;

use super::clear::{behind_ms, clear_from};
use super::draw::Drawn;
use super::verifier::Verifier;
use crate::book::{Sources, Span};
use crate::course::{self, Listener};
use crate::oracle::Never;
use crate::play::{Looks, Part, Play, START, Stuck};
use crate::stage::Stage;

/// What came of one history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Verdicts that were wrong, in the order of time.
    pub(super) breaches: Vec<Breach>,
    /// How each operation ended, by name.
    pub(super) ends: Vec<End>,
    /// Delays behind the truth, of operations that can be held to it.
    pub(super) delays: Vec<Delay>,
    /// Why it could not be played to its end.
    pub(super) stuck: Option<String>,
    /// What was said of each operation whenever it changed, in milliseconds from the start.
    pub(super) story: Vec<Said>,
}

/// A wrong verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Breach {
    pub(super) by: String,
    pub(super) verdict: Verdict,
    /// The row of `never` that forbids it, as a place in the book.
    pub(super) row: usize,
    pub(super) at: i64,
    pub(super) reason: String,
}

/// The first terminal answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct End {
    pub(super) by: String,
    pub(super) verdict: Verdict,
    pub(super) at: Time,
}

/// How long after the truth could be known VERIFIED was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Delay {
    pub(super) by: String,
    /// Milliseconds; absent: never.
    pub(super) millis: Option<i64>,
    pub(super) late: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) by: String,
    pub(super) at: i64,
    pub(super) verdict: Verdict,
    pub(super) reason: String,
}

/// Plays a history.
pub(super) fn judge(
    stage: &Stage<'_>,
    never: &Never,
    drawn: &Drawn,
    (seed, verifier): (u64, &dyn Verifier),
    (looks, telling): (Looks, bool),
) -> Outcome {
    let script = &drawn.script;
    let part = Part { script, this: drawn.this.as_deref(), seed, wire: false, lenient: true };
    let mut play = Play::new(stage, part);
    play.looks = looks;
    let mut hearing = Hearing {
        never,
        verifier,
        behind_ms: behind_ms(&script.faults),
        telling,
        standing: Vec::new(),
        outcome: Outcome::default(),
    };
    match course::take(&mut play, (&script.steps, &script.looks), &mut hearing) {
        Ok(shift_ms) => {
            let mut outcome = hearing.outcome;
            outcome.delays = delays(stage, drawn, &mut play, &outcome.ends, shift_ms);
            let unended = play.players.keys().find(|name| !outcome.ends.iter().any(|end| end.by == **name));
            outcome.stuck = unended.map(|name| format!("`{name}` has not ended"));
            outcome
        }
        Err(Stuck(why)) => Outcome { stuck: Some(why), ..hearing.outcome },
    }
}

struct Hearing<'h> {
    never: &'h Never,
    verifier: &'h dyn Verifier,
    /// The last terminal verdict about each operation.
    standing: Vec<(String, Verdict)>,
    /// Reads show the world of so long ago, at most.
    behind_ms: i64,
    /// Keeps the story too.
    telling: bool,
    outcome: Outcome,
}

impl Listener for Hearing<'_> {
    fn heard(&mut self, play: &mut Play<'_>, name: &str, answer: &Arc<Verification>) -> Result<(), Stuck> {
        let now = play.now();
        if answer.observed_at != now {
            return Ok(());
        }
        let verdict = self.verifier.verdict(answer);
        let retry = answer.directive.action == DirectiveAction::RetryAction;
        // Looking again at an operation that FAILED or was CONTRADICTED says nothing new where it says the same.
        let stands = self.standing.iter().find(|(own, _)| own == name).map(|(_, verdict)| *verdict);
        let repeats = stands == Some(verdict) && verdict != Verdict::Verified;
        if !repeats && self.never.concerns(verdict, retry) {
            let mut broken = |at: Time| {
                let facts = play.facts(name, at, Sources::Open, false);
                let facts = facts.ok_or_else(|| Stuck(format!("nobody is called `{name}`")))?;
                Ok(self.never.broken(&facts, verdict, retry))
            };
            // VERIFIED is said of the world that the sources show, which may be that of a while ago.
            let mut found = broken(now)?;
            let behind = verdict == Verdict::Verified && self.behind_ms > 0;
            if found.is_some() && behind && broken(now.minus(self.behind_ms))?.is_none() {
                found = None;
            }
            if let Some(row) = found {
                let at = now.since(START);
                let reason = answer.reason_code.clone();
                self.outcome.breaches.push(Breach { by: name.to_owned(), verdict, row, at, reason });
            }
        }
        if self.telling {
            self.tell(name, now.since(START), verdict, &answer.reason_code);
        }
        if answer.terminal {
            self.standing.retain(|(own, _)| own != name);
            self.standing.push((name.to_owned(), verdict));
        }
        if answer.terminal && !self.outcome.ends.iter().any(|end| end.by == name) {
            self.outcome.ends.push(End { by: name.to_owned(), verdict, at: now });
        }
        Ok(())
    }

    fn looked(&mut self, _: &mut Play<'_>, _: &str, _: &Arc<Verification>, _: Sources) {}
}

impl Hearing<'_> {
    fn tell(&mut self, name: &str, at: i64, verdict: Verdict, reason: &str) {
        let before = self.outcome.story.iter().rev().find(|said| said.by == name);
        if before.is_none_or(|said| said.verdict != verdict || said.reason != reason) {
            let (by, reason) = (name.to_owned(), reason.to_owned());
            self.outcome.story.push(Said { by, at, verdict, reason });
        }
    }
}

/// How far behind the truth VERIFIED came, of every operation whose agent was honest and whose promise held while every
/// source was open: from when the promise held, the last step was taken and the last fault was over.
fn delays(stage: &Stage<'_>, drawn: &Drawn, play: &mut Play<'_>, ends: &[End], shift_ms: i64) -> Vec<Delay> {
    let Some(clear) = clear_from(&drawn.script.faults) else { return Vec::new() };
    // Where `begin` could not see what was there, nobody can say for sure whose a record is.
    if clear > 0 && drawn.script.steps.iter().filter(|step| step.act.is_some()).count() > 1 {
        return Vec::new();
    }
    let last = drawn.script.steps.iter().map(|step| step.at).max().unwrap_or(Span::Millis(0)).millis(0);
    let open = START.plus(last.max(i64::try_from(clear).unwrap_or(i64::MAX)).saturating_add(shift_ms));
    let timing = &stage.loaded.contract().timing;
    let ms = |span: u64| i64::try_from(span).unwrap_or(i64::MAX);
    let mut delays = Vec::new();
    for end in ends {
        let deadline = play.deadline(&end.by);
        let (Some(deadline), Some(facts)) =
            (deadline, play.facts(&end.by, end.at.max(open), Sources::Open, true))
        else {
            continue;
        };
        if !facts.is_plain() {
            continue;
        }
        let Some(since) = play.kept_since(&end.by, end.at.max(open)) else { continue };
        let known = since.max(open);
        // The widest gap between two looks at that age, and the window in which sources may be behind.
        let gap = ms(timing.backoff.max_ms).max(known.since(START) / 16);
        let allowed = gap.saturating_add(ms(timing.stale_read_window_ms)).saturating_add(SLACK_MS);
        let due = known.plus(allowed);
        if due >= deadline || (end.verdict != Verdict::Verified && end.at < known) {
            continue;
        }
        let millis = (end.verdict == Verdict::Verified).then(|| end.at.since(known).max(0));
        let late = millis.is_none_or(|millis| millis > allowed);
        delays.push(Delay { by: end.by.clone(), millis, late });
    }
    delays
}

/// What deliveries take, in milliseconds.
const SLACK_MS: i64 = 2_000;
