//! Tests across the crates. Nothing is exported: see `tests/tests/`.
