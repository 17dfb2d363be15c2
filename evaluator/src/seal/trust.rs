//! The keys that a reader trusts. A key that a document carries itself must never count as trusted.

use super::{PublicKey, Reason, SealError, SigningKey, TEST_KEY_ID};
use crate::json::{Object, ParseError, ShapeError, Value, from_value, parse};
use crate::time::Time;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use serde::Deserialize;

/// A public key, and the times of issue for which it is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedKey {
    /// The key.
    pub public_key: PublicKey,
    /// Documents issued before this time are refused.
    pub not_before: Option<Time>,
    /// Documents issued after this time are refused.
    pub not_after: Option<Time>,
    /// From this time on the key issues nothing: older documents stay valid, newer ones are refused.
    pub retired_at: Option<Time>,
}

impl From<PublicKey> for TrustedKey {
    fn from(public_key: PublicKey) -> Self {
        Self { public_key, not_before: None, not_after: None, retired_at: None }
    }
}

impl TrustedKey {
    /// Whether the key is trusted for what was issued at this time.
    #[must_use]
    pub fn valid_at(&self, issued: Time) -> bool {
        self.not_before.is_none_or(|start| issued >= start)
            && self.not_after.is_none_or(|end| issued <= end)
            && self.retired_at.is_none_or(|end| issued < end)
    }
}

/// The reader's map from key id to key.
///
/// As JSON: `{"key-1": "<hex>", "key-2": {"public_key": "<hex>", "not_before": "...", "not_after": "...",
/// "retired_at": "..."}}`, the times optional.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TrustedKeys(BTreeMap<String, TrustedKey>);

impl TrustedKeys {
    /// A map that trusts nobody.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// A map that trusts the public test key, which anybody can sign with. For examples and tests.
    #[must_use]
    pub fn test() -> Self {
        let mut keys = Self::new();
        keys.insert(TEST_KEY_ID, SigningKey::test_key().public_key());
        keys
    }

    /// Trusts a key under an id and returns the one it replaces.
    pub fn insert(&mut self, id: impl Into<String>, key: impl Into<TrustedKey>) -> Option<TrustedKey> {
        self.0.insert(id.into(), key.into())
    }

    /// The key with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&TrustedKey> {
        self.0.get(id)
    }

    /// The keys in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &TrustedKey)> {
        self.0.iter().map(|(id, key)| (id.as_str(), key))
    }

    /// How many keys are trusted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nobody is trusted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the map from JSON text.
    ///
    /// # Errors
    /// If the text is not JSON, an id stands twice, or an entry is malformed; the error names the place.
    pub fn parse(text: &str) -> Result<Self, TrustError> {
        Self::from_value(&parse(text).map_err(TrustError::Json)?)
    }

    /// Reads the map from a JSON value.
    ///
    /// # Errors
    /// If an entry is malformed; the error names it.
    pub fn from_value(value: &Value) -> Result<Self, TrustError> {
        let Some(entries) = value.as_object() else {
            return Err(entry_error("", "an object from key id to public key is expected"));
        };
        entries
            .iter()
            .map(|(id, entry)| Ok((String::from(id), read_entry(id, entry)?)))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The map as JSON: a bare string where there is no limit in time.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.0.iter().map(|(id, key)| (id.as_str(), write_entry(key))).collect::<Object>().into()
    }

    /// Whether the map holds this key under this id, valid at the time of issue.
    pub(super) fn check(&self, id: &str, key: &[u8; 32], issued: Time) -> Result<(), SealError> {
        let trusted =
            self.get(id).filter(|trusted| trusted.public_key.as_bytes() == key).ok_or_else(|| {
                let detail =
                    format!("no trusted key `{id}` with this public key; add it only if you know its owner");
                SealError::new(Reason::KeyNotTrusted, detail)
            })?;
        if trusted.valid_at(issued) {
            return Ok(());
        }
        let detail = format!("key `{id}` is not trusted for what was issued at {issued}");
        Err(SealError::new(Reason::KeyNotValidAtIssue, detail))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    public_key: String,
    #[serde(default)]
    not_before: Option<Time>,
    #[serde(default)]
    not_after: Option<Time>,
    #[serde(default)]
    retired_at: Option<Time>,
}

fn read_entry(id: &str, entry: &Value) -> Result<TrustedKey, TrustError> {
    if let Some(text) = entry.as_str() {
        return read_key(&pointer(id), text).map(TrustedKey::from);
    }
    let read: Entry = from_value(entry)
        .map_err(|error| entry_error(&format!("{}{}", pointer(id), error.pointer), &error.message))?;
    let public_key = read_key(&format!("{}/public_key", pointer(id)), &read.public_key)?;
    let Entry { not_before, not_after, retired_at, .. } = read;
    if not_before.is_some_and(|start| not_after.is_some_and(|end| end < start)) {
        return Err(entry_error(&pointer(id), "`not_after` lies before `not_before`"));
    }
    Ok(TrustedKey { public_key, not_before, not_after, retired_at })
}

