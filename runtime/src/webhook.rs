//! Webhook signatures by data: which header, what is signed, which digest. Raw bytes are checked before
//! anything is parsed, in constant time; the time is handed in.

use core::fmt;
use std::collections::BTreeMap;

use base64ct::{Base64, Encoding as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use provely_evaluator::hash::Digest;
use provely_evaluator::manifest::{SecretKey, SignatureEncoding, WebhookSignature};
use provely_evaluator::time::Time;
use provely_model::{SecretEncoding, SignatureDigest, SignatureScheme, SignatureText};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use crate::transport::header;

/// Why a delivery is not the provider's, or not a fresh one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignatureError {
    /// A header that the scheme needs is not there.
    HeaderMissing,
    /// The header does not read as the scheme says.
    HeaderMalformed,
    /// No signature of the scheme's kind stands in the header.
    NoSignature,
    /// Older than the scheme tolerates.
    TooOld,
    /// Further in the future than the scheme tolerates.
    InTheFuture,
    /// No active secret gives any of the signatures.
    Mismatch,
    /// No active secret can be read as a key.
    NoKey,
}

impl SignatureError {
    /// Stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::HeaderMissing => "signature_header_missing",
            Self::HeaderMalformed => "signature_header_malformed",
            Self::NoSignature => "signature_missing",
            Self::TooOld => "signature_too_old",
            Self::InTheFuture => "signature_in_the_future",
            Self::Mismatch => "signature_mismatch",
            Self::NoKey => "signature_key_unreadable",
        }
    }
}

impl fmt::Display for SignatureError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = match self {
            Self::HeaderMissing | Self::HeaderMalformed | Self::NoSignature => {
                "check that the raw headers reach the endpoint"
            }
            Self::TooOld | Self::InTheFuture => "check the clocks; a replay is refused",
            Self::Mismatch => "check the secret, and that the body is passed on byte for byte",
            Self::NoKey => "check the configured secret",
        };
        write!(out, "{}: {advice}", self.code())
    }
}

impl std::error::Error for SignatureError {}

/// Checks a delivery at `now`. Any of the active secrets may fit any of the signatures; signatures of
/// other kinds are passed over. Both edges of the tolerance are inside it.
///
/// # Errors
/// [`SignatureError`].
pub fn verify(
    scheme: &SignatureScheme,
    secrets: &[String],
    headers: &[(String, String)],
    body: &[u8],
    now: Time,
) -> Result<(), SignatureError> {
    let text = header(headers, &scheme.header).ok_or(SignatureError::HeaderMissing)?;
    let parts = Parts::read(&scheme.text, text);
    let timestamp = match &scheme.timestamp_header {
        Some(name) => Some(header(headers, name).ok_or(SignatureError::HeaderMissing)?),
        None => parts.timestamp,
    };
    let id = match &scheme.id_header {
        Some(name) => Some(header(headers, name).ok_or(SignatureError::HeaderMissing)?),
        None => None,
    };
    let message = message(&scheme.signed, timestamp, id, body).ok_or(SignatureError::HeaderMalformed)?;
    if parts.signatures.is_empty() {
        return Err(SignatureError::NoSignature);
    }
    check_secrets(scheme, secrets, &parts.signatures, &message)?;
    check_age(scheme, timestamp, now)
}

fn check_secrets(
    scheme: &SignatureScheme,
    secrets: &[String],
    signatures: &[&str],
    message: &[u8],
) -> Result<(), SignatureError> {
    let keys: Vec<Vec<u8>> = secrets.iter().filter_map(|secret| key(scheme, secret)).collect();
    if keys.is_empty() {
        return Err(SignatureError::NoKey);
    }
    let given: Vec<Vec<u8>> = signatures.iter().filter_map(|text| decode(scheme.encoding, text)).collect();
    let fits = keys.iter().filter_map(|key| digest(scheme.digest, key, message)).any(|expected| {
        // Every signature is compared, so that the time tells nothing of which one fits.
        given.iter().fold(false, |found, one| found | bool::from(expected.as_slice().ct_eq(one.as_slice())))
    });
    if fits { Ok(()) } else { Err(SignatureError::Mismatch) }
}

