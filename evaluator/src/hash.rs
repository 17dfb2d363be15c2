//! SHA-256 digests and their hexadecimal form. It must not decide what is hashed in which form beyond the two
//! rules named here.

use crate::canonical::{CanonicalError, canonical, canonical_exact};
use crate::json::Value;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;
use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use sha2::Digest as _;

/// A SHA-256 digest (FIPS 180-4). Its text is 64 hexadecimal digits in small letters and nothing else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The digest of an observation: of its [`canonical_exact`] text, so that no digit is lost.
    #[must_use]
    pub fn of_observation(value: &Value) -> Self {
        Self::of(canonical_exact(value).as_bytes())
    }

    /// The digest of the canonical text of `document` without its member `left_out`: a contract without
    /// `hash`, a sealed document without `signature`.
    ///
    /// # Errors
    /// If the document holds a number that [`canonical`] refuses.
    pub fn of_document(document: &Value, left_out: &str) -> Result<Self, CanonicalError> {
        canonical_without(document, left_out).map(|text| Self::of(text.as_bytes()))
    }

    /// Takes bytes that are a digest already.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The text.
    #[must_use]
    pub fn to_hex(&self) -> String {
        self.to_string()
    }
}

/// The canonical text of `document` without one member.
pub(crate) fn canonical_without(document: &Value, left_out: &str) -> Result<String, CanonicalError> {
    let mut copy = document.clone();
    if let Some(object) = copy.as_object_mut() {
        object.remove(left_out);
    }
    canonical(&copy)
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(out, &self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// The text is no digest: not 64 hexadecimal digits in small letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigestError;

impl fmt::Display for DigestError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("digest_malformed: a SHA-256 digest is 64 hexadecimal digits in small letters")
    }
}

impl core::error::Error for DigestError {}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        read_hex(text).map(Self).ok_or(DigestError)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Digest {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Digest".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "SHA-256, 64 hexadecimal digits in small letters"
        })
    }
}

/// Writes bytes as hexadecimal digits in small letters.
pub(crate) fn write_hex(out: &mut impl fmt::Write, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
}

/// Reads exactly `N` bytes from hexadecimal digits in small letters; other spellings are refused, because a
/// second spelling of a signed value is a second document.
pub(crate) fn read_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = nibble(*high)? << 4 | nibble(*low)?;
    }
    Some(bytes)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn hashes_the_published_vector() {
        assert_eq!(Digest::of(b"abc").to_hex(), ABC);
        assert_eq!(ABC.parse::<Digest>(), Ok(Digest::of(b"abc")));
    }

    #[test]
    fn has_one_spelling() {
        for text in
            ["", "ba78", &ABC.to_uppercase(), &ABC[..63], &ABC.replace('b', "g"), &(ABC.to_string() + "00")]
        {
            assert_eq!(text.parse::<Digest>(), Err(DigestError), "{text}");
        }
        let quoted = alloc::format!("\"{ABC}\"");
        let read: Digest = serde_json::from_str(&quoted).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), quoted);
    }

    #[test]
    fn documents_are_hashed_without_one_member() {
        let with = parse(r#"{"b":1,"hash":"x","a":[]}"#).unwrap();
        assert_eq!(Digest::of_document(&with, "hash").unwrap(), Digest::of(br#"{"a":[],"b":1}"#));
        assert!(with.get("hash").is_some(), "the document itself stays");
        assert!(Digest::of_document(&parse("[1.5]").unwrap(), "hash").is_err());
        assert_eq!(Digest::of_observation(&parse("[1.50]").unwrap()), Digest::of(b"[1.5]"));
    }
}
