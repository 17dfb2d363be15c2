//! The YAML 1.2.2 core schema, section 10.3.2: which plain scalars are no strings. It must not know YAML 1.1.

use crate::number::is_integer;
use crate::tree::Kind;

/// The kind of a plain scalar without a tag.
pub(crate) fn resolve(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Kind::Bool,
        _ if is_integer(text) || is_float(text) => Kind::Number,
        _ => Kind::String,
    }
}

/// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`, and infinities and not-a-number.
fn is_float(text: &str) -> bool {
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_fits = exponent.is_none_or(|exponent| {
        let unsigned = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !unsigned.is_empty() && digits(unsigned)
    });
    let mantissa_fits = match mantissa.split_once('.') {
        Some((whole, part)) => digits(whole) && digits(part) && !(whole.is_empty() && part.is_empty()),
        None => digits(mantissa) && !mantissa.is_empty(),
    };
    exponent_fits && mantissa_fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_core_schema() {
        let strings = [
            "NO",
            "no",
            "yes",
            "on",
            "off",
            "y",
            "2024-04-31",
            "2024-04-31T12:50:14+00:00",
            "1_000",
            "0b11",
            "12:30:45",
            "1.2.3",
            ".",
            "-",
            "+",
            "e3",
            "1e",
            "1e+",
            "0x",
            "0xg",
            "-0x1F",
            "+.nan",
            "nULL",
            "tRUE",
            ".e1",
            "-.nan",
            "٣",
        ];
        for text in strings {
            assert_eq!(resolve(text), Kind::String, "{text}");
        }
        let numbers =
            ["0", "0123", "-0", "+12", "0o17", "0x1F", "1.", ".5", "-1.5e-3", "1e3", ".inf", "-.INF", ".NaN"];
        for text in numbers {
            assert_eq!(resolve(text), Kind::Number, "{text}");
        }
        assert_eq!(resolve("~"), Kind::Null);
        assert_eq!(resolve("FALSE"), Kind::Bool);
    }
}
