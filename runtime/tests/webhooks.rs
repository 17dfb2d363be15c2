//! Signatures by data: published and independently computed digests, edges of time, rotation, replays.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use provely_evaluator::contract::EventSource;
use provely_evaluator::json;
use provely_evaluator::manifest::WebhookSignature;
use provely_evaluator::time::Time;
use provely_model::{SecretEncoding, SignatureDigest, SignatureScheme, SignatureText};
use provely_runtime::events::identify;
use provely_runtime::webhook::{ReplayMemory, SignatureError, scheme_of, sign, verify};

const AT: i64 = 1_788_616_800;
const BODY: &[u8] = b"{\"id\":\"evt_1\",  \"b\":1,\"a\":\"\\u00e9\"}\n";

fn scheme(text: SignatureText, signed: &str) -> SignatureScheme {
    SignatureScheme {
        header: "X-Signature".into(),
        text,
        signed: signed.into(),
        digest: SignatureDigest::HmacSha256,
        encoding: SecretEncoding::Hex,
        key: SecretEncoding::Raw,
        key_prefix: None,
        timestamp_header: None,
        id_header: None,
        tolerance_seconds: None,
    }
}

fn pairs() -> SignatureScheme {
    let text = SignatureText::Pairs { timestamp: "t".into(), signature: "v1".into() };
    SignatureScheme { tolerance_seconds: Some(300), ..scheme(text, "{t}.{body}") }
}

fn listed() -> SignatureScheme {
    SignatureScheme {
        header: "webhook-signature".into(),
        encoding: SecretEncoding::Base64,
        key: SecretEncoding::Base64,
        key_prefix: Some("whsec_".into()),
        timestamp_header: Some("webhook-timestamp".into()),
        id_header: Some("webhook-id".into()),
        tolerance_seconds: Some(300),
        ..scheme(SignatureText::Listed { version: "v1".into() }, "{id}.{timestamp}.{body}")
    }
}

fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn seconds(at: i64) -> Time {
    Time::from_seconds(at)
}

const PAIRS_DIGEST: &str = "ce0dc5a1a6322b51e8679ebc4233335408653017c6ef9f5410625c54f609d353";

#[test]
fn schemes_of_every_kind_fit_digests_computed_elsewhere() {
    let at = AT.to_string();
    let plain = |prefix: Option<&str>| SignatureText::Plain { prefix: prefix.map(str::to_owned) };
    let whole = scheme(plain(Some("sha256=")), "{body}");
    let base64 = SignatureScheme { encoding: SecretEncoding::Base64, ..scheme(plain(None), "{body}") };
    let versioned = SignatureScheme {
        timestamp_header: Some("X-Time".into()),
        tolerance_seconds: Some(300),
        ..scheme(plain(Some("v0=")), "v0:{timestamp}:{body}")
    };
    let cases = [
        (pairs(), "whsec_test", BODY, headers(&[("x-signature", &format!("t={at},v1={PAIRS_DIGEST}"))])),
        (
            listed(),
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            BODY,
            headers(&[
                ("Webhook-Id", "msg_1"),
                ("Webhook-Timestamp", &at),
                ("Webhook-Signature", "v1a,AAAA v1,dfgTuAs32fU0Jnhf1G/hdnVOQApIRx+7z8PpKF+6ZSA="),
            ]),
        ),
        (
            whole,
            "It's a Secret to Everybody",
            b"Hello, World!",
            headers(&[(
                "X-Signature",
                "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
            )]),
        ),
        (base64, "hush", BODY, headers(&[("X-Signature", "CBoT6Sobts1kF3tpVNWQfaSL0WyZxp5zZJ0GV/3l8Ug=")])),
        (
            versioned,
            "hush",
            BODY,
            headers(&[
                ("X-Time", &at),
                ("X-Signature", "v0=4361a47852c7306d973c4d8e5aee9cdee659e874c5afdaf0a22ed234332baf0e"),
            ]),
        ),
    ];
    for (scheme, secret, body, headers) in cases {
        let secrets = [secret.to_owned()];
        assert_eq!(verify(&scheme, &secrets, &headers, body, seconds(AT)), Ok(()), "{scheme:?}");
        let signed = sign(&scheme, secret, seconds(AT), "msg_1", body).unwrap();
        assert_eq!(verify(&scheme, &secrets, &signed, body, seconds(AT)), Ok(()), "signed by ourselves");
    }
}

