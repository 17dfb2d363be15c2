//! Making events and putting their deliveries on the way. It must not sign or send.

use std::sync::Arc;

use provely_evaluator::json::Value;
use provely_evaluator::query::walk;
use provely_evaluator::time::Time;

use crate::blueprint::{Blueprint, Kind, Moment, Source};
use crate::delivery::Delivery;
use crate::fault::{FaultKind, Print, Stage};
use crate::place::set_at;
use crate::provider::{About, Provider};
use crate::shape;
use crate::truth::TrueEvent;

/// A fact to be told by an event.
struct Told<'a> {
    kind: &'a Kind,
    source: &'a Source,
    event_type: &'a str,
    place: usize,
    key: Option<&'a str>,
}

impl Provider {
    /// Makes the events of a moment in a record's life, and delivers them.
    pub(crate) fn emit(&mut self, place: usize, moment: &Moment, key: Option<&str>) {
        let blueprint = Arc::clone(&self.blueprint);
        let Some(record) = self.records.get(place) else { return };
        let Some(kind) = blueprint.kinds.get(record.kind) else { return };
        let born_in = record.state().map(|state| Moment::State(state.to_owned()));
        for (own, event_type, source) in &kind.events {
            let Some(source) = blueprint.sources.get(*source) else { continue };
            if told_at(kind, own, moment, born_in.as_ref()) {
                self.tell(&blueprint, &Told { kind, source, event_type, place, key });
            }
        }
    }

    fn tell(&mut self, blueprint: &Blueprint, told: &Told<'_>) {
        let about =
            About { resource: Some(&told.kind.name), event: Some(told.event_type), ..About::default() };
        let id = self.event_id(blueprint, told.source);
        let value = self.event(blueprint, told, &id, about);
        let version =
            self.records.get(told.place).map_or(0, |record| record.versions.len().saturating_sub(1));
        let delivery = self.strike(Stage::Delivery, about);
        let unlisted = delivery.iter().any(|fault| matches!(fault, FaultKind::EventsLost { unlisted: true }));
        let event = TrueEvent {
            id,
            kind: told.event_type.to_owned(),
            at: self.now,
            record: told.place,
            version,
            value: Arc::new(value),
            listed: !unlisted,
        };
        self.dispatch(&event, told, &delivery);
        self.events.push(event);
    }

    fn event_id(&mut self, blueprint: &Blueprint, source: &Source) -> String {
        let envelope = source.envelope.as_deref().and_then(|name| blueprint.kind_named(name));
        let named = envelope.and_then(|place| blueprint.kinds.get(place));
        let prefix = named.map(|kind| self.options.id_prefixes.get(&*kind.name).unwrap_or(&kind.prefix));
        let mut id = prefix.cloned().unwrap_or_else(|| String::from("ev_"));
        self.naming.letters(&mut id, 20);
        id
    }

    /// The event as the source's queries lay it out.
    fn event(&mut self, blueprint: &Blueprint, told: &Told<'_>, id: &str, about: About<'_>) -> Value {
        let print = Print::of(self.strike(Stage::Print, about));
        let version = self.version_shown(about);
        let other_mode = !self.strike(Stage::Event, about).is_empty();
        let clock = self.clock();
        let source = told.source;
        let envelope = source.envelope.as_deref().and_then(|name| blueprint.kind_named(name));
        let envelope = envelope.and_then(|place| blueprint.kinds.get(place));
        let blank = envelope.map(|kind| shape::blank(kind, &self.options, clock));
        let mut event = Value::Object(blank.unwrap_or_default());
        let record = print.record(self.latest(told.place).cloned().unwrap_or_default(), Some(told.kind));
        let record_id = self.latest(told.place).and_then(|value| walk(&told.kind.id, value)).cloned();
        set_at(&mut event, &source.record, record);
        if let Some(steps) = &source.id {
            set_at(&mut event, steps, Value::from(id));
        }
        if let Some(steps) = &source.kind {
            set_at(&mut event, steps, Value::from(told.event_type));
        }
        if let Some(record_id) = record_id {
            set_at(&mut event, &source.record_id, record_id);
        }
        if let Some(steps) = &source.key {
            set_at(&mut event, steps, Value::from(told.key));
        }
        if let Some(steps) = &source.version {
            set_at(&mut event, steps, Value::from(&*version));
        }
        if let Some((steps, live)) = &source.mode {
            set_at(&mut event, steps, Value::Bool((self.options.live == *live) != other_mode));
        }
        if let Some(steps) = &source.time {
            let notation = source.notation.at_least(self.clockwork.granularity_ms);
            set_at(&mut event, steps, notation.write(clock));
        }
        event
    }

