//! A JSON number as text. It must not round: no digit is lost between reading and printing.

use alloc::boxed::Box;
use alloc::string::ToString;
use core::fmt;

/// A number of RFC 8259, kept as it was written.
///
/// Equality and hashing go by the text; comparing by decimal value is the evaluation's work.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

impl Number {
    /// The number with this text; `None` if the text is not a JSON number.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        (!text.is_empty() && scan(text.as_bytes()) == Ok(text.len())).then(|| Self(Box::from(text)))
    }

    /// The number as an integer literal.
    #[must_use]
    pub fn from_i64(number: i64) -> Self {
        Self(number.to_string().into_boxed_str())
    }

    /// The number as an integer literal.
    #[must_use]
    pub fn from_u64(number: u64) -> Self {
        Self(number.to_string().into_boxed_str())
    }

    /// Takes text that the reader has already found to be a number.
    pub(super) fn from_scanned(text: &str) -> Self {
        Self(Box::from(text))
    }

    /// The text as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is written as an integer: no fraction and no exponent (`1.0` and `1e2` are not).
    #[must_use]
    pub fn is_integer(&self) -> bool {
        !self.0.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    }

    /// The value, if it is an integer literal in range. `-0` is 0.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        if self.is_integer() { self.0.parse().ok() } else { None }
    }

    /// The value, if it is an integer literal in range. `-0` is 0.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        if &*self.0 == "-0" {
            return Some(0);
        }
        if self.is_integer() { self.0.parse().ok() } else { None }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The length of the number at the start of `bytes` (RFC 8259, section 6), or the offset of the byte that
/// does not fit.
pub(super) fn scan(bytes: &[u8]) -> Result<usize, usize> {
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    at = match bytes.get(at) {
        Some(b'0') => at + 1,
        Some(b'1'..=b'9') => digits(bytes, at)?,
        Some(_) | None => return Err(at),
    };
    if bytes.get(at) == Some(&b'.') {
        at = digits(bytes, at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        at = digits(bytes, at + 1 + sign)?;
    }
    Ok(at)
}

/// The end of the digits at `start`, of which there must be one.
fn digits(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let count = bytes.iter().skip(start).take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 { Err(start) } else { Ok(start + count) }
}
