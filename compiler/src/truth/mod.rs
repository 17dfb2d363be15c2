//! How often what the stages say is true: their output beside labels made by hand. Compares values; must not compile
//! differently from the stages, and reads no file.

mod labels;

pub use labels::{Label, OperationLabel, StateLabel, read_labels, specs};
