//! Every fault shows its effect, and only where and as often as it is told.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it fails")]

mod world;

use provely_evaluator::json::{self, Value};
use provely_simulator::{
    DecimalStyle, Fault, FaultKind, LostCause, Options, Provider, Request, Script, Settle, When,
};
use world::{after, ask, at, faulty, keyed, options, part, post, start, voucher, world};

type Check = fn(Provider);

/// A fault, when it strikes, and what it must do.
fn table() -> Vec<(FaultKind, When, Check)> {
    let reads = || When { acting: Some(false), ..When::default() };
    let acts = || When { acting: Some(true), ..When::default() };
    let changes = || When { operation: Some("POST /v1/vouchers/{voucher}".into()), ..When::default() };
    let once = || When { times: Some(1), ..acts() };
    vec![
        (FaultKind::ErrorBefore { status: 503, stored: true }, once(), error_before),
        (FaultKind::TimeoutBefore {}, acts(), timeout_before),
        (FaultKind::Unreachable {}, reads(), unreachable),
        (FaultKind::RateLimited { retry_after_s: 3 }, reads(), rate_limited),
        (FaultKind::Refused { code: "no_funds".into() }, acts(), refused),
        (FaultKind::CommitTwice {}, acts(), commit_twice),
        (FaultKind::NotDone {}, changes(), not_done),
        (FaultKind::PartlyDone {}, changes(), partly_done),
        (FaultKind::Altered { path: "@.amount".into(), value: Value::from(50) }, acts(), altered),
        (FaultKind::Scripted(failing()), acts(), scripted),
        (FaultKind::LateReversal { after_ms: 60_000, to: None }, acts(), late_reversal),
        (FaultKind::ErrorAfter { status: 500, stored: true }, once(), error_after),
        (FaultKind::TimeoutAfter {}, once(), timeout_after),
        (FaultKind::Stale { by_ms: 5000 }, reads(), stale),
        (FaultKind::NotFoundFor { ms: 5000 }, reads(), not_found_for),
        (FaultKind::HiddenFromLists { ms: 5000 }, reads(), hidden_from_lists),
        (FaultKind::SmallPages { size: 1 }, reads(), small_pages),
        (FaultKind::CutLists { size: 1 }, reads(), cut_lists),
        (FaultKind::IgnoredFilters {}, reads(), ignored_filters),
        (FaultKind::DocumentErrors {}, reads(), document_errors),
        (FaultKind::UnknownState { word: "dreaming".into() }, When::default(), unknown_state),
        (FaultKind::RenamedField { from: "amount".into(), to: "sum".into() }, When::default(), renamed_field),
        (FaultKind::Decimals(DecimalStyle::Short), When::default(), decimals),
        (FaultKind::ClockSkew { ms: -3000 }, When::default(), clock_skew),
        (FaultKind::WholeSeconds {}, When::default(), |_| whole_seconds()),
        (FaultKind::Truncated { bytes: 9 }, reads(), truncated),
        (FaultKind::Malformed {}, reads(), malformed),
        (FaultKind::FailsInBand {}, reads(), |_| fails_in_band()),
        (FaultKind::OtherVersion { version: "2020-01-01".into() }, When::default(), other_version),
        (FaultKind::OtherMode {}, When::default(), other_mode),
        (FaultKind::EventsLost { unlisted: true }, When::default(), events_lost),
        (FaultKind::EventsLate { ms: 9000 }, When::default(), events_late),
        (FaultKind::EventsRepeated { times: 3, every_ms: 100 }, When::default(), events_repeated),
        (FaultKind::EventsReordered { within_ms: 60_000 }, first_event(), events_reordered),
        (FaultKind::EventsForged { state: "settled".into() }, first_event(), events_forged),
        (FaultKind::EventsReplayed { after_ms: 600_000 }, first_event(), events_replayed),
        (FaultKind::OtherSecret { secret: "old".into() }, When::default(), other_secret),
    ]
}

#[test]
fn every_fault_shows_its_effect() {
    let table = table();
    let mut names: Vec<&str> = table.iter().map(|(what, _, _)| what.name()).collect();
    assert_eq!(names, FaultKind::NAMES, "one row per fault, in the order of its table");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FaultKind::NAMES.len(), "names are distinct");
    for (what, when, check) in table {
        check(faulty("paygrove", what, when));
    }
}

