//! Reads times as text or numbers into milliseconds since the Unix epoch. Knows no clock of its own.

use serde_json::Value;

/// A moment as a source wrote it: it lies in `[at, at + granularity)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub at: i64,
    pub granularity: i64,
}

/// RFC 3339 text to milliseconds.
pub(super) fn rfc3339(text: &str) -> Option<i64> {
    let separator = text.get(10..11)?;
    if !separator.eq_ignore_ascii_case("t") {
        return None;
    }
    date_time(text, None)
}

/// Reads an observed value by a channel's `instant` rule.
pub(super) fn by_rule(value: &Value, rule: &Value) -> Option<Moment> {
    let zone = rule.get("zone_minutes").and_then(Value::as_i64);
    let at = match rule.get("format")?.as_str()? {
        "rfc3339" => rfc3339(value.as_str()?)?,
        "rfc3339_like" => {
            let text = value.as_str()?;
            if text.starts_with(char::is_alphabetic) { mail(text)? } else { date_time(text, zone)? }
        }
        "epoch_seconds" => value.as_i64()?.checked_mul(1000)?,
        "epoch_milliseconds" => value.as_i64()?,
        _ => return None,
    };
    // The years 0000 to 9999, the range of RFC 3339.
    if !(-62_167_219_200_000..=253_402_300_799_999).contains(&at) {
        return None;
    }
    Some(Moment { at, granularity: rule.get("granularity_ms")?.as_i64()? })
}

/// `YYYY-MM-DD?hh:mm:ss[.fff][zone]`; without a zone in the text, `zone` says minutes east of UTC.
fn date_time(text: &str, zone: Option<i64>) -> Option<i64> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let part = text.get(from..to)?;
        if part.bytes().all(|byte| byte.is_ascii_digit()) { part.parse().ok() } else { None }
    };
    let is = |at: usize, what: &str| text.get(at..at + 1) == Some(what);
    if !(is(4, "-") && is(7, "-") && is(13, ":") && is(16, ":")) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (milliseconds, rest) = fraction(text.get(19..)?)?;
    let offset = if rest.is_empty() { zone? } else { offset(rest)? };
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute - offset) * 60 + second;
    Some(seconds * 1000 + milliseconds)
}

/// `Fri, 20 Aug 2010 01:13:42 +0000` or with `GMT`, turned into the other form.
fn mail(text: &str) -> Option<i64> {
    let words: Vec<&str> = text.split(' ').collect();
    let [weekday, day, month, year, clock, zone] = words.as_slice() else { return None };
    let months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
    let month = months.split(' ').position(|own| own == *month)? + 1;
    let zone = match *zone {
        "GMT" => "Z".to_owned(),
        zone if zone.len() == 5 => format!("{}:{}", zone.get(..3)?, zone.get(3..)?),
        _ => return None,
    };
    let whole = weekday.len() == 4 && weekday.ends_with(',') && clock.len() == 8;
    date_time(&format!("{year}-{month:02}-{day:0>2}T{clock}{zone}"), None).filter(|_| whole)
}

fn fraction(text: &str) -> Option<(i64, &str)> {
    let Some(rest) = text.strip_prefix('.') else { return Some((0, text)) };
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let digits = rest.get(..end)?;
    if digits.is_empty() {
        return None;
    }
    let padded: String = digits.chars().chain("000".chars()).take(3).collect();
    Some((padded.parse().ok()?, rest.get(end..)?))
}

/// Minutes east of UTC.
fn offset(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = match text.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    if hours.len() != 2 || minutes.len() != 2 {
        return None;
    }
    Some(sign * (hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?))
}

fn leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01, counted year by year and month by month.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let years: i64 = (1970..year).map(|y| if leap(y) { 366 } else { 365 }).sum();
    let before: i64 = (year..1970).map(|y| if leap(y) { 366 } else { 365 }).sum();
    let months: i64 = (1..month).map(|m| days_in(year, m)).sum();
    years - before + months + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_the_usual_forms() {
        assert_eq!(rfc3339("1970-01-02T00:00:00.250Z"), Some(86_400_250));
        assert_eq!(rfc3339("2026-09-05T16:00:00+02:00"), rfc3339("2026-09-05T14:00:00Z"));
        assert_eq!(rfc3339("2026-09-05 14:00:00Z"), None);
        let rule = json!({"format": "rfc3339_like", "zone_minutes": 120, "granularity_ms": 1000});
        let read = by_rule(&json!("2026-09-05 16:00:00"), &rule).map(|moment| moment.at);
        assert_eq!(read, rfc3339("2026-09-05T14:00:00Z"));
        let read = by_rule(&json!("Sat, 05 Sep 2026 16:00:00 +0200"), &rule).map(|moment| moment.at);
        assert_eq!(read, rfc3339("2026-09-05T14:00:00Z"));
    }
}
