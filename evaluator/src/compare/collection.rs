//! `array_length contains contains_all`.

use super::equality::is_in;
use super::{Decimal, Operand};
use crate::contract::{As, Truth};
use crate::json::{Number, Value};

/// The array has that many elements; a missing array has none.
pub(crate) fn array_length(left: Operand<'_>, right: Operand<'_>) -> Truth {
    let length = match left {
        Operand::Value(Value::Array(items)) => items.len(),
        Operand::Missing => 0,
        _ => return Truth::Unknown,
    };
    let Operand::Value(Value::Number(expected)) = right else { return Truth::Unknown };
    let length = Number::from_u64(u64::try_from(length).unwrap_or(u64::MAX));
    Decimal::parse(expected.as_str()).zip(Decimal::parse(length.as_str())).map(|(a, b)| a == b).into()
}

/// The array has an equal element, or the string holds the substring.
pub(crate) fn contains(left: Operand<'_>, right: Operand<'_>, read_as: Option<As>) -> Truth {
    match left {
        Operand::Value(Value::Array(items)) => is_in(right, items.iter().map(Operand::Value), read_as, None),
        _ if matches!(read_as, None | Some(As::Text)) => {
            left.as_str().zip(right.as_str()).map(|(text, part)| text.contains(part)).into()
        }
        _ => Truth::Unknown,
    }
}

/// Every expected element is contained.
pub(crate) fn contains_all<'a>(
    left: Operand<'_>,
    expected: impl Iterator<Item = Operand<'a>>,
    read_as: Option<As>,
) -> Truth {
    if !left.is_present() {
        return Truth::Unknown;
    }
    expected.map(|item| contains(left, item, read_as)).fold(Truth::Holds, Truth::and)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn lengths_count_missing_as_none() {
        let (items, two, zero) = (parse("[1,2]").unwrap(), Value::from(2_i64), Value::from(0_i64));
        assert_eq!(array_length(Operand::Value(&items), Operand::Value(&two)), Truth::Holds);
        assert_eq!(array_length(Operand::Value(&items), Operand::Value(&zero)), Truth::Fails);
        assert_eq!(array_length(Operand::Missing, Operand::Value(&zero)), Truth::Holds);
        assert_eq!(array_length(Operand::Unavailable, Operand::Value(&zero)), Truth::Unknown);
        assert_eq!(array_length(Operand::Value(&two), Operand::Value(&two)), Truth::Unknown);
    }

    #[test]
    fn contains_elements_and_substrings() {
        let (items, word) = (parse("[\"a\",\"b\"]").unwrap(), Value::from("abc"));
        let has = |left, right| contains(left, Operand::Text(right), None);
        assert_eq!(has(Operand::Value(&items), "b"), Truth::Holds);
        assert_eq!(has(Operand::Value(&items), "c"), Truth::Fails);
        assert_eq!(has(Operand::Value(&word), "bc"), Truth::Holds);
        assert_eq!(has(Operand::Missing, "bc"), Truth::Unknown);
        let all = |left, expected: &[&'static str]| {
            contains_all(left, expected.iter().map(|text| Operand::Text(text)), None)
        };
        assert_eq!(all(Operand::Value(&items), &["a", "b"]), Truth::Holds);
        assert_eq!(all(Operand::Value(&items), &["a", "z"]), Truth::Fails);
        assert_eq!(all(Operand::Unavailable, &["a"]), Truth::Unknown);
    }
}