#[test]
fn t28_every_changed_byte_is_refused() {
    let secrets = ["whsec_test".to_owned()];
    let header = headers(&[("X-Signature", &format!("t={AT},v1={PAIRS_DIGEST}"))]);
    let text = core::str::from_utf8(BODY).unwrap();
    let reserialised = [
        text.replace("  ", " "),
        text.trim_end().to_owned(),
        text.replace("\\u00e9", "é"),
        r#"{"a":"\u00e9","b":1,"id":"evt_1"}"#.to_owned() + "\n",
        json::parse(text).unwrap().to_string(),
    ];
    for body in reserialised {
        let result = verify(&pairs(), &secrets, &header, body.as_bytes(), seconds(AT));
        assert_eq!(result, Err(SignatureError::Mismatch), "{body}");
    }
    for index in 0..BODY.len() {
        let mut body = BODY.to_vec();
        body[index] ^= 1;
        assert_eq!(verify(&pairs(), &secrets, &header, &body, seconds(AT)), Err(SignatureError::Mismatch));
    }
}

#[test]
fn t29_any_active_secret_fits_any_signature_and_unknown_kinds_are_passed_over() {
    let zeros = "0".repeat(64);
    let header =
        headers(&[("X-Signature", &format!("t={AT},v0={PAIRS_DIGEST},v1={zeros},v1={PAIRS_DIGEST},x"))]);
    let secrets = ["whsec_old".to_owned(), "whsec_test".to_owned()];
    assert_eq!(verify(&pairs(), &secrets, &header, BODY, seconds(AT)), Ok(()));
    assert_eq!(verify(&pairs(), &secrets[..1], &header, BODY, seconds(AT)), Err(SignatureError::Mismatch));
    let only_old_kind = headers(&[("X-Signature", &format!("t={AT},v0={PAIRS_DIGEST}"))]);
    let refused = verify(&pairs(), &secrets, &only_old_kind, BODY, seconds(AT));
    assert_eq!(refused, Err(SignatureError::NoSignature));
}

#[test]
fn t30_age_and_future_are_judged_apart_with_both_edges_inside() {
    let secrets = ["whsec_test".to_owned()];
    let header = headers(&[("X-Signature", &format!("t={AT},v1={PAIRS_DIGEST}"))]);
    let at = |millis: i64| verify(&pairs(), &secrets, &header, BODY, Time::from_millis(AT * 1000 + millis));
    assert_eq!(at(300_000), Ok(()));
    assert_eq!(at(300_001), Err(SignatureError::TooOld));
    assert_eq!(at(-300_000), Ok(()));
    assert_eq!(at(-300_001), Err(SignatureError::InTheFuture));
}

#[test]
fn t30_a_copy_is_remembered_as_long_as_it_could_pass() {
    let mut memory = ReplayMemory::default();
    let header = headers(&[("X-Signature", &format!("t={AT},v1={PAIRS_DIGEST}"))]);
    let early = seconds(AT - 300);
    assert!(memory.take(&pairs(), &header, BODY, early));
    assert!(!memory.take(&pairs(), &header, BODY, seconds(AT)));
    assert!(!memory.take(&pairs(), &header, BODY, seconds(AT + 300)), "the last moment at which it passes");
    assert!(memory.take(&pairs(), &header, b"other", seconds(AT)));
}

