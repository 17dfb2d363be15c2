//! Input that means harm: each ends in a finding with a place, soon, on a small stack.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first surprise; helpers of tests stand outside `#[test]`"
)]

use std::time::{Duration, Instant};

use proptest::prelude::*;
use provely_document::{Diagnostic, Format, Limits, code, read};

fn refuse(text: impl Into<Vec<u8>>, format: Format) -> Diagnostic {
    let start = Instant::now();
    let finding = read("hostile", text, format, &Limits::default()).unwrap_err();
    assert!(!finding.render(true).is_empty());
    assert!(start.elapsed() < Duration::from_secs(5), "takes too long");
    finding
}

#[test]
fn deep_nesting_is_refused_where_it_gets_too_deep() {
    for depth in [201, 10_000, 1_000_000] {
        for opening in ["[", "{\"a\":"] {
            for format in [Format::Json, Format::Yaml, Format::Auto] {
                let finding = refuse(opening.repeat(depth), format);
                assert_eq!(finding.code, code::TOO_DEEP);
                assert_eq!(finding.span.start as usize, opening.len() * 200, "{format:?}");
            }
        }
    }
    let block: String = (0..10_000).map(|level| " ".repeat(level) + "a:\n").collect();
    assert_eq!(refuse(block, Format::Yaml).code, code::TOO_DEEP);
    assert_eq!(refuse("- ".repeat(10_000), Format::Yaml).code, code::TOO_DEEP);
}

#[test]
fn the_depth_that_is_allowed_reads_on_a_small_stack() {
    let text = "[".repeat(200) + &"]".repeat(200);
    let reader = std::thread::Builder::new().stack_size(128 << 10);
    let read_both = move || {
        for format in [Format::Json, Format::Yaml] {
            read("deep", text.as_str(), format, &Limits::default()).unwrap();
        }
    };
    reader.spawn(read_both).unwrap().join().unwrap();
}

#[test]
fn an_alias_bomb_is_refused_at_the_alias_that_goes_too_far() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let below = format!("*a{}", level - 1);
        bomb += &format!("a{level}: &a{level} [{}]\n", [below.as_str(); 10].join(", "));
    }
    let finding = refuse(bomb, Format::Yaml);
    assert_eq!(finding.code, code::YAML_ALIAS_EXPANSION);
    assert_eq!(finding.labels.len(), 1);
}

#[test]
fn aliases_within_the_budget_share_nodes() {
    let text = "base: &base {x: [1, 2, 3]}\none: *base\ntwo: *base\n";
    let document = read("shared", text, Format::Yaml, &Limits::default()).unwrap();
    let id = |key| document.root().get(key).unwrap().id();
    assert_eq!(id("one"), id("base"));
    assert_eq!(id("two"), id("base"));
    assert_eq!(document.node_count(), 10, "three keys, the root, and the base with six nodes once");
}

#[test]
fn depth_counts_through_aliases() {
    let limits = Limits { depth: 4, ..Limits::default() };
    let finding = read("deep", "a: &a [[1]]\nb: [[*a]]\n", Format::Yaml, &limits).unwrap_err();
    assert_eq!(finding.code, code::TOO_DEEP);
    assert_eq!(finding.place().line, 2);
    assert!(read("deep", "a: &a [[1]]\nb: [*a]\n", Format::Yaml, &limits).is_ok());
}

#[test]
fn size_and_number_are_bounded() {
    let limits = Limits { bytes: 10, ..Limits::default() };
    assert_eq!(read("big", "[1,2,3,4,5]", Format::Auto, &limits).unwrap_err().code, code::TOO_LARGE);
    let limits = Limits { nodes: 4, ..Limits::default() };
    for format in [Format::Json, Format::Yaml] {
        let finding = read("many", "[1, 2, 3, 4]", format, &limits).unwrap_err();
        assert_eq!((finding.code, finding.place().column), (code::TOO_MANY_NODES, 11));
    }
}

#[test]
fn lone_surrogates_and_nul_bytes() {
    for text in [r#"["\ud800"]"#, r#"["\ud800\n"]"#, r#"["\ud800\ud800"]"#, r#"["\udc00\ud800"]"#] {
        let finding = refuse(text, Format::Auto);
        assert_eq!((finding.code, finding.place().column), (code::JSON_LONE_SURROGATE, 3), "{text}");
    }
    assert_eq!(refuse("[\"a\0b\"]", Format::Json).place().column, 4);
    assert_eq!(refuse("[1,\0]", Format::Json).place().column, 4);
    assert!(read("nul", r#"["\u0000"]"#, Format::Json, &Limits::default()).is_ok());
    for bytes in [&b"[\"\xff\"]"[..], b"a: \xed\xa0\x80", b"\xff\xfea", b"\xff\xfe\x00\xd8"] {
        assert_eq!(refuse(bytes, Format::Auto).code, code::NOT_UTF8);
    }
}

#[test]
fn huge_numbers_keep_their_text() {
    let digits = "9".repeat(100_000);
    let text = format!("[{digits}, 1e{digits}, -0.{digits}]");
    for format in [Format::Json, Format::Yaml] {
        let document = read("huge", text.as_str(), format, &Limits::default()).unwrap();
        let first = document.root().item(0).unwrap();
        assert_eq!(first.number_text(), Some(digits.as_str()));
        assert_eq!((first.as_i64(), first.as_u64()), (None, None));
    }
}

#[test]
fn every_truncation_of_json_is_refused_with_a_place() {
    let text = r#"{"a": [1, -2.5e3, true, null, "x\u00e9\n\ud83d\ude00"], "bé": {"c": false}}"#;
    for (end, _) in text.char_indices() {
        let finding = refuse(&text[..end], Format::Json);
        assert!(finding.span.start as usize <= end);
    }
}

#[test]
fn one_long_line_is_cut_around_the_caret() {
    let text = "[".to_owned() + &"\"value\", ".repeat(50_000) + "oops, " + &"1, ".repeat(50_000) + "1]";
    let rendered = refuse(text, Format::Json).render(false);
    assert!(rendered.lines().all(|line| line.chars().count() <= 84), "{rendered}");
    assert!(
        rendered.contains("oops") && rendered.contains("^^^^") && rendered.contains(":1:450002"),
        "{rendered}"
    );
}

proptest! {
    #[test]
    fn any_bytes_read_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        for format in [Format::Json, Format::Yaml, Format::Auto] {
            if let Err(finding) = read("any", bytes.clone(), format, &Limits::default()) {
                prop_assert!(!finding.render(false).is_empty());
            }
        }
    }

    #[test]
    fn any_text_of_marks_reads_or_is_refused(text in "[\\[\\]{}:,?&*!|>'\"%@`#\\-~<ab01.e \t\r\n\u{85}é\u{feff}]{0,40}") {
        for format in [Format::Json, Format::Yaml, Format::Auto] {
            if let Err(finding) = read("any", text.as_str(), format, &Limits::default()) {
                prop_assert!(!finding.render(true).is_empty());
                prop_assert!(finding.place().line >= 1);
            }
        }
    }
}
