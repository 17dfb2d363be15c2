//! What an honest world answers: records, lists, pages, events, keys, moves, errors.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it fails")]

mod world;

use provely_evaluator::json::{self, Value};
use provely_simulator::{Blueprint, Change, MoveError, Options, Provider, Quirks, Request, Script, Settle};
use std::sync::Arc;
use world::{after, ask, at, keyed, options, part, post, service, start, voucher, world};

#[test]
fn a_record_echoes_its_request_and_can_be_read() {
    let mut provider = world("paygrove", options());
    let body = "payment=pa_1&amount=500&currency=eur&metadata[provely_operation]=op_1";
    let made = post(&mut provider, 0, "/v1/vouchers", body);
    assert_eq!(made.status, 200);
    let id = part(&made, "$.id");
    assert!(id.starts_with("vo_") && id.len() > 10, "{id}");
    let read = ask(&mut provider, 10, "GET", &format!("/v1/vouchers/{id}"));
    assert_eq!(read.body, made.body);
    let cases = [
        ("$.object", "voucher"),
        ("$.amount", "500"),
        ("$.currency", "eur"),
        ("$.payment", "pa_1"),
        ("$.created", "1788616800"),
        ("$.metadata.provely_operation", "op_1"),
        ("$.receipt", "null"),
        ("$.failure_reason", ""),
        ("$.status", "pending"),
    ];
    for (query, text) in cases {
        assert_eq!(part(&read, query), text, "{query}");
    }
    assert_eq!(read.header_value("Paygrove-Version"), Some("2026-03-01"));
    assert_eq!(read.date_header(), "Sat, 05 Sep 2026 14:00:00 GMT");
}

