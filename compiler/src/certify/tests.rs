//! Scores, packages and their checks.

use std::collections::BTreeMap;

use provely_evaluator::contract::EvidenceLevel;
use provely_evaluator::hash::Digest;
use provely_evaluator::manifest::{Certification, Conformance, Manifest, Points, RanAgainst};
use provely_evaluator::seal::{SigningKey, TEST_KEY_ID, TrustedKeys};
use provely_evaluator::time::Time;
use provely_model::Certainty;

use super::*;
use crate::assertion::SourceRecord;
use crate::plan::Rules;
use crate::plan::tests::{Fixture, refunds};
use crate::review::Reviewed;
use crate::source::{ServiceFile, read_service};
use crate::synthesise::{Synthesised, synthesise};
use crate::uncertainty::{Uncertainty, UncertaintyKind};

fn file() -> ServiceFile {
    read_service("service.yaml", include_str!("../../../sources/stripe/service.yaml")).unwrap()
}

fn run(passed: u64, total: u64) -> Run {
    run_by(passed, total, &SigningKey::test_key(), TEST_KEY_ID)
}

fn run_by(passed: u64, total: u64, key: &SigningKey, key_id: &str) -> Run {
    let artifact = provely_evaluator::json::parse(r#"{"run_at":"1970-01-01T00:00:00.000Z"}"#).unwrap();
    let result = Conformance {
        total,
        passed,
        critical_false_verified: 0,
        digest: Digest::of(&[]),
        ran_against: RanAgainst::Simulator,
        run_at: Time::from_seconds(0),
        classes: Vec::new(),
    };
    Run::seal(result, &artifact, key, key_id).unwrap()
}

fn full() -> Measure {
    let all = Ratio::new(1, 1);
    Measure {
        documentation: all,
        schema: all,
        lifecycle: all,
        evidence: EvidenceLevel::E5,
        strong: all,
        identity: all,
        repeated: all,
    }
}

/// Each row: part, whole, maximum, points.
#[test]
fn points_are_exact_to_the_hundredth() {
    let rows = [
        (5, 6, 20, "16.67"),
        (3, 5, 20, "12"),
        (30, 32, 10, "9.38"),
        (17, 20, 15, "12.75"),
        (0, 3, 20, "0"),
        (3, 3, 15, "15"),
        (0, 0, 20, "20"),
        (9, 3, 20, "20"),
    ];
    for (part, whole, maximum, wanted) in rows {
        assert_eq!(points(Ratio::new(part, whole), maximum).to_string(), wanted, "{part} of {whole}");
    }
}

#[test]
fn dimensions_add_up_and_the_lowest_cap_wins() {
    let measure = Measure {
        documentation: Ratio::new(9, 10),
        schema: Ratio::new(17, 20),
        evidence: EvidenceLevel::E3,
        ..full()
    };
    let gates = Gates { open: vec![69, 49], unreviewed: 2, ..Gates::default() };
    let score = score(&measure, &gates, &run(30, 32).result);
    let points: Vec<String> = score.dimensions.iter().map(|dimension| dimension.points.to_string()).collect();
    assert_eq!(points, ["18", "12.75", "20", "12", "15", "9.38"]);
    assert_eq!(score.raw.to_string(), "87.13");
    let caps: Vec<_> = score.caps.iter().map(|cap| (cap.gate.as_str(), cap.cap.to_string())).collect();
    assert_eq!(caps, [("uncertainty_caps", "49".to_owned()), ("conformance_threshold", "89".to_owned())]);
    assert_eq!((score.after_caps.to_string().as_str(), score.level), ("49", Certification::Community));
}

#[test]
fn every_gate_caps() {
    let clean = run(4, 4).result;
    let gate = |measure: &Measure, gates: &Gates, run: &Conformance| {
        score(measure, gates, run)
            .caps
            .into_iter()
            .map(|cap| (cap.gate, cap.cap.to_string()))
            .collect::<Vec<_>>()
    };
    assert_eq!(gate(&full(), &Gates::default(), &clean), []);
    let unknown = Gates { unknown_semantics: true, ..Gates::default() };
    assert_eq!(gate(&full(), &unknown, &clean), [("unknown_terminal_semantics".to_owned(), "49".to_owned())]);
    let loose = Measure { strong: Ratio::new(0, 1), ..full() };
    assert_eq!(
        gate(&loose, &Gates::default(), &clean),
        [("no_causal_correlation".to_owned(), "69".to_owned())]
    );
    let word = Measure { evidence: EvidenceLevel::E1, ..full() };
    assert_eq!(
        gate(&word, &Gates::default(), &clean),
        [("action_response_only".to_owned(), "49".to_owned())]
    );
    assert_eq!(
        gate(&full(), &Gates::default(), &run(3, 4).result),
        [("conformance_threshold".to_owned(), "89".to_owned())]
    );
}

#[test]
fn levels_ask_for_more_than_points() {
    let clean = run(4, 4).result;
    let recorded = Conformance { ran_against: RanAgainst::Recorded, ..clean.clone() };
    let none = Gates::default();
    let open = Gates { unreviewed: 1, ..Gates::default() };
    let level =
        |points: u16, gates: &Gates, run: &Conformance| level_of(Points::whole(points), &[], gates, run);
    assert_eq!(level(49, &none, &clean), Certification::Community);
    assert_eq!(level(50, &none, &clean), Certification::GeneratedDraft);
    assert_eq!(level(74, &none, &clean), Certification::GeneratedDraft);
    assert_eq!(level(75, &none, &clean), Certification::Verified);
    assert_eq!(level(80, &none, &run(3, 4).result), Certification::GeneratedDraft);
    assert_eq!(level(95, &none, &run(0, 0).result), Certification::GeneratedDraft);
    assert_eq!(level(95, &none, &clean), Certification::Verified);
    assert_eq!(level(95, &open, &recorded), Certification::Verified);
    assert_eq!(level(95, &none, &recorded), Certification::Official);
}

#[test]
fn causality_counts_by_thirds_and_by_the_part_present() {
    let causal = |strong, identity, repeated| {
        points(Measure { strong, identity, repeated, ..full() }.causal(), 15).to_string()
    };
    let (all, nothing) = (Ratio::new(1, 1), Ratio::new(0, 1));
    assert_eq!(causal(all, all, all), "15");
    assert_eq!(causal(all, nothing, nothing), "5");
    assert_eq!(causal(all, Ratio::new(2, 3), Ratio::new(1, 2)), "10.83");
}

pub(super) struct Made {
    fixture: Fixture,
    file: ServiceFile,
    reviewed: Reviewed,
    run: Run,
}

impl Made {
    pub(super) fn new() -> Self {
        Self { fixture: refunds(), file: file(), reviewed: Reviewed::default(), run: run(32, 32) }
    }

    fn written(&self) -> Synthesised {
        synthesise(&self.fixture.planned(), &self.file.names, &Rules::builtin().unwrap())
    }

    pub(super) fn certify(&self) -> Result<Certified, CertifyError> {
        self.certify_with(&SigningKey::test_key(), TEST_KEY_ID)
    }

    fn certify_with(&self, key: &SigningKey, key_id: &str) -> Result<Certified, CertifyError> {
        let planned = self.fixture.planned();
        let sources: Vec<SourceRecord> = self
            .file
            .sources
            .iter()
            .map(|source| SourceRecord {
                id: source.id.clone(),
                kind: source.kind.name(),
                url: source.url.clone(),
                retrieved: source.retrieved.clone(),
                excerpt: source.excerpt.clone(),
                sha256: Digest::of(source.id.as_bytes()).to_hex(),
            })
            .collect();
        let release = Release {
            skill_version: "0.1.0".to_owned(),
            compiler_version: "0.1.0".to_owned(),
            compiled_at: Time::from_seconds(1_796_000_000),
        };
        let input = Input {
            service: &planned.service,
            sources: &sources,
            file: Some(&self.file),
            written: &self.written(),
            reviewed: &self.reviewed,
            run: &self.run,
            release: &release,
        };
        certify(input, key, key_id)
    }
}

pub(super) type Files = BTreeMap<String, Vec<u8>>;

pub(super) fn bytes(files: &BTreeMap<String, String>) -> Files {
    files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect()
}

fn outcomes(checks: &[Check]) -> Vec<(&'static str, Outcome)> {
    checks.iter().map(|check| (check.name, check.outcome)).collect()
}

pub(super) fn failed(checks: &[Check]) -> Vec<&'static str> {
    checks.iter().filter(|check| check.outcome == Outcome::Failed).map(|check| check.name).collect()
}

