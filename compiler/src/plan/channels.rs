//! The channels that read records: by id, in a list, and the action's own reply. Builds requests as data;
//! must not send any.

use std::collections::BTreeMap;

use provely_evaluator::contract::{
    Channel, EvidenceLevel, Independence, InstantFormat, InstantRule, Order, Page, PageStyle, Request,
    Verifier,
};
use provely_model::{EchoKind, Field, FieldKind, Operation, Parameter, Resource};

use super::known::field_at;
use super::paths::{self, Origin};
use super::words::{numbers, says};
use super::{Draft, cited, ids, own_rule, part, roles};

impl Draft<'_> {
    /// Plans the readback; `None` if a path parameter cannot be filled, or the record read by its id shows none.
    pub(super) fn readback(&mut self, readback: &Operation) -> Option<()> {
        let route = paths::route(self.operation, readback)?;
        // A record under a path that ends in a word is named by its parent, whatever id it carries.
        let record_id = self.resource.id.clone().filter(|_| route.own.is_some());
        let parameters = self.filled(&route);
        let reply = readback.reply.as_ref()?;
        let request = Request { parameters, ..request(readback) };
        let channel = Channel {
            request: Some(request),
            select: Some(reply.select.clone()),
            record_id,
            record_created: self.resource.created.clone(),
            state_time: self.state_time(),
            instant: self.instant(),
            typical_latency_ms: Some(self.rules.plan.latency.readback_ms),
            ..channel(self.channel_name(part::READBACK), EvidenceLevel::E2)
        };
        let mut assertions = readback.assertions.clone();
        assertions.extend(self.written_of(readback));
        assertions.push(own_rule("plan/latency"));
        self.cite(part::READBACK, assertions);
        self.plan.readback = Some(readback.id.clone());
        self.plan.channels.push(channel);
        self.plan.read_scopes.push(format!("{}:read", self.resource.name));
        let beyond = matches!(route.own, Some(Origin::Input(_)))
            && !roles::is_same_place(self.operation, readback, &route)
            && !roles::answers(self.operation, readback);
        if !beyond {
            self.plan.result_id = self.result_id();
        }
        Some(())
    }

    /// The placeholders of a path with the references that fill them. The record's own id is what all
    /// evidence is tied by, wherever it comes from.
    fn filled(&self, route: &paths::Route) -> BTreeMap<String, String> {
        let id = format!("$correlation.{}_id", super::identifier(&self.resource.name));
        let last = route.parameters.len().saturating_sub(1);
        let filled = route.parameters.iter().enumerate().map(|(at, (name, origin))| {
            let own = at == last && route.own.is_some();
            let reference = match origin {
                Origin::Input(input) if !own => format!("$input.{input}"),
                Origin::Input(_) | Origin::Reply => id.clone(),
            };
            (name.clone(), reference)
        });
        filled.collect()
    }

    /// Where the action's reply carries the record's id; of a list, its first record.
    pub(super) fn result_id(&self) -> Option<String> {
        let reply = self.operation.reply.as_ref()?;
        let answered = self.known.service.resource(reply.resource.as_deref()?)?;
        let first = if reply.list { "[0]" } else { "" };
        let id = ids::same_field(self.resource.id.as_ref(), answered)?;
        Some(result_path(&format!("{}{first}", reply.select), &id))
    }

    /// True if the items of a list carry what tells siblings apart.
    fn shows_siblings(&self, listed: &Resource) -> bool {
        let subjects = self.plan.echoes.iter().filter(|echo| echo.kind == EchoKind::Subject);
        listed.id.is_some() && subjects.clone().all(|echo| field_at(listed, &echo.path).is_some())
    }

    /// Plans the list of siblings, for operations that make a record.
    pub(super) fn list(&mut self, list: &Operation) {
        let (Some(reply), Some(listed)) = (&list.reply, self.listed_resource(list)) else { return };
        if !self.shows_siblings(listed) {
            return;
        }
        let record_id = ids::same_field(self.resource.id.as_ref(), listed);
        let (record_created, instant) = (listed.created.clone(), instant_of(listed));
        let mut request = request(list);
        for (name, origin) in
            paths::route(self.operation, list).into_iter().flat_map(|route| route.parameters)
        {
            if let Origin::Input(input) = origin {
                request.parameters.insert(name, format!("$input.{input}"));
            }
        }
        let subjects = self.plan.echoes.iter().filter(|echo| echo.kind == EchoKind::Subject);
        for echo in subjects.filter(|echo| roles::filters(list).any(|filter| filter.name == echo.input)) {
            request.query.insert(echo.input.clone(), format!("$input.{}", echo.input));
            request.optional.push(echo.input.clone());
            request.scope.push(echo.input.clone());
        }
        let (order, stated) = self.order(list);
        let page = self.page(list, order);
        let bounded = !request.scope.is_empty()
            || !request.parameters.is_empty()
            || (order == Order::NewestFirst && page.created.is_some());
        let ends = page.style != PageStyle::Single || page.more.is_some() || page.size.is_none();
        let channel = Channel {
            baseline: true,
            complete: bounded && ends && !roles::lags(self.rules, list),
            request: Some(request),
            select: Some(reply.select.clone()),
            record_id,
            record_created,
            page: Some(page),
            instant,
            typical_latency_ms: Some(self.rules.plan.latency.list_ms),
            ..channel(self.channel_name(part::LIST), EvidenceLevel::E2)
        };
        let mut assertions = list.assertions.clone();
        assertions.extend(self.written_of(list));
        if let Some(passage) = stated {
            self.cite(part::ORDER, vec![passage.clone()]);
            assertions.push(passage);
        }
        assertions.push(own_rule("plan/latency"));
        if self.cite(part::LIST, assertions) {
            self.plan.list = Some(list.id.clone());
            self.plan.channels.push(channel);
        }
    }

    /// Where nothing reads a record by its id, it is found in the list by it.
    pub(super) fn readback_in_list(&mut self) {
        let name = self.channel_name(part::LIST);
        let Some(list) = self.plan.channels.iter().find(|channel| channel.name == name) else { return };
        // Of a wrapped item only the id is known to be the record's.
        if list.record_id.is_none() || list.record_id != self.resource.id {
            return;
        }
        let found = Channel {
            name: self.channel_name(part::READBACK),
            baseline: false,
            complete: false,
            find: true,
            record_created: self.resource.created.clone(),
            state_time: self.state_time(),
            ..list.clone()
        };
        let assertions = cited(&self.plan, part::LIST).to_vec();
        if self.cite(part::READBACK, assertions) {
            self.plan.readback.clone_from(&self.plan.list);
            self.plan.read_scopes.push(format!("{}:read", self.resource.name));
            self.plan.channels.insert(0, found);
        }
    }

    /// The action's own reply: it proves nothing, and is where the claim comes from.
    pub(super) fn action_response(&mut self) {
        let mut assertions = self.operation.assertions.clone();
        assertions.extend(self.written_of(self.operation));
        if self.plan.result_id.is_none() || !self.cite(part::ACTION_RESPONSE, assertions) {
            return;
        }
        let response = Channel {
            record_id: self.resource.id.clone(),
            ..channel(self.channel_name(part::ACTION_RESPONSE), EvidenceLevel::E1)
        };
        self.plan.channels.push(response);
    }

    /// How the list pages, from its parameters and the members beside the list.
    pub(super) fn page(&self, list: &Operation, order: Order) -> Page {
        let words = &self.rules.plan.page;
        let parameter = |names: &[String]| roles::filters(list).find(|filter| names.contains(&filter.name));
        let envelope = self.known.envelope(&list.id);
        let member =
            |names: &[String]| envelope.iter().find(|field| names.contains(&field.name)).map(root_path);
        let size = parameter(&words.size);
        let mut page = Page {
            style: PageStyle::Single,
            parameter: None,
            cursor: None,
            more: member(&words.more),
            size: size.map(|size| size.name.clone()),
            max_size: size.and_then(|size| largest(size, words.largest)),
            order,
            created: self.listed_resource(list).and_then(|resource| resource.created.clone()),
        };
        let record_id = self.listed_resource(list).and_then(|resource| resource.id.clone());
        let next = member(&words.next);
        // A reply that says more follows and carries no cursor leaves only the last item to go on from.
        let bare = parameter(&words.cursor).filter(|_| next.is_none() && page.more.is_some());
        if let (Some(cursor), Some(_)) = (parameter(&words.after_item).or(bare), &record_id) {
            page = Page {
                style: PageStyle::Cursor,
                parameter: Some(cursor.name.clone()),
                cursor: record_id,
                ..page
            };
        } else if let (Some(cursor), Some(next)) = (parameter(&words.cursor), next) {
            page = Page {
                style: PageStyle::Cursor,
                parameter: Some(cursor.name.clone()),
                cursor: Some(next),
                ..page
            };
        } else if let Some(number) = parameter(&words.number) {
            page = Page { style: PageStyle::Number, parameter: Some(number.name.clone()), ..page };
        } else if let Some(offset) = parameter(&words.offset) {
            page = Page { style: PageStyle::Offset, parameter: Some(offset.name.clone()), ..page };
        }
        page
    }

    fn listed_resource(&self, list: &Operation) -> Option<&Resource> {
        self.known.service.resource(list.reply.as_ref()?.resource.as_deref()?)
    }

    /// The order of a list, and the passage that states it.
    pub(super) fn order(&self, list: &Operation) -> (Order, Option<String>) {
        let words = &self.rules.plan.order;
        let about = self.known.passages_about(list);
        let said = |phrases: &[String]| about.iter().find(|passage| says(&passage.text, phrases));
        match (said(&words.newest_first), said(&words.oldest_first)) {
            (Some(passage), _) => (Order::NewestFirst, Some(passage.id.clone())),
            (None, Some(passage)) => (Order::OldestFirst, Some(passage.id.clone())),
            (None, None) => (Order::Unordered, None),
        }
    }

    fn state_time(&self) -> Option<String> {
        let names = &self.rules.plan.state_times;
        let timed = |field: &&Field| names.contains(&field.name) && instant_rule(field.kind).is_some();
        self.resource.fields.iter().find(timed).map(|field| format!("@.{}", field.name))
    }

    /// How the record's instants are written, by its creation time.
    pub(super) fn instant(&self) -> Option<InstantRule> {
        instant_of(self.resource)
    }
}

