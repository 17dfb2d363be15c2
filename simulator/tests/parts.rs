//! Records whose outcome stands in a list inside them: parts move, and what they have settled is added up.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it fails")]

mod world;

use provely_evaluator::json;
use provely_simulator::{PartScript, Provider, Request, Script, Settle};
use world::{after, options, part, world};

const CREATE: &str = "mutation { paybackCreate(input: {orderId: \"or_1\", payments: [{amount: \"142.00\"}]}) { payback { id } } }";
const READ: &str =
    "payments(first: 5) { nodes { kind status test amount } pageInfo { hasNextPage } } total order { id }";

fn sent(document: &str) -> Request {
    let mut body = json::parse("{}").unwrap();
    body.as_object_mut().unwrap().insert("query", document);
    Request::new("POST", "/graphql").json(body)
}

/// A record with these parts, read after a while: kind, state, mode and amount of each, and the settled total.
fn shown(script: Option<Script>, ms: i64) -> (String, String, Provider) {
    let mut provider =
        world("gardenql", provely_simulator::Options { settle: Settle::Succeed(2000, 2000), ..options() });
    if let Some(script) = script {
        provider.script_next("payback", script);
    }
    let made = provider.handle(after(0), &sent(CREATE)).unwrap();
    let id = part(&made, "$.data.paybackCreate.payback.id");
    let read =
        provider.handle(after(ms), &sent(&format!("{{ payback(id: \"{id}\") {{ {READ} }} }}"))).unwrap();
    assert_eq!(part(&read, "$.data.payback.order.id"), "or_1", "{}", read.body.text());
    (part(&read, "$.data.payback.payments.nodes"), part(&read, "$.data.payback.total"), provider)
}

fn of(share: u32, moves: &[(u64, &str)]) -> PartScript {
    let moves = moves.iter().map(|(at, to)| (*at, (*to).to_owned())).collect();
    PartScript { share, moves, ..PartScript::default() }
}

fn scripted(parts: Vec<PartScript>) -> Option<Script> {
    Some(Script { parts: Some(parts), ..Script::default() })
}

#[test]
fn a_part_is_in_motion_first_and_the_total_follows_it() {
    let (parts, total, _) = shown(None, 1000);
    assert_eq!(parts, r#"[{"amount":"142.00","kind":"BACK","status":"PENDING","test":false}]"#);
    assert_eq!(total, "0");
    let (parts, total, provider) = shown(None, 2000);
    assert!(parts.contains("SUCCESS"), "{parts}");
    assert_eq!(total, "142.00");
    assert_eq!(provider.truth().records[0].state(), Some("SUCCESS"));
}

#[test]
fn parts_move_by_themselves() {
    let two = || scripted(vec![of(600, &[(1000, "SUCCESS")]), of(400, &[(3000, "FAILURE")])]);
    let (_, total, provider) = shown(two(), 1500);
    assert_eq!(total, "85.20");
    let record = &provider.truth().records[0];
    let states: Vec<&str> = record.latest().unwrap().parts.iter().map(|part| part.state.as_str()).collect();
    assert_eq!((states, record.state()), (vec!["SUCCESS", "PENDING"], None));
    let (parts, total, _) = shown(two(), 5000);
    assert!(parts.contains(r#""amount":"56.80","kind":"BACK","status":"FAILURE""#), "{parts}");
    assert_eq!(total, "85.20");
}

#[test]
fn parts_may_be_of_another_kind_or_mode_or_missing() {
    let (parts, total, _) = shown(scripted(Vec::new()), 5000);
    assert_eq!((parts.as_str(), total.as_str()), ("[]", "0"));
    let odd =
        vec![PartScript { other_kind: true, ..of(1000, &[]) }, PartScript { test: true, ..of(1000, &[]) }];
    let (parts, _, provider) = shown(scripted(odd), 5000);
    assert!(parts.contains(r#""kind":"SALE""#) && parts.contains(r#""test":true"#), "{parts}");
    assert!(provider.truth().records[0].latest().unwrap().parts.iter().all(|part| !part.counts));
}
