//! Stage 3: how the outcome of every acting operation can be read. Finds channels, correlation and echoed
//! fields in what the sources state; must not say what an outcome means.

mod channels;
mod echo;
mod events;
mod gathered;
mod graph;
mod ids;
mod known;
mod paths;
mod retry;
mod roles;
mod rules;
#[cfg(test)]
pub(crate) mod tests;
mod words;

use provely_evaluator::contract::Channel;
use provely_model::{Echo, Effect, Operation, Plan, Resource, Role, Service, VersionRule};
use rayon::prelude::*;
use serde::Serialize;

pub use gathered::Gathered;
pub use known::{Envelope, EventType, Known, Passage, field_assertion, field_at};
pub use roles::{Target, target_of};
pub use rules::{InputKind, PlanRules, Rules, TimingRule, own_rule};

use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// What stage 3 found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Planned {
    /// The service, every acting operation with its plan.
    pub service: Service,
    /// Channels beyond the provider's own.
    pub declared: Vec<Channel>,
    /// What stays open.
    pub uncertainties: Vec<Uncertainty>,
}

/// The names of a plan's channels, and of the parts of [`Plan::assertions`].
pub mod part {
    /// One record, read by its id.
    pub const READBACK: &str = "readback";
    /// The records of one subject.
    pub const LIST: &str = "list";
    /// Events that announce a new record.
    pub const CREATED_EVENTS: &str = "created_events";
    /// Events that can carry a success.
    pub const STATE_EVENTS: &str = "state_events";
    /// Events of states that end a record without success.
    pub const ENDED_EVENTS: &str = "ended_events";
    /// The action's own reply.
    pub const ACTION_RESPONSE: &str = "action_response";
    /// The provider's retry protection.
    pub const IDEMPOTENCY: &str = "idempotency";
    /// The echo of the retry key in events.
    pub const KEY_ECHO: &str = "key_echo";
    /// How a reply refuses under a success status.
    pub const REFUSAL: &str = "refusal";
    /// A free field for our tag.
    pub const TAG: &str = "tag";
    /// The record in an event carries its state.
    pub const EVENT_STATE: &str = "event_state";
    /// How the list is ordered.
    pub const ORDER: &str = "order";

    /// The record in an event shows what stands at a path of it.
    #[must_use]
    pub fn event_field(path: &str) -> String {
        format!("event_field.{path}")
    }

    /// What a passage says of a record's field.
    #[must_use]
    pub fn field(name: &str) -> String {
        format!("field.{name}")
    }
}

/// Plans the evidence of every acting operation. Operations keep their order.
#[must_use]
pub fn plan(known: &Known<'_>, rules: &Rules) -> Planned {
    let mut service = known.service.clone();
    if service.version.is_none() {
        service.version = known.described_version.map(one_version);
    }
    let documents: Vec<Document<'_>> = known.passages.iter().filter_map(Document::of).collect();
    let headers = retry::headers(known, rules);
    let reads = roles::Read::all(known.service);
    let said = Said { documents: &documents, headers: &headers, reads: &reads };
    let plans: Vec<Option<(String, Plan)>> = known
        .service
        .operations
        .par_iter()
        .map(|source| {
            let acts = source.effect.acts();
            acts.then(|| plan_one(known, rules, said, source)).flatten()
        })
        .collect();
    let mut uncertainties = Vec::new();
    for ((operation, source), planned) in
        service.operations.iter_mut().zip(&known.service.operations).zip(plans)
    {
        operation.plan = None;
        let Some((resource, plan)) = planned else {
            uncertainties.extend(source.effect.acts().then(|| unreadable(source)));
            continue;
        };
        uncertainties.extend(unprotected(source, &plan));
        if plan.readback.is_none() {
            uncertainties.push(unreadable(source));
        }
        operation.resource = Some(resource);
        operation.plan = Some(plan);
    }
    amounts_of_parts(known, rules, &mut service);
    uncertainties.extend(events::unshown(known, &service));
    uncertainties.sort_by(|left, right| left.id.cmp(&right.id));
    Planned { service, declared: known.declared.to_vec(), uncertainties }
}

