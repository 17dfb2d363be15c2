//! Every place at which text from outside comes in, as one function each. None may panic, hang or exhaust memory, and
//! what holds of what it gives is asserted here.

use provely_compiler::assertion::source_of;
use provely_compiler::classify::classify;
use provely_compiler::ingest::ingest;
use provely_compiler::plan::{Gathered, Rules, plan};
use provely_compiler::review::write_answer;
use provely_compiler::source::{Answer, Names, SourceFile, SourceKind, Sources, read_review, read_service};
use provely_compiler::synthesise::synthesise;
use provely_compiler::truth::{read_floors, read_labels};
use provely_document::{Format, Limits, Pointer, from_node, read};
use provely_evaluator::canonical::{canonical, canonical_exact};
use provely_evaluator::contract::Contract;
use provely_evaluator::json::{self, parse};
use provely_evaluator::load::Program;
use provely_evaluator::manifest::Manifest;
use provely_evaluator::query::Reference;
use provely_evaluator::receipt::validate;
use provely_evaluator::seal::{SigningKey, TEST_KEY_ID, TrustedKeys};

/// A target: its name, which is that of its corpus too, and what it runs.
pub type Entry = (&'static str, fn(&[u8]));

/// Every target.
pub const ENTRIES: [Entry; 18] = [
    ("json", json),
    ("yaml", yaml),
    ("value", value),
    ("canonical", canonical_json),
    ("pointer", pointer),
    ("query", query),
    ("contract", contract),
    ("receipt", receipt),
    ("manifest", manifest),
    ("openapi", openapi),
    ("graphql", graphql),
    ("markdown", markdown),
    ("html", html),
    ("sdk", sdk),
    ("events", events),
    ("service", service),
    ("review", review),
    ("labels", labels),
];

/// The JSON reader of files.
pub fn json(data: &[u8]) {
    file(data, Format::Json);
}

/// The YAML reader of files.
pub fn yaml(data: &[u8]) {
    file(data, Format::Yaml);
}

fn file(data: &[u8], format: Format) {
    match read("input", data, format, &Limits::default()) {
        Ok(document) => {
            let span = document.root().span();
            assert!(span.start <= span.end);
            let _ = from_node::<serde::de::IgnoredAny>(document.root());
        }
        Err(finding) => assert!(!finding.render(false).is_empty()),
    }
}

/// The JSON reader of evidence; what it prints it reads again.
pub fn value(data: &[u8]) {
    let Some(value) = text(data).and_then(|text| parse(text).ok()) else { return };
    assert_eq!(parse(&value.to_string()).as_ref(), Ok(&value));
    assert_eq!(parse(&format!("{value:#}")).as_ref(), Ok(&value));
}

/// Canonical JSON; printed again it stays as it is.
pub fn canonical_json(data: &[u8]) {
    let Some(value) = text(data).and_then(|text| parse(text).ok()) else { return };
    assert!(parse(&canonical_exact(&value)).is_ok());
    if let Ok(once) = canonical(&value) {
        let again = parse(&once).map(|value| canonical(&value));
        assert_eq!(again, Ok(Ok(once)));
    }
}

/// JSON pointers, plain and in fragments; what one prints it reads again.
pub fn pointer(data: &[u8]) {
    let Some(text) = text(data) else { return };
    for pointer in [Pointer::parse(text), Pointer::parse_fragment(text)].into_iter().flatten() {
        let printed = pointer.to_string();
        assert_eq!(Pointer::parse(&printed).map(|own| own.to_string()), Ok(printed));
        if let Ok(document) = read("tree", r#"{"a": [{"b/c": 1, "": 2}]}"#, Format::Json, &Limits::default())
        {
            let _ = document.root().resolve(&pointer);
        }
    }
}

/// References, the singular queries of RFC 9535 below their roots.
pub fn query(data: &[u8]) {
    let _ = text(data).map(Reference::parse);
}

/// Contract documents and the rules that they are loaded by.
pub fn contract(data: &[u8]) {
    let Ok(document) = read("contract", data, Format::Auto, &Limits::default()) else { return };
    if let Ok(contract) = from_node::<Contract>(document.root()) {
        let _ = Program::load(contract);
    }
}

/// Receipts. None that a fuzzer wrote is signed.
pub fn receipt(data: &[u8]) {
    if let Some(text) = text(data) {
        let _ = validate(text, &keys(), None).exit_code();
    }
}

/// Manifests, opened and as they stand.
pub fn manifest(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let _ = Manifest::open(text, &keys());
    let _ = parse(text).map(|value| json::from_value::<Manifest>(&value).is_ok());
}

/// OpenAPI descriptions, through every stage that reads them.
pub fn openapi(data: &[u8]) {
    if let Some(text) = text(data) {
        stages(&Sources::of_openapi("fuzz.yaml", text));
    }
}

/// GraphQL schemas, in SDL and as answers to an introspection query.
pub fn graphql(data: &[u8]) {
    if let Some(text) = text(data) {
        stages(&Sources::of_graphql("fuzz.graphql", text));
    }
}

/// Documents in Markdown, beside a description whose states they explain.
pub fn markdown(data: &[u8]) {
    beside(data, SourceKind::Docs, "guide.md");
}

/// Documents in HTML, beside the same description.
pub fn html(data: &[u8]) {
    beside(data, SourceKind::Docs, "guide.html");
}

/// Type files of SDKs, beside the same description.
pub fn sdk(data: &[u8]) {
    beside(data, SourceKind::SdkTypes, "index.d.ts");
}

/// Samples of events.
pub fn events(data: &[u8]) {
    beside(data, SourceKind::EventSample, "events.json");
}

/// Service files.
pub fn service(data: &[u8]) {
    let _ = text(data).map(|text| read_service("service.yaml", text).is_ok());
}

/// Files of answers; one more answer can be written into each that reads, and leaves the others as they are.
pub fn review(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let before = read_review("review.yaml", text);
    let answer = Answer {
        uncertainty: "state:order.status:done".to_owned(),
        answer: "terminal_success".to_owned(),
        assertion: "fuzz.docs#p1".to_owned(),
        reviewer: "A. Reviewer".to_owned(),
        date: "2026-01-01".to_owned(),
    };
    if let (Ok(before), Ok(edited)) = (before, write_answer("review.yaml", text, &answer)) {
        let mut after = read_review("review.yaml", &edited).unwrap_or_default();
        assert!(after.contains(&answer) && source_of(&answer.assertion) == "fuzz.docs");
        after.retain(|own| own.uncertainty != answer.uncertainty);
        let kept = before.into_iter().filter(|own| own.uncertainty != answer.uncertainty);
        assert_eq!(after, kept.collect::<Vec<_>>());
    }
}

/// Labels and floors.
pub fn labels(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let _ = read_labels("labels.yaml", text);
    let _ = read_floors("floors.yaml", text);
}

const DESCRIPTION: &str = "\
openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /orders:
    post:
      summary: Create an order
      responses:
        '201': { description: made, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }
  /orders/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }
components:
  schemas:
    Order:
      type: object
      properties:
        id: { type: string }
        status: { type: string, enum: [pending, completed, failed] }
";

fn beside(data: &[u8], kind: SourceKind, name: &str) {
    let Some(text) = text(data) else { return };
    let mut sources = Sources::of_openapi("shop.yaml", DESCRIPTION);
    sources.files.push(SourceFile {
        id: "shop.other".to_owned(),
        kind,
        name: name.to_owned(),
        url: None,
        retrieved: None,
        excerpt: None,
        text: text.to_owned(),
    });
    stages(&sources);
}

fn stages(sources: &Sources) {
    let (Ok(found), Ok(rules)) = (ingest(sources), Rules::builtin()) else { return };
    let classified = classify(&found);
    let planned = plan(&Gathered::of(&found, &classified).known(&classified.service), &rules);
    let _ = synthesise(&planned, &Names::default(), &rules);
}

fn keys() -> TrustedKeys {
    let mut keys = TrustedKeys::new();
    keys.insert(TEST_KEY_ID, SigningKey::test_key().public_key());
    keys
}

fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}
