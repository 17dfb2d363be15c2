//! The world of one provider account: its records, events, requests and what is still to come.
//! It must not read a clock, open a socket or know a provider: time, requests and the service are handed in.

use std::collections::BTreeMap;
use std::sync::Arc;

use provely_evaluator::json::Value;
use provely_evaluator::time::Time;
use provely_model::Service;

use crate::blueprint::Blueprint;
use crate::chance::Chance;
use crate::delivery::Delivery;
use crate::fault::{Armed, Fault, FaultKind, Occasion, Stage};
use crate::options::{Options, Script};
use crate::retry::Kept;
use crate::timeline::{Due, Reversal};
use crate::truth::{GroundTruth, TrueEvent, TrueRecord, TrueRequest};

/// A stateful stand-in for a provider, in process and in virtual time. The same service, options and
/// calls give the same bytes.
///
/// Every call takes the caller's time, or acts at the time of the last one; time never goes back: an
/// earlier time counts as the latest one seen.
#[derive(Debug, Clone)]
pub struct Provider {
    pub(crate) blueprint: Arc<Blueprint>,
    pub(crate) options: Options,
    pub(crate) version: Arc<str>,
    pub(crate) secret: Arc<str>,
    pub(crate) now: Time,
    pub(crate) clockwork: Clockwork,
    pub(crate) records: Vec<TrueRecord>,
    pub(crate) ids: BTreeMap<usize, BTreeMap<String, usize>>,
    pub(crate) of_kind: BTreeMap<usize, Vec<usize>>,
    pub(crate) freed: BTreeMap<usize, Vec<String>>,
    pub(crate) events: Vec<TrueEvent>,
    pub(crate) requests: Vec<TrueRequest>,
    pub(crate) due: BTreeMap<(Time, u64), Due>,
    pub(crate) reversals: BTreeMap<usize, Reversal>,
    pub(crate) scripts: BTreeMap<usize, std::collections::VecDeque<Script>>,
    pub(crate) outbox: BTreeMap<(Time, u64), Delivery>,
    pub(crate) waiting: BTreeMap<usize, (Time, u64)>,
    pub(crate) kept: BTreeMap<String, Kept>,
    pub(crate) sequence: u64,
    pub(crate) naming: Chance,
    pub(crate) timing: Chance,
    pub(crate) faults: Vec<Armed>,
    pub(crate) striking: Chance,
    /// Query documents, read.
    pub(crate) documents: BTreeMap<String, Arc<crate::graphql::Document>>,
}

/// How the provider's clock differs from true time at the moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clockwork {
    pub(crate) skew_ms: i64,
    pub(crate) granularity_ms: u64,
}

impl Provider {
    /// A world of this service. Compiles the service first: for many worlds make a [`Blueprint`] once.
    #[must_use]
    pub fn new(service: &Service, options: Options) -> Self {
        Self::from_blueprint(Arc::new(Blueprint::new(service)), options)
    }

    /// A world of a compiled service.
    #[must_use]
    pub fn from_blueprint(blueprint: Arc<Blueprint>, mut options: Options) -> Self {
        let faults = std::mem::take(&mut options.faults).into_iter().map(Armed::new).collect();
        let version = options.version.clone().or_else(|| blueprint.version.clone()).unwrap_or_default();
        Self {
            version: Arc::from(version),
            secret: Arc::from(options.secret.as_str()),
            now: options.start,
            clockwork: Clockwork { skew_ms: options.skew_ms, granularity_ms: options.granularity_ms },
            records: Vec::new(),
            ids: BTreeMap::new(),
            of_kind: BTreeMap::new(),
            freed: BTreeMap::new(),
            events: Vec::new(),
            requests: Vec::new(),
            due: BTreeMap::new(),
            reversals: BTreeMap::new(),
            scripts: BTreeMap::new(),
            outbox: BTreeMap::new(),
            waiting: BTreeMap::new(),
            kept: BTreeMap::new(),
            sequence: 0,
            naming: Chance::new(options.seed, 1),
            timing: Chance::new(options.seed, 2),
            faults,
            striking: Chance::new(options.seed, 3),
            documents: BTreeMap::new(),
            blueprint,
            options,
        }
    }

    /// What really happened so far. For oracles and tests alone.
    #[must_use]
    pub fn truth(&self) -> GroundTruth<'_> {
        GroundTruth {
            records: &self.records,
            requests: &self.requests,
            events: &self.events,
            account: &self.options.account,
            live: self.options.live,
        }
    }

    /// The latest time seen.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// What the provider's clock shows at the latest time seen.
    #[must_use]
    pub const fn clock(&self) -> Time {
        self.now.plus(self.clockwork.skew_ms)
    }

    /// Adds a fault from now on.
    pub fn add_fault(&mut self, fault: Fault) {
        self.faults.push(Armed::new(fault));
        self.tick();
    }

    /// Takes back the fault that was added last.
    pub fn remove_last_fault(&mut self) {
        self.faults.pop();
        self.tick();
    }

    /// Puts off what faults have before them: starts and ends that lie after now come so much later.
    pub fn delay_faults(&mut self, by_ms: u64) {
        let age = u64::try_from(self.now.since(self.options.start)).unwrap_or(0);
        for armed in &mut self.faults {
            armed.delay(age, by_ms);
        }
    }

    /// Takes every fault away.
    pub fn clear_faults(&mut self) {
        self.faults.clear();
        self.tick();
    }

    /// Which faults of a stage strike now.
    pub(crate) fn strike(&mut self, stage: Stage, about: About<'_>) -> Vec<FaultKind> {
        if self.faults.is_empty() {
            return Vec::new();
        }
        let occasion = Occasion {
            stage,
            at: self.now,
            start: self.options.start,
            operation: about.operation,
            acting: about.acting,
            resource: about.resource,
            event: about.event,
        };
        Armed::strike(&mut self.faults, &mut self.striking, &occasion)
    }

    /// Reads the clock faults anew.
    pub(crate) fn tick(&mut self) {
        if self.faults.is_empty() && self.clockwork.skew_ms == self.options.skew_ms {
            return;
        }
        let mut clockwork =
            Clockwork { skew_ms: self.options.skew_ms, granularity_ms: self.options.granularity_ms };
        for fault in self.strike(Stage::Clock, About::default()) {
            if let FaultKind::ClockSkew { ms } = fault {
                clockwork.skew_ms = clockwork.skew_ms.saturating_add(ms);
            } else {
                clockwork.granularity_ms = clockwork.granularity_ms.max(1000);
            }
        }
        self.clockwork = clockwork;
    }

    /// A number that no other call got; orders what falls on one time.
    pub(crate) fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// The record of a kind with that id, deleted or not; the newest, if ids were reused.
    pub(crate) fn find(&self, kind: usize, id: &str) -> Option<usize> {
        self.ids.get(&kind)?.get(id).copied()
    }

    /// The record of any kind with that id.
    pub(crate) fn find_any(&self, id: &str) -> Option<usize> {
        self.ids.values().find_map(|ids| ids.get(id).copied())
    }

    /// The newest value of a record.
    pub(crate) fn latest(&self, record: usize) -> Option<&Value> {
        Some(&self.records.get(record)?.latest()?.value)
    }
}

/// What an occasion is about.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct About<'a> {
    pub(crate) operation: Option<&'a str>,
    pub(crate) acting: Option<bool>,
    pub(crate) resource: Option<&'a str>,
    pub(crate) event: Option<&'a str>,
}
