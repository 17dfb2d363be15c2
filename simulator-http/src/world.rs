//! One simulated world and what stands around it: clock, subscribers, the model it was made from. Every request
//! meets it under one lock, so that requests have an order.

use std::sync::{Mutex, MutexGuard, PoisonError};

use provely_evaluator::time::Time;
use provely_model::Service;
use provely_simulator::{Options, Provider};

use crate::clock::{Clock, ClockKind, wall};
use crate::describe::describe;
use crate::hooks::Subscriber;

/// How a world is set up.
#[derive(Debug, Clone)]
pub struct Set {
    /// The provider's options; its start is the present time where the clock is real.
    pub options: Options,
    /// Who moves the clock.
    pub clock: ClockKind,
    /// Who gets webhooks.
    pub subscribers: Vec<Subscriber>,
}

/// A simulated provider, ready to be served.
#[derive(Debug)]
pub struct World {
    pub(crate) service: Service,
    pub(crate) clock: Clock,
    pub(crate) kind: ClockKind,
    /// The path of the service's own address, in front of its operations' paths; empty for none.
    pub(crate) base_path: String,
    /// The path of query documents, where there are some.
    pub(crate) endpoint: Option<String>,
    pub(crate) description: String,
    provider: Mutex<Provider>,
    subscribers: Mutex<Vec<Subscriber>>,
}

impl World {
    /// A world of a service.
    #[must_use]
    pub fn new(service: Service, set: Set) -> Self {
        let Set { mut options, clock, subscribers } = set;
        if clock == ClockKind::Real {
            options.start = wall();
        }
        let start = options.start;
        let documents = service.operations.iter().find(|operation| operation.graphql.is_some());
        Self {
            clock: Clock::new(clock, start),
            kind: clock,
            base_path: base_path(service.base_url.as_deref().unwrap_or_default()),
            endpoint: documents.map(|operation| operation.path.clone()),
            description: describe(&service).to_string(),
            provider: Mutex::new(Provider::new(&service, options)),
            subscribers: Mutex::new(subscribers),
            service,
        }
    }

    /// The present time of the world.
    #[must_use]
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// The provider, for one request. A request that panicked leaves the world as it was.
    pub(crate) fn provider(&self) -> MutexGuard<'_, Provider> {
        self.provider.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The provider as it stands at the present time.
    pub(crate) fn present(&self) -> MutexGuard<'_, Provider> {
        let now = self.now();
        let mut provider = self.provider();
        provider.advance(now);
        provider
    }

    pub(crate) fn subscribers(&self) -> MutexGuard<'_, Vec<Subscriber>> {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The path of an address, without its last slash.
fn base_path(url: &str) -> String {
    let path = url.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map(|(_, path)| path);
    path.map_or(String::new(), |path| format!("/{}", path.trim_end_matches('/')))
        .trim_end_matches('/')
        .to_owned()
}
