//! What reads see: records by id, lists with filters and pages, events by id and in lists, through the
//! faults that blur them. It must not change records.

use provely_evaluator::contract::{Order, PageStyle};
use provely_evaluator::json::{Object, Value};
use provely_evaluator::query::walk;
use provely_evaluator::time::Time;

use crate::blueprint::{Action, Kind, Source};
use crate::chance;
use crate::change::not_found;
use crate::fault::{FaultKind, Print, Stage};
use crate::filter::{Filter, kept_by};
use crate::place::set_at;
use crate::provider::Provider;
use crate::serve::{Answer, Call};
use crate::shape;
use crate::truth::TrueRecord;
use crate::validate::Refusal;

/// How a read is blurred.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Blur {
    stale_ms: u64,
    pub(crate) unfound_ms: u64,
    pub(crate) unlisted_ms: u64,
    pub(crate) page: Option<u32>,
    pub(crate) cut: Option<u32>,
    pub(crate) unfiltered: bool,
    /// A document's answer carries errors instead of data.
    pub(crate) errors: bool,
}

impl Blur {
    pub(crate) fn of(faults: &[FaultKind]) -> Self {
        let mut blur = Self::default();
        for fault in faults {
            if let FaultKind::Stale { by_ms } = fault {
                blur.stale_ms = blur.stale_ms.max(*by_ms);
            } else if let FaultKind::NotFoundFor { ms } = fault {
                blur.unfound_ms = blur.unfound_ms.max(*ms);
            } else if let FaultKind::HiddenFromLists { ms } = fault {
                blur.unlisted_ms = blur.unlisted_ms.max(*ms);
            } else if let FaultKind::SmallPages { size } = fault {
                blur.page = Some(*size);
            } else if let FaultKind::CutLists { size } = fault {
                blur.cut = Some(*size);
            } else {
                blur.unfiltered |= *fault == FaultKind::IgnoredFilters {};
                blur.errors |= *fault == FaultKind::DocumentErrors {};
            }
        }
        blur
    }

    pub(crate) fn sight(self, now: Time) -> Time {
        now.minus(i64::try_from(self.stale_ms).unwrap_or(i64::MAX))
    }
}

/// True if a record is younger than an age.
pub(crate) fn younger(created: Time, now: Time, age_ms: u64) -> bool {
    u64::try_from(now.since(created)).unwrap_or(0) < age_ms
}

/// One item of a list: its id for cursors, and where it stands.
struct Item<'a> {
    id: &'a str,
    value: &'a Value,
}

impl Provider {
    /// Answers with the record that the path names.
    pub(crate) fn read(&mut self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let blur = Blur::of(&self.strike(Stage::View, call.about()));
        let print = Print::of(self.strike(Stage::Print, call.about()));
        let id = call.path.last().map(|(_, id)| id.as_str()).unwrap_or_default();
        let found = self.find(call.kind, id).and_then(|place| self.records.get(place));
        let found = found.filter(|record| self.in_scope(record, call));
        let found = found.filter(|record| !younger(record.created, self.now, blur.unfound_ms));
        let version = found.and_then(|record| record.shown(blur.sight(self.now)));
        let value = version.ok_or_else(|| not_found(call))?.value.clone();
        let value = print.record(value, self.blueprint.kinds.get(call.kind));
        Ok(wrapped(call.action, value))
    }

    /// Answers with the record that was made or changed.
    pub(crate) fn show_changed(&mut self, call: &Call<'_>, record: usize) -> Answer {
        let print = Print::of(self.strike(Stage::Print, call.about()));
        let value = self.latest(record).cloned().unwrap_or_default();
        let kind = self.blueprint.kinds.get(call.kind);
        let id = kind.and_then(|kind| walk(&kind.id, &value)).cloned();
        let mut answer = wrapped(call.action, print.record(value, kind));
        if let (Some(steps), Some(id)) = (&call.action.result_id, id)
            && let crate::wire::Body::Json(body) = &mut answer.body
            && walk(steps, body).is_none()
        {
            set_at(body, steps, id);
        }
        answer
    }

