//! Requests and pages: what is sent, what is never sent, and when a list counts as read to its end.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod world;

use std::collections::VecDeque;

use provely_evaluator::contract::{Channel, Request};
use provely_evaluator::json::{self, Value};
use provely_evaluator::operation::ProviderInstant;
use provely_evaluator::time::Time;
use provely_runtime::pages::{self, Listing};
use provely_runtime::request::{Context, NotSent, build, check_reads};
use provely_runtime::{Body, Connection, HttpRequest, HttpResponse, Mode, Transport, TransportError};

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> T {
    json::from_value(&json::parse(text).unwrap()).unwrap()
}

fn build_with(request: &str, input: &str, keys: &[(&str, &str)]) -> Result<HttpRequest, NotSent> {
    let request: Request = parsed(request);
    let input = json::parse(input).unwrap();
    let keys: Vec<(String, Value)> =
        keys.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect();
    let begin = ProviderInstant { at: Time::from_seconds(1_000), from_provider: true, skew_ms: 5_000 };
    let context = Context {
        input: &input,
        operation_id: "op_1",
        begin: Some(begin),
        correlation: &keys,
        instant: None,
    };
    build(&request, &Connection::new("acct", Mode::Test, Some("1")), &context)
}

#[test]
fn parameters_are_resolved_and_encoded() {
    let request = r#"{"method":"GET","path":"/r/{id}/x","parameters":{"id":"$correlation.id"},
        "query":{"a":"$input.a","b":"lit","c":"$$x","from":"$operation.created_at","op":"$operation.id"}}"#;
    let built = build_with(request, r#"{"a":12}"#, &[("id", "../a b?é")]).unwrap();
    assert_eq!(built.path, "/r/..%2Fa%20b%3F%C3%A9/x");
    let query: Vec<(&str, &str)> =
        built.query.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let expected =
        [("a", "12"), ("b", "lit"), ("c", "$x"), ("from", "1970-01-01T00:16:35.000Z"), ("op", "op_1")];
    assert_eq!(query, expected);
}

