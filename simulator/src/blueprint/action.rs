//! One operation compiled for serving. It must not hold state.

use std::sync::Arc;

use provely_evaluator::contract::{Channel, Order, Page, PageStyle};
use provely_evaluator::query::Step;
use provely_model::{
    BodyEncoding, EchoKind, Effect, FailurePredicate, Operation, Parameter, Plan, Role, Service,
};

use super::kind::{same_word, words};
use super::root::Root;
use crate::form;
use crate::in_band::InBand;
use crate::place::steps_of;
use crate::retry::KeyPlace;

/// What an action does in the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Does {
    /// Makes a record.
    Create,
    /// Reads one record.
    Read,
    /// Lists records.
    List,
    /// Changes fields.
    Update,
    /// Takes a record away.
    Delete,
    /// Moves a record to a state; without one, takes it away.
    Move(Option<String>),
    /// Lists events.
    ListEvents,
    /// Reads one event.
    ReadEvent,
}

/// One operation.
#[derive(Debug)]
pub(crate) struct Action {
    pub(crate) id: Arc<str>,
    pub(crate) method: String,
    segments: Vec<Segment>,
    pub(crate) effect: Effect,
    pub(crate) does: Does,
    pub(crate) kind: Option<String>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: BodyEncoding,
    pub(crate) status: u16,
    /// Members of a list's envelope that are always the same.
    pub(crate) fixed: Vec<(String, String)>,
    /// The member of it that repeats the path.
    pub(crate) location: Option<String>,
    pub(crate) select: Vec<Step>,
    pub(crate) result_id: Option<Vec<Step>>,
    pub(crate) pages: Pages,
    /// Where requests carry the retry key.
    pub(crate) key_place: KeyPlace,
    /// How long keys are kept, where they are.
    pub(crate) key_life_ms: Option<u64>,
    /// The root field that it is, where documents ask for it.
    pub(crate) root: Option<Root>,
    pub(crate) tag: Option<(Vec<Step>, Vec<Step>)>,
    pub(crate) echoes: Vec<(Vec<Step>, Vec<Step>, EchoKind)>,
    /// How a reply says that it failed, under a success status.
    pub(crate) failure: Option<InBand>,
}

#[derive(Debug)]
enum Segment {
    Literal(String),
    /// A parameter with what stands around it: `{id}`, `{id}.json`, `key={key}`.
    Parameter {
        before: String,
        name: String,
        after: String,
    },
}

/// How a list is cut into pages.
#[derive(Debug)]
pub(crate) struct Pages {
    pub(crate) style: PageStyle,
    pub(crate) parameter: Option<String>,
    /// In the reply.
    pub(crate) reply_cursor: Option<Vec<Step>>,
    /// In the last item.
    pub(crate) item_cursor: Option<Vec<Step>>,
    pub(crate) more: Option<Vec<Step>>,
    pub(crate) size: Option<String>,
    pub(crate) max_size: Option<u32>,
    pub(crate) order: Order,
}

impl Action {
    pub(super) fn new(service: &Service, operation: &Operation) -> Self {
        let channel = channel_of(service, operation);
        let reply = operation.reply.as_ref();
        let select = channel.and_then(|channel| channel.select.as_deref());
        let select = select.or(reply.map(|reply| reply.select.as_str()));
        let plan = operation.plan.as_ref();
        let root = Root::of(operation);
        let below = |steps: Vec<Step>| root.as_ref().map_or(steps.clone(), |root| root.below(steps));
        Self {
            id: Arc::from(operation.id.as_str()),
            method: operation.method.to_ascii_uppercase(),
            segments: segments(&operation.path),
            effect: operation.effect,
            does: does(service, operation, root.as_ref()),
            kind: operation.resource.clone().or_else(|| reply.and_then(|reply| reply.resource.clone())),
            parameters: operation.parameters.clone(),
            body: operation.body,
            status: reply.map_or(200, |reply| reply.status),
            fixed: reply.map(|reply| reply.fixed.clone()).unwrap_or_default(),
            location: reply.and_then(|reply| reply.location.clone()),
            select: below(steps_of(select).unwrap_or_default()),
            result_id: plan.and_then(|plan| steps_of(plan.result_id.as_deref())).map(below),
            pages: Pages::new(channel.and_then(|channel| channel.page.as_ref())),
            key_place: plan.and_then(|plan| plan.idempotency.as_ref()).map(KeyPlace::of).unwrap_or_default(),
            key_life_ms: plan.and_then(|plan| Some(key_life(plan.idempotency.as_ref()?.life_ms))),
            tag: plan.and_then(tag),
            echoes: plan.map(echoes).unwrap_or_default(),
            failure: failure(plan, channel).and_then(|predicate| InBand::new(&predicate, below)),
            root,
        }
    }

