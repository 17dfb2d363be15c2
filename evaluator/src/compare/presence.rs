//! `exists` and `absent`: is something there, and do we know?

use super::Operand;
use crate::contract::Truth;

/// Holds on a value, fails on missing, unknown on unavailable.
pub(crate) fn exists(operand: Operand<'_>) -> Truth {
    match operand {
        Operand::Value(_) | Operand::Text(_) | Operand::Moment(_) => Truth::Holds,
        Operand::Bounds(bounds) => {
            let some = bounds.low.is_some_and(|low| low != super::Fixed::ZERO && !low.is_negative());
            if some { Truth::Holds } else { Truth::Unknown }
        }
        Operand::Missing => Truth::Fails,
        Operand::Unavailable => Truth::Unknown,
    }
}

/// The mirror of [`exists`].
pub(crate) fn absent(operand: Operand<'_>) -> Truth {
    !exists(operand)
}

#[cfg(test)]
mod tests {
    use super::super::{Bounds, Fixed};
    use super::*;
    use crate::json::Value;

    #[test]
    fn each_answer_once() {
        let value = Value::from(true);
        assert_eq!(exists(Operand::Value(&value)), Truth::Holds);
        assert_eq!(exists(Operand::Missing), Truth::Fails);
        assert_eq!(exists(Operand::Unavailable), Truth::Unknown);
        assert_eq!(absent(Operand::Missing), Truth::Holds);
        assert_eq!(absent(Operand::Text("")), Truth::Fails);
        assert_eq!(absent(Operand::Unavailable), Truth::Unknown);
    }

    #[test]
    fn t64_an_open_count_never_proves_absence() {
        let none = Operand::Bounds(Bounds { low: Some(Fixed::ZERO), high: None });
        let one = Operand::Bounds(Bounds { low: Some(Fixed::whole(1)), high: None });
        assert_eq!((absent(none), exists(none)), (Truth::Unknown, Truth::Unknown));
        assert_eq!((absent(one), exists(one)), (Truth::Fails, Truth::Holds));
    }
}
