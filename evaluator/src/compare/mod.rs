//! Comparison of resolved values. No implicit conversion: a type that does not fit is unknown.

mod collection;
mod decimal;
mod equality;
mod instant;
mod order;
mod presence;
mod text;

use crate::contract::Truth;
use crate::json::Value;
use crate::time::Time;

pub use decimal::{Decimal, Fixed};
pub use instant::Instant;

pub(crate) use collection::{array_length, contains, contains_all};
pub(crate) use equality::{equal, is_in, read_instant};
pub(crate) use order::{bounds_hold, compare_numbers};
pub(crate) use presence::{absent, exists};
pub(crate) use text::{Pattern, prefix};

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
