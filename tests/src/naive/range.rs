//! Numbers of which only bounds are known. Counts nothing by itself.

use core::cmp::Ordering;

use super::decimal::Decimal;
use super::operator::order_fits;
use super::truth::Truth;

/// All values from `low` to `high`; no `high` means without end.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub low: Decimal,
    pub high: Option<Decimal>,
    /// A count of events, for which `exists` and `absent` have a meaning.
    pub of_events: bool,
}

impl Range {
    /// An operator that holds for every value holds, for none fails, else is unknown.
    pub(super) fn compare(&self, operator: &str, number: Option<Decimal>) -> Truth {
        let seen = self.low > Decimal::zero();
        match (operator, number) {
            ("exists", _) if self.of_events && seen => Truth::Holds,
            ("absent", _) if self.of_events && seen => Truth::Fails,
            ("eq", Some(number)) => self.equal(&number),
            ("ne", Some(number)) => self.equal(&number).not(),
            ("gt" | "gte" | "lt" | "lte", Some(number)) => self.ordered(operator, &number),
            _ => Truth::Unknown,
        }
    }

    fn equal(&self, number: &Decimal) -> Truth {
        let above = self.high.as_ref().is_some_and(|high| number > high);
        if number < &self.low || above {
            Truth::Fails
        } else if self.high.as_ref() == Some(&self.low) {
            Truth::Holds
        } else {
            Truth::Unknown
        }
    }

    fn ordered(&self, operator: &str, number: &Decimal) -> Truth {
        let low = order_fits(operator, self.low.cmp(number));
        let high_order = self.high.as_ref().map_or(Ordering::Greater, |high| high.cmp(number));
        let high = order_fits(operator, high_order);
        if low == high { Truth::of(low) } else { Truth::Unknown }
    }
}
