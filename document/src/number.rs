//! Number texts of JSON and of the YAML 1.2 core schema. It must not round: integers are exact or absent.

/// The value of a text written as an integer: an optional sign and digits (leading zeros are decimal, as
/// the core schema says), `0x` or `0o`. `None` if it is no integer or leaves 128 bits.
pub(crate) fn integer(text: &str) -> Option<i128> {
    if let Some(digits) = text.strip_prefix("0x") {
        return whole(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return whole(digits, 8);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let value = whole(unsigned, 10)?;
    Some(if text.starts_with('-') { -value } else { value })
}

/// Whether the text is written as an integer, of any length.
pub(crate) fn is_integer(text: &str) -> bool {
    let digits =
        |digits: &str, radix| !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    let radix = |prefix, radix| text.strip_prefix(prefix).is_some_and(|rest| digits(rest, radix));
    radix("0x", 16) || radix("0o", 8) || digits(text.strip_prefix(['-', '+']).unwrap_or(text), 10)
}

/// The nearest double; infinity only if the text says `.inf`.
pub(crate) fn double(text: &str) -> Option<f64> {
    if let Some(value) = integer(text) {
        return Some(value as f64);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let value = match unsigned {
        ".inf" | ".Inf" | ".INF" => f64::INFINITY,
        ".nan" | ".NaN" | ".NAN" => f64::NAN,
        _ => unsigned.parse().ok().filter(|value: &f64| value.is_finite())?,
    };
    Some(if text.starts_with('-') { -value } else { value })
}

/// `from_str_radix` takes a sign of its own, which no number text may have here.
fn whole(digits: &str, radix: u32) -> Option<i128> {
    if digits.starts_with(['-', '+']) {
        return None;
    }
    i128::from_str_radix(digits, radix).ok()
}
