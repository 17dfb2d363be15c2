//! Two evaluators, one answer: random traces through the first one and through the second one that was
//! written from the page alone. 10,000 traces by default; `PROVELY_FULL=1` runs 1,000,000 and
//! `PROVELY_TRACES` any number; the properties of the first one alone run on a tenth of them. A failure prints the seed, the smallest trace found and both answers;
//! `PROVELY_SEED` runs that one again.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test file: to stop is to fail")]

mod first;

use provely_tests::naive::{self, Verdict};
use provely_tests::traces::{Rng, order_may_matter, reply_alone, retold, shrink, trace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn traces() -> u64 {
    let full = variable("PROVELY_FULL") == Some(1);
    variable("PROVELY_TRACES").unwrap_or(if full { 1_000_000 } else { 10_000 })
}

/// Runs `check` over seeds on all cores; reports how many fail and the first few.
fn over_seeds(traces: u64, check: impl Fn(u64) -> Result<(), String> + Sync) {
    if let Some(seed) = variable("PROVELY_SEED") {
        return check(seed).unwrap_or_else(|failure| panic!("{failure}"));
    }
    let (next, failures) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let workers = std::thread::available_parallelism().map_or(2, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= traces || failures.lock().unwrap().len() >= 5 {
                        return;
                    }
                    if let Err(failure) = check(seed) {
                        failures.lock().unwrap().push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Conditions by id: their order says nothing. On an uncovered version they decide nothing and need not be told.
fn comparable(mut verdict: Verdict) -> Verdict {
    verdict.conditions.sort_by(|(left, _), (right, _)| left.cmp(right));
    if verdict.reason_code == "version_unsupported" {
        verdict.conditions.clear();
    }
    verdict
}

fn differ(trace: &Value) -> bool {
    first::answer(trace).is_ok_and(|first| comparable(first) != comparable(naive::evaluate(trace)))
}

fn told(seed: u64, trace: &Value) -> String {
    let smallest = shrink(trace, differ);
    let (first, second) = (first::answer(&smallest), naive::evaluate(&smallest));
    format!("seed {seed}\n{}\nfirst:  {first:?}\nsecond: {second:?}", smallest)
}

#[test]
fn both_evaluators_agree() {
    let verdicts: Mutex<BTreeMap<String, u64>> = Mutex::default();
    over_seeds(traces(), |seed| {
        let trace = trace(seed);
        let first = first::answer(&trace).map_err(|error| format!("seed {seed}: {error}"))?;
        let name = format!("{} {}", first.verdict, if first.terminal { "terminal" } else { "open" });
        *verdicts.lock().unwrap().entry(name).or_default() += 1;
        let same = comparable(first) == comparable(naive::evaluate(&trace));
        if same { Ok(()) } else { Err(told(seed, &trace)) }
    });
    let verdicts = verdicts.into_inner().unwrap();
    println!("{verdicts:?}");
    if variable("PROVELY_SEED").is_none() {
        for name in [
            "VERIFIED terminal",
            "CONTRADICTED terminal",
            "FAILED terminal",
            "UNVERIFIABLE terminal",
            "PENDING open",
        ] {
            let share = verdicts.get(name).copied().unwrap_or(0) * 100 / traces();
            assert!(share >= 1, "only {share} % of the traces end {name}: the traces are too uniform");
        }
    }
}

#[test]
fn order_and_repetition_change_nothing() {
    over_seeds(traces() / 10, |seed| {
        let trace = trace(seed);
        if order_may_matter(&trace) {
            return Ok(());
        }
        let retold = retold(&mut Rng::new(!seed), &trace);
        let answer = |trace: &Value| first::answer(trace).map_err(|error| format!("seed {seed}: {error}"));
        let (before, after) = (answer(&trace)?, answer(&retold)?);
        if before == after {
            return Ok(());
        }
        let text = retold.to_string();
        Err(format!("seed {seed}\n{text}\nas told: {before:?}\nretold: {after:?}"))
    });
}

#[test]
fn nothing_verifies_on_a_reply_alone() {
    over_seeds(traces() / 10, |seed| {
        let trace = reply_alone(&trace(seed));
        let answer = first::answer(&trace).map_err(|error| format!("seed {seed}: {error}"))?;
        let verified = answer.verdict == "VERIFIED";
        if verified { Err(format!("seed {seed} verifies:\n{trace}")) } else { Ok(()) }
    });
}
