//! What the reader takes and refuses, and that printing and reading are each other's inverse.

use super::*;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use proptest::prelude::*;

#[test]
fn numbers_keep_their_text() {
    for text in ["0", "-0", "1.50", "9007199254740993", "1e-7", "123456789012345678901234567890", "-1.0E+2"] {
        assert_eq!(parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn refuses_what_is_not_json() {
    let cases = [
        ("", ParseCode::UnexpectedEnd, 0),
        ("[1,", ParseCode::UnexpectedEnd, 3),
        ("[1,]", ParseCode::UnexpectedCharacter, 3),
        ("{\"a\" 1}", ParseCode::UnexpectedCharacter, 5),
        ("{a:1}", ParseCode::UnexpectedCharacter, 1),
        ("{\"a\":1,}", ParseCode::UnexpectedCharacter, 7),
        ("01", ParseCode::InvalidNumber, 1),
        ("-", ParseCode::InvalidNumber, 1),
        ("1.", ParseCode::InvalidNumber, 2),
        ("1e", ParseCode::InvalidNumber, 2),
        ("1.5.5", ParseCode::InvalidNumber, 3),
        ("+1", ParseCode::UnexpectedCharacter, 0),
        (".5", ParseCode::UnexpectedCharacter, 0),
        ("NaN", ParseCode::UnexpectedCharacter, 0),
        ("tru", ParseCode::UnexpectedCharacter, 0),
        ("\"a", ParseCode::UnexpectedEnd, 2),
        ("\"\\x\"", ParseCode::InvalidEscape, 1),
        ("\"\\u12\"", ParseCode::InvalidEscape, 1),
        ("\"\\u+123\"", ParseCode::InvalidEscape, 1),
        ("\"\\ud800\"", ParseCode::InvalidEscape, 1),
        ("\"\\ud800\\u0041\"", ParseCode::InvalidEscape, 1),
        ("\"\\udc00\\ud800\"", ParseCode::InvalidEscape, 1),
        ("\"a\nb\"", ParseCode::ControlCharacter, 2),
        ("1 2", ParseCode::TrailingText, 2),
        ("\u{feff}1", ParseCode::UnexpectedCharacter, 0),
        ("{\"a\":1,\"b\":2,\"a\":1}", ParseCode::DuplicateMember, 13),
        ("{\"a\":1,\"\\u0061\":1}", ParseCode::DuplicateMember, 7),
        ("// no\n1", ParseCode::UnexpectedCharacter, 0),
    ];
    for (text, code, offset) in cases {
        let error = parse(text).unwrap_err();
        assert_eq!((error.code, error.offset), (code, offset), "{text}");
    }
}

#[test]
fn errors_name_line_and_column_in_characters() {
    let error = parse("{\n  \"é\": ?}").unwrap_err();
    assert_eq!((error.line, error.column), (2, 8));
    assert!(error.to_string().starts_with("unexpected_character: line 2, column 8: "));
}

#[test]
fn depth_is_bounded() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse(&nested(MAX_DEPTH)).is_ok());
    assert_eq!(parse(&nested(MAX_DEPTH + 1)).unwrap_err().code, ParseCode::TooDeep);
    assert_eq!(parse(&"[{\"a\":".repeat(500_000)).unwrap_err().code, ParseCode::TooDeep);
    assert!(parse(&format!("[{}1]", "[],".repeat(1000))).is_ok(), "width is not depth");
}

#[test]
fn strings_are_unescaped_and_escaped() {
    let value = parse(r#""\u00e9\ud83d\ude00\/\b\f\n\r\t\"\\\u001f\u2028""#).unwrap();
    assert_eq!(value.as_str(), Some("é😀/\u{8}\u{c}\n\r\t\"\\\u{1f}\u{2028}"));
    assert_eq!(value.to_string(), "\"é😀/\\b\\f\\n\\r\\t\\\"\\\\\\u001f\u{2028}\"");
}

#[test]
fn objects_sort_replace_and_remove() {
    let mut object: Object = [("b", 1), ("a", 2), ("b", 3)].into_iter().collect();
    assert_eq!(object.to_string(), r#"{"a":2,"b":3}"#);
    assert_eq!(object.insert("a", "x"), Some(Value::from(2)));
    assert_eq!(object.insert("c", Value::Null), None);
    assert_eq!(object.remove("b"), Some(Value::from(3)));
    assert_eq!(object.remove("b"), None);
    assert_eq!(object.get("c"), Some(&Value::Null));
    assert_eq!(object.keys().collect::<Vec<_>>(), ["a", "c"]);
}

#[test]
fn pretty_print_indents_by_two() {
    let value = parse(r#"{"a":[1,{"b":[]}],"c":{}}"#).unwrap();
    let expected = "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {}\n}";
    assert_eq!(format!("{value:#}"), expected);
}

#[test]
fn integers_are_read_by_their_literal() {
    let number = |text| Number::from_text(text).unwrap();
    assert_eq!(number("9223372036854775808").as_i64(), None);
    assert_eq!(number("9223372036854775808").as_u64(), Some(9_223_372_036_854_775_808));
    assert_eq!((number("-0").as_i64(), number("-0").as_u64()), (Some(0), Some(0)));
    assert_eq!((number("1.0").as_i64(), number("1e2").as_u64()), (None, None));
    for text in ["", "1 ", " 1", "+1", "0x1", "1a", "--1"] {
        assert_eq!(Number::from_text(text), None, "{text}");
    }
}

#[test]
fn serde_keeps_integers_and_refuses_decimals_and_duplicates() {
    let text = r#"{"a":[18446744073709551615,-9223372036854775808,"x",null,true]}"#;
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(value, parse(text).unwrap());
    assert_eq!(serde_json::to_string(&value).unwrap(), text);
    let decimal = serde_json::from_str::<Value>("1.5").unwrap_err();
    assert!(decimal.to_string().contains("write decimals as strings"));
    assert!(serde_json::to_string(&parse("1.5").unwrap()).is_err());
    let twice = serde_json::from_str::<Value>(r#"{"a":1,"a":2}"#).unwrap_err();
    assert!(twice.to_string().contains("duplicate_member"));
}

#[test]
fn typed_values_become_json() {
    let value = to_value(&(1u8, "a", None::<u8>)).unwrap();
    assert_eq!(value, Value::Array(vec![Value::from(1), Value::from("a"), Value::Null]));
}

fn numbers() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from_i64),
        any::<u64>().prop_map(Number::from_u64),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?"
            .prop_map(|text| Number::from_text(&text).unwrap()),
    ]
}

/// Arbitrary values for the properties of this crate.
pub(crate) fn values(numbers: impl Strategy<Value = Number> + 'static) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        numbers.prop_map(Value::Number),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn printed_values_read_back(value in values(numbers())) {
        prop_assert_eq!(&parse(&value.to_string()).unwrap(), &value);
        prop_assert_eq!(&parse(&format!("{value:#}")).unwrap(), &value);
    }

    #[test]
    fn agrees_with_another_reader(text in "[\\[\\]{}:,\"0-9a.eE+\\-\\\\ tu]{0,24}") {
        let theirs = serde_json::from_str::<serde_json::Value>(&text).is_ok();
        match parse(&text) {
            Ok(_) => prop_assert!(theirs || text.contains(['e', 'E']), "only we accept {}", text),
            Err(error) => prop_assert!(
                !theirs || error.code == ParseCode::DuplicateMember, "only they accept {}", text),
        }
    }
}
