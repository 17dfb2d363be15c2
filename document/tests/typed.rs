//! Reads every file of `fixtures/typed` into one Rust type; the expectation is what came out (`.value`) or
//! the rendered finding (`.error`). Then what files cannot show.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first surprise; helpers of tests stand outside `#[test]`"
)]

mod walk;

use std::collections::BTreeMap;

use provely_document::{Format, Limits, Spanned, code, from_node, read};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "shown through Debug")]
struct Promise {
    id: String,
    completion: Group,
    #[serde(default)]
    window: Option<Window>,
    #[serde(default)]
    counts: BTreeMap<u16, i64>,
    #[serde(default)]
    point: Option<(f64, f64)>,
    #[serde(default)]
    levels: Vec<Level>,
    #[serde(default)]
    tail: Option<Tail>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "shown through Debug")]
struct Group {
    all_of: Vec<Condition>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "shown through Debug")]
struct Condition {
    path: String,
    operator: Operator,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Operator {
    Exists,
    Equals(#[expect(dead_code, reason = "shown through Debug")] serde_json::Value),
    Between {
        #[expect(dead_code, reason = "shown through Debug")]
        low: i64,
        #[expect(dead_code, reason = "shown through Debug")]
        high: i64,
    },
}

#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct Window(#[expect(dead_code, reason = "shown through Debug")] u32);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Low,
    High,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Tail {
    Short {
        #[expect(dead_code, reason = "shown through Debug")]
        length: u8,
    },
}

#[test]
fn typed_values_and_their_findings() {
    walk::each("typed", &["value", "error"], |name, bytes| {
        let document = read(name, bytes, Format::Auto, &Limits::default()).unwrap();
        match from_node::<Promise>(document.root()) {
            Ok(promise) => ("value", format!("{promise:#?}\n")),
            Err(finding) => ("error", finding.render(false) + "\n"),
        }
    });
}

fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, provely_document::Diagnostic> {
    let document = read("value.json", text, Format::Json, &Limits::default()).unwrap();
    from_node(document.root())
}

#[test]
fn t43_integers_of_64_bits_keep_every_digit() {
    assert_eq!(json::<u64>("18446744073709551615").unwrap(), u64::MAX);
    assert_eq!(json::<i64>("-9223372036854775808").unwrap(), i64::MIN);
    assert_eq!(json::<u64>("9007199254740993").unwrap(), 9_007_199_254_740_993);
    let neighbours: Vec<serde_json::Value> = json("[9007199254740992, 9007199254740993]").unwrap();
    assert_ne!(neighbours[0], neighbours[1]);
}

#[test]
fn numbers_that_do_not_fit_are_refused_in_place() {
    for text in ["18446744073709551616", "-9223372036854775809", "1e999", &"9".repeat(400)] {
        let finding = json::<Vec<serde_json::Value>>(&format!("[1, {text}]")).unwrap_err();
        assert_eq!(finding.code, code::NUMBER_RANGE, "{text}");
        assert_eq!((finding.place().line, finding.place().column), (1, 5), "{text}");
    }
    assert_eq!(json::<u8>("256").unwrap_err().code, code::NUMBER_RANGE);
    assert_eq!(json::<i64>("1.0").unwrap_err().code, code::WRONG_TYPE);
    assert_eq!(json::<f64>("12").unwrap(), 12.0);
    assert_eq!(json::<f64>("1.5e3").unwrap(), 1500.0);
}

#[test]
fn a_finding_is_plain_data_too() {
    let finding = json::<Promise>("{\n  \"id\": 7}").unwrap_err();
    let plain = serde_json::to_value(&finding).unwrap();
    assert_eq!(
        plain,
        serde_json::json!({
            "code": "value/wrong-type",
            "severity": "error",
            "message": "expected a string at `id`, found the number `7`",
            "where": {"file": "value.json", "line": 2, "column": 9},
            "labels": [],
            "help": "write \"7\" for a string",
        })
    );
}

#[test]
fn a_spanned_value_knows_its_place_and_reads_elsewhere_too() {
    let text = r#"{"id": "x", "list": [1, 22]}"#;
    type Row = BTreeMap<String, Spanned<serde_json::Value>>;
    let row: Row = json(text).unwrap();
    assert_eq!(&text[row["id"].span.range()], r#""x""#);
    assert_eq!(&text[row["list"].span.range()], "[1, 22]");
    let list: Vec<Spanned<u8>> = json("[1, 22]").unwrap();
    assert_eq!((list[1].value, list[1].span.start), (22, 4));
    let finding = json::<Vec<Spanned<u8>>>("[1, 256]").unwrap_err();
    assert_eq!((finding.code, finding.place().column), (code::NUMBER_RANGE, 5));
    let elsewhere: Row = serde_json::from_str(text).unwrap();
    assert_eq!(elsewhere["id"].value, "x");
}
