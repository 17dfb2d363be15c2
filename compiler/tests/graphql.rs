//! GraphQL schemas through the first stages: what is read, what it is called, and what is refused.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use provely_compiler::classify::{Classified, classify};
use provely_compiler::ingest::{Ingested, ingest};
use provely_compiler::plan::{Gathered, Planned, Rules, Target, plan, target_of};
use provely_compiler::source::{Names, Sources};
use provely_compiler::synthesise::{Synthesised, synthesise};
use provely_compiler::test::test as play;
use provely_document::Diagnostic;
use provely_evaluator::contract::{PageStyle, StateClass};
use provely_evaluator::time::Time;
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

fn planned(text: &str) -> Planned {
    let found = read(text).unwrap();
    let classified = classify(&found);
    plan(&Gathered::of(&found, &classified).known(&classified.service), &Rules::builtin().unwrap())
}

fn written(planned: &Planned) -> Synthesised {
    synthesise(planned, &Names::default(), &Rules::builtin().unwrap())
}

#[test]
fn a_record_is_read_by_a_document_and_its_siblings_inside_the_record_that_the_input_names() {
    let planned = planned(SHOP);
    let create = planned.service.operation("mutation parcelCreate").unwrap();
    let plan = create.plan.as_ref().unwrap();
    assert_eq!((plan.readback.as_deref(), plan.list.as_deref()), (Some("query parcel"), Some("query node")));
    assert_eq!(plan.result_id.as_deref(), Some("$action.result.data.parcelCreate.parcel.id"));
    assert_eq!(plan.failure.as_ref().unwrap().path, "$.data.parcelCreate.userErrors");
    assert_eq!(plan.read_scopes, ["read_parcels"]);
    assert_eq!(plan.tag.as_ref().unwrap().parameter, "input.note");
    let echoes: Vec<(&str, &str)> =
        plan.echoes.iter().map(|echo| (echo.input.as_str(), echo.path.as_str())).collect();
    assert_eq!(
        echoes,
        [
            ("input.customerId", "@.customer.id"),
            ("input.value.amount", "@.value.amount"),
            ("input.value.currencyCode", "@.value.currencyCode")
        ]
    );
    let channel = |name: &str| plan.channels.iter().find(|channel| channel.name == name).unwrap();
    let readback = channel("parcel_readback").request.as_ref().unwrap();
    assert_eq!(
        readback.document.as_deref(),
        Some(
            "query($id: ID!) { parcel(id: $id) { createdAt customer { id } id note status value { amount currencyCode } } }"
        )
    );
    assert_eq!(readback.variables.get("id").unwrap(), "$correlation.parcel_id");
    let list = channel("parcel_list");
    assert_eq!(list.select.as_deref(), Some("$.data.node.parcels.nodes"));
    let request = list.request.as_ref().unwrap();
    assert_eq!(request.variables.get("id").unwrap(), "$input.customer_id");
    assert!(
        request.document.as_ref().unwrap().starts_with(
            "query($id: ID!, $first: Int, $after: String) { node(id: $id) { ... on Customer { parcels(first: $first, after: $after) { nodes {"
        ),
        "{:?}",
        request.document
    );
    let page = list.page.as_ref().unwrap();
    assert_eq!((page.style, page.parameter.as_deref()), (PageStyle::Cursor, Some("after")));
    assert_eq!(page.cursor.as_deref(), Some("$.data.node.parcels.pageInfo.endCursor"));
    assert_eq!(page.more.as_deref(), Some("$.data.node.parcels.pageInfo.hasNextPage"));
}

#[test]
fn the_input_of_a_contract_has_plain_names() {
    let contracts = written(&planned(SHOP)).contracts;
    let created = contracts.iter().find(|one| one.level == "created").unwrap();
    let names: Vec<&str> =
        created.contract.intent.input_schema.properties.keys().map(String::as_str).collect();
    assert!(names.contains(&"customer_id") && names.iter().all(|name| !name.contains('.')), "{names:?}");
}

#[test]
fn what_is_done_to_a_record_is_told_from_what_makes_one() {
    let text = "type Query { bag(id: ID!): Bag box(id: ID!): Box }
        type Bag { id: ID! updatedAt: DateTime! } type Box { id: ID! createdAt: DateTime! } scalar DateTime
        type BagPayload { bag: Bag } type BoxPayload { box: Box }
        type Mutation { bagShake(id: ID!): BagPayload bagUpdate(input: BagInput!): BagPayload
          bagComplete(id: ID!): BoxPayload boxCreate(name: String): BoxPayload boxRename(name: String): BoxPayload }
        input BagInput { bagId: ID! }";
    let planned = planned(text);
    let target = |id: &str| {
        let operation = planned.service.operation(id).unwrap();
        let readback = operation.plan.as_ref().and_then(|plan| plan.readback.as_deref());
        target_of(operation, planned.service.operation(readback?).unwrap())
    };
    let existing = |parameter: &str| Some(Target::Existing { parameter: parameter.to_owned() });
    assert_eq!(target("mutation bagShake"), existing("id"));
    assert_eq!(target("mutation bagUpdate"), existing("input.bagId"));
    assert_eq!(
        target("mutation bagComplete"),
        None,
        "`id` is that of the bag, and nothing says that a box is new"
    );
    assert_eq!(target("mutation boxCreate"), Some(Target::Create));
    assert_eq!(target("mutation boxRename"), None, "nothing says which box");
    let levels: Vec<String> =
        written(&planned).contracts.iter().map(|one| format!("{} {}", one.operation, one.level)).collect();
    assert!(levels.contains(&"mutation bagShake changed_by_bag_shake".to_owned()), "{levels:?}");
}

#[test]
fn every_case_of_every_contract_passes() {
    let planned = planned(SHOP);
    let written = written(&planned);
    let levels: Vec<&str> = written.contracts.iter().map(|one| one.level.as_str()).collect();
    assert_eq!(levels, ["created", "delivered", "changed_by_parcel_cancel"]);
    let report = play(&planned, &[], &written, None, 0, Time::from_seconds(0)).unwrap().report;
    assert!(report.total > 50, "{}", report.total);
    assert_eq!(report.passed, report.total);
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
    assert_eq!(lost.class, StateClass::TerminalFailure);
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
