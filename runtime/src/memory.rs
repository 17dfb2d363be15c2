//! A store in memory, for tests, simulation and the harness. It keeps nothing beyond the process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use provely_evaluator::receipt::ReceiptDraft;
use provely_evaluator::time::Time;

use crate::bind;
use crate::connection::Mode;
use crate::store::{
    Binding, Change, IdKind, Inserted, LogEntry, LogEvent, OperationRow, RecordRef, Store, StoreError,
    Stored, StoredEvent,
};

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    given: u64,
    order: Vec<String>,
    operations: BTreeMap<String, Kept>,
    due: BTreeSet<(Time, String)>,
    events: Vec<Arc<StoredEvent>>,
    event_ids: BTreeSet<(String, String, String)>,
    bindings: BTreeMap<RecordRef, Binding>,
}

#[derive(Debug, Clone)]
struct Kept {
    row: Arc<OperationRow>,
    log: Vec<LogEntry>,
    receipts: Vec<ReceiptDraft>,
}

impl MemoryStore {
    /// An empty store. Ids count up from 1.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn kept(&self, id: &str) -> Result<&Kept, StoreError> {
        self.operations.get(id).ok_or_else(|| StoreError::NotFound { operation_id: id.to_owned() })
    }

    fn rows(&self) -> impl DoubleEndedIterator<Item = &Arc<OperationRow>> {
        self.order.iter().filter_map(|id| self.operations.get(id)).map(|kept| &kept.row)
    }
}

impl Store for MemoryStore {
    fn next_id(&mut self, kind: IdKind) -> Result<String, StoreError> {
        self.given += 1;
        let prefix = match kind {
            IdKind::Operation => "op",
            IdKind::Receipt => "rc",
        };
        Ok(format!("{prefix}_{:06}", self.given))
    }

    fn insert(&mut self, row: OperationRow, held: Option<&RecordRef>) -> Result<Inserted, StoreError> {
        if let Some(existing) = bind::existing_ask(self.rows().rev(), &row) {
            return Ok(Inserted::Exists { operation_id: existing.operation.id.clone() });
        }
        if let Some(record) = held {
            let asking = bind::named_by_input(&row);
            let standing = bind::decide(self.bindings.get(record), &asking);
            if standing.owner != asking.owner {
                return Ok(Inserted::Held { operation_id: standing.owner });
            }
            self.bindings.insert(record.clone(), standing);
        }
        let id = row.operation.id.clone();
        let log = vec![LogEntry { at: row.operation.begun_at, event: LogEvent::Begun }];
        if let Some(at) = row.next_observation_at {
            self.due.insert((at, id.clone()));
        }
        self.order.push(id.clone());
        self.operations.insert(id, Kept { row: Arc::new(row), log, receipts: Vec::new() });
        Ok(Inserted::New)
    }

    fn operation(&self, id: &str) -> Result<Arc<OperationRow>, StoreError> {
        self.kept(id).map(|kept| Arc::clone(&kept.row))
    }

    fn commit(&mut self, change: Change) -> Result<(), StoreError> {
        let Change { mut row, entry, receipt, release } = change;
        let id = row.operation.id.clone();
        let kept =
            self.operations.get_mut(&id).ok_or_else(|| StoreError::NotFound { operation_id: id.clone() })?;
        if kept.row.revision != row.revision {
            return Err(StoreError::Conflict);
        }
        row.revision += 1;
        if kept.row.next_observation_at != row.next_observation_at {
            if let Some(at) = kept.row.next_observation_at {
                self.due.remove(&(at, id.clone()));
            }
            if let Some(at) = row.next_observation_at {
                self.due.insert((at, id));
            }
        }
        kept.row = Arc::new(row);
        kept.log.push(entry);
        kept.receipts.extend(receipt);
        if let Some(record) = release {
            self.bindings.remove(&record);
        }
        Ok(())
    }

    fn log(&self, id: &str) -> Result<Vec<LogEntry>, StoreError> {
        self.kept(id).map(|kept| kept.log.clone())
    }

    fn due(&self, now: Time) -> Result<Vec<String>, StoreError> {
        Ok(self.due.iter().take_while(|(at, _)| *at <= now).map(|(_, id)| id.clone()).collect())
    }

    fn next_due(&self) -> Result<Option<Time>, StoreError> {
        Ok(self.due.first().map(|(at, _)| *at))
    }

    fn operations_of(
        &self,
        service: &str,
        account: &str,
        mode: Mode,
    ) -> Result<Vec<Arc<OperationRow>>, StoreError> {
        let of = |row: &&Arc<OperationRow>| {
            row.service == service && row.connection.account == account && row.connection.mode == mode
        };
        Ok(self.rows().filter(of).cloned().collect())
    }

    fn store_event(&mut self, event: StoredEvent) -> Result<Stored, StoreError> {
        let key = (event.service.clone(), event.account.clone(), event.id.clone());
        if !self.event_ids.insert(key) {
            return Ok(Stored::Duplicate);
        }
        self.events.push(Arc::new(event));
        Ok(Stored::New)
    }

    fn events(
        &self,
        service: &str,
        account: &str,
        types: &[String],
    ) -> Result<Vec<Arc<StoredEvent>>, StoreError> {
        let of = |event: &&Arc<StoredEvent>| {
            event.service == service && event.account == account && types.contains(&event.kind)
        };
        Ok(self.events.iter().filter(of).cloned().collect())
    }

    fn bind(&mut self, record: &RecordRef, asking: Binding) -> Result<Binding, StoreError> {
        let standing = bind::decide(self.bindings.get(record), &asking);
        if self.bindings.get(record) != Some(&standing) {
            self.bindings.insert(record.clone(), standing.clone());
        }
        Ok(standing)
    }

    fn binding(&self, record: &RecordRef) -> Result<Option<Binding>, StoreError> {
        Ok(self.bindings.get(record).cloned())
    }

    fn receipts(&self, id: &str) -> Result<Vec<ReceiptDraft>, StoreError> {
        self.kept(id).map(|kept| kept.receipts.clone())
    }
}
