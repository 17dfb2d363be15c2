//! A manifest has one printing, and opens only from that.

use super::*;
use crate::contract::{EvidenceLevel, StateClass};
use crate::hash::Digest;
use crate::seal::TEST_KEY_ID;
use alloc::vec;
use proptest::prelude::*;

fn draft() -> ManifestDraft {
    let time = Time::parse("2026-09-05T12:00:00Z").unwrap();
    Manifest {
        schema_version: MANIFEST_SCHEMA_VERSION.into(),
        service: ServiceName { id: "acme".into(), title: "Acme".into() },
        skill_version: "0.1.0".into(),
        compiler_version: "0.1.0".into(),
        compiled_at: time,
        base_url: "https://api.acme.test".into(),
        version: VersionRule {
            header: Some("Acme-Version".into()),
            scheme: "date".into(),
            default: "2026-01-01".into(),
            range: VersionRange { from: "2025-01-01".into(), to: "2026-01-01".into() },
        },
        body_encoding: BodyEncoding::Form,
        in_band_failure: vec![ItemTest { path: Some("@.errors".into()), ..ItemTest::default() }],
        webhook_signature: Some(WebhookSignature {
            header: "Acme-Signature".into(),
            parts: None,
            prefix: Some("sha256=".into()),
            timestamp_header: None,
            id_header: None,
            signed: "{body}".into(),
            timestamp_unit: None,
            digest: WebhookDigest::HmacSha256,
            encoding: SignatureEncoding::Hex,
            secret: WebhookSecret { prefix: None, key: SecretKey::Whole },
            tolerance_seconds: None,
            several_secrets: false,
        }),
        read_scopes: vec!["orders:read".into()],
        sources: vec![],
        lifecycles: vec![LifecycleFacts {
            name: "acme.order".into(),
            field: "/status".into(),
            states: vec![StateFacts {
                name: "done".into(),
                class: StateClass::TerminalSuccess,
                reversible: false,
                certainty: Certainty::Documented,
                meaning: "The order is placed.".into(),
                assertions: vec!["acme.openapi#/x".into()],
            }],
        }],
        files: vec![FileEntry { path: "contracts/a.json".into(), sha256: Digest::of(b""), bytes: 0 }],
        contracts: vec![ContractEntry {
            id: "acme.order.placed".into(),
            version: "1.0.0".into(),
            path: "contracts/a.json".into(),
            completion_level: "placed".into(),
            promise: "The order is placed.".into(),
            certification: Certification::Verified,
            evidence_levels: vec![EvidenceLevel::E2],
            hash: Digest::of(b"{}"),
        }],
        score: Score {
            dimensions: vec![Dimension {
                name: "documentation".into(),
                points: Points::from_hundredths(1231),
                maximum: Points::whole(20),
            }],
            raw: Points::from_hundredths(8298),
            caps: vec![],
            after_caps: Points::whole(49),
            level: Certification::Community,
        },
        conformance: Conformance {
            total: 60,
            passed: 60,
            critical_false_verified: 0,
            digest: Digest::of(b"run"),
            ran_against: RanAgainst::Simulator,
            run_at: time,
            classes: vec![ClassResult { class: "wrong_subject".into(), passed: 4, total: 4 }],
        },
        benchmark: None,
        open_uncertainties: 0,
        signature: Unsigned,
    }
}

#[test]
fn opens_from_its_own_printing_alone() {
    let manifest = draft().seal(&SigningKey::test_key(), TEST_KEY_ID).unwrap();
    let text = manifest.to_json().unwrap();
    let opened = Manifest::open(&text, &TrustedKeys::test()).unwrap();
    assert_eq!(opened.document(), &manifest);
    assert!(text.contains("\"points\": \"12.31\"") && text.contains("\"final\": \"49\""));
    let reason = |text: &str, keys: &TrustedKeys| Manifest::open(text, keys).unwrap_err().reason;
    assert_eq!(reason(text.trim_end(), &TrustedKeys::test()), Reason::PrintingDiffers);
    assert_eq!(reason(&text, &TrustedKeys::new()), Reason::KeyNotTrusted);
    let better = text.replace("\"final\": \"49\"", "\"final\": \"99\"");
    assert_eq!(reason(&better, &TrustedKeys::test()), Reason::PayloadDigestMismatch);
    let more = text.replacen("{\n", "{\n  \"note\": 1,\n", 1);
    assert_eq!(reason(&more, &TrustedKeys::test()), Reason::SchemaInvalid);
}

#[test]
fn another_format_version_is_not_read() {
    let newer = ManifestDraft { schema_version: "2.0.0".into(), ..draft() };
    let error = newer.seal(&SigningKey::test_key(), TEST_KEY_ID).unwrap_err();
    assert_eq!(error.reason, Reason::SchemaInvalid);
}

#[test]
fn points_have_one_spelling() {
    for text in ["", ".5", "1.", "01", "1.50", "1.0", "1.234", "-1", "+1", "1e2", "42949673", "1.-1"] {
        assert_eq!(text.parse::<Points>(), Err(PointsError), "{text}");
    }
}

proptest! {
    #[test]
    fn points_print_and_read(hundredths in any::<u32>()) {
        let points = Points::from_hundredths(hundredths);
        prop_assert_eq!(points.to_string().parse(), Ok(points));
    }
}
