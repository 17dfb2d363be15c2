//! `gt gte lt lte`, and every comparison of a number that may still grow.

use core::cmp::Ordering;

use super::equality::quantity;
use super::{Bounds, Fixed, Operand};
use crate::contract::{As, Operator, Truth};

/// Compares two plain numbers; unknown where a side is none.
pub(crate) fn compare_numbers(
    left: Operand<'_>,
    right: Operand<'_>,
    read_as: Option<As>,
    test: impl Fn(Ordering) -> bool,
) -> Truth {
    quantity(left, read_as).zip(quantity(right, read_as)).map(|(a, b)| test(a.cmp(&b))).into()
}

/// Compares a bounded number: holds if for every value in it, fails if for none, else unknown. Text is a number
/// only where it is read as a decimal.
pub(crate) fn bounds_hold(
    bounds: Bounds,
    operator: Operator,
    expected: Operand<'_>,
    read_as: Option<As>,
) -> Truth {
    let number = quantity(expected, Some(As::Decimal)).and_then(|number| number.to_fixed());
    let Some(number) = number else { return Truth::Unknown };
    let is_text = matches!(expected, Operand::Text(_)) || expected.as_str().is_some();
    if is_text && read_as != Some(As::Decimal) {
        return Truth::Unknown;
    }
    match operator {
        Operator::Gt => above(bounds, number, Ordering::is_gt, Ordering::is_le),
        Operator::Gte => above(bounds, number, Ordering::is_ge, Ordering::is_lt),
        Operator::Lt => !above(bounds, number, Ordering::is_ge, Ordering::is_lt),
        Operator::Lte => !above(bounds, number, Ordering::is_gt, Ordering::is_le),
        Operator::Eq => equals(bounds, number),
        Operator::Ne => !equals(bounds, number),
        Operator::In
        | Operator::NotIn
        | Operator::Exists
        | Operator::Absent
        | Operator::ArrayLength
        | Operator::Contains
        | Operator::ContainsAll
        | Operator::TimeAfter
        | Operator::TimeBefore
        | Operator::Prefix
        | Operator::Matches => Truth::Unknown,
    }
}

/// Holds if even the least value passes `test`; fails if even the greatest passes `opposite`.
fn above(bounds: Bounds, number: Fixed, test: fn(Ordering) -> bool, opposite: fn(Ordering) -> bool) -> Truth {
    let passes = |end: Option<Fixed>, test: fn(Ordering) -> bool| {
        end.and_then(|end| end.order(number)).is_some_and(test)
    };
    if passes(bounds.low, test) {
        Truth::Holds
    } else if passes(bounds.high, opposite) {
        Truth::Fails
    } else {
        Truth::Unknown
    }
}

fn equals(bounds: Bounds, number: Fixed) -> Truth {
    let order = |end: Option<Fixed>| end.and_then(|end| end.order(number));
    match (order(bounds.low), order(bounds.high)) {
        (Some(Ordering::Equal), Some(Ordering::Equal)) => Truth::Holds,
        (Some(Ordering::Greater), _) | (_, Some(Ordering::Less)) => Truth::Fails,
        _ => Truth::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Value;

    fn count(low: i128, high: Option<i128>, operator: Operator, expected: i64) -> Truth {
        let bounds = Bounds { low: Some(Fixed::whole(low)), high: high.map(Fixed::whole) };
        bounds_hold(bounds, operator, Operand::Value(&Value::from(expected)), None)
    }

    #[test]
    fn t64_open_numbers_hold_upwards_and_are_unknown_downwards() {
        use Operator::{Eq, Gt, Gte, Lt, Lte, Ne};
        assert_eq!(count(2, None, Gt, 1), Truth::Holds);
        assert_eq!(count(1, None, Gt, 1), Truth::Unknown);
        assert_eq!(count(1, None, Gte, 1), Truth::Holds);
        assert_eq!(count(1, None, Eq, 1), Truth::Unknown);
        assert_eq!(count(2, None, Eq, 1), Truth::Fails);
        assert_eq!(count(2, None, Lte, 1), Truth::Fails);
        assert_eq!(count(0, None, Lt, 1), Truth::Unknown);
        assert_eq!(count(2, None, Ne, 1), Truth::Holds);
    }

    #[test]
    fn closed_numbers_are_known_at_both_ends() {
        use Operator::{Eq, Gt, Lt, Lte};
        assert_eq!(count(1, Some(1), Gt, 1), Truth::Fails);
        assert_eq!(count(1, Some(2), Gt, 1), Truth::Unknown);
        assert_eq!(count(1, Some(1), Eq, 1), Truth::Holds);
        assert_eq!(count(0, Some(1), Lt, 2), Truth::Holds);
        assert_eq!(count(0, Some(1), Lte, 0), Truth::Unknown);
        let bounds = Bounds { low: Some(Fixed::ZERO), high: Some(Fixed::ZERO) };
        assert_eq!(bounds_hold(bounds, Eq, Operand::Text("0"), None), Truth::Unknown);
        assert_eq!(bounds_hold(bounds, Eq, Operand::Text("0.00"), Some(As::Decimal)), Truth::Holds);
    }

    #[test]
    fn plain_numbers_compare_by_value() {
        let (a, b) = (Value::from("9.5"), Value::from("10.0"));
        let less =
            |read_as| compare_numbers(Operand::Value(&a), Operand::Value(&b), read_as, Ordering::is_lt);
        assert_eq!(less(Some(As::Decimal)), Truth::Holds);
        assert_eq!(less(None), Truth::Unknown);
    }
}
