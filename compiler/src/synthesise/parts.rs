//! Small pieces of conditions: scalar tests, tests on items, counts. Builds them; must not choose them.

use provely_evaluator::contract::{As, Condition, ItemTest, Operator, Owner};
use provely_evaluator::json::Value;

/// A scalar condition on one channel.
pub(super) fn scalar(channel: &str, path: String, operator: Operator, expected: Value) -> Condition {
    Condition {
        path: Some(path),
        operator: Some(operator),
        expected: Some(expected),
        evidence: vec![channel.to_owned()],
        ..Condition::default()
    }
}

/// A condition on the number of items that pass.
pub(super) fn count(
    over: String,
    channel: &str,
    matching: Vec<ItemTest>,
    operator: Operator,
    number: u32,
) -> Condition {
    Condition {
        over: Some(over),
        matching,
        count: true,
        operator: Some(operator),
        expected: Some(Value::from(number)),
        evidence: vec![channel.to_owned()],
        ..Condition::default()
    }
}

/// Only items that were not there before; by the time of their creation where no baseline could be read.
pub(super) fn outside(
    condition: Condition,
    root: &str,
    baseline: Option<&str>,
    created: Option<&str>,
) -> Condition {
    let Some(baseline) = baseline else { return condition };
    let fallback = match created {
        Some(created) => item(
            under(root, created),
            Operator::TimeAfter,
            Some(Value::from("$operation.created_at")),
            Some(As::Instant),
        ),
        None => item(format!("$baseline.{baseline}.id"), Operator::Exists, None, None),
    };
    Condition {
        outside: Some(format!("$baseline.{baseline}")),
        fallback: Some(Box::new(fallback)),
        ..condition
    }
}

/// A test on an item or on the input.
pub(super) fn item(
    path: String,
    operator: Operator,
    expected: Option<Value>,
    read_as: Option<As>,
) -> ItemTest {
    ItemTest { path: Some(path), operator: Some(operator), expected, read_as, ..ItemTest::default() }
}

/// The input names this member.
pub(super) fn given(input: &str) -> ItemTest {
    item(format!("$input.{input}"), Operator::Exists, None, None)
}

/// The item belongs to this operation or to nobody.
pub(super) fn unowned_or_ours() -> ItemTest {
    ItemTest { owner: vec![Owner::This, Owner::None], ..ItemTest::default() }
}

/// The item belongs to nobody.
pub(super) fn unowned() -> ItemTest {
    ItemTest { owner: vec![Owner::None], ..ItemTest::default() }
}

/// The item's state is a success.
pub(super) fn with_effect() -> ItemTest {
    ItemTest { effect: true, ..ItemTest::default() }
}

/// One state as `eq`, several as `in`.
pub(super) fn states(names: &[String]) -> (Operator, Value) {
    match names {
        [only] => (Operator::Eq, Value::from(only.as_str())),
        _ => (Operator::In, names.iter().map(String::as_str).collect()),
    }
}

/// A path rooted at `@` under another root: `@.a` under `$observed.x` is `$observed.x.a`.
pub(super) fn under(root: &str, path: &str) -> String {
    format!("{root}{}", path.strip_prefix('@').unwrap_or(path))
}
