//! What came of a recording, for people, at most eighty columns wide. It adds no judgement.

use super::table::{line, wrapped};
use crate::report::span;
use crate::tape::Replayed;

/// Every operation with its verdicts, and what the recording lacks.
#[must_use]
pub fn replayed(own: &Replayed) -> String {
    let mut out = String::new();
    line(&mut out, &format!("{} exchanges, {} runs", own.exchanges, own.runs.len()));
    for run in &own.runs {
        line(&mut out, "");
        let ends = if run.terminal { "" } else { ", and the recording ends" };
        line(&mut out, &format!("{}{ends}", run.verdict.name()));
        wrapped(&mut out, &format!("{}: {}", run.contract_id, run.action));
        wrapped(&mut out, &format!("reason: {}", run.reason));
        let told = run.trace.iter().map(|said| format!("{} {}", said.verdict.name(), span(said.at)));
        wrapped(&mut out, &format!("said: {}", told.collect::<Vec<_>>().join(", ")));
    }
    if !own.not_recorded.is_empty() {
        line(&mut out, "");
        line(&mut out, "asked for, and not recorded at that time:");
        own.not_recorded.iter().for_each(|read| wrapped(&mut out, read));
    }
    out
}
