//! The sum of many histories. Sums of parts are the sum of the whole, in whatever order they are added.

use std::collections::BTreeMap;

use provely_evaluator::verdict::Verdict;
use serde::Serialize;

use super::draw::{Behaviour, Drawn};
use super::judge::Outcome;

/// Findings that are kept; the rest is only counted.
const MOST_FINDINGS: usize = 40;

/// What many histories gave.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Figures {
    /// Histories that were played.
    pub run: u64,
    /// Those in which VERIFIED was said and was not so.
    pub false_verified: u64,
    /// Those in which CONTRADICTED was said and was not so.
    pub false_contradicted: u64,
    /// Those in which FAILED was said, or a new try advised, while an effect stood or could come.
    pub false_failed: u64,
    /// Those in which VERIFIED came later than it had to, or never.
    pub late: u64,
    /// Those that could not be played to their end.
    pub stuck: u64,
    /// Operations by the verdict that they ended with.
    pub verdicts: BTreeMap<&'static str, u64>,
    /// Histories by the faults that they hold.
    pub faults: BTreeMap<&'static str, u64>,
    /// Operations by how their agents behaved.
    pub agents: BTreeMap<Behaviour, u64>,
    /// Delays behind the truth: whole seconds to operations.
    pub delays: BTreeMap<i64, u64>,
    /// The first ones that went wrong.
    pub findings: Vec<Finding>,
}

/// A history that went wrong; it replays from contract and seed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// Its number in the run.
    pub number: u64,
    /// The contract.
    pub contract: String,
    /// The seed.
    pub seed: u64,
    /// What was wrong: the verdict and the oracle's row, `late`, or why it did not come to its end.
    pub what: String,
}

impl Figures {
    /// Adds one history.
    pub(super) fn add(&mut self, drawn: &Drawn, outcome: &Outcome, finding: Option<Finding>) {
        self.run += 1;
        let said = |verdict: Verdict| outcome.breaches.iter().any(|breach| breach.verdict == verdict);
        self.false_verified += u64::from(said(Verdict::Verified));
        self.false_contradicted += u64::from(said(Verdict::Contradicted));
        self.false_failed += u64::from(said(Verdict::Failed));
        self.late += u64::from(outcome.delays.iter().any(|delay| delay.late));
        self.stuck += u64::from(outcome.stuck.is_some());
        for end in &outcome.ends {
            *self.verdicts.entry(end.verdict.name()).or_default() += 1;
        }
        for fault in &drawn.script.faults {
            *self.faults.entry(fault.what.name()).or_default() += 1;
        }
        for agent in &drawn.agents {
            *self.agents.entry(*agent).or_default() += 1;
        }
        for millis in outcome.delays.iter().filter_map(|delay| delay.millis) {
            *self.delays.entry(millis / 1_000).or_default() += 1;
        }
        self.findings.extend(finding);
        if self.findings.len() > 2 * MOST_FINDINGS {
            self.settle();
        }
    }

    /// The sum of two.
    pub(super) fn merge(mut self, other: Self) -> Self {
        self.run += other.run;
        self.false_verified += other.false_verified;
        self.false_contradicted += other.false_contradicted;
        self.false_failed += other.false_failed;
        self.late += other.late;
        self.stuck += other.stuck;
        sum(&mut self.verdicts, other.verdicts);
        sum(&mut self.faults, other.faults);
        sum(&mut self.agents, other.agents);
        sum(&mut self.delays, other.delays);
        self.findings.extend(other.findings);
        self.settle();
        self
    }

    /// Breaches come before what is only late; among like ones the first.
    fn settle(&mut self) {
        self.findings.sort_by(|one, other| {
            let rank = |own: &Finding| u8::from(own.what == "late");
            (rank(one), one.number).cmp(&(rank(other), other.number))
        });
        self.findings.truncate(MOST_FINDINGS);
    }

    /// The delay, in whole seconds, that so many of a thousand operations stay within.
    #[must_use]
    pub fn delay(&self, permille: u64) -> Option<i64> {
        let total: u64 = self.delays.values().sum();
        let wanted = (total * permille).div_ceil(1_000);
        let mut passed = 0;
        let within = |(seconds, count): (&i64, &u64)| {
            passed += count;
            (passed >= wanted).then_some(*seconds)
        };
        self.delays.iter().find_map(within)
    }

    /// No verdict was false, and every history came to its end.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.false_verified == 0 && self.false_contradicted == 0 && self.false_failed == 0 && self.stuck == 0
    }
}

fn sum<K: Ord>(own: &mut BTreeMap<K, u64>, other: BTreeMap<K, u64>) {
    for (key, count) in other {
        *own.entry(key).or_default() += count;
    }
}
