//! Properties that compare with serde_json, and the named traps of reading.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first surprise; helpers of tests stand outside `#[test]`"
)]

use proptest::prelude::*;
use provely_document::{
    Document, Format, Kind, Limits, Node, Pointer, PointerReason, PointerSyntax, code, read,
};
use serde_json::Value;

fn open(text: &str, format: Format) -> Document {
    read("test", text, format, &Limits::default()).unwrap()
}

/// The lossless walk that other crates write for their own value type.
fn to_value(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(node.as_bool().unwrap()),
        Kind::Number => number(node),
        Kind::String => Value::String(node.as_str().unwrap().to_owned()),
        Kind::Array => node.items().map(to_value).collect(),
        Kind::Object => node.entries().map(|entry| (entry.key.to_owned(), to_value(entry.value))).collect(),
    }
}

/// serde_json keeps the sign of `-0` by making it a double.
fn number(node: Node<'_>) -> Value {
    if node.number_text() == Some("-0") {
        return Value::from(-0.0);
    }
    let integer = node.as_i64().map(Value::from).or(node.as_u64().map(Value::from));
    integer.unwrap_or_else(|| Value::from(node.as_f64().unwrap()))
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-c\"\\\\/\u{0}-\u{1f}\u{7f}😀é]{0,12}"]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 80, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..20).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

/// Every character as `\uXXXX`, astral ones as pairs.
fn escaped(text: &str) -> String {
    text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect()
}

/// The value in YAML block style, strings and keys as JSON writes them.
fn block(value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                out.push_str(&format!("\n{indent}-"));
                block(item, depth + 1, out);
            }
        }
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                out.push_str(&format!("\n{indent}{}:", Value::from(key.as_str())));
                block(value, depth + 1, out);
            }
        }
        leaf => out.push_str(&format!(" {leaf}")),
    }
}

