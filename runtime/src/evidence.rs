//! Lays out what an observation collected as evidence: each channel's read, each record with its owner.
//! Nothing is read from the provider here.

use std::sync::Arc;

use provely_evaluator::contract::{Channel, Contract, Owner, Truth};
use provely_evaluator::evidence::{
    BoundRecord, ChannelEvidence, Correlation, Event, EventRead, Evidence, Item, ListRead, Read, RecordRead,
};
use provely_evaluator::json::Value;
use provely_evaluator::time::Time;

use crate::channels;
use crate::collect::{Collector, Listed, ReadBack, Told};
use crate::pages::read_instant;
use crate::read::Found;
use crate::runtime::record_ref;
use crate::siblings::{self, Asker, Peer, Sibling};
use crate::store::{OperationRow, Store, StoreError};
use crate::subject::{is_whole, state_word};
use crate::transport::Transport;

impl<'a, T: Transport, S: Store> Collector<'a, T, S> {
    /// The evidence of this observation.
    pub(crate) fn lay_out(
        &mut self,
        contract: &'a Contract,
        all: &[Arc<OperationRow>],
        told: Vec<Told<'a>>,
        lists: Vec<Listed<'a>>,
        backs: Vec<ReadBack<'a>>,
        correlation: Correlation,
    ) -> Result<Evidence, StoreError> {
        let peers: Vec<Peer<'_>> = all
            .iter()
            .filter_map(|row| Some(Peer { row, contract: self.contracts.get(&row.contract_id)?.contract() }))
            .filter(|peer| siblings::is_peer(&self.row, peer.row, peer.contract))
            .collect();
        let mut entries = Vec::new();
        for told in told {
            entries.push(self.events_entry(contract, &peers, told)?);
        }
        for listed in lists {
            entries.push(self.list_entry(contract, &peers, listed)?);
        }
        for back in backs {
            entries.push(self.record_entry(contract, back, correlation.record.as_ref()));
        }
        Ok(Evidence {
            observation: self.row.observation,
            correlation,
            channels: entries,
            baselines: self.row.baselines.clone(),
            scope_records: self.row.seen.keys().cloned().collect(),
        })
    }

    fn owner_of(
        &self,
        contract: &Contract,
        peers: &[Peer<'_>],
        channel: &Channel,
        id: &str,
        record: &Value,
        scope: Truth,
    ) -> Result<Owner, StoreError> {
        let binding = self.store.binding(&record_ref(&self.row, contract, id))?;
        let asker = Asker {
            owner: &self.row.owner,
            intent_ref: self.row.intent_ref.as_deref(),
            record_id: self.row.bound.as_ref().map(|bound| bound.id.as_str()),
            own: Some(Peer { row: &self.row, contract }),
        };
        let created = channels::created(contract, channel, record);
        Ok(siblings::owner(
            asker,
            peers,
            Sibling { id, value: record, created, scope, binding: binding.as_ref() },
        ))
    }

    fn events_entry(
        &self,
        contract: &Contract,
        peers: &[Peer<'_>],
        told: Told<'_>,
    ) -> Result<ChannelEvidence, StoreError> {
        let mut events = Vec::with_capacity(told.events.len());
        for seen in told.events {
            let scope = self.scope_of(seen.record());
            let owner =
                self.owner_of(contract, peers, told.channel, &seen.record_id, seen.record(), scope)?;
            let item = Item { id: seen.record_id, owner, value: seen.value };
            events.push(Event { time: seen.time, received_at: seen.received_at, item });
        }
        Ok(ChannelEvidence { channel: told.channel.name.clone(), read: Read::Events(EventRead { events }) })
    }

    fn list_entry(
        &self,
        contract: &Contract,
        peers: &[Peer<'_>],
        listed: Listed<'_>,
    ) -> Result<ChannelEvidence, StoreError> {
        let channel = listed.channel.name.clone();
        if let (Some(cause), true) = (&listed.listing.cause, listed.items.is_empty()) {
            return Ok(ChannelEvidence { channel, read: Read::Unavailable { cause: cause.clone() } });
        }
        let mut items = Vec::with_capacity(listed.items.len());
        for item in listed.items {
            let owner = self.owner_of(contract, peers, listed.channel, &item.id, &item.value, item.scope)?;
            items.push(Item { id: item.id, owner, value: item.value });
        }
        let list = ListRead {
            observation: self.row.observation,
            read_at: listed.read_at,
            exhausted: listed.listing.exhausted && listed.named,
            items,
        };
        Ok(ChannelEvidence { channel, read: Read::List(list) })
    }

    fn record_entry(
        &mut self,
        contract: &Contract,
        back: ReadBack<'_>,
        bound: Option<&BoundRecord>,
    ) -> ChannelEvidence {
        let channel = back.channel;
        let own = bound.map(|bound| bound.id.as_str());
        let answer = back.answers.into_iter().find(|(asked, _)| asked.is_none() || asked.as_deref() == own);
        let read = match answer.map(|(_, found)| found) {
            Some(Found::Record(value)) => self.record_read(contract, channel, value),
            Some(Found::Nothing) => Read::NotFound { observation: self.row.observation },
            Some(Found::Unavailable(cause)) => Read::Unavailable { cause },
            None => Read::Unavailable { cause: "record_unknown".to_owned() },
        };
        ChannelEvidence { channel: channel.name.clone(), read }
    }

    fn record_read(&mut self, contract: &Contract, channel: &Channel, value: Value) -> Read {
        let state_time = channel.state_time.as_deref().and_then(|path| read_instant(channel, path, &value));
        let state_since = self.state_since(contract, channel, &value);
        Read::Record(RecordRead {
            observation: self.row.observation,
            state_time: state_time.map(|instant| instant.from),
            state_since,
            whole: is_whole(&value),
            value,
        })
    }

    /// Since when the channel shows the state that it shows now.
    fn state_since(&mut self, contract: &Contract, channel: &Channel, record: &Value) -> Time {
        let now = (self.now)();
        let id = channels::record_id(channel, record).unwrap_or_default();
        let word = format!("{id} {}", state_word(contract, Some(channel), record).unwrap_or_default());
        match self.row.states.get(&channel.name) {
            Some((known, since)) if *known == word => *since,
            Some(_) | None => {
                self.row.states.insert(channel.name.clone(), (word, now));
                now
            }
        }
    }
}
