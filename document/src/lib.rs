//! Spanned tree over JSON and YAML files, with pointers and diagnostics.
//!
//! One call, [`read`], turns bytes into a [`Document`]: an arena of compact nodes that keep the text of
//! every number and the place of every value. From there a caller walks [`Node`]s, follows
//! [`Pointer`]s, or reads a typed value with [`from_node`], whose errors point into the file.
//!
//! ```
//! use provely_document::{Format, Limits, read};
//!
//! let text = "refund:\n  status: NO\n  amount: 9007199254740993\n";
//! let document = read("refund.yaml", text, Format::Auto, &Limits::default())?;
//! let amount = document.root().at("/refund/amount").unwrap();
//! assert_eq!(amount.as_u64(), Some(9_007_199_254_740_993));
//! assert_eq!((amount.line_col().line, amount.line_col().column), (3, 11));
//!
//! let finding = read("broken.json", "{\"a\": 1,}", Format::Json, &Limits::default()).unwrap_err();
//! assert_eq!(
//!     finding.render(false),
//!     r#"error[json/syntax]: expected a key in double quotes, found `}`
//!  --> broken.json:1:9
//!   |
//! 1 | {"a": 1,}
//!   |         ^
//!   |
//!   = help: remove the comma before it"#
//! );
//! # Ok::<(), provely_document::Diagnostic>(())
//! ```
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

pub use de::{Spanned, from_node};
pub use diagnostic::{Diagnostic, Label, Severity, Where};
pub use limits::Limits;
pub use nearest::nearest;
pub use node::{Entries, Entry, Items, Node};
pub use pointer::{Pointer, PointerError, PointerReason, PointerSyntax, percent_decoded};
pub use read::{Format, read, text};
pub use source::{Location, Source, Span};
pub use tree::{Document, Kind, NodeId};
