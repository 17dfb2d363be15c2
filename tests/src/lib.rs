//! Tests across the crates: a second evaluator written from the rules alone, and the traces it is tried on.
//! Nothing here may use the first evaluator; the two meet in `tests/tests/`.

pub mod naive;
pub mod traces;
