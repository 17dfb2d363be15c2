//! Writing points in time the way a provider writes them. It must not read a clock.

use provely_evaluator::contract::{InstantFormat, InstantRule};
use provely_evaluator::json::Value;
use provely_evaluator::time::Time;
use provely_model::FieldKind;

/// How one place writes instants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Notation {
    format: InstantFormat,
    granularity_ms: u64,
    /// Text without a zone, this many minutes off UTC.
    zone_minutes: Option<i32>,
}

impl Notation {
    /// What a channel declares.
    pub(crate) fn of_rule(rule: &InstantRule) -> Self {
        Self {
            format: rule.format,
            granularity_ms: rule.granularity_ms.max(1),
            zone_minutes: rule.zone_minutes,
        }
    }

    /// What a field's type suggests: RFC 3339 text unless it is an epoch.
    pub(crate) const fn of_kind(kind: FieldKind) -> Self {
        let (format, granularity_ms) = match kind {
            FieldKind::EpochSeconds | FieldKind::Integer | FieldKind::Number => {
                (InstantFormat::EpochSeconds, 1000)
            }
            FieldKind::EpochMilliseconds => (InstantFormat::EpochMilliseconds, 1),
            FieldKind::Text
            | FieldKind::Decimal
            | FieldKind::Boolean
            | FieldKind::DateTime
            | FieldKind::IdOrRecord
            | FieldKind::Map
            | FieldKind::Object
            | FieldKind::Array
            | FieldKind::Any => (InstantFormat::Rfc3339, 1),
        };
        Self { format, granularity_ms, zone_minutes: None }
    }

    /// The same, but no finer than `granularity_ms`.
    pub(crate) fn at_least(self, granularity_ms: u64) -> Self {
        Self { granularity_ms: self.granularity_ms.max(granularity_ms), ..self }
    }

    /// The instant as it is printed, cut down to the granularity.
    pub(crate) fn write(self, time: Time) -> Value {
        let time = self.cut(time);
        match self.format {
            InstantFormat::EpochSeconds => Value::from(time.as_millis().div_euclid(1000)),
            InstantFormat::EpochMilliseconds => Value::from(time.as_millis()),
            InstantFormat::Rfc3339 => Value::from(self.rfc3339(time)),
            InstantFormat::Rfc3339Like => Value::from(self.spaced(time)),
        }
    }

    /// The instant that [`Notation::write`] prints.
    pub(crate) fn cut(self, time: Time) -> Time {
        let step = i64::try_from(self.granularity_ms.max(1)).unwrap_or(1);
        time.minus(time.as_millis().rem_euclid(step))
    }

    /// The instant that text or a number of this notation names, for filters.
    pub(crate) fn read(self, text: &str) -> Option<Time> {
        match self.format {
            InstantFormat::EpochSeconds => text.parse().ok().map(Time::from_seconds),
            InstantFormat::EpochMilliseconds => text.parse().ok().map(Time::from_millis),
            InstantFormat::Rfc3339 | InstantFormat::Rfc3339Like => Time::parse(text).ok(),
        }
    }

    fn rfc3339(self, time: Time) -> String {
        let text = time.to_string();
        if self.granularity_ms.is_multiple_of(1000) { text.replace(".000Z", "Z") } else { text }
    }

    /// `2023-04-03 22:13:42.674000+00`, or without the offset in a declared zone.
    fn spaced(self, time: Time) -> String {
        let shifted = time.plus(i64::from(self.zone_minutes.unwrap_or(0)) * 60_000);
        let text = shifted.to_string().replace('T', " ");
        let text = text.trim_end_matches('Z');
        let end = if self.zone_minutes.is_some() { "" } else { "+00" };
        format!("{text}000{end}")
    }
}

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The preferred form of RFC 9110, section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(crate) fn http_date(time: Time) -> String {
    let text = time.to_string();
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let weekday = usize::try_from(time.as_millis().div_euclid(86_400_000).rem_euclid(7)).unwrap_or(0);
    let month = part(5, 7).parse::<usize>().unwrap_or(1).saturating_sub(1);
    let (weekday, month) = (DAYS.get(weekday).unwrap_or(&"Thu"), MONTHS.get(month).unwrap_or(&"Jan"));
    [weekday, ", ", part(8, 10), " ", month, " ", part(0, 4), " ", part(11, 19), " GMT"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_each_notation() {
        let time = Time::parse("2026-09-05T14:03:26.678Z").unwrap();
        let written = |format, granularity_ms, zone_minutes| {
            Notation::of_rule(&InstantRule { format, zone_minutes, granularity_ms }).write(time).to_string()
        };
        assert_eq!(written(InstantFormat::EpochSeconds, 1000, None), "1788617006");
        assert_eq!(written(InstantFormat::EpochMilliseconds, 1, None), "1788617006678");
        assert_eq!(written(InstantFormat::Rfc3339, 1, None), r#""2026-09-05T14:03:26.678Z""#);
        assert_eq!(written(InstantFormat::Rfc3339, 1000, None), r#""2026-09-05T14:03:26Z""#);
        assert_eq!(written(InstantFormat::Rfc3339Like, 1, None), r#""2026-09-05 14:03:26.678000+00""#);
        assert_eq!(written(InstantFormat::Rfc3339Like, 1, Some(120)), r#""2026-09-05 16:03:26.678000""#);
    }

    #[test]
    fn writes_the_date_header() {
        let time = Time::parse("1994-11-06T08:49:37.9Z").unwrap();
        assert_eq!(http_date(time), "Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
