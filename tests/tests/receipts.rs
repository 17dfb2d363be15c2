//! Receipts as files: each `NAME.json` stands beside `NAME.expect.json`, which says what every validator must
//! answer. The folder is walked, so a new pair needs no Rust. `PROVELY_BLESS=1` writes the generated pairs anew.
//!
//! An expectation holds `reason_code`, `exit_code`, `check` (the first that fails) and, where they differ from
//! the test key alone and no contract, `trusted_keys` and `contract`.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot read its fixture must stop"
)]

#[path = "receipts/forgeries.rs"]
mod forgeries;

use provely_evaluator::json::{Value, parse};
use provely_evaluator::receipt::{Outcome, Report, validate};
use provely_evaluator::seal::{Reason, TrustedKeys};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/receipts")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The stems of a folder, each of which has both files.
fn stems(folder: &str) -> Vec<PathBuf> {
    let mut stems: Vec<PathBuf> = fs::read_dir(fixtures().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_str().unwrap().ends_with(".expect.json"))
        .map(|path| path.with_extension(""))
        .collect();
    stems.sort();
    stems
}

fn check(stem: &Path) -> Report {
    let expected = parse(&read(&stem.with_extension("expect.json"))).unwrap();
    let keys = expected
        .get("trusted_keys")
        .map_or_else(TrustedKeys::test, |keys| TrustedKeys::from_value(keys).unwrap());
    let report = validate(&read(&stem.with_extension("json")), &keys, expected.get("contract"));
    let failed = report.checks().iter().find(|result| matches!(result.outcome, Outcome::Failed { .. }));
    let found = (Some(report.reason().as_str()), failed.map(|result| result.check.name()));
    let text = |member: &str| expected.get(member).and_then(Value::as_str);
    assert_eq!(found, (text("reason_code"), text("check")), "{}\n{report}", stem.display());
    assert_eq!(
        expected.get("exit_code").and_then(Value::as_u64),
        Some(report.exit_code().into()),
        "{report}"
    );
    report
}

#[test]
fn every_valid_receipt_is_accepted() {
    let stems = stems("valid");
    assert!(stems.len() >= 6, "fixtures are gone");
    for stem in stems {
        assert!(check(&stem).is_valid(), "{}", stem.display());
    }
}

#[test]
fn every_forgery_is_refused() {
    let stems = stems("forged");
    assert!(stems.len() >= 30, "fixtures are gone");
    for stem in stems {
        let report = check(&stem);
        assert!(!report.is_valid() && report.exit_code() == 1, "{}", stem.display());
    }
}

#[test]
fn every_reason_to_refuse_has_a_forgery() {
    let seen: BTreeSet<Reason> = stems("forged").iter().map(|stem| check(stem).reason()).collect();
    // A decimal number never gets past the schema of a receipt; printings are compared for manifests alone.
    let elsewhere = [Reason::DecimalNumber, Reason::PrintingDiffers, Reason::SignatureValid];
    let missing: Vec<&Reason> =
        Reason::ALL.iter().filter(|reason| !seen.contains(reason) && !elsewhere.contains(reason)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn generated_fixtures_are_current() {
    let bless = std::env::var_os("PROVELY_BLESS").is_some();
    for (path, text) in forgeries::all(&read(&fixtures().join("valid/verified.json"))) {
        let path = fixtures().join(path);
        if bless {
            fs::write(&path, &text).unwrap();
        }
        assert_eq!(read(&path), text, "{}: run again with PROVELY_BLESS=1", path.display());
    }
}

/// The example, changed in one bit anywhere, is another document or none at all.
#[test]
fn every_flipped_bit_is_refused() {
    let text = read(&fixtures().join("valid/verified.json"));
    let original = parse(&text).unwrap();
    let keys = TrustedKeys::test();
    for at in 0..text.len() {
        for bit in 0..7 {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1 << bit;
            let changed = String::from_utf8(bytes).unwrap();
            let same = parse(&changed).is_ok_and(|value| value == original);
            assert_eq!(validate(&changed, &keys, None).is_valid(), same, "byte {at}, bit {bit}");
        }
    }
}
