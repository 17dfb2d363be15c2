//! The result of validating a receipt, check by check. It must not decide anything.

use super::Receipt;
use crate::seal::{Reason, Verified};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// The exit code of an invalid receipt.
const INVALID: u8 = 1;

/// The checks, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Check {
    /// The document has the members that the schema asks for.
    Schema,
    /// The contract hash is well formed, and is that of the contract at hand.
    ContractHash,
    /// The canonical text hashes to the stated digest.
    CanonicalJson,
    /// The signature verifies against the stated key.
    Signature,
    /// The reader trusts that key under that id, at the time of issue.
    KeyTrusted,
    /// The evidence bears the verdict.
    EvidenceClaim,
    /// The components bear it, and name their channels.
    ComponentChannels,
}

impl Check {
    /// All checks in order.
    pub const ALL: [Check; 7] = [
        Check::Schema,
        Check::ContractHash,
        Check::CanonicalJson,
        Check::Signature,
        Check::KeyTrusted,
        Check::EvidenceClaim,
        Check::ComponentChannels,
    ];

    /// The name that the validator prints.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Check::Schema => "schema",
            Check::ContractHash => "contract hash",
            Check::CanonicalJson => "canonical json",
            Check::Signature => "signature",
            Check::KeyTrusted => "key trusted",
            Check::EvidenceClaim => "evidence claim",
            Check::ComponentChannels => "components",
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds; the note may say more.
    Passed(String),
    /// It does not hold.
    Failed {
        /// The shared reason code.
        reason: Reason,
        /// Where, and what to do about it.
        detail: String,
    },
    /// An earlier failure leaves nothing to check.
    NotRun,
}

/// One check and what it found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckResult {
    /// The check.
    pub check: Check,
    /// What it found.
    pub outcome: Outcome,
}

/// What validating a receipt found. `Display` prints it as the command line does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    checks: Vec<CheckResult>,
    receipt: Option<Verified<Receipt>>,
}

impl Report {
    pub(super) fn new(checks: Vec<CheckResult>, receipt: Option<Verified<Receipt>>) -> Self {
        Self { checks, receipt }
    }

    /// Every check in order.
    #[must_use]
    pub fn checks(&self) -> &[CheckResult] {
        &self.checks
    }

    /// What a check found.
    #[must_use]
    pub fn outcome(&self, check: Check) -> &Outcome {
        self.checks
            .iter()
            .find(|result| result.check == check)
            .map_or(&Outcome::NotRun, |result| &result.outcome)
    }

    /// The receipt, if every check passed.
    #[must_use]
    pub fn receipt(&self) -> Option<&Verified<Receipt>> {
        self.receipt.as_ref()
    }

    /// Whether every check passed. A valid receipt need not say VERIFIED.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.receipt.is_some()
    }

    /// The reason of the first check that failed, or [`Reason::SignatureValid`].
    #[must_use]
    pub fn reason(&self) -> Reason {
        let failed = self.checks.iter().find_map(|result| match &result.outcome {
            Outcome::Failed { reason, .. } => Some(*reason),
            Outcome::Passed(_) | Outcome::NotRun => None,
        });
        failed.unwrap_or(Reason::SignatureValid)
    }

    /// 1 for an invalid receipt; 5 for an escalated one; else the verdict's: 0 VERIFIED, 2 PENDING, 3 FAILED,
    /// 4 CONTRADICTED, 5 UNVERIFIABLE.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        self.receipt.as_ref().map_or(INVALID, |receipt| receipt.exit_code())
    }

    /// Checks that hold for nearly every receipt are not worth a line when they do.
    fn is_shown(&self, result: &CheckResult) -> bool {
        let passed = matches!(result.outcome, Outcome::Passed(_));
        match result.check {
            Check::Schema => matches!(result.outcome, Outcome::Failed { .. }),
            Check::ComponentChannels => {
                !passed || self.receipt.as_ref().is_some_and(|receipt| receipt.components.is_some())
            }
            Check::ContractHash
            | Check::CanonicalJson
            | Check::Signature
            | Check::KeyTrusted
            | Check::EvidenceClaim => true,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for result in self.checks.iter().filter(|result| self.is_shown(result)) {
            write!(out, "{:<17}", result.check.name())?;
            match &result.outcome {
                Outcome::Passed(note) if note.is_empty() => writeln!(out, "ok")?,
                Outcome::Passed(note) => writeln!(out, "ok  {note}")?,
                Outcome::Failed { reason, detail } => writeln!(out, "failed  {reason}: {detail}")?,
                Outcome::NotRun => writeln!(out, "not run")?,
            }
        }
        match &self.receipt {
            Some(receipt) => writeln!(out, "\n{:<17}{}", "verdict", receipt.verdict.verdict)?,
            None => writeln!(out, "\n{:<17}invalid, {}", "receipt", self.reason())?,
        }
        if self.receipt.as_ref().is_some_and(|receipt| receipt.escalated == Some(true)) {
            writeln!(out, "{:<17}yes, a person has to look at it", "escalated")?;
        }
        writeln!(out, "exit {}", self.exit_code())
    }
}

/// As JSON: `{valid, reason_code, verdict, escalated, exit_code, checks: [{check, outcome, reason_code, detail}]}`.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Report", 6)?;
        members.serialize_field("valid", &self.is_valid())?;
        members.serialize_field("reason_code", self.reason().as_str())?;
        members.serialize_field("verdict", &self.receipt.as_ref().map(|receipt| receipt.verdict.verdict))?;
        let escalated = self.receipt.as_ref().is_some_and(|receipt| receipt.escalated == Some(true));
        members.serialize_field("escalated", &escalated)?;
        members.serialize_field("exit_code", &self.exit_code())?;
        members.serialize_field("checks", &self.checks)?;
        members.end()
    }
}

impl Serialize for CheckResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (outcome, reason, detail) = match &self.outcome {
            Outcome::Passed(note) => ("ok", None, Some(note).filter(|note| !note.is_empty())),
            Outcome::Failed { reason, detail } => ("failed", Some(reason.as_str()), Some(detail)),
            Outcome::NotRun => ("not_run", None, None),
        };
        let mut members = serializer.serialize_struct("CheckResult", 4)?;
        members.serialize_field("check", self.check.name())?;
        members.serialize_field("outcome", outcome)?;
        members.serialize_field("reason_code", &reason)?;
        members.serialize_field("detail", &detail)?;
        members.end()
    }
}
