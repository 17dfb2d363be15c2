//! Where a retry key goes, beside headers: a field of the body, and a directive of query documents. Both as schemas
//! and documents state them; how long a key is kept is never assumed.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use provely_compiler::classify::classify;
use provely_compiler::ingest::ingest;
use provely_compiler::plan::{Gathered, Planned, Rules, plan};
use provely_compiler::source::{Names, SourceFile, SourceKind, Sources};
use provely_compiler::synthesise::synthesise;
use provely_evaluator::contract::{Idempotency, KeyDirective};
use provely_model::IdempotencyPlan;

/// A description of gifts of money, with these fields of the body beside the amount.
fn description(fields: &str) -> String {
    format!(
        r"
openapi: 3.0.3
info: {{ title: Gifts, version: '1' }}
paths:
  /refunds:
    post:
      summary: Create a refund
      requestBody:
        content:
          application/json:
            schema: {{ type: object, properties: {{ charge: {{ type: string }}, amount: {{ type: integer }}, {fields} }} }}
      responses:
        '200': {{ description: done, content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Refund' }} }} }} }}
    get:
      summary: List refunds, newest first
      parameters: [{{ name: charge, in: query, schema: {{ type: string }} }}]
      responses:
        '200':
          description: done
          content:
            application/json:
              schema: {{ type: object, properties: {{ data: {{ type: array, items: {{ $ref: '#/components/schemas/Refund' }} }} }} }}
  /refunds/{{id}}:
    get:
      summary: Get a refund
      parameters: [{{ name: id, in: path, required: true, schema: {{ type: string }} }}]
      responses:
        '200': {{ description: done, content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Refund' }} }} }} }}
components:
  schemas:
    Refund:
      type: object
      properties:
        id: {{ type: string }}
        charge: {{ type: string }}
        amount: {{ type: integer }}
        request_id: {{ type: string }}
        created_at: {{ type: string, format: date-time }}
"
    )
}

fn planned(mut sources: Sources, documents: &str) -> Planned {
    if !documents.is_empty() {
        let first = sources.files.first().unwrap().clone();
        sources.files.push(SourceFile {
            id: "gifts.docs.retries".into(),
            name: "retries.md".into(),
            kind: SourceKind::Docs,
            text: documents.into(),
            ..first
        });
    }
    let found = ingest(&sources).unwrap();
    let classified = classify(&found);
    plan(&Gathered::of(&found, &classified).known(&classified.service), &Rules::builtin().unwrap())
}

fn of_paths(fields: &str, documents: &str) -> Planned {
    planned(Sources::of_openapi("gifts.yaml", description(fields)), documents)
}

fn retry(planned: &Planned, operation: &str) -> Option<IdempotencyPlan> {
    planned.service.operation(operation).unwrap().plan.as_ref().unwrap().idempotency.clone()
}

fn of_contract(planned: &Planned) -> Option<Idempotency> {
    let made = synthesise(planned, &Names::default(), &Rules::builtin().unwrap());
    made.contracts.first().unwrap().contract.action.idempotency.clone()
}

const KEPT: &str = "# Retries\n\nAn idempotency key is kept for 48 hours.\n";

#[test]
fn a_field_named_after_what_it_is_for_carries_the_key() {
    let open = of_paths("idempotency_key: { type: string }", "");
    let own = retry(&open, "POST /refunds").unwrap();
    assert_eq!((own.field.as_deref(), own.header, own.life_ms), (Some("idempotency_key"), None, 0));
    let question = open.uncertainties.iter().find(|one| one.id == "retry:POST /refunds").unwrap();
    assert!(question.question.contains("how long"), "{}", question.question);

    let told = of_paths("idempotency_key: { type: string }", KEPT);
    assert_eq!(retry(&told, "POST /refunds").unwrap().life_ms, 172_800_000);
    assert!(told.uncertainties.iter().all(|one| one.id != "retry:POST /refunds"));
    let written = of_contract(&told).unwrap();
    assert_eq!((written.field.as_deref(), written.life_ms), (Some("idempotency_key"), 172_800_000));
}

/// A duration that a sentence on something else states says nothing of keys; and a header that the operation takes
/// goes along, however long its key is kept.
#[test]
fn what_is_not_said_of_keys_is_not_taken_for_their_life() {
    let said = "# Retries\n\nThe call is idempotent. A refund may be asked for within 365 days.\n";
    let planned = of_paths("idempotency_key: { type: string }", said);
    assert_eq!(retry(&planned, "POST /refunds").unwrap().life_ms, 0);
    let listed = description("idempotency_key: { type: string }").replace(
        "List refunds, newest first",
        "Lists refunds. A cursor of an idempotent list is a key for 7 days",
    );
    let of_another = self::planned(Sources::of_openapi("gifts.yaml", listed), "");
    assert_eq!(retry(&of_another, "POST /refunds").unwrap().life_ms, 0);
    let headed = description("note: { type: string }").replace(
        "summary: Create a refund",
        "summary: Create a refund\n      parameters: [{ name: Idempotency-Key, in: header, schema: { type: string } }]",
    );
    let sources = || Sources::of_openapi("gifts.yaml", headed.clone());
    let own = retry(&self::planned(sources(), ""), "POST /refunds").unwrap();
    assert_eq!((own.header.as_deref(), own.life_ms), (Some("Idempotency-Key"), 0));
    let other = Sources::of_openapi("gifts.yaml", headed.replace("Idempotency-Key", "Trace"));
    assert_eq!(retry(&self::planned(other, ""), "POST /refunds"), None);
}

/// Its name alone says nothing; and what carries our key is not what the caller asks for.
#[test]
fn a_field_of_another_name_carries_the_key_where_its_description_says_so() {
    let silent = of_paths("request_id: { type: string, description: Your reference. }", KEPT);
    assert_eq!(retry(&silent, "POST /refunds"), None);
    let echoed = |planned: &Planned| {
        let plan = planned.service.operation("POST /refunds").unwrap().plan.clone().unwrap();
        plan.echoes.iter().any(|echo| echo.input == "request_id")
    };
    assert!(echoed(&silent));
    let told = of_paths("request_id: { type: string, description: Makes the request idempotent. }", KEPT);
    assert_eq!(retry(&told, "POST /refunds").unwrap().field.as_deref(), Some("request_id"));
    assert!(!echoed(&told));
}

const SCHEMA: &str = "
type Refund { id: ID! amount: Int! createdAt: DateTime! }
scalar DateTime
input RefundInput { amount: Int! }
type RefundPayload { refund: Refund userErrors: [UserError!]! }
type UserError { message: String! }
type Query { refund(id: ID!): Refund }
type Mutation { refundCreate(input: RefundInput!): RefundPayload refundNote(id: ID!, note: String): RefundPayload }
";

fn of_schema(extra: &str, documents: &str) -> Option<IdempotencyPlan> {
    let sources = Sources::of_graphql("gifts.graphql", format!("{SCHEMA}{extra}"));
    retry(&planned(sources, documents), "mutation refundCreate")
}

#[test]
fn a_directive_carries_the_key_where_the_schema_declares_it() {
    let once = KeyDirective { name: "idempotent".into(), argument: "key".into() };
    let declared = of_schema("directive @idempotent(key: String!) on FIELD", KEPT).unwrap();
    assert_eq!((declared.directive, declared.life_ms), (Some(once), 0));
    let said = "# Retries\n\nThe key of `@idempotent` is kept for 24 hours.\n";
    let kept = of_schema("directive @idempotent(key: String!) on FIELD | QUERY", said).unwrap();
    assert_eq!(kept.life_ms, 86_400_000);
    for other in [
        "directive @idempotent(key: String!) on FIELD_DEFINITION",
        "directive @idempotent(reason: String!) on FIELD",
        "directive @cached(key: String!) on FIELD",
    ] {
        assert_eq!(of_schema(other, KEPT), None, "{other}");
    }
}

#[test]
fn a_document_names_a_directive_for_its_own_mutations_and_versions() {
    let said = |text: &str| of_schema("", &format!("# Retries\n\n{text}\n"));
    assert!(said("Mutations take `@idempotent(key: \"...\")`.").is_some());
    assert!(said("`refundCreate` takes `@idempotent(key:)`.").is_some());
    assert_eq!(said("`refundNote` takes `@idempotent(key:)`."), None);
    assert_eq!(said("From version 2026-01 mutations take `@idempotent(key:)`."), None);
}
