//! GraphQL schemas through the first stages: what is read, what it is called, and what is refused.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use provely_compiler::classify::{Classified, classify};
use provely_compiler::ingest::{Ingested, ingest};
use provely_compiler::source::Sources;
use provely_document::Diagnostic;
use provely_evaluator::contract::StateClass;
use provely_model::{Effect, FieldKind, Operation, Role};

const SHOP: &str = include_str!("fixtures/graphql/shop.graphql");

fn read(text: &str) -> Result<Ingested, Diagnostic> {
    ingest(&Sources::of_graphql("shop.graphql", text)).map_err(|mut findings| findings.remove(0))
}

fn shop() -> Classified {
    classify(&read(SHOP).unwrap())
}

fn operation<'c>(classified: &'c Classified, id: &str) -> &'c Operation {
    classified.service.operation(id).unwrap()
}

#[test]
fn root_fields_are_operations_under_their_own_names() {
    let classified = shop();
    let create = operation(&classified, "mutation parcelCreate");
    assert_eq!(
        (create.role, create.method.as_str(), create.path.as_str()),
        (Role::Create, "POST", "/graphql")
    );
    assert_eq!(create.assertions, ["shop.graphql#mutation parcelCreate"]);
    assert_eq!(create.resource.as_deref(), Some("parcel"));
    assert_eq!(create.reply.as_ref().unwrap().select, "$.data.parcelCreate.parcel");
    let parameter = |name: &str| create.parameters.iter().find(|one| one.name == name).unwrap();
    assert!(parameter("input.customerId").required);
    assert!(!parameter("input.insured").required, "it has a default");
    assert_eq!(parameter("input.value.amount").kind, FieldKind::Decimal);
    let list = operation(&classified, "query parcels");
    assert_eq!((list.role, list.effect), (Role::List, Effect::Read));
    assert_eq!(list.reply.as_ref().unwrap().select, "$.data.parcels.nodes");
    assert_eq!(operation(&classified, "mutation parcelCancel").role, Role::Cancel);
    assert_eq!(operation(&classified, "mutation parcelCheck").effect, Effect::Read);
}

#[test]
fn each_value_of_an_enum_is_explained_at_its_own_place() {
    let classified = shop();
    let parcel = classified.service.resource("parcel").unwrap();
    let lifecycle = parcel.lifecycle.as_ref().unwrap();
    assert_eq!((lifecycle.field.as_str(), lifecycle.path.as_str()), ("Parcel.status", "@.status"));
    let delivered = lifecycle.states.iter().find(|state| state.name == "DELIVERED").unwrap();
    assert_eq!(delivered.class, StateClass::TerminalSuccess);
    assert!(delivered.certainty.is_certain());
    assert_eq!(delivered.assertions, ["shop.graphql#ParcelStatus.DELIVERED"]);
    let lost = lifecycle.states.iter().find(|state| state.name == "LOST").unwrap();
    assert!(!lost.certainty.is_certain(), "nobody explains it");
}

#[test]
fn a_selection_asks_for_what_a_plan_needs_and_for_nothing_that_takes_arguments() {
    let classified = shop();
    let selection = &operation(&classified, "query parcel").graphql.as_ref().unwrap().selection;
    let wanted = "{ id createdAt status note value { amount currencyCode } customer { id } \
                  scans(first: 50) { nodes { id status } pageInfo { hasNextPage endCursor } } }";
    assert_eq!(selection, wanted);
    let payload = &operation(&classified, "mutation parcelCreate").graphql.as_ref().unwrap().selection;
    assert!(payload.ends_with("userErrors { field message } }"), "{payload}");
    assert!(payload.contains("customer { id }"), "what is not the record is asked for in brief: {payload}");
}