/// How a resource's instants are written, by its creation time.
fn instant_of(resource: &Resource) -> Option<InstantRule> {
    match field_at(resource, resource.created.as_deref()?)?.kind {
        // The object around the time says nothing of how the time is written.
        FieldKind::Object => instant_rule(FieldKind::DateTime),
        // A plain number counts seconds; one of milliseconds lies beyond every year that is read, and says nothing.
        FieldKind::Integer => instant_rule(FieldKind::EpochSeconds),
        kind => instant_rule(kind),
    }
}

/// A channel of that name and level, read by the verifier that its level asks for.
pub(super) fn channel(name: String, level: EvidenceLevel) -> Channel {
    let (independence, verifier) = match level {
        EvidenceLevel::E0 | EvidenceLevel::E1 => (Independence::SameResponse, "action_result"),
        EvidenceLevel::E2 => (Independence::ProviderReadback, "http"),
        EvidenceLevel::E3 => (Independence::ProviderEvent, "webhook"),
        EvidenceLevel::E4 => (Independence::IndependentSystem, "sql"),
        EvidenceLevel::E5 => (Independence::ExternalOutcome, "http"),
    };
    Channel {
        name,
        description: None,
        evidence_level: level,
        independence,
        verifier: Verifier { name: verifier.to_owned(), version: "^1".to_owned() },
        baseline: false,
        complete: false,
        request: None,
        select: None,
        record_id: None,
        record_created: None,
        state_time: None,
        page: None,
        find: false,
        events: None,
        instant: None,
        typical_latency_ms: None,
    }
}

