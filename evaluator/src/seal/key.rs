//! Ed25519 keys (RFC 8032). A private key must never be printed, and lenient or batch verification must not
//! be used: they accept signatures that other implementations refuse.

use super::pkcs8;
use crate::hash::{read_hex, write_hex};
use alloc::string::String;
use core::fmt;
use core::str::FromStr;
use ed25519_dalek::{Signature, Signer, VerifyingKey};
use zeroize::Zeroizing;

/// The id of the public test key: the first key of RFC 8032, section 7.1. Its private half is in the RFC,
/// so that a signature by it says nothing about who signed.
pub const TEST_KEY_ID: &str = "provely-test-key-1";

/// The seed of the test key.
const TEST_SEED: [u8; 32] = [
    0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44,
    0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
];

/// A private key. It is wiped from memory when dropped, and prints only its public half.
#[derive(Clone)]
pub struct SigningKey(ed25519_dalek::SigningKey);

impl SigningKey {
    /// The key that grows from this seed of RFC 8032, section 5.1.5. The seed must come from a random source.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// The public test key, [`TEST_KEY_ID`].
    #[must_use]
    pub fn test_key() -> Self {
        Self::from_seed(&TEST_SEED)
    }

    /// Its public half.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// The signature of these bytes.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }

    /// The PEM text that OpenSSL reads and writes: PKCS#8 version 1 (RFC 8410).
    #[must_use]
    pub fn to_pem(&self) -> Zeroizing<String> {
        pkcs8::private_pem(self.0.as_bytes())
    }

    /// Reads PKCS#8 version 1 in PEM.
    ///
    /// # Errors
    /// If the text is anything else.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        pkcs8::read_private_pem(text).map(|seed| Self::from_seed(&seed)).ok_or(KeyError::PrivateKeyMalformed)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SigningKey(public {})", self.public_key())
    }
}

/// A public key that signatures are checked against. Its text is 64 hexadecimal digits in small letters.
///
/// Keys of small order, which verify anything, and second encodings of a key are refused.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// The key with this encoding.
    ///
    /// # Errors
    /// If the bytes are no point, one of small order, or not the canonical encoding.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        VerifyingKey::from_bytes(bytes)
            .ok()
            .filter(|key| !key.is_weak() && VerifyingKey::from(key.to_edwards()).as_bytes() == bytes)
            .map(Self)
            .ok_or(KeyError::PublicKeyMalformed)
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Whether this is the public test key, whose private half everybody knows.
    #[must_use]
    pub fn is_test_key(&self) -> bool {
        *self == SigningKey::test_key().public_key()
    }

    /// Whether the signature is this key's over these bytes. Strict: S below the group order, no point of
    /// small order, canonical encodings.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.0.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }

    /// The PEM text that OpenSSL reads and writes: SubjectPublicKeyInfo (RFC 8410).
    #[must_use]
    pub fn to_pem(&self) -> String {
        pkcs8::public_pem(self.as_bytes())
    }

    /// Reads SubjectPublicKeyInfo in PEM.
    ///
    /// # Errors
    /// If the text is anything else, or the key is refused by [`PublicKey::from_bytes`].
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        Self::from_bytes(&pkcs8::read_public_pem(text).ok_or(KeyError::PublicKeyMalformed)?)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(out, self.as_bytes())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        Self::from_bytes(&read_hex(text).ok_or(KeyError::PublicKeyMalformed)?)
    }
}

/// Why a text is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// Not a private key in PKCS#8 version 1.
    PrivateKeyMalformed,
    /// Not a public key, or one that must not be trusted.
    PublicKeyMalformed,
}

impl fmt::Display for KeyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            KeyError::PrivateKeyMalformed => {
                "private_key_malformed: an Ed25519 key in PKCS#8 PEM is expected, as `openssl genpkey -algorithm \
                 ed25519` writes it"
            }
            KeyError::PublicKeyMalformed => {
                "public_key_malformed: an Ed25519 public key of large order is expected, as 64 hexadecimal digits \
                 in small letters or in PEM"
            }
        })
    }
}

impl core::error::Error for KeyError {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    const TEST_PUBLIC: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

    #[test]
    fn the_test_key_is_the_first_of_rfc_8032() {
        let key = SigningKey::test_key();
        assert_eq!(key.public_key().to_string(), TEST_PUBLIC);
        assert!(key.public_key().is_test_key());
        let mut signature = String::new();
        write_hex(&mut signature, &key.sign(b"")).unwrap();
        assert!(signature.starts_with("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"));
        assert!(key.public_key().verifies(b"", &key.sign(b"")));
        assert!(!key.public_key().verifies(b"x", &key.sign(b"")));
    }

    #[test]
    fn debug_shows_no_private_byte() {
        assert_eq!(format!("{:?}", SigningKey::test_key()), format!("SigningKey(public {TEST_PUBLIC})"));
    }

    #[test]
    fn keys_that_verify_anything_are_refused() {
        let p_plus_one = "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
        let cases = [
            "0100000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            p_plus_one,
            &TEST_PUBLIC.to_uppercase(),
            "",
        ];
        for text in cases {
            assert_eq!(text.parse::<PublicKey>(), Err(KeyError::PublicKeyMalformed), "{text}");
        }
    }

    #[test]
    fn second_encodings_are_refused() {
        // y = 3 and y = 3 + p are one point.
        let low = "0300000000000000000000000000000000000000000000000000000000000000";
        let high = "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
        assert!(low.parse::<PublicKey>().is_ok());
        assert_eq!(high.parse::<PublicKey>(), Err(KeyError::PublicKeyMalformed));
    }
}
