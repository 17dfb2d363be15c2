//! Comparison of resolved values. No implicit conversion: a type that does not fit is unknown.

mod collection;
mod decimal;
mod equality;
mod instant;
mod order;
mod presence;
mod text;

use core::cmp::Ordering;

use crate::contract::{As, InstantRule, Operator, Truth};
use crate::json::Value;
use crate::time::Time;

pub use decimal::{Decimal, Fixed};
pub use instant::Instant;

pub(crate) use collection::contains_all;
pub(crate) use equality::{is_in, read_instant};
pub(crate) use order::bounds_hold;
pub(crate) use presence::{absent, exists};
pub(crate) use text::Pattern;

/// One resolved side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand<'a> {
    /// A value of the evidence, the input or the contract.
    Value(&'a Value),
    /// A text that stands in no document, such as the operation's id.
    Text(&'a str),
    /// An exact moment.
    Moment(Time),
    /// A count or a sum that may still grow.
    Bounds(Bounds),
    /// The channel answered in full; nothing stands there.
    Missing,
    /// No answer, or none that counts.
    Unavailable,
}

/// A number known to lie in `[low, high]`; `None` is unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Least value.
    pub low: Option<Fixed>,
    /// Greatest value.
    pub high: Option<Fixed>,
}

impl<'a> Operand<'a> {
    /// The text of a string operand.
    #[must_use]
    pub fn as_str(&self) -> Option<&'a str> {
        match self {
            Self::Value(Value::String(text)) => Some(text),
            Self::Text(text) => Some(text),
            Self::Value(
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_),
            )
            | Self::Moment(_)
            | Self::Bounds(_)
            | Self::Missing
            | Self::Unavailable => None,
        }
    }

    /// True if a value stands there.
    #[must_use]
    pub const fn is_present(&self) -> bool {
        match self {
            Self::Value(_) | Self::Text(_) | Self::Moment(_) | Self::Bounds(_) => true,
            Self::Missing | Self::Unavailable => false,
        }
    }
}

/// Applies an operator to two resolved sides. `rule` is how the observed side writes instants.
///
/// Lists are arrays of literals here. `time_after` and `time_before` need the clock's skew and `matches` a
/// compiled pattern: they are unknown here.
#[must_use]
pub fn apply(
    operator: Operator,
    seen: Operand<'_>,
    expected: Operand<'_>,
    read_as: Option<As>,
    rule: Option<&InstantRule>,
) -> Truth {
    let numbers = |test: fn(Ordering) -> bool| order::compare_numbers(seen, expected, read_as, test);
    match operator {
        Operator::Eq => equality::equal(seen, expected, read_as, rule),
        Operator::Ne => !equality::equal(seen, expected, read_as, rule),
        Operator::In => with_items(expected, |items| is_in(seen, items, read_as, rule)),
        Operator::NotIn => !with_items(expected, |items| is_in(seen, items, read_as, rule)),
        Operator::Gt => numbers(Ordering::is_gt),
        Operator::Gte => numbers(Ordering::is_ge),
        Operator::Lt => numbers(Ordering::is_lt),
        Operator::Lte => numbers(Ordering::is_le),
        Operator::Exists => exists(seen),
        Operator::Absent => absent(seen),
        Operator::ArrayLength => collection::array_length(seen, expected),
        Operator::Contains => collection::contains(seen, expected, read_as),
        Operator::ContainsAll => with_items(expected, |items| contains_all(seen, items, read_as)),
        Operator::Prefix => text::prefix(seen, expected),
        Operator::TimeAfter | Operator::TimeBefore | Operator::Matches => Truth::Unknown,
    }
}

/// Hands over the elements of an array; anything else is unknown.
fn with_items<'a>(
    list: Operand<'a>,
    work: impl FnOnce(&mut dyn Iterator<Item = Operand<'a>>) -> Truth,
) -> Truth {
    match list {
        Operand::Value(Value::Array(items)) => work(&mut items.iter().map(Operand::Value)),
        _ => Truth::Unknown,
    }
}

impl Truth {
    /// Known true or known false.
    #[must_use]
    pub const fn known(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }

    /// Three-valued and.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// Three-valued or.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }
}

/// Three-valued negation.
impl core::ops::Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Holds => Self::Fails,
            Self::Unknown => Self::Unknown,
            Self::Fails => Self::Holds,
        }
    }
}

/// `Some(holds)` as known, `None` as unknown.
impl From<Option<bool>> for Truth {
    fn from(answer: Option<bool>) -> Self {
        answer.map_or(Self::Unknown, Self::known)
    }
}
