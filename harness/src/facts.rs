//! Facts: what really happened to one operation's intent, from the simulator's ground truth and from what
//! the agent was made to do. It must not look at a reply, an event, a contract or a verdict.

use provely_evaluator::contract::StateClass;
use provely_evaluator::json::Value;
use provely_evaluator::query::{Step, walk};
use provely_evaluator::time::Time;
use provely_model::Lifecycle;
use provely_simulator::{GroundTruth, TruePart, TrueRecord};

use crate::book::{Asks, FactName, Said, Sources, Where};
use crate::level::{Promise, PromiseKind};

/// The thousandths of a whole.
const WHOLE: u32 = 1000;

/// Something done at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deed {
    /// For which operation; absent: somebody else.
    pub(crate) by: Option<String>,
    /// The request, as a place in the ground truth.
    pub(crate) request: usize,
    /// What it said.
    pub(crate) asks: Asks,
    /// The provider made something else of it.
    pub(crate) altered: bool,
    /// Whose account it went to.
    pub(crate) place: Where,
}

/// What an id is that an agent handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HandedIn {
    Nothing,
    Invented,
    Earlier,
    Foreign,
    Own,
}

/// The facts about one operation at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub(crate) covered: bool,
    pub(crate) sources: Sources,
    pub(crate) promise: PromiseKind,
    pub(crate) record: RecordFact,
    pub(crate) as_asked: bool,
    pub(crate) after_begin: bool,
    pub(crate) second_effect: SecondEffect,
    pub(crate) handed_in: HandedIn,
    pub(crate) said: Option<Said>,
    pub(crate) is_end: bool,
    pub(crate) dated: bool,
    pub(crate) existing: bool,
}

/// What the intent's record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RecordFact {
    None,
    /// It has no part that counts.
    Empty,
    Unchanged,
    Partly,
    Neutral,
    Failure,
    Unknown,
    Transitional,
    Success,
    Kept,
}

/// Whether the intent has a second effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecondEffect {
    None,
    Young,
    Moving,
    Done,
    /// Done, and not what was asked for.
    Unlike,
}

/// What facts are made from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Witness<'a> {
    pub(crate) truth: GroundTruth<'a>,
    pub(crate) deeds: &'a [Deed],
    pub(crate) lifecycle: Option<&'a Lifecycle>,
    pub(crate) promise: &'a Promise,
    pub(crate) covered: bool,
    pub(crate) stale_window_ms: i64,
    /// Records show when they were made.
    pub(crate) dated: bool,
    /// What the shares of the parts that count come to, in thousandths; absent: the case has no parts.
    pub(crate) shares: Option<u32>,
    /// The record that the action changes, where it does.
    pub(crate) existing: Option<Existing<'a>>,
}

/// A record that is there already, and what is asked of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Existing<'a> {
    pub(crate) resource: &'a str,
    pub(crate) id: &'a str,
    pub(crate) asked: &'a [(Vec<Step>, Value)],
}

/// The operation that is asked about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) name: &'a str,
    pub(crate) asks: Asks,
    pub(crate) begun: Time,
    pub(crate) handed_in: HandedIn,
    pub(crate) said: Option<Said>,
}

/// One record that was made for the intent.
#[derive(Debug, Clone, Copy)]
struct Own<'a> {
    record: &'a TrueRecord,
    fact: RecordFact,
    as_asked: bool,
    after_begin: bool,
}

impl<'a> Witness<'a> {
    /// The facts at a time.
    pub(crate) fn facts(&self, subject: Subject<'_>, at: Time, sources: Sources, is_end: bool) -> Facts {
        if let Some(existing) = self.existing {
            let record = self.existing_fact(existing, subject.begun, at);
            let before = self.existing_fact(existing, subject.begun, subject.begun) == RecordFact::Kept;
            return Facts {
                record,
                as_asked: true,
                after_begin: !before,
                second_effect: SecondEffect::None,
                ..self.common(subject, sources, is_end)
            };
        }
        let own = self.own(subject, at);
        let best = own.iter().max_by_key(|own| (own.as_asked, own.after_begin, own.fact, own.record.created));
        Facts {
            record: best.map_or(RecordFact::None, |own| own.fact),
            as_asked: best.is_none_or(|own| own.as_asked),
            after_begin: best.is_none_or(|own| own.after_begin),
            second_effect: self.second_effect(&own, at),
            ..self.common(subject, sources, is_end)
        }
    }

