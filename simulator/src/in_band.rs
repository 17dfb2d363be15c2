//! What a reply with a success status says of its own success, where an operation says so in its body. It must not
//! decide whether anything is refused.

use provely_evaluator::json::{Object, Value};
use provely_evaluator::query::{Step, walk};
use provely_model::FailurePredicate;

use crate::place::{set_at, steps_of};

/// Where a reply says whether it failed, and in which words.
#[derive(Debug)]
pub(crate) struct InBand {
    steps: Vec<Step>,
    equals: Option<Value>,
    unless: Option<Value>,
}

impl InBand {
    /// The predicate with its path below what `below` cuts off.
    pub(crate) fn new(predicate: &FailurePredicate, below: impl Fn(Vec<Step>) -> Vec<Step>) -> Option<Self> {
        let steps = below(steps_of(Some(&predicate.path))?);
        Some(Self { steps, equals: predicate.equals.clone(), unless: predicate.unless.clone() })
    }

    /// Says in a body that the request was refused: with `errors` where they are listed.
    pub(crate) fn refuse(&self, body: &mut Value, errors: Value) {
        let word = match (&self.equals, &self.unless) {
            (Some(value), _) => value.clone(),
            (None, Some(Value::Bool(flag))) => Value::Bool(!flag),
            (None, Some(_)) => Value::from("refused"),
            (None, None) => errors,
        };
        set_at(body, &self.steps, word);
    }

    /// Says in a body that all went well, unless it says something already. What is no object has no room for it.
    pub(crate) fn settle(&self, body: &mut Value) {
        if body.as_object().is_none() || walk(&self.steps, body).is_some() {
            return;
        }
        let word = match (&self.equals, &self.unless) {
            (Some(Value::Bool(flag)), _) => Value::Bool(!flag),
            (Some(_), _) => Value::Null,
            (None, Some(value)) => value.clone(),
            (None, None) => Value::Array(Vec::new()),
        };
        set_at(body, &self.steps, word);
    }
}

/// One error, as a list of them holds it.
pub(crate) fn one_error(code: &str) -> Value {
    let mut error = Object::new();
    error.insert("code", code);
    Value::Array(vec![Value::Object(error)])
}
