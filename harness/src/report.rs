//! Results of cases and their sum. Data; how it is printed stands in `print`.

use std::collections::BTreeMap;

use provely_evaluator::contract::Truth;
use provely_evaluator::evaluate::ConditionKind;
use provely_evaluator::verdict::Verdict;
use provely_runtime::Verification;
use serde::{Deserialize, Serialize};

use crate::book::Kind;
use crate::case::Case;

/// One case that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CaseResult {
    /// `contract/class.variant/state`.
    pub id: String,
    /// Its class.
    pub class: String,
    /// What happens, in words.
    pub title: String,
    /// What kind of mistake it is after.
    pub kind: Kind,
    /// The contract.
    pub contract_id: String,
    /// What the first operation has to be at the end; one of them.
    pub required: Vec<Verdict>,
    /// What it was when it ended.
    pub got: Option<Verdict>,
    /// Nothing went wrong.
    pub passed: bool,
    /// A false VERIFIED was given.
    pub critical: bool,
    /// Everything that went wrong, in order.
    pub faults: Vec<String>,
    /// Replays the case.
    pub seed: u64,
    /// What was said when, wherever it changed.
    pub trace: Vec<Said>,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    /// Of which operation of the case.
    pub by: String,
    /// When, in milliseconds from the start of the world.
    pub at: i64,
    /// The verdict.
    pub verdict: Verdict,
}

impl CaseResult {
    pub(crate) fn new(case: &Case, seed: u64) -> Self {
        Self {
            id: case.id.clone(),
            class: case.class.clone(),
            title: case.title.clone(),
            kind: case.kind,
            contract_id: case.contract_id.clone(),
            required: Vec::new(),
            got: None,
            passed: false,
            critical: false,
            faults: Vec::new(),
            seed,
            trace: Vec::new(),
        }
    }

    /// Notes a fault once.
    pub(crate) fn fault(&mut self, what: String) {
        if !self.faults.contains(&what) {
            self.faults.push(what);
        }
    }

    /// Notes what was said, if it differs from what was said before.
    pub(crate) fn said(&mut self, said: Said) {
        let before = self.trace.iter().rev().find(|own| own.by == said.by);
        if before.is_none_or(|own| own.verdict != said.verdict) {
            self.trace.push(said);
        }
    }

    /// Notes the conditions that stand between an answer and VERIFIED.
    pub(crate) fn unsettled(&mut self, answer: &Verification) {
        let open = answer.conditions.iter().filter_map(|one| match (one.kind, one.truth) {
            (ConditionKind::Positive, Truth::Fails | Truth::Unknown)
            | (ConditionKind::Negative | ConditionKind::BuiltIn, Truth::Holds | Truth::Unknown)
            | (ConditionKind::Rule, Truth::Holds) => {
                Some(format!("{} {:?}", one.id, one.truth).to_lowercase())
            }
            (ConditionKind::Positive, Truth::Holds)
            | (ConditionKind::Negative | ConditionKind::BuiltIn, Truth::Fails)
            | (ConditionKind::Rule, Truth::Fails | Truth::Unknown) => None,
        });
        let open: Vec<String> = open.collect();
        if !open.is_empty() {
            self.fault(format!("  conditions: {}", open.join(", ")));
        }
    }

    pub(crate) fn close(mut self) -> Self {
        self.passed = self.faults.is_empty();
        self
    }

    /// Everything that went wrong, in one text; empty if nothing did.
    #[must_use]
    pub fn why(&self) -> String {
        self.faults.join("; ")
    }

    /// What was said when, `PENDING 1s, VERIFIED 21s`.
    #[must_use]
    pub fn story(&self) -> String {
        let lines =
            self.trace.iter().map(|said| format!("{}: {} {}", said.by, said.verdict.name(), span(said.at)));
        lines.collect::<Vec<_>>().join(", ")
    }
}

/// A class that does not apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotApplicable {
    /// The case.
    pub id: String,
    /// Its class.
    pub class: String,
    /// Why.
    pub reason: String,
}

/// Passed and total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Cases that passed.
    pub passed: u32,
    /// All of them.
    pub total: u32,
}

/// The sum of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// Every case, in the order of contracts and book.
    pub cases: Vec<CaseResult>,
    /// Cases that could not be run, and why.
    pub not_applicable: Vec<NotApplicable>,
    /// By class.
    pub classes: BTreeMap<String, Tally>,
    /// All cases that were run.
    pub total: u32,
    /// Those that passed.
    pub passed: u32,
    /// Cases in which a false VERIFIED was given.
    pub critical_false_verified: u32,
}

impl Report {
    /// Adds a case.
    pub fn add(&mut self, result: CaseResult) {
        let tally = self.classes.entry(result.class.clone()).or_default();
        let passed = u32::from(result.passed);
        tally.total += 1;
        tally.passed += passed;
        self.total += 1;
        self.passed += passed;
        self.critical_false_verified += u32::from(result.critical);
        self.cases.push(result);
    }

    /// Adds every case of another report.
    pub fn merge(&mut self, other: Self) {
        other.cases.into_iter().for_each(|result| self.add(result));
        self.not_applicable.extend(other.not_applicable);
    }

    /// Adds a case that does not apply.
    pub fn skip(&mut self, case: &Case) {
        if let Some(reason) = &case.not_applicable {
            self.not_applicable.push(NotApplicable {
                id: case.id.clone(),
                class: case.class.clone(),
                reason: reason.clone(),
            });
        }
    }

    /// True only if every case passed and at least one was run.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.total > 0 && self.passed == self.total
    }
}

/// A span of virtual time for people: `21.4s`, `3d`.
#[must_use]
pub(crate) fn span(millis: i64) -> String {
    match millis {
        0..=999 => format!("{millis}ms"),
        1_000..=119_999 => format!("{}.{}s", millis / 1_000, millis % 1_000 / 100),
        120_000..=7_199_999 => format!("{}m", millis / 60_000),
        7_200_000..=172_799_999 => format!("{}h", millis / 3_600_000),
        _ => format!("{}d", millis / 86_400_000),
    }
}
