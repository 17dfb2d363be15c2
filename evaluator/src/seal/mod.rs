//! Seals: an Ed25519 signature inside a JSON document, over the canonical text of the rest. Opening a seal is
//! the only way to a [`Verified`]; nothing here may open a socket, read a clock or trust a key that came with
//! the document.

mod key;
mod pkcs8;
mod reason;
mod signature;
#[cfg(test)]
mod tests;
mod trust;

pub use key::{KeyError, PublicKey, SigningKey, TEST_KEY_ID};
pub use reason::{Reason, SealError};
pub use signature::{ALGORITHM, CANONICALIZATION, Hex, SealState, Signature, Unsigned};
pub use trust::{TrustError, TrustedKey, TrustedKeys};

use crate::hash::{Digest, canonical_without};
use crate::json::{ShapeError, Value, from_value, parse, to_value};
use crate::time::Time;
use alloc::format;
use alloc::string::{String, ToString};
use core::ops::Deref;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The member that holds the seal.
pub const SIGNATURE_MEMBER: &str = "signature";

/// A type of document that is sealed.
pub trait SealedDocument: DeserializeOwned {
    /// When it was issued, as it says itself; the validity of the key is judged at this time.
    fn issued_at(&self) -> Time;

    /// What must hold of the document beyond its members and its seal.
    ///
    /// # Errors
    /// The first claim that the document does not support.
    fn check_claims(&self) -> Result<(), SealError> {
        Ok(())
    }
}

/// A document whose seal was opened: the signature is strict, the key trusted at the time of issue. The only
/// maker is [`open`], so that what takes this type cannot be handed a forgery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified<T> {
    document: T,
    signature: Signature,
}

impl<T> Verified<T> {
    /// The document.
    #[must_use]
    pub fn document(&self) -> &T {
        &self.document
    }

    /// The document, out of its proof.
    #[must_use]
    pub fn into_document(self) -> T {
        self.document
    }

    /// The id of the trusted key that signed it.
    #[must_use]
    pub fn key_id(&self) -> &str {
        &self.signature.key_id
    }

    /// The digest of what was signed.
    #[must_use]
    pub fn payload_sha256(&self) -> Digest {
        self.signature.payload_sha256
    }

    /// Whether the public test key signed it, which anybody can do.
    #[must_use]
    pub fn is_by_test_key(&self) -> bool {
        self.signature.public_key.bytes() == SigningKey::test_key().public_key().as_bytes()
    }
}

impl<T> Deref for Verified<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.document
    }
}

/// Opens the seal of a document. No other function makes a [`Verified`].
///
/// # Errors
/// The first reason to refuse it: not JSON, a member twice, not the members of `T`, a digest or signature that
/// does not fit, a key that is not trusted at the time of issue, an unsupported claim.
pub fn open<T: SealedDocument>(text: &str, keys: &TrustedKeys) -> Result<Verified<T>, SealError> {
    open_value(&parse(text)?, keys)
}

/// Opens the seal of a document that is read already; see [`open`].
///
/// # Errors
/// As [`open`].
pub fn open_value<T: SealedDocument>(value: &Value, keys: &TrustedKeys) -> Result<Verified<T>, SealError> {
    let document: T = from_value(value)?;
    let signature = read_signature(value)?;
    let payload = payload(value, &signature)?;
    check_digest(&payload, &signature)?;
    check_signature(&payload, &signature)?;
    keys.check(&signature.key_id, signature.public_key.bytes(), document.issued_at())?;
    document.check_claims()?;
    Ok(Verified { document, signature })
}

