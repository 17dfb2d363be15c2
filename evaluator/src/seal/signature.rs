//! The member `signature` of a sealed document. It must hold its bytes in one spelling only.

use crate::hash::{Digest, read_hex, write_hex};
use alloc::format;
use alloc::string::String;
use core::fmt;
use serde::de::{self, Deserializer};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// The only algorithm that is read and written: Ed25519 (RFC 8032).
pub const ALGORITHM: &str = "ed25519";
/// The only canonical form that is read and written: RFC 8785.
pub const CANONICALIZATION: &str = "jcs";

/// A signature over the canonical text of the document that holds it, without this member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// Always `ed25519`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = ALGORITHM)))]
    pub algorithm: String,
    /// Always `jcs`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = CANONICALIZATION)))]
    pub canonicalization: String,
    /// Under which id the reader looks the key up.
    pub key_id: String,
    /// The public key. It proves nothing by itself: the reader's own map decides.
    pub public_key: Hex<32>,
    /// The signature.
    pub value: Hex<64>,
    /// SHA-256 of the canonical text.
    pub payload_sha256: Digest,
}

/// Whether a document is sealed, as a type: [`Signature`] or [`Unsigned`].
pub trait SealState {
    /// Whether the member `signature` is left out.
    fn is_unsigned(&self) -> bool;
}

/// In place of the signature of a document that is not sealed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Unsigned;

impl SealState for Signature {
    fn is_unsigned(&self) -> bool {
        false
    }
}

impl SealState for Unsigned {
    fn is_unsigned(&self) -> bool {
        true
    }
}

/// `N` bytes, written as hexadecimal digits in small letters; no other spelling is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hex<const N: usize>([u8; N]);

impl<const N: usize> Hex<N> {
    /// These bytes.
    #[must_use]
    pub const fn new(bytes: [u8; N]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; N] {
        &self.0
    }
}

impl<const N: usize> fmt::Display for Hex<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(out, &self.0)
    }
}

impl<const N: usize> fmt::Debug for Hex<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl<const N: usize> Serialize for Hex<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, const N: usize> Deserialize<'de> for Hex<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        read_hex(&text).map(Self).ok_or_else(|| {
            de::Error::custom(format!("{} hexadecimal digits in small letters are expected", 2 * N))
        })
    }
}

#[cfg(feature = "schema")]
impl<const N: usize> schemars::JsonSchema for Hex<N> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        format!("Hex{N}").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": format!("^[0-9a-f]{{{}}}$", 2 * N) })
    }
}
