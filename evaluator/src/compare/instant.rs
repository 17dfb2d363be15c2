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

/// RFC 3339 but for a space instead of `T`, offsets of two or four digits, or none at all; or as mail writes it.
fn parse_like(text: &str, zone_minutes: Option<i32>) -> Option<Time> {
    if text.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return parse_mail(text);
    }
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

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// RFC 5322, section 3.3, as it is written today: `Fri, 20 Aug 2010 01:13:42 +0000`, also with `GMT`.
fn parse_mail(text: &str) -> Option<Time> {
    let (weekday, rest) = text.split_once(", ")?;
    let mut words = rest.split(' ');
    let (day, month, year) = (words.next()?, words.next()?, words.next()?);
    let (clock, zone) = (words.next()?, words.next()?);
    let number = MONTHS.iter().position(|own| *own == month)? + 1;
    let (sign, hours, minutes) = match zone.split_at_checked(1)? {
        (sign @ ("+" | "-"), digits) if digits.len() == 4 => {
            let (hours, minutes) = digits.split_at_checked(2)?;
            (sign, hours, minutes)
        }
        _ if zone == "GMT" => ("+", "00", "00"),
        _ => return None,
    };
    let digits = [b'0' + u8::try_from(number / 10).ok()?, b'0' + u8::try_from(number % 10).ok()?];
    let month = core::str::from_utf8(&digits).ok()?;
    let mut buffer = [0_u8; LONGEST];
    let mut length = 0_usize;
    let zero = if day.len() == 1 { "0" } else { "" };
    for part in [year, "-", month, "-", zero, day, "T", clock, sign, hours, ":", minutes] {
        let target = buffer.get_mut(length..length.checked_add(part.len())?)?;
        target.copy_from_slice(part.as_bytes());
        length += part.len();
    }
    let whole = weekday.len() == 3 && words.next().is_none() && clock.len() == 8;
    Time::parse(core::str::from_utf8(buffer.get(..length)?).ok()?).ok().filter(|_| whole)
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
        for text in [
            "Mon, 03 Apr 2023 22:13:42 +0000",
            "Mon, 3 Apr 2023 22:13:42 GMT",
            "Tue, 04 Apr 2023 00:13:42 +0200",
        ] {
            assert_eq!(like(text, None), Some(expected - 674), "{text}");
        }
        for text in [
            "Mon, 03 Avr 2023 22:13:42 +0000",
            "Mon, 03 Apr 2023 22:13 +0000",
            "Mon, 03 Apr 2023 22:13:42",
            "Mon, 03 Apr 23 22:13:42 +0000",
        ] {
            assert_eq!(like(text, None), None, "{text}");
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
