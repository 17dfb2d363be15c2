//! Times near the edges where rules change, and their spelling per channel.

use serde_json::{Value, json};

use super::rng::Rng;

/// The fixed times of one trace, in milliseconds since the Unix epoch.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub begun: i64,
    pub begin: i64,
    pub skew: i64,
    pub window: i64,
    pub timeout: i64,
    pub first_sign: Option<i64>,
}

impl Times {
    pub(super) fn deadline(&self) -> i64 {
        self.first_sign.unwrap_or(self.begun) + self.timeout
    }

    /// A time at, just before or just after one of the edges.
    pub(super) fn edge(&self, rng: &mut Rng, anchors: &[i64]) -> i64 {
        let (w, s) = (self.window, self.skew);
        let offset = rng.pick(&[
            0,
            0,
            1,
            -1,
            s,
            -s,
            s - 1,
            1 - s,
            w,
            w - 1,
            w + 1,
            -w,
            999,
            1000,
            -1000,
            -1000 - s,
            2 * w,
        ]);
        rng.pick(anchors) + offset
    }

    /// Safely after the begin.
    pub(super) fn after(&self, rng: &mut Rng) -> i64 {
        self.begin + self.skew + 1000 + rng.below(1000) as i64
    }
}

/// RFC 3339 in UTC with milliseconds.
pub(super) fn text(time: i64) -> String {
    let (days, rest) = (time.div_euclid(86_400_000), time.rem_euclid(86_400_000));
    let (year, month, day) = date(days);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, fraction) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:03}Z")
}

/// Days since 1970-01-01 to a date of the Gregorian calendar.
fn date(mut days: i64) -> (i64, usize, i64) {
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    while days >= 365 + i64::from(leap(year)) {
        days -= 365 + i64::from(leap(year));
        year += 1;
    }
    let february = 28 + i64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

/// A time as a channel's `instant` rule writes it.
pub(super) fn spelled(time: i64, rule: &Value) -> Value {
    match rule["format"].as_str() {
        Some("epoch_seconds") => json!(time.div_euclid(1000)),
        Some("epoch_milliseconds") => json!(time),
        Some("rfc3339_like") => {
            let local = time + rule["zone_minutes"].as_i64().unwrap_or(0) * 60_000;
            json!(text(local).get(..19).unwrap_or("").replace('T', " "))
        }
        _ if rule["granularity_ms"] == 1000 => {
            json!(text(time - time.rem_euclid(1000)).replace(".000Z", "Z"))
        }
        _ => json!(text(time)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::milliseconds;

    #[test]
    fn text_reads_back() {
        for time in [0, 951_782_399_999, 1_709_164_800_000, 1_788_616_800_123, 4_102_444_799_000] {
            assert_eq!(milliseconds(&text(time)), Some(time));
        }
    }
}
