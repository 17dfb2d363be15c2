//! A small provider in memory and a clock that tests move: refunds of charges, lists in pages of two,
//! events with the echo of the key. It must not know of contracts.
#![allow(dead_code, reason = "each test file uses a part")]

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use provely_evaluator::contract::Contract;
use provely_evaluator::json::{self, Value};
use provely_evaluator::load::Program;
use provely_evaluator::operation::ReportedOutcome;
use provely_evaluator::time::Time;
use provely_runtime::{
    Ask, BeginError, Begun, Body, Clock, Connection, HttpRequest, HttpResponse, MemoryStore, Mode, Runtime,
    Skill, Transport, TransportError, Verification, print_http_date,
};

/// 2026-09-05T14:00:00Z.
pub const START: i64 = 1_788_616_800_000;

#[derive(Debug, Clone)]
pub struct Refund {
    pub id: String,
    pub charge: String,
    pub amount: i64,
    pub status: String,
    pub created_ms: i64,
}

#[derive(Debug, Default)]
pub struct State {
    pub now: i64,
    /// How far the provider's clock is ahead of ours.
    pub ahead_ms: i64,
    pub refunds: Vec<Refund>,
    pub events: Vec<String>,
    /// Paths (by prefix) that fail, with the status (0: timeout).
    pub failing: Vec<(String, u16)>,
    pub ignores_filter: bool,
    pub without_date: bool,
    pub requests: Vec<HttpRequest>,
}

#[derive(Debug, Clone, Default)]
pub struct World(pub Rc<RefCell<State>>);

impl Clock for World {
    fn now(&self) -> Time {
        Time::from_millis(self.0.borrow().now)
    }
}

impl Transport for World {
    fn send(&mut self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let mut state = self.0.borrow_mut();
        state.requests.push(request.clone());
        let date = print_http_date(Time::from_millis(state.now + state.ahead_ms));
        let headers = if state.without_date { Vec::new() } else { vec![("date".to_owned(), date)] };
        let failing = state.failing.iter().find(|(path, _)| request.path.starts_with(path.as_str()));
        match failing.map(|(_, status)| *status) {
            Some(0) => return Err(TransportError::Timeout),
            Some(status) => return Ok(HttpResponse { status, headers, body: Body::from("{}") }),
            None => {}
        }
        let (status, body) = state.answer(request);
        Ok(HttpResponse { status, headers, body: Body::from(body) })
    }
}

impl State {
    fn answer(&self, request: &HttpRequest) -> (u16, String) {
        let ask =
            |name: &str| request.query.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
        if request.path == "/events" {
            return (
                200,
                page(&self.events.iter().rev().cloned().collect::<Vec<_>>(), ask("starting_after")),
            );
        }
        if request.path == "/refunds" {
            let charge = ask("charge").unwrap_or_default();
            let of = |refund: &&Refund| self.ignores_filter || refund.charge == charge;
            let mut found: Vec<&Refund> = self.refunds.iter().filter(of).collect();
            found.sort_by_key(|refund| -refund.created_ms);
            return (
                200,
                page(&found.into_iter().map(Refund::json).collect::<Vec<_>>(), ask("starting_after")),
            );
        }
        let id = request.path.trim_start_matches("/refunds/");
        match self.refunds.iter().find(|refund| refund.id == id) {
            Some(refund) => (200, refund.json()),
            None => (404, "{}".to_owned()),
        }
    }
}

