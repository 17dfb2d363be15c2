//! Replies with a success status that refuse: which member says so is read from schemas and documents, and a
//! record's own state is never taken for it.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use provely_compiler::classify::classify;
use provely_compiler::ingest::ingest;
use provely_compiler::plan::{Gathered, Planned, Rules, plan};
use provely_compiler::source::{Names, SourceFile, SourceKind, Sources};
use provely_compiler::synthesise::synthesise;
use provely_evaluator::json::Value;
use provely_model::FailurePredicate;

/// A description of things whose creation answers `reply` (a schema in YAML flow style) under 200.
fn description(reply: &str, failing: &str) -> String {
    format!(
        r"
openapi: 3.0.3
info: {{ title: Things, version: '1' }}
paths:
  /things:
    post:
      summary: Create a thing
      requestBody: {{ content: {{ application/json: {{ schema: {{ type: object, properties: {{ name: {{ type: string }} }} }} }} }} }}
      responses:
        '200': {{ description: done, content: {{ application/json: {{ schema: {reply} }} }} }}
        default: {{ description: failed, content: {{ application/json: {{ schema: {failing} }} }} }}
  /things/{{id}}:
    get:
      summary: Get a thing
      parameters: [{{ name: id, in: path, required: true, schema: {{ type: string }} }}]
      responses:
        '200': {{ description: done, content: {{ application/json: {{ schema: {reply} }} }} }}
components:
  schemas:
    Thing: {{ type: object, properties: {{ id: {{ type: string }}, name: {{ type: string }}, created_at: {{ type: string, format: date-time }} }} }}
"
    )
}

fn planned(text: &str, documents: &str) -> Planned {
    let mut sources = Sources::of_openapi("things.yaml", text);
    if !documents.is_empty() {
        sources.files.push(SourceFile {
            id: "things.docs.replies".into(),
            name: "replies.md".into(),
            kind: SourceKind::Docs,
            text: documents.into(),
            ..sources.files.first().unwrap().clone()
        });
    }
    let found = ingest(&sources).unwrap();
    let classified = classify(&found);
    plan(&Gathered::of(&found, &classified).known(&classified.service), &Rules::builtin().unwrap())
}

fn predicate(reply: &str, failing: &str, documents: &str) -> Option<FailurePredicate> {
    let planned = planned(&description(reply, failing), documents);
    let create = planned.service.operation("POST /things").unwrap();
    create.plan.as_ref().unwrap().failure.clone()
}

fn unless(path: &str, value: impl Into<Value>) -> Option<FailurePredicate> {
    Some(FailurePredicate { path: path.into(), equals: None, unless: Some(value.into()) })
}

fn stated(path: &str) -> Option<FailurePredicate> {
    Some(FailurePredicate { path: path.into(), equals: None, unless: None })
}

const THING: &str = "{ $ref: '#/components/schemas/Thing' }";
const NOTHING: &str = "{ type: object }";

#[test]
fn the_schema_of_a_reply_says_by_which_member_it_refuses() {
    let with = |members: &str| format!("{{ type: object, properties: {{ thing: {THING}, {members} }} }}");
    let needing = |name: &str, members: &str| {
        format!("{{ type: object, required: [{name}], properties: {{ thing: {THING}, {members} }} }}")
    };
    let rows = [
        (with("ok: { type: boolean, enum: [true] }"), unless("$.ok", true)),
        (with("success: { type: boolean }, error: { type: string }"), unless("$.success", true)),
        (
            with("success: { type: boolean, description: Indicates success or failure. }"),
            unless("$.success", true),
        ),
        (needing("success", "success: { type: boolean }"), unless("$.success", true)),
        (with("success: { type: boolean }"), None),
        (with("status: { type: string, enum: [success, error] }"), unless("$.status", "success")),
        (with("status: { type: string, enum: [succeeded] }"), None),
        (
            with("status: { type: string, enum: [succeeded] }, error: { type: string }"),
            unless("$.status", "succeeded"),
        ),
        (
            "{ oneOf: [{ type: object, properties: { status: { const: succeeded } } }, \
                       { type: object, properties: { status: { const: requires_action } } }] }"
                .to_owned(),
            None,
        ),
        (with("status: { type: string, enum: [success, queued] }"), None),
        (
            with(
                "errors: { type: array, items: { type: object, properties: { message: { type: string } } } }",
            ),
            stated("$.errors"),
        ),
        (
            with(
                "error: { type: object, nullable: true, properties: { code: { type: integer }, message: { type: string } } }",
            ),
            stated("$.error.message"),
        ),
        (needing("error", "error: { type: string }"), None),
    ];
    for (reply, expected) in rows {
        assert_eq!(predicate(&reply, NOTHING, ""), expected, "{reply}");
    }
}

/// A record with an id speaks of itself: a payment whose `success` is false was made all the same.
#[test]
fn t20_the_state_of_a_record_is_no_refusal() {
    let record =
        |members: &str| format!("{{ type: object, properties: {{ id: {{ type: string }}, {members} }} }}");
    for members in [
        "success: { type: boolean }, error: { type: string }",
        "status: { type: string, enum: [success, error] }, error: { type: string }",
        "errors: { type: array, items: { type: string } }",
        "error: { type: string }",
    ] {
        assert_eq!(predicate(&record(members), NOTHING, ""), None, "{members}");
    }
    let flat = record("ok: { type: boolean }");
    let failing = "{ type: object, properties: { ok: { type: boolean }, error: { type: string } } }";
    assert_eq!(predicate(&flat, failing, ""), unless("$.ok", true), "replies that fail carry the same flag");
}

#[test]
fn a_document_says_what_a_flag_means() {
    let reply = format!("{{ type: object, properties: {{ thing: {THING}, ok: {{ type: boolean }} }} }}");
    assert_eq!(predicate(&reply, NOTHING, ""), None);
    let said = "# Replies\n\nEvery response holds `ok`, which indicates success or failure.\n";
    assert_eq!(predicate(&reply, NOTHING, said), unless("$.ok", true));
    let other = "# Replies\n\nEvery response holds `ok`.\n";
    assert_eq!(predicate(&reply, NOTHING, other), None);
}

#[test]
fn contracts_carry_the_tests_for_the_action_and_for_each_read() {
    let reply = format!(
        "{{ type: object, properties: {{ thing: {THING}, ok: {{ type: boolean, enum: [true] }} }} }}"
    );
    let planned = planned(&description(&reply, NOTHING), "");
    let made = synthesise(&planned, &Names::default(), &Rules::builtin().unwrap());
    let contract = &made.contracts.first().unwrap().contract;
    let tests = unless("$.ok", true).unwrap().tests();
    assert_eq!(contract.action.in_band_failure, tests);
    let read = contract.evidence_policy.channels.iter().find_map(|channel| channel.request.as_ref()).unwrap();
    assert_eq!((read.path.as_str(), &read.in_band_failure), ("/things/{id}", &tests));
    assert!(contract.provenance.contains_key("action.in_band_failure"));
}