/// The bare request of an operation.
pub(super) fn request(operation: &Operation) -> Request {
    Request {
        method: operation.method.clone(),
        path: operation.path.clone(),
        parameters: BTreeMap::new(),
        query: BTreeMap::new(),
        headers: BTreeMap::new(),
        document: None,
        variables: BTreeMap::new(),
        optional: Vec::new(),
        scope: Vec::new(),
        in_band_failure: Vec::new(),
    }
}

const fn instant_rule(kind: FieldKind) -> Option<InstantRule> {
    let (format, granularity_ms) = match kind {
        FieldKind::EpochSeconds => (InstantFormat::EpochSeconds, 1000),
        FieldKind::EpochMilliseconds => (InstantFormat::EpochMilliseconds, 1),
        FieldKind::DateTime | FieldKind::Text => (InstantFormat::Rfc3339Like, 1000),
        FieldKind::Integer
        | FieldKind::Number
        | FieldKind::Decimal
        | FieldKind::Boolean
        | FieldKind::IdOrRecord
        | FieldKind::Map
        | FieldKind::Object
        | FieldKind::Array
        | FieldKind::Any => return None,
    };
    Some(InstantRule { format, zone_minutes: None, granularity_ms })
}

fn largest(size: &Parameter, believed: u32) -> Option<u32> {
    let stated = numbers(size.description.as_deref()?).max()?;
    u32::try_from(stated).ok().filter(|stated| *stated > 0 && *stated <= believed)
}

fn root_path(field: &Field) -> String {
    format!("$.{}", field.name)
}

/// `$action.result` down to the record, then to its id.
fn result_path(select: &str, id: &str) -> String {
    let below = select.strip_prefix('$').unwrap_or(select);
    let id = id.strip_prefix('@').unwrap_or(id);
    format!("$action.result{below}{id}")
}