#[test]
fn the_package_holds_what_is_published_and_nothing_else() {
    let certified = Made::new().certify().unwrap();
    let paths: Vec<_> = certified.files.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        [
            "conformance.json",
            "contracts/stripe.refund.created.json",
            "contracts/stripe.refund.succeeded.json",
            "manifest.json"
        ]
    );
    let manifest = Manifest::open(&certified.files["manifest.json"], &TrustedKeys::test()).unwrap();
    assert_eq!(manifest.version.scheme, "date_name");
    assert_eq!(manifest.read_scopes, ["event:read", "refund:read"]);
    assert_eq!(manifest.lifecycles[0].field, "/status");
    assert_eq!(manifest.lifecycles[0].states.len(), 5);
    assert_eq!(manifest.contracts[1].evidence_levels, [EvidenceLevel::E2, EvidenceLevel::E3]);
    assert_eq!(manifest.webhook_signature.as_ref().unwrap().header, "Stripe-Signature");
}

#[test]
fn the_skill_stands_as_high_as_its_worst_contract() {
    let certified = Made::new().certify().unwrap();
    let created = &certified.scores[0];
    assert_eq!((created.0.as_str(), &created.1), ("stripe.refund.created", &certified.score));
    assert!(certified.scores[1].1.raw > created.1.raw);
    let strength = |score: &provely_evaluator::manifest::Score| score.dimensions[3].points.to_string();
    assert_eq!((strength(&created.1), strength(&certified.scores[1].1)), ("8".to_owned(), "12".to_owned()));
    assert_eq!(created.1.dimensions[1].points.to_string(), "15");
    assert_eq!(created.1.dimensions[4].points.to_string(), "15");
    assert!(created.1.caps.is_empty());
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(Made::new().certify().unwrap(), Made::new().certify().unwrap());
}

