//! When to observe again. Times are handed in; no clock is read.
//!
//! A fast phase with exponential backoff, bounded by `maximum_attempts`; then polls widen with the age
//! of the operation, so that a settlement on day three is still seen. The last observation is at the
//! deadline. An observation is also due when a stale window ends, since that alone can decide.

use crate::contract::Timing;
use crate::time::Time;

/// What the next observation depends on.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// The contract's timing.
    pub timing: &'a Timing,
    /// When `begin` answered.
    pub begun_at: Time,
    /// Scheduled observations made so far.
    pub attempts: u32,
    /// The present.
    pub now: Time,
    /// The deadline.
    pub deadline: Time,
    /// Ends of the windows that are open or were.
    pub window_ends: [Option<Time>; 4],
}

/// In the slow phase an operation is observed again after this fraction of its age.
const SLOW_PHASE_FRACTION: i64 = 16;

/// The time of the next observation: after `now`, and never after the deadline unless that has passed.
#[must_use]
pub fn next_observation(moment: &Moment<'_>) -> Time {
    let regular = moment.now.plus(interval(moment).max(1));
    let initial = moment.begun_at.plus(ms(moment.timing.initial_delay_ms));
    let planned = if moment.attempts == 0 && initial > moment.now { initial } else { regular };
    let window = moment.window_ends.iter().flatten().filter(|end| **end > moment.now).min();
    let next = window.map_or(planned, |end| planned.min(*end));
    if moment.deadline > moment.now { next.min(moment.deadline) } else { next }
}

fn interval(moment: &Moment<'_>) -> i64 {
    let timing = moment.timing;
    let longest = ms(timing.backoff.max_ms);
    let steps = moment.attempts.saturating_sub(1).min(32);
    let growth = i64::from(timing.backoff.factor).saturating_pow(steps);
    let fast =
        ms(timing.poll_interval_ms).saturating_mul(growth).min(longest.max(ms(timing.poll_interval_ms)));
    if moment.attempts < timing.maximum_attempts {
        fast
    } else {
        fast.max(moment.now.since(moment.begun_at) / SLOW_PHASE_FRACTION)
    }
}

fn ms(span: u64) -> i64 {
    i64::try_from(span).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Backoff;

    const TIMING: Timing = Timing {
        initial_delay_ms: 1_000,
        poll_interval_ms: 5_000,
        backoff: Backoff { factor: 2, max_ms: 60_000 },
        maximum_attempts: 40,
        timeout_ms: 604_800_000,
        stale_read_window_ms: 20_000,
    };

    fn next(attempts: u32, now: i64, window: Option<i64>) -> i64 {
        let moment = Moment {
            timing: &TIMING,
            begun_at: Time::from_millis(0),
            attempts,
            now: Time::from_millis(now),
            deadline: Time::from_millis(604_800_000),
            window_ends: [window.map(Time::from_millis), None, None, None],
        };
        next_observation(&moment).as_millis()
    }

    #[test]
    fn the_fast_phase_backs_off_to_its_bound() {
        assert_eq!(next(0, 0, None), 1_000);
        assert_eq!(next(1, 1_000, None), 6_000);
        assert_eq!(next(2, 6_000, None), 16_000);
        assert_eq!(next(9, 100_000, None), 160_000);
    }

    #[test]
    fn a_window_that_ends_is_looked_at() {
        assert_eq!(next(3, 16_000, Some(21_000)), 21_000);
        assert_eq!(next(3, 21_000, Some(21_000)), 41_000);
    }

    #[test]
    fn t79_polls_widen_to_the_deadline() {
        let mut now = 0;
        let mut attempts = 0;
        let mut after_day_three = None;
        while now < 604_800_000 {
            now = next(attempts, now, None);
            attempts += 1;
            if now > 3 * 86_400_000 && after_day_three.is_none() {
                after_day_three = Some(now);
            }
        }
        assert_eq!(now, 604_800_000, "the last observation is at the deadline");
        assert!(after_day_three.is_some_and(|seen| seen < 3 * 86_400_000 + 6 * 3_600_000));
        assert!(attempts < 200, "{attempts} observations in a week");
    }
}
