//! Exact decimals kept as digits. Never rounds and never goes through floating point.

use core::cmp::Ordering;

/// `digits` (no leading or trailing zero, empty for zero) times ten to `exponent`, negated if `negative`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    pub(super) fn zero() -> Decimal {
        Decimal { negative: false, digits: Vec::new(), exponent: 0 }
    }

    /// Reads the text of a JSON number (RFC 8259, section 6); anything else is `None`.
    pub(super) fn read(text: &str) -> Option<Decimal> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = match rest.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, read_power(power)?),
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return None,
            Some((whole, fraction)) => (whole, fraction),
            None => (mantissa, ""),
        };
        let digits_only = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits_only(whole) || !digits_only(fraction) {
            return None;
        }
        if whole.len() > 1 && whole.starts_with('0') {
            return None;
        }
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|byte| byte - b'0').collect();
        Some(Decimal { negative, digits, exponent: power - fraction.len() as i64 }.normal())
    }

    fn normal(mut self) -> Decimal {
        while self.digits.first() == Some(&0) {
            self.digits.remove(0);
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
            self.exponent += 1;
        }
        if self.digits.is_empty() { Decimal::zero() } else { self }
    }

    /// The digits at a smaller exponent, so that two numbers line up.
    fn digits_at(&self, exponent: i64) -> Vec<u8> {
        let mut digits = self.digits.clone();
        if !digits.is_empty() {
            (exponent..self.exponent).for_each(|_| digits.push(0));
        }
        digits
    }

    /// At most 18 digits before and after the point: what sums take.
    pub(super) fn is_summable(&self) -> bool {
        let before = self.digits.len() as i64 + self.exponent;
        self.digits.is_empty() || (before <= 18 && -self.exponent <= 18)
    }

    pub(super) fn is_negative(&self) -> bool {
        self.negative
    }

    pub(super) fn plus(&self, other: &Decimal) -> Decimal {
        let exponent = self.exponent.min(other.exponent);
        let (left, right) = (self.digits_at(exponent), other.digits_at(exponent));
        let (negative, digits) = if self.negative == other.negative {
            (self.negative, add(&left, &right))
        } else if compare_digits(&left, &right) == Ordering::Less {
            (other.negative, subtract(&right, &left))
        } else {
            (self.negative, subtract(&left, &right))
        };
        Decimal { negative, digits, exponent }.normal()
    }

    fn compare_size(&self, other: &Decimal) -> Ordering {
        let exponent = self.exponent.min(other.exponent);
        compare_digits(&self.digits_at(exponent), &other.digits_at(exponent))
    }
}

fn read_power(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn strip(digits: &[u8]) -> Vec<u8> {
    digits.iter().copied().skip_while(|digit| *digit == 0).collect()
}

fn compare_digits(left: &[u8], right: &[u8]) -> Ordering {
    let (left, right) = (strip(left), strip(right));
    left.len().cmp(&right.len()).then_with(|| left.cmp(&right))
}

fn add(left: &[u8], right: &[u8]) -> Vec<u8> {
    let (mut left, mut right) = (left.iter().rev(), right.iter().rev());
    let (mut sum, mut carry) = (Vec::new(), 0);
    loop {
        let (a, b) = (left.next(), right.next());
        if a.is_none() && b.is_none() && carry == 0 {
            break;
        }
        let digit = a.copied().unwrap_or(0) + b.copied().unwrap_or(0) + carry;
        sum.push(digit % 10);
        carry = digit / 10;
    }
    sum.reverse();
    sum
}

/// `left - right`, where `left` is not the smaller one.
fn subtract(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut right = right.iter().rev();
    let (mut rest, mut borrow) = (Vec::new(), 0);
    for digit in left.iter().rev() {
        let take = right.next().copied().unwrap_or(0) + borrow;
        borrow = u8::from(*digit < take);
        rest.push(digit + 10 * borrow - take);
    }
    rest.reverse();
    rest
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.compare_size(other),
            (true, true) => other.compare_size(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_only_json_numbers() {
        for text in ["", "-", "01", "+1", " 1", "1.", ".5", "1e", "1e+", "0x1", "1_0", "NaN"] {
            assert_eq!(Decimal::read(text), None, "{text}");
        }
    }

    #[test]
    fn compares_by_value() {
        let read = |text| Decimal::read(text).unwrap();
        assert_eq!(read("142.0"), read("142.00"));
        assert_eq!(read("1e2"), read("100"));
        assert_eq!(read("-0.0"), read("0"));
        assert!(read("9007199254740993") > read("9007199254740992"));
        assert!(read("-2") < read("-1.5"));
        assert!(read("0.1") < read("0.11"));
    }

    #[test]
    fn adds_exactly() {
        let read = |text| Decimal::read(text).unwrap();
        assert_eq!(read("0.1").plus(&read("0.2")), read("0.3"));
        assert_eq!(read("5").plus(&read("-7.5")), read("-2.5"));
        assert_eq!(read("999").plus(&read("1")), read("1000"));
        assert_eq!(read("5").plus(&read("-5")), Decimal::zero());
    }
}
