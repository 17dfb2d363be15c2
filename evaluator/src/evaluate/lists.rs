//! Numbers over lists: which items count, which may, and what an unread page could hold.

use alloc::vec::Vec;

use crate::compare::{Bounds, Decimal, Fixed, Instant, Operand};
use crate::contract::{Owner, StateClass, Truth};
use crate::json::Value;
use crate::load::{ChannelKind, ItemTest, OverTest, Test};
use crate::query::walk;

use super::conditions;
use super::context::{Context, ItemView};

/// An item with its owner.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) item: ItemView<'a>,
    pub(super) owner: Owner,
}

/// The items of a list, and whether it is known to hold all of them.
struct Listing<'a> {
    items: Items<'a>,
    complete: bool,
}

/// Where items come from.
#[derive(Clone, Copy)]
enum Items<'a> {
    Listed(&'a [crate::evidence::Item]),
    Events(&'a [crate::evidence::Event]),
    Inner(&'a [Value]),
}

impl<'a> Items<'a> {
    fn candidates(self, channel: usize) -> impl Iterator<Item = Candidate<'a>> {
        let (listed, events, inner): (&[_], &[_], &[_]) = match self {
            Self::Listed(items) => (items, &[], &[]),
            Self::Events(events) => (&[], events, &[]),
            Self::Inner(values) => (&[], &[], values),
        };
        let of_item = move |item: &'a crate::evidence::Item, record: &'a Value| Candidate {
            item: ItemView { id: Some(&item.id), value: &item.value, record, channel },
            owner: item.owner,
        };
        let of_event = move |event: &'a crate::evidence::Event| {
            of_item(&event.item, event.item.value.get("record").unwrap_or(&Value::Null))
        };
        let of_value = move |value: &'a Value| Candidate {
            item: ItemView { id: None, value, record: value, channel },
            owner: Owner::This,
        };
        listed
            .iter()
            .map(move |item| of_item(item, &item.value))
            .chain(events.iter().map(of_event))
            .chain(inner.iter().map(of_value))
    }
}

/// A list channel is complete if it is declared so, was read in this observation with every page back
/// to `begin`, holds every record that any channel has shown, and was read late enough.
pub(super) fn is_complete(context: &Context<'_>, channel: usize) -> bool {
    let declared = context.view(channel).is_some_and(|view| view.complete);
    let Some(list) = context.list(channel).filter(|list| declared && list.exhausted) else { return false };
    let holds = |id: &str| list.items.iter().any(|item| item.id == id);
    if !context.evidence.scope_records.iter().all(|id| holds(id)) {
        return false;
    }
    match context.own() {
        Some(own) => {
            holds(&own.id) && own.first_seen.is_some_and(|seen| list.read_at >= context.window_end(seen))
        }
        None => {
            let at_the_end = context.at_deadline() && list.read_at >= context.deadline;
            at_the_end || context.after_last_sign(list.read_at)
        }
    }
}

/// True if every item of the list was there before or belongs to another operation.
pub(super) fn none_new(context: &Context<'_>, channel: usize) -> bool {
    context.list(channel).is_some_and(|list| {
        list.items.iter().all(|item| {
            let view = ItemView { id: Some(&item.id), value: &item.value, record: &item.value, channel };
            item.owner == Owner::Other || is_new(context, view, channel, None) == Truth::Fails
        })
    })
}

/// True if every item of the list but the own record was there before, belongs to another operation, or ended
/// without effect.
pub(super) fn no_other_effect(context: &Context<'_>, channel: usize) -> bool {
    context.list(channel).is_some_and(|list| {
        list.items.iter().all(|item| {
            let view = ItemView { id: Some(&item.id), value: &item.value, record: &item.value, channel };
            context.is_own(&item.id)
                || item.owner == Owner::Other
                || effect(context, view) == Truth::Fails
                || is_new(context, view, channel, None) == Truth::Fails
        })
    })
}

/// Is the item new, that is, not there when the operation began?
fn is_new<'a>(
    context: &Context<'a>,
    item: ItemView<'a>,
    baseline: usize,
    fallback: Option<&'a ItemTest>,
) -> Truth {
    let before = context.baseline_of(baseline);
    if before.is_some_and(|before| before.ids.iter().any(|id| Some(id.as_str()) == item.id)) {
        return Truth::Fails;
    }
    let created = created(context, item);
    let begin = context.operation.begin;
    if created.is_some_and(|created| created.is_before(begin.at, begin.skew_ms)) {
        return Truth::Fails;
    }
    if before.is_some_and(|before| before.complete) {
        return Truth::Holds;
    }
    match (fallback, created) {
        (Some(test), _) => conditions::item_test(context, test, Candidate { item, owner: Owner::None }),
        (None, Some(created)) => conditions::time_after(context, created, item.id),
        (None, None) => Truth::Unknown,
    }
}

fn created(context: &Context<'_>, item: ItemView<'_>) -> Option<Instant> {
    let view = context.view(item.channel)?;
    Instant::read(walk(view.created.as_ref()?, item.record)?, view.instant.as_ref()?)
}