fn page(items: &[String], after: Option<String>) -> String {
    let id = |item: &String| json::parse(item).unwrap().get("id").unwrap().as_str().unwrap().to_owned();
    let start = after.map_or(0, |after| items.iter().position(|item| id(item) == after).unwrap() + 1);
    let more = items.len() > start + 2;
    let shown: Vec<String> = items.iter().skip(start).take(2).cloned().collect();
    format!(r#"{{"data":[{}],"has_more":{more}}}"#, shown.join(","))
}

impl Refund {
    pub fn json(&self) -> String {
        let Refund { id, charge, amount, status, created_ms } = self;
        let created = created_ms.div_euclid(1000);
        format!(
            r#"{{"id":"{id}","charge":"{charge}","amount":{amount},"currency":"eur","status":"{status}","created":{created}}}"#
        )
    }
}

/// A runtime over a world, with the fixture's contract.
pub struct Bench {
    pub world: World,
    pub runtime: Runtime<World, MemoryStore, World>,
}

pub fn contract() -> Contract {
    json::from_value(&json::parse(include_str!("../fixtures/refund.json")).unwrap()).unwrap()
}

impl Bench {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut Contract)) -> Self {
        let world = World::default();
        world.0.borrow_mut().now = START;
        let mut runtime = Runtime::new(world.clone(), MemoryStore::new(), world.clone());
        let mut own = contract();
        change(&mut own);
        runtime.add(Program::load(own).unwrap(), Skill::new("acme", "0.1.0")).unwrap();
        Self { world, runtime }
    }

    pub fn add(&mut self, change: impl FnOnce(&mut Contract)) {
        let mut own = contract();
        change(&mut own);
        self.runtime.add(Program::load(own).unwrap(), Skill::new("acme", "0.1.0")).unwrap();
    }

    pub fn ask(input: &str, intent_ref: Option<&str>) -> Ask {
        let mut connection = Connection::new("acct_1", Mode::Live, Some("2026-05-27"));
        connection.version_header = Some("Api-Version".to_owned());
        Ask {
            contract_id: "acme.refund.succeeded".to_owned(),
            input: json::parse(input).unwrap(),
            intent_ref: intent_ref.map(str::to_owned),
            connection,
            accept_missing_channels: false,
        }
    }

    pub fn try_begin(&mut self, amount: i64, intent_ref: Option<&str>) -> Result<Begun, BeginError> {
        let input = format!(r#"{{"charge":"ch_1","amount":{amount}}}"#);
        self.runtime.begin(&Self::ask(&input, intent_ref))
    }

    pub fn begin(&mut self, amount: i64, intent_ref: Option<&str>) -> Begun {
        self.try_begin(amount, intent_ref).unwrap()
    }

    pub fn pass(&self, millis: i64) {
        self.world.0.borrow_mut().now += millis;
    }

    pub fn now(&self) -> i64 {
        self.world.0.borrow().now
    }

    /// The provider makes a refund; its event is put into the list of events.
    pub fn refund(&self, id: &str, amount: i64, status: &str, key: Option<&str>) -> Value {
        self.refund_of("ch_1", id, amount, status, key)
    }

    pub fn refund_of(&self, charge: &str, id: &str, amount: i64, status: &str, key: Option<&str>) -> Value {
        let mut state = self.world.0.borrow_mut();
        let created_ms = state.now + state.ahead_ms;
        let refund = Refund {
            id: id.to_owned(),
            charge: charge.to_owned(),
            amount,
            status: status.to_owned(),
            created_ms,
        };
        let event = event_text(&format!("evt_{id}_1"), "refund.created", &refund, key, created_ms);
        state.refunds.push(refund);
        state.events.push(event.clone());
        json::parse(&event).unwrap()
    }

    /// The provider moves a refund.
    pub fn set(&self, id: &str, status: &str) -> Value {
        let mut state = self.world.0.borrow_mut();
        let at = state.now + state.ahead_ms;
        let count = state.events.len();
        let refund = state.refunds.iter_mut().find(|refund| refund.id == id).unwrap();
        refund.status = status.to_owned();
        let event = event_text(&format!("evt_{id}_u{count}"), "refund.updated", &refund.clone(), None, at);
        state.events.push(event.clone());
        json::parse(&event).unwrap()
    }

    pub fn accept(&mut self, operation_id: &str, id: &str) {
        let body = Body::from(format!(r#"{{"id":"{id}"}}"#));
        self.runtime.report(operation_id, ReportedOutcome::Accepted, Some(&body)).unwrap();
    }

    pub fn observe(&mut self, operation_id: &str) -> Arc<Verification> {
        self.runtime.observe(operation_id).unwrap()
    }

    /// Observes when due until the operation ends or `until` (milliseconds after the start) is reached.
    pub fn run(&mut self, operation_id: &str, until_ms: i64) -> Arc<Verification> {
        let mut last = None;
        for _ in 0..2_000 {
            let at = self.runtime.status(operation_id).unwrap().next_observation_at;
            let Some(at) = at.filter(|at| at.as_millis() <= START + until_ms) else { break };
            let mut state = self.world.0.borrow_mut();
            state.now = state.now.max(at.as_millis());
            drop(state);
            last = Some(self.observe(operation_id));
        }
        last.unwrap_or_else(|| self.runtime.verify(operation_id).unwrap())
    }

    /// Milliseconds since the start.
    pub fn elapsed(&self) -> i64 {
        self.now() - START
    }
}

pub fn event_text(event_id: &str, kind: &str, refund: &Refund, key: Option<&str>, at_ms: i64) -> String {
    let key = key.map_or("null".to_owned(), |key| format!("\"{key}\""));
    format!(
        r#"{{"id":"{event_id}","type":"{kind}","created":{},"livemode":true,"api_version":"2026-05-27","request":{{"idempotency_key":{key}}},"data":{{"object":{}}}}}"#,
        at_ms.div_euclid(1000),
        refund.json()
    )
}
