//! Faults at work: counts occasions and decides which faults strike. It must not act on the world.

use provely_evaluator::time::Time;

use super::{Fault, FaultKind, Stage, When};
use crate::chance::Chance;

/// A fault with its counts.
#[derive(Debug, Clone)]
pub(crate) struct Armed {
    fault: Fault,
    seen: u32,
    struck: u32,
}

/// Something at which a fault may strike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Occasion<'a> {
    pub(crate) stage: Stage,
    pub(crate) at: Time,
    pub(crate) start: Time,
    pub(crate) operation: Option<&'a str>,
    pub(crate) acting: Option<bool>,
    pub(crate) resource: Option<&'a str>,
    pub(crate) event: Option<&'a str>,
}

impl Armed {
    pub(crate) fn new(fault: Fault) -> Self {
        Self { fault, seen: 0, struck: 0 }
    }

    /// Puts off its start and its end, where they lie beyond an age of the world.
    pub(crate) fn delay(&mut self, age_ms: u64, by_ms: u64) {
        let when = &mut self.fault.when;
        for bound in [&mut when.from_ms, &mut when.until_ms].into_iter().flatten().filter(|at| **at > age_ms)
        {
            *bound = bound.saturating_add(by_ms);
        }
    }

    /// The faults that strike now, in the order of the data.
    pub(crate) fn strike(armed: &mut [Self], chance: &mut Chance, occasion: &Occasion<'_>) -> Vec<FaultKind> {
        let struck = |armed: &mut Self| armed.strikes(chance, occasion).then(|| armed.fault.what.clone());
        armed.iter_mut().filter_map(struck).collect()
    }

    fn strikes(&mut self, chance: &mut Chance, occasion: &Occasion<'_>) -> bool {
        let when = &self.fault.when;
        if self.fault.what.stage() != occasion.stage || !meets(when, occasion) {
            return false;
        }
        self.seen = self.seen.saturating_add(1);
        let drawn = when.permille.is_none_or(|permille| chance.between(0, 999) < u64::from(permille));
        let left = when.times.is_none_or(|times| self.struck < times);
        let strikes = drawn && left && self.seen > when.skip;
        if strikes {
            self.struck = self.struck.saturating_add(1);
        }
        strikes
    }
}

/// What a fault does to reads while nobody acts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Still {
    /// It may strike at one read and not at the next.
    No,
    /// It strikes at all that it fits or at none, but for its edges.
    Yes {
        /// Its start and its end.
        edges: [Option<Time>; 2],
        /// Reads see what happened so much later.
        after_ms: Option<u64>,
    },
}

impl Armed {
    /// What this fault does to reads from now on.
    pub(crate) fn stillness(&self, now: Time, start: Time) -> Still {
        let when = &self.fault.when;
        let at = |age: u64| start.plus(i64::try_from(age).unwrap_or(i64::MAX));
        let reads = match self.fault.what.stage() {
            Stage::Arrival | Stage::Answer | Stage::Wire | Stage::Version | Stage::View | Stage::Print => {
                when.acting != Some(true)
            }
            Stage::Clock => true,
            Stage::Commit | Stage::Event | Stage::Delivery => false,
        };
        let over = when.until_ms.is_some_and(|until| at(until) <= now);
        let spent = when.times.is_some_and(|times| self.struck >= times);
        if !reads || over || spent {
            return Still::Yes { edges: [None; 2], after_ms: None };
        }
        if when.times.is_some() || when.skip > self.seen || when.permille.is_some() {
            return Still::No;
        }
        let after_ms = match &self.fault.what {
            FaultKind::Stale { by_ms } => Some(*by_ms),
            FaultKind::NotFoundFor { ms } | FaultKind::HiddenFromLists { ms } => Some(*ms),
            _ => None,
        };
        Still::Yes { edges: [when.from_ms.map(at), when.until_ms.map(at)], after_ms }
    }
}

fn meets(when: &When, occasion: &Occasion<'_>) -> bool {
    fn fits(wanted: Option<&str>, given: Option<&str>) -> bool {
        wanted.is_none_or(|wanted| given == Some(wanted))
    }
    let age = u64::try_from(occasion.at.since(occasion.start)).unwrap_or(0);
    fits(when.operation.as_deref(), occasion.operation)
        && fits(when.resource.as_deref(), occasion.resource)
        && fits(when.event.as_deref(), occasion.event)
        && when.acting.is_none_or(|acting| occasion.acting == Some(acting))
        && when.from_ms.is_none_or(|from| age >= from)
        && when.until_ms.is_none_or(|until| age < until)
}
