//! Signing webhooks as a scheme says: HMAC with SHA-256 (RFC 2104, FIPS 180-4). It must not check any.

use base64ct::{Base64, Encoding};
use hmac::{Hmac, KeyInit, Mac};
use provely_evaluator::time::Time;
use provely_model::{SecretEncoding, SignatureDigest, SignatureScheme, SignatureText};
use sha2::Sha256;

/// The headers that a delivery carries: signature, and time stamp and id where they have their own.
pub(crate) fn headers(
    scheme: &SignatureScheme,
    secret: &str,
    at: Time,
    id: &str,
    body: &str,
) -> Vec<(String, String)> {
    let timestamp = at.as_millis().div_euclid(1000).to_string();
    let signed = filled(&scheme.signed, &timestamp, id, body);
    let digest = digest(scheme, secret, signed.as_bytes());
    let signature = match &scheme.text {
        SignatureText::Pairs { timestamp: name, signature } => {
            format!("{name}={timestamp},{signature}={digest}")
        }
        SignatureText::Listed { version } => format!("{version},{digest}"),
        SignatureText::Plain { prefix } => format!("{}{digest}", prefix.as_deref().unwrap_or_default()),
    };
    let mut headers = vec![(scheme.header.clone(), signature)];
    headers.extend(scheme.timestamp_header.iter().map(|name| (name.clone(), timestamp.clone())));
    headers.extend(scheme.id_header.iter().map(|name| (name.clone(), id.to_owned())));
    headers
}

/// The template with its places filled; a brace in the body is no place.
fn filled(template: &str, timestamp: &str, id: &str, body: &str) -> String {
    let head = template.replace("{timestamp}", timestamp).replace("{t}", timestamp).replace("{id}", id);
    match head.split_once("{body}") {
        Some((before, after)) => format!("{before}{body}{after}"),
        None => head,
    }
}

fn digest(scheme: &SignatureScheme, secret: &str, signed: &[u8]) -> String {
    let bytes = match scheme.digest {
        SignatureDigest::HmacSha256 => hmac_sha256(&key(scheme, secret), signed),
    };
    match scheme.encoding {
        SecretEncoding::Hex => hex(&bytes),
        SecretEncoding::Base64 => Base64::encode_string(&bytes),
        SecretEncoding::Raw => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

/// The key in a secret; a secret that cannot be decoded is taken as its text.
fn key(scheme: &SignatureScheme, secret: &str) -> Vec<u8> {
    let bare = scheme.key_prefix.as_deref().and_then(|prefix| secret.strip_prefix(prefix)).unwrap_or(secret);
    match scheme.key {
        SecretEncoding::Raw => bare.as_bytes().to_vec(),
        SecretEncoding::Hex => unhex(bare).unwrap_or_else(|| secret.as_bytes().to_vec()),
        SecretEncoding::Base64 => Base64::decode_vec(bare).unwrap_or_else(|_| secret.as_bytes().to_vec()),
    }
}

fn hmac_sha256(key: &[u8], message: &[u8]) -> Vec<u8> {
    // HMAC takes keys of every length (RFC 2104, section 3).
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    use core::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _written = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_rfc_4231() {
        let cases = [
            (vec![0x0b; 20], "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe".to_vec(),
                "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
        ];
        for (key, message, digest) in cases {
            assert_eq!(hex(&hmac_sha256(&key, message.as_bytes())), digest);
        }
    }

    #[test]
    fn a_brace_in_the_body_is_no_place() {
        assert_eq!(filled("{timestamp}.{body}", "1", "i", "{id}{timestamp}"), "1.{id}{timestamp}");
        assert_eq!(filled("{id}.{timestamp}.{body}", "1", "i", "b"), "i.1.b");
    }
}
