//! One ask as JSON, for subjects outside this process, and the lines that they write back: reads, then a verdict.
//! Values alone; no process is started here.

use provely_evaluator::json::{Object, ToValueError, Value, from_value, parse, to_value};
use provely_evaluator::verdict::Verdict;
use provely_runtime::HttpRequest;
use provely_runtime::channels::{Kind, kind};
use provely_runtime::read::Found;
use serde::Deserialize;

use super::Desk;
use crate::book::Said;
use crate::level::Promise;

/// The version of the format.
const FORMAT: &str = "provely.subject/1";

/// What a line of a subject asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// A read, and what came of it: one line to write back.
    Reply(Value),
    /// The verdict; the subject has ended.
    Verdict(Verdict),
}

/// The ask as one JSON object.
///
/// # Errors
/// Never for a model of this project; the writer's error otherwise.
pub fn exhibit(desk: &Desk<'_>) -> Result<Value, ToValueError> {
    let mut out = Object::new();
    out.insert("format", FORMAT);
    out.insert("now", desk.now.to_string());
    out.insert("last", Value::Bool(desk.is_end));
    out.insert("ask", ask(desk));
    out.insert("agent", agent(desk));
    out.insert("model", model(desk)?);
    let events = desk.events().into_iter().map(|stored| {
        let mut event = Object::new();
        event.insert("received_at", stored.received_at.to_string());
        event.insert("type", stored.kind.as_str());
        event.insert("event", Value::clone(&stored.value));
        Value::Object(event)
    });
    out.insert("events", events.collect::<Vec<_>>());
    Ok(Value::Object(out))
}

fn ask(desk: &Desk<'_>) -> Value {
    let mut ask = Object::new();
    ask.insert("operation", desk.operation.id.as_str());
    ask.insert("input", desk.input.clone());
    ask.insert("begun_at", desk.begun_at.to_string());
    ask.insert("record", desk.existing.as_deref().map_or(Value::Null, Value::from));
    let mut promise = Object::new();
    let (kind, states) = match desk.promise {
        Promise::Exists => ("exists", &[][..]),
        Promise::Present => ("present", &[][..]),
        Promise::Reaches(states) => ("reaches", states.as_slice()),
        Promise::Changed => ("changed", &[][..]),
        Promise::Altered => ("altered", &[][..]),
        Promise::Gone => ("gone", &[][..]),
    };
    promise.insert("kind", kind);
    promise.insert("states", states.iter().map(|state| Value::from(state.as_str())).collect::<Vec<_>>());
    ask.insert("promise", promise);
    Value::Object(ask)
}

fn agent(desk: &Desk<'_>) -> Value {
    let mut agent = Object::new();
    let said = match desk.handed.said {
        None => Value::Null,
        Some(Said::Accepted) => Value::from("accepted"),
        Some(Said::Rejected) => Value::from("rejected"),
        Some(Said::Lost) => Value::from("lost"),
    };
    agent.insert("said", said);
    agent.insert("at", desk.handed.at.map_or(Value::Null, |at| Value::from(at.to_string())));
    let ids = desk.handed.ids.iter().map(|id| Value::from(id.as_str()));
    agent.insert("ids", ids.collect::<Vec<_>>());
    Value::Object(agent)
}

fn model(desk: &Desk<'_>) -> Result<Value, ToValueError> {
    let mut model = Object::new();
    model.insert("service", desk.service.id.as_str());
    model.insert("resource", desk.resource.name.as_str());
    model.insert("lifecycle", to_value(&desk.resource.lifecycle)?);
    let members = desk.plan.echoes.iter().map(|echo| -> Result<Value, ToValueError> {
        let mut value = to_value(echo)?;
        if let Some(own) = value.as_object_mut() {
            own.insert("member", desk.operation.member(&echo.input));
        }
        Ok(value)
    });
    model.insert("echoes", members.collect::<Result<Vec<_>, _>>()?);
    let channels = desk.plan.channels.iter().filter_map(|channel| {
        let name = match kind(channel) {
            Kind::Record => "record",
            Kind::List => "list",
            Kind::Events => "events",
            Kind::Response => return None,
        };
        Some(to_value(channel).map(|mut value| {
            if let Some(own) = value.as_object_mut() {
                own.insert("kind", name);
            }
            value
        }))
    });
    model.insert("channels", channels.collect::<Result<Vec<_>, _>>()?);
    Ok(Value::Object(model))
}

/// A line of a subject.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    verdict: Option<Verdict>,
    #[serde(default)]
    read: Option<Read>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    #[serde(default)]
    record: Option<String>,
    #[serde(default)]
    list: bool,
    #[serde(default)]
    request: Option<Request>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    method: String,
    path: String,
    #[serde(default)]
    query: std::collections::BTreeMap<String, String>,
    #[serde(default)]
    headers: std::collections::BTreeMap<String, String>,
    #[serde(default)]
    body: Option<Value>,
}

/// Takes one line of a subject.
///
/// # Errors
/// What is wrong with the line, in words.
pub fn take(desk: &mut Desk<'_>, line: &str) -> Result<Turn, String> {
    let value = parse(line).map_err(|error| format!("a line that is no JSON: {error}"))?;
    let line: Line = from_value(&value).map_err(|error| format!("a line that nobody knows: {error}"))?;
    match line {
        Line { verdict: Some(verdict), read: None } => Ok(Turn::Verdict(verdict)),
        Line { verdict: None, read: Some(read) } => reply(desk, read).map(Turn::Reply),
        Line { .. } => Err(String::from("a line holds either `verdict` or `read`")),
    }
}

fn reply(desk: &mut Desk<'_>, read: Read) -> Result<Value, String> {
    let mut out = Object::new();
    match read {
        Read { record: Some(id), list: false, request: None } => match desk.record(&id) {
            Found::Record(record) => out.insert("record", record),
            Found::Nothing => out.insert("nothing", Value::Bool(true)),
            Found::Unavailable(cause) => out.insert("unavailable", cause),
        },
        Read { record: None, list: true, request: None } => match desk.list() {
            Some(items) => out.insert("items", items),
            None => out.insert("unavailable", "list_not_read"),
        },
        Read { record: None, list: false, request: Some(request) } => {
            let request = HttpRequest {
                method: request.method,
                path: request.path,
                query: request.query.into_iter().collect(),
                headers: request.headers.into_iter().collect(),
                body: request.body.map(|body| body.to_string()),
            };
            match desk.send(&request) {
                Err(error) => out.insert("unavailable", error.code()),
                Ok(reply) => {
                    out.insert("status", Value::from(u64::from(reply.status)));
                    out.insert("body", reply.body.json().map_or(Value::Null, |body| Value::clone(&body)))
                }
            }
        }
        Read { .. } => return Err(String::from("`read` holds one of `record`, `list` and `request`")),
    };
    Ok(Value::Object(out))
}