fn read_key(pointer: &str, text: &str) -> Result<PublicKey, TrustError> {
    text.parse().map_err(|error: super::KeyError| entry_error(pointer, &error.to_string()))
}

fn pointer(id: &str) -> String {
    format!("/{}", id.replace('~', "~0").replace('/', "~1"))
}

fn entry_error(pointer: &str, message: &str) -> TrustError {
    TrustError::Entry(ShapeError { pointer: String::from(pointer), message: String::from(message) })
}

fn write_entry(key: &TrustedKey) -> Value {
    let limits =
        [("not_before", key.not_before), ("not_after", key.not_after), ("retired_at", key.retired_at)];
    let public_key = Value::from(key.public_key.to_string());
    let mut members: Object = limits
        .into_iter()
        .filter_map(|(name, limit)| limit.map(|time| (name, Value::from(time.to_string()))))
        .collect();
    if members.is_empty() {
        return public_key;
    }
    members.insert("public_key", public_key);
    members.into()
}

/// Why a map of trusted keys cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustError {
    /// The text is not JSON, or names a key id twice.
    Json(ParseError),
    /// An entry is malformed.
    Entry(ShapeError),
}

impl fmt::Display for TrustError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrustError::Json(error) => write!(out, "trusted_keys_invalid: {error}"),
            TrustError::Entry(error) => {
                write!(out, "trusted_keys_invalid: at `{}`: {}", error.pointer, error.message)
            }
        }
    }
}

impl core::error::Error for TrustError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> PublicKey {
        SigningKey::test_key().public_key()
    }

    #[test]
    fn reads_both_spellings_and_writes_them_back() {
        let hex = key().to_string();
        let text = format!(
            r#"{{"a":"{hex}","b":{{"not_after":"2027-01-01T00:00:00.000Z","not_before":"2026-01-01T00:00:00.000Z","public_key":"{hex}","retired_at":"2026-06-01T00:00:00.000Z"}}}}"#
        );
        let keys = TrustedKeys::parse(&text).unwrap();
        assert_eq!(keys.len(), 2);
        assert_eq!(keys.to_value().to_string(), text);
    }

    #[test]
    fn validity_is_judged_at_issue() {
        let time = |text| Time::parse(text).unwrap();
        let limits = TrustedKey {
            public_key: key(),
            not_before: Some(time("2026-01-01T00:00:00Z")),
            not_after: Some(time("2026-12-31T00:00:00Z")),
            retired_at: Some(time("2026-06-01T00:00:00Z")),
        };
        assert!(!limits.valid_at(time("2025-12-31T23:59:59.999Z")));
        assert!(limits.valid_at(time("2026-01-01T00:00:00Z")));
        assert!(limits.valid_at(time("2026-05-31T23:59:59.999Z")));
        assert!(!limits.valid_at(time("2026-06-01T00:00:00Z")));
        let unretired = TrustedKey { retired_at: None, ..limits };
        assert!(unretired.valid_at(time("2026-12-31T00:00:00Z")));
        assert!(!unretired.valid_at(time("2026-12-31T00:00:00.001Z")));
    }

    #[test]
    fn errors_name_the_entry() {
        let hex = key().to_string();
        let cases = [
            (String::from("[]"), "at ``"),
            (String::from(r#"{"a/b":"00"}"#), "at `/a~1b`: public_key_malformed"),
            (String::from(r#"{"a":{"public_key":"00"}}"#), "at `/a/public_key`: public_key_malformed"),
            (format!(r#"{{"a":{{"public_key":"{hex}","expires":"x"}}}}"#), "at `/a/expires`: unknown field"),
            (
                format!(r#"{{"a":{{"public_key":"{hex}","not_after":"x"}}}}"#),
                "at `/a/not_after`: time_malformed",
            ),
            (String::from(r#"{"a":{}}"#), "at `/a`: missing field `public_key`"),
            (
                format!(
                    r#"{{"a":{{"public_key":"{hex}","not_before":"2026-01-02T00:00:00Z","not_after":"2026-01-01T00:00:00Z"}}}}"#
                ),
                "at `/a`: `not_after` lies before",
            ),
            (format!(r#"{{"a":"{hex}","a":"{hex}"}}"#), "duplicate_member: line 1"),
        ];
        for (text, said) in cases {
            let error = TrustedKeys::parse(&text).unwrap_err().to_string();
            assert!(error.starts_with("trusted_keys_invalid: ") && error.contains(said), "{text}: {error}");
        }
    }
}
