//! Webhooks: takes what has fallen due and posts it to every subscriber, again after a while where one does not take
//! it. It must not change what is delivered.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use provely_simulator::Wire;
use serde::Deserialize;

use crate::world::World;

/// Who gets webhooks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subscriber {
    /// Where events are posted.
    pub url: String,
}

/// How often the outbox is looked at.
const PERIOD: Duration = Duration::from_millis(20);
/// How long a subscriber may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// When a delivery that was not taken is tried again, after the last attempt.
const AGAIN: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(30)];
/// Most deliveries that wait for another attempt; the oldest go first.
const MOST_WAITING: usize = 1_000;

struct Attempt {
    at: Instant,
    number: usize,
    url: String,
    wire: Arc<Wire>,
}

/// Delivers until told to stop.
pub(crate) fn deliver(world: &World, stop: &AtomicBool) {
    let config = ureq::Agent::config_builder().timeout_global(Some(PATIENCE)).http_status_as_error(false);
    let agent: ureq::Agent = config.build().into();
    let mut waiting: VecDeque<Attempt> = VecDeque::new();
    while !stop.load(Ordering::Relaxed) {
        let now = world.now();
        let due = world.provider().take_deliveries(now);
        let urls: Vec<String> = world.subscribers().iter().map(|own| own.url.clone()).collect();
        for delivery in due {
            let wire = Arc::new(delivery.wire());
            let fresh = |url: &String| Attempt {
                at: Instant::now(),
                number: 0,
                url: url.clone(),
                wire: Arc::clone(&wire),
            };
            waiting.extend(urls.iter().map(fresh));
        }
        let (ready, later): (Vec<Attempt>, Vec<Attempt>) =
            waiting.drain(..).partition(|attempt| attempt.at <= Instant::now());
        waiting.extend(later);
        for attempt in ready {
            if !post(&agent, &attempt)
                && let Some(pause) = AGAIN.get(attempt.number)
            {
                waiting.push_back(Attempt {
                    at: Instant::now() + *pause,
                    number: attempt.number + 1,
                    ..attempt
                });
            }
        }
        while waiting.len() > MOST_WAITING {
            waiting.pop_front();
        }
        std::thread::sleep(PERIOD);
    }
}

/// True if the subscriber took it.
fn post(agent: &ureq::Agent, attempt: &Attempt) -> bool {
    let mut request = agent.post(&attempt.url);
    for (name, value) in &attempt.wire.headers {
        request = request.header(name, value);
    }
    request.send(attempt.wire.body.as_str()).is_ok_and(|reply| reply.status().is_success())
}
