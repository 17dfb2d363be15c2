//! One record type compiled for serving. It must not hold records.

use std::sync::Arc;

use provely_evaluator::contract::{Channel, StateClass};
use provely_evaluator::query::Step;
use provely_model::{Field, FieldKind, Lifecycle, Parts, Resource, Service};

use super::source::{Moment, Source};
use crate::instant::Notation;
use crate::place::steps_of;

/// A record type.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) name: Arc<str>,
    /// The type's name in documents.
    pub(crate) type_name: String,
    pub(crate) prefix: String,
    pub(crate) numeric_id: bool,
    pub(crate) id: Vec<Step>,
    pub(crate) created: Option<Stamp>,
    /// Time of the newest change.
    pub(crate) changed: Option<Stamp>,
    pub(crate) fields: Vec<Field>,
    pub(crate) life: Option<Life>,
    /// Boolean field that says that a record was deleted.
    pub(crate) deleted: Option<String>,
    /// Boolean field that tells live from test.
    pub(crate) mode: Option<(String, bool)>,
    /// Event types with the place of their source.
    pub(crate) events: Vec<(Moment, String, usize)>,
}

/// Where and how a record carries a time.
#[derive(Debug)]
pub(crate) struct Stamp {
    pub(crate) steps: Vec<Step>,
    pub(crate) notation: Notation,
}

/// Where a record carries its state, and which there are.
#[derive(Debug)]
pub(crate) struct Life {
    pub(crate) steps: Vec<Step>,
    pub(crate) lifecycle: Lifecycle,
    /// The parts that carry the state, where the record has none of its own.
    pub(crate) parts: Option<PartsLife>,
}

/// The list inside a record whose items carry the state.
#[derive(Debug)]
pub(crate) struct PartsLife {
    pub(crate) over: Vec<Step>,
    pub(crate) resource: String,
    pub(crate) only: Option<(Vec<Step>, String)>,
    /// A kind that does not count.
    pub(crate) other_kind: Option<String>,
    pub(crate) mode: Option<(Vec<Step>, bool)>,
    pub(crate) by_hand: Option<Vec<Step>>,
    pub(crate) amount: Option<Vec<Step>>,
    pub(crate) amount_kind: Option<FieldKind>,
}

impl PartsLife {
    fn new(service: &Service, parts: &Parts) -> Option<Self> {
        let resource = service.resource(&parts.resource);
        let usual = || {
            resource.filter(|own| own.fields.iter().any(|field| field.name == "amount")).map(|_| "@.amount")
        };
        let amount = steps_of(parts.amount.as_deref().or_else(usual));
        let field = |steps: &[Step]| resource.and_then(|own| field_of(own, steps));
        let only = parts.only.as_ref().and_then(|(path, value)| Some((steps_of(Some(path))?, value.clone())));
        let listed = only.as_ref().and_then(|(steps, _)| field(steps)).map(|field| field.values.as_slice());
        let other = listed
            .unwrap_or_default()
            .iter()
            .find(|value| only.as_ref().is_none_or(|(_, wanted)| *value != wanted));
        Some(Self {
            over: steps_of(Some(&parts.over))?,
            resource: parts.resource.clone(),
            other_kind: other.cloned(),
            only,
            mode: parts.live.as_ref().and_then(|(path, live)| Some((steps_of(Some(path))?, *live))),
            by_hand: steps_of(parts.by_hand.as_deref()),
            amount_kind: amount
                .as_deref()
                .filter(|steps| steps.len() == 1)
                .and_then(field)
                .map(|field| field.kind),
            amount,
        })
    }
}