    /// The facts that do not depend on the record.
    fn common(&self, subject: Subject<'_>, sources: Sources, is_end: bool) -> Facts {
        Facts {
            covered: self.covered,
            sources,
            promise: self.promise.kind(self.lifecycle),
            record: RecordFact::None,
            as_asked: true,
            after_begin: true,
            second_effect: SecondEffect::None,
            handed_in: subject.handed_in,
            said: subject.said,
            is_end,
            dated: self.dated,
            existing: self.existing.is_some(),
        }
    }

    /// What has become of a record that was there before.
    fn existing_fact(&self, own: Existing<'_>, begun: Time, at: Time) -> RecordFact {
        let mut records = self.truth.of(own.resource).filter(|record| record.id == own.id);
        let Some(record) = records.next() else { return RecordFact::None };
        let version = record.at(at);
        match (self.promise, version) {
            (Promise::Gone, None) => RecordFact::Kept,
            (Promise::Gone, Some(_)) => RecordFact::Unchanged,
            (_, None) => RecordFact::None,
            (Promise::Changed, Some(version)) => shown(own.asked, &version.value),
            (Promise::Altered, Some(version)) => {
                let same = record.at(begun).is_some_and(|then| then.value == version.value);
                if same { RecordFact::Unchanged } else { RecordFact::Kept }
            }
            (Promise::Exists | Promise::Present | Promise::Reaches(_), Some(version)) => {
                let fact = self.record_fact(version.state.as_deref());
                let same = record.at(begun).is_some_and(|then| then.state == version.state);
                if same && fact != RecordFact::Kept { RecordFact::Unchanged } else { fact }
            }
        }
    }

