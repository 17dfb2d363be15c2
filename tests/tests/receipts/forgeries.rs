//! Makes the receipts that must be refused, and valid ones beside them, always the same bytes. What each must
//! give stands here once and goes into its expectation; nothing here validates.

use provely_evaluator::hash::Digest;
use provely_evaluator::json::{Object, Value, parse};
use provely_evaluator::seal::{SigningKey, TEST_KEY_ID, seal_value};

/// The order of the group of Ed25519, least significant byte first (RFC 8032, section 5.1).
const GROUP_ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// A generated pair of files.
struct Case {
    folder: &'static str,
    name: &'static str,
    text: String,
    expected: Object,
}

/// The paths of all generated files below the fixtures' folder, with their text.
pub fn all(example: &str) -> Vec<(String, String)> {
    let example = parse(example).unwrap();
    let cases = [valid(&example), seals(&example), keys(&example), texts(&example), claims(&example)];
    cases.into_iter().flatten().flat_map(files).collect()
}

fn files(case: Case) -> [(String, String); 2] {
    let Case { folder, name, text, expected } = case;
    let expected = format!("{:#}\n", Value::Object(expected));
    [(format!("{folder}/{name}.json"), text), (format!("{folder}/{name}.expect.json"), expected)]
}

fn accepted(name: &'static str, document: &Value, exit_code: u8) -> Case {
    let mut expected = Object::new();
    expected.insert("reason_code", "signature_valid");
    expected.insert("exit_code", exit_code);
    Case { folder: "valid", name, text: print(document), expected }
}

fn forged(name: &'static str, check: &str, reason: &str, document: &Value) -> Case {
    forged_text(name, check, reason, print(document))
}

fn forged_text(name: &'static str, check: &str, reason: &str, text: String) -> Case {
    let mut expected = Object::new();
    expected.insert("reason_code", reason);
    expected.insert("check", check);
    expected.insert("exit_code", 1);
    Case { folder: "forged", name, text, expected }
}

impl Case {
    fn with(mut self, member: &str, value: Value) -> Self {
        self.expected.insert(member, value);
        self
    }
}

fn print(document: &Value) -> String {
    format!("{document:#}\n")
}

/// The value at a path of member names and indices, set or added.
fn set(document: &Value, path: &[&str], value: impl Into<Value>) -> Value {
    let mut copy = document.clone();
    let (last, parents) = path.split_last().unwrap();
    let mut place = &mut copy;
    for step in parents {
        place = match place {
            Value::Array(items) => &mut items[step.parse::<usize>().unwrap()],
            other => other.as_object_mut().unwrap().get_mut(step).unwrap(),
        };
    }
    place.as_object_mut().unwrap().insert(*last, value);
    copy
}

fn without(document: &Value, parent: &[&str], member: &str) -> Value {
    let mut copy = document.clone();
    let mut place = &mut copy;
    for step in parent {
        place = place.as_object_mut().unwrap().get_mut(step).unwrap();
    }
    place.as_object_mut().unwrap().remove(member).unwrap();
    copy
}

fn sign(document: &Value) -> Value {
    seal_value(document, &SigningKey::test_key(), TEST_KEY_ID).unwrap()
}

fn repair_digest(document: &Value) -> Value {
    let digest = Digest::of_document(document, "signature").unwrap();
    set(document, &["signature", "payload_sha256"], digest.to_hex())
}

fn json(text: &str) -> Value {
    parse(text).unwrap()
}

fn text_at(document: &Value, path: &[&str]) -> String {
    path.iter().fold(document, |value, step| value.get(step).unwrap()).as_str().unwrap().to_owned()
}

fn test_public_key() -> String {
    SigningKey::test_key().public_key().to_string()
}

fn rogue_key() -> SigningKey {
    SigningKey::from_seed(&[0x42; 32])
}

fn pending(example: &Value) -> Value {
    let verdict = r#"{"verdict":"PENDING","terminal":false,"reason_code":"evidence_missing",
        "reason":"The provider has not answered yet.","evidence_levels_used":[]}"#;
    set(&set(example, &["verdict"], json(verdict)), &["observations"], json("[]"))
}

