//! The folded state: one state of our record over readback and events.
//!
//! By the provider's clock or version, never by arrival; ties by rank. Whatever could be an older
//! read, or a success that was taken back, leaves the state unknown.

use core::cmp::Ordering;

use crate::compare::Operand;
use crate::contract::StateClass;
use crate::evidence::Event;
use crate::json::Value;
use crate::load::ChannelKind;
use crate::query::walk;
use crate::time::Time;

use super::context::{Context, found};

/// What the lifecycle's path stands for in this evaluation.
#[derive(Clone, Copy)]
pub(super) struct Folded<'a> {
    /// The state, missing or unavailable.
    pub(super) state: Operand<'a>,
    /// When the present doubt ends by itself, if it does.
    pub(super) settles_at: Option<Time>,
}

impl Folded<'_> {
    /// No lifecycle, or nothing known.
    pub(super) const NONE: Self = Self { state: Operand::Unavailable, settles_at: None };
}

/// Rank of a state: transitional, success marked reversible, failure or neutral, other success, unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Transitional,
    ReversibleSuccess,
    Effectless,
    FinalSuccess,
    Unknown,
}

impl Rank {
    const fn is_success(self) -> bool {
        match self {
            Self::ReversibleSuccess | Self::FinalSuccess => true,
            Self::Transitional | Self::Effectless | Self::Unknown => false,
        }
    }
}

/// One sighting of our record's state.
#[derive(Clone, Copy)]
struct Sighting<'a> {
    state: &'a Value,
    rank: Rank,
    /// The provider's time of the state.
    time: Option<Time>,
    /// When we first saw it.
    seen: Time,
}

impl<'a> Sighting<'a> {
    fn of(context: &Context<'a>, record: &'a Value, time: Option<Time>, seen: Time) -> Option<Self> {
        let lifecycle = context.program.lifecycle.as_ref()?;
        let state = walk(&lifecycle.steps, record).filter(|value| value.as_str().is_some())?;
        Some(Self { state, rank: rank(context, state), time, seen })
    }

    fn same_state(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

fn rank(context: &Context<'_>, state: &Value) -> Rank {
    match state.as_str().and_then(|name| context.program.state(name)) {
        None => Rank::Unknown,
        Some(state) => match state.class {
            StateClass::Transitional => Rank::Transitional,
            StateClass::TerminalSuccess if state.reversible => Rank::ReversibleSuccess,
            StateClass::TerminalSuccess => Rank::FinalSuccess,
            StateClass::TerminalFailure | StateClass::TerminalNeutral => Rank::Effectless,
            StateClass::Unknown => Rank::Unknown,
        },
    }
}

/// Folds every sighting of our record into one state.
pub(super) fn fold<'a>(context: &Context<'a>) -> Folded<'a> {
    let Some(channel) = context.program.lifecycle.as_ref().and_then(|lifecycle| lifecycle.channel) else {
        return Folded::NONE;
    };
    let read = context.record(channel);
    let readback =
        read.and_then(|read| Sighting::of(context, &read.value, read.state_time, read.state_since));
    if let (Some(read), None) = (read, readback) {
        let steps = context.program.lifecycle.as_ref().map_or(&[][..], |lifecycle| &lifecycle.steps);
        return Folded { state: found(&read.value, steps), settles_at: None };
    }
    let folded = match (readback, best_event(context)) {
        (None, None) => Folded::NONE,
        (Some(readback), None) => settled(readback),
        (None, Some(event)) if event.rank == Rank::Effectless => after_window(context, event),
        (None, Some(_)) => Folded::NONE,
        (Some(readback), Some(event)) => between(context, readback, event),
    };
    veto(context, folded)
}

