//! Stage 3: how the outcome of every acting operation can be read. Finds channels, correlation and echoed
//! fields in what the sources state; must not say what an outcome means.

mod channels;
mod echo;
mod events;
mod gathered;
mod known;
mod retry;
mod roles;
mod rules;
#[cfg(test)]
pub(crate) mod tests;
mod words;

use provely_evaluator::contract::Channel;
use provely_model::{Operation, Plan, Resource, Service, VersionRule};
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
    /// A free field for our tag.
    pub const TAG: &str = "tag";
    /// The record in an event carries its state.
    pub const EVENT_STATE: &str = "event_state";
    /// How the list is ordered.
    pub const ORDER: &str = "order";

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
    let mut uncertainties = Vec::new();
    for operation in &mut service.operations {
        operation.plan = None;
        if !operation.effect.acts() {
            continue;
        }
        let Some(source) = known.service.operation(&operation.id) else { continue };
        let planned = known.resource_of(source).and_then(|resource| plan_one(known, rules, source, resource));
        if planned.is_none() {
            uncertainties.push(unreadable(source));
        }
        operation.plan = planned;
    }
    uncertainties.sort_by(|left, right| left.id.cmp(&right.id));
    Planned { service, declared: known.declared.to_vec(), uncertainties }
}

/// The rule of a service that states one version and no way to ask for it.
fn one_version(version: &str) -> VersionRule {
    let (default, from, to) = (version.to_owned(), version.to_owned(), version.to_owned());
    VersionRule { header: None, default, from, to }
}

/// The plan of one operation; `None` if its outcome cannot be read.
fn plan_one(known: &Known<'_>, rules: &Rules, operation: &Operation, resource: &Resource) -> Option<Plan> {
    let readback = roles::readback(known, operation)?;
    let list = roles::list(known, rules, operation);
    let echoes = echo::echoes(rules, operation, resource, list);
    let mut draft = Draft { known, rules, operation, resource, plan: Plan { echoes, ..Plan::default() } };
    draft.readback(readback)?;
    if let Some(list) = list {
        draft.list(list);
    }
    draft.events();
    draft.retry();
    draft.tag();
    draft.action_response();
    draft.fields();
    Some(draft.plan)
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
    plan: Plan,
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
                let about = |passage: &&Passage| {
                    let place = passage.id.split_once('#').map_or("", |(_, place)| place);
                    !place.starts_with('/')
                        && words::plain(place).contains(&name)
                        && words::quoted(&passage.text).any(|word| word == field.name)
                };
                let passage = self.known.passages.iter().find(about)?;
                Some((part::field(&field.name), vec![passage.id.clone()]))
            })
            .collect();
        self.plan.assertions.extend(said);
    }

    /// The first passage of a document that writes the operation as `METHOD /path`.
    fn written_of(&self, operation: &Operation) -> Option<String> {
        let written = format!("`{}`", operation.id);
        let mut passages = self.known.passages.iter().filter(|passage| !passage.id.contains("#/"));
        passages.find(|passage| passage.text.contains(&written)).map(|passage| passage.id.clone())
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
