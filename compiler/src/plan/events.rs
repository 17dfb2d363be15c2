//! The channels that read events: which types report a resource, where their payload carries what, and how
//! they can be pulled. Reads samples and declared types; must not trust a type that no source names.

use std::collections::{BTreeMap, BTreeSet};

use provely_evaluator::contract::{Channel, EventMode, EventSource, EvidenceLevel, Request};
use provely_evaluator::json::Value;
use provely_model::{FieldKind, Operation, Service};

use super::channels::{channel, request};
use super::known::{EventType, Known};
use super::{Draft, own_rule, part, roles};
use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// What the last word of an event type says about the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Report {
    Creation,
    EndedWithoutSuccess,
    Change,
}

/// Where the members of an event stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Layout {
    id: Option<String>,
    kind: Option<String>,
    time: Option<String>,
    version: Option<String>,
    mode: Option<String>,
    key: Option<String>,
    record: Option<String>,
    record_id: Option<String>,
}

impl<'a> Draft<'a> {
    /// Plans the event channels of the resource, if their payload is known.
    pub(super) fn events(&mut self) {
        let types: Vec<&'a EventType> = self.types();
        let Some(layout) = self.layout(&types) else { return };
        let of = |wanted: &[Report]| -> Vec<&'a EventType> {
            types.iter().copied().filter(|event| wanted.contains(&self.report(event))).collect()
        };
        let created = of(&[Report::Creation]);
        let state = of(&[Report::Creation, Report::Change]);
        let ended = of(&[Report::EndedWithoutSuccess]);
        // The creation of a record whose state its event does not show says nothing of a state.
        let state = if of(&[Report::Change]).is_empty() && !self.shows_state(&created, &layout) {
            Vec::new()
        } else {
            state
        };
        self.plan.events = types.iter().map(|event| event.name.clone()).collect();
        self.event_channel(part::CREATED_EVENTS, &created, &layout);
        self.event_channel(part::STATE_EVENTS, &state, &layout);
        self.event_channel(part::ENDED_EVENTS, &ended, &layout);
        self.cite_event_facts(&types, &state, &layout);
    }

    fn shows_state(&self, types: &[&EventType], layout: &Layout) -> bool {
        let own = self.resource.lifecycle.as_ref().filter(|lifecycle| lifecycle.parts.is_none());
        let path = own.zip(layout.record.as_deref()).map(|(own, record)| below(record, &own.path));
        path.is_some_and(|path| shows(types, &path))
    }

    fn types(&self) -> Vec<&'a EventType> {
        let prefix = format!("{}.", self.resource.name);
        let events: &'a [EventType] = self.known.events;
        events
            .iter()
            .filter(|event| match &event.resource {
                Some(resource) => *resource == self.resource.name,
                None => event.name.starts_with(&prefix),
            })
            .filter(|event| !event.assertions.is_empty())
            .collect()
    }

    fn report(&self, event: &EventType) -> Report {
        let last = event.name.rsplit(['.', '/', '_']).next().unwrap_or_default();
        let words = event.name.rsplit(['.', '/']).next().unwrap_or_default();
        let state = self.resource.lifecycle.as_ref().and_then(|lifecycle| lifecycle.state(words));
        if self.rules.plan.events.creation.iter().any(|word| word.eq_ignore_ascii_case(last)) {
            Report::Creation
        } else if state.is_some_and(|state| state.class.is_effectless()) {
            Report::EndedWithoutSuccess
        } else {
            Report::Change
        }
    }

    fn event_channel(&mut self, part: &str, types: &[&EventType], layout: &Layout) {
        let Some(record) = &layout.record else { return };
        let kind_header =
            if layout.kind.is_some() { None } else { self.known.event_type_header.map(str::to_owned) };
        if layout.kind.is_none() && kind_header.is_none() {
            return;
        }
        let id_header =
            if layout.id.is_some() { None } else { self.known.event_id_header.map(str::to_owned) };
        if layout.id.is_none() && id_header.is_none() {
            return;
        }
        let Some(record_id) = &layout.record_id else { return };
        let mut assertions: Vec<String> =
            types.iter().filter_map(|event| event.assertions.first().cloned()).collect();
        if assertions.is_empty() {
            return;
        }
        let creations = types.iter().filter(|event| self.report(event) == Report::Creation);
        let source = EventSource {
            types: types.iter().map(|event| event.name.clone()).collect(),
            creation_types: creations.map(|event| event.name.clone()).collect(),
            id: layout.id.clone(),
            id_header,
            kind: layout.kind.clone(),
            kind_header,
            record: record.clone(),
            record_id: record_id.clone(),
            key: layout.key.clone(),
            version: layout.version.clone(),
            mode: layout.mode.clone().map(|path| EventMode { path, live: true }),
            time: layout.time.clone(),
        };
        let mut channel = Channel {
            events: Some(source),
            record_created: self.resource.created.clone().filter(|path| shows(types, &below(record, path))),
            instant: self.instant(),
            typical_latency_ms: Some(self.rules.plan.latency.events_ms),
            ..channel(self.channel_name(part), EvidenceLevel::E3)
        };
        if let Some(list) = roles::event_list(self.known, self.rules) {
            assertions.extend(self.pull(&mut channel, list, types));
        }
        let named = |document: &&super::Document<'_>| {
            super::words::quoted(document.text).any(|word| types.iter().any(|event| event.name == word))
        };
        assertions.extend(self.documents.iter().find(named).map(|document| document.id.to_owned()));
        assertions.push(own_rule("plan/latency"));
        self.cite(part, assertions);
        self.plan.channels.push(channel);
    }

    /// Adds the request that lists the events of these types; returns what it rests on.
    fn pull(&mut self, channel: &mut Channel, list: &Operation, types: &[&EventType]) -> Vec<String> {
        let (Some(reply), Some(request)) = (&list.reply, self.pull_request(list, types)) else {
            return Vec::new();
        };
        let (order, stated) = self.order(list);
        channel.request = Some(request);
        channel.select = Some(reply.select.clone());
        channel.page = Some(self.page(list, order));
        self.plan.event_list = Some(list.id.clone());
        let scope = format!("{}:read", reply.resource.as_deref().unwrap_or_default());
        if !self.plan.read_scopes.contains(&scope) {
            self.plan.read_scopes.push(scope);
        }
        list.assertions.iter().cloned().chain(stated).collect()
    }

    fn pull_request(&self, list: &Operation, types: &[&EventType]) -> Option<Request> {
        let words = &self.rules.plan.events;
        let filter = |names: &[String]| {
            roles::filters(list).find(|filter| names.contains(&filter.name)).map(|filter| filter.name.clone())
        };
        let mut request = request(list);
        let single = filter(&words.type_filter);
        let several = filter(&words.types_filter);
        match (types, single, several) {
            ([only], Some(name), _) => {
                request.query.insert(name, only.name.clone());
            }
            (_, _, Some(name)) => {
                for (index, event) in types.iter().enumerate() {
                    request.query.insert(format!("{name}[{index}]"), event.name.clone());
                }
            }
            (_, _, None) => return None,
        }
        request.scope = request.query.keys().cloned().collect();
        Some(request)
    }

    /// Where the members of an event stand, by the first sample that shows a record of the resource.
    fn layout(&self, types: &[&EventType]) -> Option<Layout> {
        let mut found: Option<Layout> = None;
        for event in types {
            for sample in &event.samples {
                let layout = self.layout_of(event, sample);
                found = match (found, layout) {
                    (None, layout) => layout,
                    (Some(first), Some(next)) if first.key.is_none() => {
                        Some(Layout { key: next.key, ..first })
                    }
                    (Some(first), Some(_) | None) => Some(first),
                };
            }
        }
        found
    }

    fn layout_of(&self, event: &EventType, sample: &Value) -> Option<Layout> {
        let words = &self.rules.plan.events;
        let (record, id) = self.bare_record(sample).or_else(|| self.record_in(sample, "$", 0))?;
        let top = |names: &[String]| {
            let name = names.iter().find(|name| sample.get(name).is_some())?;
            Some(format!("$.{name}"))
        };
        let kind =
            words.kind.iter().find(|name| sample.get(name).and_then(Value::as_str) == Some(&event.name));
        let mode = words.mode.iter().find(|name| sample.get(name).and_then(Value::as_bool).is_some());
        Some(Layout {
            id: top(&words.id),
            kind: kind.map(|name| format!("$.{name}")),
            time: top(&words.time),
            version: top(&words.version),
            mode: mode.map(|name| format!("$.{name}")),
            key: member_named(sample, &words.key, "$", &record, 0),
            record_id: Some(step(&record, &id)),
            record: Some(record),
        })
    }

    /// Where a header says what an event is, its body is the record. Its id is that under the resource's own name
    /// for it, or, where that is of another type, the longer one that ends with it.
    fn bare_record(&self, sample: &Value) -> Option<(String, String)> {
        self.known.event_type_header?;
        let object = sample.as_object()?;
        let id = self.resource.id.as_deref()?.strip_prefix("@.")?;
        let shown = object.get(id)?;
        let text = self.resource.fields.iter().any(|field| field.name == id && field.kind == FieldKind::Text);
        if !text || shown.as_str().is_some() {
            return Some(("$".to_owned(), id.to_owned()));
        }
        let ending = format!("/{shown}");
        let longer =
            object.iter().find(|(_, value)| value.as_str().is_some_and(|long| long.ends_with(&ending)));
        longer.map(|(name, _)| ("$".to_owned(), name.to_owned()))
    }

    /// Searches for the record, outermost first: an object that carries the id and most of the required
    /// fields, or the id under the resource's name and other fields. Gives its path and the id's member.
    fn record_in(&self, value: &Value, path: &str, depth: u8) -> Option<(String, String)> {
        let object = value.as_object()?;
        let id = self.resource.id.as_deref()?.strip_prefix("@.")?;
        let named = format!("{}_id", super::identifier(&self.resource.name));
        let shown = |required: bool| {
            let fields = self.resource.fields.iter().filter(|field| field.required || !required);
            fields.filter(|field| object.contains_key(&field.name)).count()
        };
        let required = self.resource.fields.iter().filter(|field| field.required).count();
        let whole = shown(true).max(shown(false).min(2)) > 1 && shown(true) * 10 >= required * 8;
        if depth > 0 && object.contains_key(id) && whole {
            return Some((path.to_owned(), id.to_owned()));
        }
        if depth > 0 && object.contains_key(&named) && shown(false) > 1 {
            return Some((path.to_owned(), named));
        }
        if depth == 4 {
            return None;
        }
        object.iter().find_map(|(name, below)| self.record_in(below, &step(path, name), depth + 1))
    }

    fn cite_event_facts(&mut self, types: &[&EventType], live: &[&EventType], layout: &Layout) {
        let Some(record) = layout.record.as_deref() else { return };
        let own = self.resource.lifecycle.as_ref().filter(|lifecycle| lifecycle.parts.is_none());
        let state = own.map(|lifecycle| below(record, &lifecycle.path));
        let showing = |types: &[&EventType], path: &str| -> Vec<String> {
            let shown =
                types.iter().filter(|event| event.samples.iter().any(|sample| at(sample, path).is_some()));
            shown.filter_map(|event| event.assertions.first().cloned()).collect()
        };
        let carried = state.map(|path| showing(live, &path)).unwrap_or_default();
        let echoed = layout.key.as_deref().map(|path| showing(types, path)).unwrap_or_default();
        let created: Vec<&EventType> =
            types.iter().copied().filter(|event| self.report(event) == Report::Creation).collect();
        for path in self.plan.echoes.iter().map(|echo| echo.path.clone()).collect::<Vec<_>>() {
            self.cite(&part::event_field(&path), showing(&created, &below(record, &path)));
        }
        self.cite(part::EVENT_STATE, carried);
        self.cite(part::KEY_ECHO, echoed);
    }
}