#[test]
fn what_does_not_resolve_is_left_out_only_if_declared_optional() {
    let strict = r#"{"method":"GET","path":"/r","query":{"a":"$input.a","b":"$input.b"}}"#;
    assert_eq!(build_with(strict, r#"{"a":"1"}"#, &[]), Err(NotSent::Unresolved { parameter: "b".into() }));
    let optional = r#"{"method":"GET","path":"/r","query":{"a":"$input.a","b":"$input.b"},
        "optional":["a","b"],"scope":["a","b"]}"#;
    let built = build_with(optional, r#"{"a":"1","b":null}"#, &[]).unwrap();
    assert_eq!(built.query, [("a".to_owned(), "1".to_owned())]);
    assert_eq!(build_with(optional, "{}", &[]), Err(NotSent::Unscoped), "it would list everybody's records");
    let path = r#"{"method":"GET","path":"/r/{id}","parameters":{"id":"$correlation.id"},"optional":["id"]}"#;
    assert_eq!(build_with(path, "{}", &[]), Err(NotSent::Unresolved { parameter: "id".into() }));
    for id in ["", ".", ".."] {
        let refused = build_with(path, "{}", &[("id", id)]);
        assert_eq!(refused, Err(NotSent::UnsafePath { parameter: "id".into() }), "{id:?}");
    }
}

#[test]
fn only_reads_pass() {
    let reads = |text: &str| check_reads(&parsed::<Request>(text)).is_ok();
    assert!(reads(r#"{"method":"GET","path":"/r"}"#));
    assert!(reads(r#"{"method":"POST","path":"/g","document":"query R($id: ID!) { r(id: $id) { id } }"}"#));
    assert!(reads(r#"{"method":"POST","path":"/g","document":"{ r { ...F } } fragment F on R { id }"}"#));
    for refused in [
        r#"{"method":"POST","path":"/r"}"#,
        r#"{"method":"DELETE","path":"/r"}"#,
        r#"{"method":"POST","path":"/g","document":"mutation { r { id } }"}"#,
        r#"{"method":"POST","path":"/g","document":"query A { r { id } } mutation B { s { id } }"}"#,
        r#"{"method":"POST","path":"/g","document":"subscription { r { id } }"}"#,
        r#"{"method":"POST","path":"/g","document":"fragment F on R { id }"}"#,
        r#"{"method":"POST","path":"/g","document":"query {"}"#,
        r#"{"method":"DELETE","path":"/g","document":"{ r { id } }"}"#,
    ] {
        assert!(!reads(refused), "{refused}");
    }
}

/// Answers in order, and keeps what was asked.
#[derive(Default)]
struct Script {
    answers: VecDeque<Result<(u16, String), TransportError>>,
    asked: Vec<HttpRequest>,
}

impl Transport for Script {
    fn send(&mut self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        self.asked.push(request.clone());
        let (status, body) = self.answers.pop_front().unwrap_or(Err(TransportError::Refused))?;
        Ok(HttpResponse { status, headers: Vec::new(), body: Body::from(body) })
    }
}

fn channel(page: &str, document: bool) -> Channel {
    let request = if document {
        r#"{"method":"POST","path":"/g","document":"query L($after: String) { l(after: $after) { id } }"}"#
    } else {
        r#"{"method":"GET","path":"/l"}"#
    };
    parsed(&format!(
        r#"{{"name":"l","evidence_level":"E2","independence":"provider_readback","verifier":{{"name":"http","version":"^1"}},
            "request":{request},"select":"$.data","page":{page},
            "instant":{{"format":"epoch_seconds","granularity_ms":1000}}}}"#
    ))
}

fn read(page: &str, answers: &[(u16, &str)]) -> (Listing, Vec<HttpRequest>) {
    let answers: Vec<_> = answers.iter().map(|(status, body)| Ok((*status, (*body).to_owned()))).collect();
    read_from(&channel(page, false), answers)
}

fn read_from(
    channel: &Channel,
    answers: Vec<Result<(u16, String), TransportError>>,
) -> (Listing, Vec<HttpRequest>) {
    let mut script = Script { answers: answers.into(), asked: Vec::new() };
    let input = Value::Null;
    let context =
        Context { input: &input, operation_id: "op_1", begin: None, correlation: &[], instant: None };
    let connection = Connection::new("acct", Mode::Test, Some("1"));
    let first = build(channel.request.as_ref().unwrap(), &connection, &context).unwrap();
    let bound = ProviderInstant { at: Time::from_seconds(1_000), from_provider: true, skew_ms: 5_000 };
    let listing = pages::read(&mut script, &|| Time::from_seconds(1_000), channel, first, Some(bound));
    (listing, script.asked)
}

const BY_ITEM: &str = r#"{"style":"cursor","parameter":"after","cursor":"@.id","more":"$.more","size":"limit","max_size":100,
    "order":"newest_first","created":"@.created"}"#;
const BY_REPLY: &str =
    r#"{"style":"cursor","parameter":"after","cursor":"$.next","more":"$.next","order":"unordered"}"#;

fn value_of<'r>(request: &'r HttpRequest, name: &str) -> Option<&'r str> {
    request.query.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
}

#[test]
fn t38_pages_are_read_to_the_last() {
    let (listing, asked) = read(
        BY_ITEM,
        &[
            (200, r#"{"data":[{"id":"c","created":1003},{"id":"b","created":1002}],"more":true}"#),
            (200, r#"{"data":[{"id":"a","created":1001}],"more":false}"#),
        ],
    );
    assert!(listing.exhausted);
    assert_eq!(listing.items.len(), 3);
    assert_eq!(value_of(&asked[0], "limit"), Some("100"));
    assert_eq!((value_of(&asked[0], "after"), value_of(&asked[1], "after")), (None, Some("b")));
}

#[test]
fn t38_what_breaks_off_is_not_exhausted() {
    let first = (200, r#"{"data":[{"id":"b","created":1002}],"more":true}"#);
    let endings = [
        ((500, "{}"), "http_500"),
        ((429, "{}"), "http_429"),
        ((404, "{}"), "not_found"),
        ((200, "<html>"), "malformed_body"),
        ((200, r#"{"data":null}"#), "no_list_in_reply"),
        ((200, r#"{"data":[{"id":"a","created":1001}]}"#), "page_end_unknown"),
        ((200, r#"{"data":[{"id":"b","created":1001}],"more":true}"#), "cursor_repeats"),
        ((200, r#"{"data":[],"more":true}"#), "no_cursor"),
    ];
    for (ending, cause) in endings {
        let (listing, _) = read(BY_ITEM, &[first, ending]);
        assert_eq!((listing.exhausted, listing.cause.as_deref()), (false, Some(cause)));
    }
}

#[test]
fn an_ordered_list_ends_at_a_record_known_to_be_older_than_begin() {
    let older = (200, r#"{"data":[{"id":"b","created":1002},{"id":"a","created":994}],"more":true}"#);
    let (listing, asked) = read(BY_ITEM, &[older]);
    assert!(listing.exhausted && asked.len() == 1);
    let in_doubt = (200, r#"{"data":[{"id":"b","created":1002},{"id":"a","created":995}],"more":true}"#);
    assert!(!read(BY_ITEM, &[in_doubt]).0.exhausted, "inside the skew nothing is known to be older");
    let disordered = (200, r#"{"data":[{"id":"b","created":900},{"id":"a","created":1002}],"more":true}"#);
    assert!(!read(BY_ITEM, &[disordered]).0.exhausted, "a list out of order ends at its last page only");
}

#[test]
fn numbers_offsets_and_links_lead_to_the_end() {
    let two = [
        (200, r#"{"data":[{"id":"a"},{"id":"b"}]}"#),
        (200, r#"{"data":[{"id":"c"}]}"#),
        (200, r#"{"data":[]}"#),
    ];
    let (listing, asked) = read(r#"{"style":"number","parameter":"page","order":"unordered"}"#, &two);
    assert!(listing.exhausted && listing.items.len() == 3);
    let numbers: Vec<_> = asked.iter().map(|request| value_of(request, "page")).collect();
    assert_eq!(numbers, [None, Some("2"), Some("3")]);
    let (listing, asked) = read(r#"{"style":"offset","parameter":"skip","order":"unordered"}"#, &two);
    assert!(listing.exhausted);
    let offsets: Vec<_> = asked.iter().map(|request| value_of(request, "skip")).collect();
    assert_eq!(offsets, [None, Some("2"), Some("3")]);
    let linked = [(200, r#"{"data":[{"id":"a"}],"next":"n1"}"#), (200, r#"{"data":[{"id":"b"}]}"#)];
    assert!(read(BY_REPLY, &linked).0.exhausted);
    let (single, asked) = read(r#"{"style":"single","order":"unordered"}"#, &two);
    assert!(single.exhausted && asked.len() == 1);
}

#[test]
fn t76_a_document_that_answers_with_errors_is_no_answer() {
    let channel = channel(BY_REPLY, true);
    let (listing, asked) =
        read_from(&channel, vec![Ok((200, r#"{"data":[],"errors":[{"message":"denied"}]}"#.to_owned()))]);
    assert_eq!((listing.exhausted, listing.cause.as_deref()), (false, Some("document_errors")));
    assert!(asked[0].body.as_deref().unwrap().contains("\"variables\":{}"));
    let pages = vec![
        Ok((200, r#"{"data":[{"id":"a"}],"next":"n1"}"#.to_owned())),
        Ok((200, r#"{"data":[],"next":null}"#.to_owned())),
    ];
    let (listing, asked) = read_from(&channel, pages);
    assert!(listing.exhausted);
    assert!(asked[1].body.as_deref().unwrap().contains(r#""variables":{"after":"n1"}"#));
}

#[test]
fn t43_ids_keep_every_digit() {
    let (listing, _) = read(
        r#"{"style":"single","order":"unordered"}"#,
        &[(200, r#"{"data":[{"id":9007199254740993},{"id":9007199254740992}]}"#)],
    );
    let ids: Vec<_> =
        listing.items.iter().map(|item| provely_runtime::scope::id_text(item.get("id").unwrap())).collect();
    assert_eq!(ids, [Some("9007199254740993".to_owned()), Some("9007199254740992".to_owned())]);
}

#[test]
fn dates_are_read_as_the_rfc_writes_them() {
    let time = Time::parse("1994-11-06T08:49:37Z").unwrap();
    assert_eq!(provely_runtime::http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(time));
    assert_eq!(provely_runtime::print_http_date(time), "Sun, 06 Nov 1994 08:49:37 GMT");
    for text in ["Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "", "now"] {
        assert_eq!(provely_runtime::http_date(text), None, "{text}");
    }
}