/// Age and future skew are judged apart, each by the tolerance.
fn check_age(scheme: &SignatureScheme, timestamp: Option<&str>, now: Time) -> Result<(), SignatureError> {
    let Some(tolerance) = scheme.tolerance_seconds else { return Ok(()) };
    let text = timestamp.ok_or(SignatureError::HeaderMissing)?;
    let seconds: i64 = text.parse().map_err(|_| SignatureError::HeaderMalformed)?;
    let age_ms = now.since(Time::from_seconds(seconds));
    let tolerance_ms = i64::from(tolerance) * 1000;
    if age_ms > tolerance_ms {
        return Err(SignatureError::TooOld);
    }
    if age_ms < -tolerance_ms {
        return Err(SignatureError::InTheFuture);
    }
    Ok(())
}

/// Signs a delivery, as the provider does: the headers to send with `body`.
///
/// # Errors
/// [`SignatureError::NoKey`] if the secret cannot be read as a key.
pub fn sign(
    scheme: &SignatureScheme,
    secret: &str,
    timestamp: Time,
    id: &str,
    body: &[u8],
) -> Result<Vec<(String, String)>, SignatureError> {
    let seconds = timestamp.as_millis().div_euclid(1000).to_string();
    let message =
        message(&scheme.signed, Some(&seconds), Some(id), body).ok_or(SignatureError::HeaderMalformed)?;
    let key = key(scheme, secret).ok_or(SignatureError::NoKey)?;
    let digest = digest(scheme.digest, &key, &message).ok_or(SignatureError::NoKey)?;
    let signature = encode(scheme.encoding, &digest);
    let value = match &scheme.text {
        SignatureText::Pairs { timestamp, signature: name } => {
            format!("{timestamp}={seconds},{name}={signature}")
        }
        SignatureText::Listed { version } => format!("{version},{signature}"),
        SignatureText::Plain { prefix } => format!("{}{signature}", prefix.as_deref().unwrap_or_default()),
    };
    let mut headers = vec![(scheme.header.clone(), value)];
    headers.extend(scheme.timestamp_header.iter().map(|name| (name.clone(), seconds.clone())));
    headers.extend(scheme.id_header.iter().map(|name| (name.clone(), id.to_owned())));
    Ok(headers)
}

/// What a signature header holds.
struct Parts<'h> {
    timestamp: Option<&'h str>,
    signatures: Vec<&'h str>,
}

impl<'h> Parts<'h> {
    fn read(style: &SignatureText, text: &'h str) -> Self {
        match style {
            SignatureText::Pairs { timestamp, signature } => {
                let pairs = || text.split(',').filter_map(|pair| pair.trim().split_once('='));
                let timestamp = pairs().find(|(name, _)| name == timestamp).map(|(_, value)| value);
                let signatures =
                    pairs().filter(|(name, _)| name == signature).map(|(_, value)| value).collect();
                Self { timestamp, signatures }
            }
            SignatureText::Listed { version } => {
                let pairs = text.split_ascii_whitespace().filter_map(|one| one.split_once(','));
                let signatures = pairs.filter(|(name, _)| name == version).map(|(_, value)| value).collect();
                Self { timestamp: None, signatures }
            }
            SignatureText::Plain { prefix } => {
                let one = text.trim().strip_prefix(prefix.as_deref().unwrap_or_default());
                Self { timestamp: None, signatures: one.into_iter().collect() }
            }
        }
    }
}

/// The signed bytes: the template with `{timestamp}` (or `{t}`), `{id}` and `{body}` filled in; `None` if
/// it names what is not there.
fn message(template: &str, timestamp: Option<&str>, id: Option<&str>, body: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(template.len() + body.len() + 32);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.extend_from_slice(before.as_bytes());
        let (name, tail) = after.split_once('}')?;
        match name {
            "timestamp" | "t" => out.extend_from_slice(timestamp?.as_bytes()),
            "id" => out.extend_from_slice(id?.as_bytes()),
            "body" => out.extend_from_slice(body),
            _ => return None,
        }
        rest = tail;
    }
    out.extend_from_slice(rest.as_bytes());
    Some(out)
}

