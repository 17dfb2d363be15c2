//! Canonical JSON (RFC 8785): one value, one text, in every language. It must not hash or sign anything itself.
//!
//! Three treatments of numbers, because RFC 8785 sends them through IEEE 754 doubles and so gives 2^53 and
//! 2^53+1 one form:
//! - [`canonical`] for what is signed or hashed as ours: safe integer literals only, all else is refused;
//! - [`canonical_rfc8785`] for the RFC to the letter;
//! - [`canonical_exact`] for observations: the RFC's form unless it would lose a digit, then the number as it
//!   was written.

use crate::json::{Number, Object, Value, write_string};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The largest integer that a double holds together with all its neighbours: 2^53 - 1.
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// Why a value has no canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CanonicalCode {
    /// An integer beyond 2^53 - 1 in what is to be signed.
    UnsafeInteger,
    /// A number with a fraction or an exponent in what is to be signed.
    DecimalNumber,
    /// A number that no finite double stands for (RFC 8785, section 3.2.2.3).
    NumberOutOfRange,
}

impl CanonicalCode {
    /// The stable code.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CanonicalCode::UnsafeInteger => "unsafe_integer",
            CanonicalCode::DecimalNumber => "decimal_number",
            CanonicalCode::NumberOutOfRange => "number_out_of_range",
        }
    }
}

/// Which number has no canonical form, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalError {
    /// What is wrong.
    pub code: CanonicalCode,
    /// Where: a JSON pointer (RFC 6901).
    pub pointer: String,
}

impl CanonicalError {
    fn new(code: CanonicalCode) -> Self {
        Self { code, pointer: String::new() }
    }

    fn within(mut self, segment: &str) -> Self {
        let segment = segment.replace('~', "~0").replace('/', "~1");
        self.pointer = format!("/{segment}{}", self.pointer);
        self
    }
}

impl fmt::Display for CanonicalError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = match self.code {
            CanonicalCode::UnsafeInteger => "an integer beyond 9007199254740991; write it as a string",
            CanonicalCode::DecimalNumber => "a decimal number; write it as a string",
            CanonicalCode::NumberOutOfRange => "a number beyond the range of doubles; write it as a string",
        };
        write!(out, "{}: `{}` is {advice}", self.code.as_str(), self.pointer)
    }
}

impl core::error::Error for CanonicalError {}

/// The RFC 8785 text of what we sign and hash. Numbers must be integer literals between -(2^53 - 1) and
/// 2^53 - 1, so that two different documents never share a signature.
///
/// # Errors
/// The first number, in canonical order, that is not such a literal.
pub fn canonical(value: &Value) -> Result<String, CanonicalError> {
    write(value, safe_integer)
}

/// The RFC 8785 text, numbers through doubles as the RFC has it: `1E30` becomes `1e+30` and digits past a
/// double's precision are lost.
///
/// # Errors
/// A number that no finite double stands for.
pub fn canonical_rfc8785(value: &Value) -> Result<String, CanonicalError> {
    write(value, es6)
}

/// The text over which observations are hashed: RFC 8785, except that a number whose decimal value the
/// double form would change stands as it was written. It exists for every value.
#[must_use]
pub fn canonical_exact(value: &Value) -> String {
    write(value, |out, number| {
        exact(out, number);
        Ok(())
    })
    .unwrap_or_default()
}

type NumberWriter = fn(&mut String, &Number) -> Result<(), CanonicalCode>;

fn write(value: &Value, number: NumberWriter) -> Result<String, CanonicalError> {
    let mut out = String::new();
    write_value(&mut out, value, number)?;
    Ok(out)
}

fn write_value(out: &mut String, value: &Value, number: NumberWriter) -> Result<(), CanonicalError> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(digits) => number(out, digits).map_err(CanonicalError::new)?,
        Value::String(text) => write_text(out, text),
        Value::Array(items) => write_array(out, items, number)?,
        Value::Object(object) => write_object(out, object, number)?,
    }
    Ok(())
}

fn write_array(out: &mut String, items: &[Value], number: NumberWriter) -> Result<(), CanonicalError> {
    out.push('[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_value(out, item, number).map_err(|error| error.within(&format!("{at}")))?;
    }
    out.push(']');
    Ok(())
}

/// Members in the order of their UTF-16 code units (section 3.2.3), which differs from code point order
/// where characters past U+FFFF meet those from U+E000 on.
fn write_object(out: &mut String, object: &Object, number: NumberWriter) -> Result<(), CanonicalError> {
    let mut members: Vec<(&str, &Value)> = object.iter().collect();
    members.sort_by(|left, right| left.0.encode_utf16().cmp(right.0.encode_utf16()));
    out.push('{');
    for (at, (key, value)) in members.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_text(out, key);
        out.push(':');
        write_value(out, value, number).map_err(|error| error.within(key))?;
    }
    out.push('}');
    Ok(())
}

fn write_text(out: &mut String, text: &str) {
    // Writing to a `String` cannot fail.
    let _ = write_string(out, text);
}

fn safe_integer(out: &mut String, number: &Number) -> Result<(), CanonicalCode> {
    if !number.is_integer() {
        return Err(CanonicalCode::DecimalNumber);
    }
    let value = number.as_i64().ok_or(CanonicalCode::UnsafeInteger)?;
    if value.unsigned_abs() > MAX_SAFE_INTEGER {
        return Err(CanonicalCode::UnsafeInteger);
    }
    out.push_str(if value == 0 { "0" } else { number.as_str() });
    Ok(())
}

