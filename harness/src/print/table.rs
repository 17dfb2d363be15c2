//! The table for people, at most eighty columns wide.

use core::fmt::Write as _;

use crate::report::{CaseResult, Report};

const WIDTH: usize = 80;

/// Classes with passed and total, then every case that failed with what went wrong and how to replay it.
#[must_use]
pub fn table(report: &Report) -> String {
    let mut out = String::new();
    let class = report.classes.keys().map(|class| class.len()).max().unwrap_or(5).clamp(5, 58);
    line(&mut out, &format!("{:<class$}  passed  total", "class"));
    for (name, tally) in &report.classes {
        line(&mut out, &format!("{name:<class$}  {:>6}  {:>5}", tally.passed, tally.total));
    }
    line(&mut out, &format!("{:<class$}  {:>6}  {:>5}", "all", report.passed, report.total));
    for result in report.cases.iter().filter(|result| !result.passed) {
        failed(&mut out, result);
    }
    not_applicable(&mut out, report);
    if report.critical_false_verified > 0 {
        line(&mut out, "");
        line(&mut out, &format!("CRITICAL: {} false VERIFIED", report.critical_false_verified));
    }
    out
}

fn failed(out: &mut String, result: &CaseResult) {
    line(out, "");
    line(out, if result.critical { "CRITICAL" } else { "FAILED" });
    wrapped(out, &format!("{} (seed {})", result.id, result.seed));
    for text in [result.title.as_str()].into_iter().chain(result.faults.iter().map(String::as_str)) {
        wrapped(out, text);
    }
    if !result.trace.is_empty() {
        wrapped(out, &format!("said: {}", result.story()));
    }
}

/// One entry per contract and reason, with the classes and variants it holds for.
fn not_applicable(out: &mut String, report: &Report) {
    let mut reasons: Vec<((&str, &str), Vec<&str>)> = Vec::new();
    for skipped in &report.not_applicable {
        let mut parts = skipped.id.split('/');
        let key = (parts.next().unwrap_or_default(), skipped.reason.as_str());
        let class = parts.next().unwrap_or(&skipped.class);
        match reasons.iter_mut().find(|(own, _)| *own == key) {
            Some((_, classes)) if classes.contains(&class) => {}
            Some((_, classes)) => classes.push(class),
            None => reasons.push((key, vec![class])),
        }
    }
    for ((contract, reason), classes) in reasons {
        line(out, "");
        line(out, "not applicable:");
        wrapped(out, &format!("{contract}: {reason}: {}", classes.join(", ")));
    }
}

pub(super) fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

/// Text indented by two, broken at spaces; a word that is too long by itself is cut.
pub(super) fn wrapped(out: &mut String, text: &str) {
    let mut row = String::new();
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        while word.len() > WIDTH - 4 {
            let rest = word.split_off(WIDTH - 4);
            flush(out, &mut row);
            row.extend(word);
            flush(out, &mut row);
            word = rest;
        }
        if row.chars().count() + word.len() + 3 > WIDTH {
            flush(out, &mut row);
        }
        if !row.is_empty() {
            row.push(' ');
        }
        row.extend(word);
    }
    flush(out, &mut row);
}

fn flush(out: &mut String, row: &mut String) {
    if !row.is_empty() {
        // Writing to a string does not fail.
        let _written = writeln!(out, "  {row}");
        row.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{NotApplicable, Tally};

    #[test]
    fn what_does_not_apply_is_named_with_its_variant() {
        let mut report = Report::default();
        for id in ["c.a/late.partial/open", "c.a/late.partial/done", "c.a/late"] {
            report.not_applicable.push(NotApplicable {
                id: id.into(),
                class: "late".into(),
                reason: "no such state".into(),
            });
        }
        let text = table(&report);
        assert!(text.ends_with("not applicable:\n  c.a: no such state: late.partial, late\n"), "{text}");
    }

    #[test]
    fn no_line_is_wider_than_eighty_columns() {
        let long = "word ".repeat(60) + &"x".repeat(200);
        let mut report = Report { total: 2, passed: 1, critical_false_verified: 1, ..Report::default() };
        report.classes.insert("c".repeat(40), Tally { passed: 1, total: 2 });
        report.not_applicable.push(NotApplicable { id: long.clone(), class: "c".into(), reason: long });
        report.cases.push(CaseResult {
            id: "contract/".to_owned() + &"x".repeat(90),
            class: "c".into(),
            title: "A title.".into(),
            kind: crate::book::Kind::Safe,
            contract_id: "contract".into(),
            required: Vec::new(),
            got: None,
            passed: false,
            critical: true,
            faults: vec!["word ".repeat(60)],
            seed: u64::MAX,
            trace: Vec::new(),
        });
        let text = table(&report);
        assert!(text.contains("seed 18446744073709551615"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.contains("CRITICAL: 1 false VERIFIED"));
    }
}
