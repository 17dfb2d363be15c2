//! The compiled form of a contract: every reference parsed, every channel an index.

use alloc::string::String;
use alloc::vec::Vec;

use crate::compare::Pattern;
use crate::contract::{As, Contract, InstantRule, NegativeClass, Operator, Owner, State};
use crate::json::Value;
use crate::query::Step;
use crate::version::{Version, VersionRange, covered};

/// A contract that passed every load rule, ready to be evaluated.
#[derive(Debug, Clone)]
pub struct Program {
    pub(crate) contract: Contract,
    pub(crate) positives: Vec<Positive>,
    pub(crate) negatives: Vec<Negative>,
    pub(crate) rules: Vec<Test>,
    pub(crate) lifecycle: Option<LifecycleView>,
    pub(crate) channels: Vec<ChannelView>,
    pub(crate) versions: Vec<VersionRange>,
    pub(crate) event_versions: Vec<VersionRange>,
    pub(crate) inadmissible: Vec<VersionRange>,
    /// What is judged by instead, where the verifier reads with other versions.
    pub(crate) variants: Vec<Variant>,
    /// The first channel that is declared complete.
    pub(crate) complete_list: Option<usize>,
}

/// The program with one overlay applied.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    pub(crate) versions: Vec<VersionRange>,
    pub(crate) program: Program,
}

/// A positive condition.
#[derive(Debug, Clone)]
pub(crate) struct Positive {
    pub(crate) test: Test,
    pub(crate) gate: Gate,
    pub(crate) channels: Vec<usize>,
}

/// A negative condition.
#[derive(Debug, Clone)]
pub(crate) struct Negative {
    pub(crate) test: Test,
    pub(crate) gate: Gate,
    pub(crate) class: NegativeClass,
    pub(crate) blocking: bool,
    pub(crate) channels: Vec<usize>,
    /// Index of the first negative of the same duplicate group; `None` outside a group.
    pub(crate) group: Option<usize>,
    /// Rests on a list channel that is declared complete.
    pub(crate) over_complete: bool,
    /// Reads `$observed` without being over a list.
    pub(crate) reads_record: bool,
}

/// Which inputs a condition applies to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate {
    pub(crate) when: Option<ItemTest>,
    pub(crate) unless: Option<ItemTest>,
}

/// A compiled test.
#[derive(Debug, Clone)]
pub(crate) struct Test {
    pub(crate) form: Form,
    /// A result of holds becomes unknown.
    pub(crate) soften: bool,
    /// The channel whose baseline it needs, and what takes its place without one.
    pub(crate) baseline: Option<usize>,
    pub(crate) fallback: Option<ItemTest>,
}

/// The three forms of a test.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// One reference against an expectation.
    Scalar(Comparison),
    /// A number over the items of a list.
    Over(OverTest),
    /// Three-valued and.
    AllOf(Vec<Test>),
}

/// A reference, an operator, an expectation.
#[derive(Debug, Clone)]
pub(crate) struct Comparison {
    pub(crate) path: Expression,
    pub(crate) operator: Operator,
    pub(crate) expected: Expected,
    pub(crate) read_as: Option<As>,
    pub(crate) pattern: Option<Pattern>,
    /// The path is the lifecycle's: the folded state is seen.
    pub(crate) folded: bool,
}

/// A count or a sum over a list.
#[derive(Debug, Clone)]
pub(crate) struct OverTest {
    pub(crate) channel: usize,
    /// The steps of a list inside a record; `None`: the channel is the list.
    pub(crate) inner: Option<Vec<Step>>,
    pub(crate) tests: Vec<ItemTest>,
    /// The channel whose baseline the items must lie outside of.
    pub(crate) outside: Option<usize>,
    /// Steps of the sum; `None`: count.
    pub(crate) sum: Option<Vec<Step>>,
    /// How the expectation of a sum is read: as a JSON number, or as a decimal.
    pub(crate) read_as: Option<As>,
    pub(crate) operator: Operator,
    pub(crate) expected: Expected,
}