    /// The path parameters, if the segments fit.
    pub(super) fn matches(&self, segments: &[&str]) -> Option<Vec<(String, String)>> {
        if segments.len() != self.segments.len() {
            return None;
        }
        let mut found = Vec::new();
        for (own, given) in self.segments.iter().zip(segments) {
            match own {
                Segment::Literal(text) if text == given => {}
                Segment::Literal(_) => return None,
                Segment::Parameter { before, name, after } => {
                    let inner = given.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?;
                    found.push((name.clone(), form::decode(inner)));
                }
            }
        }
        Some(found)
    }

    /// Where a path parameter stands: the segments in front of it, whatever the parameters among them are called.
    pub(crate) fn slot(&self, name: &str) -> String {
        let mut slot = String::new();
        for segment in &self.segments {
            match segment {
                Segment::Literal(text) => slot.push_str(text),
                Segment::Parameter { name: own, .. } if own == name => return slot,
                Segment::Parameter { before, after, .. } => {
                    slot.push_str(before);
                    slot.push_str("{}");
                    slot.push_str(after);
                }
            }
            slot.push('/');
        }
        slot
    }

    /// The literal segment right in front of a path parameter: the collection that it names a record of.
    pub(crate) fn collection(&self, name: &str) -> Option<&str> {
        let place = self
            .segments
            .iter()
            .position(|own| matches!(own, Segment::Parameter { name: own, .. } if own == name))?;
        match self.segments.get(place.checked_sub(1)?)? {
            Segment::Literal(text) => Some(text),
            Segment::Parameter { .. } => None,
        }
    }

    pub(super) fn length(&self) -> usize {
        self.segments.len()
    }

    pub(super) fn parameters_in_path(&self) -> usize {
        self.segments.iter().filter(|segment| matches!(segment, Segment::Parameter { .. })).count()
    }
}

impl Pages {
    fn new(page: Option<&Page>) -> Self {
        let cursor = page.and_then(|page| page.cursor.as_deref());
        let rooted = |root: char| steps_of(cursor.filter(|cursor| cursor.starts_with(root)));
        let more = page.and_then(|page| page.more.as_deref());
        Self {
            style: page.map_or(PageStyle::Single, |page| page.style),
            parameter: page.and_then(|page| page.parameter.clone()),
            reply_cursor: rooted('$'),
            item_cursor: rooted('@'),
            more: steps_of(more.filter(|more| Some(*more) != cursor)),
            size: page.and_then(|page| page.size.clone()),
            max_size: page.and_then(|page| page.max_size),
            order: page.map_or(Order::NewestFirst, |page| page.order),
        }
    }

    /// True for a query parameter that turns pages.
    pub(crate) fn uses(&self, name: &str) -> bool {
        self.parameter.as_deref() == Some(name) || self.size.as_deref() == Some(name)
    }
}

fn segments(path: &str) -> Vec<Segment> {
    let parts = path.split('/').filter(|part| !part.is_empty());
    parts.map(|part| around(part).unwrap_or_else(|| Segment::Literal(part.to_owned()))).collect()
}

fn around(part: &str) -> Option<Segment> {
    let (before, rest) = part.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    let (before, name, after) = (before.to_owned(), name.to_owned(), after.to_owned());
    Some(Segment::Parameter { before, name, after })
}

/// The channel whose request is this operation.
fn channel_of<'s>(service: &'s Service, operation: &Operation) -> Option<&'s Channel> {
    if operation.graphql.is_some() {
        return None;
    }
    let plans = service.operations.iter().filter_map(|other| other.plan.as_ref());
    plans.flat_map(|plan| &plan.channels).find(|channel| {
        channel.request.as_ref().is_some_and(|request| {
            request.method.eq_ignore_ascii_case(&operation.method) && request.path == operation.path
        })
    })
}

