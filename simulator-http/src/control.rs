//! The endpoint that controls a world: time, states, faults, subscribers, and what really happened. For tests and
//! harnesses; no verifier may read it.

use hyper::{Method, StatusCode};
use provely_evaluator::json::{self, Object, Value, from_value, to_value};
use provely_simulator::{Change, Fault, MoveError, Script, TrueRecord};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::answer::{Wire, plain, with_type};
use crate::clock::ClockKind;
use crate::fidelity::fidelity;
use crate::hooks::Subscriber;
use crate::world::World;

/// Every path of the control endpoint begins so.
pub(crate) const PREFIX: &str = "/_control";

/// What the endpoint can do: method, path, and what it is for.
pub(crate) const ROUTES: [(&str, &str, &str); 14] = [
    ("GET", "/", "The service, the time, and how much has happened"),
    ("GET", "/records", "Every record with all it went through: the ground truth"),
    ("GET", "/requests", "Every request and what it did"),
    ("GET", "/events", "Every event that was made, delivered or not"),
    ("POST", "/records", "Puts a record there, `{resource, fields}`; answers its id"),
    ("POST", "/state", "Moves a record, `{id, to, force}`"),
    ("POST", "/scripts", "What the next record of a resource goes through, `{resource, script}`"),
    ("POST", "/time", "Moves the clock on, `{advance_ms}`"),
    ("POST", "/faults", "Adds a fault or a list of faults"),
    ("DELETE", "/faults", "Takes every fault away"),
    ("POST", "/webhooks", "Adds a subscriber, `{url}`"),
    ("DELETE", "/webhooks", "Takes every subscriber away"),
    ("GET", "/fidelity", "What of the service is simulated"),
    ("GET", "/openapi.json", "This description"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Put {
    resource: String,
    #[serde(default)]
    fields: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    id: String,
    to: String,
    #[serde(default)]
    force: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Next {
    resource: String,
    script: Script,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Later {
    advance_ms: u32,
}

#[derive(Serialize)]
struct Standing<'a> {
    service: &'a str,
    title: &'a str,
    now: String,
    clock: &'static str,
    records: usize,
    requests: usize,
    events: usize,
    subscribers: Vec<String>,
    control: Vec<String>,
}

#[derive(Serialize)]
struct Told {
    resource: String,
    id: String,
    created: String,
    deleted: Option<String>,
    state: Option<String>,
    value: Value,
    versions: Vec<ToldVersion>,
    effects: Vec<ToldEffect>,
}

#[derive(Serialize)]
struct ToldVersion {
    at: String,
    state: Option<String>,
    forced: bool,
}

#[derive(Serialize)]
struct ToldEffect {
    at: String,
    effect: String,
    change: &'static str,
    request: Option<u64>,
    key: Option<String>,
    tag: Option<String>,
}

/// Serves one request below [`PREFIX`].
pub(crate) fn answer(world: &World, method: &Method, path: &str, query: Option<&str>, body: &str) -> Wire {
    let path = match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    };
    match (method.as_str(), path) {
        ("GET", "/") => shown(&standing(world)),
        ("GET", "/records") => shown(&records(world, query)),
        ("GET", "/requests") => shown(&requests(world)),
        ("GET", "/events") => shown(&events(world)),
        ("POST", "/records") => read(body, |put: Put| insert(world, &put)),
        ("POST", "/state") => read(body, |step: Move| moved(world, &step)),
        ("POST", "/scripts") => read(body, |next: Next| {
            world.provider().script_next(&next.resource, next.script);
            done()
        }),
        ("POST", "/time") => read(body, |later: Later| {
            world.clock.advance(i64::from(later.advance_ms));
            drop(world.present());
            shown(&standing(world))
        }),
        ("POST", "/faults") => {
            let several = body.trim_start().starts_with('[');
            let add = |faults: Vec<Fault>| {
                let mut provider = world.provider();
                faults.into_iter().for_each(|fault| provider.add_fault(fault));
                done()
            };
            if several { read(body, add) } else { read(body, |fault: Fault| add(vec![fault])) }
        }
        ("DELETE", "/faults") => {
            world.provider().clear_faults();
            done()
        }
        ("POST", "/webhooks") => read(body, |subscriber: Subscriber| {
            world.subscribers().push(subscriber);
            done()
        }),
        ("DELETE", "/webhooks") => {
            world.subscribers().clear();
            done()
        }
        ("GET", "/fidelity") => shown(&fidelity(&world.service)),
        ("GET", "/openapi.json") => with_type(StatusCode::OK, "application/json", world.description.clone()),
        _ => {
            let known: Vec<String> =
                ROUTES.iter().map(|(method, path, _)| format!("{method} {PREFIX}{path}")).collect();
            plain(StatusCode::NOT_FOUND, &format!("there is {}\n", known.join(", ")))
        }
    }
}

fn done() -> Wire {
    with_type(StatusCode::OK, "application/json", String::from("{}"))
}

fn shown<T: Serialize>(value: &T) -> Wire {
    match to_value(value) {
        Ok(value) => with_type(StatusCode::OK, "application/json", format!("{value:#}\n")),
        Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, &format!("{error}\n")),
    }
}

/// Does something with a body; says what is wrong with one that does not read.
fn read<T: DeserializeOwned>(body: &str, act: impl FnOnce(T) -> Wire) -> Wire {
    let value = match json::parse(body) {
        Ok(value) => value,
        Err(error) => return plain(StatusCode::BAD_REQUEST, &format!("the body is no JSON: {error}\n")),
    };
    match from_value::<T>(&value) {
        Ok(given) => act(given),
        Err(error) => plain(StatusCode::BAD_REQUEST, &format!("{error}\n")),
    }
}

fn standing(world: &World) -> Standing<'_> {
    let provider = world.provider();
    let truth = provider.truth();
    Standing {
        service: &world.service.id,
        title: &world.service.title,
        now: world.now().to_string(),
        clock: match world.kind {
            ClockKind::Real => "real",
            ClockKind::Manual => "manual",
        },
        records: truth.records.len(),
        requests: truth.requests.len(),
        events: truth.events.len(),
        subscribers: world.subscribers().iter().map(|subscriber| subscriber.url.clone()).collect(),
        control: ROUTES.iter().map(|(method, path, _)| format!("{method} {PREFIX}{path}")).collect(),
    }
}

