//! One observation: every channel read once, the record found and bound, siblings annotated, and all of
//! it laid out as evidence. Nothing here is a verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use provely_evaluator::contract::{Causality, Channel, Contract, Target, Truth};
use provely_evaluator::evidence::{BoundRecord, Conflict, Correlation, Evidence};
use provely_evaluator::json::Value;
use provely_evaluator::time::Time;

use crate::channels::{self, Kind};
use crate::correlate::{self, Candidate, Choice, ClaimFacts};
use crate::events::{self, Admission, NotAdmitted, SeenEvent};
use crate::pages::Listing;
use crate::read::{self, Found};
use crate::request::Context;
use crate::runtime::{Loaded, record_ref};
use crate::store::{Binding, Claim, OperationRow, Store, StoreError, StoredEvent};
use crate::subject::{in_scope, is_effectless, is_relevant, plain_context};
use crate::transport::Transport;

/// The most claims of one operation that are read.
const MAX_CLAIMS_READ: usize = 16;

/// What one observation gave.
#[derive(Debug)]
pub(crate) struct Collected {
    /// The row, with what was learnt.
    pub row: OperationRow,
    /// The evidence.
    pub evidence: Evidence,
    /// The provider asked not to be read before.
    pub not_before: Option<Time>,
}

/// Reads for one operation.
pub(crate) struct Collector<'a, T, S> {
    pub transport: &'a mut T,
    pub store: &'a mut S,
    pub now: &'a dyn Fn() -> Time,
    pub contracts: &'a BTreeMap<String, Arc<Loaded>>,
    pub loaded: &'a Loaded,
    pub row: OperationRow,
}

/// A list as read, its items named and tested against the scope.
pub(crate) struct Listed<'a> {
    pub channel: &'a Channel,
    pub read_at: Time,
    pub listing: Listing,
    pub items: Vec<ListedItem>,
    pub named: bool,
}

pub(crate) struct ListedItem {
    pub id: String,
    pub value: Value,
    pub scope: Truth,
}

pub(crate) struct Told<'a> {
    pub channel: &'a Channel,
    pub events: Vec<SeenEvent>,
}

pub(crate) struct ReadBack<'a> {
    pub channel: &'a Channel,
    /// The record asked for (`None`: the request names none), and what came.
    pub answers: Vec<(Option<String>, Found)>,
}

impl<'a, T: Transport, S: Store> Collector<'a, T, S> {
    /// Makes one observation.
    pub fn collect(mut self) -> Result<Collected, StoreError> {
        let contract: &'a Contract = self.loaded.contract();
        self.row.observation = self.row.observation.saturating_add(1);
        let all = self.operations()?;
        let claims = claims_of_owner(&self.row, &all);
        let mut not_before = None;
        let told = self.tell(contract, &claims)?;
        self.credit(contract, &told, &all)?;
        let lists = self.list(contract, &claims, &mut not_before);
        let named = self.named(contract);
        let strong = self.strong(contract, &told, named);
        let facts = self.claim_facts(contract, &claims)?;
        let early = correlate::choose(&self.row.owner, strong.clone(), &facts);
        let backs = self.read_back(contract, &early, &facts, &mut not_before);
        let facts = self.effects(contract, facts, &lists, &backs);
        let choice = correlate::choose(&self.row.owner, strong, &facts);
        let (bound, conflict) = self.bind(contract, choice)?;
        self.note_seen(contract, &told, &lists, &backs, bound.as_ref());
        let correlation = self.correlation(contract, bound, conflict);
        let evidence = self.lay_out(contract, &all, told, lists, backs, correlation)?;
        Ok(Collected { row: self.row, evidence, not_before })
    }

    fn operations(&self) -> Result<Vec<Arc<OperationRow>>, StoreError> {
        let connection = &self.row.connection;
        self.store.operations_of(&self.row.service, &connection.account, connection.mode)
    }