    /// Answers with a page of records.
    pub(crate) fn list(&mut self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let blur = Blur::of(&self.strike(Stage::View, call.about()));
        let print = Print::of(self.strike(Stage::Print, call.about()));
        let Some(kind) = self.blueprint.kinds.get(call.kind) else { return Err(not_found(call)) };
        let filters = Filter::all(kind, call, self.clockwork)?;
        let sight = blur.sight(self.now);
        let seen = |place: &usize| {
            let record = self.records.get(*place)?;
            if younger(record.created, self.now, blur.unlisted_ms) || !self.in_scope(record, call) {
                return None;
            }
            let value = &record.at(sight)?.value;
            let kept = blur.unfiltered || kept_by(&filters, value);
            kept.then_some(Item { id: &record.id, value })
        };
        let places = self.of_kind.get(&call.kind).map(Vec::as_slice).unwrap_or_default();
        let items = places.iter().rev().filter_map(seen).collect();
        let page = Page::cut(items, call, self.options.page_size, blur)?;
        let shown = page.items.iter().map(|item| print.record(item.value.clone(), Some(kind))).collect();
        Ok(page.answer(call, shown))
    }

    /// Answers with a page of events, newest first unless the source says otherwise.
    pub(crate) fn list_events(&mut self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let blur = Blur::of(&self.strike(Stage::View, call.about()));
        let Some(source) = self.source_of(call) else { return Err(not_found(call)) };
        let filters = Filter::events(source, call)?;
        let sight = blur.sight(self.now);
        let visible = self.events.iter().rev().filter(|event| {
            event.listed && event.at <= sight && !younger(event.at, self.now, blur.unlisted_ms)
        });
        let kept = visible.filter(|event| blur.unfiltered || kept_by(&filters, &event.value));
        let items = kept.map(|event| Item { id: &event.id, value: &event.value }).collect();
        let page = Page::cut(items, call, self.options.page_size, blur)?;
        let shown = page.items.iter().map(|item| item.value.clone()).collect();
        Ok(page.answer(call, shown))
    }

    /// Answers with the event that the path names.
    pub(crate) fn read_event(&mut self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let blur = Blur::of(&self.strike(Stage::View, call.about()));
        let sight = blur.sight(self.now);
        let id = call.path.last().map(|(_, id)| id.as_str()).unwrap_or_default();
        let mut visible = self.events.iter().filter(|event| event.listed && event.at <= sight);
        let found = visible.find(|event| event.id == id).ok_or_else(|| not_found(call))?;
        Ok(wrapped(call.action, Value::clone(&found.value)))
    }

    /// True if a record is under the parents that the path names in front of its own id.
    pub(crate) fn in_scope(&self, record: &TrueRecord, call: &Call<'_>) -> bool {
        let parents = if call.action.does == crate::blueprint::Does::List {
            call.path
        } else {
            call.path.split_last().map(|(_, parents)| parents).unwrap_or_default()
        };
        let kind = self.blueprint.kinds.get(record.kind);
        parents.iter().all(|(name, id)| under(record, kind, (name, id), call))
    }

    fn source_of(&self, call: &Call<'_>) -> Option<&Source> {
        let envelope = call.action.kind.as_deref();
        let sources = &self.blueprint.sources;
        sources.iter().find(|source| source.envelope.as_deref() == envelope).or(sources.first())
    }
}

fn under(record: &TrueRecord, kind: Option<&Kind>, (name, id): (&str, &str), call: &Call<'_>) -> bool {
    let slot = call.action.slot(name);
    let placed = record.scope.iter().find(|own| own.slot == slot);
    if let Some(own) = placed.or_else(|| record.scope.iter().find(|own| own.name == name)) {
        return own.id == id;
    }
    let field = kind.and_then(|kind| shape::scope_field(kind, name, call));
    let value = field.and_then(|field| record.latest()?.value.get(&field.name));
    value.is_none_or(|value| crate::filter::reads_as(value, id))
}

fn wrapped(action: &Action, value: Value) -> Answer {
    if action.select.is_empty() {
        return Answer::json(action.status, value);
    }
    let mut body = Value::Object(Object::new());
    set_at(&mut body, &action.select, value);
    Answer::json(action.status, body)
}

/// The items of one page.
struct Page<'a> {
    items: Vec<Item<'a>>,
    more: bool,
    cursor: Option<Value>,
}