/// Characters that YAML does not allow unescaped, which JSON does, turned into `x`.
fn printable(text: &str) -> String {
    let barred = |letter: char| {
        letter.is_control() && letter != '\n' || matches!(letter, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    text.chars().map(|letter| if barred(letter) { 'x' } else { letter }).collect()
}

proptest! {
    #[test]
    fn json_reads_as_serde_json_reads_it(value in value(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        prop_assert_eq!(to_value(open(&text, Format::Json).root()), value);
    }

    #[test]
    fn escapes_read_back(text in text()) {
        let document = open(&format!("[\"{}\"]", escaped(&text)), Format::Json);
        prop_assert_eq!(document.root().at("/0").unwrap().as_str(), Some(text.as_str()));
    }

    #[test]
    fn what_serde_json_refuses_is_refused(text in "[\\[\\]{}:,\"\\\\au1e.+\\-0 tn]{0,12}") {
        let theirs = serde_json::from_str::<Value>(&text);
        let ours = read("test", text.as_str(), Format::Json, &Limits::default());
        match ours {
            Ok(document) => {
                // serde_json refuses doubles out of range, which keep their text here.
                let range = |error: &serde_json::Error| error.to_string().starts_with("number out of range");
                prop_assert!(theirs.as_ref().is_ok() || theirs.as_ref().is_err_and(range));
                if let Ok(value) = theirs { prop_assert_eq!(to_value(document.root()), value); }
            }
            Err(finding) => prop_assert!(theirs.is_err() || finding.code == code::DUPLICATE_KEY, "{}", finding),
        }
    }

    #[test]
    fn json_and_blocks_are_yaml(value in value()) {
        let text = printable(&serde_json::to_string_pretty(&value).unwrap());
        let mut blocks = String::new();
        block(&value, 0, &mut blocks);
        let json = read("test", text.as_str(), Format::Json, &Limits::default());
        for yaml in [text, printable(&blocks)] {
            let yaml = read("test", yaml, Format::Yaml, &Limits::default());
            match (&json, yaml) {
                (Ok(json), Ok(yaml)) => prop_assert_eq!(to_value(json.root()), to_value(yaml.root())),
                (Err(json), Err(yaml)) => prop_assert_eq!(json.code, yaml.code),
                (json, yaml) => prop_assert!(false, "{:?} {:?}", json, yaml),
            }
        }
    }

    #[test]
    fn big_objects_find_every_key_and_nothing_else(keys in prop::collection::btree_set(text(), 0..200)) {
        let members: Vec<String> =
            keys.iter().enumerate().map(|(at, key)| format!("\"{}\": {at}", escaped(key))).collect();
        let document = open(&format!("{{{}}}", members.join(",")), Format::Json);
        for (at, key) in keys.iter().enumerate() {
            prop_assert_eq!(document.root().get(key).unwrap().as_u64(), Some(at as u64));
            let other = key.clone() + "?";
            prop_assert!(keys.contains(&other) || document.root().get(&other).is_none());
        }
        let order: Vec<&str> = document.root().entries().map(|entry| entry.key).collect();
        prop_assert_eq!(order, keys.iter().collect::<Vec<_>>());
    }

    #[test]
    fn duplicates_are_found_at_any_size(count in 2usize..60, first: prop::sample::Index, format: bool) {
        let first = first.index(count - 1);
        let mut keys: Vec<String> = (0..count).map(|at| format!("\"k{at}\": 0")).collect();
        keys[count - 1] = format!("\"k{first}\": 1");
        let format = if format { Format::Json } else { Format::Yaml };
        let finding = read("test", format!("{{{}}}", keys.join(",\n")), format, &Limits::default()).unwrap_err();
        prop_assert_eq!(finding.code, code::DUPLICATE_KEY);
        prop_assert_eq!(finding.place().line as usize, count);
        let source = &finding.source;
        prop_assert_eq!(source.location(finding.labels[0].span.start).line as usize, first + 1);
    }

    #[test]
    fn pointers_print_and_parse(tokens in prop::collection::vec("[a~/%01é ]{0,5}", 0..5)) {
        let mut pointer = Pointer::root();
        tokens.iter().for_each(|token| pointer.push(token.as_str()));
        prop_assert_eq!(pointer.tokens(), tokens.as_slice());
        prop_assert_eq!(Pointer::parse(&pointer.to_string()), Ok(pointer));
    }
}

#[test]
fn t44_words_of_yaml_1_1_are_strings() {
    let document = open("enum: [GB, NO]\non: on\noff: off\nyes: Yes\nn: n\n", Format::Yaml);
    let root = document.root();
    let text = |pointer| root.at(pointer).unwrap().as_str();
    assert_eq!(text("/enum/1"), Some("NO"));
    assert_eq!(
        (text("/on"), text("/off"), text("/yes"), text("/n")),
        (Some("on"), Some("off"), Some("Yes"), Some("n"))
    );
}

#[test]
fn t45_dates_are_strings_even_impossible_ones() {
    let document =
        open("- 2024-04-31T12:50:14+00:00\n- 2024-02-30\n- 2001-12-14 21:59:43.10 -5\n", Format::Yaml);
    let texts: Vec<_> = document.root().items().map(|item| item.as_str().unwrap()).collect();
    assert_eq!(texts, ["2024-04-31T12:50:14+00:00", "2024-02-30", "2001-12-14 21:59:43.10 -5"]);
}

#[test]
fn leading_zeros_keep_their_text() {
    let document = open("[0123, \"0123\", 0o17, 0x1F, +5, -007]", Format::Yaml);
    let items: Vec<Node<'_>> = document.root().items().collect();
    assert_eq!((items[0].number_text(), items[0].as_i64()), (Some("0123"), Some(123)));
    assert_eq!(items[1].as_str(), Some("0123"));
    let values: Vec<_> = items[2..].iter().map(|item| item.as_i64().unwrap()).collect();
    assert_eq!(values, [15, 31, 5, -7]);
}

#[test]
fn t46_reference_fragments_are_decoded_in_order() {
    let cases: [(&str, &[&str]); 12] = [
        ("#", &[]),
        ("#/", &[""]),
        ("#/paths/~1v1~1x/get", &["paths", "/v1/x", "get"]),
        ("#/paths/~1v1~1%7Bid%7D", &["paths", "/v1/{id}"]),
        ("#/a/%24ref", &["a", "$ref"]),
        ("#/m~0n", &["m~n"]),
        ("#/~01", &["~1"]),
        ("#/%7E1", &["/"]),
        ("#/100%", &["100%"]),
        ("#/%zz%2", &["%zz%2"]),
        ("#/%C3%A9%FF", &["%C3%A9%FF"]),
        ("#/%C3%A9/é~x", &["é", "é~x"]),
    ];
    for (fragment, tokens) in cases {
        assert_eq!(Pointer::parse_fragment(fragment).unwrap().tokens(), tokens, "{fragment}");
    }
    assert_eq!(Pointer::parse_fragment("/a"), Err(PointerSyntax::NoHash));
    assert_eq!(Pointer::parse_fragment("#anchor"), Err(PointerSyntax::NoSlash));
}

#[test]
fn rfc_6901_examples() {
    let text = r#"{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}"#;
    let document = open(text, Format::Json);
    let root = document.root();
    assert_eq!(root.at("").unwrap().len(), 10);
    assert_eq!(root.at("/foo/0").unwrap().as_str(), Some("bar"));
    let pointers = ["/", "/a~1b", "/c%d", "/e^f", "/g|h", "/i\\j", "/k\"l", "/ ", "/m~0n"];
    for (at, pointer) in pointers.into_iter().enumerate() {
        assert_eq!(root.at(pointer).unwrap().as_u64(), Some(at as u64), "{pointer}");
    }
    assert!(root.at("/foo/00").is_none() && root.at("/foo/-").is_none() && root.at("foo").is_none());
    assert_eq!(Pointer::parse("/a~b"), Err(PointerSyntax::Tilde));
}

#[test]
fn a_pointer_error_names_the_token_and_the_nearest_key() {
    let text =
        "components:\n  schemas:\n    refund: {type: [object]}\nuse:\n  $ref: '#/components/schemas/refnd'\n";
    let document = open(text, Format::Yaml);
    let holder = document.root().at("/use/$ref").unwrap();
    let fail = |fragment| document.root().resolve(&Pointer::parse_fragment(fragment).unwrap()).unwrap_err();
    let error = fail(holder.as_str().unwrap());
    assert_eq!((error.failed, error.token(), error.nearest()), (2, "refnd", Some("refund")));
    let finding = error.at(holder);
    assert_eq!((finding.place().line, finding.place().column), (5, 9));
    assert_eq!(finding.help.as_deref(), Some("did you mean `refund`?"));
    let reason = |fragment| fail(fragment).reason;
    assert_eq!(reason("#/components/schemas/refund/type/1"), PointerReason::NoSuchIndex { len: 1 });
    assert_eq!(reason("#/components/schemas/refund/type/x"), PointerReason::NotAnIndex);
    assert_eq!(reason("#/components/schemas/refund/type/0/x"), PointerReason::Scalar(Kind::String));
}

#[test]
fn spans_are_where_things_stand() {
    for format in [Format::Json, Format::Yaml] {
        let document = open("\u{feff}{\n  \"é\": [1, \"x\"]\n}", format);
        let slice = |node: Node<'_>| document.text()[node.span().range()].to_owned();
        let entry = document.root().entry("é").unwrap();
        assert_eq!(&document.text()[entry.key_span.range()], "\"é\"");
        assert_eq!(slice(entry.value), "[1, \"x\"]");
        assert_eq!(slice(entry.value.item(1).unwrap()), "\"x\"");
        let place = entry.value.item(1).unwrap().line_col();
        assert_eq!((place.line, place.column), (2, 12));
        assert_eq!(document.node(entry.value.id()).unwrap().span(), entry.value.span());
    }
}

#[test]
fn documents_cross_threads() {
    fn crosses<T: Send + Sync + 'static>(_: &T) {}
    crosses(&open("{}", Format::Auto));
}
