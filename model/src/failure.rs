//! When a reply with a success status is a refusal, and how contracts write that. Must not read replies.

use provely_evaluator::contract::{ItemTest, Operator};
use provely_evaluator::json::Value;
use serde::{Deserialize, Serialize};

/// When a reply with a success status is a refusal. Without `equals` and `unless` it is wherever something
/// stands at `path`: a list with an item, or a text that is not empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailurePredicate {
    /// Where to look, rooted at `$`.
    pub path: String,
    /// The value that means refusal.
    #[serde(default)]
    pub equals: Option<Value>,
    /// The value that means success; any other means refusal.
    #[serde(default)]
    pub unless: Option<Value>,
}

impl FailurePredicate {
    /// The tests of which one holds on a reply that refuses. Each is rooted at `@`; nothing, or null, passes none.
    #[must_use]
    pub fn tests(&self) -> Vec<ItemTest> {
        let path = self.path.replacen('$', "@", 1);
        let test = |path: String, operator, expected| ItemTest {
            path: Some(path),
            operator: Some(operator),
            expected,
            ..ItemTest::default()
        };
        match (&self.equals, &self.unless) {
            (Some(value), _) => vec![test(path, Operator::Eq, Some(value.clone()))],
            (None, Some(value)) => vec![test(path, Operator::Ne, Some(value.clone()))],
            (None, None) => vec![
                test(format!("{path}[0]"), Operator::Exists, None),
                test(path, Operator::Ne, Some(Value::from(""))),
            ],
        }
    }

    /// The predicate that a contract's tests were written from; `None` for tests of another shape.
    #[must_use]
    pub fn of(tests: &[ItemTest]) -> Option<Self> {
        let test = tests.last()?;
        let path = test.path.as_deref()?.replacen('@', "$", 1);
        let value = test.expected.clone()?;
        let operator = test.operator?;
        if operator == Operator::Eq {
            Some(Self { path, equals: Some(value), unless: None })
        } else if operator == Operator::Ne {
            let unless = Some(value).filter(|value| value.as_str() != Some(""));
            Some(Self { path, equals: None, unless })
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_predicate_is_read_back_from_its_tests() {
        for (equals, unless) in
            [(Some(Value::from("error")), None), (None, Some(Value::from(true))), (None, None)]
        {
            let predicate = FailurePredicate { path: String::from("$.a.b"), equals, unless };
            assert_eq!(FailurePredicate::of(&predicate.tests()), Some(predicate));
        }
        assert_eq!(FailurePredicate::of(&[]), None);
    }
}