impl<'a> Page<'a> {
    fn cut(mut items: Vec<Item<'a>>, call: &Call<'_>, usual: u32, blur: Blur) -> Result<Self, Refusal> {
        let pages = &call.action.pages;
        match pages.order {
            Order::NewestFirst => {}
            Order::OldestFirst => items.reverse(),
            Order::Unordered => items.sort_by_key(|item| chance::mix(chance::hash(item.id))),
        }
        if let Some(cut) = blur.cut {
            items.truncate(usize::try_from(cut).unwrap_or(usize::MAX));
        }
        let size = page_size(call, usual, blur)?;
        let from = start(&items, call, size)?;
        let total = items.len();
        let items: Vec<Item<'a>> = items.into_iter().skip(from).take(size).collect();
        let more = from.saturating_add(items.len()) < total;
        let cursor = items.last().filter(|_| more).map(|item| match &pages.item_cursor {
            Some(steps) => walk(steps, item.value).cloned().unwrap_or_default(),
            None => Value::from(item.id),
        });
        Ok(Self { items, more, cursor })
    }

    fn answer(&self, call: &Call<'_>, shown: Vec<Value>) -> Answer {
        let action = call.action;
        let mut answer = wrapped(action, Value::Array(shown));
        let crate::wire::Body::Json(body) = &mut answer.body else { return answer };
        if let Value::Object(envelope) = body {
            for (name, value) in &action.fixed {
                envelope.insert(name.as_str(), value.as_str());
            }
            if let Some(name) = &action.location {
                envelope.insert(name.as_str(), call.request.path.as_str());
            }
        }
        if let Some(steps) = &action.pages.more {
            set_at(body, steps, Value::Bool(self.more));
        }
        if let Some(steps) = &action.pages.reply_cursor {
            set_at(body, steps, self.cursor.clone().unwrap_or_default());
        }
        answer
    }
}

fn parameter<'r>(call: &Call<'r>, name: Option<&str>) -> Option<&'r str> {
    let name = name?;
    call.request.query.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
}

fn number(call: &Call<'_>, name: Option<&str>) -> Result<Option<u32>, Refusal> {
    let Some(text) = parameter(call, name) else { return Ok(None) };
    let bad = |_| {
        let mut refusal = Refusal::new(400, "parameter_invalid", "must be a whole number");
        refusal.parameter = name.map(str::to_owned);
        refusal
    };
    text.parse().map(Some).map_err(bad)
}

/// Sizes above the largest are cut down to it; a list without pages holds everything.
fn page_size(call: &Call<'_>, usual: u32, blur: Blur) -> Result<usize, Refusal> {
    let pages = &call.action.pages;
    if pages.style == PageStyle::Single {
        return Ok(usize::MAX);
    }
    let asked = number(call, pages.size.as_deref())?.unwrap_or(usual);
    let most = pages.max_size.unwrap_or(u32::MAX).min(blur.page.unwrap_or(u32::MAX));
    Ok(usize::try_from(asked.min(most).max(1)).unwrap_or(usize::MAX))
}

/// Where the page starts. A cursor names an item that must be known.
fn start(items: &[Item<'_>], call: &Call<'_>, size: usize) -> Result<usize, Refusal> {
    let pages = &call.action.pages;
    let name = pages.parameter.as_deref();
    match pages.style {
        PageStyle::Single => Ok(0),
        PageStyle::Number => {
            let page = number(call, name)?.unwrap_or(1).max(1) - 1;
            Ok(usize::try_from(page).unwrap_or(usize::MAX).saturating_mul(size))
        }
        PageStyle::Offset => Ok(usize::try_from(number(call, name)?.unwrap_or(0)).unwrap_or(usize::MAX)),
        PageStyle::Cursor => {
            let Some(cursor) = parameter(call, name) else { return Ok(0) };
            let is_it = |item: &Item<'_>| match &pages.item_cursor {
                Some(steps) => walk(steps, item.value).is_some_and(|v| crate::filter::reads_as(v, cursor)),
                None => item.id == cursor,
            };
            let found = items.iter().position(is_it).map(|place| place + 1);
            found.ok_or_else(|| {
                let mut refusal = Refusal::new(400, "cursor_unknown", "no item has this cursor");
                refusal.parameter = name.map(str::to_owned);
                refusal
            })
        }
    }
}
