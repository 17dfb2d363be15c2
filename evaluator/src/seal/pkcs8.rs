//! Ed25519 keys in the PEM of OpenSSL (RFC 8410, RFC 7468). One algorithm, so the DER is a fixed prefix; no
//! other key type or version must be read.

use alloc::string::String;
use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

/// OneAsymmetricKey, version 0, id-Ed25519, an octet string inside an octet string.
const PRIVATE: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
/// SubjectPublicKeyInfo, id-Ed25519, a bit string without unused bits.
const PUBLIC: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

const PRIVATE_LABEL: &str = "PRIVATE KEY";
const PUBLIC_LABEL: &str = "PUBLIC KEY";

pub(super) fn private_pem(seed: &[u8; 32]) -> Zeroizing<String> {
    let mut der = Zeroizing::new([0; 48]);
    der.iter_mut().zip(PRIVATE.iter().chain(seed)).for_each(|(to, from)| *to = *from);
    Zeroizing::new(pem(PRIVATE_LABEL, &Zeroizing::new(Base64::encode_string(der.as_slice()))))
}

pub(super) fn public_pem(key: &[u8; 32]) -> String {
    let mut der = [0; 44];
    der.iter_mut().zip(PUBLIC.iter().chain(key)).for_each(|(to, from)| *to = *from);
    pem(PUBLIC_LABEL, &Base64::encode_string(&der))
}

pub(super) fn read_private_pem(text: &str) -> Option<Zeroizing<[u8; 32]>> {
    let mut der = Zeroizing::new([0; 48]);
    let der = Base64::decode(body(text, PRIVATE_LABEL)?, der.as_mut_slice()).ok()?;
    der.strip_prefix(&PRIVATE)?.try_into().ok().map(Zeroizing::new)
}

pub(super) fn read_public_pem(text: &str) -> Option<[u8; 32]> {
    let mut der = [0; 44];
    let der = Base64::decode(body(text, PUBLIC_LABEL)?, &mut der).ok()?;
    der.strip_prefix(&PUBLIC)?.try_into().ok()
}

/// Both keys fit into one line of base64.
fn pem(label: &str, base64: &str) -> String {
    let mut out = String::with_capacity(160);
    for part in ["-----BEGIN ", label, "-----\n", base64, "\n-----END ", label, "-----\n"] {
        out.push_str(part);
    }
    out
}

fn body<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let text = text.trim().strip_prefix("-----BEGIN ")?.strip_prefix(label)?.strip_prefix("-----")?;
    let text = text.strip_suffix("-----")?.strip_suffix(label)?.strip_suffix("-----END ")?;
    Some(text.trim())
}

#[cfg(test)]
mod tests {
    use crate::seal::{KeyError, PublicKey, SigningKey};

    // What OpenSSL writes for the first key of RFC 8032.
    const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n";
    const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\n\
        MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n";

    #[test]
    fn writes_and_reads_what_openssl_does() {
        let key = SigningKey::test_key();
        assert_eq!(&*key.to_pem(), PRIVATE);
        assert_eq!(key.public_key().to_pem(), PUBLIC);
        let read = SigningKey::from_pem(&PRIVATE.replace('\n', "\r\n")).unwrap();
        assert_eq!(read.public_key(), key.public_key());
        assert_eq!(PublicKey::from_pem(PUBLIC).unwrap(), key.public_key());
    }

    #[test]
    fn refuses_every_other_text() {
        let cases = [
            "",
            PUBLIC,
            &PRIVATE[..100],
            &PRIVATE.replace("MC4C", "MC4D"),
            &PRIVATE.replace("rn9g", "rn9"),
            &PRIVATE.replace("rn9g", "rn9gAAAA"),
            &PRIVATE.replace("PRIVATE", "EC PRIVATE"),
        ];
        for text in cases {
            assert_eq!(SigningKey::from_pem(text).unwrap_err(), KeyError::PrivateKeyMalformed, "{text}");
        }
        assert_eq!(PublicKey::from_pem(PRIVATE), Err(KeyError::PublicKeyMalformed));
    }
}
