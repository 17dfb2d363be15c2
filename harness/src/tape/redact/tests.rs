//! No secret and no person is left, equal stays equal, and ids stay.

use provely_evaluator::json::parse;
use provely_evaluator::time::Time;

use super::*;
use crate::tape::{Answered, pairs};

fn exchange(path: &str, headers: &[(&str, &str)], body: Content, reply: &str) -> Exchange {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let request =
        Sent { method: "POST".into(), path: path.into(), query: Vec::new(), headers, body: Some(body) };
    let reply = Answered {
        status: 200,
        headers: [("set-cookie".to_owned(), "session=abcdefgh1234".to_owned())].into(),
        body: Some(Content::Json(parse(reply).unwrap())),
    };
    Exchange::new(Time::from_seconds(1), Time::from_seconds(2), request, Some(reply))
}

#[test]
fn nothing_secret_or_personal_is_left_and_ids_stay() {
    let mut redactor = Redactor::default();
    let form = "amount=500&payment=pay_1Ab&receipt_email=Ada%40example.com&card[number]=4242424242424242\
                &card[cvc]=123&name=Ada+Lovelace&address[line1]=12+Main+St&metadata[order_id]=4242424242424242";
    let reply = r#"{
        "id": "re_3MmlLrLkdIwHu7ix0snN0B15", "amount": 500, "status": "pending", "created": 1679592000,
        "billing": {"name": "Ada Lovelace", "email": "ada@example.com", "phone": "+49 30 123456",
                    "address": {"city": "Berlin", "zip": 10115, "country": "DE"}},
        "client_secret": "cs_aaaaaaaaaaaa", "note": "call Ada Lovelace", "verified": true, "last4": "4242",
        "to": ["Ada Lovelace <ada@example.com>"], "iban": "DE89370400440532013000",
        "description": "sent with sk_live_abcdef123456 to ada@example.com by Ada Lovelace",
        "next": "https://api.example.com/x?access_token=tok_abcdefgh&limit=2"
    }"#;
    let secret = "sk_live_abcdef123456";
    let headers =
        [("authorization", "Bearer sk_live_abcdef123456"), ("content-type", "x"), ("x-api-key", secret)];
    let made = exchange("/v1/contacts/ada%40example.com/re_1", &headers, Content::Form(pairs(form)), reply);
    let text = redactor.redact(&made).to_text().unwrap();
    for gone in [
        "sk_live",
        "Lovelace",
        "Ada",
        "ada@",
        "Berlin",
        "10115",
        "Main St",
        "cs_aaaa",
        "123456",
        "DE8937",
        "tok_abc",
        "session",
        "abcdefgh1234",
        "\"123\"",
    ] {
        assert!(!text.contains(gone), "`{gone}` is left in {text}");
    }
    for kept in
        ["re_3MmlLrLkdIwHu7ix0snN0B15", "pay_1Ab", "\"pending\"", "1679592000", "500", "/re_1", "limit=2"]
    {
        assert!(text.contains(kept), "`{kept}` is gone from {text}");
    }
    assert_eq!(text.matches("4242424242424242").count(), 1, "the card is gone, the id is not: {text}");
    assert_eq!(text.matches("person-1@redacted.invalid").count(), 5, "one person, five times: {text}");
    assert!(!text.contains("person-2") && !text.contains("\"4242\""), "{text}");
}

#[test]
fn a_recording_that_is_redacted_again_stays_readable() {
    let mut redactor = Redactor::default();
    let made =
        exchange("/x", &[], Content::Text("mail ada@example.com".into()), r#"{"email":"ada@example.com"}"#);
    let once = redactor.redact(&made);
    assert_eq!(Redactor::default().redact(&once), once);
    assert_eq!(Exchange::read(&once.to_text().unwrap()), Ok(once));
}
