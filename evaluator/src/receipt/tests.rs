//! The published example validates byte for byte; drafts that claim more than they show are not signed.

use super::*;
use crate::json::{Value, parse};
use crate::seal::{Reason, TEST_KEY_ID, TrustedKeys, Unsigned};
use alloc::vec;
use proptest::prelude::*;

const EXAMPLE: &str = include_str!("../../../tests/fixtures/receipts/valid/verified.json");

fn example() -> Receipt {
    crate::json::from_value(&parse(EXAMPLE).unwrap()).unwrap()
}

fn draft() -> ReceiptDraft {
    let Receipt {
        schema_version,
        id,
        issued_at,
        issuer,
        operation_id,
        intent,
        contract,
        skill,
        versions,
        verdict,
        observations,
        attempt_count,
        verified_at,
        ..
    } = example();
    Receipt {
        schema_version,
        id,
        issued_at,
        issuer,
        operation_id,
        intent,
        intent_ref: None,
        input_sha256: None,
        contract,
        skill,
        versions,
        connection: None,
        subject: None,
        causality: None,
        verdict,
        finality: None,
        not_applied: None,
        observations,
        components: None,
        attempt_count,
        verified_at,
        escalated: None,
        supersedes: None,
        signature: Unsigned,
    }
}

fn sign(draft: &ReceiptDraft) -> Result<Receipt, Reason> {
    draft.seal(&SigningKey::test_key(), TEST_KEY_ID).map_err(|error| error.reason)
}

fn component(verdict: Option<crate::verdict::Verdict>, channel: Option<&str>) -> Component {
    Component {
        id: "refund".into(),
        contract: None,
        operation_id: None,
        receipt_id: None,
        verdict,
        channel: channel.map(Into::into),
        review: None,
    }
}

#[test]
fn the_example_prints_as_published() {
    let report = validate(EXAMPLE, &TrustedKeys::test(), None);
    let expected = "\
contract hash    ok
canonical json   ok
signature        ok  key provely-test-key-1
key trusted      ok  from your key map
evidence claim   ok  E2 present on one observation

verdict          VERIFIED
exit 0
";
    assert_eq!(report.to_string(), expected);
    assert_eq!(report.reason(), Reason::SignatureValid);
    assert_eq!(example().to_json().unwrap(), EXAMPLE, "we print it as it was published");
    assert_eq!(sign(&draft()).unwrap(), example(), "and sign the same bytes");
}

#[test]
fn without_the_key_it_is_invalid() {
    let report = validate(EXAMPLE, &TrustedKeys::new(), None);
    assert_eq!((report.reason(), report.exit_code()), (Reason::KeyNotTrusted, 1));
    assert!(report.receipt().is_none());
    assert!(matches!(report.outcome(Check::Signature), Outcome::Passed(_)), "each check is reported");
}

#[test]
fn the_contract_at_hand_is_compared() {
    let contract = parse(r#"{"id":"a.b.c","version":"1.0.0","hash":"any"}"#).unwrap();
    let mut draft = draft();
    draft.contract = ContractReference {
        id: "a.b.c".into(),
        version: "1.0.0".into(),
        hash: crate::hash::Digest::of(br#"{"id":"a.b.c","version":"1.0.0"}"#),
    };
    let reason = |draft: &ReceiptDraft, contract: &Value| {
        validate(&sign(draft).unwrap().to_json().unwrap(), &TrustedKeys::test(), Some(contract)).reason()
    };
    assert_eq!(reason(&draft, &contract), Reason::SignatureValid);
    let other = parse(r#"{"id":"a.b.c","version":"1.0.0","promise":"more"}"#).unwrap();
    assert_eq!(reason(&draft, &other), Reason::ContractHashMismatch);
    draft.contract.version = "1.0.1".into();
    assert_eq!(reason(&draft, &contract), Reason::ContractHashMismatch, "the names must agree too");
}

#[test]
fn a_verified_claim_needs_its_evidence() {
    use crate::contract::EvidenceLevel::{E0, E2, E3};
    let with = |levels: &[_], observations: bool| {
        let mut draft = draft();
        draft.verdict.evidence_levels_used = levels.to_vec();
        if !observations {
            draft.observations.clear();
        }
        sign(&draft).map(|_| ())
    };
    assert_eq!(with(&[], true), Err(Reason::EvidenceLevelInsufficient));
    assert_eq!(with(&[E0], true), Err(Reason::EvidenceLevelInsufficient));
    assert_eq!(with(&[E2], false), Err(Reason::ObservationMissing));
    assert_eq!(with(&[E2, E3], true), Err(Reason::EvidenceLevelNotObserved));
    assert_eq!(with(&[E0, E2], true), Err(Reason::EvidenceLevelNotObserved));
    assert_eq!(with(&[E2], true), Ok(()));
}

#[test]
fn other_verdicts_need_no_evidence() {
    let mut draft = draft();
    draft.verdict.verdict = crate::verdict::Verdict::Pending;
    draft.verdict.evidence_levels_used.clear();
    draft.observations.clear();
    assert_eq!(sign(&draft).unwrap().exit_code(), 2);
    draft.escalated = Some(true);
    assert_eq!(sign(&draft).unwrap().exit_code(), 5);
}

#[test]
fn components_bear_the_whole() {
    use crate::verdict::Verdict::{Pending, Verified};
    let with = |component| {
        let mut draft = draft();
        draft.components = Some(vec![component]);
        sign(&draft).map(|_| ())
    };
    assert_eq!(with(component(Some(Verified), Some("readback"))), Ok(()));
    assert_eq!(with(component(Some(Verified), None)), Err(Reason::ComponentChannelMissing));
    assert_eq!(with(component(Some(Verified), Some(""))), Err(Reason::ComponentChannelMissing));
    assert_eq!(with(component(Some(Pending), None)), Err(Reason::ComponentNotVerified));
    assert_eq!(with(component(None, None)), Err(Reason::ComponentNotVerified));
    let reviewed = |review| with(Component { review: Some(review), ..component(None, None) });
    assert_eq!(reviewed(Review::Confirmed), Ok(()));
    assert_eq!(reviewed(Review::Open), Err(Reason::ComponentNotVerified));
}

#[test]
fn reports_are_json_too() {
    let text = serde_json::to_string(&validate("{}", &TrustedKeys::test(), None)).unwrap();
    assert!(text.starts_with(r#"{"valid":false,"reason_code":"schema_invalid","verdict":null"#), "{text}");
    assert!(text.contains(r#"{"check":"signature","outcome":"not_run","reason_code":null,"detail":null}"#));
}

proptest! {
    #[test]
    fn any_flipped_bit_is_refused(at in 0..EXAMPLE.len(), bit in 0u32..7) {
        let mut bytes = EXAMPLE.as_bytes().to_vec();
        bytes[at] ^= 1 << bit;
        let changed = String::from_utf8(bytes).unwrap();
        let report = validate(&changed, &TrustedKeys::test(), None);
        let same = parse(&changed).is_ok_and(|value| value == parse(EXAMPLE).unwrap());
        prop_assert!(!report.is_valid() || same, "{}", changed);
    }
}
