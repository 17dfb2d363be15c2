//! Runs contracts on a recording: every acting request that was recorded is an operation, begun just before it was
//! sent, and looked at whenever the recording shows a later read. No verdict is reached here.

use std::collections::{BTreeMap, BTreeSet};

use provely_evaluator::json::{Object, Value};
use provely_evaluator::load::Program;
use provely_evaluator::operation::ReportedOutcome;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;
use provely_model::{FieldKind, IdempotencyPlan, Operation, Place, Service};
use provely_runtime::{Ask, Connection, MemoryStore, Mode, Runtime, Skill};
use serde::Serialize;

use super::recorded::response;
use super::{Content, Exchange, Recorded, decoded};
use crate::asks::dotted;
use crate::report::Said;
use crate::world::VirtualClock;

/// What came of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Replayed {
    /// How many exchanges it holds.
    pub exchanges: usize,
    /// Every operation of every contract.
    pub runs: Vec<Rerun>,
    /// Reads that were asked for and were not recorded at their time.
    pub not_recorded: BTreeSet<String>,
}

/// One contract on one recorded action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rerun {
    /// The contract.
    pub contract_id: String,
    /// The action: method and path.
    pub action: String,
    /// When it was sent.
    pub sent_at: Time,
    /// The last verdict.
    pub verdict: Verdict,
    /// It is the end of the operation.
    pub terminal: bool,
    /// Its reason code.
    pub reason: String,
    /// What was said when, in milliseconds from the action, wherever it changed.
    pub trace: Vec<Said>,
}

/// Why a recording cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayError {
    /// No recorded request is an action of a contract.
    NoAction,
    /// A contract or an operation was refused.
    Refused(String),
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoAction => out.write_str("no recorded request is an action of these contracts"),
            Self::Refused(why) => out.write_str(why),
        }
    }
}

impl std::error::Error for ReplayError {}

/// An action of a recording, and the requests that repeated it.
struct Action<'e> {
    first: &'e Exchange,
    input: Value,
    replies: Vec<&'e Exchange>,
}

/// Runs contracts on a recording of their service.
///
/// # Errors
/// [`ReplayError`].
pub fn replay(
    service: &Service,
    programs: &[Program],
    exchanges: &[Exchange],
    mode: Mode,
) -> Result<Replayed, ReplayError> {
    let mut replayed = Replayed { exchanges: exchanges.len(), ..Replayed::default() };
    for program in programs {
        one(service, program, exchanges, mode, &mut replayed)?;
    }
    if replayed.runs.is_empty() { Err(ReplayError::NoAction) } else { Ok(replayed) }
}

fn one(
    service: &Service,
    program: &Program,
    exchanges: &[Exchange],
    mode: Mode,
    replayed: &mut Replayed,
) -> Result<(), ReplayError> {
    let contract = program.contract();
    let Some(operation) = service.operation(&contract.action.operation) else { return Ok(()) };
    let channels = contract.evidence_policy.channels.iter();
    let sizes = channels.filter_map(|channel| channel.page.as_ref()?.size.clone()).collect();
    let transport = Recorded::new(exchanges.to_vec(), sizes);
    let clock = VirtualClock(transport.now);
    let mut runtime = Runtime::new(transport, MemoryStore::new(), clock);
    runtime.add(program.clone(), Skill::new(&service.id, "0.0.0")).map_err(refused)?;
    let version = service.version.as_ref();
    let mut connection = Connection::new("recorded", mode, version.map(|rule| rule.default.as_str()));
    connection.verifiers = vec![String::from("webhook")];
    for action in actions(operation, program, exchanges) {
        let sent_at = action.first.sent_at;
        set(&mut runtime, sent_at.minus(1));
        let ask = Ask {
            contract_id: contract.id.clone(),
            input: action.input,
            intent_ref: Some(format!("{}-{}", contract.id, sent_at)),
            connection: connection.clone(),
            accept_missing_channels: true,
        };
        let begun = runtime.begin(&ask).map_err(refused)?;
        let mut run = Rerun {
            contract_id: contract.id.clone(),
            action: format!("{} {}", action.first.request.method, action.first.request.path),
            sent_at,
            verdict: Verdict::Pending,
            terminal: false,
            reason: String::new(),
            trace: Vec::new(),
        };
        for exchange in exchanges.iter().filter(|own| own.sent_at >= sent_at) {
            set(&mut runtime, exchange.at);
            if action.replies.iter().any(|own| std::ptr::eq(*own, exchange)) {
                report(&mut runtime, &begun.operation_id, exchange)?;
            }
            let answer = runtime.verify(&begun.operation_id).map_err(refused)?;
            run.hear(answer.verdict, exchange.at);
            (run.terminal, run.reason) = (answer.terminal, answer.reason_code.to_string());
            if answer.terminal {
                break;
            }
        }
        replayed.runs.push(run);
    }
    replayed.not_recorded.append(&mut runtime.transport_mut().missing);
    Ok(())
}

