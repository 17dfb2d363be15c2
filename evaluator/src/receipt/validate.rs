//! The checks that anybody runs over a receipt, offline. Each is reported; a later one must not hide an
//! earlier failure.

use super::report::{Check, CheckResult, Outcome, Report};
use super::{Receipt, check_version, claims};
use crate::hash::Digest;
use crate::json::{Value, from_value, parse};
use crate::seal::{
    Reason, SealError, Signature, TrustedKeys, check_digest, check_signature, check_trust, open_value,
    payload, read_signature,
};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Validates a receipt: schema, contract hash, digest of the canonical text, signature, trust in the key at the
/// time of issue, evidence claim, components. With the contract at hand, its id, version and hash are compared.
///
/// Without a schema-valid document nothing further is checked. The receipt is valid only if every check passes.
#[must_use]
pub fn validate(text: &str, keys: &TrustedKeys, contract: Option<&Value>) -> Report {
    let mut checks = Checks(Vec::new());
    let read = parse(text).map_err(SealError::from);
    let value = match read {
        Ok(value) => value,
        Err(error) => return checks.fail(Check::Schema, error).finish(None),
    };
    if let Err(error) = check_hash_form(&value) {
        checks.0.push(CheckResult { check: Check::Schema, outcome: Outcome::NotRun });
        return checks.fail(Check::ContractHash, error).finish(None);
    }
    match read_members(&value) {
        Ok((receipt, signature)) => {
            checks.run_all(&value, &receipt, &signature, keys, contract);
            checks.open(&value, keys)
        }
        Err(error) => checks.fail(Check::Schema, error).finish(None),
    }
}

struct Checks(Vec<CheckResult>);

impl Checks {
    fn run_all(
        &mut self,
        value: &Value,
        receipt: &Receipt,
        signature: &Signature,
        keys: &TrustedKeys,
        contract: Option<&Value>,
    ) {
        let payload = payload(value, signature);
        let digest = payload.clone().and_then(|payload| check_digest(&payload, signature));
        let signed = payload.and_then(|payload| check_signature(&payload, signature));
        let trusted = check_trust(keys, signature, receipt.issued_at);
        let no_note = |()| String::new();
        self.add(Check::Schema, Ok(String::new()));
        self.add(
            Check::ContractHash,
            contract.map_or(Ok(String::new()), |contract| compare(receipt, contract)),
        );
        self.add(Check::CanonicalJson, digest.map(no_note));
        self.add(Check::Signature, signed.map(|()| format!("key {}", signature.key_id)));
        self.add(Check::KeyTrusted, trusted.map(|()| String::from("from your key map")));
        self.add(Check::EvidenceClaim, claims::check_evidence(receipt));
        self.add(Check::ComponentChannels, claims::check_components(receipt).map(no_note));
    }

    fn add(&mut self, check: Check, found: Result<String, SealError>) {
        let outcome = match found {
            Ok(note) => Outcome::Passed(note),
            Err(SealError { reason, detail }) => Outcome::Failed { reason, detail },
        };
        self.0.push(CheckResult { check, outcome });
    }

    fn fail(mut self, check: Check, error: SealError) -> Self {
        self.add(check, Err(error));
        self
    }

    /// Opening repeats the checks, so that no other path leads to a verified receipt.
    fn open(self, value: &Value, keys: &TrustedKeys) -> Report {
        if !self.all_passed() {
            return self.finish(None);
        }
        match open_value(value, keys) {
            Ok(receipt) => self.finish(Some(receipt)),
            Err(error) => Checks(Vec::new()).fail(Check::Schema, error).finish(None),
        }
    }

    fn all_passed(&self) -> bool {
        self.0.iter().all(|result| matches!(result.outcome, Outcome::Passed(_)))
    }

    fn finish(mut self, receipt: Option<crate::seal::Verified<Receipt>>) -> Report {
        for check in Check::ALL.into_iter().skip(self.0.len()) {
            self.0.push(CheckResult { check, outcome: Outcome::NotRun });
        }
        Report::new(self.0, receipt)
    }
}

fn read_members(value: &Value) -> Result<(Receipt, Signature), SealError> {
    let receipt: Receipt = from_value(value)?;
    check_version(&receipt.schema_version)?;
    Ok((receipt, read_signature(value)?))
}

/// A contract hash in another spelling has a reason of its own.
fn check_hash_form(value: &Value) -> Result<(), SealError> {
    let hash = value.get("contract").and_then(|contract| contract.get("hash")).and_then(Value::as_str);
    match hash.map(str::parse::<Digest>) {
        Some(Err(_)) => {
            let detail = "at `/contract/hash`: 64 hexadecimal digits in small letters are expected";
            Err(SealError::new(Reason::ContractHashMalformed, detail))
        }
        Some(Ok(_)) | None => Ok(()),
    }
}

/// Whether the receipt names the contract at hand.
fn compare(receipt: &Receipt, contract: &Value) -> Result<String, SealError> {
    let named = &receipt.contract;
    let found = Digest::of_document(contract, "hash").map_err(|error| {
        SealError::new(Reason::ContractHashMismatch, format!("the contract at hand: {error}"))
    })?;
    let same = |member: &str, own: &str| contract.get(member).and_then(Value::as_str) == Some(own);
    if found == named.hash && same("id", &named.id) && same("version", &named.version) {
        return Ok(String::from("the contract at hand"));
    }
    let detail = format!(
        "the receipt names `{}` {} {}, the contract at hand hashes to {found}",
        named.id, named.version, named.hash
    );
    Err(SealError::new(Reason::ContractHashMismatch, detail))
}