#[test]
fn an_answer_to_introspection_says_the_same_as_the_schema_language() {
    let json = r#"{"beside": [1], "data": {"__schema": {"queryType": {"name": "Q"}, "mutationType": null, "types": [
        {"kind": "OBJECT", "name": "Q", "fields": [{"name": "thing", "args": [{"name": "id", "type":
          {"kind": "NON_NULL", "name": null, "ofType": {"kind": "SCALAR", "name": "ID"}}}],
          "type": {"kind": "OBJECT", "name": "Thing"}}]},
        {"kind": "OBJECT", "name": "Thing", "fields": [{"name": "id", "args": [], "type":
          {"kind": "NON_NULL", "ofType": {"kind": "SCALAR", "name": "ID"}}},
          {"name": "tags", "args": [], "type": {"kind": "LIST", "ofType": {"kind": "SCALAR", "name": "String"}}}]},
        {"kind": "OBJECT", "name": "__Type", "fields": []}, {"kind": "SCALAR", "name": "ID"}]}}}"#;
    let text = "schema { query: Q } type Q { thing(id: ID!): Thing } type Thing { id: ID! tags: [String] }";
    let service = |text: &str| {
        let mut found = classify(&read(text).unwrap());
        found.service.title.clear();
        found.service
    };
    assert_eq!(service(json), service(text));
    assert_eq!(service(json).operations[0].id, "query thing");
}

#[test]
fn what_is_wrong_is_shown_at_its_place() {
    let cases = [
        ("type A {\n  id: ID!\n  b: Ab\n}", "graphql/unknown-type", 3, 6),
        ("type A {\n  id ID!\n}", "graphql/syntax", 2, 6),
        ("type A { id: ID! }\ntype A { id: ID! }", "graphql/duplicate", 2, 6),
        ("query { a }", "graphql/syntax", 1, 1),
        ("{ a }", "graphql/syntax", 1, 1),
        ("{\"types\": []}", "graphql/not-introspection", 1, 1),
        ("{\"__schema\": {\"types\": [{\"kind\": \"OBJECT\"}]}}", "graphql/malformed-introspection", 1, 25),
        (
            "{\"__schema\": {\"types\": [{\"kind\": \"OBJECT\", \"name\": \"a}b\"}]}}",
            "graphql/bad-name",
            1,
            25,
        ),
    ];
    for (text, code, line, column) in cases {
        let finding = read(text).unwrap_err();
        assert_eq!(
            (finding.code, finding.place().line, finding.place().column),
            (code, line, column),
            "{text}"
        );
        assert!(finding.render(false).contains('^'), "{text}");
    }
}

#[test]
fn hostile_schemas_are_refused_quickly() {
    let lists = format!("type A {{ a: {}Int{} }}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("type A {{ a(b: B = {}1{}): Int }}", "{c: ".repeat(50_000), "}".repeat(50_000));
    let wraps = "{\"kind\": \"LIST\", \"ofType\": ".repeat(150);
    let json = format!(
        "{{\"__schema\": {{\"types\": [{{\"kind\": \"OBJECT\", \"name\": \"A\", \"fields\": [{{\"name\": \"a\", \"type\": {wraps}1{}}}]}}]}}}}",
        "}".repeat(150)
    );
    for text in [lists, objects, json] {
        let finding = read(&text).unwrap_err();
        assert!(matches!(
            finding.code,
            "graphql/limit" | "graphql/syntax" | "graphql/malformed-introspection"
        ));
    }
    let cycle = "type Query { a: A } type A { id: ID! a: A b: [A!]! }";
    assert_eq!(classify(&read(cycle).unwrap()).service.operations.len(), 1);
    let many = format!("union U = {}", (0..200_000).map(|at| format!("| T{at} ")).collect::<String>());
    assert_eq!(read(&many).unwrap_err().code, "graphql/unknown-type");
}

#[test]
fn a_field_that_stands_twice_is_read_once_and_asked_about() {
    let found = read("type Query { a: Int b: Int a: String }").unwrap();
    assert_eq!(found.operations.len(), 2);
    let odd: Vec<&str> = found.uncertainties.iter().map(|one| one.subject.as_str()).collect();
    assert_eq!(odd, ["Query.a"]);
}
