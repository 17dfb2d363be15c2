//! Points in time, in milliseconds, UTC. It must not read a clock: the time is always handed in.

use core::fmt;
use core::str::FromStr;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// It lies between the years 0000 and 9999, the range of RFC 3339, so that every time can be printed;
/// arithmetic stops at the ends ([`Time::MIN`], [`Time::MAX`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(i64);

impl Time {
    /// 0000-01-01T00:00:00.000Z
    pub const MIN: Time = Time(-62_167_219_200_000);
    /// 9999-12-31T23:59:59.999Z
    pub const MAX: Time = Time(253_402_300_799_999);

    /// The time this many milliseconds after 1970; beyond the range, its nearer end.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        if millis < Self::MIN.0 {
            Self::MIN
        } else if millis > Self::MAX.0 {
            Self::MAX
        } else {
            Self(millis)
        }
    }

    /// The time this many seconds after 1970; beyond the range, its nearer end.
    #[must_use]
    pub const fn from_seconds(seconds: i64) -> Self {
        Self::from_millis(seconds.saturating_mul(SECOND))
    }

    /// Milliseconds since 1970, negative before.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The time `millis` later (earlier, if negative).
    #[must_use]
    pub const fn plus(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// The time `millis` earlier (later, if negative).
    #[must_use]
    pub const fn minus(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_sub(millis))
    }

    /// Milliseconds from `earlier` to this time, negative if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Time) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Reads a date and time of RFC 3339, any offset; a fraction finer than a millisecond is cut off.
    /// The leap second `:60` is the second after `:59`.
    ///
    /// # Errors
    /// If the text is anything else, a date that does not exist included.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        read(text.as_bytes())
            .filter(|time| (Self::MIN.0..=Self::MAX.0).contains(time))
            .map(Self)
            .ok_or(TimeError)
    }
}

/// The text is no date and time of RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeError;

impl fmt::Display for TimeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("time_malformed: write times as RFC 3339 has them, `2026-09-05T14:03:26.006Z`")
    }
}

impl core::error::Error for TimeError {}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        Self::parse(text)
    }
}

/// Prints `2026-09-05T14:03:26.006Z`, always with milliseconds.
impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, rest) = (self.0.div_euclid(DAY), self.0.rem_euclid(DAY));
        let (year, month, day) = date_of(days);
        let (hour, minute) = (rest / HOUR, rest % HOUR / MINUTE);
        let (second, milli) = (rest % MINUTE / SECOND, rest % SECOND);
        write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TimeVisitor)
    }
}

struct TimeVisitor;

impl Visitor<'_> for TimeVisitor {
    type Value = Time;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a date and time of RFC 3339")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Time, E> {
        Time::parse(text).map_err(E::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Time {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "date-time",
            "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
            "description": "A date and time of RFC 3339"
        })
    }
}

/// The days since 1970 of a date in the Gregorian calendar. Years are counted from March, so that the leap
/// day ends them, in eras of 400 years, or 146,097 days.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month < 3 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The inverse of [`days_of`].
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month < 3), month, day)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn read(text: &[u8]) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let &[a, b, c, d, b'-', m, n, b'-', e, f] = date else { return None };
    let (year, month, day) = (digits(&[a, b, c, d])?, digits(&[m, n])?, digits(&[e, f])?);
    if !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
        return None;
    }
    let (clock, rest) = rest.split_at_checked(9)?;
    let &[b'T' | b't', a, b, b':', c, d, b':', e, f] = clock else { return None };
    let (hour, minute, second) = (digits(&[a, b])?, digits(&[c, d])?, digits(&[e, f])?);
    if hour > 23 || minute > 59 || second > 60 || (second == 60 && minute != 59) {
        return None;
    }
    let (milli, rest) = fraction(rest)?;
    let time = hour * HOUR + minute * MINUTE + second * SECOND + milli - offset(rest)?;
    Some(days_of(year, month, day) * DAY + time)
}

/// The milliseconds of `.123456`, and what follows.
fn fraction(text: &[u8]) -> Option<(i64, &[u8])> {
    let Some(after) = text.strip_prefix(b".") else { return Some((0, text)) };
    let count = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (fraction, rest) = after.split_at_checked(count).filter(|_| count > 0)?;
    let three = fraction.iter().copied().chain([b'0', b'0']).take(3);
    Some((three.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')), rest))
}

/// The offset from UTC in milliseconds.
fn offset(text: &[u8]) -> Option<i64> {
    let &[sign, a, b, b':', c, d] = text else { return matches!(text, b"Z" | b"z").then_some(0) };
    let (hour, minute) = (digits(&[a, b])?, digits(&[c, d])?);
    if hour > 23 || minute > 59 {
        return None;
    }
    match sign {
        b'+' => Some(hour * HOUR + minute * MINUTE),
        b'-' => Some(-(hour * HOUR + minute * MINUTE)),
        _ => None,
    }
}

fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use proptest::prelude::*;

    #[test]
    fn reads_what_rfc_3339_has() {
        let cases = [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-09-05T14:03:26.006Z", 1_788_617_006_006),
            ("2026-09-05t16:03:26.0069+02:00", 1_788_617_006_006),
            ("2026-09-05T14:03:26.5z", 1_788_617_006_500),
            ("1969-12-31T23:59:59.999-00:00", -1),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("1990-12-31T23:59:60Z", 662_688_000_000),
            ("0000-01-01T00:00:00Z", Time::MIN.0),
            ("9999-12-31T23:59:59.999Z", Time::MAX.0),
        ];
        for (text, millis) in cases {
            assert_eq!(Time::parse(text).map(Time::as_millis), Ok(millis), "{text}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        let cases = [
            "",
            "2026-09-05",
            "2026-09-05T14:03:26",
            "2026-09-05 14:03:26Z",
            "2026-9-05T14:03:26Z",
            "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:61Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+0200",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00Zx",
            "+026-01-01T00:00:00Z",
            "0000-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "２０２６-01-01T00:00:00Z",
        ];
        for text in cases {
            assert_eq!(Time::parse(text), Err(TimeError), "{text}");
        }
    }

    #[test]
    fn arithmetic_stops_at_the_ends() {
        assert_eq!(Time::MAX.plus(1), Time::MAX);
        assert_eq!(Time::MIN.minus(i64::MAX), Time::MIN);
        assert_eq!(Time::from_seconds(i64::MIN), Time::MIN);
        assert_eq!(Time::MIN.minus(i64::MIN), Time::MAX);
        assert_eq!(Time::from_millis(5).since(Time::from_millis(7)), -2);
    }

    proptest! {
        #[test]
        fn prints_what_it_reads(millis in Time::MIN.0..=Time::MAX.0) {
            let time = Time::from_millis(millis);
            let text = time.to_string();
            prop_assert_eq!(text.len(), 24);
            prop_assert_eq!(Time::parse(&text), Ok(time));
        }

        #[test]
        fn later_times_print_later(left in Time::MIN.0..=Time::MAX.0, right in Time::MIN.0..=Time::MAX.0) {
            let order = Time::from_millis(left).to_string().cmp(&Time::from_millis(right).to_string());
            prop_assert_eq!(order, left.cmp(&right));
        }
    }
}