/// Questions about event types that sources name and none shows: without a place for the id no channel can read
/// them.
pub(super) fn unshown(known: &Known<'_>, service: &Service) -> Vec<Uncertainty> {
    let mut by_resource: BTreeMap<&str, Vec<&EventType>> = BTreeMap::new();
    for event in known.events {
        if let Some(resource) = &event.resource {
            by_resource.entry(resource).or_default().push(event);
        }
    }
    let read: BTreeSet<&str> = service
        .operations
        .iter()
        .filter(|operation| operation.plan.as_ref().is_some_and(|plan| !plan.events.is_empty()))
        .filter_map(|operation| operation.resource.as_deref())
        .collect();
    let acted: BTreeSet<&str> = service
        .operations
        .iter()
        .filter(|operation| operation.plan.is_some())
        .filter_map(|operation| operation.resource.as_deref())
        .collect();
    let open =
        by_resource.into_iter().filter(|(resource, _)| acted.contains(resource) && !read.contains(resource));
    open.map(|(resource, types)| {
        let names: Vec<String> =
            types.iter().take(MOST_NAMED).map(|event| format!("`{}`", event.name)).collect();
        let more = types.len().saturating_sub(MOST_NAMED);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let question = format!(
            "{}{more} report `{resource}`, and no sample shows where they carry its id. Where does it stand?",
            names.join(", ")
        );
        let seen = types.iter().filter_map(|event| event.assertions.first().cloned()).collect();
        Uncertainty::new(UncertaintyKind::Input, format!("events:{resource}"), question).with_assertions(seen)
    })
    .collect()
}

/// Most event types that a question names.
const MOST_NAMED: usize = 5;

/// A path rooted at `@` below a record.
fn below(record: &str, path: &str) -> String {
    path.replacen('@', record, 1)
}

/// True if a sample of one of the types shows a value at a path.
fn shows(types: &[&EventType], path: &str) -> bool {
    types.iter().any(|event| event.samples.iter().any(|sample| at(sample, path).is_some()))
}

fn step(path: &str, name: &str) -> String {
    if super::identifier(name) == name { format!("{path}.{name}") } else { format!("{path}['{name}']") }
}

/// A member of one of these names outside the record.
fn member_named(value: &Value, names: &[String], path: &str, record: &str, depth: u8) -> Option<String> {
    let object = value.as_object()?;
    if path == record || depth == 4 {
        return None;
    }
    let own = names.iter().find(|name| object.get(name).is_some_and(|value| value.as_str().is_some()));
    own.map(|name| step(path, name)).or_else(|| {
        object
            .iter()
            .find_map(|(name, below)| member_named(below, names, &step(path, name), record, depth + 1))
    })
}

/// The value at a path of plain steps below `$`.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let reference = provely_evaluator::query::Reference::parse(path).ok()?;
    reference.walk(value).filter(|value| !value.is_null())
}