/// Fills in where parts carry their amount, by what makes their records.
fn amounts_of_parts(known: &Known<'_>, rules: &Rules, service: &mut Service) {
    for operation in service.operations.iter().filter(|operation| operation.plan.is_some()) {
        let source = known.service.operation(&operation.id);
        let Some((source, resource)) = source.zip(known.resource_of(operation)) else { continue };
        let Some(money) = graph::money(known, rules, source, resource) else { continue };
        let own = service.resources.iter_mut().find(|own| own.name == resource.name);
        let parts = own.and_then(|own| own.lifecycle.as_mut()).and_then(|own| own.parts.as_mut());
        if let Some(parts) = parts.filter(|parts| parts.amount.is_none()) {
            parts.amount = Some(money.amount().to_owned());
            parts.assertions.extend(money.assertions());
        }
    }
}

/// The rule of a service that states one version and no way to ask for it.
fn one_version(version: &str) -> VersionRule {
    let (default, from, to) = (version.to_owned(), version.to_owned(), version.to_owned());
    VersionRule { header: None, default, from, to }
}

/// The plan of one operation, and the resource that its readback reads, or its list where no operation reads
/// the record by id; `None` if its outcome cannot be read.
fn plan_one(
    known: &Known<'_>,
    rules: &Rules,
    said: Said<'_>,
    operation: &Operation,
) -> Option<(String, Plan)> {
    if operation.graphql.is_some() {
        return graph::plan_one(known, rules, said, operation);
    }
    let Said { documents, headers, reads } = said;
    let readback = roles::readback(known, (rules, reads), operation);
    let list = match readback {
        Some(readback) => roles::list(known, rules, operation, readback),
        None => roles::only_list(known, rules, operation),
    };
    let resource = match (readback, list) {
        (Some(readback), _) => known.resource_of(readback)?,
        (None, Some(list)) => known.service.resource(list.reply.as_ref()?.resource.as_deref()?)?,
        (None, None) => return None,
    };
    // The record is known by what the path names it by, which need not be what it calls its id.
    let naming = readback.or_else(|| Some(operation).filter(|own| own.role != Role::Create));
    let id = naming.map_or_else(|| resource.id.clone(), |naming| ids::named_by(rules, resource, naming));
    let resource = &Resource { id, ..resource.clone() };
    let echoes = without_key(rules, operation, echo::echoes(rules, operation, resource, list));
    let mut draft = Draft {
        known,
        rules,
        operation,
        resource,
        documents,
        headers,
        plan: Plan { echoes, ..Plan::default() },
    };
    if let Some(readback) = readback {
        draft.readback(readback)?;
    }
    if let Some(list) = list {
        draft.list(list);
    }
    if draft.plan.channels.is_empty() {
        return None;
    }
    if readback.is_none() {
        draft.readback_in_list();
        if operation.role == Role::Create {
            draft.plan.result_id = draft.result_id();
        }
    }
    draft.events();
    draft.retry();
    draft.tag();
    draft.refusal();
    draft.action_response();
    draft.fields();
    Some((resource.name.clone(), draft.plan))
}

/// Echoes without the field that carries the retry key: the key is ours, not what is asked for.
fn without_key(rules: &Rules, operation: &Operation, mut echoes: Vec<Echo>) -> Vec<Echo> {
    if let Some(key) = retry::key_field(rules, operation) {
        echoes.retain(|echo| echo.input != key.name);
    }
    echoes
}

/// Money that moves, or a message that goes out, twice: no retry is safe without a key or a mark of ours.
fn unprotected(operation: &Operation, plan: &Plan) -> Option<Uncertainty> {
    let once = operation.effect.moves_money() || operation.effect == Effect::MessageSend;
    let making = operation.role == Role::Create;
    let kept = plan.idempotency.as_ref().map(|own| own.life_ms);
    let question = match kept.filter(|_| once && making) {
        Some(0) => {
            format!("No source states how long a retry key of `{}` is kept. How long is it?", operation.id)
        }
        Some(_) => return None,
        None if !once || !making => return None,
        None => format!(
            "No source states how a repeat of `{}` is kept from acting twice. Is there a key, and how long is it kept?",
            operation.id
        ),
    };
    let open = Uncertainty::new(UncertaintyKind::Retry, operation.id.clone(), question);
    Some(open.with_assertions(operation.assertions.clone()))
}

