//! How long the world looks the same from outside. It must not change anything.

use provely_evaluator::time::Time;

use crate::fault::Still;
use crate::provider::Provider;

impl Provider {
    /// The earliest moment after the latest time seen at which a read may be answered otherwise, or an event delivered,
    /// if nobody acts. The latest time seen itself: a fault may strike at the next read. `None`: never.
    #[must_use]
    pub fn next_difference(&self) -> Option<Time> {
        let now = self.now;
        let mut earliest = self.next_due();
        let mut note = |at: Time| {
            if at > now && earliest.is_none_or(|known| at < known) {
                earliest = Some(at);
            }
        };
        for armed in &self.faults {
            match armed.stillness(now, self.options.start) {
                Still::No => return Some(now),
                Still::Yes { edges, after_ms } => {
                    edges.into_iter().flatten().for_each(&mut note);
                    if let Some(after) = after_ms.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX)) {
                        let versions = self.records.iter().flat_map(|record| &record.versions);
                        let deleted = self.records.iter().filter_map(|record| record.deleted);
                        let changes = versions.map(|version| version.at).chain(deleted);
                        let changes = changes.chain(self.records.iter().map(|record| record.created));
                        let events = self.events.iter().map(|event| event.at);
                        changes.chain(events).for_each(|at| note(at.plus(after)));
                    }
                }
            }
        }
        earliest
    }
}