#[test]
fn faults_are_data() {
    for (what, when, _) in table() {
        let fault = Fault { what, when };
        let value = json::to_value(&fault).unwrap();
        assert!(value.get("what").unwrap().get(fault.what.name()).is_some(), "{value}");
        let read: Fault = json::from_value(&json::parse(&value.to_string()).unwrap()).unwrap();
        assert_eq!(read, fault);
    }
    let options: Options = json::from_value(&json::parse(r#"{"seed":3,"settle":"stay"}"#).unwrap()).unwrap();
    assert_eq!((options.seed, options.settle, options.page_size), (3, Settle::Stay, 10));
    assert!(json::from_value::<Options>(&json::parse(r#"{"sed":3}"#).unwrap()).is_err());
}

#[test]
fn a_fault_strikes_when_told() {
    let cases = [
        (When { skip: 1, ..When::default() }, "0111"),
        (When { times: Some(2), ..When::default() }, "1100"),
        (When { from_ms: Some(1000), until_ms: Some(3000), ..When::default() }, "0110"),
        (When { skip: 1, times: Some(1), ..When::default() }, "0100"),
        (When { permille: Some(0), ..When::default() }, "0000"),
        (When { permille: Some(1000), ..When::default() }, "1111"),
        (When { operation: Some("GET /v1/events".into()), ..When::default() }, "0000"),
        (When { operation: Some("GET /v1/vouchers".into()), ..When::default() }, "1111"),
        (When { resource: Some("event".into()), ..When::default() }, "0000"),
        (When { acting: Some(true), ..When::default() }, "0000"),
    ];
    for (when, strikes) in cases {
        let mut provider = faulty("paygrove", FaultKind::Unreachable {}, when.clone());
        let mut seen = String::new();
        for second in 0..4 {
            let reply = provider.handle(after(second * 1000), &Request::new("GET", "/v1/vouchers"));
            seen.push(if reply.is_err() { '1' } else { '0' });
        }
        assert_eq!(seen, strikes, "{when:?}");
    }
}

#[test]
fn faults_compose_and_can_be_taken_away() {
    let mut provider = faulty("paygrove", FaultKind::CommitTwice {}, When::default());
    provider.add_fault(Fault {
        what: FaultKind::TimeoutAfter {},
        when: When { acting: Some(true), ..When::default() },
    });
    let lost = provider.handle(start(), &Request::new("POST", "/v1/vouchers").text("payment=a")).unwrap_err();
    assert_eq!(provider.truth().requests[lost.request].records.len(), 2);
    provider.clear_faults();
    assert!(voucher(&mut provider, 1).is_success());
    assert_eq!(provider.truth().records.len(), 3);
}

fn failing() -> Script {
    Script { initial: Some("waiting".into()), moves: vec![(1000, "failed".into())], ..Script::default() }
}

fn first_event() -> When {
    When { event: Some("voucher.created".into()), ..When::default() }
}

fn lost(provider: &mut Provider, ms: i64, request: &Request) -> LostCause {
    provider.handle(after(ms), request).unwrap_err().cause
}

fn count(provider: &Provider) -> usize {
    provider.truth().of("voucher").count()
}

/// Makes a voucher and answers its path.
fn made(provider: &mut Provider) -> String {
    format!("/v1/vouchers/{}", part(&voucher(provider, 0), "$.id"))
}

/// The events that arrive within some time after a voucher was made: arrival and type.
fn arrivals(provider: &mut Provider, ms: i64) -> Vec<(i64, String)> {
    made(provider);
    let taken = provider.take_deliveries(after(ms));
    taken.iter().map(|d| (d.at.since(start()), at(&d.event, "$.type").replace("voucher.", ""))).collect()
}

fn error_before(mut provider: Provider) {
    let request = keyed("k", "payment=a");
    assert_eq!(provider.handle(start(), &request).unwrap().status, 503);
    assert_eq!(count(&provider), 0);
    assert_eq!(provider.handle(after(1), &request).unwrap().status, 503, "stored");
    assert_eq!(provider.handle(after(2), &keyed("l", "payment=a")).unwrap().status, 200);
}

fn timeout_before(mut provider: Provider) {
    assert_eq!(lost(&mut provider, 0, &keyed("k", "payment=a")), LostCause::Timeout);
    assert_eq!(count(&provider), 0);
}

fn unreachable(mut provider: Provider) {
    voucher(&mut provider, 0);
    assert_eq!(lost(&mut provider, 1, &Request::new("GET", "/v1/events")), LostCause::Unreachable);
}

fn rate_limited(mut provider: Provider) {
    let reply = ask(&mut provider, 0, "GET", "/v1/vouchers");
    assert_eq!((reply.status, reply.header_value("Retry-After")), (429, Some("3")));
}

fn refused(mut provider: Provider) {
    let reply = voucher(&mut provider, 0);
    assert_eq!((reply.status, part(&reply, "$.error.code").as_str()), (402, "no_funds"));
    assert_eq!(count(&provider), 0);
    let what = FaultKind::Refused { code: "no_paper".into() };
    let mut in_band = faulty("lettermill", what, When::default());
    let reply = post(&mut in_band, 0, "/letters", r#"{"to":"a","subject":"b"}"#);
    assert_eq!((reply.status, part(&reply, "$.errors[0].code").as_str()), (201, "no_paper"));
    assert!(in_band.truth().records.is_empty());
}

fn commit_twice(mut provider: Provider) {
    let reply = voucher(&mut provider, 0);
    let truth = provider.truth();
    let ids: Vec<&str> = truth.of("voucher").map(|record| record.id.as_str()).collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
    assert_eq!(part(&reply, "$.id"), ids[0]);
    assert_eq!(truth.requests[0].records, [0, 1]);
}

fn not_done(mut provider: Provider) {
    let id = part(&voucher(&mut provider, 0), "$.id");
    let reply = post(&mut provider, 1, &format!("/v1/vouchers/{id}"), "metadata[a]=1");
    assert_eq!((reply.status, part(&reply, "$.metadata.a")), (200, String::new()));
    assert_eq!(provider.truth().records[0].versions.len(), 1);
    assert!(!provider.truth().requests[1].committed());
}

fn partly_done(mut provider: Provider) {
    let id = part(&voucher(&mut provider, 0), "$.id");
    post(&mut provider, 1, &format!("/v1/vouchers/{id}"), "metadata[a]=1&metadata[b]=2");
    let read = ask(&mut provider, 2, "GET", &format!("/v1/vouchers/{id}"));
    assert_eq!(part(&read, "$.metadata"), r#"{"a":"1"}"#);
}

fn altered(mut provider: Provider) {
    let path = made(&mut provider);
    assert_eq!(part(&ask(&mut provider, 1, "GET", &path), "$.amount"), "50");
    assert_eq!(at(&provider.truth().records[0].versions[0].value, "$.amount"), "50");
}

fn scripted(mut provider: Provider) {
    let path = made(&mut provider);
    assert_eq!(part(&ask(&mut provider, 1, "GET", &path), "$.status"), "waiting");
    assert_eq!(part(&ask(&mut provider, 1000, "GET", &path), "$.status"), "failed");
}

fn late_reversal(mut provider: Provider) {
    let path = made(&mut provider);
    assert_eq!(part(&ask(&mut provider, 15_000, "GET", &path), "$.status"), "settled");
    assert_eq!(part(&ask(&mut provider, 90_000, "GET", &path), "$.status"), "failed");
    let kinds: Vec<String> = provider.truth().events.iter().map(|event| event.kind.clone()).collect();
    assert_eq!(kinds, ["voucher.created", "voucher.updated", "voucher.updated", "voucher.failed"]);
}

fn error_after(mut provider: Provider) {
    let request = keyed("k", "payment=a");
    assert_eq!(provider.handle(start(), &request).unwrap().status, 500);
    assert_eq!(count(&provider), 1);
    assert_eq!(provider.handle(after(1), &request).unwrap().status, 500, "the first answer, errors included");
    assert_eq!(count(&provider), 1);
}

fn timeout_after(mut provider: Provider) {
    let request = keyed("k", "payment=a");
    assert_eq!(lost(&mut provider, 0, &request), LostCause::Timeout);
    assert_eq!(count(&provider), 1);
    let again = provider.handle(after(1), &request).unwrap();
    assert_eq!(part(&again, "$.id"), provider.truth().records[0].id);
    assert_eq!(count(&provider), 1);
}

fn stale(mut provider: Provider) {
    let path = made(&mut provider);
    assert_eq!(ask(&mut provider, 4999, "GET", &path).status, 404);
    provider.plan(path.trim_start_matches("/v1/vouchers/"), &[(1, "settled")]).unwrap();
    assert_eq!(part(&ask(&mut provider, 9000, "GET", &path), "$.status"), "pending");
    assert_eq!(part(&ask(&mut provider, 10_000, "GET", &path), "$.status"), "settled");
    assert_eq!(part(&ask(&mut provider, 9000, "GET", "/v1/vouchers"), "$.data[0].status"), "settled");
}

fn not_found_for(mut provider: Provider) {
    let path = made(&mut provider);
    assert_eq!(ask(&mut provider, 4999, "GET", &path).status, 404);
    assert_ne!(part(&ask(&mut provider, 4999, "GET", "/v1/vouchers"), "$.data[0].id"), "");
    assert_eq!(ask(&mut provider, 5000, "GET", &path).status, 200);
}

fn hidden_from_lists(mut provider: Provider) {
    let path = made(&mut provider);
    assert_eq!(part(&ask(&mut provider, 4999, "GET", "/v1/vouchers"), "$.data"), "[]");
    assert_eq!(ask(&mut provider, 4999, "GET", &path).status, 200);
    assert_ne!(part(&ask(&mut provider, 5000, "GET", "/v1/vouchers"), "$.data[0].id"), "");
}

fn small_pages(mut provider: Provider) {
    voucher(&mut provider, 0);
    voucher(&mut provider, 0);
    let page = ask(&mut provider, 1, "GET", "/v1/vouchers?limit=50");
    assert_eq!((part(&page, "$.data[1]").as_str(), part(&page, "$.has_more").as_str()), ("", "true"));
}

fn cut_lists(mut provider: Provider) {
    voucher(&mut provider, 0);
    voucher(&mut provider, 0);
    let page = ask(&mut provider, 1, "GET", "/v1/vouchers?limit=50");
    assert_eq!((part(&page, "$.data[1]").as_str(), part(&page, "$.has_more").as_str()), ("", "false"));
}

fn ignored_filters(mut provider: Provider) {
    voucher(&mut provider, 0);
    let page = ask(&mut provider, 1, "GET", "/v1/vouchers?payment=pa_other");
    assert_eq!(part(&page, "$.data[0].payment"), "pa_1");
}

/// Paths know nothing of it; `documents.rs` shows what documents answer.
fn document_errors(mut provider: Provider) {
    voucher(&mut provider, 0);
    assert_eq!(part(&ask(&mut provider, 1, "GET", "/v1/vouchers"), "$.errors"), "");
}

fn unknown_state(mut provider: Provider) {
    let path = made(&mut provider);
    assert_eq!(part(&ask(&mut provider, 1, "GET", &path), "$.status"), "dreaming");
    assert_eq!(at(&provider.truth().events[0].value, "$.data.object.status"), "dreaming");
    assert_eq!(provider.truth().records[0].state(), Some("pending"));
}

fn renamed_field(mut provider: Provider) {
    let path = made(&mut provider);
    let read = ask(&mut provider, 1, "GET", &path);
    assert_eq!((part(&read, "$.amount").as_str(), part(&read, "$.sum").as_str()), ("", "500"));
}

fn decimals(mut provider: Provider) {
    let path = made(&mut provider);
    let read = ask(&mut provider, 1, "GET", &path);
    assert_eq!((part(&read, "$.amount"), part(&read, "$.created")), ("500.0".into(), "1788616800".into()));
    let what = FaultKind::Decimals(DecimalStyle::Long);
    let mut letters = faulty("lettermill", what, When::default());
    let reply = post(&mut letters, 0, "/letters", r#"{"to":"a","subject":"b","postage":"1.1"}"#);
    assert_eq!(part(&reply, "$.letter.postage"), "1.1000");
}

fn clock_skew(mut provider: Provider) {
    let reply = voucher(&mut provider, 0);
    assert_eq!(part(&reply, "$.created"), "1788616797");
    assert_eq!(reply.date, after(-3000));
    assert_eq!(at(&provider.truth().events[0].value, "$.created"), "1788616797");
    assert_eq!(provider.truth().records[0].created, start());
}

fn whole_seconds() {
    let mut letters = faulty("lettermill", FaultKind::WholeSeconds {}, When::default());
    let reply = post(&mut letters, 999, "/letters", r#"{"to":"a","subject":"b"}"#);
    assert_eq!(part(&reply, "$.letter.created_at"), "2026-09-05 14:00:00.000000+00");
}

fn truncated(mut provider: Provider) {
    let reply = ask(&mut provider, 0, "GET", "/v1/vouchers");
    assert_eq!((reply.status, reply.body.text().len(), reply.body.json()), (200, 9, None));
}

fn malformed(mut provider: Provider) {
    let reply = ask(&mut provider, 0, "GET", "/v1/vouchers");
    assert_eq!((reply.status, reply.body.json()), (200, None));
}

fn fails_in_band() {
    let mut provider =
        faulty("lettermill", FaultKind::FailsInBand {}, When { times: Some(1), ..When::default() });
    let truthful = post(&mut provider, 0, "/letters", r#"{"to":"a","subject":"b"}"#);
    assert_eq!((truthful.status, part(&truthful, "$.errors[0].code").as_str()), (201, "internal_error"));
    let id = provider.truth().records[0].id.clone();
    let path = format!("/letters/{id}");
    let fine = ask(&mut provider, 1, "GET", &path);
    assert_eq!((part(&fine, "$.ok").as_str(), part(&fine, "$.letter.id")), ("true", id.clone()));
    provider.add_fault(Fault { what: FaultKind::FailsInBand {}, when: When::default() });
    let failed = ask(&mut provider, 2, "GET", &path);
    assert_eq!(
        (failed.status, part(&failed, "$.ok").as_str(), part(&failed, "$.letter.id")),
        (200, "false", id)
    );
    let plain = ask(&mut provider, 3, "GET", "/letters");
    assert_eq!(part(&plain, "$.ok"), "", "a read that has no words for it says nothing");
}

fn other_version(mut provider: Provider) {
    let reply = voucher(&mut provider, 0);
    assert_eq!(reply.header_value("paygrove-version"), Some("2020-01-01"));
    assert_eq!(at(&provider.truth().events[0].value, "$.api_version"), "2020-01-01");
}

fn other_mode(mut provider: Provider) {
    made(&mut provider);
    assert_eq!(at(&provider.truth().events[0].value, "$.livemode"), "false");
}

fn events_lost(mut provider: Provider) {
    assert!(arrivals(&mut provider, 90_000).is_empty());
    assert_eq!(part(&ask(&mut provider, 90_000, "GET", "/v1/events"), "$.data"), "[]");
    assert_eq!(provider.truth().events.len(), 2);
}

fn events_late(mut provider: Provider) {
    assert_eq!(arrivals(&mut provider, 9100), [(9100, "created".into())]);
}

fn events_repeated(mut provider: Provider) {
    let seen = arrivals(&mut provider, 1000);
    assert_eq!(seen, [(100, "created".into()), (200, "created".into()), (300, "created".into())]);
}

fn events_reordered(mut provider: Provider) {
    let kinds: Vec<String> = arrivals(&mut provider, 90_000).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, ["updated", "created"]);
}

fn events_forged(mut provider: Provider) {
    made(&mut provider);
    let taken = provider.take_deliveries(after(100));
    let (forged, genuine): (Vec<_>, Vec<_>) = taken.iter().partition(|delivery| !delivery.authentic);
    assert_eq!((forged.len(), genuine.len()), (1, 1));
    assert_eq!(at(&forged[0].event, "$.data.object.status"), "settled");
    assert_eq!(at(&genuine[0].event, "$.data.object.status"), "pending");
    assert_ne!(forged[0].event_id, genuine[0].event_id);
}

fn events_replayed(mut provider: Provider) {
    made(&mut provider);
    let taken = provider.take_deliveries(after(700_000));
    let (first, last) = (&taken[0], taken.last().unwrap());
    assert_eq!(last.at.since(first.at), 600_000);
    assert_eq!(first.wire(), last.wire());
}

fn other_secret(mut provider: Provider) {
    made(&mut provider);
    let delivery = provider.take_deliveries(after(100)).remove(0);
    let mut honest = world("paygrove", options());
    made(&mut honest);
    let true_one = honest.take_deliveries(after(100)).remove(0);
    assert!(!delivery.authentic && true_one.authentic);
    assert_eq!(delivery.wire().body, true_one.wire().body);
    assert_ne!(delivery.wire().headers, true_one.wire().headers);
}