/// Seals a JSON object: sets its member `signature`, replacing any other.
///
/// # Errors
/// If it is no object, or holds a number that cannot be signed.
pub fn seal_value(document: &Value, key: &SigningKey, key_id: &str) -> Result<Value, SealError> {
    let payload = canonical_without(document, SIGNATURE_MEMBER)?;
    let signature = Signature {
        algorithm: String::from(ALGORITHM),
        canonicalization: String::from(CANONICALIZATION),
        key_id: String::from(key_id),
        public_key: Hex::new(*key.public_key().as_bytes()),
        value: Hex::new(key.sign(payload.as_bytes())),
        payload_sha256: Digest::of(payload.as_bytes()),
    };
    let mut sealed = document.clone();
    let members = sealed.as_object_mut().ok_or_else(|| not_an_object(document))?;
    members.insert(SIGNATURE_MEMBER, typed(&signature)?);
    Ok(sealed)
}

/// Seals a typed draft, and gives the sealed document as its own type.
///
/// # Errors
/// If the draft cannot be written as JSON, signed, or read back as `T`.
pub fn seal<D: Serialize, T: SealedDocument>(
    draft: &D,
    key: &SigningKey,
    key_id: &str,
) -> Result<T, SealError> {
    let document: T = from_value(&seal_value(&typed(draft)?, key, key_id)?)?;
    document.check_claims()?;
    Ok(document)
}

/// Reads the member `signature`.
pub(crate) fn read_signature(document: &Value) -> Result<Signature, SealError> {
    let member = document.get(SIGNATURE_MEMBER).ok_or_else(|| {
        SealError::new(Reason::SchemaInvalid, "at ``: missing field `signature`; the document is not sealed")
    })?;
    from_value(member).map_err(|ShapeError { pointer, message }| {
        ShapeError { pointer: format!("/{SIGNATURE_MEMBER}{pointer}"), message }.into()
    })
}

/// What the signature is over: the canonical text of the document without it.
pub(crate) fn payload(document: &Value, signature: &Signature) -> Result<String, SealError> {
    if signature.canonicalization != CANONICALIZATION {
        let detail = format!("`{}`, where only `{CANONICALIZATION}` is read", signature.canonicalization);
        return Err(SealError::new(Reason::CanonicalizationUnsupported, detail));
    }
    Ok(canonical_without(document, SIGNATURE_MEMBER)?)
}

/// Whether the payload has the digest that the signature states.
pub(crate) fn check_digest(payload: &str, signature: &Signature) -> Result<(), SealError> {
    let found = Digest::of(payload.as_bytes());
    if found == signature.payload_sha256 {
        return Ok(());
    }
    let detail = format!("the document hashes to {found}, its signature states {}", signature.payload_sha256);
    Err(SealError::new(Reason::PayloadDigestMismatch, detail))
}

/// Whether the signature is over the payload, by the key that the document names.
pub(crate) fn check_signature(payload: &str, signature: &Signature) -> Result<(), SealError> {
    if signature.algorithm != ALGORITHM {
        let detail = format!("`{}`, where only `{ALGORITHM}` is read", signature.algorithm);
        return Err(SealError::new(Reason::SignatureAlgorithmUnsupported, detail));
    }
    let refused = |detail: &str| SealError::new(Reason::SignatureInvalid, detail);
    let key = PublicKey::from_bytes(signature.public_key.bytes())
        .map_err(|_| refused("`signature.public_key` is no key that a signature can be checked against"))?;
    if key.verifies(payload.as_bytes(), signature.value.bytes()) {
        return Ok(());
    }
    Err(refused("the signature is not this key's over this document"))
}

/// Whether the reader trusts the key for what was issued at this time.
pub(crate) fn check_trust(keys: &TrustedKeys, signature: &Signature, issued: Time) -> Result<(), SealError> {
    keys.check(&signature.key_id, signature.public_key.bytes(), issued)
}

fn typed<T: Serialize>(value: &T) -> Result<Value, SealError> {
    to_value(value).map_err(|error| SealError::new(Reason::SchemaInvalid, error.to_string()))
}

fn not_an_object(document: &Value) -> SealError {
    let detail = format!("at ``: {} cannot be sealed, an object is expected", document.type_name());
    SealError::new(Reason::SchemaInvalid, detail)
}
