//! How many requests a world serves in a second, in process and with parsed values. Run on demand:
//! `cargo bench -p provely-simulator`. It must not assert: machines differ.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement prints, and may stop")]

use std::sync::Arc;
use std::time::Instant;

use provely_evaluator::json;
use provely_evaluator::time::Time;
use provely_simulator::{Blueprint, Options, Provider, Request};

const WORLDS: i64 = 20_000;

fn main() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/paygrove.json");
    let text = std::fs::read_to_string(path).unwrap();
    let service = json::from_value(&json::parse(&text).unwrap()).unwrap();
    let blueprint = Arc::new(Blueprint::new(&service));
    let body = json::parse(r#"{"payment":"pa_1","amount":500,"currency":"eur"}"#).unwrap();
    let create = Request::new("POST", "/v1/vouchers").header("Idempotency-Key", "k").json(body);
    let list = Request::new("GET", "/v1/vouchers?payment=pa_1");
    let begun = Instant::now();
    let mut served = 0u32;
    for seed in 0..WORLDS {
        let options =
            Options { seed: seed.unsigned_abs(), start: Time::from_seconds(seed), ..Options::default() };
        let mut provider = Provider::from_blueprint(Arc::clone(&blueprint), options);
        let at = |ms| Time::from_seconds(seed).plus(ms);
        let made = provider.handle(at(1), &create).unwrap();
        let id = made.body.value().and_then(|value| value.get("id")?.as_str()).unwrap_or_default().to_owned();
        let read = Request::new("GET", &format!("/v1/vouchers/{id}"));
        for turn in 0..8 {
            provider.handle(at(turn * 2000), &read).unwrap();
            provider.handle(at(turn * 2000 + 1), &list).unwrap();
            provider.take_deliveries(at(turn * 2000 + 2));
            served += 2;
        }
        served += 1;
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("{WORLDS} worlds, {served} requests: {:.0} requests a second", f64::from(served) / seconds);
}