fn does(service: &Service, operation: &Operation, root: Option<&Root>) -> Does {
    let mut plans = service.operations.iter().filter_map(|other| other.plan.as_ref());
    let feeds: Vec<&str> = plans.by_ref().filter_map(|plan| plan.event_list.as_deref()).collect();
    if feeds.contains(&operation.id.as_str()) {
        return Does::ListEvents;
    }
    let feed = feeds.first().and_then(|id| service.operation(id)).and_then(|feed| feed.resource.as_deref());
    match operation.role {
        Role::Read if feed.is_some() && feed == operation.resource.as_deref() => Does::ReadEvent,
        Role::Create => Does::Create,
        Role::Read => Does::Read,
        Role::List => Does::List,
        Role::Update => Does::Update,
        Role::Delete => Does::Delete,
        Role::Cancel => Does::Move(neutral(service, operation)),
        Role::Act => act(service, operation, root),
    }
}

/// The state that calling a record off leads to.
fn neutral(service: &Service, operation: &Operation) -> Option<String> {
    let lifecycle = service.resource(operation.resource.as_deref()?)?.lifecycle.as_ref()?;
    let mut ended = lifecycle.states.iter().filter(|state| state.class.is_effectless());
    let called_off =
        lifecycle.states.iter().find(|state| state.name.to_ascii_lowercase().starts_with("cancel"));
    called_off.or_else(|| ended.next()).map(|state| state.name.clone())
}

/// True if the path names the record itself: it starts with the one under which the record is read. Without a
/// plan an id anywhere will do.
fn names_record(service: &Service, operation: &Operation) -> bool {
    let plan = operation.plan.as_ref();
    let readback = plan.and_then(|plan| service.operation(plan.readback.as_deref()?));
    let Some(readback) = readback else { return operation.path.contains('{') };
    let (own, read) = (segments(&operation.path), segments(&readback.path));
    let alike = |(own, read): (&Segment, &Segment)| match (own, read) {
        (Segment::Literal(own), Segment::Literal(read)) => own == read,
        (Segment::Parameter { .. }, Segment::Parameter { .. }) => true,
        (Segment::Literal(_), Segment::Parameter { .. })
        | (Segment::Parameter { .. }, Segment::Literal(_)) => false,
    };
    // A record that is found in a list is named behind the path of the list.
    let named = readback.role != Role::List || matches!(own.get(read.len()), Some(Segment::Parameter { .. }));
    named && own.len() >= read.len() && own.iter().zip(&read).all(alike)
}

/// `/things/{thing}/archive` moves to `archived` where there is such a state; without an id in the
/// path an action makes a record, else it changes one.
fn act(service: &Service, operation: &Operation, root: Option<&Root>) -> Does {
    let lifecycle = operation.resource.as_deref().and_then(|name| service.resource(name)?.lifecycle.as_ref());
    let verbs = match root {
        Some(root) => words(&root.name),
        None => vec![operation.path.rsplit('/').next().unwrap_or_default().to_owned()],
    };
    let is_named = |word: &String| verbs.iter().any(|verb| same_word(word, verb));
    let target =
        lifecycle.and_then(|own| own.states.iter().find(|state| words(&state.name).iter().any(is_named)));
    let existing = root.map_or_else(|| names_record(service, operation), |root| root.id.is_some());
    match target {
        Some(state) if existing => Does::Move(Some(state.name.clone())),
        Some(_) | None if existing => Does::Update,
        Some(_) | None => Does::Create,
    }
}

/// How long keys are kept; where nobody says, for good.
const fn key_life(stated_ms: u64) -> u64 {
    if stated_ms == 0 { u64::MAX } else { stated_ms }
}

/// The predicate of the plan; of a read, that of the channel that asks for it.
fn failure(plan: Option<&Plan>, channel: Option<&Channel>) -> Option<FailurePredicate> {
    let planned = plan.and_then(|plan| plan.failure.clone());
    planned.or_else(|| FailurePredicate::of(&channel?.request.as_ref()?.in_band_failure))
}

fn tag(plan: &Plan) -> Option<(Vec<Step>, Vec<Step>)> {
    let tag = plan.tag.as_ref()?;
    Some((dotted(&tag.parameter), steps_of(Some(&tag.path))?))
}

fn echoes(plan: &Plan) -> Vec<(Vec<Step>, Vec<Step>, EchoKind)> {
    let echoes = plan.echoes.iter();
    echoes.filter_map(|echo| Some((dotted(&echo.input), steps_of(Some(&echo.path))?, echo.kind))).collect()
}

/// The way to an input: `a.b` and `a[0].b`.
fn dotted(name: &str) -> Vec<Step> {
    if let Some(steps) = steps_of(Some(&format!("@.{name}"))) {
        return steps;
    }
    name.split('.').map(|part| Step::Member(part.to_owned())).collect()
}
