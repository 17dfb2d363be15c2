//! A world to test in: services from the fixtures, and short ways to ask them. No assertions.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses its part, and stops where one fails")]

use provely_evaluator::json::{self, Value};
use provely_evaluator::query::Reference;
use provely_evaluator::time::Time;
use provely_model::Service;
use provely_simulator::{Fault, FaultKind, Options, Provider, Reply, Request, When};

pub const SECOND: u64 = 1000;

pub fn service(name: &str) -> Service {
    let path = format!("{}/tests/fixtures/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    json::from_value(&json::parse(&text).unwrap()).unwrap()
}

pub fn start() -> Time {
    Time::parse("2026-09-05T14:00:00Z").unwrap()
}

pub fn after(ms: i64) -> Time {
    start().plus(ms)
}

pub fn options() -> Options {
    Options { seed: 7, start: start(), webhook_latency_ms: (100, 100), ..Options::default() }
}

pub fn world(name: &str, options: Options) -> Provider {
    Provider::new(&service(name), options)
}

pub fn faulty(name: &str, what: FaultKind, when: When) -> Provider {
    world(name, Options { faults: vec![Fault { what, when }], ..options() })
}

pub fn ask(provider: &mut Provider, ms: i64, method: &str, target: &str) -> Reply {
    provider.handle(after(ms), &Request::new(method, target)).unwrap()
}

pub fn post(provider: &mut Provider, ms: i64, target: &str, body: &str) -> Reply {
    provider.handle(after(ms), &Request::new("POST", target).text(body)).unwrap()
}

pub fn voucher(provider: &mut Provider, ms: i64) -> Reply {
    post(provider, ms, "/v1/vouchers", "payment=pa_1&amount=500&currency=eur")
}

pub fn keyed(key: &str, body: &str) -> Request {
    Request::new("POST", "/v1/vouchers").header("idempotency-key", key).text(body)
}

/// What stands at a query, printed; empty where nothing does.
pub fn at(value: &Value, query: &str) -> String {
    let found = Reference::parse(query).unwrap().walk(value).cloned();
    found.map_or_else(String::new, |found| found.as_str().map_or_else(|| found.to_string(), str::to_owned))
}

pub fn part(reply: &Reply, query: &str) -> String {
    at(&reply.body.json().unwrap_or_default(), query)
}
