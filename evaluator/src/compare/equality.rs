//! `eq ne in not_in`, and the readings (`as`) of both sides.

use super::{Decimal, Instant, Operand};
use crate::contract::{As, InstantRule, Truth};
use crate::json::Value;

/// Are two operands equal under a reading? `rule` is how the observed side writes instants.
pub(crate) fn equal(
    left: Operand<'_>,
    right: Operand<'_>,
    read_as: Option<As>,
    rule: Option<&InstantRule>,
) -> Truth {
    if !(left.is_present() && right.is_present()) {
        return Truth::Unknown;
    }
    let answer = match read_as {
        None => same_type(left, right),
        Some(As::Text) => both(left, right, |side| side.as_str()).map(|(a, b)| a == b),
        Some(As::Number) => both(left, right, number).map(|(a, b)| a == b),
        Some(As::Decimal) => both(left, right, decimal).map(|(a, b)| a == b),
        Some(As::Instant) => {
            read_instant(left, rule).zip(read_instant(right, None)).map(|(a, b)| a.from == b.from)
        }
        Some(As::Email) => both(left, right, email)
            .map(|((a, a_domain), (b, b_domain))| a == b && a_domain.eq_ignore_ascii_case(b_domain)),
        Some(As::Code) => both(left, right, |side| side.as_str()).map(|(a, b)| a.eq_ignore_ascii_case(b)),
        Some(As::Id) => both(left, right, id).map(|(a, b)| a == b),
        Some(As::Set(of)) => return sets_equal(left, right, of.element()),
    };
    answer.into()
}

/// Is the operand equal to one of a list?
pub(crate) fn is_in<'a>(
    left: Operand<'_>,
    list: impl Iterator<Item = Operand<'a>>,
    read_as: Option<As>,
    rule: Option<&InstantRule>,
) -> Truth {
    if !left.is_present() {
        return Truth::Unknown;
    }
    list.map(|item| equal(left, item, read_as, rule)).fold(Truth::Fails, Truth::or)
}

fn both<'a, T>(
    left: Operand<'a>,
    right: Operand<'a>,
    read: impl Fn(Operand<'a>) -> Option<T>,
) -> Option<(T, T)> {
    read(left).zip(read(right))
}

/// Both sides are of one JSON type; numbers by exact value.
fn same_type(left: Operand<'_>, right: Operand<'_>) -> Option<bool> {
    match (left, right) {
        (Operand::Value(a), Operand::Value(b)) => values(a, b),
        (Operand::Moment(a), Operand::Moment(b)) => Some(a == b),
        _ => left.as_str().zip(right.as_str()).map(|(a, b)| a == b),
    }
}

fn values(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (Value::Null, Value::Null) => Some(true),
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        (Value::String(a), Value::String(b)) => Some(a == b),
        (Value::Number(a), Value::Number(b)) => {
            Decimal::parse(a.as_str()).zip(Decimal::parse(b.as_str())).map(|(a, b)| a == b)
        }
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => Some(same(left, right)),
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => None,
    }
}

/// Deep equality; inside, another type is simply another value.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => values(left, right) == Some(true),
    }
}

