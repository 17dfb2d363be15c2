//! The committed JSON Schemas are those of the types, and real documents validate against them. `PROVELY_BLESS=1`
//! writes them anew.
#![expect(clippy::unwrap_used, reason = "a test that cannot read its fixtures must stop")]

mod run;

use provely_cli::commands::schema::{Format, text};
use provely_evaluator::json::Value as Exact;
use run::{Folder, root, run};
use serde_json::Value;
use std::fs;

const FORMATS: [Format; 3] = [Format::Contract, Format::Receipt, Format::Manifest];

fn validator(format: Format) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(&text(format).unwrap()).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

fn check(format: Format, document: &Value) {
    let found: Vec<String> = validator(format)
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

fn receipt() -> Value {
    let path = root().join("tests/fixtures/receipts/valid/verified.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn committed_schemas_are_current() {
    for format in FORMATS {
        let path = root().join("schemas").join(format!("{}.schema.json", format.name()));
        let text = text(format).unwrap();
        if std::env::var_os("PROVELY_BLESS").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap();
        assert!(committed == text, "{}: run again with PROVELY_BLESS=1", path.display());
        assert!(text.contains("https://json-schema.org/draft/2020-12/schema"));
    }
}

#[test]
fn a_receipt_validates_and_a_bare_verified_does_not() {
    let receipt = receipt();
    check(Format::Receipt, &receipt);
    let validator = validator(Format::Receipt);
    for (pointer, value) in [
        ("/observations", serde_json::json!([])),
        ("/verdict/evidence_levels_used", serde_json::json!(["E0"])),
        ("/schema_version", serde_json::json!("2.0.0")),
        ("/contract/hash", serde_json::json!("00")),
    ] {
        let mut forged = receipt.clone();
        *forged.pointer_mut(pointer).unwrap() = value;
        assert!(!validator.is_valid(&forged), "{pointer}");
    }
}

#[test]
fn a_contract_validates_and_an_empty_one_does_not() {
    let path = root().join("tests/fixtures/contracts/refund.yaml");
    let text = fs::read_to_string(path).unwrap();
    let limits = provely_document::Limits::default();
    let document = provely_document::read("refund.yaml", text, provely_document::Format::Yaml, &limits)
        .unwrap_or_else(|found| panic!("{}", found.render(false)));
    let exact: Exact = provely_document::from_node(document.root()).unwrap();
    let mut contract = serde_json::to_value(&exact).unwrap();
    check(Format::Contract, &contract);
    *contract.pointer_mut("/completion/all_of").unwrap() = serde_json::json!([]);
    assert!(!validator(Format::Contract).is_valid(&contract));
}

#[test]
fn what_the_compiler_writes_validates() {
    let folder = Folder::new();
    let root = root();
    let answer = run(
        &folder,
        &[
            "skill",
            "generate",
            "stripe",
            "--root",
            root.to_str().unwrap(),
            "--out",
            "skill",
            "--review",
            "review",
        ],
    );
    assert_eq!(answer.exit, 0, "{}", answer.stderr);
    for (path, bytes) in folder.files() {
        let document = || serde_json::from_slice(&bytes).unwrap();
        if path == "skill/manifest.json" {
            check(Format::Manifest, &document());
        } else if path.starts_with("skill/contracts/") {
            check(Format::Contract, &document());
        }
    }
}
