//! What is known of an operation before any evidence: the input, the times, what the agent said.
//!
//! The agent is untrusted: its report here is a sign that something happened, never a proof.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::json::Value;
use crate::time::Time;

/// Default bound of clock skew against the provider's own `Date`, in milliseconds.
pub const SKEW_WITH_DATE_MS: i64 = 5_000;
/// Default bound of clock skew without a provider date, in milliseconds.
pub const SKEW_WITHOUT_DATE_MS: i64 = 30_000;

/// One operation, as `begin` fixed it and as the agent's reports moved it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// Id; also what the idempotency key and the tag are made of.
    pub id: String,
    /// The input that `begin` accepted.
    pub input: Value,
    /// When `begin` answered, on our clock.
    pub begun_at: Time,
    /// The same moment on the provider's clock.
    pub begin: ProviderInstant,
    /// The version that the verifier reads with; `None` if nobody says.
    pub api_version: Option<String>,
    /// The credential is of the live mode, `false` of the test mode; `None` if nobody says.
    #[serde(default)]
    pub live: Option<bool>,
    /// What the agent reported, in order.
    #[serde(default)]
    pub reports: Vec<Report>,
    /// The first sign of the action, on our clock: a report, or a record seen.
    #[serde(default)]
    pub first_sign: Option<Time>,
    /// Scheduled observations made so far.
    #[serde(default)]
    pub attempts: u32,
}

/// A moment on the provider's clock, with what we know of that clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderInstant {
    /// The moment.
    pub at: Time,
    /// Taken from the provider's own `Date`.
    pub from_provider: bool,
    /// Bound of the skew, in milliseconds.
    pub skew_ms: i64,
}

/// What the agent said of its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// When it was handed in, on our clock.
    pub at: Time,
    /// What it said.
    pub outcome: ReportedOutcome,
}

/// The agent's word on its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedOutcome {
    /// The provider answered with a record.
    Accepted,
    /// The provider refused (a 4xx that says so, or the in-band failure predicate).
    Rejected,
    /// No usable reply: a timeout, a 5xx, a 409.
    Lost,
}

impl Operation {
    /// The last sign of the action on our clock: the latest report, or the first record seen.
    #[must_use]
    pub fn last_sign(&self) -> Option<Time> {
        self.reports.iter().map(|report| report.at).chain(self.first_sign).max()
    }

    /// True if the latest report says that the provider refused.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        self.reports.last().is_some_and(|report| report.outcome == ReportedOutcome::Rejected)
            && !self.reports.iter().any(|report| report.outcome == ReportedOutcome::Accepted)
    }

    /// True if the latest report says that the reply was lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.reports.last().is_some_and(|report| report.outcome == ReportedOutcome::Lost)
    }

    /// The deadline: `timeout_ms` after the first sign, until one is seen after `begin`.
    #[must_use]
    pub fn deadline(&self, timeout_ms: u64) -> Time {
        self.first_sign.unwrap_or(self.begun_at).plus(i64::try_from(timeout_ms).unwrap_or(i64::MAX))
    }
}
