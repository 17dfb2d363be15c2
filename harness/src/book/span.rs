//! Spans of virtual time as the case files write them. No clock is read.

use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A span: `500ms`, `3s`, `2m`, `1h`, `2d`, or `half` of the time that an operation has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Span {
    /// Milliseconds.
    Millis(i64),
    /// Half of the time from `begin` to the deadline.
    Half,
}

impl Span {
    /// Milliseconds, given the time that the operation has.
    #[must_use]
    pub const fn millis(self, allowed_ms: i64) -> i64 {
        match self {
            Self::Millis(millis) => millis,
            Self::Half => allowed_ms / 2,
        }
    }
}

impl Default for Span {
    fn default() -> Self {
        Self::Millis(0)
    }
}

/// A text that is no span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanError {
    text: String,
}

impl fmt::Display for SpanError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` is no span; write `500ms`, `3s`, `2m`, `1h`, `2d` or `half`", self.text)
    }
}

impl std::error::Error for SpanError {}

const UNITS: [(&str, i64); 5] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Self, SpanError> {
        if text == "half" {
            return Ok(Self::Half);
        }
        let read = UNITS.iter().find_map(|(unit, millis)| {
            let count: u32 = text.strip_suffix(unit)?.parse().ok()?;
            i64::from(count).checked_mul(*millis)
        });
        read.map(Self::Millis).ok_or_else(|| SpanError { text: text.to_owned() })
    }
}

impl fmt::Display for Span {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Half => out.write_str("half"),
            Self::Millis(millis) => {
                let fits = UNITS.iter().rev().find(|(_, unit)| *millis != 0 && millis % unit == 0);
                let (name, unit) = fits.unwrap_or(&("ms", 1));
                write!(out, "{}{name}", millis / unit)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_and_written() {
        for text in ["500ms", "3s", "2m", "1h", "2d", "half"] {
            assert_eq!(text.parse::<Span>().unwrap().to_string(), text);
        }
        assert_eq!("90s".parse::<Span>().unwrap().millis(0), 90_000);
        assert_eq!(Span::Half.millis(10), 5);
        for text in ["", "3", "s", "-3s", "1.5s"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }
}
