//! What a record's status says to a checker that knows the model: paths, states and their classes. No verdict is
//! reached here.

use std::cmp::Ordering;

use provely_evaluator::compare::{Decimal, Fixed};
use provely_evaluator::contract::StateClass;
use provely_evaluator::json::Value;
use provely_model::Parts;
use provely_runtime::pages::query;
use provely_runtime::request::scalar_text;

use super::Desk;

/// What a status says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// What was to be confirmed.
    Kept,
    /// It ended without effect.
    Ended,
    /// Anything else.
    Open,
}

/// The status of a record; of its parts together where they carry it. `strict` leaves parts out that do not count.
pub(super) fn status(desk: &Desk<'_>, record: &Value, strict: bool) -> Status {
    let Some(lifecycle) = &desk.resource.lifecycle else { return one(desk, None) };
    let Some(parts) = &lifecycle.parts else {
        return one(desk, query(&lifecycle.path, record).and_then(Value::as_str));
    };
    let items = query(&parts.over, record).and_then(Value::as_array).unwrap_or_default();
    let counted = items.iter().filter(|item| !strict || counts(parts, item));
    let mut all = counted.map(|item| one(desk, query(&lifecycle.path, item).and_then(Value::as_str)));
    let Some(first) = all.next() else { return Status::Open };
    if all.all(|next| next == first) { first } else { Status::Open }
}

fn one(desk: &Desk<'_>, state: Option<&str>) -> Status {
    let lifecycle = desk.resource.lifecycle.as_ref();
    if desk.promise.is_kept(lifecycle, state) {
        return Status::Kept;
    }
    let class = lifecycle.zip(state).and_then(|(own, state)| own.state(state)).map(|own| own.class);
    if class.is_some_and(StateClass::is_effectless) { Status::Ended } else { Status::Open }
}

/// True for a part of the kind that counts, of the live mode, with an effect at the provider.
fn counts(parts: &Parts, item: &Value) -> bool {
    let is = |path: &str, value: Value| query(path, item) == Some(&value);
    parts.only.as_ref().is_none_or(|(path, value)| is(path, Value::from(value.as_str())))
        && parts.live.as_ref().is_none_or(|(path, live)| is(path, Value::Bool(*live)))
        && parts.by_hand.as_ref().is_none_or(|path| !is(path, Value::Bool(true)))
}

/// The amount that a record carries: in its field, or the sum of its parts.
pub(super) fn amount(desk: &Desk<'_>, record: &Value, path: &str) -> Option<Fixed> {
    let parts = desk.resource.lifecycle.as_ref().and_then(|own| own.parts.as_ref());
    let Some(parts) = parts else { return fixed(query(path, record)?) };
    let items = query(&parts.over, record)?.as_array()?;
    let inside = parts.amount.as_deref().unwrap_or("@.amount");
    let amounts = items.iter().filter(|item| counts(parts, item)).map(|item| fixed(query(inside, item)?));
    amounts.reduce(|sum, next| sum?.plus(next?))?
}

/// True if two amounts are the same number.
pub(super) fn same_amount(found: Option<Fixed>, asked: &Value) -> bool {
    found.zip(fixed(asked)).and_then(|(found, asked)| found.order(asked)) == Some(Ordering::Equal)
}

fn fixed(value: &Value) -> Option<Fixed> {
    Decimal::parse(&scalar_text(value)?)?.to_fixed()
}