#[test]
fn what_is_missing_or_malformed_says_so() {
    let secrets = ["whsec_test".to_owned()];
    let check = |value: &str| {
        verify(&pairs(), &secrets, &headers(&[("X-Signature", value)]), BODY, seconds(AT)).unwrap_err()
    };
    assert_eq!(verify(&pairs(), &secrets, &[], BODY, seconds(AT)), Err(SignatureError::HeaderMissing));
    assert_eq!(check(&format!("v1={PAIRS_DIGEST}")), SignatureError::HeaderMalformed);
    assert_eq!(check(&format!("t={AT}")), SignatureError::NoSignature);
    assert_eq!(check(&format!("t={AT},v1=zz")), SignatureError::Mismatch);
    assert_eq!(check(&format!("t={AT},v1=")), SignatureError::Mismatch);
    let header = headers(&[("X-Signature", &format!("t={AT},v1={PAIRS_DIGEST}"))]);
    assert_eq!(verify(&pairs(), &[], &header, BODY, seconds(AT)), Err(SignatureError::NoKey));
    assert_eq!(verify(&pairs(), &[String::new()], &header, BODY, seconds(AT)), Err(SignatureError::NoKey));
}

#[test]
fn a_signed_manifest_states_the_same_schemes() {
    let manifest = |text: &str| json::from_value::<WebhookSignature>(&json::parse(text).unwrap()).unwrap();
    let own = manifest(
        r#"{"header":"X-Signature","parts":{"separator":",","assign":"=","timestamp":"t","signature":"v1","others":"ignore"},
            "signed":"{t}.{body}","timestamp_unit":"seconds","digest":"hmac-sha256","encoding":"hex",
            "secret":{"prefix":"whsec_","key":"whole"},"tolerance_seconds":300,"several_secrets":true}"#,
    );
    assert_eq!(scheme_of(&own), Some(pairs()));
    let standard = manifest(
        r#"{"header":"webhook-signature","parts":{"separator":" ","assign":",","signature":"v1","others":"ignore"},
            "timestamp_header":"webhook-timestamp","id_header":"webhook-id","signed":"{id}.{timestamp}.{body}",
            "digest":"hmac-sha256","encoding":"base64","secret":{"prefix":"whsec_","key":"base64"},"tolerance_seconds":300}"#,
    );
    assert_eq!(scheme_of(&standard), Some(listed()));
}

#[test]
fn an_event_is_known_again_by_the_header_where_it_carries_no_id() {
    let source = |id: &str| {
        let text = format!(
            r#"{{"types":["letter.sent"],{id},"type":"$.type","record":"$.data","record_id":"$.data.letter_id"}}"#
        );
        json::from_value::<EventSource>(&json::parse(&text).unwrap()).unwrap()
    };
    let event = json::parse(r#"{"type":"letter.sent","id":"evt_1","data":{"letter_id":"l_1"}}"#).unwrap();
    let headers = headers(&[("Webhook-Id", "msg_1")]);
    let known = |id: &str| identify(&source(id), &headers, &event).map(|(id, _)| id);
    assert_eq!(known(r#""id":"$.id""#).as_deref(), Some("evt_1"));
    assert_eq!(known(r#""id_header":"webhook-id""#).as_deref(), Some("msg_1"));
    assert_eq!(known(r#""id_header":"x-other""#), None);
}

#[test]
fn an_event_is_of_the_type_that_the_header_names_where_it_names_none() {
    let source = |kind: &str| {
        let text =
            format!(r#"{{"types":["letters/sent"],"id":"$.id",{kind},"record":"$","record_id":"$.id"}}"#);
        json::from_value::<EventSource>(&json::parse(&text).unwrap()).unwrap()
    };
    let letter = json::parse(r#"{"id":"l_1","kind":"letters/opened"}"#).unwrap();
    let headers = headers(&[("X-Topic", "letters/sent")]);
    let known = |kind: &str| identify(&source(kind), &headers, &letter).map(|(_, kind)| kind);
    assert_eq!(known(r#""type_header":"x-topic""#).as_deref(), Some("letters/sent"));
    assert_eq!(known(r#""type":"$.kind""#).as_deref(), Some("letters/opened"));
    assert_eq!(known(r#""type_header":"x-other""#), None);
    assert_eq!(known(r#""type":"$.other""#), None);
}
