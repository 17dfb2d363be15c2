//! A world over real sockets: requests and replies, time and states by the control endpoint, faults that leave no
//! reply, webhooks that are signed and tried again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use provely_evaluator::json::{self, Value};
use provely_evaluator::query::Reference;
use provely_evaluator::time::Time;
use provely_model::Service;
use provely_simulator::{Options, Settle};
use provely_simulator_http::{ClockKind, Server, Set, Subscriber, World, describe, fidelity};

fn service() -> Service {
    let text = include_str!("../../simulator/tests/fixtures/paygrove.json");
    json::from_value(&json::parse(text).unwrap()).unwrap()
}

fn start(subscribers: &[&str]) -> Server {
    let options = Options {
        start: Time::parse("2026-09-05T14:00:00Z").unwrap(),
        settle: Settle::Stay,
        webhook_latency_ms: (100, 100),
        ..Options::default()
    };
    let subscribers = subscribers.iter().map(|url| Subscriber { url: (*url).to_owned() }).collect();
    let world = World::new(service(), Set { options, clock: ClockKind::Manual, subscribers });
    Server::start(world, SocketAddr::from(([127, 0, 0, 1], 0))).unwrap()
}

/// One request; the status and the body, or nothing where the connection closed.
fn ask(server: &Server, method: &str, target: &str, body: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let length = body.len();
    let head = format!(
        "{method} {target} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).ok()?;
    let status = reply.split(' ').nth(1)?.parse().ok()?;
    Some((status, reply.split_once("\r\n\r\n")?.1.to_owned()))
}

fn at(body: &str, query: &str) -> String {
    let value = json::parse(body).unwrap_or_else(|error| panic!("{error}: {body}"));
    let found = Reference::parse(query).unwrap().walk(&value).cloned().unwrap_or_default();
    found.as_str().map_or_else(|| found.to_string(), str::to_owned)
}

fn voucher(server: &Server) -> String {
    let (status, body) = ask(server, "POST", "/v1/vouchers", "payment=pa_1&amount=500&currency=eur").unwrap();
    assert_eq!(status, 200, "{body}");
    at(&body, "$.id")
}

#[test]
fn a_record_is_made_read_and_moved_while_the_clock_stands() {
    let server = start(&[]);
    let id = voucher(&server);
    let read = || ask(&server, "GET", &format!("/v1/vouchers/{id}"), "").unwrap().1;
    assert_eq!(at(&read(), "$.amount"), "500");
    let before = at(&ask(&server, "GET", "/_control", "").unwrap().1, "$.now");
    assert_eq!(ask(&server, "POST", "/_control/time", r#"{"advance_ms": 90000}"#).unwrap().0, 200);
    let standing = ask(&server, "GET", "/_control/", "").unwrap().1;
    assert_eq!(
        (before.as_str(), at(&standing, "$.now").as_str()),
        ("2026-09-05T14:00:00.000Z", "2026-09-05T14:01:30.000Z")
    );
    assert_eq!(at(&standing, "$.records"), "1");

    let move_to = |to: &str, force: bool| {
        let body = format!(r#"{{"id": "{id}", "to": "{to}", "force": {force}}}"#);
        ask(&server, "POST", "/_control/state", &body).unwrap().0
    };
    assert_eq!(move_to("settled", false), 200);
    assert_eq!(move_to("pending", false), 409, "the lifecycle has no way back");
    assert_eq!(move_to("pending", true), 200);
    let truth = ask(&server, "GET", "/_control/records?resource=voucher", "").unwrap().1;
    assert_eq!((at(&truth, "$[0].id"), at(&truth, "$[0].state")), (id.clone(), "pending".to_owned()));
    assert_eq!(
        (at(&truth, "$[0].versions[1].state"), at(&truth, "$[0].versions[2].forced")),
        ("settled".to_owned(), "true".to_owned())
    );
    assert_eq!(at(&truth, "$[0].effects[0].change"), "created");
    let requests = ask(&server, "GET", "/_control/requests", "").unwrap().1;
    assert_eq!(at(&requests, "$[0].operation"), "POST /v1/vouchers");
}

#[test]
fn faults_are_set_and_taken_away_and_may_leave_no_reply() {
    let server = start(&[]);
    let id = voucher(&server);
    let read = || ask(&server, "GET", &format!("/v1/vouchers/{id}"), "").map(|(status, _)| status);
    let fault = r#"[{"what": {"error_before": {"status": 503}}, "when": {"acting": false}}]"#;
    assert_eq!(ask(&server, "POST", "/_control/faults", fault).unwrap().0, 200);
    assert_eq!(read(), Some(503));
    assert_eq!(ask(&server, "DELETE", "/_control/faults", "").unwrap().0, 200);
    assert_eq!(read(), Some(200));
    ask(&server, "POST", "/_control/faults", r#"{"what": {"unreachable": {}}}"#).unwrap();
    assert_eq!(read(), None, "the connection is closed without a reply");
}

#[test]
fn a_mistake_is_told_and_changes_nothing() {
    let server = start(&[]);
    for (method, path, body, status, says) in [
        ("GET", "/_control/nothing", "", 404, "GET /_control/records"),
        ("POST", "/_control/time", "soon", 400, "no JSON"),
        ("POST", "/_control/time", r#"{"advance": 1}"#, 400, "advance"),
        ("POST", "/_control/faults", r#"{"what": {"earthquake": {}}}"#, 400, "earthquake"),
        ("POST", "/_control/records", r#"{"resource": "castle"}"#, 404, "voucher"),
        ("POST", "/_control/state", r#"{"id": "vo_0", "to": "settled"}"#, 404, "record"),
        ("GET", "/v1/castles", "", 404, "path_unknown"),
    ] {
        let (got, text) = ask(&server, method, path, body).unwrap();
        assert_eq!(got, status, "{path}: {text}");
        assert!(text.contains(says), "{path}: {text}");
    }
    assert_eq!(ask(&server, "GET", "/_control/records", "").unwrap().1.trim(), "[]");
}

#[test]
fn a_webhook_is_signed_and_tried_again_until_it_is_taken() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hooks", listener.local_addr().unwrap());
    let server = start(&[&url]);
    let id = voucher(&server);
    ask(&server, "POST", "/_control/time", r#"{"advance_ms": 1000}"#).unwrap();
    let mut bodies = Vec::new();
    for status in ["500 Internal Server Error", "204 No Content"] {
        let (mut stream, _) = listener.accept().unwrap();
        let mut read = Vec::new();
        let mut part = [0; 4096];
        // The body ends with the event's last brace.
        while !read.ends_with(b"}") {
            let count = stream.read(&mut part).unwrap();
            read.extend(part.iter().take(count));
        }
        stream.write_all(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").as_bytes()).unwrap();
        bodies.push(String::from_utf8(read).unwrap());
    }
    let [first, second] = <[String; 2]>::try_from(bodies).unwrap();
    assert!(first.to_lowercase().contains("signature"), "{first}");
    assert!(first.contains(&id));
    assert_eq!(first, second, "what is sent again is the same");
}

#[test]
fn the_description_names_every_operation_and_the_fidelity_counts_them() {
    let service = service();
    let description = describe(&service);
    let path = Reference::parse("$.paths['/v1/vouchers/{voucher}'].get.parameters[0].name").unwrap();
    assert_eq!(path.walk(&description), Some(&Value::from("voucher")));
    let control = Reference::parse("$.paths['/_control/time'].post.summary").unwrap();
    assert!(control.walk(&description).is_some());
    let told = fidelity(&service);
    assert_eq!((told.operations, told.resources, told.with_states, told.states), (7, 3, 1, 5));
    assert!(told.signed && told.events > 0 && told.faults > 30);
}

#[test]
fn the_path_of_the_services_own_address_may_be_left_in_or_out() {
    let mut service = service();
    service.base_url = Some("https://api.paygrove.example/gate/".to_owned());
    let options = Options { settle: Settle::Stay, ..Options::default() };
    let world = World::new(service, Set { options, clock: ClockKind::Real, subscribers: Vec::new() });
    let server = Server::start(world, SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let id = voucher(&server);
    for front in ["", "/gate"] {
        assert_eq!(ask(&server, "GET", &format!("{front}/v1/vouchers/{id}"), "").unwrap().0, 200);
    }
    let taken = World::new(
        self::service(),
        Set { options: Options::default(), clock: ClockKind::Real, subscribers: Vec::new() },
    );
    let error = Server::start(taken, server.address()).unwrap_err().to_string();
    assert!(error.contains(&server.address().to_string()), "{error}");
}
