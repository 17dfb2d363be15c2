//! Parts: the items inside a record that carry its outcome, such as the payments of a refund. Makes them, moves
//! them and adds up what has settled. It must not decide when they move.

use std::sync::Arc;

use provely_evaluator::contract::StateClass;
use provely_evaluator::json::{Number, Value};
use provely_evaluator::query::{Step, walk};
use provely_model::{EchoKind, FieldKind};

use crate::blueprint::{Kind, Life, PartsLife};
use crate::options::{PartScript, Script};
use crate::place::set_at;
use crate::provider::Provider;
use crate::serve::Call;
use crate::shape;
use crate::truth::TruePart;

/// A thousandth is the smallest share.
const WHOLE: u32 = 1000;

impl Provider {
    /// Puts the parts of a new record into it, and makes what sums them up zero.
    pub(crate) fn make_parts(
        &mut self,
        kind: &Kind,
        call: &Call<'_>,
        value: &mut Value,
        input: &Value,
        script: &Script,
    ) {
        let Some((life, parts)) = kind.parts() else { return };
        let amount = call.action.echoes.iter().find(|(.., what)| *what == EchoKind::Amount);
        let whole = amount.and_then(|(from, ..)| walk(from, input)).cloned();
        let one = [PartScript { initial: script.initial.clone(), ..PartScript::default() }];
        let scripts: &[PartScript] = script.parts.as_deref().unwrap_or(&one);
        let blueprint = Arc::clone(&self.blueprint);
        let below = blueprint
            .kind_named(&parts.resource)
            .and_then(|place| Some((place, blueprint.kinds.get(place)?)));
        let mut items = Vec::new();
        for own in scripts {
            let mut item = match below {
                Some((_, kind)) => Value::Object(shape::blank(kind, &self.options, self.clock())),
                None => Value::Null,
            };
            if let Some((place, kind)) = below {
                let id = self.new_id(place, kind);
                set_at(&mut item, &kind.id, Value::from(id));
            }
            let state = own.initial.as_deref().or_else(|| life.first()).unwrap_or_default();
            set_at(&mut item, &life.steps, Value::from(state));
            if let (Some((steps, wanted)), other) = (&parts.only, own.other_kind) {
                let shown =
                    if other { parts.other_kind.as_deref().unwrap_or("other") } else { wanted.as_str() };
                set_at(&mut item, steps, Value::from(shown));
            }
            if let Some((steps, live)) = &parts.mode {
                set_at(&mut item, steps, Value::Bool((self.options.live == *live) != own.test));
            }
            if let Some(steps) = &parts.by_hand {
                set_at(&mut item, steps, Value::Bool(own.by_hand));
            }
            for (steps, asked) in asked_of_each(call, parts, input) {
                set_at(&mut item, steps, asked.clone());
            }
            if let (Some(steps), Some(whole)) = (&parts.amount, &whole) {
                set_at(&mut item, steps, fitted(&share(whole, own.share), parts.amount_kind));
            }
            items.push(item);
        }
        set_at(value, &parts.over, Value::Array(items));
        for to in sums(kind, call) {
            resum(kind, &to, value);
        }
    }

    /// Moves one part, or every part that may go there; the record's value afterwards, if anything moved.
    pub(crate) fn moved_parts(
        life: &Life,
        parts: &PartsLife,
        value: &Value,
        to: &str,
        (only, forced): (Option<usize>, bool),
    ) -> Option<Value> {
        let mut items = walk(&parts.over, value)?.as_array()?.to_vec();
        let mut moved = false;
        for (place, item) in items.iter_mut().enumerate() {
            let from = walk(&life.steps, item).and_then(Value::as_str).unwrap_or_default().to_owned();
            let meant = only.is_none_or(|only| only == place) && from != to;
            if meant && (forced || life.lifecycle.allows(&from, to)) {
                set_at(item, &life.steps, Value::from(to));
                moved = true;
            }
        }
        let mut value = value.clone();
        set_at(&mut value, &parts.over, Value::Array(items));
        moved.then_some(value)
    }
}

/// What the input asks of every part, its amount aside: where a part shows it, and the value.
fn asked_of_each<'a>(
    call: &'a Call<'_>,
    parts: &'a PartsLife,
    input: &'a Value,
) -> impl Iterator<Item = (&'a [Step], &'a Value)> {
    let echoes = call.action.echoes.iter().filter(|(.., what)| *what != EchoKind::Amount);
    echoes.filter_map(|(from, to, _)| match to.strip_prefix(parts.over.as_slice())? {
        [Step::Index(_), steps @ ..] => Some((steps, walk(from, input)?)),
        _ => None,
    })
}