fn valid(example: &Value) -> Vec<Case> {
    let verdict = |name: &str| set(&pending(example), &["verdict", "verdict"], name);
    let full = [
        ("subject", r#"{"type":"stripe.refund","identity":{"refund_id":"re_1"}}"#),
        ("input_sha256", r#""723aefd14209efcc53cbc32bc3fa445e141470a1a1855283cd57bf5a40ffdc0e""#),
        ("intent_ref", r#""order 4471""#),
        ("connection", r#"{"account":"acct_1","mode":"test"}"#),
        ("causality", r#""key""#),
        ("not_applied", r#"["currency_matches"]"#),
        ("finality", r#""reversible""#),
        ("supersedes", r#""rc_01ARZ3NDEKTSV4RRFFQ69G5FB0""#),
        ("escalated", "false"),
        (
            "components",
            r#"[{"id":"refund","operation_id":"op_1","verdict":"VERIFIED","channel":"refund_readback"},
                {"id":"customer","review":"confirmed"}]"#,
        ),
    ];
    let full =
        full.iter().fold(example.clone(), |document, (member, text)| set(&document, &[member], json(text)));
    let retired = format!(
        r#"{{"{TEST_KEY_ID}":{{"public_key":"{}","not_before":"2026-09-01T00:00:00Z",
            "retired_at":"2026-09-05T14:03:26.007Z"}}}}"#,
        test_public_key()
    );
    vec![
        accepted("pending", &sign(&pending(example)), 2),
        accepted("failed", &sign(&verdict("FAILED")), 3),
        accepted("contradicted", &sign(&verdict("CONTRADICTED")), 4),
        accepted("unverifiable", &sign(&verdict("UNVERIFIABLE")), 5),
        accepted("escalated", &sign(&set(&pending(example), &["escalated"], true)), 5),
        accepted("all_members", &sign(&full), 0),
        accepted("key_retired_later", example, 0).with("trusted_keys", json(&retired)),
        accepted("contract_at_hand", &sign(&naming(example, &contract())), 0).with("contract", contract()),
    ]
}

fn contract() -> Value {
    json(
        r#"{"id":"stripe.refund.succeeded","version":"1.0.0","hash":"left out","promise":"The refund arrived."}"#,
    )
}

fn naming(example: &Value, contract: &Value) -> Value {
    set(example, &["contract", "hash"], Digest::of_document(contract, "hash").unwrap().to_hex())
}

fn seals(example: &Value) -> Vec<Case> {
    let (json_check, signature) = ("canonical json", "signature");
    let tampered = set(&sign(&pending(example)), &["verdict"], example.get("verdict").unwrap().clone());
    let tampered = set(&tampered, &["observations"], example.get("observations").unwrap().clone());
    let foreign = seal_value(example, &rogue_key(), TEST_KEY_ID).unwrap();
    let other = set(example, &["signature"], sign(&pending(example)).get("signature").unwrap().clone());
    let identity = format!("01{}", "00".repeat(31));
    let small_order = set(example, &["signature", "public_key"], identity.clone());
    let small_order = set(&small_order, &["signature", "value"], format!("{identity}{}", "00".repeat(32)));
    let invalid = "signature_invalid";
    vec![
        forged("tampered_verdict", json_check, "payload_digest_mismatch", &tampered),
        forged("tampered_verdict_repaired_digest", signature, invalid, &repair_digest(&tampered)),
        forged(
            "altered_digest",
            json_check,
            "payload_digest_mismatch",
            &set(example, &["signature", "payload_sha256"], "00".repeat(32)),
        ),
        forged("signature_of_another_receipt", json_check, "payload_digest_mismatch", &other),
        forged(
            "rogue_signature_under_trusted_key",
            signature,
            invalid,
            &set(&foreign, &["signature", "public_key"], test_public_key()),
        ),
        forged("signature_s_plus_group_order", signature, invalid, &plus_group_order(example)),
        forged("small_order_public_key", signature, invalid, &small_order),
        forged("zero_signature", signature, invalid, &set(example, &["signature", "value"], "00".repeat(64))),
        forged(
            "wrong_algorithm",
            signature,
            "signature_algorithm_unsupported",
            &set(example, &["signature", "algorithm"], "none"),
        ),
        forged(
            "algorithm_in_capitals",
            signature,
            "signature_algorithm_unsupported",
            &set(example, &["signature", "algorithm"], "Ed25519"),
        ),
        forged(
            "wrong_canonicalization",
            json_check,
            "canonicalization_unsupported",
            &set(example, &["signature", "canonicalization"], "none"),
        ),
        forged(
            "unsafe_integer",
            json_check,
            "unsafe_integer",
            &set(example, &["attempt_count"], 9_007_199_254_740_992_u64),
        ),
    ]
}

/// The same signature with S + L for S: lenient verifiers that do not reduce take it.
fn plus_group_order(example: &Value) -> Value {
    let value = text_at(example, &["signature", "value"]);
    let mut carry = 0;
    let sum: String = GROUP_ORDER
        .iter()
        .enumerate()
        .map(|(at, byte)| {
            let own = u16::from_str_radix(&value[64 + 2 * at..66 + 2 * at], 16).unwrap();
            let sum = own + u16::from(*byte) + carry;
            carry = sum >> 8;
            format!("{:02x}", sum & 0xff)
        })
        .collect();
    assert_eq!(carry, 0);
    set(example, &["signature", "value"], format!("{}{sum}", &value[..64]))
}

fn keys(example: &Value) -> Vec<Case> {
    let (check, untrusted, too_soon) =
        ("key trusted", "receipt_key_not_trusted", "receipt_key_not_valid_at_issue");
    let limited = |limit: &str| {
        let key = test_public_key();
        json(&format!(r#"{{"{TEST_KEY_ID}":{{"public_key":"{key}",{limit}}}}}"#))
    };
    let renamed = json(&format!(r#"{{"another-key":"{}"}}"#, test_public_key()));
    let rogue = |id: &str| seal_value(example, &rogue_key(), id).unwrap();
    let later = sign(&set(example, &["issued_at"], "2026-09-05T14:03:27.000Z"));
    vec![
        forged("rogue_key", check, untrusted, &rogue(TEST_KEY_ID)),
        forged("rogue_key_id", check, untrusted, &rogue("rogue-key-1")),
        forged("no_trusted_keys", check, untrusted, example).with("trusted_keys", json("{}")),
        forged("trusted_key_under_another_id", check, untrusted, example).with("trusted_keys", renamed),
        forged("key_not_valid_yet", check, too_soon, example)
            .with("trusted_keys", limited(r#""not_before":"2026-09-05T14:03:26.007Z""#)),
        forged("key_expired", check, too_soon, example)
            .with("trusted_keys", limited(r#""not_after":"2026-09-05T14:03:26.005Z""#)),
        forged("key_retired", check, too_soon, &later)
            .with("trusted_keys", limited(r#""retired_at":"2026-09-05T14:03:26.007Z""#)),
    ]
}

fn texts(example: &Value) -> Vec<Case> {
    let text = print(example);
    let (schema, malformed, invalid) = ("schema", "malformed_json", "schema_invalid");
    let attempts = "\"attempt_count\": 3";
    let twice = text.replacen(attempts, "\"attempt_count\": 4,\n  \"attempt_count\": 3", 1);
    let spelt = text.replacen(attempts, "\"attempt_\\u0063ount\": 4,\n  \"attempt_count\": 3", 1);
    let deep =
        text.replacen(attempts, &format!("\"attempt_count\": {}3{}", "[".repeat(200), "]".repeat(200)), 1);
    let upper = |path: &[&str]| set(example, path, text_at(example, path).to_uppercase());
    vec![
        forged_text("truncated", schema, malformed, text[..text.len() / 2].to_owned()),
        forged_text("empty", schema, malformed, String::new()),
        forged_text("text_after_the_document", schema, malformed, format!("{text}{{}}\n")),
        forged_text("byte_order_mark", schema, malformed, format!("\u{feff}{text}")),
        forged_text("too_deep", schema, malformed, deep),
        forged_text("duplicate_member", schema, "duplicate_member", twice),
        forged_text("duplicate_member_by_escape", schema, "duplicate_member", spelt),
        forged_text("decimal_number", schema, invalid, text.replacen(attempts, "\"attempt_count\": 3.0", 1)),
        forged("not_an_object", schema, invalid, &json("[]")),
        forged("unsigned", schema, invalid, &without(example, &[], "signature")),
        forged("added_member", schema, invalid, &sign(&set(example, &["note"], "trust me"))),
        forged("added_member_in_signature", schema, invalid, &set(example, &["signature", "note"], "x")),
        forged("newer_schema_version", schema, invalid, &sign(&set(example, &["schema_version"], "2.0.0"))),
        forged("unknown_verdict", schema, invalid, &sign(&set(example, &["verdict", "verdict"], "verified"))),
        forged(
            "issued_without_zone",
            schema,
            invalid,
            &sign(&set(example, &["issued_at"], "2026-09-05T14:03:26")),
        ),
        forged("signature_in_capitals", schema, invalid, &upper(&["signature", "value"])),
        forged("public_key_in_capitals", schema, invalid, &upper(&["signature", "public_key"])),
        forged("signature_too_short", schema, invalid, &set(example, &["signature", "value"], "83e03aeb")),
        forged(
            "contract_hash_in_capitals",
            "contract hash",
            "contract_hash_malformed",
            &sign(&upper(&["contract", "hash"])),
        ),
        forged(
            "contract_hash_too_short",
            "contract hash",
            "contract_hash_malformed",
            &sign(&set(example, &["contract", "hash"], "83491ff9")),
        ),
    ]
}

fn claims(example: &Value) -> Vec<Case> {
    let evidence = "evidence claim";
    let levels = |levels: &str| sign(&set(example, &["verdict", "evidence_levels_used"], json(levels)));
    let e0 = set(example, &["observations", "0", "evidence_level"], "E0");
    let e0 = sign(&set(&e0, &["verdict", "evidence_levels_used"], json(r#"["E0"]"#)));
    let parts = |parts: &str| sign(&set(example, &["components"], json(parts)));
    let absent = sign(&without(example, &["verdict"], "evidence_levels_used"));
    let other = set(&contract(), &["promise"], "Anything at all.");
    let renamed = set(&contract(), &["version"], "1.0.1");
    let mismatch = |name, document: &Value, contract: Value| {
        forged(name, "contract hash", "contract_hash_mismatch", &sign(document)).with("contract", contract)
    };
    vec![
        forged("evidence_e0_only", evidence, "evidence_level_insufficient", &e0),
        forged("evidence_levels_empty", evidence, "evidence_level_insufficient", &levels("[]")),
        forged("evidence_levels_absent", "schema", "schema_invalid", &absent),
        forged("evidence_level_unknown", "schema", "schema_invalid", &levels(r#"["E6"]"#)),
        forged(
            "level_not_on_an_observation",
            evidence,
            "evidence_level_not_observed",
            &levels(r#"["E2","E3"]"#),
        ),
        forged(
            "verified_without_observation",
            evidence,
            "observation_missing",
            &sign(&set(example, &["observations"], json("[]"))),
        ),
        forged(
            "component_without_channel",
            "components",
            "component_channel_missing",
            &parts(r#"[{"id":"refund","verdict":"VERIFIED"}]"#),
        ),
        forged(
            "component_contradicted",
            "components",
            "component_not_verified",
            &parts(r#"[{"id":"refund","verdict":"CONTRADICTED","channel":"refund_readback"}]"#),
        ),
        forged(
            "component_review_open",
            "components",
            "component_not_verified",
            &parts(r#"[{"id":"customer","review":"open"}]"#),
        ),
        mismatch("contract_changed", &naming(example, &contract()), other),
        mismatch("contract_of_another_version", &naming(example, &renamed), renamed),
    ]
}
