//! What one evaluation looks at: references resolved against the evidence, and the window rules.

use crate::compare::{Bounds, Fixed, Operand};
use crate::contract::Target;
use crate::evidence::{BoundRecord, Event, Evidence, ListRead, Read, RecordRead};
use crate::json::Value;
use crate::load::{ChannelView, Expression, Program};
use crate::operation::Operation;
use crate::query::{Step, walk};
use crate::time::Time;

use super::fold::{self, Folded};
use super::lists;

/// One evaluation's inputs, and what is derived from them once.
pub(super) struct Context<'a> {
    pub(super) program: &'a Program,
    pub(super) operation: &'a Operation,
    pub(super) evidence: &'a Evidence,
    pub(super) now: Time,
    pub(super) deadline: Time,
    pub(super) folded: Folded<'a>,
    /// What the first channels showed, found once; the rest is searched for.
    reads: [Option<&'a Read>; FOUND_ONCE],
}

/// Channels whose evidence is found once per evaluation.
const FOUND_ONCE: usize = 8;

static TRUE: Value = Value::Bool(true);
static FALSE: Value = Value::Bool(false);

/// The item that a test looks at.
#[derive(Clone, Copy)]
pub(super) struct ItemView<'a> {
    /// The record's id, where it has one.
    pub(super) id: Option<&'a str>,
    /// `@`.
    pub(super) value: &'a Value,
    /// The record itself: `@`, or below it for events.
    pub(super) record: &'a Value,
    /// The channel that the list was read from.
    pub(super) channel: usize,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        program: &'a Program,
        operation: &'a Operation,
        evidence: &'a Evidence,
        now: Time,
    ) -> Self {
        let deadline = operation.deadline(program.contract.timing.timeout_ms);
        let mut reads = [None; FOUND_ONCE];
        for (read, channel) in reads.iter_mut().zip(&program.contract.evidence_policy.channels) {
            *read = evidence.channel(&channel.name);
        }
        let mut context = Self { program, operation, evidence, now, deadline, folded: Folded::NONE, reads };
        context.folded = fold::fold(&context);
        context
    }

    pub(super) fn own(&self) -> Option<&'a BoundRecord> {
        self.evidence.correlation.record.as_ref()
    }

    pub(super) fn is_own(&self, id: &str) -> bool {
        self.own().is_some_and(|own| own.id == id)
    }

    pub(super) fn at_deadline(&self) -> bool {
        self.now >= self.deadline
    }

    pub(super) fn creates(&self) -> bool {
        self.program.contract.action.target == Target::Create
    }

    /// The end of the stale window that starts at `start`.
    pub(super) fn window_end(&self, start: Time) -> Time {
        let window = self.program.contract.timing.stale_read_window_ms;
        start.plus(i64::try_from(window).unwrap_or(i64::MAX))
    }

    /// True once the stale window after the last sign of the action has passed.
    pub(super) fn after_last_sign(&self, at: Time) -> bool {
        self.operation.last_sign().is_some_and(|sign| at >= self.window_end(sign))
    }

    pub(super) fn view(&self, channel: usize) -> Option<&'a ChannelView> {
        self.program.channels.get(channel)
    }

    pub(super) fn read(&self, channel: usize) -> Option<&'a Read> {
        if let Some(read) = self.reads.get(channel) {
            return *read;
        }
        let name = &self.program.contract.evidence_policy.channels.get(channel)?.name;
        self.evidence.channel(name)
    }

    /// The record that a channel read in this observation.
    pub(super) fn record(&self, channel: usize) -> Option<&'a RecordRead> {
        match self.read(channel)? {
            Read::Record(read) if read.observation == self.evidence.observation => Some(read),
            Read::Record(_)
            | Read::NotFound { .. }
            | Read::List(_)
            | Read::Events(_)
            | Read::Unavailable { .. } => None,
        }
    }

    /// The list that a channel read in this observation.
    pub(super) fn list(&self, channel: usize) -> Option<&'a ListRead> {
        match self.read(channel)? {
            Read::List(read) if read.observation == self.evidence.observation => Some(read),
            Read::List(_)
            | Read::Record(_)
            | Read::NotFound { .. }
            | Read::Events(_)
            | Read::Unavailable { .. } => None,
        }
    }

    /// The stored events of a channel.
    pub(super) fn events(&self, channel: usize) -> Option<&'a [Event]> {
        match self.read(channel)? {
            Read::Events(read) => Some(&read.events),
            Read::Record(_) | Read::NotFound { .. } | Read::List(_) | Read::Unavailable { .. } => None,
        }
    }

    /// True if some baseline saw the record.
    pub(super) fn was_there_before(&self, id: &str) -> bool {
        self.evidence.baselines.iter().any(|baseline| baseline.ids.iter().any(|known| known == id))
    }

    /// Resolves a reference; `item` is what `@` stands for.
    pub(super) fn resolve(&self, expression: &'a Expression, item: Option<ItemView<'a>>) -> Operand<'a> {
        match expression {
            Expression::Input(steps) => found(&self.operation.input, steps),
            Expression::OperationId => Operand::Text(&self.operation.id),
            Expression::OperationCreated => Operand::Moment(self.operation.begin.at),
            Expression::OperationLive => match self.operation.live {
                Some(true) => Operand::Value(&TRUE),
                Some(false) => Operand::Value(&FALSE),
                None => Operand::Unavailable,
            },
            Expression::Correlation(key, steps) => self.correlation(key, steps),
            Expression::Record(channel, steps) => self.observed(*channel, steps),
            Expression::EventCount(channel) => self.event_count(*channel),
            Expression::EventLatest(channel, steps) => self.event_at(*channel, steps, true),
            Expression::EventEarliest(channel, steps) => self.event_at(*channel, steps, false),
            Expression::Baseline(channel, steps) => self.baseline(*channel, steps),
            Expression::Item(steps) => item.map_or(Operand::Unavailable, |item| found(item.value, steps)),
        }
    }

    fn correlation(&self, key: &str, steps: &'a [Step]) -> Operand<'a> {
        if self.own().is_none() {
            return Operand::Unavailable;
        }
        let value = self.evidence.correlation.keys.iter().find(|(name, _)| name == key);
        value.map_or(Operand::Unavailable, |(_, value)| found(value, steps))
    }

    pub(super) fn observed(&self, channel: usize, steps: &'a [Step]) -> Operand<'a> {
        if let Some(read) = self.record(channel) {
            return found(&read.value, steps);
        }
        match self.read(channel) {
            Some(Read::NotFound { observation })
                if *observation == self.evidence.observation && self.is_gone() =>
            {
                Operand::Missing
            }
            _ => Operand::Unavailable,
        }
    }

    /// A 404 means gone only for a record that the baseline saw, outside the stale window.
    fn is_gone(&self) -> bool {
        self.own().is_some_and(|own| self.was_there_before(&own.id)) && self.after_last_sign(self.now)
    }

    fn event_count(&self, channel: usize) -> Operand<'a> {
        let Some(events) = self.events(channel) else { return Operand::Unavailable };
        let first = |index: usize, event: &Event| {
            events.iter().position(|other| other.item.id == event.item.id) == Some(index)
        };
        let distinct = events.iter().enumerate().filter(|(index, event)| first(*index, event)).count();
        Operand::Bounds(Bounds { low: i128::try_from(distinct).ok().map(Fixed::whole), high: None })
    }

    fn event_at(&self, channel: usize, steps: &'a [Step], latest: bool) -> Operand<'a> {
        let timed = self.events(channel).into_iter().flatten().filter_map(|event| Some((event.time?, event)));
        let better = |best: (Time, &'a Event), next: (Time, &'a Event)| {
            let replaces = if latest { next.0 > best.0 } else { next.0 < best.0 };
            if replaces { next } else { best }
        };
        match timed.reduce(better).and_then(|(_, event)| event.item.value.get("record")) {
            Some(record) => found(record, steps),
            None => Operand::Unavailable,
        }
    }

    fn baseline(&self, channel: usize, steps: &'a [Step]) -> Operand<'a> {
        match self.baseline_of(channel).and_then(|baseline| baseline.value.as_ref()) {
            Some(value) => found(value, steps),
            None => Operand::Unavailable,
        }
    }

    pub(super) fn baseline_of(&self, channel: usize) -> Option<&'a crate::evidence::Baseline> {
        let name = &self.program.contract.evidence_policy.channels.get(channel)?.name;
        self.evidence.baseline(name)
    }

    /// True unless the first complete list may hold another effect of this operation, or does not tell yet. Where
    /// nothing is made, or no list can be complete, there is nothing to wait for.
    pub(super) fn stands_alone(&self) -> bool {
        let Some(channel) = self.program.complete_list.filter(|_| self.creates()) else { return true };
        lists::is_complete(self, channel) && lists::no_other_effect(self, channel)
    }

    /// True if the first complete list, read in full, shows no new record that could be ours.
    pub(super) fn shows_nothing_new(&self) -> bool {
        let Some(channel) = self.program.complete_list else { return false };
        lists::is_complete(self, channel) && lists::none_new(self, channel)
    }
}

/// The value at the steps; `null` is missing.
pub(super) fn found<'v>(value: &'v Value, steps: &[Step]) -> Operand<'v> {
    match walk(steps, value) {
        None | Some(Value::Null) => Operand::Missing,
        Some(value) => Operand::Value(value),
    }
}