    /// Puts the deliveries of an event on the way, with what goes wrong there.
    fn dispatch(&mut self, event: &TrueEvent, told: &Told<'_>, faults: &[FaultKind]) {
        let (least, most) = self.options.webhook_latency_ms;
        let mut at = later(self.now, self.timing.between(least, most));
        let mut secret = Arc::clone(&self.secret);
        let mut lost = false;
        for fault in faults {
            if let FaultKind::EventsLost { .. } = fault {
                lost = true;
            } else if let FaultKind::EventsLate { ms } = fault {
                at = later(at, *ms);
            } else if let FaultKind::OtherSecret { secret: other } = fault {
                secret = Arc::from(other.as_str());
            }
        }
        let delivery = Delivery {
            at,
            event: Arc::clone(&event.value),
            event_id: event.id.clone(),
            id_header: told.source.id_header.as_deref().map(Arc::from),
            kind_header: told
                .source
                .kind_header
                .as_deref()
                .map(|name| (Arc::from(name), Arc::from(told.event_type))),
            record: event.record,
            authentic: secret == self.secret,
            signed_at: at,
            secret,
            scheme: self.blueprint.signature.clone().map(Arc::new),
        };
        for fault in faults {
            self.shadow(fault, &delivery, told);
        }
        if !lost {
            let waits = faults.iter().find_map(|fault| {
                if let FaultKind::EventsReordered { within_ms } = fault { Some(*within_ms) } else { None }
            });
            self.post(delivery, waits);
        }
    }

    /// Deliveries beside the true one: repeats, replays and forgeries.
    fn shadow(&mut self, fault: &FaultKind, true_one: &Delivery, told: &Told<'_>) {
        if let FaultKind::EventsRepeated { times, every_ms } = fault {
            for repeat in 1..u64::from(*times) {
                let at = later(true_one.at, every_ms.saturating_mul(repeat));
                self.post(Delivery { at, signed_at: at, ..true_one.clone() }, None);
            }
        } else if let FaultKind::EventsReplayed { after_ms } = fault {
            self.post(Delivery { at: later(true_one.at, *after_ms), ..true_one.clone() }, None);
        } else if let FaultKind::EventsForged { state } = fault {
            let forged = self.forgery(state, true_one, told);
            self.post(forged, None);
        }
    }

    /// The same event with another state and id, signed by somebody else.
    fn forgery(&mut self, state: &str, true_one: &Delivery, told: &Told<'_>) -> Delivery {
        let mut event = Value::clone(&true_one.event);
        let mut steps = told.source.record.clone();
        steps.extend(told.kind.life.iter().flat_map(|life| life.steps.iter().cloned()));
        set_at(&mut event, &steps, Value::from(state));
        let mut event_id = String::from("forged_");
        self.naming.letters(&mut event_id, 20);
        if let Some(steps) = &told.source.id {
            set_at(&mut event, steps, Value::from(event_id.as_str()));
        }
        let secret = Arc::from("somebody-else");
        Delivery { event: Arc::new(event), event_id, secret, authentic: false, ..true_one.clone() }
    }

    /// Posts a delivery. One that waits goes out when the next of its record has overtaken it.
    fn post(&mut self, mut delivery: Delivery, waits_ms: Option<u64>) {
        let record = delivery.record;
        let sequence = self.next_sequence();
        let held = self.waiting.get(&record).copied().filter(|(at, _)| delivery.at < *at);
        if let Some(mut overtaken) = held.and_then(|key| self.outbox.remove(&key)) {
            self.waiting.remove(&record);
            let at = later(delivery.at, 1);
            (overtaken.at, overtaken.signed_at) = (at, at);
            self.outbox.insert((at, held.map_or(sequence, |(_, own)| own)), overtaken);
        } else if let Some(within_ms) = waits_ms {
            let at = later(delivery.at, within_ms);
            (delivery.at, delivery.signed_at) = (at, at);
            self.waiting.insert(record, (at, sequence));
        }
        self.outbox.insert((delivery.at, sequence), delivery);
    }

    /// The deliveries that have fallen due by `now`, in the order of their arrival; each is handed out
    /// once. Time passes up to `now`.
    pub fn take_deliveries(&mut self, now: Time) -> Vec<Delivery> {
        self.advance(now);
        let mut taken = Vec::new();
        while let Some(entry) = self.outbox.first_entry().filter(|entry| entry.key().0 <= self.now) {
            let key = *entry.key();
            let delivery = entry.remove();
            if self.waiting.get(&delivery.record) == Some(&key) {
                self.waiting.remove(&delivery.record);
            }
            taken.push(delivery);
        }
        taken
    }
}

/// Whether an event type is sent at a moment. A kind without any creation event tells its creation by
/// the type of the state it is born in.
fn told_at(kind: &Kind, own: &Moment, moment: &Moment, state: Option<&Moment>) -> bool {
    match (own, moment) {
        (Moment::Never, _) => false,
        (Moment::Change, Moment::State(_)) => true,
        (Moment::State(_), Moment::Creation) => {
            Some(own) == state && kind.events.iter().all(|(other, _, _)| *other != Moment::Creation)
        }
        (own, moment) => own == moment,
    }
}

fn later(time: Time, ms: u64) -> Time {
    time.plus(i64::try_from(ms).unwrap_or(i64::MAX))
}
