//! The service file: addresses, versions, what to publish, and wording. Holds it; a state's class, a
//! condition, a match, a verdict or a timing has no member here and is refused.

use std::collections::BTreeMap;

use provely_evaluator::contract::Channel;
use provely_model::{SecretEncoding, SignatureDigest, SignatureScheme, SignatureText, VersionRule};
use serde::{Deserialize, Serialize};

use super::SourceKind;

/// `service.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceFile {
    /// Short id.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// The sources.
    #[serde(default)]
    pub sources: Vec<SourceEntry>,
    /// Where requests go.
    #[serde(default)]
    pub base_url: Option<String>,
    /// The path that GraphQL documents go to, `/graphql` where it is left out.
    #[serde(default)]
    pub graphql_path: Option<String>,
    /// The header that names the version.
    #[serde(default)]
    pub version_header: Option<VersionHeader>,
    /// The version that the sources describe.
    #[serde(default)]
    pub default_version: Option<String>,
    /// The versions that the sources hold for.
    #[serde(default)]
    pub version_range: Option<VersionRange>,
    /// How webhooks are signed.
    #[serde(default)]
    pub signature: Option<SignatureFile>,
    /// The header of a delivery that carries the event's id, where the event itself does not.
    #[serde(default)]
    pub event_id_header: Option<String>,
    /// The header of a delivery that carries the event's type, where the event itself does not: its body is the
    /// record alone.
    #[serde(default)]
    pub event_type_header: Option<String>,
    /// Channels beyond the provider's own.
    #[serde(default)]
    pub channels: ChannelDeclarations,
    /// What to publish.
    #[serde(default)]
    pub publish: Vec<Publication>,
    /// Display ids and wording.
    #[serde(default)]
    pub names: Names,
}

impl ServiceFile {
    /// How versions are named and sent, if a default version is given.
    #[must_use]
    pub fn version(&self) -> Option<VersionRule> {
        let default = self.default_version.clone()?;
        let range = self.version_range.clone();
        let (from, to) =
            range.map_or_else(|| (default.clone(), default.clone()), |range| (range.from, range.to));
        let header = self.version_header.as_ref().map(|header| header.name.clone());
        Some(VersionRule { header, default, from, to })
    }
}

/// One entry of the list of sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceEntry {
    /// Id.
    pub id: String,
    /// Path beside the service file.
    pub path: String,
    /// What it is.
    pub kind: SourceKind,
    /// Where it was read.
    #[serde(default)]
    pub url: Option<String>,
    /// Day of retrieval.
    #[serde(default)]
    pub retrieved: Option<String>,
    /// How an excerpt was made.
    #[serde(default)]
    pub excerpt: Option<String>,
    /// The versions that the source holds for; absent: all of the service's.
    #[serde(default)]
    pub versions: Option<VersionRange>,
}

/// The header that names the version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionHeader {
    /// Its name.
    pub name: String,
}

/// The versions that the sources hold for, both ends included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionRange {
    /// Oldest.
    pub from: String,
    /// Newest.
    pub to: String,
}

impl VersionRange {
    /// The range as contracts write it: `>=A <=B`, or the one version.
    #[must_use]
    pub fn text(&self) -> String {
        if self.from == self.to { self.to.clone() } else { format!(">={} <={}", self.from, self.to) }
    }
}

/// Channels that only a person can declare.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelDeclarations {
    /// Independent systems of record.
    #[serde(default)]
    pub e4: Vec<Channel>,
    /// Physical or contractual completion.
    #[serde(default)]
    pub e5: Vec<Channel>,
}

/// One operation to publish contracts for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    /// `METHOD /path`.
    pub operation: String,
    /// Completion levels; empty: all.
    #[serde(default)]
    pub levels: Vec<String>,
}

/// Display ids and wording, each under the generated id that it replaces.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Names {
    /// Contracts.
    pub contracts: BTreeMap<String, RuleName>,
    /// What completion levels say.
    pub levels: BTreeMap<String, String>,
    /// Conditions.
    pub conditions: BTreeMap<String, RuleName>,
    /// Rules of the verdict map.
    pub rules: BTreeMap<String, RuleName>,
    /// Channels.
    pub channels: BTreeMap<String, RuleName>,
    /// What states say.
    pub states: BTreeMap<String, String>,
}