#[test]
fn a_cap_binds_the_contracts_that_rest_on_what_it_names() {
    let mut made = Made::new();
    let ask = |kind, subject: &str| Uncertainty::new(kind, subject, "?");
    made.reviewed.open =
        vec![ask(UncertaintyKind::StateClass, "charge.status:x"), ask(UncertaintyKind::Effect, "POST /v1/x")];
    let certified = made.certify().unwrap();
    assert!(certified.score.caps.is_empty());
    made.reviewed.open.push(ask(UncertaintyKind::StateClass, "refund.status:canceled"));
    assert_eq!(made.certify().unwrap().score.after_caps, Points::whole(49));
}

#[test]
fn a_guessed_class_caps_and_a_reviewed_one_does_not() {
    let mut made = Made::new();
    let set = |made: &mut Made, certainty| {
        made.fixture.resource_mut("refund").lifecycle.as_mut().unwrap().states[4].certainty = certainty;
    };
    set(&mut made, Certainty::Lexical);
    let certified = made.certify().unwrap();
    assert_eq!(certified.score.caps[0].gate, "unknown_terminal_semantics");
    assert_eq!(certified.score.dimensions[2].points.to_string(), "16");
    set(&mut made, Certainty::Reviewed);
    assert!(made.certify().unwrap().score.caps.is_empty());
}

#[test]
fn a_false_verified_rejects_and_a_missing_contract_is_named() {
    let mut made = Made::new();
    made.run.result.critical_false_verified = 1;
    assert_eq!(made.certify().unwrap_err().code(), "certify/critical-false-verified");
    let mut made = Made::new();
    made.file.publish[0].levels.push("settled".to_owned());
    let error = made.certify().unwrap_err();
    assert_eq!(error.code(), "certify/not-written");
    assert!(error.to_string().contains("POST /v1/refunds settled"));
}

