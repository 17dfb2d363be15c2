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
    /// `none`, `young`, `moving`, `done`, `unlike` (done, and not as asked): a second effect of this intent.
    SecondEffect,
    /// `own`, `nothing`, `invented`, `foreign`, `earlier`: the ids that the agent handed in.
    HandedIn,
    /// `nothing`, `accepted`, `rejected`, `lost`: what it last said of its call.
    Said,
    /// `look`, `end`.
    Phase,
}

/// Advice that a row may forbid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Advised {
    /// To act again.
    RetryAction,
}