    fn own(&self, subject: Subject<'_>, at: Time) -> Vec<Own<'a>> {
        let mut found = Vec::new();
        for record in self.truth.records.iter().filter(|record| record.created <= at) {
            let request = record.creation().and_then(|effect| effect.request);
            let deed = self.deeds.iter().find(|deed| {
                Some(deed.request) == request
                    && deed.place == Where::Here
                    && deed.by.as_deref() == Some(subject.name)
            });
            let (Some(deed), Some(version)) = (deed, record.at(at)) else { continue };
            let parts = self.lifecycle.and_then(|own| own.parts.as_ref()).map(|_| &version.parts);
            let fact = match parts {
                Some(parts) => self.parts_fact(parts),
                None => self.record_fact(version.state.as_deref()),
            };
            let whole = fact != RecordFact::Kept || self.shares.is_none_or(|shares| shares == WHOLE);
            found.push(Own {
                record,
                fact,
                as_asked: !deed.altered && same_ask(deed.asks, subject.asks) && whole,
                after_begin: record.created >= subject.begun,
            });
        }
        found
    }

    /// What the parts that count say together: nothing is settled while one is in motion, and a part that failed
    /// beside one that settled makes no whole.
    fn parts_fact(&self, parts: &[TruePart]) -> RecordFact {
        let facts: Vec<RecordFact> =
            parts.iter().filter(|part| part.counts).map(|part| self.record_fact(Some(&part.state))).collect();
        let has = |fact: RecordFact| facts.contains(&fact);
        let settled = has(RecordFact::Kept) || has(RecordFact::Success);
        let ended = has(RecordFact::Failure) || has(RecordFact::Neutral);
        match facts.as_slice() {
            [] => RecordFact::Empty,
            _ if has(RecordFact::Transitional) => RecordFact::Transitional,
            _ if has(RecordFact::Unknown) => RecordFact::Unknown,
            _ if settled && ended => RecordFact::Partly,
            [first, ..] => *first,
        }
    }

    fn record_fact(&self, state: Option<&str>) -> RecordFact {
        if self.promise.is_kept(self.lifecycle, state) {
            return RecordFact::Kept;
        }
        let class = self.lifecycle.zip(state).and_then(|(own, state)| own.state(state)).map(|own| own.class);
        match class {
            Some(StateClass::Transitional) => RecordFact::Transitional,
            Some(StateClass::TerminalSuccess) => RecordFact::Success,
            Some(StateClass::TerminalFailure) => RecordFact::Failure,
            Some(StateClass::TerminalNeutral) => RecordFact::Neutral,
            Some(StateClass::Unknown) | None => RecordFact::Unknown,
        }
    }

    /// Records that ended without effect are none.
    fn second_effect(&self, own: &[Own<'_>], at: Time) -> SecondEffect {
        // Where the promise is of existence alone, no state says that a second record is none.
        let silent = *self.promise == Promise::Present;
        let class = |own: &Own<'_>| {
            let state = own.record.at(at).and_then(|version| version.state.as_deref());
            let found = self.lifecycle.zip(state).and_then(|(life, state)| life.state(state));
            found.filter(|_| !silent).map(|state| state.class)
        };
        let alive: Vec<&Own<'_>> =
            own.iter().filter(|own| !class(own).is_some_and(StateClass::is_effectless)).collect();
        let Some(second) = alive.get(1) else { return SecondEffect::None };
        let settled =
            |own: &&Own<'_>| self.lifecycle.is_none() || class(own) == Some(StateClass::TerminalSuccess);
        let old = at.since(second.record.created) > self.stale_window_ms;
        match (old, alive.iter().filter(|own| settled(own)).count() > 1) {
            (false, _) => SecondEffect::Young,
            (true, true) if alive.iter().any(|own| !own.as_asked) => SecondEffect::Unlike,
            (true, true) => SecondEffect::Done,
            (true, false) => SecondEffect::Moving,
        }
    }
}

/// Whether a record shows all, some or none of what was asked.
fn shown(asked: &[(Vec<Step>, Value)], record: &Value) -> RecordFact {
    let done = asked.iter().filter(|(way, value)| walk(way, record).is_some_and(|own| same(own, value)));
    match done.count() {
        0 => RecordFact::Unchanged,
        count if count == asked.len() => RecordFact::Kept,
        _ => RecordFact::Partly,
    }
}

/// A value in the record's type is what was asked for: `5` and `"5"`, an id and the record of that id, one and a
/// list of one.
fn same(own: &Value, asked: &Value) -> bool {
    let plain = |value: &Value| match value {
        Value::Object(object) => object.get("id").cloned().unwrap_or_else(|| value.clone()),
        Value::Array(items) if items.len() == 1 => items.first().cloned().unwrap_or_default(),
        other => other.clone(),
    };
    let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    own == asked || text(plain(own)) == text(plain(asked))
}

/// The letters of a currency make no other ask.
fn same_ask(one: Asks, other: Asks) -> bool {
    let plain = |asks| if asks == Asks::CurrencyInCapitals { Asks::Base } else { asks };
    plain(one) == plain(other)
}

impl Facts {
    /// The value of a fact, as rows write it.
    #[must_use]
    pub fn value(&self, name: FactName) -> &'static str {
        match name {
            FactName::Covered => yes(self.covered),
            FactName::Sources => match self.sources {
                Sources::Open => "open",
                Sources::Behind => "behind",
                Sources::BehindOrOpen => "behind_or_open",
                Sources::Down => "down",
            },
            FactName::Promise => match self.promise {
                PromiseKind::Exists => "exists",
                PromiseKind::Success => "success",
                PromiseKind::Failure => "failure",
                PromiseKind::Changed => "changed",
                PromiseKind::Gone => "gone",
            },
            FactName::Record => match self.record {
                RecordFact::None => "none",
                RecordFact::Empty => "empty",
                RecordFact::Unchanged => "unchanged",
                RecordFact::Partly => "partly",
                RecordFact::Kept => "kept",
                RecordFact::Transitional => "transitional",
                RecordFact::Success => "success",
                RecordFact::Failure => "failure",
                RecordFact::Neutral => "neutral",
                RecordFact::Unknown => "unknown",
            },
            FactName::AsAsked => yes(self.as_asked),
            FactName::Order => {
                if self.after_begin {
                    "after"
                } else {
                    "before"
                }
            }
            FactName::Dated => yes(self.dated),
            FactName::Target if self.existing => "existing",
            FactName::Target => "created",
            FactName::SecondEffect => match self.second_effect {
                SecondEffect::None => "none",
                SecondEffect::Young => "young",
                SecondEffect::Moving => "moving",
                SecondEffect::Done => "done",
                SecondEffect::Unlike => "unlike",
            },
            FactName::HandedIn => match self.handed_in {
                HandedIn::Own => "own",
                HandedIn::Nothing => "nothing",
                HandedIn::Invented => "invented",
                HandedIn::Foreign => "foreign",
                HandedIn::Earlier => "earlier",
            },
            FactName::Said => match self.said {
                None => "nothing",
                Some(Said::Accepted) => "accepted",
                Some(Said::Rejected) => "rejected",
                Some(Said::Lost) => "lost",
            },
            FactName::Phase => {
                if self.is_end {
                    "end"
                } else {
                    "look"
                }
            }
        }
    }
}

const fn yes(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}
