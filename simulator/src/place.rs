//! Writing a value at the place that a singular query names. It must not decide what is written.

use provely_evaluator::json::{Object, Value};
use provely_evaluator::query::{Reference, Step};

/// Array positions beyond this are not written: no reply has a query to them.
const LAST_POSITION: i64 = 999;

/// Writes `value` at `steps` below `target`, making objects and arrays on the way. What stands in the
/// way of a step (text where a member is wanted) is replaced. `[-1]` is the last element, or the first
/// of an empty array; an index beyond 999 writes nothing.
pub fn set_at(target: &mut Value, steps: &[Step], value: Value) {
    let Some((step, rest)) = steps.split_first() else {
        *target = value;
        return;
    };
    match step {
        Step::Member(name) => {
            if target.as_object().is_none() {
                *target = Value::Object(Object::new());
            }
            let Some(object) = target.as_object_mut() else { return };
            if !object.contains_key(name) {
                object.insert(name.as_str(), Value::Null);
            }
            if let Some(member) = object.get_mut(name) {
                set_at(member, rest, value);
            }
        }
        Step::Index(index) => {
            if let Some(element) = element(target, *index) {
                set_at(element, rest, value);
            }
        }
    }
}

/// Takes away what stands at `steps`; an array keeps its length and gets `null`.
pub(crate) fn remove_at(target: &mut Value, steps: &[Step]) -> Option<Value> {
    let (last, way) = steps.split_last()?;
    let parent = way.iter().try_fold(target, |value, step| match (step, value) {
        (Step::Member(name), Value::Object(object)) => object.get_mut(name),
        (Step::Index(index), Value::Array(items)) => items.get_mut(usize::try_from(*index).ok()?),
        (Step::Member(_) | Step::Index(_), _) => None,
    })?;
    match (last, parent) {
        (Step::Member(name), Value::Object(object)) => object.remove(name),
        (Step::Index(index), Value::Array(items)) => {
            items.get_mut(usize::try_from(*index).ok()?).map(core::mem::take)
        }
        (Step::Member(_) | Step::Index(_), _) => None,
    }
}

/// The steps of a query; none where it is absent or no query.
pub(crate) fn steps_of(query: Option<&str>) -> Option<Vec<Step>> {
    Reference::parse(query?).ok().map(|reference| reference.steps)
}

fn element(target: &mut Value, index: i64) -> Option<&mut Value> {
    if index > LAST_POSITION {
        return None;
    }
    if target.as_array().is_none() {
        *target = Value::Array(Vec::new());
    }
    let Value::Array(items) = target else { return None };
    let length = i64::try_from(items.len()).ok()?;
    let position = if index < 0 { (length + index).max(0) } else { index };
    let position = usize::try_from(position).ok()?;
    if items.len() <= position {
        items.resize(position + 1, Value::Null);
    }
    items.get_mut(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(start: &str, query: &str, value: &str) -> String {
        let mut target = provely_evaluator::json::parse(start).unwrap();
        let steps = Reference::parse(query).unwrap().steps;
        set_at(&mut target, &steps, provely_evaluator::json::parse(value).unwrap());
        target.to_string()
    }

    #[test]
    fn makes_the_way() {
        assert_eq!(written("null", "$.data.object", "1"), r#"{"data":{"object":1}}"#);
        assert_eq!(written("{}", "$.a[1].b", "2"), r#"{"a":[null,{"b":2}]}"#);
        assert_eq!(written(r#"{"a":[7,8]}"#, "$.a[-1]", "9"), r#"{"a":[7,9]}"#);
        assert_eq!(written(r#"{"a":"x"}"#, "$.a.b", "1"), r#"{"a":{"b":1}}"#);
        assert_eq!(written("{}", "$", "[]"), "[]");
        assert_eq!(written("{}", "$.a[5000]", "1"), r#"{"a":null}"#);
    }

    #[test]
    fn takes_away() {
        let mut target = provely_evaluator::json::parse(r#"{"a":{"b":1,"c":2}}"#).unwrap();
        let steps = Reference::parse("$.a.b").unwrap().steps;
        assert_eq!(remove_at(&mut target, &steps), Some(Value::from(1)));
        assert_eq!(remove_at(&mut target, &steps), None);
        assert_eq!(target.to_string(), r#"{"a":{"c":2}}"#);
    }

    proptest! {
        #[test]
        fn what_is_set_is_found(way in prop::collection::vec(prop_oneof![
            "[a-c]".prop_map(Step::Member), (0i64..4).prop_map(Step::Index)], 0..5), number in 0i64..9) {
            let mut target = Value::Null;
            set_at(&mut target, &way, Value::from(number));
            prop_assert_eq!(provely_evaluator::query::walk(&way, &target), Some(&Value::from(number)));
        }
    }
}