fn settled(sighting: Sighting<'_>) -> Folded<'_> {
    Folded { state: Operand::Value(sighting.state), settles_at: None }
}

/// The state of a sighting once the stale window after it has passed; until then unknown.
fn after_window<'a>(context: &Context<'a>, sighting: Sighting<'a>) -> Folded<'a> {
    let end = context.window_end(sighting.seen);
    if context.now >= end {
        settled(sighting)
    } else {
        Folded { state: Operand::Unavailable, settles_at: Some(end) }
    }
}

fn between<'a>(context: &Context<'a>, readback: Sighting<'a>, event: Sighting<'a>) -> Folded<'a> {
    if !event_wins(readback, event) {
        let rival = readback.rank == Rank::Effectless && has_rival(context, readback);
        return if rival { after_window(context, readback) } else { settled(readback) };
    }
    if readback.same_state(&event) {
        let rival = event.rank == Rank::Effectless && has_rival(context, event);
        return if rival { after_window(context, event) } else { settled(event) };
    }
    let folded = after_window(context, event);
    let taken_back = event.rank.is_success()
        && !readback.rank.is_success()
        && (event.rank == Rank::ReversibleSuccess || readback.rank >= Rank::Effectless);
    if taken_back { Folded { state: Operand::Unavailable, ..folded } } else { folded }
}

/// The later by the provider's clock; without one, the higher rank. A readback without a time never
/// outranks a failure that an event shows.
fn event_wins(readback: Sighting<'_>, event: Sighting<'_>) -> bool {
    match (readback.time, event.time) {
        (Some(read), Some(sent)) if read != sent => sent > read,
        (None, _) if event.rank == Rank::Effectless => true,
        _ => match event.rank.cmp(&readback.rank) {
            Ordering::Greater => true,
            Ordering::Equal => event.rank == Rank::Effectless,
            Ordering::Less => false,
        },
    }
}

/// A success of our record that may be as late as the failure.
fn has_rival(context: &Context<'_>, failure: Sighting<'_>) -> bool {
    sightings(context).any(|event| {
        event.rank.is_success()
            && match (event.time, failure.time) {
                (Some(success), Some(failed)) => success == failed,
                (None, _) | (_, None) => true,
            }
    })
}

/// The events that show a state of our record.
fn sightings<'a, 'c>(context: &'c Context<'a>) -> impl Iterator<Item = Sighting<'a>> + 'c {
    let of_channel = move |index: usize| {
        let is_events = context.view(index).is_some_and(|view| view.kind == ChannelKind::Events);
        context.events(index).filter(|_| is_events).unwrap_or_default()
    };
    (0..context.program.channels.len())
        .flat_map(of_channel)
        .filter(|event| context.is_own(&event.item.id))
        .filter_map(move |event| of_event(context, event))
}

fn of_event<'a>(context: &Context<'a>, event: &'a Event) -> Option<Sighting<'a>> {
    Sighting::of(context, event.item.value.get("record")?, event.time, event.received_at)
}

fn best_event<'a>(context: &Context<'a>) -> Option<Sighting<'a>> {
    let by_time = |a: &Sighting<'a>, b: &Sighting<'a>| {
        (a.time, a.rank).cmp(&(b.time, b.rank)).then_with(|| b.seen.cmp(&a.seen))
    };
    let by_rank = |a: &Sighting<'a>, b: &Sighting<'a>| {
        a.rank
            .cmp(&b.rank)
            .then_with(|| a.time.is_some().cmp(&b.time.is_some()))
            .then_with(|| b.seen.cmp(&a.seen))
    };
    let timed = sightings(context).filter(|event| event.time.is_some()).max_by(by_time);
    let untimed = sightings(context).filter(|event| event.time.is_none());
    untimed.chain(timed).max_by(by_rank)
}

/// A list that shows our record failed, canceled or in a word nobody knows stands in the way of a success.
fn veto<'a>(context: &Context<'a>, folded: Folded<'a>) -> Folded<'a> {
    let success = matches!(folded.state, Operand::Value(state) if rank(context, state).is_success());
    if !success {
        return folded;
    }
    let denies = |record: &'a Value| {
        Sighting::of(context, record, None, context.now)
            .is_some_and(|sighting| matches!(sighting.rank, Rank::Effectless | Rank::Unknown))
    };
    let vetoed = (0..context.program.channels.len())
        .filter_map(|channel| context.list(channel))
        .flat_map(|list| &list.items)
        .any(|item| context.is_own(&item.id) && denies(&item.value));
    if vetoed { Folded { state: Operand::Unavailable, ..folded } } else { folded }
}
