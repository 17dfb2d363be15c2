//! When to look next. The evaluator plans by the contract's timing; here stand the first look, the
//! windows that only the runtime knows of, and the provider's wish not to be read so soon.

use provely_evaluator::contract::Timing;
use provely_evaluator::time::Time;

/// The first observation: the initial delay after the action may be sent, never after the deadline.
#[must_use]
pub fn first(timing: &Timing, ready_at: Time, deadline: Time) -> Time {
    ready_at.plus(signed(timing.initial_delay_ms)).min(deadline)
}

/// What the runtime knows beside the evaluator's plan.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// Now, on our clock.
    pub now: Time,
    /// The deadline.
    pub deadline: Time,
    /// The provider asked not to be read before.
    pub not_before: Option<Time>,
}

/// The next observation: as planned, but not after the end of a stale window that is still open
/// (`starts`: records first seen, claims, events), not before the provider wants it, and not after a
/// deadline that lies ahead.
#[must_use]
pub fn next(timing: &Timing, planned: Time, moment: Moment, starts: impl Iterator<Item = Time>) -> Time {
    let window = signed(timing.stale_read_window_ms);
    let ends = starts.map(|start| start.plus(window)).filter(|end| *end > moment.now);
    let next = ends.fold(planned, Time::min);
    let next = moment.not_before.map_or(next, |at| next.max(at));
    if moment.now < moment.deadline { next.min(moment.deadline) } else { next }
}

fn signed(millis: u64) -> i64 {
    i64::try_from(millis).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use provely_evaluator::contract::Backoff;

    const TIMING: Timing = Timing {
        initial_delay_ms: 1_000,
        poll_interval_ms: 5_000,
        backoff: Backoff { factor: 2, max_ms: 60_000 },
        maximum_attempts: 40,
        timeout_ms: 600_000,
        stale_read_window_ms: 20_000,
    };

    fn at(millis: i64) -> Time {
        Time::from_millis(millis)
    }

    fn moment(now: i64, not_before: Option<i64>) -> Moment {
        Moment { now: at(now), deadline: at(600_000), not_before: not_before.map(at) }
    }

    #[test]
    fn the_first_look_follows_the_moment_to_act() {
        assert_eq!(first(&TIMING, at(5_000), at(600_000)), at(6_000));
        assert_eq!(first(&TIMING, at(5_000), at(5_500)), at(5_500));
    }

    #[test]
    fn an_open_window_is_looked_at_when_it_ends() {
        let starts = [at(1_000), at(9_000)];
        assert_eq!(next(&TIMING, at(60_000), moment(10_000, None), starts.into_iter()), at(21_000));
        assert_eq!(next(&TIMING, at(60_000), moment(21_000, None), starts.into_iter()), at(29_000));
        assert_eq!(next(&TIMING, at(60_000), moment(29_000, None), starts.into_iter()), at(60_000));
    }

    #[test]
    fn a_busy_provider_is_left_alone_but_for_the_last_look() {
        let none = std::iter::empty::<Time>;
        assert_eq!(next(&TIMING, at(20_000), moment(10_000, Some(40_000)), none()), at(40_000));
        assert_eq!(next(&TIMING, at(20_000), moment(10_000, Some(900_000)), none()), at(600_000));
    }
}