fn records(world: &World, query: Option<&str>) -> Vec<Told> {
    let provider = world.present();
    let wanted = query.and_then(|query| query.strip_prefix("resource="));
    let truth = provider.truth();
    let found = truth.records.iter().filter(|record| wanted.is_none_or(|name| *record.resource == *name));
    found.map(told).collect()
}

fn told(record: &TrueRecord) -> Told {
    Told {
        resource: record.resource.to_string(),
        id: record.id.clone(),
        created: record.created.to_string(),
        deleted: record.deleted.map(|at| at.to_string()),
        state: record.state().map(str::to_owned),
        value: record.latest().map(|version| version.value.clone()).unwrap_or_default(),
        versions: record
            .versions
            .iter()
            .map(|version| ToldVersion {
                at: version.at.to_string(),
                state: version.state.clone(),
                forced: version.forced,
            })
            .collect(),
        effects: record
            .effects
            .iter()
            .map(|effect| ToldEffect {
                at: effect.at.to_string(),
                effect: effect.effect.name().to_owned(),
                change: match effect.change {
                    Change::Created => "created",
                    Change::Updated => "updated",
                    Change::Moved => "moved",
                    Change::Deleted => "deleted",
                },
                request: effect.request.and_then(|place| u64::try_from(place).ok()),
                key: effect.key.clone(),
                tag: effect.tag.clone(),
            })
            .collect(),
    }
}

fn requests(world: &World) -> Vec<Value> {
    let provider = world.provider();
    let truth = provider.truth();
    let one = |request: &provely_simulator::TrueRequest| {
        let mut told = Object::new();
        told.insert("at", request.at.to_string());
        told.insert("operation", request.operation.as_deref().map_or(Value::Null, Value::from));
        told.insert("key", request.key.as_deref().map_or(Value::Null, Value::from));
        told.insert("status", request.status.map_or(Value::Null, |status| Value::from(u32::from(status))));
        let ids = request.records.iter().filter_map(|place| truth.records.get(*place));
        told.insert("records", ids.map(|record| Value::from(record.id.as_str())).collect::<Value>());
        told.insert("replayed", Value::Bool(request.replay_of.is_some()));
        Value::Object(told)
    };
    truth.requests.iter().map(one).collect()
}

fn events(world: &World) -> Vec<Value> {
    world.present().truth().events.iter().map(|event| (*event.value).clone()).collect()
}

fn insert(world: &World, put: &Put) -> Wire {
    let mut provider = world.present();
    let nothing = Value::Object(Object::new());
    let now = provider.now();
    match provider.insert(&put.resource, put.fields.as_ref().unwrap_or(&nothing), now) {
        Some(id) => {
            let mut answer = Object::new();
            answer.insert("id", id);
            shown(&Value::Object(answer))
        }
        None => {
            let known: Vec<&str> =
                world.service.resources.iter().map(|resource| resource.name.as_str()).collect();
            plain(
                StatusCode::NOT_FOUND,
                &format!("there is no resource `{}`; there is {}\n", put.resource, known.join(", ")),
            )
        }
    }
}

fn moved(world: &World, step: &Move) -> Wire {
    let mut provider = world.present();
    let result = if step.force {
        provider.force_record(&step.id, &step.to)
    } else {
        provider.move_record(&step.id, &step.to)
    };
    match result {
        Ok(()) => done(),
        Err(error @ MoveError::NoRecord) => plain(StatusCode::NOT_FOUND, &format!("{error}\n")),
        Err(error) => plain(StatusCode::CONFLICT, &format!("{error}\n")),
    }
}
