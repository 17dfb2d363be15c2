//! What an honest world answers to query documents, and what faults make of it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it fails")]

mod world;

use provely_evaluator::json::{self, Value};
use provely_simulator::{FaultKind, Lost, LostCause, Options, Provider, Reply, Request, Settle, When};
use world::{after, at, faulty, options, part, start, world};

const CREATE: &str = "mutation($input: ReturnInput!) { returnCreate(input: $input) { \
    return { id amount status note order { id } } userErrors { field message code } } }";

fn garden(options: Options) -> Provider {
    let mut provider = world("gardenql", options);
    for id in ["or_1", "or_2"] {
        let fields =
            json::parse(&format!(r#"{{"id":"{id}","total":{{"shop":{{"amount":"9.5"}}}}}}"#)).unwrap();
        provider.insert("order", &fields, start()).unwrap();
    }
    provider
}

fn sent(document: &str, variables: &str) -> Request {
    let mut body = json::parse("{}").unwrap();
    let object = body.as_object_mut().unwrap();
    object.insert("query", document);
    object.insert("variables", json::parse(variables).unwrap());
    Request::new("POST", "/graphql").json(body)
}

fn ask(provider: &mut Provider, ms: i64, document: &str, variables: &str) -> Reply {
    provider.handle(after(ms), &sent(document, variables)).unwrap()
}

fn create(provider: &mut Provider, ms: i64, order: &str) -> Reply {
    let input = format!(r#"{{"input":{{"orderId":"{order}","amount":"142.00","note":"worn"}}}}"#);
    ask(provider, ms, CREATE, &input)
}

fn text(reply: &Reply) -> String {
    reply.body.text()
}

#[test]
fn a_mutation_makes_a_record_that_queries_show() {
    let mut provider = garden(Options { settle: Settle::Succeed(2000, 2000), ..options() });
    let made = create(&mut provider, 0, "or_1");
    let id = part(&made, "$.data.returnCreate.return.id");
    assert_eq!(made.status, 200);
    assert_eq!(part(&made, "$.data.returnCreate.userErrors"), "[]");
    assert_eq!(part(&made, "$.data.returnCreate.return.order.id"), "or_1");
    let cases = [
        (
            "query($id: ID!) { return(id: $id) { amount status } }",
            r#"{"return":{"amount":"142.00","status":"PENDING"}}"#,
        ),
        (
            "query($id: ID!) { it: return(id: $id) { kind: __typename s: status } }",
            r#"{"it":{"kind":"Return","s":"PENDING"}}"#,
        ),
        (
            "query($id: ID!) { node(id: $id) { ... on Return { note } ... on Order { total } } }",
            r#"{"node":{"note":"worn"}}"#,
        ),
        (
            "query($id: ID!) { return(id: $id) { ...A } } fragment A on Return { note order { ...B } } fragment B on Order { id total { shop { amount } } }",
            r#"{"return":{"note":"worn","order":{"id":"or_1","total":{"shop":{"amount":"9.5"}}}}}"#,
        ),
        (
            "query($id: ID!) { return(id: $id) { note @skip(if: true) amount @include(if: true) order { id } order { note } } }",
            r#"{"return":{"amount":"142.00","order":{"id":"or_1","note":null}}}"#,
        ),
        (
            "{ a: return(id: \"re_none\") { id } b: order(id: \"or_2\") { returns { id } } }",
            r#"{"a":null,"b":{"returns":[]}}"#,
        ),
        (
            "{ order(id: \"or_1\") { returns(first: 5) { edges { node { amount } cursor } totalCount } } }",
            r#"{"order":{"returns":{"edges":[{"cursor":"cursor-0","node":{"amount":"142.00"}}],"totalCount":1}}}"#,
        ),
    ];
    for (document, data) in cases {
        let reply = ask(&mut provider, 10, document, &format!(r#"{{"id":"{id}"}}"#));
        assert_eq!(text(&reply), format!(r#"{{"data":{data}}}"#), "{document}");
    }
    let settled = ask(&mut provider, 2000, &format!("{{ return(id: \"{id}\") {{ status }} }}"), "{}");
    assert_eq!(part(&settled, "$.data.return.status"), "SUCCESS");
}

#[test]
fn documents_that_are_not_right_change_nothing() {
    let mut provider = garden(options());
    let cases = [
        "query {",
        "{ refund(id: \"x\") { id } }",
        "{ return(id: \"x\") { colour } }",
        "{ return(id: \"x\") { order { colour } } }",
        "{ return { id } }",
        "{ return(id: \"x\", colour: red) { id } }",
        "query A { return(id: \"x\") { id } } query B { return(id: \"x\") { id } }",
        "{ return(id: \"x\") { ...Nowhere } }",
        "{ return(id: \"x\") { ...A } } fragment A on Return { ...A }",
        "query($id: ID!) { return(id: $id) { id } }",
        "subscription { returns { id } }",
        "mutation { returnCreate(input: {orderId: \"or_1\", amount: true}) { return { id } } }",
        "mutation { returnCreate(input: {orderId: \"or_1\"}) { return { id } } }",
        "mutation { returnCreate(input: {orderId: \"or_1\", amount: \"5\"}) { return { id } } returnShred { id } }",
    ];
    for document in cases {
        let reply = ask(&mut provider, 0, document, "{}");
        assert_eq!(reply.status, 200, "{document}");
        assert!(!part(&reply, "$.errors[0].message").is_empty(), "{document}: {}", text(&reply));
    }
    for body in ["", "[]", "{}"] {
        let reply = provider.handle(start(), &Request::new("POST", "/graphql").text(body)).unwrap();
        assert_eq!(reply.status, 400, "{body}");
    }
    assert_eq!(provider.truth().of("return").count(), 0);
}

#[test]
fn pages_follow_the_cursor_in_the_order_that_is_stated() {
    let mut provider = garden(options());
    let ids: Vec<String> = (0..5)
        .map(|n| part(&create(&mut provider, n * 10, "or_1"), "$.data.returnCreate.return.id"))
        .collect();
    create(&mut provider, 60, "or_2");
    let document = "query($after: String) { order(id: \"or_1\") { returns(first: 2, after: $after) { \
        nodes { id } pageInfo { hasNextPage endCursor } } } }";
    let (mut seen, mut cursor) = (Vec::new(), String::from("null"));
    loop {
        let reply = ask(&mut provider, 100, document, &format!(r#"{{"after":{cursor}}}"#));
        let page = reply.body.json().unwrap();
        let nodes =
            page.get("data").unwrap().get("order").unwrap().get("returns").unwrap().get("nodes").unwrap();
        seen.extend(nodes.as_array().unwrap().iter().map(|item| at(item, "$.id")));
        if at(&page, "$.data.order.returns.pageInfo.hasNextPage") == "false" {
            break;
        }
        cursor = format!("{:?}", at(&page, "$.data.order.returns.pageInfo.endCursor"));
    }
    assert_eq!(seen, ids);
    let filtered =
        ask(&mut provider, 100, "{ returns(orderId: \"or_2\") { totalCount nodes { order { id } } } }", "{}");
    assert_eq!(text(&filtered), r#"{"data":{"returns":{"nodes":[{"order":{"id":"or_2"}}],"totalCount":1}}}"#);
}

#[test]
fn a_refusal_of_the_matter_stands_in_the_payload() {
    let refused = FaultKind::Refused { code: "declined".into() };
    let mut provider = faulty("gardenql", refused, When { acting: Some(true), ..When::default() });
    let made = create(&mut provider, 0, "or_1");
    assert_eq!((made.status, part(&made, "$.data.returnCreate.return")), (200, "null".into()));
    assert_eq!(part(&made, "$.data.returnCreate.userErrors[0].code"), "declined");
    let mut provider = garden(options());
    let document = "mutation($id: ID!) { returnCancel(returnId: $id) { success return { status } } }";
    let missing = ask(&mut provider, 0, document, r#"{"id":"re_0"}"#);
    assert_eq!(text(&missing), r#"{"data":{"returnCancel":{"return":null,"success":false}}}"#);
    let made = create(&mut provider, 0, "or_1");
    let id = part(&made, "$.data.returnCreate.return.id");
    let done = ask(&mut provider, 5, document, &format!(r#"{{"id":"{id}"}}"#));
    assert_eq!(text(&done), r#"{"data":{"returnCancel":{"return":{"status":"CANCELED"},"success":true}}}"#);
    let noted = ask(
        &mut provider,
        6,
        "mutation { orderUpdate(input: {id: \"or_1\", note: \"hm\"}) { order { id note } } }",
        "{}",
    );
    assert_eq!(text(&noted), r#"{"data":{"orderUpdate":{"order":{"id":"or_1","note":"hm"}}}}"#);
}

#[test]
fn a_key_in_a_directive_answers_what_it_answered() {
    let mut provider = garden(options());
    let document = |fields: &str, amount: &str| {
        format!(
            "mutation {{ returnCreate(input: {{orderId: \"or_1\", amount: \"{amount}\"}}) @idempotent(key: \"k1\") {{ {fields} }} }}"
        )
    };
    let first = ask(&mut provider, 0, &document("return { id }", "5"), "{}");
    let again = ask(&mut provider, 9000, &document("return { id amount }", "5"), "{}");
    let other = ask(&mut provider, 9000, &document("return { id } userErrors { code }", "6"), "{}");
    assert_eq!(part(&first, "$.data.returnCreate.return.id"), part(&again, "$.data.returnCreate.return.id"));
    assert_eq!(part(&again, "$.data.returnCreate.return.amount"), "5");
    assert_eq!(part(&other, "$.data.returnCreate.userErrors[0].code"), "IDEMPOTENCY_CONFLICT");
    assert_eq!(provider.truth().of("return").count(), 1);
    assert_eq!(provider.truth().requests[1].replay_of, Some(0));
}

#[test]
fn faults_strike_documents_as_they_strike_paths() {
    let read = "query($id: ID!) { return(id: $id) { id status } order(id: \"or_1\") { returns(first: 9) { nodes { id } pageInfo { hasNextPage } } } }";
    let reading = || When { acting: Some(false), ..When::default() };
    let shown = |what: FaultKind| {
        let faults = vec![provely_simulator::Fault { what, when: reading() }];
        let mut provider = garden(Options { faults, settle: Settle::Stay, ..options() });
        let id = part(&create(&mut provider, 0, "or_1"), "$.data.returnCreate.return.id");
        create(&mut provider, 10, "or_1");
        provider.handle(after(1000), &sent(read, &format!(r#"{{"id":"{id}"}}"#)))
    };
    let answered = |what: FaultKind| shown(what).unwrap();
    let lost = shown(FaultKind::TimeoutAfter {}).unwrap_err();
    assert!(matches!(lost, Lost { cause: LostCause::Timeout, .. }));
    let unfound = answered(FaultKind::NotFoundFor { ms: 5000 });
    assert_eq!((unfound.status, part(&unfound, "$.data.return")), (200, "null".into()));
    assert_eq!(part(&answered(FaultKind::Stale { by_ms: 995 }), "$.data.order.returns.nodes[1]"), "");
    assert_eq!(part(&answered(FaultKind::HiddenFromLists { ms: 5000 }), "$.data.order.returns.nodes"), "[]");
    let small = answered(FaultKind::SmallPages { size: 1 });
    assert_eq!(part(&small, "$.data.order.returns.pageInfo.hasNextPage"), "true");
    let cut = answered(FaultKind::CutLists { size: 1 });
    assert_eq!(part(&cut, "$.data.order.returns.pageInfo.hasNextPage"), "false");
    assert_eq!(part(&cut, "$.data.order.returns.nodes[1]"), "");
    let errors = answered(FaultKind::DocumentErrors {});
    assert_eq!(
        (part(&errors, "$.data.return"), part(&errors, "$.errors[0].path[0]")),
        ("null".into(), "return".into())
    );
    assert_eq!(
        part(&answered(FaultKind::UnknownState { word: "ODD".into() }), "$.data.return.status"),
        "ODD"
    );
    assert!(answered(FaultKind::Truncated { bytes: 9 }).body.json().is_none());
    assert_eq!(answered(FaultKind::ErrorBefore { status: 503, stored: false }).status, 503);
    assert_eq!(answered(FaultKind::RateLimited { retry_after_s: 3 }).header_value("retry-after"), Some("3"));
}

#[test]
fn lost_replies_leave_what_they_did() {
    let after_commit = When { acting: Some(true), ..When::default() };
    let mut provider = faulty("gardenql", FaultKind::TimeoutAfter {}, after_commit);
    let input = r#"{"input":{"orderId":"or_1","amount":"5"}}"#;
    assert!(provider.handle(start(), &sent(CREATE, input)).is_err());
    assert_eq!(provider.truth().of("return").count(), 1);
    assert_eq!(provider.truth().requests[0].operation.as_deref(), Some("mutation returnCreate"));
    assert_eq!(Value::from("5"), *provider.truth().records[0].latest().unwrap().value.get("amount").unwrap());
}
