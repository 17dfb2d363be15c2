//! Instants as providers write them, with their granularity. It must not read a clock.

use crate::contract::{InstantFormat, InstantRule};
use crate::json::Value;
use crate::time::Time;

/// A moment known to lie in `[from, from + granularity_ms)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant {
    /// The start.
    pub from: Time,
    /// Width in milliseconds; 0 for an exact moment.
    pub granularity_ms: i64,
}

impl Instant {
    /// An exact moment.
    #[must_use]
    pub const fn exact(from: Time) -> Self {
        Self { from, granularity_ms: 0 }
    }

    /// Reads a provider's value by the channel's rule; `None` for anything the rule does not fit (T32,
    /// T33: text without a zone is refused unless the rule declares one).
    #[must_use]
    pub fn read(value: &Value, rule: &InstantRule) -> Option<Self> {
        let from = match rule.format {
            InstantFormat::Rfc3339 => Time::parse(value.as_str()?).ok()?,
            InstantFormat::Rfc3339Like => parse_like(value.as_str()?, rule.zone_minutes)?,
            InstantFormat::EpochSeconds => within(value.as_i64()?.checked_mul(1_000)?)?,
            InstantFormat::EpochMilliseconds => within(value.as_i64()?)?,
        };
        Some(Self { from, granularity_ms: i64::try_from(rule.granularity_ms).ok()? })
    }

    /// Known not to lie before `moment`, allowing for a clock skew of up to `skew_ms`.
    #[must_use]
    pub fn is_after(&self, moment: Time, skew_ms: i64) -> bool {
        self.from >= moment.plus(skew_ms)
    }

    /// Known to lie before `moment`, allowing for a clock skew of up to `skew_ms`.
    #[must_use]
    pub fn is_before(&self, moment: Time, skew_ms: i64) -> bool {
        self.end() <= moment.minus(skew_ms)
    }

    /// The first moment that it cannot be.
    #[must_use]
    pub const fn end(&self) -> Time {
        self.from.plus(self.granularity_ms)
    }
}

fn within(millis: i64) -> Option<Time> {
    let time = Time::from_millis(millis);
    (time.as_millis() == millis).then_some(time)
}

const LONGEST: usize = 48;

/// RFC 3339 but for a space instead of `T`, offsets of two or four digits, or none at all.
fn parse_like(text: &str, zone_minutes: Option<i32>) -> Option<Time> {
    let mut buffer = [0_u8; LONGEST];
    let date = text.get(..10)?;
    let rest = text.get(11..)?;
    if !matches!(text.as_bytes().get(10), Some(b' ' | b'T' | b't')) {
        return None;
    }
    let clock_end = rest.find(['+', '-', 'Z', 'z']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at_checked(clock_end)?;
    let (sign, digits) = zone.split_at_checked(usize::from(!zone.is_empty()))?;
    let (hours, minutes) = match (sign, digits.len()) {
        ("" | "Z" | "z", 0) => ("00", "00"),
        ("+" | "-", 2) => (digits, "00"),
        ("+" | "-", 4) => digits.split_at_checked(2)?,
        ("+" | "-", 5) => digits.split_once(':')?,
        _ => return None,
    };
    let sign = if sign == "-" { "-" } else { "+" };
    let mut length = 0_usize;
    for part in [date, "T", clock.trim_end(), sign, hours, ":", minutes] {
        let target = buffer.get_mut(length..length.checked_add(part.len())?)?;
        target.copy_from_slice(part.as_bytes());
        length += part.len();
    }
    let time = Time::parse(core::str::from_utf8(buffer.get(..length)?).ok()?).ok()?;
    if zone.is_empty() { Some(time.minus(i64::from(zone_minutes?).checked_mul(60_000)?)) } else { Some(time) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(format: InstantFormat, zone_minutes: Option<i32>) -> InstantRule {
        InstantRule { format, zone_minutes, granularity_ms: 1 }
    }

    fn like(text: &str, zone: Option<i32>) -> Option<i64> {
        let read = Instant::read(&Value::from(text), &rule(InstantFormat::Rfc3339Like, zone));
        read.map(|instant| instant.from.as_millis())
    }

    #[test]
    fn t32_reads_what_the_channel_declares() {
        let expected = Time::parse("2023-04-03T22:13:42.674Z").unwrap().as_millis();
        for text in [
            "2023-04-03 22:13:42.674981+00",
            "2023-04-03T22:13:42.674+0000",
            "2023-04-04 00:13:42.674+02:00",
            "2023-04-03T22:13:42.674Z",
        ] {
            assert_eq!(like(text, None), Some(expected), "{text}");
        }
        assert_eq!(like("yesterday", None), None);
        assert_eq!(
            Instant::read(&Value::from("2023-04-03 22:13:42+00"), &rule(InstantFormat::Rfc3339, None)),
            None
        );
    }

    #[test]
    fn t33_refuses_a_zone_less_time_without_a_declared_zone() {
        assert_eq!(like("2023-04-03 22:13:42", None), None);
        assert_eq!(like("2023-04-03 22:13:42", Some(120)), like("2023-04-03 20:13:42Z", None));
    }

    #[test]
    fn epochs_take_whole_numbers_only() {
        let seconds = rule(InstantFormat::EpochSeconds, None);
        assert_eq!(Instant::read(&Value::from(5_i64), &seconds).map(|i| i.from.as_millis()), Some(5_000));
        assert_eq!(Instant::read(&Value::from("5"), &seconds), None);
        assert_eq!(Instant::read(&Value::from(i64::MAX), &seconds), None);
    }
}
