//! Receipts: the signed record of one verdict, how it is made and how anybody checks it offline. Nothing here
//! opens a socket, reads a clock or trusts the key that a receipt carries.

mod claims;
mod model;
mod report;
#[cfg(feature = "schema")]
mod schema;
#[cfg(test)]
mod tests;
mod validate;

pub use model::{
    Component, ConnectionReference, ContractReference, Finality, IntentStatement, Mode, ObservationKind,
    ObservationReference, RECEIPT_SCHEMA_VERSION, Receipt, ReceiptDraft, Review, SkillReference,
    SubjectReference, VerdictStatement, Versions,
};
pub use report::{Check, CheckResult, Outcome, Report};
#[cfg(feature = "schema")]
pub use schema::receipt_schema;
pub use validate::validate;

use crate::seal::{Reason, SealError, SealedDocument, SigningKey, seal};
use crate::time::Time;
use alloc::format;
use alloc::string::{String, ToString};

impl SealedDocument for Receipt {
    fn issued_at(&self) -> Time {
        self.issued_at
    }

    fn check_claims(&self) -> Result<(), SealError> {
        check_version(&self.schema_version)?;
        claims::check_evidence(self)?;
        claims::check_components(self)
    }
}

impl ReceiptDraft {
    /// Signs the receipt.
    ///
    /// # Errors
    /// If it says VERIFIED on evidence that does not bear it (no level above E0, a level without an
    /// observation, a component that is not VERIFIED), or holds a number that cannot be signed.
    pub fn seal(&self, key: &SigningKey, key_id: &str) -> Result<Receipt, SealError> {
        seal(self, key, key_id)
    }
}

impl Receipt {
    /// The receipt as we print it: JSON, two spaces, members in the order of the type, a line feed at the end.
    ///
    /// # Errors
    /// None in practice; the type is always writable as JSON.
    pub fn to_json(&self) -> Result<String, SealError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| SealError::new(Reason::SchemaInvalid, error.to_string()))?;
        Ok(text + "\n")
    }

    /// The exit code that it stands for: its verdict's, or 5 where a person has to look at it.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        if self.escalated == Some(true) { 5 } else { self.verdict.verdict.exit_code() }
    }
}

fn check_version(version: &str) -> Result<(), SealError> {
    if version == RECEIPT_SCHEMA_VERSION {
        return Ok(());
    }
    let detail = format!("at `/schema_version`: `{version}`, where only `{RECEIPT_SCHEMA_VERSION}` is read");
    Err(SealError::new(Reason::SchemaInvalid, detail))
}
