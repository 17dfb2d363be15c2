//! Tests across the crates: a second evaluator written from the rules alone, and the traces it is tried on.
//! Nothing here may use the first evaluator; the two meet in `tests/tests/`.

#[expect(
    clippy::indexing_slicing,
    reason = "only JSON values are indexed by name: what is not there reads as null"
)]
pub mod naive;
#[expect(
    clippy::indexing_slicing,
    reason = "only JSON values are indexed by name: what is not there reads as null and is made by writing"
)]
pub mod traces;
