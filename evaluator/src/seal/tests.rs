//! A seal opens where nothing was changed, and nowhere else.

use super::*;
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note<S = Signature> {
    text: String,
    number: i64,
    issued_at: Time,
    #[serde(skip_serializing_if = "SealState::is_unsigned")]
    #[serde(bound(serialize = "S: Serialize + SealState"))]
    signature: S,
}

impl SealedDocument for Note {
    fn issued_at(&self) -> Time {
        self.issued_at
    }
}

fn sealed(text: &str, number: i64) -> Note {
    let draft = Note { text: text.into(), number, issued_at: Time::from_millis(0), signature: Unsigned };
    seal(&draft, &SigningKey::test_key(), TEST_KEY_ID).unwrap()
}

fn reason(value: &Value, keys: &TrustedKeys) -> Reason {
    open_value::<Note>(value, keys).map_or_else(|error| error.reason, |_| Reason::SignatureValid)
}

#[test]
fn says_who_signed() {
    let note = sealed("x", 1);
    let opened = open::<Note>(&serde_json::to_string(&note).unwrap(), &TrustedKeys::test()).unwrap();
    assert_eq!(opened.document(), &note);
    assert_eq!(opened.key_id(), TEST_KEY_ID);
    assert!(opened.is_by_test_key());
    assert_eq!(opened.payload_sha256(), note.signature.payload_sha256);
}

#[test]
fn the_key_in_the_document_is_not_trusted() {
    let value = to_value(&sealed("x", 1)).unwrap();
    assert_eq!(reason(&value, &TrustedKeys::new()), Reason::KeyNotTrusted);
    let mut other = TrustedKeys::new();
    other.insert(TEST_KEY_ID, SigningKey::from_seed(&[7; 32]).public_key());
    assert_eq!(reason(&value, &other), Reason::KeyNotTrusted, "the id alone is not enough");
    let mut renamed = TrustedKeys::new();
    renamed.insert("other", SigningKey::test_key().public_key());
    assert_eq!(reason(&value, &renamed), Reason::KeyNotTrusted, "nor the key alone");
}

#[test]
fn what_cannot_be_signed_is_refused() {
    let key = SigningKey::test_key();
    let refuse = |text: &str| seal_value(&parse(text).unwrap(), &key, "k").unwrap_err().reason;
    assert_eq!(refuse(r#"{"a":9007199254740992}"#), Reason::UnsafeInteger);
    assert_eq!(refuse(r#"{"a":1.5}"#), Reason::DecimalNumber);
    assert_eq!(refuse("[]"), Reason::SchemaInvalid);
}

#[test]
fn unsealed_documents_do_not_open() {
    let value = parse(r#"{"text":"x","number":1,"issued_at":"2026-01-01T00:00:00Z"}"#).unwrap();
    assert_eq!(reason(&value, &TrustedKeys::test()), Reason::SchemaInvalid);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_sealed_opens(text in any::<String>(), number in -9_007_199_254_740_991i64..=9_007_199_254_740_991) {
        let note = sealed(&text, number);
        let printed = serde_json::to_string(&note).unwrap();
        let opened = open::<Note>(&printed, &TrustedKeys::test()).unwrap();
        prop_assert_eq!(opened.into_document(), note);
    }

    #[test]
    fn a_changed_byte_is_refused(text in "[ -~]{0,12}", at in any::<prop::sample::Index>(), bit in 0u32..7) {
        let note = sealed(&text, 12);
        let mut bytes = serde_json::to_string(&note).unwrap().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        let changed = String::from_utf8(bytes).unwrap();
        let opened = open::<Note>(&changed, &TrustedKeys::test());
        // A change that leaves the document as it was (an escape spelt otherwise) is no change.
        prop_assert!(opened.is_err() || opened.unwrap().into_document() == note, "{}", changed);
    }
}
