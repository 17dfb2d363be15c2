//! Facts: what really happened to one operation's intent, from the simulator's ground truth and from what
//! the agent was made to do. It must not look at a reply, an event, a contract or a verdict.

use std::collections::BTreeMap;

use provely_evaluator::contract::StateClass;
use provely_evaluator::json::Value;
use provely_evaluator::query::{Step, walk};
use provely_evaluator::time::Time;
use provely_model::Lifecycle;
use provely_simulator::{GroundTruth, TruePart, TrueRecord};

use crate::book::{Asks, Aspects, FactName, Said, Sources, Where};
use crate::level::{Promise, PromiseKind};
use crate::play::Player;

/// The thousandths of a whole.
const WHOLE: u32 = 1000;

/// Something done at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deed {
    /// For which operation; absent: somebody else.
    pub(crate) by: Option<String>,
    /// The operation whose key or tag the record shows.
    pub(crate) mark: Option<String>,
    /// Something may keep that from being seen.
    pub(crate) is_blurred: bool,
    /// The request, as a place in the ground truth.
    pub(crate) request: usize,
    /// What came of it: what it said, or what the provider made of that.
    pub(crate) made: Aspects,
    /// Whose account it went to.
    pub(crate) place: Where,
}

impl Deed {
    /// One operation's agent did it with the key of another one.
    fn is_shared(&self) -> bool {
        self.mark.is_some() && self.mark != self.by
    }
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
    pub(crate) misled: bool,
    pub(crate) unowned: bool,
    pub(crate) effect: bool,
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
    /// None any more: another record of this intent has ended without effect.
    Ended,
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
    pub(crate) players: &'a BTreeMap<String, Player>,
    /// Who handed in which id, in order.
    pub(crate) claims: &'a [(String, String)],
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
    pub(crate) intent: &'a str,
    pub(crate) begun: Time,
    pub(crate) handed_in: HandedIn,
    pub(crate) misled: bool,
    pub(crate) said: Option<Said>,
}

/// One record that was made for the intent.
#[derive(Debug, Clone, Copy)]
struct Own<'a> {
    record: &'a TrueRecord,
    fact: RecordFact,
    /// One operation's agent made it with the key of another one: it is no second effect of either.
    shared: bool,
    owned: bool,
    as_asked: bool,
    after_begin: bool,
}

