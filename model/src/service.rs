//! The service as a whole: address, versions, webhook signatures, operations and resources.

use serde::{Deserialize, Serialize};

use crate::{Operation, Resource};

/// The compiled model of one service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    /// Short id, used in contract ids.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// Where requests go.
    pub base_url: Option<String>,
    /// How versions are named and sent.
    pub version: Option<VersionRule>,
    /// How webhooks are signed.
    pub signature: Option<SignatureScheme>,
    /// Everything that can be asked.
    pub operations: Vec<Operation>,
    /// Every record type.
    pub resources: Vec<Resource>,
}

impl Service {
    /// The operation of that id.
    #[must_use]
    pub fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.id == id)
    }

    /// The resource of that name.
    #[must_use]
    pub fn resource(&self, name: &str) -> Option<&Resource> {
        self.resources.iter().find(|resource| resource.name == name)
    }
}

/// How versions are named and sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionRule {
    /// Request header that names the version.
    #[serde(default)]
    pub header: Option<String>,
    /// The version that the sources describe.
    pub default: String,
    /// Oldest version that the sources hold for.
    pub from: String,
    /// Newest version that the sources hold for.
    pub to: String,
}

/// How webhooks are signed, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureScheme {
    /// Header that carries the signatures.
    pub header: String,
    /// How the header is written.
    pub text: SignatureText,
    /// What is signed, with `{timestamp}`, `{id}` and `{body}`.
    pub signed: String,
    /// Keyed digest.
    pub digest: SignatureDigest,
    /// Encoding of the digest in the header.
    pub encoding: SecretEncoding,
    /// How the secret becomes the key.
    pub key: SecretEncoding,
    /// Text in front of the secret that is not part of an encoded key.
    #[serde(default)]
    pub key_prefix: Option<String>,
    /// Header that carries the time stamp, if it is not in the signature header.
    #[serde(default)]
    pub timestamp_header: Option<String>,
    /// Header that carries the delivery's id.
    #[serde(default)]
    pub id_header: Option<String>,
    /// Largest age and largest skew into the future, in seconds; absent: no time stamp is signed.
    #[serde(default)]
    pub tolerance_seconds: Option<u32>,
}

/// How a signature header is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "style", deny_unknown_fields)]
pub enum SignatureText {
    /// `t=1,v1=ab,v1=cd`.
    Pairs {
        /// Name of the time stamp.
        timestamp: String,
        /// Name of a signature.
        signature: String,
    },
    /// `v1,base64 v1,base64`.
    Listed {
        /// Version in front of the comma.
        version: String,
    },
    /// The signature alone, after an optional prefix such as `sha256=`.
    Plain {
        /// The prefix.
        #[serde(default)]
        prefix: Option<String>,
    },
}

/// Keyed digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignatureDigest {
    /// HMAC with SHA-256.
    HmacSha256,
}

/// How bytes are written as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretEncoding {
    /// Hexadecimal.
    Hex,
    /// Base64.
    Base64,
    /// The text itself.
    Raw,
}

/// One fact of one source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Assertion {
    /// `source#pointer` or `source#heading/p1`.
    pub id: String,
    /// The source's id.
    pub source: String,
}
