//! Counts what is odd in a description and read all the same, and asks once about each kind. Must not refuse
//! anything.

use std::collections::BTreeMap;

use provely_document::Node;

use super::forest::Forest;
use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// A way in which a description is odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Oddity {
    /// An array where an object is due; it is empty.
    EmptyArray,
    /// A path item that says nothing.
    EmptyPath,
    /// An operation that says nothing.
    EmptyOperation,
    /// A path with a query or a fragment in it.
    PathWithQuery,
    /// An `operationId` that is no string.
    OperationId,
    /// An `operationId` that stands at two operations.
    SameOperationId,
    /// A method and path that two descriptions have.
    SameOperation,
    /// `nullable` where the format has no such keyword.
    NullableBeyondItsTime,
    /// `nullable` beside `$ref`, which is to say nothing there.
    NullableBesideReference,
    /// Values of several types in one `enum`, or a value that is no scalar.
    MixedValues,
    /// The same value twice in one `enum`.
    SameValue,
}

impl Oddity {
    const fn name(self) -> &'static str {
        match self {
            Self::EmptyArray => "empty-array",
            Self::EmptyPath => "empty-path",
            Self::EmptyOperation => "empty-operation",
            Self::PathWithQuery => "path-with-query",
            Self::OperationId => "operation-id",
            Self::SameOperationId => "same-operation-id",
            Self::SameOperation => "same-operation",
            Self::NullableBeyondItsTime => "nullable-in-3.1",
            Self::NullableBesideReference => "nullable-beside-reference",
            Self::MixedValues => "mixed-values",
            Self::SameValue => "same-value",
        }
    }

    /// What is odd, and how it was read.
    const fn story(self) -> &'static str {
        match self {
            Self::EmptyArray => "An empty array stands for an empty object, and was read as one",
            Self::EmptyPath => "A path item is null, and was read as one without operations",
            Self::EmptyOperation => "An operation is null, and was left out",
            Self::PathWithQuery => "A path holds `?` or `#`, and was kept as written",
            Self::OperationId => "An `operationId` is no string; operations are named by method and path",
            Self::SameOperationId => {
                "An `operationId` stands at two operations; operations are named by method and path"
            }
            Self::SameOperation => {
                "Two descriptions have the same method and path; the later one has a number behind its id"
            }
            Self::NullableBeyondItsTime => {
                "`nullable` is no keyword since OpenAPI 3.1, and was read as in OpenAPI 3.0"
            }
            Self::NullableBesideReference => {
                "`nullable` stands beside `$ref`, where OpenAPI 3.0 ignores it, and was read all the same"
            }
            Self::MixedValues => "An `enum` mixes types; its scalars were read as text, null as nullable",
            Self::SameValue => "An `enum` lists a value twice, which was read as once",
        }
    }
}

/// Odd places, counted by source and kind.
#[derive(Debug, Default)]
pub(super) struct Oddities {
    counted: BTreeMap<(usize, Oddity), (usize, String)>,
}

impl Oddities {
    /// Counts one.
    pub(super) fn note(&mut self, kind: Oddity, tree: usize, node: Node<'_>) {
        let first = || {
            let at = node.line_col();
            (0, format!("{}:{}:{}", node.document().name(), at.line, at.column))
        };
        self.counted.entry((tree, kind)).or_insert_with(first).0 += 1;
    }

    /// Counts what was noted apart.
    pub(super) fn merge(&mut self, other: Self) {
        for (place, (count, first)) in other.counted {
            self.counted.entry(place).or_insert((0, first)).0 += count;
        }
    }

    /// One question for each source and kind. They bind no contract: how each was read is a rule of its own.
    pub(super) fn questions(self, forest: &Forest) -> Vec<Uncertainty> {
        let mut by_source: BTreeMap<(&str, Oddity), (usize, String)> = BTreeMap::new();
        for ((tree, kind), (count, first)) in self.counted {
            let Some(tree) = forest.tree(tree) else { continue };
            by_source.entry((&tree.source, kind)).or_insert((0, first)).0 += count;
        }
        let ask = |((source, kind), (count, first)): ((&str, Oddity), (usize, String))| {
            let places = if count == 1 { first } else { format!("{count} times, first at {first}") };
            let question = format!("{} ({places}). Is that right?", kind.story());
            let subject = format!("{source}:{}", kind.name());
            Uncertainty::new(UncertaintyKind::Input, subject, question)
        };
        by_source.into_iter().map(ask).collect()
    }
}
