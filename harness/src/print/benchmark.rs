//! The figures of a skill for people: a table at most eighty columns wide, and Markdown. It adds no judgement.

use core::fmt::Write as _;

use crate::benchmark::{HistoryCounts, SkillFigures};
use crate::report::span;

/// The longest name of a subject that is shown whole.
const NAME: usize = 24;

/// One row of the subjects: name, safe cases, blocked, traps, fallen into.
type Row = [String; 5];

const HEAD: [&str; 5] = ["subject", "safe", "false block", "traps", "false safe"];

fn rows(figures: &SkillFigures) -> Vec<Row> {
    let rows = figures.subjects.iter().map(|own| {
        [
            own.name.clone(),
            own.safe_cases.to_string(),
            own.false_block.to_string(),
            own.traps.to_string(),
            own.false_safe.to_string(),
        ]
    });
    rows.collect()
}

/// The figures below the table of classes: subjects, and how soon the skill is right.
#[must_use]
pub fn figures(own: &SkillFigures) -> String {
    let mut out = String::new();
    row(&mut out, &HEAD.map(str::to_owned));
    for cells in rows(own) {
        row(&mut out, &cells);
    }
    out.push('\n');
    out.push_str(&delay(own));
    out.push('\n');
    if let Some(histories) = own.histories {
        out.push_str(&played(histories));
    }
    out
}

/// Random histories, in two lines.
fn played(own: HistoryCounts) -> String {
    format!(
        "{} histories: false VERIFIED {}, false CONTRADICTED {}, false FAILED {},\nlate {}, not to their end {}\n",
        own.run, own.false_verified, own.false_contradicted, own.false_failed, own.late, own.stuck
    )
}

fn row(out: &mut String, [name, safe, block, traps, fallen]: &Row) {
    let name: String = match name.char_indices().nth(NAME) {
        None => name.clone(),
        Some(_) => name.chars().take(NAME - 2).chain("..".chars()).collect(),
    };
    // Writing to a string does not fail.
    let _written = writeln!(out, "{name:<NAME$}  {safe:>5}  {block:>11}  {traps:>5}  {fallen:>10}");
}

fn delay(own: &SkillFigures) -> String {
    let delay = own.delay;
    format!(
        "VERIFIED {} times, behind the truth by {} in the median, {} at worst",
        delay.verified,
        span(delay.median_ms),
        span(delay.worst_ms)
    )
}

/// Everything as Markdown: one section for each skill.
#[must_use]
pub fn markdown(skills: &[SkillFigures]) -> String {
    let mut out = String::from("# False-completion benchmark\n");
    for own in skills {
        let _written = writeln!(
            out,
            "\n## {}\n\nCases of version {}, seed {}: {} of {} passed.\n",
            escaped(&own.service),
            escaped(&own.benchmark_version),
            escaped(&own.seed),
            own.matrix.passed,
            own.matrix.total
        );
        out.push_str("| class | passed | total |\n|---|--:|--:|\n");
        for (class, tally) in &own.matrix.classes {
            let _written = writeln!(out, "| `{class}` | {} | {} |", tally.passed, tally.total);
        }
        let _written = writeln!(out, "\n| {} |\n|---|--:|--:|--:|--:|", HEAD.join(" | "));
        for cells in rows(own) {
            let _written = writeln!(out, "| {} |", cells.map(|cell| escaped(&cell)).join(" | "));
        }
        let _written = writeln!(out, "\n{}.", delay(own));
    }
    out
}

/// Text in a cell: what Markdown would read as structure is escaped.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '|' | '\\' | '`' | '*' | '<' | '[' | '_' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Delay, Matrix};
    use crate::subjects::Figures;

    fn sample() -> SkillFigures {
        let long = Figures { name: "x".repeat(60), safe_cases: u64::MAX, ..Figures::default() };
        SkillFigures {
            service: "acme".into(),
            contracts: Vec::new(),
            benchmark_version: "1.2.0".into(),
            seed: "0".into(),
            matrix: Matrix {
                total: 3,
                passed: 2,
                critical_false_verified: 0,
                not_applicable: 1,
                classes: [("late".to_owned(), crate::Tally { passed: 2, total: 3 })].into(),
            },
            subjects: vec![
                Figures { name: "a|b".into(), traps: 7, false_safe: 4, ..Figures::default() },
                long,
            ],
            histories: Some(HistoryCounts {
                run: 10_000_000,
                false_failed: 1_000,
                late: 100_000,
                ..HistoryCounts::default()
            }),
            delay: Delay { verified: 5, median_ms: 20_000, worst_ms: 86_400_000 * 3 },
        }
    }

    #[test]
    fn the_table_fits_and_says_how_late_the_skill_is() {
        let text = figures(&sample());
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("behind the truth by 20.0s in the median, 3d at worst"), "{text}");
    }

    #[test]
    fn markdown_has_every_figure_and_no_broken_row() {
        let text = markdown(&[sample()]);
        assert!(text.contains("| `late` | 2 | 3 |"), "{text}");
        assert!(text.contains("| a\\|b | 0 | 0 | 7 | 4 |"), "{text}");
        assert!(text.contains("2 of 3 passed"), "{text}");
    }
}