/// A display id and its wording; contracts use all, the rest id and text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleName {
    /// Display id.
    pub id: Option<String>,
    /// Wording.
    pub text: Option<String>,
    /// Title of a contract.
    pub title: Option<String>,
    /// Intent of a contract.
    pub intent: Option<String>,
    /// Promise of a contract.
    pub promise: Option<String>,
}

/// How webhooks are signed, in the terms of the vendor's page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureFile {
    /// Header that carries the signatures.
    pub header: String,
    /// How the header is split; absent: the signature stands alone.
    #[serde(default)]
    pub parts: Option<SignatureParts>,
    /// What is signed, with the parts' names, `{id}` and `{body}` in braces.
    pub signed: String,
    /// Unit of the time stamp.
    #[serde(default)]
    pub timestamp_unit: Option<TimestampUnit>,
    /// Keyed digest.
    pub digest: DigestName,
    /// Encoding of the digest.
    pub encoding: SecretEncoding,
    /// How the secret becomes the key.
    #[serde(default)]
    pub secret: SecretRule,
    /// Header of the time stamp, if it stands apart.
    #[serde(default)]
    pub timestamp_header: Option<String>,
    /// Header of the delivery's id.
    #[serde(default)]
    pub id_header: Option<String>,
    /// Largest age and skew, in seconds.
    #[serde(default)]
    pub tolerance_seconds: Option<u32>,
    /// Several secrets can be valid at once.
    #[serde(default)]
    pub several_secrets: bool,
}

/// How a signature header is split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureParts {
    /// Between two parts.
    pub separator: String,
    /// Between name and value.
    pub assign: String,
    /// Name of the time stamp, if it stands in this header.
    #[serde(default)]
    pub timestamp: Option<String>,
    /// Name of a signature.
    pub signature: String,
    /// What to do with parts of other names.
    #[serde(default)]
    pub others: OtherParts,
}

/// What to do with parts of other names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OtherParts {
    /// Skip them.
    #[default]
    Ignore,
}

/// Unit of a signed time stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimestampUnit {
    /// Seconds since the Unix epoch.
    Seconds,
}

/// Names of keyed digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DigestName {
    /// HMAC with SHA-256.
    #[serde(rename = "hmac-sha256", alias = "hmac_sha256")]
    HmacSha256,
}

/// How the secret becomes the key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SecretRule {
    /// Text in front of every secret.
    pub prefix: Option<String>,
    /// Which part is the key.
    pub key: SecretKey,
}

/// Which part of a secret is the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretKey {
    /// The whole text.
    #[default]
    Whole,
    /// What base64 gives after the prefix.
    Base64,
    /// What hexadecimal gives after the prefix.
    Hex,
}

impl SignatureFile {
    /// The scheme as the model states it.
    #[must_use]
    pub fn scheme(&self) -> SignatureScheme {
        let key = match self.secret.key {
            SecretKey::Whole => SecretEncoding::Raw,
            SecretKey::Base64 => SecretEncoding::Base64,
            SecretKey::Hex => SecretEncoding::Hex,
        };
        let digest = match self.digest {
            DigestName::HmacSha256 => SignatureDigest::HmacSha256,
        };
        let decoded = self.secret.key != SecretKey::Whole;
        SignatureScheme {
            header: self.header.clone(),
            text: self.text(),
            signed: self.signed_text(),
            digest,
            encoding: self.encoding,
            key,
            key_prefix: if decoded { self.secret.prefix.clone() } else { None },
            timestamp_header: self.timestamp_header.clone(),
            id_header: self.id_header.clone(),
            tolerance_seconds: self.tolerance_seconds,
        }
    }

    fn text(&self) -> SignatureText {
        match &self.parts {
            None => SignatureText::Plain { prefix: None },
            Some(SignatureParts { timestamp: Some(timestamp), signature, .. }) => {
                SignatureText::Pairs { timestamp: timestamp.clone(), signature: signature.clone() }
            }
            Some(parts) => SignatureText::Listed { version: parts.signature.clone() },
        }
    }

    /// `{t}` in the vendor's terms is `{timestamp}` in the model's.
    fn signed_text(&self) -> String {
        let name = self.parts.as_ref().and_then(|parts| parts.timestamp.as_ref());
        name.map_or_else(
            || self.signed.clone(),
            |name| self.signed.replace(&format!("{{{name}}}"), "{timestamp}"),
        )
    }
}
