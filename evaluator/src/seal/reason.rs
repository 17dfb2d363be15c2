//! The closed list of reasons why a sealed document is refused. The codes are shared with every other
//! language; a code must never change its meaning.

use crate::canonical::{CanonicalCode, CanonicalError};
use crate::json::{ParseCode, ParseError, ShapeError};
use alloc::string::{String, ToString};
use core::fmt;

macro_rules! reasons {
    ($($(#[$doc:meta])+ $name:ident => $code:literal,)+) => {
        /// Why a sealed document is refused, or that it is not. [`Reason::as_str`] is the stable code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason {
            $($(#[$doc])+ $name,)+
        }

        impl Reason {
            /// Every reason, in the order in which the checks can find it.
            pub const ALL: &'static [Reason] = &[$(Reason::$name,)+];

            /// The stable code.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Reason::$name => $code,)+
                }
            }
        }
    };
}

reasons! {
    /// The text is not JSON (RFC 8259).
    MalformedJson => "malformed_json",
    /// An object names a member twice.
    DuplicateMember => "duplicate_member",
    /// The document does not have the members that its schema asks for, or has others.
    SchemaInvalid => "schema_invalid",
    /// The contract hash is not 64 hexadecimal digits in small letters.
    ContractHashMalformed => "contract_hash_malformed",
    /// The contract at hand is not the one that the receipt names.
    ContractHashMismatch => "contract_hash_mismatch",
    /// `signature.canonicalization` is not `jcs`.
    CanonicalizationUnsupported => "canonicalization_unsupported",
    /// An integer lies beyond 2^53 - 1.
    UnsafeInteger => "unsafe_integer",
    /// A number has a fraction or an exponent.
    DecimalNumber => "decimal_number",
    /// The document does not hash to `signature.payload_sha256`.
    PayloadDigestMismatch => "payload_digest_mismatch",
    /// `signature.algorithm` is not `ed25519`.
    SignatureAlgorithmUnsupported => "signature_algorithm_unsupported",
    /// The signature does not verify against the public key, strictly.
    SignatureInvalid => "signature_invalid",
    /// The trusted keys do not map the key id to the public key.
    KeyNotTrusted => "receipt_key_not_trusted",
    /// The key is trusted, but not for the time at which the document was issued.
    KeyNotValidAtIssue => "receipt_key_not_valid_at_issue",
    /// VERIFIED without an evidence level above E0.
    EvidenceLevelInsufficient => "evidence_level_insufficient",
    /// VERIFIED without an observation.
    ObservationMissing => "observation_missing",
    /// A level is declared that no observation carries.
    EvidenceLevelNotObserved => "evidence_level_not_observed",
    /// A VERIFIED component names no channel.
    ComponentChannelMissing => "component_channel_missing",
    /// VERIFIED with a component that is not.
    ComponentNotVerified => "component_not_verified",
    /// The bytes are not our own printing of the document (manifests alone).
    PrintingDiffers => "printing_differs",
    /// Every check passed.
    SignatureValid => "signature_valid",
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// Why a seal cannot be made or opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealError {
    /// The reason.
    pub reason: Reason,
    /// Where, and what to do about it.
    pub detail: String,
}

impl SealError {
    pub(crate) fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }
}

impl fmt::Display for SealError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.reason, self.detail)
    }
}

impl core::error::Error for SealError {}

impl From<ParseError> for SealError {
    fn from(error: ParseError) -> Self {
        let reason = match error.code {
            ParseCode::DuplicateMember => Reason::DuplicateMember,
            ParseCode::UnexpectedEnd
            | ParseCode::UnexpectedCharacter
            | ParseCode::InvalidNumber
            | ParseCode::InvalidEscape
            | ParseCode::ControlCharacter
            | ParseCode::TooDeep
            | ParseCode::TrailingText => Reason::MalformedJson,
        };
        Self::new(reason, error.to_string())
    }
}

impl From<ShapeError> for SealError {
    fn from(error: ShapeError) -> Self {
        let ShapeError { pointer, message } = error;
        Self::new(Reason::SchemaInvalid, alloc::format!("at `{pointer}`: {message}"))
    }
}

impl From<CanonicalError> for SealError {
    fn from(error: CanonicalError) -> Self {
        let reason = match error.code {
            CanonicalCode::UnsafeInteger => Reason::UnsafeInteger,
            CanonicalCode::DecimalNumber | CanonicalCode::NumberOutOfRange => Reason::DecimalNumber,
        };
        Self::new(reason, error.to_string())
    }
}