/// The parts of a record's value, as they truly are.
pub(crate) fn true_parts(kind: &Kind, value: &Value, live: bool) -> Vec<TruePart> {
    let Some((life, parts)) = kind.parts() else { return Vec::new() };
    let items = walk(&parts.over, value).and_then(Value::as_array).unwrap_or_default();
    let part = |item: &Value| {
        let state = walk(&life.steps, item).and_then(Value::as_str).unwrap_or_default().to_owned();
        let meant = parts
            .only
            .as_ref()
            .is_none_or(|(steps, wanted)| walk(steps, item).and_then(Value::as_str) == Some(wanted.as_str()));
        let own_mode = parts.mode.as_ref().is_none_or(|(steps, mark)| {
            walk(steps, item).and_then(Value::as_bool).is_none_or(|shown| shown == (live == *mark))
        });
        let by_hand = parts.by_hand.as_ref().and_then(|steps| walk(steps, item)).and_then(Value::as_bool);
        let amount = parts.amount.as_ref().and_then(|steps| walk(steps, item)).and_then(text_of);
        TruePart { state, counts: meant && own_mode && by_hand != Some(true), amount }
    };
    items.iter().map(part).collect()
}

/// The one state of all parts; none where they differ or there are none.
pub(crate) fn common_state(parts: &[TruePart]) -> Option<String> {
    let first = parts.first()?;
    parts.iter().all(|part| part.state == first.state).then(|| first.state.clone())
}

/// The fields of a record that echo an amount: they show what its parts have settled.
pub(crate) fn sums(kind: &Kind, call: &Call<'_>) -> Vec<Vec<Step>> {
    let Some((_, parts)) = kind.parts() else { return Vec::new() };
    let amounts = call.action.echoes.iter().filter(|(.., what)| *what == EchoKind::Amount);
    amounts.map(|(_, to, _)| to.clone()).filter(|to| !to.starts_with(&parts.over)).collect()
}

/// Writes the settled sum at one place.
pub(crate) fn resum(kind: &Kind, to: &[Step], value: &mut Value) {
    let Some((life, parts)) = kind.parts() else { return };
    let settled = true_parts(kind, value, true)
        .into_iter()
        .filter(|part| life.class(&part.state) == StateClass::TerminalSuccess);
    let total = settled.filter_map(|part| decimal(&part.amount?)).fold((0, 0), plus);
    set_at(value, to, fitted(&printed(total), parts.amount_kind));
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.as_str().to_owned()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// So many thousandths of an amount, in its own notation.
fn share(whole: &Value, thousandths: u32) -> String {
    let text = text_of(whole).unwrap_or_default();
    match decimal(&text) {
        Some(_) if thousandths == WHOLE => text,
        Some((number, scale)) => {
            let mut shared = (number.saturating_mul(i128::from(thousandths)), scale + 3);
            while shared.1 > scale && shared.0 % 10 == 0 {
                shared = (shared.0 / 10, shared.1 - 1);
            }
            printed(shared)
        }
        None => text,
    }
}

fn fitted(text: &str, kind: Option<FieldKind>) -> Value {
    match kind {
        Some(FieldKind::Integer | FieldKind::Number) => {
            Number::from_text(text).map_or_else(|| Value::from(text), Value::Number)
        }
        Some(_) | None => Value::from(text),
    }
}

/// A decimal as a whole number and its digits behind the point.
fn decimal(text: &str) -> Option<(i128, u32)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let number = format!("{whole}{fraction}").parse().ok()?;
    Some((number, u32::try_from(fraction.len()).ok()?))
}

fn plus(one: (i128, u32), other: (i128, u32)) -> (i128, u32) {
    let scale = one.1.max(other.1);
    let raised = |(number, own): (i128, u32)| {
        number.saturating_mul(10_i128.checked_pow(scale - own).unwrap_or(i128::MAX))
    };
    (raised(one).saturating_add(raised(other)), scale)
}

fn printed((number, scale): (i128, u32)) -> String {
    let digits = usize::try_from(scale).unwrap_or(0);
    if digits == 0 {
        return number.to_string();
    }
    let text = format!("{:0>width$}", number.unsigned_abs(), width = digits + 1);
    let (whole, fraction) = text.split_at(text.len() - digits);
    format!("{}{whole}.{fraction}", if number < 0 { "-" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_sums_are_exact() {
        assert_eq!(share(&Value::from("142.00"), 500), "71.00");
        assert_eq!(share(&Value::from(14_200), 250), "3550");
        assert_eq!(share(&Value::from("10.0"), 1000), "10.0");
        assert_eq!(share(&Value::from(142), 600), "85.2");
        let sum = ["19.99", "0.01", "122"].iter().filter_map(|text| decimal(text)).fold((0, 0), plus);
        assert_eq!(printed(sum), "142.00");
        assert_eq!(printed((5, 2)), "0.05");
        assert_eq!(decimal("soon"), None);
    }
}
