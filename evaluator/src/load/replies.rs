//! Load rules over how the provider is talked to: when a reply is a refusal, and where a retry key goes. Must not
//! judge conditions.

use alloc::format;

use super::Faults;
use crate::contract::{Contract, Idempotency, ItemTest, Operator};
use crate::json::Value;
use crate::query::{Reference, Root};

/// Checks the tests on replies and the place of the retry key.
pub(super) fn check(contract: &Contract, faults: &mut Faults) {
    tests("action", &contract.action.in_band_failure, faults);
    for (index, channel) in contract.evidence_policy.channels.iter().enumerate() {
        let Some(request) = &channel.request else { continue };
        tests(&format!("evidence_policy.channels[{index}].request"), &request.in_band_failure, faults);
    }
    if let Some(idempotency) = &contract.action.idempotency {
        key_place(idempotency, faults);
    }
}

fn tests(owner: &str, tests: &[ItemTest], faults: &mut Faults) {
    for (index, _) in tests.iter().enumerate().filter(|(_, test)| !is_plain(test)) {
        faults.add(
            "in_band_failure_shape",
            &format!("{owner}.in_band_failure[{index}]"),
            "a reply is told to be a failure by comparing a value at `@` with a literal".into(),
            Some("give `path` rooted at `@`, `operator`, and a literal where the operator takes one"),
        );
    }
}

/// True for a path into the reply, compared with nothing but a literal.
fn is_plain(test: &ItemTest) -> bool {
    let rooted = test.path.as_deref().and_then(|path| Reference::parse(path).ok());
    let alone = test.owner.is_empty() && !test.effect && test.when.is_none();
    let literal = |value: &Value| value.as_str().is_none_or(|text| !Reference::is_reference(text));
    let compared = match (test.operator, &test.expected) {
        (Some(Operator::Exists | Operator::Absent), None) => true,
        (Some(Operator::Exists | Operator::Absent) | None, _) => false,
        (Some(_), Some(Value::Array(items))) => items.iter().all(literal),
        (Some(_), expected) => expected.as_ref().is_some_and(literal),
    };
    alone && compared && rooted.is_some_and(|reference| reference.root == Root::Item)
}

fn key_place(idempotency: &Idempotency, faults: &mut Faults) {
    let places = [idempotency.header.is_some(), idempotency.field.is_some(), idempotency.directive.is_some()];
    if places.into_iter().filter(|given| *given).count() > 1 {
        faults.add(
            "key_place_ambiguous",
            "action.idempotency",
            "a retry key goes into one place".into(),
            Some("keep one of `header`, `field` and `directive`"),
        );
    }
}
