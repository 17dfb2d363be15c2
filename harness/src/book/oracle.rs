//! The oracle's table as data: which facts forbid or demand which verdicts. It reads no world.

use std::collections::BTreeMap;

use provely_evaluator::verdict::Verdict;
use serde::{Deserialize, Serialize};

/// The oracle's table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OracleBook {
    /// Its version.
    pub version: String,
    /// A second effect counts once it is older than this, in milliseconds.
    pub stale_window_ms: i64,
    /// What may not be said; every row that applies counts.
    pub never: Vec<NeverRow>,
    /// What has to be said; the first row that applies decides.
    pub required: Vec<RequiredRow>,
}

/// What may not be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeverRow {
    /// Names the row in reports.
    pub id: String,
    /// Fact to values.
    #[serde(rename = "if")]
    pub when: BTreeMap<FactName, Vec<String>>,
    /// Verdicts that are wrong then.
    #[serde(default)]
    pub verdicts: Vec<Verdict>,
    /// Advice that is wrong then.
    #[serde(default)]
    pub advice: Vec<Advised>,
}

/// What has to be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequiredRow {
    /// Names the row in reports.
    pub id: String,
    /// Fact to values.
    #[serde(rename = "if")]
    pub when: BTreeMap<FactName, Vec<String>>,
    /// Verdicts that are right then.
    pub verdicts: Vec<Verdict>,
    /// A person has to be asked.
    #[serde(default)]
    pub escalated: bool,
}

/// The facts that rows may name; their values stand in [`crate::Facts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactName {
    /// `yes`, `no`: the version that is read with is one of the documents'.
    Covered,
    /// `open`, `behind`, `behind_or_open`, `down`.
    Sources,
    /// `exists`, `success`, `failure`, `changed`, `gone`: the kind of the promise.
    Promise,
    /// `none`, `kept`, `transitional`, `success`, `failure`, `neutral`, `unknown`: this intent's record; of one
    /// that was there before also `unchanged` and `partly`.
    Record,
    /// `yes`, `no`: it carries what was asked for.
    AsAsked,
    /// `after`, `before`: it was made, or came to keep the promise, after `begin`.
    Order,
    /// `yes`, `no`: records show when they were made.
    Dated,
    /// `created`, `existing`: the action makes a record, or changes one that is there.
    Target,
    /// `none`, `ended` (without effect), `young`, `moving`, `done`, `unlike` (done, and not as asked): a second effect of this intent.
    SecondEffect,
    /// `own`, `nothing`, `invented`, `foreign`, `earlier`: the ids that the agent handed in.
    HandedIn,
    /// `yes`, `no`: an id that is an earlier or a foreign record's was among those handed in.
    Misled,
    /// `yes`, `no`: a record of the same subject that no other operation accounts for.
    Unowned,
    /// `yes`, `no`: an effect of this intent stands or may come.
    Effect,
    /// `nothing`, `accepted`, `rejected`, `lost`: what it last said of its call.
    Said,
    /// `look`, `end`.
    Phase,
}

impl FactName {
    /// How many there are.
    pub(crate) const COUNT: usize = 15;

    /// Its place among them.
    pub(crate) const fn place(self) -> usize {
        self as usize
    }

    /// Its values, as rows write them.
    #[must_use]
    pub const fn values(self) -> &'static [&'static str] {
        match self {
            Self::Covered | Self::AsAsked | Self::Dated | Self::Misled | Self::Unowned | Self::Effect => {
                &["no", "yes"]
            }
            Self::Sources => &["open", "behind", "behind_or_open", "down"],
            Self::Promise => &["exists", "success", "failure", "changed", "gone"],
            Self::Record => &[
                "none",
                "empty",
                "unchanged",
                "partly",
                "neutral",
                "failure",
                "unknown",
                "transitional",
                "success",
                "kept",
            ],
            Self::Order => &["before", "after"],
            Self::Target => &["created", "existing"],
            Self::SecondEffect => &["none", "ended", "young", "moving", "done", "unlike"],
            Self::HandedIn => &["nothing", "invented", "earlier", "foreign", "own"],
            Self::Said => &["nothing", "accepted", "rejected", "lost"],
            Self::Phase => &["look", "end"],
        }
    }

    /// Every one, in order.
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self::Covered,
        Self::Sources,
        Self::Promise,
        Self::Record,
        Self::AsAsked,
        Self::Order,
        Self::Dated,
        Self::Target,
        Self::SecondEffect,
        Self::HandedIn,
        Self::Misled,
        Self::Unowned,
        Self::Effect,
        Self::Said,
        Self::Phase,
    ];
}

/// Advice that a row may forbid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Advised {
    /// To act again.
    RetryAction,
}
