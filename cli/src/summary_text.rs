//! What a compilation found, for people: within 80 columns, every cap explained.

use crate::compilation::Compilation;
use crate::progress::peak_memory;
use crate::summary::{CapRow, caps, score_of};
use provely_compiler::certify::{Certified, binds};
use provely_compiler::uncertainty::Uncertainty;
use provely_evaluator::manifest::Score;
use serde::Serialize;
use std::fmt::Write as _;

/// The widest line, in characters.
pub const WIDTH: usize = 80;

/// Most open questions that are listed; the rest are counted.
const MOST_QUESTIONS: usize = 12;

/// Most failed cases that are listed; the rest are counted.
const MOST_CASES: usize = 12;

/// Most unpublished contracts that are named; the rest are counted.
const MOST_UNPUBLISHED: usize = 3;

/// The text of a compilation.
#[must_use]
pub fn text(made: &Compilation) -> String {
    let title = if made.found.title.is_empty() { &made.found.service } else { &made.found.title };
    let mut text = format!("{title} ({})\n", made.found.service);
    contracts(made, &mut text);
    if let Some(certified) = &made.certified {
        scores(certified, &mut text);
    }
    conformance(made, &mut text);
    crate::answers::text(&made.answers, &mut text);
    questions(made, &mut text);
    let total: u64 = made.timings.iter().map(|(_, took)| took).sum();
    let _ = write!(text, "\ntime {total} ms");
    if let Some(peak) = peak_memory() {
        let _ = write!(text, ", peak memory {} MB", peak.div_ceil(1024));
    }
    text.push('\n');
    text
}

fn contracts(made: &Compilation, text: &mut String) {
    let Some(written) = &made.written else { return model(made, text) };
    text.push_str("\ncontracts\n");
    for synthesis in &written.contracts {
        let id = &synthesis.contract.id;
        match made.certified.as_ref().map(|certified| score_of(certified, id)) {
            None => line(text, 2, id),
            Some(Some(score)) => line(text, 2, &format!("{id}  {}, {}", score.after_caps, score.level)),
            Some(None) => {}
        }
    }
    if written.contracts.is_empty() {
        text.push_str("  none\n");
    }
    if let Some(certified) = &made.certified {
        let ids = written.contracts.iter().map(|synthesis| synthesis.contract.id.as_str());
        unpublished(&ids.filter(|id| score_of(certified, id).is_none()).collect::<Vec<_>>(), text);
    }
}

/// Contracts that were written and are not in the package.
fn unpublished(ids: &[&str], text: &mut String) {
    if ids.is_empty() {
        return;
    }
    let named: Vec<&str> = ids.iter().take(MOST_UNPUBLISHED).copied().collect();
    let more = match ids.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    line(text, 2, &format!("{} written, not published: {}{more}", ids.len(), named.join(", ")));
}

/// What is known before there are contracts.
fn model(made: &Compilation, text: &mut String) {
    let planned = made.planned.as_ref().map(|planned| &planned.service);
    let Some(service) = planned.or(made.classified.as_ref().map(|classified| &classified.service)) else {
        let _ = writeln!(text, "\n{} operations", made.found.operations.len());
        return;
    };
    text.push_str("\nacting operations\n");
    for operation in service.operations.iter().filter(|operation| operation.effect.acts()) {
        let readback = operation.plan.as_ref().and_then(|plan| plan.readback.as_deref());
        let seen = readback.map_or_else(String::new, |readback| format!(", read by {readback}"));
        line(text, 2, &format!("{}  {}{seen}", operation.id, operation.effect.name()));
    }
    text.push_str("\nlifecycles\n");
    for resource in &service.resources {
        let Some(lifecycle) = &resource.lifecycle else { continue };
        line(text, 2, &format!("{}  {}", resource.name, lifecycle.field));
        for state in &lifecycle.states {
            line(text, 4, &format!("{}: {}, {}", state.name, word(&state.class), word(&state.certainty)));
        }
    }
}

/// The name that documents have for a value of a closed list.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn scores(certified: &Certified, text: &mut String) {
    text.push_str("\nscore, that of the worst published contract\n");
    let Score { dimensions, raw, after_caps, level, .. } = &certified.score;
    for dimension in dimensions {
        let name = dimension.name.replace('_', " ");
        let _ = writeln!(text, "  {name:<22}{:>6} of {}", dimension.points.to_string(), dimension.maximum);
    }
    let _ = writeln!(text, "  {:<22}{:>6}", "sum", raw.to_string());
    for CapRow { gate, cap, reason, contracts } in caps(certified) {
        line(text, 2, &format!("capped at {} by {gate}: {reason}", cap.0));
        line(text, 4, &format!("binds {}", contracts.join(", ")));
    }
    let _ = writeln!(text, "  {:<22}{:>6}  {level}", "final", after_caps.to_string());
}

