//! JUnit XML, as continuous integration reads it: one suite per contract.

use core::fmt::Write as _;
use std::collections::BTreeMap;

use crate::report::{CaseResult, NotApplicable, Report};

/// The report as JUnit XML. Cases that do not apply are skipped tests with the reason.
#[must_use]
pub fn junit(report: &Report) -> String {
    let mut suites: BTreeMap<&str, (Vec<&CaseResult>, Vec<&NotApplicable>)> = BTreeMap::new();
    for result in &report.cases {
        suites.entry(&result.contract_id).or_default().0.push(result);
    }
    for skipped in &report.not_applicable {
        let contract = skipped.id.split('/').next().unwrap_or_default();
        suites.entry(contract).or_default().1.push(skipped);
    }
    let failures = report.total - report.passed;
    let all = report.cases.len() + report.not_applicable.len();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string does not fail.
    let _written = writeln!(out, "<testsuites tests=\"{all}\" failures=\"{failures}\">");
    for (contract, (results, skipped)) in suites {
        suite(&mut out, contract, &results, &skipped);
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, contract: &str, results: &[&CaseResult], skipped: &[&NotApplicable]) {
    let failed = results.iter().filter(|result| !result.passed).count();
    let contract = escaped(contract);
    let _written = writeln!(
        out,
        "  <testsuite name=\"{contract}\" tests=\"{}\" failures=\"{failed}\" skipped=\"{}\">",
        results.len() + skipped.len(),
        skipped.len()
    );
    for result in results {
        let name = escaped(&result.id);
        let class = escaped(&result.class);
        if result.passed {
            let _written = writeln!(out, "    <testcase classname=\"{class}\" name=\"{name}\"/>");
        } else {
            let kind = if result.critical { "critical_false_verified" } else { "wrong_verdict" };
            let why = escaped(&format!("{}; seed {}; {}", result.why(), result.seed, result.story()));
            let _written = writeln!(
                out,
                "    <testcase classname=\"{class}\" name=\"{name}\"><failure type=\"{kind}\" message=\"{why}\"/></testcase>"
            );
        }
    }
    for skipped in skipped {
        let (name, class) = (escaped(&skipped.id), escaped(&skipped.class));
        let reason = escaped(&skipped.reason);
        let _written = writeln!(
            out,
            "    <testcase classname=\"{class}\" name=\"{name}\"><skipped message=\"{reason}\"/></testcase>"
        );
    }
    out.push_str("  </testsuite>\n");
}

/// Text in an attribute (XML 1.0, sections 2.2 and 2.4); what XML cannot hold becomes U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' | '\r' => out.push(' '),
            c if c < ' ' || c == '\u{fffe}' || c == '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b & \"c\"\n\u{1}"), "a&lt;b &amp; &quot;c&quot; \u{fffd}");
    }

    #[test]
    fn a_skipped_case_says_why() {
        let skipped =
            NotApplicable { id: "c/x".into(), class: "x".into(), reason: "the list has no pages".into() };
        let report = Report { not_applicable: vec![skipped], ..Report::default() };
        let text = junit(&report);
        assert!(text.contains("<skipped message=\"the list has no pages\"/>"), "{text}");
        assert!(text.contains("<testsuite name=\"c\" tests=\"1\" failures=\"0\" skipped=\"1\">"), "{text}");
    }
}