/// A test on one item, or on the input.
#[derive(Debug, Clone)]
pub(crate) struct ItemTest {
    pub(crate) kind: ItemTestKind,
    pub(crate) when: Option<alloc::boxed::Box<ItemTest>>,
}

/// What an item test looks at.
#[derive(Debug, Clone)]
pub(crate) enum ItemTestKind {
    /// A reference against an expectation.
    Compare(Comparison),
    /// The item's owner.
    Owner(Vec<Owner>),
    /// The item's state is a success.
    Effect,
}

/// What a condition compares with.
#[derive(Debug, Clone)]
pub(crate) enum Expected {
    /// Nothing (`exists`, `absent`).
    Nothing,
    /// A literal.
    Literal(Value),
    /// A reference.
    Reference(Expression),
    /// A list of literals and references.
    List(Vec<Expected>),
}

/// A compiled reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expression {
    Input(Vec<Step>),
    OperationId,
    OperationCreated,
    OperationLive,
    Correlation(String, Vec<Step>),
    Record(usize, Vec<Step>),
    EventCount(usize),
    EventLatest(usize, Vec<Step>),
    EventEarliest(usize, Vec<Step>),
    Baseline(usize, Vec<Step>),
    Item(Vec<Step>),
}

impl Expression {
    /// The channel that the reference observes.
    pub(crate) const fn observed(&self) -> Option<usize> {
        match self {
            Self::Record(channel, _)
            | Self::EventCount(channel)
            | Self::EventLatest(channel, _)
            | Self::EventEarliest(channel, _) => Some(*channel),
            Self::Input(_)
            | Self::OperationId
            | Self::OperationCreated
            | Self::OperationLive
            | Self::Correlation(..)
            | Self::Baseline(..)
            | Self::Item(_) => None,
        }
    }
}

/// Where a record's state stands.
#[derive(Debug, Clone)]
pub(crate) struct LifecycleView {
    /// The channel that the path is rooted in; `None` if the states are those of list items.
    pub(crate) channel: Option<usize>,
    /// Steps from a record (or an item) to its state.
    pub(crate) steps: Vec<Step>,
}

/// What an evaluation needs of a channel.
#[derive(Debug, Clone)]
pub(crate) struct ChannelView {
    pub(crate) kind: ChannelKind,
    pub(crate) complete: bool,
    pub(crate) created: Option<Vec<Step>>,
    pub(crate) instant: Option<InstantRule>,
}

/// What a channel carries, by its declared members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChannelKind {
    /// The action's own reply.
    Response,
    /// One record.
    Record,
    /// A list of records.
    List,
    /// Events.
    Events,
}

impl Program {
    /// The contract as it was loaded.
    #[must_use]
    pub const fn contract(&self) -> &Contract {
        &self.contract
    }

    /// The program for the version that a verifier reads with: with the overlay that covers it, or as it is.
    #[must_use]
    pub fn at(&self, version: Option<&str>) -> &Self {
        let covers = |variant: &&Variant| version.is_some_and(|version| covered(&variant.versions, version));
        self.variants.iter().find(covers).map_or(self, |variant| &variant.program)
    }

    /// True if something is proven for a version that the verifier reads with.
    #[must_use]
    pub fn covers(&self, version: &str) -> bool {
        let covered = |version: Version<'_>| {
            let within = |ranges: &[VersionRange]| ranges.iter().any(|range| range.covers(&version));
            within(&self.versions) && !within(&self.inadmissible)
        };
        Version::parse(version).is_some_and(covered)
    }

    /// True if an event of that version is admissible.
    #[must_use]
    pub fn covers_event(&self, version: &str) -> bool {
        covered(&self.event_versions, version) && !covered(&self.inadmissible, version)
    }

    /// The declared state of that name.
    pub(crate) fn state(&self, name: &str) -> Option<&State> {
        self.contract.subject.lifecycle.as_ref()?.states.get(name)
    }
}
