//! The signed manifest of a skill package: what is proven for a service, how well, and from which sources.
//! Plain data with one printing; nothing here compiles, scores or reads files.

mod proof;
#[cfg(feature = "schema")]
mod schema;
mod service;
#[cfg(test)]
mod tests;

pub use proof::{
    BenchmarkEntry, Cap, Certification, ClassResult, Conformance, ContractEntry, Dimension, FileEntry,
    Points, PointsError, RanAgainst, Score, SourceEntry,
};
#[cfg(feature = "schema")]
pub use schema::manifest_schema;
pub use service::{
    BodyEncoding, Certainty, LifecycleFacts, OtherParts, SecretKey, ServiceName, SignatureEncoding,
    SignatureParts, StateFacts, TimestampUnit, VersionRange, VersionRule, WebhookDigest, WebhookSecret,
    WebhookSignature,
};

use crate::contract::ItemTest;
use crate::seal::{
    Reason, SealError, SealState, SealedDocument, Signature, SigningKey, TrustedKeys, Unsigned, Verified,
    open, seal,
};
use crate::time::Time;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The schema version that this crate reads and writes.
pub const MANIFEST_SCHEMA_VERSION: &str = "1.0.0";

/// A manifest that is not sealed yet.
pub type ManifestDraft = Manifest<Unsigned>;

/// The manifest of a skill package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Manifest"))]
#[serde(deny_unknown_fields)]
#[serde(bound(serialize = "S: Serialize + SealState"))]
pub struct Manifest<S = Signature> {
    /// Version of this document format, `1.0.0`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = MANIFEST_SCHEMA_VERSION)))]
    pub schema_version: String,
    /// The service.
    pub service: ServiceName,
    /// The version of the package.
    pub skill_version: String,
    /// The version of the compiler.
    pub compiler_version: String,
    /// When the package was compiled; the key must be valid at this time.
    pub compiled_at: Time,
    /// Where the API lives; a connection may replace it.
    pub base_url: String,
    /// Which versions of the API, and how one is asked for.
    pub version: VersionRule,
    /// How request bodies are written.
    pub body_encoding: BodyEncoding,
    /// Tests on a reply (rooted at `@`): where one holds, the reply is a failure whatever its status.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_band_failure: Vec<ItemTest>,
    /// How the provider signs what it sends; absent where it sends nothing signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook_signature: Option<WebhookSignature>,
    /// The least that the verifier's credential must be allowed to read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_scopes: Vec<String>,
    /// What the facts come from.
    pub sources: Vec<SourceEntry>,
    /// The states of each kind of record.
    pub lifecycles: Vec<LifecycleFacts>,
    /// Every other file of the package.
    pub files: Vec<FileEntry>,
    /// The contracts of the package.
    pub contracts: Vec<ContractEntry>,
    /// How well the skill is proven.
    pub score: Score,
    /// What the conformance run found.
    pub conformance: Conformance,
    /// The figures of the benchmark, where the package keeps them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<BenchmarkEntry>,
    /// How many open questions bind a published contract.
    pub open_uncertainties: u32,
    /// The seal over everything else.
    #[serde(skip_serializing_if = "SealState::is_unsigned")]
    pub signature: S,
}

impl SealedDocument for Manifest {
    fn issued_at(&self) -> Time {
        self.compiled_at
    }

    fn check_claims(&self) -> Result<(), SealError> {
        if self.schema_version == MANIFEST_SCHEMA_VERSION {
            return Ok(());
        }
        let found = &self.schema_version;
        let detail =
            format!("at `/schema_version`: `{found}`, where only `{MANIFEST_SCHEMA_VERSION}` is read");
        Err(SealError::new(Reason::SchemaInvalid, detail))
    }
}

impl ManifestDraft {
    /// Signs the manifest.
    ///
    /// # Errors
    /// If it holds a number that cannot be signed.
    pub fn seal(&self, key: &SigningKey, key_id: &str) -> Result<Manifest, SealError> {
        seal(self, key, key_id)
    }
}

impl Manifest {
    /// The same without its seal, to be changed and sealed again.
    #[must_use]
    pub fn into_draft(self) -> ManifestDraft {
        Manifest {
            schema_version: self.schema_version,
            service: self.service,
            skill_version: self.skill_version,
            compiler_version: self.compiler_version,
            compiled_at: self.compiled_at,
            base_url: self.base_url,
            version: self.version,
            body_encoding: self.body_encoding,
            in_band_failure: self.in_band_failure,
            webhook_signature: self.webhook_signature,
            read_scopes: self.read_scopes,
            sources: self.sources,
            lifecycles: self.lifecycles,
            files: self.files,
            contracts: self.contracts,
            score: self.score,
            conformance: self.conformance,
            benchmark: self.benchmark,
            open_uncertainties: self.open_uncertainties,
            signature: Unsigned,
        }
    }

    /// The only printing of this manifest: JSON, two spaces, members in the order of the type, a line feed at
    /// the end.
    ///
    /// # Errors
    /// If a literal in it cannot be written, such as a decimal number.
    pub fn to_json(&self) -> Result<String, SealError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| SealError::new(Reason::SchemaInvalid, error.to_string()))?;
        Ok(text + "\n")
    }

    /// Opens the manifest of a package, whose bytes must be our own printing of it.
    ///
    /// # Errors
    /// As [`open`]; besides, [`Reason::PrintingDiffers`] for other bytes of the same document.
    pub fn open(text: &str, keys: &TrustedKeys) -> Result<Verified<Self>, SealError> {
        let manifest: Verified<Self> = open(text, keys)?;
        if manifest.to_json()? == text {
            return Ok(manifest);
        }
        let detail = "the manifest's bytes are not the compiler's printing of it; compile the package again";
        Err(SealError::new(Reason::PrintingDiffers, detail))
    }
}