    /// Stored events of every events channel, after pulling what can be pulled.
    fn tell(&mut self, contract: &'a Contract, claims: &[Claim]) -> Result<Vec<Told<'a>>, StoreError> {
        let mut told = Vec::new();
        let mut inadmissible = BTreeSet::new();
        for channel in channels::of_kind(contract, Kind::Events) {
            let Some(source) = &channel.events else { continue };
            self.pull(contract, channel, claims)?;
            let admission =
                Admission { mode: self.row.connection.mode, program: self.loaded.program_for(&self.row) };
            let mut kept = Vec::new();
            for stored in self.store.events(&self.row.service, &self.row.connection.account, &source.types)? {
                match events::admit(channel, source, &stored, admission) {
                    Ok(seen) if is_relevant(&self.row, contract, claims, &seen) => kept.push(seen),
                    Ok(_) | Err(NotAdmitted::OtherType) => {}
                    Err(
                        cause @ (NotAdmitted::OtherMode | NotAdmitted::Version | NotAdmitted::Unreadable),
                    ) => {
                        inadmissible.insert((cause.code(), stored.id.clone()));
                    }
                }
            }
            told.push(Told { channel, events: kept });
        }
        self.row.inadmissible.clear();
        for (cause, _) in inadmissible {
            *self.row.inadmissible.entry(cause.to_owned()).or_default() += 1;
        }
        Ok(told)
    }

    /// Binds every record whose creation event echoes an operation's key or tag to that operation, this one
    /// included: another may not have looked yet, and its record must not pass for ours meanwhile.
    fn credit(
        &mut self,
        contract: &Contract,
        told: &[Told<'_>],
        all: &[Arc<OperationRow>],
    ) -> Result<(), StoreError> {
        for event in told.iter().flat_map(|told| &told.events).filter(|event| event.creation) {
            let others = all.iter().filter(|other| other.record_type == self.row.record_type);
            for other in others {
                let Some(loaded) = self.contracts.get(&other.contract_id) else { continue };
                let one = || std::iter::once(event);
                let found = correlate::by_key(loaded.contract(), &other.owner, one())
                    .or_else(|| correlate::by_tag(loaded.contract(), &other.owner, one()));
                if let Some(candidate) = found {
                    let asking =
                        Binding { owner: other.owner.clone(), by: candidate.by, since: candidate.since };
                    self.store.bind(&record_ref(&self.row, contract, &candidate.id), asking)?;
                }
            }
        }
        Ok(())
    }

    /// Reads the provider's own list of events and keeps those that concern the operation. A failed pull
    /// changes nothing: events never say that something did not happen.
    fn pull(&mut self, contract: &Contract, channel: &Channel, claims: &[Claim]) -> Result<(), StoreError> {
        let (Some(source), true) = (&channel.events, channel.request.is_some()) else { return Ok(()) };
        let context = read::context(&self.row, channel, &[]);
        let bound = Some(self.row.operation.begin);
        let listing = read::list(self.transport, self.now, channel, &self.row.connection, &context, bound);
        let admission =
            Admission { mode: self.row.connection.mode, program: self.loaded.program_for(&self.row) };
        let known = self.store.events(&self.row.service, &self.row.connection.account, &source.types)?;
        for event in listing.items {
            let Some((id, kind)) = events::identify(source, &[], &event) else { continue };
            if known.iter().any(|stored| stored.id == id) {
                continue;
            }
            let stored = StoredEvent {
                service: self.row.service.clone(),
                account: self.row.connection.account.clone(),
                id,
                kind,
                received_at: (self.now)(),
                value: Arc::new(event),
            };
            let relevant = events::admit(channel, source, &stored, admission)
                .is_ok_and(|seen| is_relevant(&self.row, contract, claims, &seen));
            if relevant {
                self.store.store_event(stored)?;
            }
        }
        Ok(())
    }

    fn list(
        &mut self,
        contract: &'a Contract,
        claims: &[Claim],
        not_before: &mut Option<Time>,
    ) -> Vec<Listed<'a>> {
        let mut lists = Vec::new();
        for channel in channels::of_kind(contract, Kind::List) {
            let read_at = (self.now)();
            let context = read::context(&self.row, channel, &[]);
            let bound = Some(self.row.operation.begin);
            let mut listing =
                read::list(self.transport, self.now, channel, &self.row.connection, &context, bound);
            wait(not_before, (self.now)(), listing.retry_after_ms);
            let raw = core::mem::take(&mut listing.items);
            let count = raw.len();
            let named: Vec<ListedItem> =
                raw.into_iter().filter_map(|value| self.named_item(channel, value)).collect();
            let all_named = named.len() == count;
            let mine = |item: &ListedItem| {
                item.scope != Truth::Fails
                    || claims.iter().any(|claim| claim.id == item.id)
                    || self.is_own(&item.id)
            };
            let items = named.into_iter().filter(mine).collect();
            lists.push(Listed { channel, read_at, listing, items, named: all_named });
        }
        lists
    }

    fn named_item(&self, channel: &Channel, value: Value) -> Option<ListedItem> {
        let id = channels::record_id(channel, &value)?;
        let scope = self.scope_of(&value);
        Some(ListedItem { id, value, scope })
    }

    fn is_own(&self, id: &str) -> bool {
        self.row.bound.as_ref().is_some_and(|bound| bound.id == id)
    }

    pub(crate) fn scope_of(&self, record: &Value) -> Truth {
        in_scope(&self.row, self.loaded.contract(), record)
    }

    /// The record that the input names: the one that is changed, or the one that is made under a chosen name.
    fn named(&self, contract: &Contract) -> Option<Candidate> {
        let id = correlate::named_id(contract, &self.row.operation.input)?;
        Some(Candidate { id, by: Causality::Input, since: self.row.operation.begun_at })
    }

    fn strong(
        &self,
        contract: &Contract,
        told: &[Told<'_>],
        named: Option<Candidate>,
    ) -> [Option<Candidate>; 3] {
        let events = || told.iter().flat_map(|told| &told.events);
        [
            correlate::by_key(contract, &self.row.owner, events()),
            correlate::by_tag(contract, &self.row.owner, events()),
            named,
        ]
    }

    fn claim_facts(&self, contract: &Contract, claims: &[Claim]) -> Result<Vec<ClaimFacts>, StoreError> {
        let facts = claims.iter().map(|claim| {
            let binding = self.store.binding(&record_ref(&self.row, contract, &claim.id))?;
            Ok(ClaimFacts { claim: claim.clone(), binding, effectless: false })
        });
        facts.collect()
    }

    fn read_back(
        &mut self,
        contract: &'a Contract,
        early: &Choice,
        facts: &[ClaimFacts],
        not_before: &mut Option<Time>,
    ) -> Vec<ReadBack<'a>> {
        let own = early.candidate.as_ref().map(|candidate| candidate.id.clone());
        let claimed = facts.iter().map(|facts| facts.claim.id.clone()).filter(|id| Some(id) != own.as_ref());
        let ids: Vec<String> = own.clone().into_iter().chain(claimed.take(MAX_CLAIMS_READ)).collect();
        let mut backs = Vec::new();
        for channel in channels::of_kind(contract, Kind::Record) {
            let asked: Vec<Option<&str>> = if channels::needs_record(channel) {
                ids.iter().map(|id| Some(id.as_str())).collect()
            } else {
                vec![None]
            };
            let answers = asked.into_iter().map(|id| {
                let context = read::context(&self.row, channel, &[]);
                let keys = correlate::keys(contract, id.or(own.as_deref()), &context);
                let context = Context { correlation: &keys, ..context };
                let seen =
                    read::record(self.transport, self.now, channel, &self.row.connection, &context, id);
                wait(not_before, (self.now)(), seen.retry_after_ms);
                (id.map(str::to_owned), seen.found)
            });
            let answers = answers.collect();
            backs.push(ReadBack { channel, answers });
        }
        backs
    }

    /// Marks the claims that were read as records of this subject that ended without effect.
    fn effects(
        &self,
        contract: &Contract,
        mut facts: Vec<ClaimFacts>,
        lists: &[Listed<'_>],
        backs: &[ReadBack<'_>],
    ) -> Vec<ClaimFacts> {
        for one in &mut facts {
            let id = one.claim.id.as_str();
            let listed = lists
                .iter()
                .flat_map(|list| &list.items)
                .filter(|item| item.id == id)
                .map(|item| &item.value);
            let read = backs.iter().flat_map(|back| &back.answers).filter_map(|(asked, found)| match found {
                Found::Record(value) if asked.as_deref() == Some(id) => Some(value),
                Found::Record(_) | Found::Nothing | Found::Unavailable(_) => None,
            });
            let mut records = listed.chain(read).peekable();
            let seen = records.peek().is_some();
            one.effectless = seen
                && records
                    .all(|record| self.scope_of(record) == Truth::Holds && is_effectless(contract, record));
        }
        facts
    }

    /// Binds the chosen record, and says why it does not count if another operation has it.
    fn bind(
        &mut self,
        contract: &Contract,
        choice: Choice,
    ) -> Result<(Option<BoundRecord>, Option<Conflict>), StoreError> {
        let Some(candidate) = choice.candidate else { return Ok((None, choice.conflict)) };
        let record = record_ref(&self.row, contract, &candidate.id);
        let asking = Binding { owner: self.row.owner.clone(), by: candidate.by, since: candidate.since };
        let standing = self.store.bind(&record, asking)?;
        if standing.owner != self.row.owner {
            let conflict = match standing.by {
                Causality::Key | Causality::Tag => Conflict::RecordOfAnotherOperation,
                Causality::Claim | Causality::Input => Conflict::ClaimConflict,
            };
            return Ok((None, Some(conflict)));
        }
        let known = self.row.bound.as_ref().filter(|own| own.id == candidate.id && own.by == candidate.by);
        let since = known.map_or(candidate.since, |own| own.since);
        Ok((Some(BoundRecord { id: candidate.id, by: candidate.by, since, first_seen: None }), None))
    }

    /// Notes every record of the scope, and our own, with the moment it was first shown.
    fn note_seen(
        &mut self,
        contract: &Contract,
        told: &[Told<'_>],
        lists: &[Listed<'_>],
        backs: &[ReadBack<'_>],
        bound: Option<&BoundRecord>,
    ) {
        let now = (self.now)();
        let own = bound.map(|bound| bound.id.as_str());
        let begin = self.row.operation.begin;
        let counts = |channel: &Channel, id: &str, record: &Value, scope: Truth| {
            own == Some(id)
                || (scope == Truth::Holds
                    && !channels::is_older(channels::created(contract, channel, record), begin))
        };
        let mut shown: Vec<(String, Time)> = Vec::new();
        for (channel, event) in
            told.iter().flat_map(|told| told.events.iter().map(|event| (told.channel, event)))
        {
            if counts(channel, &event.record_id, event.record(), self.scope_of(event.record())) {
                shown.push((event.record_id.clone(), event.received_at));
            }
        }
        for (channel, item) in
            lists.iter().flat_map(|list| list.items.iter().map(|item| (list.channel, item)))
        {
            if counts(channel, &item.id, &item.value, item.scope) {
                shown.push((item.id.clone(), now));
            }
        }
        for (channel, found) in
            backs.iter().flat_map(|back| back.answers.iter().map(|(_, found)| (back.channel, found)))
        {
            let Found::Record(value) = found else { continue };
            let Some(id) = channels::record_id(channel, value) else { continue };
            if counts(channel, &id, value, self.scope_of(value)) {
                shown.push((id, now));
            }
        }
        for (id, at) in shown {
            let first = self.row.seen.entry(id).or_insert(at);
            *first = at.min(*first);
        }
    }

    fn correlation(
        &mut self,
        contract: &Contract,
        bound: Option<BoundRecord>,
        conflict: Option<Conflict>,
    ) -> Correlation {
        let bound =
            bound.map(|bound| BoundRecord { first_seen: self.row.seen.get(&bound.id).copied(), ..bound });
        let first_seen = bound.as_ref().and_then(|bound| bound.first_seen);
        if let (Target::Create, Some(first_seen)) = (contract.action.target, first_seen) {
            self.row.operation.first_sign.get_or_insert(first_seen);
        }
        let context = plain_context(&self.row);
        let keys = correlate::keys(contract, bound.as_ref().map(|bound| bound.id.as_str()), &context);
        self.row.bound.clone_from(&bound);
        Correlation { record: bound, keys, conflict }
    }
}

/// Every claim of the operation's ask, whichever of its levels it was handed to, first come first.
fn claims_of_owner(row: &OperationRow, all: &[Arc<OperationRow>]) -> Vec<Claim> {
    let of_owner =
        all.iter().filter(|other| other.owner == row.owner && other.operation.id != row.operation.id);
    let mut claims: Vec<Claim> =
        row.claims.iter().chain(of_owner.flat_map(|other| &other.claims)).cloned().collect();
    claims.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
    let mut distinct: Vec<Claim> = Vec::with_capacity(claims.len());
    for claim in claims {
        if !distinct.iter().any(|known| known.id == claim.id) {
            distinct.push(claim);
        }
    }
    distinct
}

fn wait(not_before: &mut Option<Time>, now: Time, retry_after_ms: Option<i64>) {
    let at = retry_after_ms.map(|span| now.plus(span));
    *not_before = at.max(*not_before);
}
