//! Reads typed values from nodes through serde. It must not guess: integers are exact or refused.

mod fault;
mod reader;
mod spanned;

use serde::de::DeserializeOwned;

pub use spanned::Spanned;

use crate::diagnostic::Diagnostic;
use crate::node::Node;

/// Reads a `T` from `node` and what is below it.
///
/// Integers reach `T` as `i64` or `u64` with every digit, numbers with a point or an exponent as `f64`.
/// Let `T` deny unknown fields to have unknown members refused.
///
/// # Errors
/// One diagnostic at the member, key or value that does not fit, with its path
/// (`completion.all_of[1].operatr`) and, for unknown names, the nearest known one. Where serde buffers a
/// value before it looks inside (untagged, internally tagged and flattened types), the place is that of
/// the buffered value, or of the unknown member in it.
pub fn from_node<T: DeserializeOwned>(node: Node<'_>) -> Result<T, Diagnostic> {
    T::deserialize(reader::NodeReader(node)).map_err(|fault| fault.at(node).into_diagnostic(node))
}