#[test]
fn text_and_values_are_one_request() {
    let mut as_text = world("paygrove", options());
    let mut as_value = world("paygrove", options());
    let value = json::parse(r#"{"payment":"pa_1","amount":500,"currency":"eur"}"#).unwrap();
    let request = Request::new("POST", "/v1/vouchers").json(value);
    assert_eq!(as_value.handle(start(), &request), Ok(voucher(&mut as_text, 0)));
}

#[test]
fn requests_that_are_not_right_change_nothing() {
    let mut provider = world("paygrove", options());
    let cases = [
        ("POST", "/v1/vouchers", "amount=5", 400, "parameter_missing"),
        ("POST", "/v1/vouchers", "payment=a&amount=1.5", 400, "parameter_invalid"),
        ("POST", "/v1/vouchers", "payment=a&notify=perhaps", 400, "parameter_invalid"),
        ("POST", "/v1/vouchers", "payment=a&metadata=x", 400, "parameter_invalid"),
        ("POST", "/v1/vouchers", "payment=a&colour=red", 400, "parameter_unknown"),
        ("GET", "/v1/vouchers?colour=red", "", 400, "parameter_unknown"),
        ("GET", "/v1/vouchers?limit=many", "", 400, "parameter_invalid"),
        ("GET", "/v1/vouchers?starting_after=vo_0", "", 400, "cursor_unknown"),
        ("GET", "/v1/vouchers?created[gte]=soon", "", 400, "parameter_invalid"),
        ("GET", "/v1/vouchers/vo_0", "", 404, "resource_missing"),
        ("GET", "/v2/vouchers", "", 404, "path_unknown"),
        ("DELETE", "/v1/vouchers", "", 405, "method_not_allowed"),
    ];
    for (method, target, body, status, code) in cases {
        let reply = provider.handle(start(), &Request::new(method, target).text(body)).unwrap();
        assert_eq!((reply.status, part(&reply, "$.error.code").as_str()), (status, code), "{target} {body}");
    }
    assert!(provider.truth().records.is_empty());
    assert!(provider.truth().requests.iter().all(|request| !request.committed()));
}

#[test]
fn json_bodies_are_read_as_they_are() {
    let mut provider = world("lettermill", options());
    let cases = [
        (r#"{"to":"a@x.example","subject":"Hi","postage":1.10}"#, 201, ""),
        (r#"{"to":["a@x.example"],"subject":"Hi","paper":{"size":"a4"}}"#, 201, ""),
        (r#"{"to":"a@x.example","subject":7}"#, 400, "parameter_invalid"),
        (r#"{"to":"a@x.example","subject":"Hi","paper":{}}"#, 400, "parameter_missing"),
        ("to=a", 400, "body_unreadable"),
        ("[]", 400, "body_unreadable"),
    ];
    for (body, status, code) in cases {
        let reply = post(&mut provider, 0, "/letters", body);
        assert_eq!((reply.status, part(&reply, "$.error.code").as_str()), (status, code), "{body}");
    }
    let first = provider.truth().records[0].latest().unwrap().value.clone();
    assert_eq!(at(&first, "$.to"), r#"["a@x.example"]"#);
    assert_eq!(at(&first, "$.postage"), "1.10");
    assert_eq!(at(&first, "$.created_at"), "2026-09-05 14:00:00.000000+00");
    assert!(at(&first, "$.id").parse::<u64>().unwrap() > 1 << 53);
}

#[test]
fn a_reply_carries_the_id_where_the_plan_reads_it() {
    let mut provider = world("lettermill", options());
    let reply = post(&mut provider, 0, "/letters", r#"{"to":"a@x.example","subject":"Hi"}"#);
    assert_eq!(part(&reply, "$.id"), part(&reply, "$.letter.id"));
}

#[test]
fn lists_filter_and_page() {
    let mut provider = world("paygrove", options());
    let ids: Vec<String> = (0..5)
        .map(|n| part(&post(&mut provider, n * 1000, "/v1/vouchers", "payment=pa_1&amount=5"), "$.id"))
        .collect();
    post(&mut provider, 5000, "/v1/vouchers", "payment=pa_2");
    let mut seen = Vec::new();
    let mut target = String::from("/v1/vouchers?payment=pa_1&limit=2");
    loop {
        let page = ask(&mut provider, 6000, "GET", &target).body.json().unwrap();
        let items = page.get("data").and_then(Value::as_array).unwrap().to_vec();
        seen.extend(items.iter().map(|item| at(item, "$.id")));
        if at(&page, "$.has_more") == "false" {
            break;
        }
        target = format!("/v1/vouchers?payment=pa_1&limit=2&starting_after={}", seen.last().unwrap());
    }
    assert_eq!(seen, ids.iter().rev().cloned().collect::<Vec<_>>());
    let ranged =
        ask(&mut provider, 6000, "GET", "/v1/vouchers?created[gte]=1788616802&created[lt]=1788616804");
    assert_eq!(part(&ranged, "$.data[0].id"), ids[3]);
    assert_eq!(part(&ranged, "$.data[1].id"), ids[2]);
    assert_eq!(part(&ranged, "$.data[2].id"), "");
}

#[test]
fn numbered_pages_run_oldest_first() {
    let mut provider = world("lettermill", options());
    for n in 0..5 {
        let to = if n == 3 { "b" } else { "a" };
        post(&mut provider, n, "/letters", &format!(r#"{{"to":"{to}","subject":"{n}"}}"#));
    }
    let page = |provider: &mut Provider, target: &str| {
        let reply = ask(provider, 10, "GET", target);
        let subjects = reply.body.json().unwrap().get("letters").unwrap().as_array().unwrap().to_vec();
        let subjects: Vec<String> = subjects.iter().map(|letter| at(letter, "$.subject")).collect();
        (subjects.join(""), part(&reply, "$.meta.more"))
    };
    assert_eq!(page(&mut provider, "/letters?per_page=2&page=1"), ("01".into(), "true".into()));
    assert_eq!(page(&mut provider, "/letters?per_page=2&page=3"), ("4".into(), "false".into()));
    assert_eq!(page(&mut provider, "/letters?to=a"), ("0124".into(), "false".into()));
}

#[test]
fn a_used_key_answers_what_it_answered() {
    let mut provider = world("paygrove", options());
    let first = provider.handle(start(), &keyed("k1", "payment=pa_1&amount=5")).unwrap();
    let again = provider.handle(after(9000), &keyed("k1", "payment=pa_1&amount=5")).unwrap();
    assert_eq!(again.body, first.body);
    assert_eq!(provider.truth().records.len(), 1);
    assert_eq!(provider.truth().requests[1].replay_of, Some(0));
    let other = provider.handle(after(9001), &keyed("k1", "payment=pa_1&amount=6")).unwrap();
    assert_eq!((other.status, part(&other, "$.error.code").as_str()), (409, "idempotency_conflict"));
    let late = provider.handle(after(86_400_000), &keyed("k1", "payment=pa_1&amount=5")).unwrap();
    assert_ne!(part(&late, "$.id"), part(&first, "$.id"));
    assert_eq!(provider.truth().records.len(), 2);
}

#[test]
fn a_refused_request_does_not_use_up_its_key() {
    let mut provider = world("paygrove", options());
    assert_eq!(provider.handle(start(), &keyed("k1", "amount=5")).unwrap().status, 400);
    assert_eq!(provider.handle(after(1), &keyed("k1", "payment=pa_1")).unwrap().status, 200);
}

#[test]
fn records_are_in_motion_first_and_settle_in_time() {
    let settle = Settle::Succeed(3000, 3000);
    let mut provider = world("paygrove", Options { settle, ..options() });
    let id = part(&voucher(&mut provider, 0), "$.id");
    let status = |provider: &mut Provider, ms| {
        part(&ask(provider, ms, "GET", &format!("/v1/vouchers/{id}")), "$.status")
    };
    assert_eq!(status(&mut provider, 2999), "pending");
    assert_eq!(provider.next_due(), Some(after(100)));
    assert_eq!(provider.take_deliveries(after(2999)).len(), 1);
    assert_eq!(provider.next_due(), Some(after(3000)));
    assert_eq!(status(&mut provider, 3000), "settled");
    let truth = provider.truth().record(&id).unwrap().clone();
    assert_eq!(truth.at(after(2999)).unwrap().state.as_deref(), Some("pending"));
    assert_eq!(truth.at(after(5000)).unwrap().at, after(3000));
    assert!(truth.at(after(-1)).is_none());
}

#[test]
fn only_allowed_moves_are_made_unless_forced() {
    let mut provider = world("paygrove", Options { settle: Settle::Stay, ..options() });
    let id = part(&voucher(&mut provider, 0), "$.id");
    let refused = provider.move_record(&id, "canceled");
    assert_eq!(refused, Err(MoveError::NotAllowed("pending".into())));
    assert_eq!(provider.move_record(&id, "lost"), Err(MoveError::NoState));
    assert_eq!(provider.move_record("vo_0", "failed"), Err(MoveError::NoRecord));
    let cancel =
        |provider: &mut Provider, ms| post(provider, ms, &format!("/v1/vouchers/{id}/cancel"), "").status;
    assert_eq!(cancel(&mut provider, 1), 409);
    provider.move_record(&id, "waiting").unwrap();
    assert_eq!(cancel(&mut provider, 2), 200);
    assert_eq!(cancel(&mut provider, 3), 409);
    provider.force_record(&id, "settled").unwrap();
    provider.plan(&id, &[(1000, "failed"), (2000, "settled")]).unwrap();
    provider.advance(after(10_000));
    let record = provider.truth().record(&id).unwrap();
    let states: Vec<_> = record.versions.iter().map(|version| version.state.as_deref().unwrap()).collect();
    assert_eq!(states, ["pending", "waiting", "canceled", "settled", "failed"]);
    assert_eq!(record.versions.iter().filter(|version| version.forced).count(), 1);
    assert_eq!(record.effects.iter().filter(|effect| effect.change == Change::Moved).count(), 1);
}

#[test]
fn scripts_wait_for_their_records() {
    let mut provider = world("paygrove", options());
    let moves = vec![(1000, String::from("failed"))];
    provider.script_next("voucher", Script { moves, ..Script::default() });
    provider.script_next("voucher", Script { initial: Some("settled".into()), ..Script::default() });
    let (first, second) = (part(&voucher(&mut provider, 0), "$.id"), voucher(&mut provider, 0));
    assert_eq!(part(&second, "$.status"), "settled");
    provider.advance(after(60_000));
    assert_eq!(provider.truth().record(&first).unwrap().state(), Some("failed"));
}

#[test]
fn every_change_sends_its_event() {
    let settle = Settle::Succeed(3000, 3000);
    let mut provider = world("paygrove", Options { settle, ..options() });
    let made = provider.handle(start(), &keyed("k1", "payment=pa_1&amount=5")).unwrap();
    let id = part(&made, "$.id");
    post(&mut provider, 1000, &format!("/v1/vouchers/{id}"), "metadata[a]=b");
    let deliveries = provider.take_deliveries(after(10_000));
    let kinds: Vec<String> = deliveries.iter().map(|delivery| at(&delivery.event, "$.type")).collect();
    assert_eq!(kinds, ["voucher.created", "voucher.updated", "voucher.updated"]);
    let first = &deliveries[0];
    assert_eq!(first.at, after(100));
    let cases = [
        ("$.object", "event"),
        ("$.data.object.id", id.as_str()),
        ("$.data.object.status", "pending"),
        ("$.request.idempotency_key", "k1"),
        ("$.api_version", "2026-03-01"),
        ("$.livemode", "true"),
        ("$.created", "1788616800"),
    ];
    for (query, text) in cases {
        assert_eq!(at(&first.event, query), text, "{query}");
    }
    assert_eq!(at(&deliveries[2].event, "$.data.object.status"), "settled");
    assert_eq!(at(&deliveries[2].event, "$.request.idempotency_key"), "null");
    assert_eq!(at(&deliveries[2].event, "$.data.object.metadata.a"), "b");
    assert!(provider.take_deliveries(after(20_000)).is_empty());
    assert_eq!(provider.truth().events.len(), 3);
}

#[test]
fn events_are_listed_newest_first_and_read_by_id() {
    let mut provider = world("paygrove", options());
    voucher(&mut provider, 0);
    let all = ask(&mut provider, 60_000, "GET", "/v1/events");
    assert_eq!(part(&all, "$.data[0].type"), "voucher.updated");
    assert_eq!(part(&all, "$.data[1].type"), "voucher.created");
    assert_eq!(part(&all, "$.has_more"), "false");
    let created =
        ask(&mut provider, 60_000, "GET", "/v1/events?type=voucher.created&created[gte]=1788616800");
    assert_eq!(part(&created, "$.data[0].type"), "voucher.created");
    assert_eq!(part(&created, "$.data[1]"), "");
    let two = ask(
        &mut provider,
        60_000,
        "GET",
        "/v1/events?types[]=voucher.created&types[]=voucher.updated&limit=1",
    );
    assert_eq!(part(&two, "$.has_more"), "true");
    let id = part(&all, "$.data[1].id");
    assert_eq!(part(&ask(&mut provider, 60_000, "GET", &format!("/v1/events/{id}")), "$.id"), id);
}

#[test]
fn a_kind_without_creation_events_tells_its_states() {
    let mut provider = world("lettermill", options());
    let moves = vec![(1000, String::from("sent")), (2000, String::from("bounced"))];
    provider.script_next("letter", Script { moves, ..Script::default() });
    let id = part(&post(&mut provider, 0, "/letters", r#"{"to":"a","subject":"b"}"#), "$.id");
    let deliveries = provider.take_deliveries(after(9000));
    let kinds: Vec<String> = deliveries.iter().map(|delivery| at(&delivery.event, "$.type")).collect();
    assert_eq!(kinds, ["letter.sent", "letter.bounced"]);
    assert_eq!(at(&deliveries[0].event, "$.data.letter_id"), id);
    assert_eq!(at(&deliveries[0].event, "$.created_at"), "2026-09-05T14:00:01.000Z");
    assert_eq!(
        part(&ask(&mut provider, 9000, "GET", &format!("/letters/{id}")), "$.letter.changed_at"),
        "2026-09-05 14:00:02.000000+00"
    );
}

#[test]
fn deliveries_are_signed_as_the_scheme_says() {
    let mut provider = world("paygrove", options());
    voucher(&mut provider, 0);
    let wire = provider.take_deliveries(after(1000)).remove(0).wire();
    let (name, value) = &wire.headers[1];
    assert_eq!(name, "Paygrove-Signature");
    assert!(value.starts_with("t=1788616800,s1=") && value.len() == 16 + 64, "{value}");
    assert_eq!(json::parse(&wire.body).unwrap().get("livemode"), Some(&Value::Bool(true)));
    let mut provider = world("lettermill", Options { secret: "whsec_c2VjcmV0".into(), ..options() });
    provider.script_next("letter", Script { initial: Some("sent".into()), ..Script::default() });
    post(&mut provider, 0, "/letters", r#"{"to":"a","subject":"b"}"#);
    let wire = provider.take_deliveries(after(1000)).remove(0).wire();
    let names: Vec<&str> = wire.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["content-type", "webhook-signature", "webhook-timestamp", "webhook-id"]);
    assert!(wire.headers[1].1.starts_with("v1,"));
}

#[test]
fn records_can_be_there_before() {
    let mut provider = world("paygrove", options());
    let payment = json::parse(r#"{"id":"pa_9","amount":700,"currency":"jpy"}"#).unwrap();
    assert_eq!(provider.insert("payment", &payment, after(-86_400_000)).as_deref(), Some("pa_9"));
    let old = json::parse(r#"{"payment":"pa_9","amount":700,"status":"settled"}"#).unwrap();
    let old = provider.insert("voucher", &old, after(-5000)).unwrap();
    assert_eq!(provider.insert("planet", &Value::Null, start()), None);
    let reply = post(&mut provider, 0, "/v1/vouchers", "payment=pa_9");
    assert_eq!(part(&reply, "$.amount"), "700");
    assert_eq!(part(&reply, "$.currency"), "jpy");
    let list = ask(&mut provider, 1, "GET", "/v1/vouchers?payment=pa_9");
    assert_eq!(part(&list, "$.data[1].id"), old);
    assert_eq!(part(&list, "$.data[1].created"), "1788616795");
    assert!(provider.truth().record(&old).unwrap().creation().unwrap().request.is_none());
    assert_eq!(provider.truth().events.len(), 1);
}

#[test]
fn the_truth_says_who_did_what() {
    let mut provider = world("paygrove", options());
    let body = "payment=pa_1&amount=5&metadata[provely_operation]=op_9";
    let reply = provider.handle(start(), &keyed("k7", body)).unwrap();
    let truth = provider.truth();
    let made = truth.record(&part(&reply, "$.id")).unwrap().creation().unwrap();
    assert_eq!(made.request, Some(reply.request));
    assert_eq!(made.key.as_deref(), Some("k7"));
    assert_eq!(made.tag.as_deref(), Some("op_9"));
    assert_eq!(made.effect.name(), "money.refund");
    assert!(truth.requests[reply.request].committed());
    assert_eq!((truth.account, truth.live), ("acct_1", true));
}

#[test]
fn worlds_of_one_blueprint_share_nothing() {
    let blueprint = Arc::new(Blueprint::new(&service("paygrove")));
    let mut one = Provider::from_blueprint(Arc::clone(&blueprint), options());
    let mut two = Provider::from_blueprint(blueprint, Options { seed: 8, ..options() });
    let id = part(&voucher(&mut one, 0), "$.id");
    assert_eq!(ask(&mut two, 0, "GET", &format!("/v1/vouchers/{id}")).status, 404);
    assert_ne!(part(&voucher(&mut two, 0), "$.id"), id);
}

#[test]
fn honest_providers_differ_in_how_they_delete() {
    let name = r#"{"name":"shoes"}"#;
    let put = |provider: &mut Provider, id: &str| {
        provider.handle(start(), &Request::new("PUT", &format!("/boxes/{id}")).text(name)).unwrap().status
    };
    let mut usual = world("lettermill", options());
    let id = part(&post(&mut usual, 0, "/boxes", name), "$.id");
    let target = format!("/boxes/{id}");
    assert_eq!(ask(&mut usual, 1, "DELETE", &target).status, 200);
    assert_eq!(ask(&mut usual, 2, "GET", &target).status, 404);
    assert_eq!(ask(&mut usual, 3, "DELETE", &target).status, 404);
    assert_eq!(put(&mut usual, &id), 404);
    assert_ne!(part(&post(&mut usual, 5, "/boxes", name), "$.id"), id);

    let quirks = Quirks { reuse_ids: true, put_creates: true, delete_repeats: true, delete_is_silent: true };
    let mut odd = world("lettermill", Options { quirks, ..options() });
    let id = part(&post(&mut odd, 0, "/boxes", name), "$.id");
    let target = format!("/boxes/{id}");
    assert_eq!(ask(&mut odd, 1, "DELETE", &target).status, 204);
    assert_eq!(ask(&mut odd, 2, "DELETE", &target).status, 204);
    assert_eq!(part(&post(&mut odd, 3, "/boxes", name), "$.id"), id);
    assert_eq!(put(&mut odd, "mine"), 200);
    assert_eq!(part(&ask(&mut odd, 4, "GET", "/boxes/mine"), "$.name"), "shoes");
    let deleted = odd.truth().records[0].deleted;
    assert_eq!(deleted, Some(after(1)));
    assert!(odd.truth().records[0].at(after(1)).is_none());
}

#[test]
fn a_parent_in_the_path_is_known_by_its_place() {
    let mut provider = world("lettermill", options());
    let made = post(&mut provider, 0, "/racks/ra_1/shelves", "");
    let id = part(&made, "$.id");
    assert_eq!(part(&made, "$.at"), "ra_1");
    assert_eq!(ask(&mut provider, 1, "GET", &format!("/racks/ra_1/shelves/{id}")).status, 200);
    assert_eq!(ask(&mut provider, 1, "GET", &format!("/racks/ra_2/shelves/{id}")).status, 404);
}

#[test]
fn a_deleted_record_with_a_flag_is_shown_on() {
    let mut provider = world("lettermill", options());
    let id = part(&post(&mut provider, 0, "/racks/ra_1/shelves", ""), "$.id");
    let target = format!("/racks/ra_1/shelves/{id}");
    assert_eq!(part(&ask(&mut provider, 1, "GET", &target), "$.is_deleted"), "false");
    ask(&mut provider, 2, "DELETE", &target);
    let read = ask(&mut provider, 3, "GET", &target);
    assert_eq!((read.status, part(&read, "$.is_deleted")), (200, "true".into()));
    assert_eq!(part(&ask(&mut provider, 3, "GET", "/shelves"), "$.shelves"), "[]");
    assert_eq!(ask(&mut provider, 4, "DELETE", &target).status, 404);
    assert_eq!(provider.truth().records[0].deleted, Some(after(2)));
}

/// `/boxes/{box_id}.json` is the path of a box, not a word of its own.
#[test]
fn what_stands_around_a_placeholder_is_no_part_of_the_id() {
    let mut service = service("lettermill");
    for operation in service.operations.iter_mut().filter(|own| own.path == "/boxes/{box_id}") {
        operation.path = "/boxes/key={box_id}.json".to_owned();
    }
    let mut provider = Provider::new(&service, options());
    let id = part(&post(&mut provider, 0, "/boxes", ""), "$.id");
    assert_eq!(ask(&mut provider, 1, "GET", &format!("/boxes/key={id}.json")).status, 200);
    assert_eq!(ask(&mut provider, 1, "GET", &format!("/boxes/{id}.json")).status, 404);
}

/// Where a record is known by a name, the caller chooses it, and nobody chooses it twice.
#[test]
fn a_chosen_id_is_kept_and_taken_once() {
    let mut service = service("paygrove");
    let made = service.operations.iter_mut().find(|own| own.id == "POST /v1/vouchers").unwrap();
    let mut echo = made.plan.as_ref().unwrap().echoes[0].clone();
    (echo.input, echo.path) = ("metadata.name".to_owned(), "@.id".to_owned());
    made.plan.as_mut().unwrap().echoes.push(echo);
    let mut provider = Provider::new(&service, options());
    let body = "payment=pa_1&amount=500&currency=eur&metadata[name]=mine";
    assert_eq!(part(&post(&mut provider, 0, "/v1/vouchers", body), "$.id"), "mine");
    assert_eq!(ask(&mut provider, 1, "GET", "/v1/vouchers/mine").status, 200);
    assert_eq!(post(&mut provider, 2, "/v1/vouchers", body).status, 409);
    assert_eq!(provider.truth().records.len(), 1);
}

/// A key in a field of the body is honoured as one in a header is; where nobody says how long, for good.
#[test]
fn a_retry_key_may_stand_in_the_body() {
    let mut service = world::service("paygrove");
    for plan in service.operations.iter_mut().filter_map(|operation| operation.plan.as_mut()) {
        let Some(own) = plan.idempotency.as_mut() else { continue };
        (own.header, own.field, own.life_ms) = (None, Some("request.key".to_owned()), 0);
    }
    let options = provely_simulator::Options { refuse_unknown: false, ..world::options() };
    let mut provider = provely_simulator::Provider::new(&service, options);
    let mut id = |ms, key: &str| {
        let body = format!("payment=pa_1&amount=500&currency=eur&request[key]={key}");
        part(&post(&mut provider, ms, "/v1/vouchers", &body), "$.id")
    };
    let first = id(0, "k1");
    assert_eq!(id(400 * 86_400_000, "k1"), first);
    assert_ne!(id(400 * 86_400_000 + 1, "k2"), first);
}