impl Rerun {
    fn hear(&mut self, verdict: Verdict, at: Time) {
        if self.trace.last().is_none_or(|last| last.verdict != verdict) {
            let by = self.contract_id.clone();
            self.trace.push(Said { by, at: at.since(self.sent_at), verdict });
        }
        self.verdict = verdict;
    }
}

type Driven = Runtime<Recorded, MemoryStore, VirtualClock>;

fn set(runtime: &mut Driven, now: Time) {
    runtime.clock_mut().0 = now;
    runtime.transport_mut().now = now;
}

fn report(runtime: &mut Driven, operation_id: &str, exchange: &Exchange) -> Result<(), ReplayError> {
    match &exchange.reply {
        None => runtime.report(operation_id, ReportedOutcome::Lost, None).map_err(refused),
        Some(reply) => {
            let reply = response(reply);
            runtime.report_reply(operation_id, reply.status, Some(&reply.body)).map(drop).map_err(refused)
        }
    }
}

fn refused(error: impl std::fmt::Display) -> ReplayError {
    ReplayError::Refused(error.to_string())
}

/// The recorded requests of an operation; one that repeats the retry key of an earlier one belongs to it.
fn actions<'e>(operation: &Operation, program: &Program, exchanges: &'e [Exchange]) -> Vec<Action<'e>> {
    let takes_key = operation.plan.as_ref().and_then(|plan| plan.idempotency.as_ref());
    let header =
        takes_key.and_then(|own: &IdempotencyPlan| own.header.as_ref()).map(|own| own.to_lowercase());
    let key =
        |exchange: &Exchange| header.as_ref().and_then(|own| exchange.request.headers.get(own)).cloned();
    let mut found: Vec<Action<'e>> = Vec::new();
    for exchange in exchanges {
        let Some(input) = input(operation, program, exchange) else { continue };
        let own = key(exchange);
        match found.iter_mut().find(|action| own.is_some() && key(action.first) == own) {
            Some(action) => action.replies.push(exchange),
            None => found.push(Action { first: exchange, input, replies: vec![exchange] }),
        }
    }
    found
}

/// What a recorded request asked for, if it is one of this operation.
fn input(operation: &Operation, program: &Program, exchange: &Exchange) -> Option<Value> {
    let request = &exchange.request;
    let places =
        (request.method == operation.method).then(|| path_values(&operation.path, &request.path))??;
    let body = request.body.as_ref();
    let json = body.and_then(Content::json);
    let (form, json) = match (&operation.graphql, body) {
        (Some(root), _) => {
            let document = json?.get("query")?.as_str()?;
            let named = |c: char| !(c.is_alphanumeric() || c == '_');
            if !document.split(named).any(|word| word == root.name) {
                return None;
            }
            (None, json?.get("variables"))
        }
        (None, Some(Content::Form(pairs))) => (Some(pairs), None),
        (None, _) => (None, json),
    };
    let mut input = Object::new();
    for parameter in &operation.parameters {
        let member = operation.member(&parameter.name);
        if !program.contract().intent.input_schema.properties.contains_key(&member) {
            continue;
        }
        let value = match parameter.place {
            Place::Path => places.get(&parameter.name).map(|text| typed(text, parameter.kind)),
            Place::Body => match form {
                Some(pairs) => form_value(pairs, &parameter.name).map(|text| typed(text, parameter.kind)),
                None => json
                    .and_then(|body| provely_evaluator::query::walk(&dotted(&parameter.name), body))
                    .cloned(),
            },
            _ => None,
        };
        if let Some(value) = value {
            input.insert(member, value);
        }
    }
    Some(Value::Object(input))
}

/// What stands in the placeholders of a path; `None` for another path.
fn path_values(template: &str, path: &str) -> Option<BTreeMap<String, String>> {
    let (template, path): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    let mut values = BTreeMap::new();
    for (own, given) in template.iter().zip(&path) {
        match own.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) => drop(values.insert(name.to_owned(), decoded(given))),
            None if own == given => {}
            None => return None,
        }
    }
    (template.len() == path.len()).then_some(values)
}

/// A field of a form, `a.b` as `a[b]`.
fn form_value<'p>(pairs: &'p [(String, String)], name: &str) -> Option<&'p String> {
    let mut steps = name.split('.');
    let first = steps.next().unwrap_or_default().to_owned();
    let wanted = steps.fold(first, |name, step| format!("{name}[{step}]"));
    pairs.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

/// The value of a text in a form or a path.
fn typed(text: &str, kind: FieldKind) -> Value {
    let number = matches!(
        kind,
        FieldKind::Integer | FieldKind::Number | FieldKind::EpochSeconds | FieldKind::EpochMilliseconds
    );
    let plain = number || kind == FieldKind::Boolean;
    plain.then(|| provely_evaluator::json::parse(text).ok()).flatten().unwrap_or_else(|| Value::from(text))
}