fn number(side: Operand<'_>) -> Option<Decimal<'_>> {
    match side {
        Operand::Value(Value::Number(number)) => Decimal::parse(number.as_str()),
        _ => None,
    }
}

/// A JSON number, or a string of the form of one.
pub(super) fn decimal(side: Operand<'_>) -> Option<Decimal<'_>> {
    number(side).or_else(|| Decimal::parse(side.as_str()?))
}

/// A number as plainly compared (`as` absent or `number`), or a decimal.
pub(super) fn quantity(side: Operand<'_>, read_as: Option<As>) -> Option<Decimal<'_>> {
    match read_as {
        None | Some(As::Number) => number(side),
        Some(As::Decimal) => decimal(side),
        Some(As::Text | As::Instant | As::Email | As::Code | As::Id | As::Set(_)) => None,
    }
}

pub(crate) fn read_instant(side: Operand<'_>, rule: Option<&InstantRule>) -> Option<Instant> {
    match (side, rule) {
        (Operand::Moment(moment), _) => Some(Instant::exact(moment)),
        (Operand::Value(value), Some(rule)) => Instant::read(value, rule),
        (Operand::Value(Value::String(text)), None) => {
            crate::time::Time::parse(text).ok().map(Instant::exact)
        }
        _ => None,
    }
}

/// Local part and domain of `Name <local@domain>` or `local@domain`.
fn email(side: Operand<'_>) -> Option<(&str, &str)> {
    let text = side.as_str()?;
    let address = match text.trim_end().strip_suffix('>') {
        Some(open) => open.rsplit_once('<')?.1,
        None => text,
    };
    let (local, domain) = address.trim().split_once('@')?;
    (!local.is_empty() && !domain.is_empty() && !domain.contains('@')).then_some((local, domain))
}

fn id(side: Operand<'_>) -> Option<&str> {
    match side {
        Operand::Value(object @ Value::Object(_)) => object.get("id")?.as_str(),
        _ => side.as_str(),
    }
}

fn elements<'a>(side: Operand<'a>) -> impl Iterator<Item = Operand<'a>> + Clone {
    let array = match side {
        Operand::Value(Value::Array(items)) => Some(items.iter().map(Operand::Value)),
        _ => None,
    };
    let single = array.is_none().then_some(side);
    array.into_iter().flatten().chain(single)
}

fn sets_equal(left: Operand<'_>, right: Operand<'_>, element: As) -> Truth {
    let covered = |a: Operand<'_>, b: Operand<'_>| {
        elements(a).map(|item| is_in(item, elements(b), Some(element), None)).fold(Truth::Holds, Truth::and)
    };
    let readable = |side| elements(side).all(|item| equal(item, item, Some(element), None) == Truth::Holds);
    if !(readable(left) && readable(right)) {
        return Truth::Unknown;
    }
    covered(left, right).and(covered(right, left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::SetOf;
    use crate::json::parse;

    fn eq(left: &str, right: &str, read_as: Option<As>) -> Truth {
        let (left, right) = (parse(left).unwrap(), parse(right).unwrap());
        equal(Operand::Value(&left), Operand::Value(&right), read_as, None)
    }

    #[test]
    fn without_a_reading_types_must_agree() {
        let cases = [
            ("25", "25.00", Truth::Holds),
            ("25", "\"25\"", Truth::Unknown),
            ("true", "1", Truth::Unknown),
            ("[1,{\"a\":2.0}]", "[1.0,{\"a\":2}]", Truth::Holds),
            ("[1,\"2\"]", "[1,2]", Truth::Fails),
            ("9007199254740993", "9007199254740992", Truth::Fails),
        ];
        for (left, right, expected) in cases {
            assert_eq!(eq(left, right, None), expected, "{left} {right}");
        }
    }

    #[test]
    fn readings_convert_only_what_they_name() {
        let cases = [
            (As::Decimal, "\"142.0\"", "\"142.00\"", Truth::Holds),
            (As::Decimal, "142", "\"142.00\"", Truth::Holds),
            (As::Decimal, "\"0142\"", "142", Truth::Unknown),
            (As::Number, "\"142\"", "142", Truth::Unknown),
            (As::Email, "\"Ann <ann@EXAMPLE.com>\"", "\"ann@example.com\"", Truth::Holds),
            (As::Email, "\"Ann@example.com\"", "\"ann@example.com\"", Truth::Fails),
            (As::Email, "\"nobody\"", "\"nobody\"", Truth::Unknown),
            (As::Code, "\"usd\"", "\"USD\"", Truth::Holds),
            (As::Id, "{\"id\":\"ch_1\",\"x\":1}", "\"ch_1\"", Truth::Holds),
            (As::Id, "{\"x\":1}", "\"ch_1\"", Truth::Unknown),
            (As::Set(SetOf::Email), "[\"b@x.io\",\"A <a@x.io>\"]", "[\"a@X.io\",\"b@x.io\"]", Truth::Holds),
            (As::Set(SetOf::Email), "\"a@x.io\"", "[\"a@x.io\"]", Truth::Holds),
            (As::Set(SetOf::Text), "[\"a\"]", "[\"a\",\"b\"]", Truth::Fails),
            (As::Set(SetOf::Text), "[1]", "[\"a\"]", Truth::Unknown),
        ];
        for (reading, left, right, expected) in cases {
            assert_eq!(eq(left, right, Some(reading)), expected, "{reading:?} {left} {right}");
        }
    }

    #[test]
    fn in_is_unknown_when_an_element_does_not_compare() {
        let value = Value::from("a");
        let list = [Value::from(1_i64), Value::from("b")];
        let items = || list.iter().map(Operand::Value);
        assert_eq!(is_in(Operand::Value(&value), items(), None, None), Truth::Unknown);
        assert_eq!(is_in(Operand::Value(&list[1]), items(), None, None), Truth::Holds);
        assert_eq!(is_in(Operand::Missing, items(), None, None), Truth::Unknown);
        assert_eq!(is_in(Operand::Value(&value), items().skip(1), None, None), Truth::Fails);
    }
}