impl Kind {
    pub(super) fn new(service: &Service, resource: &Resource, sources: &[Source]) -> Self {
        let channels = channels_of(service, &resource.name);
        let id_query = resource.id.as_deref().or(channels.iter().find_map(|c| c.record_id.as_deref()));
        let id = steps_of(id_query.or(Some("@.id"))).unwrap_or_default();
        let created = resource
            .created
            .as_deref()
            .or_else(|| channels.iter().find_map(|channel| channel.page.as_ref()?.created.as_deref()));
        let changed = channels.iter().find_map(|channel| channel.state_time.as_deref());
        let stamp = |query: Option<&str>| {
            let steps = steps_of(query)?;
            Some(Stamp { notation: notation(resource, &steps, &channels), steps })
        };
        let id_kind = field_of(resource, &id).map(|field| field.kind);
        Self {
            name: Arc::from(resource.name.as_str()),
            type_name: resource.schema.rsplit(['/', '#']).next().unwrap_or_default().to_owned(),
            prefix: prefix(&resource.name),
            numeric_id: matches!(id_kind, Some(FieldKind::Integer | FieldKind::Number)),
            id,
            created: stamp(created),
            changed: stamp(changed),
            fields: resource.fields.clone(),
            life: resource.lifecycle.as_ref().and_then(|own| Life::new(service, own)),
            deleted: deleted(resource),
            mode: mode(resource, sources),
            events: events(service, resource, sources),
        }
    }

    /// The field of that name.
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Kind {
    /// True for a member that its records may have.
    pub(crate) fn knows(&self, name: &str) -> bool {
        let first = |steps: &[Step]| matches!(steps.first(), Some(Step::Member(own)) if own == name);
        let stamps = self.created.iter().chain(&self.changed);
        self.fields.is_empty()
            || self.field(name).is_some()
            || first(&self.id)
            || stamps.into_iter().any(|stamp| first(&stamp.steps))
            || self
                .life
                .as_ref()
                .is_some_and(|life| first(life.parts.as_ref().map_or(&life.steps, |parts| &parts.over)))
    }

    /// The resource that a field names or holds.
    pub(crate) fn refers_to(&self, name: &str) -> Option<&str> {
        let named = self.field(name).and_then(|field| field.refers_to.as_deref());
        named.or_else(|| {
            let (_, parts) = self.parts()?;
            matches!(parts.over.first(), Some(Step::Member(own)) if own == name).then_some(&*parts.resource)
        })
    }

    /// The lifecycle and the parts that carry it, where parts do.
    pub(crate) fn parts(&self) -> Option<(&Life, &PartsLife)> {
        let life = self.life.as_ref()?;
        Some((life, life.parts.as_ref()?))
    }

    /// True for a field that holds several.
    pub(crate) fn is_many(&self, name: &str) -> bool {
        self.field(name).is_some_and(|field| field.kind == FieldKind::Array)
    }
}

impl Life {
    fn new(service: &Service, lifecycle: &Lifecycle) -> Option<Self> {
        Some(Self {
            steps: steps_of(Some(&lifecycle.path))?,
            parts: lifecycle.parts.as_ref().and_then(|parts| PartsLife::new(service, parts)),
            lifecycle: lifecycle.clone(),
        })
    }

    /// The state a record is born in: transitional, else the first.
    pub(crate) fn first(&self) -> Option<&str> {
        let states = &self.lifecycle.states;
        let born = |state: &&provely_model::LifecycleState| state.from.as_ref().is_none_or(Vec::is_empty);
        let mut in_motion = self.lifecycle.of_class(StateClass::Transitional);
        let free = self.lifecycle.of_class(StateClass::Transitional).find(born);
        free.or_else(|| in_motion.next()).or(states.first()).map(|state| state.name.as_str())
    }

    /// The first state of a class that is reachable from another, else the first of that class.
    pub(crate) fn reachable(&self, from: &str, class: StateClass) -> Option<&str> {
        let mut of_class = self.lifecycle.of_class(class);
        let direct = self.lifecycle.of_class(class).find(|state| self.lifecycle.allows(from, &state.name));
        direct.or_else(|| of_class.next()).map(|state| state.name.as_str())
    }

    /// The class of a state.
    pub(crate) fn class(&self, state: &str) -> StateClass {
        self.lifecycle.state(state).map_or(StateClass::Unknown, |state| state.class)
    }
}

/// Channels that show records of a resource: those of plans of its operations, lists and readbacks.
fn channels_of<'s>(service: &'s Service, resource: &str) -> Vec<&'s Channel> {
    let own = service.operations.iter().filter(|op| op.resource.as_deref() == Some(resource));
    let plans = own.filter_map(|operation| operation.plan.as_ref());
    plans.flat_map(|plan| &plan.channels).filter(|c| c.events.is_none() && c.request.is_some()).collect()
}