#[test]
fn a_good_package_passes_every_check() {
    let certified = Made::new().certify().unwrap();
    let files = bytes(&certified.files);
    let checks = verify_package(&files, &TrustedKeys::test(), Some(&certified.files));
    let names = ["files", "digests", "contracts", "run", "printing", "signature", "trust", "recompiled"];
    assert_eq!(outcomes(&checks), names.map(|name| (name, Outcome::Passed)));
    assert!(checks[6].detail.contains("public test key"));
    let without = verify_package(&files, &TrustedKeys::test(), None);
    assert_eq!(without[7].outcome, Outcome::Skipped);
}

#[test]
fn each_kind_of_tampering_fails_its_own_check() {
    let certified = Made::new().certify().unwrap();
    let trusted = TrustedKeys::test();
    let tamper = |change: &dyn Fn(&mut Files)| {
        let mut files = bytes(&certified.files);
        change(&mut files);
        failed(&verify_package(&files, &trusted, None))
    };
    let contract = "contracts/stripe.refund.created.json";
    assert_eq!(tamper(&|files| drop(files.insert("extra.json".to_owned(), Vec::new()))), ["files"]);
    assert_eq!(tamper(&|files| drop(files.remove(contract))), ["files", "contracts"]);
    assert_eq!(tamper(&|files| files.get_mut(contract).unwrap().push(b' ')), ["digests"]);
    assert_eq!(tamper(&|files| files.get_mut("conformance.json").unwrap().push(b' ')), ["digests"]);
    let unseal = |files: &mut Files| drop(files.insert("conformance.json".to_owned(), b"{}\n".to_vec()));
    assert_eq!(tamper(&unseal), ["digests", "run"]);
    assert_eq!(tamper(&|files| files.get_mut("manifest.json").unwrap().push(b'\n')), ["printing"]);
    let raise = |files: &mut Files| {
        let text = String::from_utf8(files["manifest.json"].clone())
            .unwrap()
            .replace("\"passed\": 32", "\"passed\": 31");
        files.insert("manifest.json".to_owned(), text.into_bytes());
    };
    assert_eq!(tamper(&raise), ["signature"]);
    assert_eq!(tamper(&|files| drop(files.remove("manifest.json"))), ["signature"]);
}

#[test]
fn an_unknown_key_fails_trust_alone_and_does_not_change_what_is_compiled() {
    let made = Made::new();
    let key = SigningKey::from_seed(&[7; 32]);
    let certified = made.certify_with(&key, "acme-1").unwrap();
    let checks =
        verify_package(&bytes(&certified.files), &TrustedKeys::test(), Some(&made.certify().unwrap().files));
    assert_eq!(failed(&checks), ["trust"]);
}

#[test]
fn a_signed_artifact_is_compared_without_its_signature() {
    let signed = |key: &SigningKey, key_id: &str| {
        let mut made = Made::new();
        made.run = run_by(32, 32, key, key_id);
        made.certify_with(key, key_id).unwrap()
    };
    let ours = signed(&SigningKey::test_key(), TEST_KEY_ID);
    let theirs = signed(&SigningKey::from_seed(&[7; 32]), "a-longer-key-id-than-the-other");
    let checks = verify_package(&bytes(&ours.files), &TrustedKeys::test(), Some(&theirs.files));
    assert_eq!(failed(&checks), [""; 0]);
}

#[test]
fn other_sources_are_noticed_by_compiling_again() {
    let certified = Made::new().certify().unwrap();
    let mut other = Made::new();
    other.file.names.contracts.clear();
    let recompiled = other.certify().unwrap();
    let checks = verify_package(&bytes(&certified.files), &TrustedKeys::test(), Some(&recompiled.files));
    assert_eq!(failed(&checks), ["recompiled"]);
    assert!(checks[7].detail.contains("contracts/stripe.refund.created.json"));
}