impl Own<'_> {
    /// Its effect stands or may come.
    fn is_alive(&self) -> bool {
        !matches!(self.fact, RecordFact::Failure | RecordFact::Neutral | RecordFact::Empty)
    }
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
                effect: matches!(
                    record,
                    RecordFact::Partly | RecordFact::Transitional | RecordFact::Success | RecordFact::Kept
                ),
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
            unowned: self.unowned(subject, at),
            effect: own.iter().any(|one| {
                // Beside another record, one that no list need show yet.
                let is_young = at.since(one.record.created) <= self.stale_window_ms && own.len() > 1;
                one.owned && one.after_begin && one.is_alive() && !is_young
            }),
            ..self.common(subject, sources, is_end)
        }
    }

    /// Since when the promise has held without a break, if it holds at a time and nothing about blurs it.
    pub(crate) fn kept_since(&self, subject: Subject<'_>, at: Time) -> Option<Time> {
        if self.is_crowded(subject, at) {
            return None;
        }
        let kept = |at: Time| {
            let facts = self.facts(subject, at, Sources::Open, false);
            facts.record == RecordFact::Kept && facts.as_asked && facts.after_begin
        };
        let of = |record: &'a TrueRecord| record.versions.iter().map(|own| own.at).chain(record.deleted);
        let mut turns: Vec<Time> = self.truth.records.iter().flat_map(of).filter(|own| *own <= at).collect();
        turns.sort_unstable();
        turns.into_iter().rev().take_while(|turn| kept(*turn)).last()
    }

    /// A record of the same subject that no other operation accounts for: made by nobody's operation, before the
    /// operation that it was made for began, otherwise than that one asked, or for the same ask. Nothing tells it
    /// from a second effect of this intent.
    fn unowned(&self, subject: Subject<'_>, at: Time) -> bool {
        let aspects = subject.asks.aspects();
        let records = self.truth.records.iter().filter(|record| record.created <= at);
        let mut made = records.filter_map(|record| Some((record, self.deed_of(record)?)));
        made.any(|(record, deed)| {
            let like = deed.made.is_of_other_subject() == aspects.is_of_other_subject();
            let maker = self.owner(record, deed).and_then(|name| self.players.get(name));
            let accounted = maker.is_some_and(|other| {
                let whole = self.shares.is_none_or(|shares| shares == WHOLE);
                let fits = deed.made == other.asks.aspects() && whole;
                other.begun_at <= record.created && fits && other.intent != subject.intent
            });
            let with_our_key = deed.is_shared() && deed.mark.as_deref() == Some(subject.name);
            with_our_key || (like && !self.is_own(record, deed, subject) && !accounted)
        })
    }

    /// True if something makes it hard to say whose a record of the subject is: an operation that claims another's, or
    /// none, or several.
    fn is_crowded(&self, subject: Subject<'_>, at: Time) -> bool {
        // The events of a test account may reach the same endpoint, and not say so.
        if self.deeds.iter().any(|deed| deed.place == Where::TestAccount) {
            return true;
        }
        let aspects = subject.asks.aspects();
        let records = self.truth.records.iter().filter(|record| record.created <= at);
        let mut made = records.filter_map(|record| Some((record, self.deed_of(record)?)));
        made.any(|(record, deed)| {
            let like = deed.made.is_of_other_subject() == aspects.is_of_other_subject();
            let claims = |player: &&Player| player.claimed().contains(&record.id);
            let owner = self.owner(record, deed).and_then(|name| self.players.get(name));
            let alone = self.players.values().filter(claims).count() == 1;
            let settled = owner.is_some_and(|owner| owner.claimed().iter().all(|id| *id == record.id));
            like && !(alone && settled && owner.as_ref().is_some_and(claims))
        })
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
            misled: subject.misled,
            unowned: false,
            effect: false,
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
            let deed = self.deed_of(record).filter(|deed| self.is_own(record, deed, subject));
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
                shared: deed.is_shared() || self.is_contested(record, deed),
                owned: self.owner(record, deed) == Some(subject.name) && !self.is_contested(record, deed),
                as_asked: deed.made == subject.asks.aspects() && whole,
                after_begin: record.created >= subject.begun,
            });
        }
        found
    }

    /// What was done here that made a record.
    fn deed_of(&self, record: &TrueRecord) -> Option<&'a Deed> {
        let request = record.creation()?.request?;
        self.deeds.iter().find(|deed| deed.request == request && deed.place == Where::Here)
    }

    /// Whose a record is, as far as anything can show it: by key or tag, else the first operation that claims it
    /// and could have made it, else by who made it. An agent may act through somebody else, and nothing tells apart who sent
    /// a request without a key.
    fn owner<'w>(&'w self, record: &TrueRecord, deed: &'w Deed) -> Option<&'w str> {
        if deed.mark.is_some() {
            return deed.mark.as_deref();
        }
        self.first_claimant(record, deed).or(deed.by.as_deref())
    }

    /// The first operation that claims a record and made it, or could have.
    fn first_claimant(&self, record: &TrueRecord, deed: &Deed) -> Option<&'a str> {
        let could = |name: &String| {
            let player = self.players.get(name);
            deed.by.as_ref() == Some(name)
                || player.is_some_and(|player| {
                    let like = deed.made.is_of_other_subject() == player.asks.aspects().is_of_other_subject();
                    like && player.begun_at <= record.created
                })
        };
        let mut claimants = self.claims.iter().filter(|(_, id)| *id == record.id).map(|(name, _)| name);
        claimants.find(|name| could(name)).map(String::as_str)
    }

    /// A mark that may not be seen, and a claim of another operation, name two owners.
    fn is_contested(&self, record: &TrueRecord, deed: &Deed) -> bool {
        let first = self.first_claimant(record, deed);
        deed.is_blurred && deed.mark.is_some() && first.is_some() && deed.mark.as_deref() != first
    }

    fn is_own(&self, record: &TrueRecord, deed: &Deed, subject: Subject<'_>) -> bool {
        let made = deed.mark.is_some() && deed.by.as_deref() == Some(subject.name);
        let claimed =
            self.is_contested(record, deed) && self.first_claimant(record, deed) == Some(subject.name);
        made || claimed || self.owner(record, deed) == Some(subject.name)
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
        // What was there before `begin` is nobody's second effect: it is what this operation found.
        let counted = own
            .iter()
            .filter(|one| !one.shared && (one.after_begin || !own.iter().any(|other| other.after_begin)));
        let alive: Vec<&Own<'_>> =
            counted.clone().filter(|own| !class(own).is_some_and(StateClass::is_effectless)).collect();
        let Some(second) = alive.get(1) else {
            let others = counted.clone().count() > 1;
            return if others { SecondEffect::Ended } else { SecondEffect::None };
        };
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

impl Facts {
    /// The promise is kept by an honest agent.
    pub(crate) fn is_plain(&self) -> bool {
        self.covered
            && self.record == RecordFact::Kept
            && self.as_asked
            && self.after_begin
            && self.second_effect == SecondEffect::None
            && self.handed_in == HandedIn::Own
            && self.said == Some(Said::Accepted)
            && !self.misled
            && !self.unowned
    }

    /// The value of a fact, as rows write it.
    #[must_use]
    pub fn value(&self, name: FactName) -> &'static str {
        name.values().get(self.place(name)).copied().unwrap_or_default()
    }

    /// One bit per fact, at the place of its value.
    pub(crate) fn bits(&self) -> [u16; FactName::COUNT] {
        FactName::ALL.map(|name| 1 << self.place(name))
    }

    /// The place of a fact's value among its values.
    fn place(&self, name: FactName) -> usize {
        match name {
            FactName::Covered => self.covered.into(),
            FactName::Sources => match self.sources {
                Sources::Open => 0,
                Sources::Behind => 1,
                Sources::BehindOrOpen => 2,
                Sources::Down => 3,
            },
            FactName::Promise => self.promise as usize,
            FactName::Record => self.record as usize,
            FactName::AsAsked => self.as_asked.into(),
            FactName::Order => self.after_begin.into(),
            FactName::Dated => self.dated.into(),
            FactName::Target => self.existing.into(),
            FactName::SecondEffect => self.second_effect as usize,
            FactName::HandedIn => self.handed_in as usize,
            FactName::Misled => self.misled.into(),
            FactName::Unowned => self.unowned.into(),
            FactName::Effect => self.effect.into(),
            FactName::Said => match self.said {
                None => 0,
                Some(Said::Accepted) => 1,
                Some(Said::Rejected) => 2,
                Some(Said::Lost) => 3,
            },
            FactName::Phase => self.is_end.into(),
        }
    }
}
