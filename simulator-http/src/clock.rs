//! The time of a simulated world: the machine's, or one that only moves when it is told to.

use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use provely_evaluator::time::Time;

/// Who moves the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockKind {
    /// The machine's clock.
    Real,
    /// It stands until the control endpoint moves it.
    Manual,
}

/// A clock.
#[derive(Debug)]
pub(crate) struct Clock {
    kind: ClockKind,
    /// Where a manual clock stands; by how much a real one was moved on, in milliseconds.
    set: Mutex<(Time, i64)>,
}

impl Clock {
    pub(crate) const fn new(kind: ClockKind, start: Time) -> Self {
        Self { kind, set: Mutex::new((start, 0)) }
    }

    /// The present time.
    pub(crate) fn now(&self) -> Time {
        let set = self.set.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match self.kind {
            ClockKind::Manual => set.0,
            ClockKind::Real => wall().plus(set.1),
        }
    }

    /// Moves the clock on.
    pub(crate) fn advance(&self, ms: i64) {
        let mut set = self.set.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *set = (set.0.plus(ms), set.1.saturating_add(ms));
    }
}

/// The machine's time, in milliseconds.
pub(crate) fn wall() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time::from_seconds(0).plus(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
