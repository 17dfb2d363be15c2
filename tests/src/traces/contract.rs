//! Random contracts that a strict loader takes. Nothing here knows what a contract answers.

use serde_json::{Value, json};

use super::conditions::Writer;
use super::rng::Rng;
use super::words::Words;

/// A contract with what is needed to make evidence for it.
pub(super) struct Made {
    pub contract: Value,
    pub words: Words,
    pub kind: Kind,
}

/// What the action does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Refund,
    Message,
    Update,
    Delete,
}

pub(super) fn random(rng: &mut Rng) -> Made {
    let kind = rng.pick(&[
        Kind::Refund,
        Kind::Refund,
        Kind::Refund,
        Kind::Refund,
        Kind::Message,
        Kind::Update,
        Kind::Delete,
    ]);
    let words = Words::random(rng);
    let existing = matches!(kind, Kind::Update | Kind::Delete);
    let has_parts = kind == Kind::Message || (kind == Kind::Refund && rng.chance(15));
    let channels = channels(rng, existing);
    let mut writer = Writer { kind, has_parts, words: words.clone(), next: 0 };
    let positives = writer.positives(rng);
    let negatives = writer.negatives(rng);
    let rules = writer.rules(rng);
    let level = rng.pick(&["created", "succeeded"]);
    let mut contract = json!({
        "schema_version": "1.0.0", "id": format!("acme.thing.{level}"), "version": "1.0.0", "service": "acme",
        "completion_level": level, "promise": "The thing reached its end.",
        "intent": {"statement": "Do the thing.", "input_schema": input_schema()},
        "subject": subject(&words, kind, has_parts),
        "action": action(kind),
        "correlation": correlation(rng, existing),
        "evidence_policy": {
            "minimum_evidence_level": "E2", "require_independent_channel": rng.chance(70),
            "minimum_channels": rng.pick(&[1, 1, 1, 2]), "channels": channels,
        },
        "completion": {"all_of": positives},
        "negative_conditions": {"any_of": negatives},
        "verdict_map": rules,
        "timing": {
            "initial_delay_ms": 1000, "poll_interval_ms": 5000, "backoff": {"factor": 2, "max_ms": 60000},
            "maximum_attempts": 40, "timeout_ms": rng.pick(&[60_000, 600_000, 604_800_000]),
            "stale_read_window_ms": rng.pick(&[1_000, 7_500, 20_000]),
        },
        "on_timeout": on_timeout(rng),
        "valid_for": {"provider_api_versions": [">=2025-03-31.basil <=2026-05-27.dahlia", "2026-08-26"]},
        "provenance": {},
    });
    if rng.chance(25) {
        contract["correlation"]["minimum_causality"] = json!(rng.pick(&["claim", "input", "tag", "key"]));
    }
    if rng.chance(25) {
        contract["overlays"] = json!([overlay(rng, &mut writer, &contract)]);
    }
    Made { contract, words, kind }
}

/// What is asked on top in some versions: conditions, PENDING rules, a version that is not admissible.
fn overlay(rng: &mut Rng, writer: &mut Writer, contract: &Value) -> Value {
    let mut patch = json!({});
    let longer = |list: &Value, new: Vec<Value>| {
        let old = list.as_array().cloned().unwrap_or_default();
        Value::Array(old.into_iter().chain(new).collect())
    };
    // The first three positives of a contract are its identity; a second set of them says nothing new.
    let positives: Vec<Value> = writer.positives(rng).into_iter().skip(3).collect();
    patch["completion"]["all_of"] = longer(&contract["completion"]["all_of"], positives);
    if rng.chance(60) {
        let negatives = writer.negatives(rng);
        patch["negative_conditions"]["any_of"] =
            longer(&contract["negative_conditions"]["any_of"], negatives);
    }
    let mut rules = writer.rules(rng);
    rules.retain(|rule| rule["verdict"] == "PENDING");
    patch["verdict_map"] = longer(&contract["verdict_map"], rules);
    patch["valid_for"]["inadmissible_versions"] = json!(["2025-09-30"]);
    let versions = rng.pick(&[
        json!([">=2025-03-31.basil <=2026-05-27.dahlia"]),
        json!([">=2025-09-01 <=2025-12-31", "2026-08-26"]),
        json!(["2026-05-27"]),
    ]);
    json!({"versions": versions, "patch": patch})
}

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": {"type": "string"}, "charge": {"type": "string"}, "amount": {"type": "integer"},
            "currency": {"type": "string"}, "email": {"type": "string"}, "tags": {"type": "array"},
            "until": {"type": "string"}, "missing": {"type": "string"},
        },
        "required": ["charge", "amount", "until"], "additionalProperties": false,
    })
}

