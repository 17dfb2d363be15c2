//! Facts about the provider in the manifest's terms. Translates; must not add any.

use provely_evaluator::hash::Digest;
use provely_evaluator::manifest::{self, BodyEncoding, Certainty, FileEntry};
use provely_model::{Operation, SecretEncoding};

use crate::source::{SecretKey, SignatureFile, TimestampUnit};

/// A file of the package.
pub(super) fn file_entry((path, text): (&String, &String)) -> FileEntry {
    FileEntry { path: path.clone(), sha256: Digest::of(text.as_bytes()), bytes: text.len() as u64 }
}

/// How versions are written: `date_name`, `date`, `month` or `semver`.
pub(super) fn version_scheme(version: &str) -> &'static str {
    let (front, name) = version.split_once('.').unwrap_or((version, ""));
    let dashes = front.matches('-').count();
    let worded = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    match (dashes, worded) {
        (2, true) => "date_name",
        (2, false) => "date",
        (1, _) => "month",
        (_, _) => "semver",
    }
}

/// Form where any published operation is written so.
pub(super) fn body_encoding(operations: &[&Operation]) -> BodyEncoding {
    let form = operations.iter().any(|operation| operation.body == provely_model::BodyEncoding::Form);
    if form { BodyEncoding::Form } else { BodyEncoding::Json }
}

/// How sure a class is.
pub(super) const fn certainty(certainty: provely_model::Certainty) -> Certainty {
    match certainty {
        provely_model::Certainty::Documented => Certainty::Documented,
        provely_model::Certainty::Reviewed => Certainty::Reviewed,
        provely_model::Certainty::Lexical | provely_model::Certainty::None => Certainty::Lexical,
    }
}

/// How webhooks are signed.
pub(super) fn webhook_signature(file: &SignatureFile) -> manifest::WebhookSignature {
    let parts = file.parts.as_ref().map(|parts| manifest::SignatureParts {
        separator: parts.separator.clone(),
        assign: parts.assign.clone(),
        timestamp: parts.timestamp.clone(),
        signature: parts.signature.clone(),
        others: manifest::OtherParts::Ignore,
    });
    manifest::WebhookSignature {
        header: file.header.clone(),
        parts,
        prefix: None,
        timestamp_header: file.timestamp_header.clone(),
        id_header: file.id_header.clone(),
        signed: file.signed.clone(),
        timestamp_unit: file.timestamp_unit.map(|unit| match unit {
            TimestampUnit::Seconds => manifest::TimestampUnit::Seconds,
        }),
        digest: manifest::WebhookDigest::HmacSha256,
        encoding: match file.encoding {
            SecretEncoding::Base64 => manifest::SignatureEncoding::Base64,
            SecretEncoding::Hex | SecretEncoding::Raw => manifest::SignatureEncoding::Hex,
        },
        secret: manifest::WebhookSecret {
            prefix: file.secret.prefix.clone(),
            key: match file.secret.key {
                SecretKey::Base64 => manifest::SecretKey::Base64,
                SecretKey::Whole | SecretKey::Hex => manifest::SecretKey::Whole,
            },
        },
        tolerance_seconds: file.tolerance_seconds.map(u64::from),
        several_secrets: file.several_secrets,
    }
}