fn field_of<'r>(resource: &'r Resource, steps: &[Step]) -> Option<&'r Field> {
    match steps.first()? {
        Step::Member(name) => resource.fields.iter().find(|field| field.name == *name),
        Step::Index(_) => None,
    }
}

/// A channel's rule says how its instants are written; without one the field's type does.
fn notation(resource: &Resource, steps: &[Step], channels: &[&Channel]) -> Notation {
    let rule = channels.iter().find_map(|channel| channel.instant.as_ref()).map(Notation::of_rule);
    let kind = field_of(resource, steps).map_or(FieldKind::DateTime, |field| field.kind);
    rule.unwrap_or_else(|| Notation::of_kind(kind))
}

/// The first letters of the name's words, `_` behind: `re_`, `pi_`.
fn prefix(name: &str) -> String {
    let words = words(name);
    let letters: String = match words.as_slice() {
        [only] => only.chars().take(2).collect(),
        several => several.iter().filter_map(|word| word.chars().next()).collect(),
    };
    format!("{letters}_")
}

fn mode(resource: &Resource, sources: &[Source]) -> Option<(String, bool)> {
    let marks = sources.iter().filter_map(|source| source.mode.as_ref());
    let mut named = marks.filter_map(|(steps, live)| match steps.last()? {
        Step::Member(name) => Some((name.clone(), *live)),
        Step::Index(_) => None,
    });
    named.find(|(name, _)| {
        resource.fields.iter().any(|field| field.name == *name && field.kind == FieldKind::Boolean)
    })
}

/// The flag of records that are shown after their deletion.
fn deleted(resource: &Resource) -> Option<String> {
    let says = |field: &&Field| {
        let words = words(&field.name);
        field.kind == FieldKind::Boolean
            && words.last().map(String::as_str) == Some("deleted")
            && words.len() <= 2
    };
    resource.fields.iter().find(says).map(|field| field.name.clone())
}

/// The event types of a resource and when each is sent.
fn events(service: &Service, resource: &Resource, sources: &[Source]) -> Vec<(Moment, String, usize)> {
    let mut found: Vec<(Moment, String, usize)> = Vec::new();
    for operation in service.operations.iter().filter(|op| op.resource.as_deref() == Some(&resource.name)) {
        let Some(plan) = &operation.plan else { continue };
        let carried = plan.channels.iter().filter_map(|channel| channel.events.as_ref());
        let carried = carried.flat_map(|events| &events.types);
        for kind in plan.events.iter().chain(carried) {
            let Some(place) = Source::of_type(sources, kind) else { continue };
            if found.iter().all(|(_, known, _)| known != kind) {
                let moment = Moment::of(kind, sources.get(place), resource.lifecycle.as_ref());
                found.push((moment, kind.clone(), place));
            }
        }
    }
    found
}

/// The words of a name, in small letters.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && small) {
            words.push(String::new());
        }
        small = c.is_lowercase();
        if let Some(last) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// True for two forms of one word: `cancel` and `canceled`, `update` and `updated`.
pub(super) fn same_word(left: &str, right: &str) -> bool {
    fn stem(word: &str) -> &str {
        let word = word.strip_suffix("ed").or_else(|| word.strip_suffix('e')).unwrap_or(word);
        word.strip_suffix("ll").map_or(word, |short| word.get(..short.len() + 1).unwrap_or(word))
    }
    let (left, right) = (left.to_ascii_lowercase(), right.to_ascii_lowercase());
    left == right || (left.len() > 3 && stem(&left) == stem(&right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_come_from_names() {
        assert_eq!(prefix("voucher"), "vo_");
        assert_eq!(prefix("payment_intent"), "pi_");
        assert_eq!(prefix("OrderLine"), "ol_");
    }

    #[test]
    fn words_have_forms() {
        assert_eq!(words("order/partiallyPaid.now"), ["order", "partially", "paid", "now"]);
        for (left, right) in [("cancel", "canceled"), ("cancelled", "canceled"), ("archive", "archived")] {
            assert!(same_word(left, right), "{left} {right}");
        }
        assert!(!same_word("paid", "failed"));
    }
}
