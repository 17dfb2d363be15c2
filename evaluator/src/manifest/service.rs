//! What a manifest says about the provider: versions, encodings, webhook signatures, lifecycles. Data for the
//! runtime and the pages; no provider is named in code.

use crate::contract::StateClass;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A service, by id and by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ServiceName {
    /// The id, first part of every contract id.
    pub id: String,
    /// The name for people.
    pub title: String,
}

/// Which versions of the API are covered, and how one is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VersionRule {
    /// The header that names the version; absent where the base URL or nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// How versions are written and ordered, such as `date`, `date_name`, `month` or `semver`.
    pub scheme: String,
    /// The version that the verifier reads with where the connection pins none.
    pub default: String,
    /// The versions whose semantics are proven.
    pub range: VersionRange,
}

/// A closed range of versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VersionRange {
    /// The first.
    pub from: String,
    /// The last.
    pub to: String,
}

/// How request bodies are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BodyEncoding {
    /// `application/json`
    Json,
    /// `application/x-www-form-urlencoded`
    Form,
}

/// How a webhook is signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WebhookSignature {
    /// The header that carries the signature.
    pub header: String,
    /// How the header is taken apart; absent: its value is one signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<SignatureParts>,
    /// What stands before each signature, such as `sha256=`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// The header that carries the time, where it is not a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp_header: Option<String>,
    /// The header that carries the id of the delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_header: Option<String>,
    /// What is signed: text with `{t}` (time), `{id}` (delivery) and `{body}` (raw bytes).
    pub signed: String,
    /// How the time is counted; absent where none is signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp_unit: Option<TimestampUnit>,
    /// The digest.
    pub digest: WebhookDigest,
    /// How the signature is written.
    pub encoding: SignatureEncoding,
    /// How the secret becomes a key.
    pub secret: WebhookSecret,
    /// How far the signed time may lie from the receiver's, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance_seconds: Option<u64>,
    /// Whether several secrets may be active at once.
    #[serde(default)]
    pub several_secrets: bool,
}

/// How a signature header is taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SignatureParts {
    /// What stands between parts.
    pub separator: String,
    /// What stands between the name of a part and its value.
    pub assign: String,
    /// The name of the part with the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The name of the parts with a signature; one that fits is enough.
    pub signature: String,
    /// What to do with parts of another name.
    pub others: OtherParts,
}

/// What to do with parts that nobody named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OtherParts {
    /// Pass over them.
    Ignore,
    /// Refuse the delivery.
    Refuse,
}

/// The unit of a time stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TimestampUnit {
    /// Seconds since 1970.
    Seconds,
    /// Milliseconds since 1970.
    Milliseconds,
}

/// The digest of a webhook signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum WebhookDigest {
    /// HMAC (RFC 2104) with SHA-256.
    #[serde(rename = "hmac-sha256")]
    HmacSha256,
}

/// How a webhook signature is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SignatureEncoding {
    /// Hexadecimal digits.
    Hex,
    /// Base64 (RFC 4648, section 4).
    Base64,
}

/// How the secret that the provider shows becomes a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WebhookSecret {
    /// How every secret begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Which bytes are the key.
    pub key: SecretKey,
}

/// Which bytes of a secret are the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SecretKey {
    /// The text as it is shown, prefix included.
    Whole,
    /// The text after the prefix, read as base64.
    Base64,
}

/// The states of one kind of record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LifecycleFacts {
    /// `service.resource`.
    pub name: String,
    /// JSON pointer from a record to its state.
    pub field: String,
    /// The states, in the order of the source.
    pub states: Vec<StateFacts>,
}

/// What is known of one state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StateFacts {
    /// The state as the provider writes it.
    pub name: String,
    /// Its class.
    pub class: StateClass,
    /// A success that may still turn into a failure.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub reversible: bool,
    /// How sure the class is.
    pub certainty: Certainty,
    /// What the state means, in words.
    pub meaning: String,
    /// The assertions that the class rests on.
    pub assertions: Vec<String>,
}

/// How sure the class of a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// A passage about this state says it.
    Documented,
    /// A person answered, citing an assertion.
    Reviewed,
    /// Only the name suggests it.
    Lexical,
    /// Nobody says.
    Unknown,
}

impl Certainty {
    /// Whether a class that is this sure counts as certain.
    #[must_use]
    pub const fn is_certain(self) -> bool {
        match self {
            Self::Documented | Self::Reviewed => true,
            Self::Lexical | Self::Unknown => false,
        }
    }
}
