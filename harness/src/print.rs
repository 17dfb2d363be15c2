//! A report as a table, as JSON, as JUnit XML and as the unsigned conformance artifact. It adds no judgement.

mod artifact;
mod benchmark;
mod junit;
mod replayed;
mod table;

pub use artifact::{Provenance, RanAgainst, artifact};
pub use benchmark::{figures, markdown};
pub use junit::junit;
pub use replayed::replayed;
pub use table::table;

use provely_evaluator::json::{ToValueError, Value, to_value};

use crate::report::Report;

/// The whole report as JSON.
///
/// # Errors
/// Never for a report of this crate; the reader's error otherwise.
pub fn json(report: &Report) -> Result<Value, ToValueError> {
    to_value(report)
}