fn subject(words: &Words, kind: Kind, has_parts: bool) -> Value {
    let mut subject = json!({
        "type": format!("acme.{}", if kind == Kind::Message { "message" } else { "thing" }),
        "identity": {"record_id": "$correlation.record_id"},
        "lifecycle": {"path": "$observed.readback.status", "states": words.states()},
    });
    if kind == Kind::Delete {
        subject["lifecycle"] = Value::Null;
    } else if has_parts {
        subject["lifecycle"]["path"] = json!("@.status");
        subject["lifecycle"]["over"] = json!("$observed.readback.lines");
    }
    subject
}

fn action(kind: Kind) -> Value {
    let (effect, operation) = match kind {
        Kind::Refund => ("money.refund", "POST /v1/refunds"),
        Kind::Message => ("message.send", "POST /v1/messages"),
        Kind::Update => ("record.update", "POST /v1/things/{id}"),
        Kind::Delete => ("record.delete", "DELETE /v1/things/{id}"),
    };
    let target = if matches!(kind, Kind::Update | Kind::Delete) { "existing" } else { "create" };
    json!({
        "canonical_effect": effect, "operation": operation, "target": target,
        "idempotency": {
            "key": "$operation.id", "header": "Idempotency-Key", "life_ms": 86_400_000, "retry_safe": true,
        },
    })
}

fn correlation(rng: &mut Rng, existing: bool) -> Value {
    let source = if existing { "$input.id" } else { "$action.result.id" };
    let mut strategies = vec![json!({
        "name": "resource_id", "assurance": "strong", "required": true,
        "keys": [{"name": "record_id", "source": source}],
    })];
    if !existing && rng.chance(50) {
        strategies.push(json!({
            "name": "fingerprint", "assurance": "weak", "required": false, "window_ms": 600_000,
            "keys": [{"name": "amount", "source": "$input.amount", "path": "@.amount"}],
        }));
    }
    json!({
        "strategies": strategies,
        "sibling_scope": [{"path": "@.charge", "operator": "eq", "expected": "$input.charge", "as": "id"}],
    })
}

fn on_timeout(rng: &mut Rng) -> Value {
    let result = rng.pick(&["UNVERIFIABLE", "UNVERIFIABLE", "PENDING"]);
    let escalates = result == "PENDING" || rng.chance(60);
    json!({"result": result, "reason_code": "evidence_unavailable", "escalate_to_human_review": escalates})
}

fn instant(rng: &mut Rng) -> Value {
    rng.pick(&[
        json!({"format": "epoch_seconds", "granularity_ms": 1000}),
        json!({"format": "epoch_milliseconds", "granularity_ms": 1}),
        json!({"format": "rfc3339", "granularity_ms": 1000}),
        json!({"format": "rfc3339", "granularity_ms": 1}),
        json!({"format": "rfc3339_like", "zone_minutes": 120, "granularity_ms": 1000}),
    ])
}

fn page(rng: &mut Rng) -> Value {
    let mut page = json!({
        "style": "cursor", "parameter": "starting_after", "cursor": "@.id", "more": "$.has_more",
        "size": "limit", "max_size": 100, "order": rng.pick(&["newest_first", "oldest_first", "unordered"]),
    });
    if rng.chance(80) {
        page["created"] = json!("@.created");
    }
    page
}

fn channels(rng: &mut Rng, existing: bool) -> Vec<Value> {
    let channel = |name: &str, level: &str, independence: &str, instant: Value| {
        json!({
            "name": name, "evidence_level": level, "independence": independence,
            "verifier": {"name": "http", "version": "1.0.0"}, "instant": instant,
        })
    };
    let mut readback = channel("readback", "E2", "provider_readback", instant(rng));
    readback["baseline"] = json!(existing || rng.chance(30));
    let mut listed = channel("listed", "E2", "provider_readback", instant(rng));
    listed["baseline"] = json!(true);
    listed["complete"] = json!(rng.chance(90));
    listed["record_id"] = json!("@.id");
    listed["page"] = page(rng);
    let mut channels = vec![readback, listed];
    for name in ["created_events", "updated_events"] {
        let mut events = channel(name, "E3", "provider_event", instant(rng));
        events["verifier"]["name"] = json!("webhook");
        events["events"] = json!({
            "types": ["thing.created", "thing.updated"], "creation_types": ["thing.created"], "id": "$.id",
            "type": "$.type", "record": "$.data.object", "record_id": "$.data.object.id", "time": "$.created",
        });
        channels.push(events);
    }
    let mut other = channel("searched", "E2", "provider_readback", instant(rng));
    other["record_id"] = json!("@.id");
    other["complete"] = json!(rng.chance(30));
    other["page"] = page(rng);
    channels.push(other);
    channels.push(channel("ledger", "E4", "independent_system", instant(rng)));
    channels.push(channel("reply", "E1", "same_response", instant(rng)));
    channels
}
