//! Canonical JSON against published vectors and against another implementation. The vectors are data that
//! every language runs; this file must not hold expectations of its own.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot read its fixture must stop")]

use provely_evaluator::canonical::{canonical, canonical_exact, canonical_rfc8785};
use provely_evaluator::json::{Number, Value, parse};
use std::fs;
use std::path::PathBuf;

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/canonical")
}

fn read(path: &str) -> String {
    fs::read_to_string(fixtures().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_vector_becomes_its_published_bytes() {
    let mut names: Vec<String> = fs::read_dir(fixtures().join("input"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() >= 8, "the vectors are gone: {names:?}");
    for name in names {
        let input = read(&format!("input/{name}"));
        let ours = canonical_rfc8785(&parse(&input).unwrap()).unwrap();
        assert_eq!(ours, read(&format!("output/{name}")), "{name}");
        assert_eq!(ours.as_bytes(), serde_json_canonicalizer::pipe(&input).unwrap().as_bytes(), "{name}");
    }
}

#[test]
fn every_published_number_has_its_text() {
    let numbers = parse(&read("numbers.json")).unwrap();
    for (bits, expected) in numbers.as_object().unwrap() {
        let double = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
        assert_eq!(canonical_rfc8785(&number(double)).unwrap(), expected.as_str().unwrap(), "{bits}");
    }
}

#[test]
fn what_is_signed_is_canonical_or_refused() {
    for case in parse(&read("signing.json")).unwrap().as_array().unwrap() {
        let text = |member: &str| case.get(member).and_then(Value::as_str);
        let document = text("document").unwrap();
        let found = match parse(document) {
            Ok(value) => canonical(&value).map_err(|error| error.code.as_str()),
            Err(error) => Err(error.code.as_str()),
        };
        let expected = text("canonical").map(str::to_owned).ok_or_else(|| text("reason_code").unwrap());
        assert_eq!(found, expected, "{document}");
    }
}

#[test]
fn twenty_thousand_doubles_print_as_elsewhere() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut compared = 0;
    while compared < 20_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Half of them over all magnitudes, half where people count.
        let double = if compared % 2 == 0 { f64::from_bits(state) } else { plain(state) };
        if !double.is_finite() {
            continue;
        }
        compared += 1;
        let ours = canonical_rfc8785(&number(double)).unwrap();
        let theirs = serde_json_canonicalizer::to_string(&double).unwrap();
        assert_eq!(ours, theirs, "bits {:016x}", double.to_bits());
        assert_eq!(canonical_exact(&parse(&ours).unwrap()), ours, "the shortest digits lose nothing");
    }
}

/// A decimal number of up to twelve digits around the point.
fn plain(state: u64) -> f64 {
    let scale = 10_f64.powi(i32::try_from(state % 13).unwrap());
    ((state >> 16) % 1_000_000_000_000) as f64 / scale
}

fn number(double: f64) -> Value {
    Value::Number(Number::from_text(&format!("{double:e}")).unwrap())
}
