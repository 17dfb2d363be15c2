//! Exact decimals from JSON number text. Never through a float.

use core::cmp::Ordering;

/// Most digits before and after the point of a number that is summed.
pub const SUM_DIGITS: i64 = 18;

/// A decimal that borrows its digits: `0.<digits> * 10^point`, without leading or trailing zeros.
#[derive(Debug, Clone, Copy)]
pub struct Decimal<'t> {
    negative: bool,
    whole: &'t [u8],
    fraction: &'t [u8],
    /// Decimal exponent of the first digit, counted so that `0.d1d2... * 10^point` is the magnitude.
    point: i64,
}

impl<'t> Decimal<'t> {
    /// Reads text of the form of a JSON number (RFC 8259 section 6); `None` for anything else and for
    /// exponents beyond 18 digits.
    #[must_use]
    pub fn parse(text: &'t str) -> Option<Self> {
        // Most numbers are plain: they need not be searched for signs, points and exponents.
        if is_digits(text) && !text.starts_with('0') {
            return Some(Self::normal(false, text.as_bytes(), &[], 0));
        }
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let well_formed =
            is_digits(whole) && (whole == "0" || !whole.starts_with('0')) && fraction.is_none_or(is_digits);
        if !well_formed {
            return None;
        }
        Some(Self::normal(negative, whole.as_bytes(), fraction.unwrap_or_default().as_bytes(), exponent))
    }

    fn normal(negative: bool, whole: &'t [u8], fraction: &'t [u8], exponent: i64) -> Self {
        let fraction = trim_end(fraction);
        let whole = if whole == b"0" { &[][..] } else { whole };
        let (whole, fraction, point) = if whole.is_empty() {
            let zeros = fraction.iter().take_while(|digit| **digit == b'0').count();
            (whole, fraction.get(zeros..).unwrap_or_default(), -to_i64(zeros))
        } else {
            (whole, fraction, to_i64(whole.len()))
        };
        let whole = if fraction.is_empty() { trim_end(whole) } else { whole };
        Self { negative, whole, fraction, point: point.saturating_add(exponent) }
    }

    fn digits(&self) -> impl Iterator<Item = u8> + use<'t> {
        self.whole.iter().chain(self.fraction).copied()
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    /// The mantissa and the number of decimals, if the number has at most 18 digits before
    /// and after the point: such numbers add exactly.
    #[must_use]
    pub fn to_fixed(&self) -> Option<Fixed> {
        if self.is_zero() {
            return Some(Fixed::ZERO);
        }
        let count = to_i64(self.whole.len() + self.fraction.len());
        if self.point > SUM_DIGITS || count.saturating_sub(self.point) > SUM_DIGITS {
            return None;
        }
        let mut mantissa: i128 = 0;
        for digit in self.digits() {
            mantissa = mantissa.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
        }
        let scale = count.saturating_sub(self.point);
        if scale < 0 {
            let factor = 10_i128.checked_pow(u32::try_from(scale.checked_neg()?).ok()?)?;
            mantissa = mantissa.checked_mul(factor)?;
        }
        let mantissa = if self.negative { -mantissa } else { mantissa };
        Some(Fixed { mantissa, scale: u32::try_from(scale.max(0)).ok()? })
    }
}

fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !is_digits(digits) || digits.len() > 18 {
        return None;
    }
    let value: i64 = digits.parse().ok()?;
    Some(if text.starts_with('-') { -value } else { value })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn trim_end(digits: &[u8]) -> &[u8] {
    let kept = digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
    digits.get(..kept).unwrap_or_default()
}

fn to_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal<'_> {}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |decimal: &Self| match (decimal.is_zero(), decimal.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let magnitude = || self.point.cmp(&other.point).then_with(|| self.digits().cmp(other.digits()));
        match sign(self).cmp(&sign(other)) {
            Ordering::Equal if sign(self) > 0 => magnitude(),
            Ordering::Equal if sign(self) < 0 => magnitude().reverse(),
            order => order,
        }
    }
}

/// A decimal as mantissa and number of decimals; sums stay exact or fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixed {
    mantissa: i128,
    scale: u32,
}

impl Fixed {
    /// Zero.
    pub const ZERO: Self = Self { mantissa: 0, scale: 0 };

    /// A whole number.
    #[must_use]
    pub const fn whole(number: i128) -> Self {
        Self { mantissa: number, scale: 0 }
    }

    fn aligned(self, other: Self) -> Option<(i128, i128, u32)> {
        let scale = self.scale.max(other.scale);
        let widen = |fixed: Self| fixed.mantissa.checked_mul(10_i128.checked_pow(scale - fixed.scale)?);
        Some((widen(self)?, widen(other)?, scale))
    }

    /// The exact sum; `None` beyond 38 digits.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        let (left, right, scale) = self.aligned(other)?;
        Some(Self { mantissa: left.checked_add(right)?, scale })
    }

    /// The order of two values; `None` beyond 38 digits.
    #[must_use]
    pub fn order(self, other: Self) -> Option<Ordering> {
        self.aligned(other).map(|(left, right, _)| left.cmp(&right))
    }

    /// True below zero.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.mantissa < 0
    }
}

impl core::fmt::Display for Fixed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let digits = self.mantissa.unsigned_abs();
        match 10_u128.checked_pow(self.scale) {
            Some(unit) if self.scale > 0 => {
                write!(f, "{sign}{}.{:0width$}", digits / unit, digits % unit, width = self.scale as usize)
            }
            _ => write!(f, "{sign}{digits}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    fn decimal(text: &str) -> Decimal<'_> {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn t42_equal_as_decimals() {
        for text in ["25", "25.0", "25.00", "2.5e1", "250e-1", "0.25E+2"] {
            assert_eq!(decimal(text), decimal("25"), "{text}");
        }
        assert_eq!(decimal("-0"), decimal("0.000e5"));
    }

    #[test]
    fn t41_one_minor_unit_is_another_amount() {
        assert!(decimal("19.98") < decimal("19.99"));
        assert!(decimal("0.1") < decimal("0.10000000000000000001"));
    }

    #[test]
    fn t43_neighbours_beyond_2_to_the_53_differ() {
        assert!(decimal("9007199254740992") < decimal("9007199254740993"));
        assert!(decimal("-9007199254740993") < decimal("-9007199254740992"));
        assert!(decimal("99999999999999999999") < decimal("1e20"));
    }

    #[test]
    fn refuses_what_is_no_json_number() {
        for text in
            ["", "-", "01", "+1", "1.", ".5", "1e", "1e+", " 1", "1 ", "0x1", "NaN", "1e9999999999999999999"]
        {
            assert!(Decimal::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn sums_exactly() {
        let sum = ["0.1", "0.2", "1e2"]
            .iter()
            .map(|text| decimal(text).to_fixed().unwrap())
            .fold(Fixed::ZERO, |a, b| a.plus(b).unwrap());
        assert_eq!(sum.to_string(), "100.3");
        assert!(decimal("1e60").to_fixed().is_none());
    }
}