fn unreadable(operation: &Operation) -> Uncertainty {
    let question = format!(
        "No operation reads back what `{}` did. Which operation, or which other system, shows its outcome?",
        operation.id
    );
    Uncertainty::new(UncertaintyKind::Evidence, operation.id.clone(), question)
        .with_assertions(operation.assertions.clone())
}

/// A plan in the making.
struct Draft<'a> {
    known: &'a Known<'a>,
    rules: &'a Rules,
    operation: &'a Operation,
    resource: &'a Resource,
    documents: &'a [Document<'a>],
    headers: &'a [(&'a str, &'a Passage)],
    plan: Plan,
}

/// What is the same for every operation.
#[derive(Clone, Copy)]
struct Said<'a> {
    documents: &'a [Document<'a>],
    /// The passages that name a header which carries a retry key.
    headers: &'a [(&'a str, &'a Passage)],
    /// The operations that read one record.
    reads: &'a [roles::Read<'a>],
}

/// A passage of a document, as apart from a description in a schema.
struct Document<'a> {
    id: &'a str,
    /// Its place in plain words.
    place: String,
    text: &'a str,
}

impl<'a> Document<'a> {
    fn of(passage: &'a Passage) -> Option<Self> {
        let (_, place) = passage.id.split_once('#')?;
        (!place.starts_with('/')).then(|| Self {
            id: &passage.id,
            place: words::plain(place),
            text: &passage.text,
        })
    }
}

impl Draft<'_> {
    /// Cites assertions for a part; `false`, and nothing kept, if there are none.
    fn cite(&mut self, part: &str, mut assertions: Vec<String>) -> bool {
        let mut seen = std::collections::BTreeSet::new();
        assertions.retain(|assertion| seen.insert(assertion.clone()));
        if assertions.is_empty() {
            return false;
        }
        self.plan.assertions.push((part.to_owned(), assertions));
        true
    }

    /// Cites, for each field of the record, the first passage of its documents that names it.
    fn fields(&mut self) {
        let name = words::plain(&self.resource.name);
        let said: Vec<_> = self
            .resource
            .fields
            .iter()
            .filter_map(|field| {
                let names = |document: &&Document<'_>| {
                    document.place.contains(&name)
                        && words::quoted(document.text).any(|word| word == field.name)
                };
                let document = self.documents.iter().find(names)?;
                Some((part::field(&field.name), vec![document.id.to_owned()]))
            })
            .collect();
        self.plan.assertions.extend(said);
    }

    /// How the action's reply refuses under a success status, and how the replies to the reads fail under one.
    fn refusal(&mut self) {
        if let Some(refusal) = self.known.refusals.get(&self.operation.id)
            && self.cite(part::REFUSAL, refusal.assertions.clone())
        {
            self.plan.failure = Some(refusal.predicate.clone());
        }
        for request in self.plan.channels.iter_mut().filter_map(|channel| channel.request.as_mut()) {
            let id = format!("{} {}", request.method, request.path);
            if let Some(refusal) = self.known.refusals.get(&id) {
                request.in_band_failure = refusal.predicate.tests();
            }
        }
    }

    /// The first passage of a document that writes the operation as `METHOD /path`.
    fn written_of(&self, operation: &Operation) -> Option<String> {
        let written = format!("`{}`", operation.id);
        self.documents
            .iter()
            .find(|document| document.text.contains(&written))
            .map(|document| document.id.to_owned())
    }

    fn channel_name(&self, part: &str) -> String {
        channel_name(self.resource, part)
    }
}

/// The generated name of a channel, `refund_readback`.
#[must_use]
pub fn channel_name(resource: &Resource, part: &str) -> String {
    format!("{}_{part}", identifier(&resource.name))
}

/// A name that can stand in a reference: letters, digits and `_`, no digit in front.
#[must_use]
pub fn identifier(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        let plain = letter.is_ascii_alphanumeric() || letter == '_';
        if text.is_empty() && letter.is_ascii_digit() {
            text.push('_');
        }
        text.push(if plain { letter.to_ascii_lowercase() } else { '_' });
    }
    text
}

/// The assertions that a plan cites for a part.
#[must_use]
pub fn cited<'p>(plan: &'p Plan, part: &str) -> &'p [String] {
    plan.assertions.iter().find(|(name, _)| name == part).map_or(&[], |(_, assertions)| assertions.as_slice())
}
