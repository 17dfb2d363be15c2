//! Spanned tree over JSON and YAML files, with pointers and diagnostics.
//!
//! One call, [`read`], turns bytes into a [`Document`]: an arena of compact nodes that keep the text of
//! every number and the place of every value. From there a caller walks [`Node`]s, follows
//! [`Pointer`]s, or reads a typed value with [`from_node`], whose errors point into the file.
//!
//! This crate must not know what a file means, touch the file system, the network or a clock, or depend
//! on any other crate of this workspace.

mod build;
pub mod code;
mod de;
mod diagnostic;
mod json;
mod limits;
mod nearest;
mod node;
mod number;
mod pointer;
mod read;
mod render;
mod source;
mod tree;
mod yaml;

pub use de::from_node;
pub use diagnostic::{Diagnostic, Label, Severity, Where};
pub use limits::Limits;
pub use nearest::nearest;
pub use node::{Entries, Entry, Items, Node};
pub use pointer::{Pointer, PointerError, PointerReason, PointerSyntax};
pub use read::{Format, read};
pub use source::{Location, Source, Span};
pub use tree::{Document, Kind, NodeId};