fn key(scheme: &SignatureScheme, secret: &str) -> Option<Vec<u8>> {
    let inner = scheme.key_prefix.as_deref().and_then(|prefix| secret.strip_prefix(prefix)).unwrap_or(secret);
    decode(scheme.key, inner).filter(|key| !key.is_empty())
}

fn digest(digest: SignatureDigest, key: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    match digest {
        SignatureDigest::HmacSha256 => {
            let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
            mac.update(message);
            Some(mac.finalize().into_bytes().to_vec())
        }
    }
}

fn decode(encoding: SecretEncoding, text: &str) -> Option<Vec<u8>> {
    match encoding {
        SecretEncoding::Hex => hex(text),
        SecretEncoding::Base64 => Base64::decode_vec(text).ok(),
        SecretEncoding::Raw => Some(text.as_bytes().to_vec()),
    }
}

fn encode(encoding: SecretEncoding, bytes: &[u8]) -> String {
    match encoding {
        SecretEncoding::Base64 => Base64::encode_string(bytes),
        SecretEncoding::Hex | SecretEncoding::Raw => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    digits
        .chunks_exact(2)
        .map(|pair| {
            pair.iter()
                .try_fold(0_u8, |sum, digit| sum.checked_mul(16)?.checked_add(u8::try_from(*digit).ok()?))
        })
        .collect()
}

/// The scheme of a signed manifest, in the model's terms. `None` if a header is taken apart in a way that
/// the model has no style for.
#[must_use]
pub fn scheme_of(manifest: &WebhookSignature) -> Option<SignatureScheme> {
    let text = match &manifest.parts {
        None => SignatureText::Plain { prefix: manifest.prefix.clone() },
        Some(parts) => match (parts.separator.as_str(), parts.assign.as_str(), &parts.timestamp) {
            (",", "=", Some(timestamp)) => {
                SignatureText::Pairs { timestamp: timestamp.clone(), signature: parts.signature.clone() }
            }
            (" ", ",", None) => SignatureText::Listed { version: parts.signature.clone() },
            _ => return None,
        },
    };
    let (key, key_prefix) = match manifest.secret.key {
        SecretKey::Whole => (SecretEncoding::Raw, None),
        SecretKey::Base64 => (SecretEncoding::Base64, manifest.secret.prefix.clone()),
    };
    Some(SignatureScheme {
        header: manifest.header.clone(),
        text,
        signed: manifest.signed.clone(),
        digest: SignatureDigest::HmacSha256,
        encoding: match manifest.encoding {
            SignatureEncoding::Hex => SecretEncoding::Hex,
            SignatureEncoding::Base64 => SecretEncoding::Base64,
        },
        key,
        key_prefix,
        timestamp_header: manifest.timestamp_header.clone(),
        id_header: manifest.id_header.clone(),
        tolerance_seconds: manifest.tolerance_seconds.and_then(|seconds| u32::try_from(seconds).ok()),
    })
}

/// Remembers deliveries, so that a copy of one is known while its signature is still fresh. The store's
/// event ids outlive it; this one also knows copies whose event id nobody can read.
#[derive(Debug, Clone, Default)]
pub struct ReplayMemory {
    until: BTreeMap<Digest, Time>,
}

impl ReplayMemory {
    /// Takes a delivery that was verified; false if the very same one was taken before. It is kept for the
    /// whole span in which a copy could pass: the age and the future skew, once each.
    pub fn take(
        &mut self,
        scheme: &SignatureScheme,
        headers: &[(String, String)],
        body: &[u8],
        now: Time,
    ) -> bool {
        self.until.retain(|_, until| *until >= now);
        let span = i64::from(scheme.tolerance_seconds.unwrap_or(86_400 * 30)) * 2_000;
        let signature = header(headers, &scheme.header).unwrap_or_default();
        let bytes = [signature.as_bytes(), b"\n", body].concat();
        self.until.insert(Digest::of(&bytes), now.plus(span)).is_none()
    }
}