fn conformance(made: &Compilation, text: &mut String) {
    let Some(tested) = &made.tested else { return };
    let report = &tested.report;
    let _ = writeln!(text, "\nconformance  {} of {} cases passed", report.passed, report.total);
    let _ = writeln!(text, "  {} critical false VERIFIED", report.critical_false_verified);
    text.push_str("  ran against the simulator, so Verified is the ceiling\n");
    let failed: Vec<_> = report.cases.iter().filter(|case| !case.passed).collect();
    for case in failed.iter().take(MOST_CASES) {
        let word = if case.critical { "CRITICAL " } else { "failed " };
        line(text, 2, &format!("{word}{}: {}", case.id, case.why()));
    }
    if failed.len() > MOST_CASES {
        let _ = writeln!(text, "  and {} more; `--emit test` lists them", failed.len() - MOST_CASES);
    }
    for id in &tested.untested {
        line(text, 2, &format!("not tested: {id}, no case applies to it"));
    }
}

fn questions(made: &Compilation, text: &mut String) {
    let open = made.open();
    let (Some(certified), Some(written)) = (&made.certified, &made.written) else {
        return asked(&open, "open questions", text);
    };
    let published = |id: &str| score_of(certified, id).is_some();
    let published: Vec<_> = written.contracts.iter().filter(|own| published(&own.contract.id)).collect();
    let (binding, other): (Vec<&Uncertainty>, Vec<&Uncertainty>) =
        open.into_iter().partition(|question| published.iter().any(|own| binds(question, own)));
    asked(&binding, "open questions that bind a published contract", text);
    asked(&other, "open questions that do not bind a published contract", text);
}

fn asked(open: &[&Uncertainty], title: &str, text: &mut String) {
    if open.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{title}  {}", open.len());
    for question in open.iter().take(MOST_QUESTIONS) {
        line(text, 2, &format!("{} (cap {})", question.id, question.cap));
        line(text, 4, &question.question);
    }
    if open.len() > MOST_QUESTIONS {
        let _ = writeln!(text, "  and {} more; `--json` lists them", open.len() - MOST_QUESTIONS);
    }
}

/// Adds words, broken at spaces and, where a word alone is too long, anywhere; further lines stand deeper.
pub fn line(text: &mut String, indent: usize, words: &str) {
    let _ = write!(text, "{:indent$}", "");
    flow(text, indent, indent + 2, words);
}

/// Adds a label as it is and words beside it, broken like [`line()`]'s; further lines stand under the words.
pub fn row(text: &mut String, label: &str, words: &str) {
    let column = label.chars().count();
    text.push_str(if words.is_empty() { label.trim_end() } else { label });
    flow(text, column, column.min(WIDTH / 2), words);
}

/// Adds words from this column on; further lines start at the indent.
fn flow(text: &mut String, mut column: usize, indent: usize, words: &str) {
    let turn = |text: &mut String| {
        let _ = write!(text, "\n{:indent$}", "");
        indent
    };
    let mut first = true;
    for word in words.split_whitespace() {
        let mut rest: Vec<char> = word.chars().collect();
        if !first && column + 1 + rest.len() > WIDTH {
            column = turn(text);
        } else if !first {
            text.push(' ');
            column += 1;
        }
        while column + rest.len() > WIDTH {
            let tail = rest.split_off(WIDTH.saturating_sub(column).min(rest.len()));
            text.extend(rest);
            column = turn(text);
            rest = tail;
        }
        column += rest.len();
        text.extend(rest);
        first = false;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let words = format!("{} {} {}", "word ".repeat(40), "x".repeat(300), "tail");
        let mut text = String::new();
        line(&mut text, 4, &words);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH && line.starts_with("    ")), "{text}");
        let squeezed: String = text.split_whitespace().collect();
        assert_eq!(squeezed, words.split_whitespace().collect::<String>());
    }

    #[test]
    fn words_beside_a_label_stay_beside_it() {
        let mut text = String::new();
        row(&mut text, "signature    failed   ", &"word ".repeat(40));
        assert!(text.starts_with("signature    failed   word word"), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with(&" ".repeat(22))), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        let mut text = String::new();
        row(&mut text, "signature    ok       ", "");
        assert_eq!(text, "signature    ok\n");
    }

    #[test]
    fn three_unpublished_contracts_are_named_and_the_rest_counted() {
        let mut text = String::new();
        unpublished(&["a", "b", "c", "d", "e"], &mut text);
        unpublished(&["a"], &mut text);
        unpublished(&[], &mut text);
        assert_eq!(text, "  5 written, not published: a, b, c and 2 more\n  1 written, not published: a\n");
    }
}