/// The class of an item's state is a success.
pub(super) fn effect(context: &Context<'_>, item: ItemView<'_>) -> Truth {
    let Some(lifecycle) = &context.program.lifecycle else { return Truth::Unknown };
    let name = walk(&lifecycle.steps, item.record).and_then(Value::as_str);
    match name.and_then(|name| context.program.state(name)).map(|state| state.class) {
        Some(StateClass::TerminalSuccess) => Truth::Holds,
        Some(StateClass::TerminalFailure | StateClass::TerminalNeutral) => Truth::Fails,
        Some(StateClass::Transitional | StateClass::Unknown) | None => Truth::Unknown,
    }
}

/// The count or sum of a test, or nothing where the list was not read.
pub(super) fn measure<'a>(context: &Context<'a>, over: &'a OverTest, test: &'a Test) -> Operand<'a> {
    let Some(listing) = listing(context, over) else { return Operand::Unavailable };
    let passes = |candidate: Candidate<'a>| {
        let tests = over.tests.iter().map(|test| conditions::item_test(context, test, candidate));
        let new =
            over.outside.map(|channel| is_new(context, candidate.item, channel, test.fallback.as_ref()));
        tests.chain(new).fold(Truth::Holds, Truth::and)
    };
    let counted = group(listing.items.candidates(over.channel), passes);
    match &over.sum {
        None => Operand::Bounds(count(&counted, listing.complete)),
        Some(steps) if listing.complete => sum(&counted, steps).map_or(Operand::Unavailable, Operand::Bounds),
        Some(_) => Operand::Unavailable,
    }
}

fn listing<'a>(context: &Context<'a>, over: &'a OverTest) -> Option<Listing<'a>> {
    if let Some(steps) = &over.inner {
        return inner_listing(context, over.channel, steps);
    }
    match context.view(over.channel)?.kind {
        ChannelKind::List => context.list(over.channel).map(|list| Listing {
            items: Items::Listed(&list.items),
            complete: is_complete(context, over.channel),
        }),
        ChannelKind::Events => context
            .events(over.channel)
            .map(|events| Listing { items: Items::Events(events), complete: false }),
        ChannelKind::Record | ChannelKind::Response => None,
    }
}

fn inner_listing<'a>(
    context: &Context<'a>,
    channel: usize,
    steps: &'a [crate::query::Step],
) -> Option<Listing<'a>> {
    let whole = context.record(channel).map(|read| read.whole);
    match context.observed(channel, steps) {
        Operand::Missing => Some(Listing { items: Items::Inner(&[]), complete: whole.unwrap_or(false) }),
        Operand::Value(Value::Array(items)) => {
            Some(Listing { items: Items::Inner(items), complete: whole.unwrap_or(false) })
        }
        _ => None,
    }
}

/// One distinct record (or inner item) that counts, for certain or possibly.
struct Counted<'a> {
    id: Option<&'a str>,
    truth: Truth,
    record: &'a Value,
}

/// Groups items by record: certain if one of its items passes, possible if one may.
fn group<'a>(
    candidates: impl Iterator<Item = Candidate<'a>>,
    passes: impl Fn(Candidate<'a>) -> Truth,
) -> Vec<Counted<'a>> {
    let mut counted: Vec<Counted<'a>> = Vec::new();
    for candidate in candidates {
        let truth = passes(candidate);
        let id = candidate.item.id;
        let known = counted.iter_mut().find(|known| id.is_some() && known.id == id);
        match known {
            Some(known) if truth > known.truth => {
                known.truth = truth;
                known.record = candidate.item.value;
            }
            Some(_) => {}
            None => counted.push(Counted { id, truth, record: candidate.item.value }),
        }
    }
    counted.retain(|known| known.truth != Truth::Fails);
    counted
}

fn count(counted: &[Counted<'_>], complete: bool) -> Bounds {
    let of = |truth: Truth| counted.iter().filter(|known| known.truth >= truth).count();
    let whole = |number: usize| i128::try_from(number).ok().map(Fixed::whole);
    let high = if complete { whole(of(Truth::Unknown)) } else { None };
    Bounds { low: whole(of(Truth::Holds)), high }
}

/// The sum over certain items, widened by every possible one; `None` if a number cannot be read.
fn sum(counted: &[Counted<'_>], steps: &[crate::query::Step]) -> Option<Bounds> {
    let (mut low, mut high) = (Fixed::ZERO, Fixed::ZERO);
    for known in counted {
        let number = walk(steps, known.record).and_then(fixed)?;
        if known.truth == Truth::Holds || number.is_negative() {
            low = low.plus(number)?;
        }
        if known.truth == Truth::Holds || !number.is_negative() {
            high = high.plus(number)?;
        }
    }
    Some(Bounds { low: Some(low), high: Some(high) })
}

fn fixed(value: &Value) -> Option<Fixed> {
    let text = match value {
        Value::Number(number) => number.as_str(),
        Value::String(text) => text,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    Decimal::parse(text)?.to_fixed()
}