fn es6(out: &mut String, number: &Number) -> Result<(), CanonicalCode> {
    let double = finite(number).ok_or(CanonicalCode::NumberOutOfRange)?;
    out.push_str(ryu_js::Buffer::new().format_finite(double));
    Ok(())
}

fn exact(out: &mut String, number: &Number) {
    let mut buffer = ryu_js::Buffer::new();
    let text = finite(number).map(|double| buffer.format_finite(double));
    let kept = text.filter(|text| {
        Decimal::read(text).is_some_and(|short| Decimal::read(number.as_str()) == Some(short))
    });
    out.push_str(kept.unwrap_or(number.as_str()));
}

fn finite(number: &Number) -> Option<f64> {
    number.as_str().parse::<f64>().ok().filter(|double| double.is_finite())
}

/// A decimal number taken apart: digits without zeros at either end, and the power of ten of the last one.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// `None` where the exponent does not fit.
    fn read(text: &str) -> Option<Self> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_end_matches('0');
        let shift = i64::try_from(all.len() - digits.len()).ok()? - i64::try_from(fraction.len()).ok()?;
        let digits = String::from(digits.trim_start_matches('0'));
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        let power: i64 = power.strip_prefix('+').unwrap_or(power).parse().ok()?;
        Some(Self { negative, digits, exponent: power.checked_add(shift)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use proptest::prelude::*;

    fn refusal(text: &str) -> (CanonicalCode, String) {
        let error = canonical(&parse(text).unwrap()).unwrap_err();
        (error.code, error.pointer)
    }

    #[test]
    fn what_we_sign_holds_safe_integers_alone() {
        let edge = r#"{"a":[9007199254740991,-9007199254740991,-0,0]}"#;
        assert_eq!(
            canonical(&parse(edge).unwrap()).unwrap(),
            r#"{"a":[9007199254740991,-9007199254740991,0,0]}"#
        );
        let cases = [
            ("[9007199254740992]", CanonicalCode::UnsafeInteger, "/0"),
            (r#"{"a/b":{"~":-9007199254740992}}"#, CanonicalCode::UnsafeInteger, "/a~1b/~0"),
            ("99999999999999999999", CanonicalCode::UnsafeInteger, ""),
            ("1.0", CanonicalCode::DecimalNumber, ""),
            ("1e2", CanonicalCode::DecimalNumber, ""),
        ];
        for (text, code, pointer) in cases {
            assert_eq!(refusal(text), (code, String::from(pointer)), "{text}");
        }
    }

    #[test]
    fn numbers_follow_the_rfc() {
        let cases = [
            ("-0", "0"),
            ("1e-7", "1e-7"),
            ("0.000001", "0.000001"),
            ("1E30", "1e+30"),
            ("4.50", "4.5"),
            ("2e-3", "0.002"),
            ("333333333.33333329", "333333333.3333333"),
            ("295147905179352830000", "295147905179352830000"),
            ("1e21", "1e+21"),
            ("9007199254740993", "9007199254740992"),
        ];
        for (text, expected) in cases {
            assert_eq!(canonical_rfc8785(&parse(text).unwrap()).unwrap(), expected);
        }
        let error = canonical_rfc8785(&parse("[1e400]").unwrap()).unwrap_err();
        assert_eq!((error.code, error.pointer.as_str()), (CanonicalCode::NumberOutOfRange, "/0"));
    }

    #[test]
    fn observations_lose_no_digit() {
        let cases = [
            ("9007199254740993", "9007199254740993"),
            ("9007199254740992", "9007199254740992"),
            ("333333333.33333329", "333333333.33333329"),
            ("1.10", "1.1"),
            ("100", "100"),
            ("10E-1", "1"),
            ("-0.0", "0"),
            ("0e99999999999999999999", "0"),
            ("1e400", "1e400"),
            ("1e99999999999999999999", "1e99999999999999999999"),
            ("1e-400", "1e-400"),
        ];
        for (text, expected) in cases {
            assert_eq!(canonical_exact(&parse(text).unwrap()), expected);
        }
    }

    #[test]
    fn members_sort_by_utf16_code_unit() {
        let value = parse("{\"\u{fb33}\":1,\"\u{1f602}\":2,\"\u{2028}\":3}").unwrap();
        assert_eq!(canonical(&value).unwrap(), "{\"\u{2028}\":3,\"\u{1f602}\":2,\"\u{fb33}\":1}");
    }

    proptest! {
        #[test]
        fn canonical_text_is_a_fixed_point(value in crate::json::tests::values(any::<i32>().prop_map(|n| Number::from_i64(n.into())))) {
            let text = canonical(&value).unwrap();
            let again = parse(&text).unwrap();
            prop_assert_eq!(&again, &value);
            prop_assert_eq!(canonical_rfc8785(&value).unwrap(), text.clone());
            prop_assert_eq!(canonical_exact(&value), text);
        }

        #[test]
        fn exact_text_keeps_the_value(text in "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?") {
            let out = canonical_exact(&parse(&text).unwrap());
            prop_assert!(Decimal::read(&out) == Decimal::read(&text), "{} became {}", text, out);
        }
    }
}
