//! Changing, calling off and deleting records by request. It must not make records, save where a PUT may.

use std::sync::Arc;

use provely_evaluator::json::Value;
use provely_evaluator::query::{Step, walk};

use crate::blueprint::{Kind, Moment};
use crate::fault::{FaultKind, Stage};
use crate::place::set_at;
use crate::provider::Provider;
use crate::serve::{Answer, Call};
use crate::shape;
use crate::timeline::MoveError;
use crate::truth::{Change, TrueEffect};
use crate::validate::Refusal;
use crate::wire::Body;

impl Provider {
    /// Answers a request that changes fields; a state among them is a move.
    pub(crate) fn update(&mut self, call: &Call<'_>, input: &Value) -> Result<Answer, Refusal> {
        let Some(record) = self.standing(call) else { return self.put(call, input) };
        let faults = self.strike(Stage::Commit, call.about());
        if faults.contains(&FaultKind::NotDone {}) {
            return Ok(self.show_changed(call, record));
        }
        let blueprint = Arc::clone(&self.blueprint);
        let Some(kind) = blueprint.kinds.get(call.kind) else { return Err(not_found(call)) };
        let life = kind.life.as_ref();
        let wanted = life.and_then(|life| walk(&life.steps, input)).and_then(Value::as_str);
        let state = self.records.get(record).and_then(|record| record.state()).map(str::to_owned);
        if let Some(to) = wanted.filter(|to| state.as_deref() != Some(*to)) {
            self.shift(record, to, false, call.key).map_err(refused_move)?;
        }
        let state = self.records.get(record).and_then(|record| record.state()).map(str::to_owned);
        let before = self.latest(record).cloned().unwrap_or_default();
        let mut value = changed(&before, kind, call, input);
        if faults.contains(&FaultKind::PartlyDone {}) {
            value = first_change(&before, &value);
        }
        if value != before {
            self.push_version(record, kind, value, state, false);
            self.emit(record, &Moment::Change, call.key);
        }
        self.done(call, record, Change::Updated, input);
        Ok(self.show_changed(call, record))
    }

    /// A PUT to an id that is not there makes the record under it where the provider does so.
    fn put(&mut self, call: &Call<'_>, input: &Value) -> Result<Answer, Refusal> {
        let id = call.path.last().map(|(_, id)| id.as_str());
        if !self.options.quirks.put_creates || call.request.method != "PUT" || id.is_none() {
            return Err(not_found(call));
        }
        let faults = self.strike(Stage::Commit, call.about());
        let record = self.make(call, input, id, &faults)?;
        Ok(self.show_changed(call, record))
    }

    /// Answers a request that calls a record off, or takes it elsewhere in its lifecycle.
    pub(crate) fn call_off(
        &mut self,
        call: &Call<'_>,
        state: Option<&str>,
        input: &Value,
    ) -> Result<Answer, Refusal> {
        let Some(state) = state else { return self.delete(call) };
        let record = self.standing(call).ok_or_else(|| not_found(call))?;
        if self.strike(Stage::Commit, call.about()).contains(&FaultKind::NotDone {}) {
            return Ok(self.show_changed(call, record));
        }
        self.shift(record, state, false, call.key).map_err(refused_move)?;
        self.done(call, record, Change::Moved, input);
        Ok(self.show_changed(call, record))
    }

    /// Answers a request that takes a record away.
    pub(crate) fn delete(&mut self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let id = call.path.last().map(|(_, id)| id.as_str()).unwrap_or_default();
        let repeated = self.options.quirks.delete_repeats;
        let undone = self.strike(Stage::Commit, call.about()).contains(&FaultKind::NotDone {});
        let record = match self.standing(call) {
            Some(record) if undone => record,
            Some(record) => {
                self.flag_deleted(record);
                let now = self.now;
                if let Some(found) = self.records.get_mut(record) {
                    found.deleted = Some(now);
                }
                self.freed.entry(call.kind).or_default().push(id.to_owned());
                self.emit(record, &Moment::Deletion, call.key);
                self.done(call, record, Change::Deleted, &Value::Null);
                record
            }
            None => self.find(call.kind, id).filter(|_| repeated).ok_or_else(|| not_found(call))?,
        };
        if self.options.quirks.delete_is_silent {
            return Ok(Answer { status: 204, headers: Vec::new(), body: Body::Empty });
        }
        Ok(self.show_changed(call, record))
    }

    /// A record whose kind has a flag for it is shown on, and says that it was deleted.
    fn flag_deleted(&mut self, record: usize) {
        let blueprint = Arc::clone(&self.blueprint);
        let kind = self.records.get(record).and_then(|record| blueprint.kinds.get(record.kind));
        let flag = kind.and_then(|kind| kind.deleted.as_deref());
        let (Some(kind), Some(flag), Some(mut value)) = (kind, flag, self.latest(record).cloned()) else {
            return;
        };
        set_at(&mut value, &[Step::Member(flag.to_owned())], Value::Bool(true));
        let state = self.records.get(record).and_then(|record| record.state()).map(str::to_owned);
        self.push_version(record, kind, value, state, false);
        if let Some(record) = self.records.get_mut(record) {
            record.flagged = true;
        }
    }

    /// The record that the path names, if it is there and under the parents that the path names.
    pub(crate) fn standing(&self, call: &Call<'_>) -> Option<usize> {
        let (_, id) = call.path.last()?;
        let place = self.find(call.kind, id)?;
        let record = self.records.get(place).filter(|record| record.deleted.is_none())?;
        self.in_scope(record, call).then_some(place)
    }

    fn done(&mut self, call: &Call<'_>, place: usize, change: Change, input: &Value) {
        self.note(place);
        let effect = TrueEffect {
            at: self.now,
            effect: call.action.effect,
            change,
            request: Some(call.place),
            key: call.key.map(str::to_owned),
            tag: crate::make::tag_of(call, input),
        };
        if let Some(record) = self.records.get_mut(place) {
            record.effects.push(effect);
        }
    }
}

/// The record with the first member that was to change, and no other.
fn first_change(before: &Value, after: &Value) -> Value {
    let mut value = before.clone();
    let mut changed =
        after.as_object().into_iter().flatten().filter(|(name, new)| before.get(name) != Some(*new));
    if let Some((name, new)) = changed.next() {
        let part = match before.get(name) {
            Some(old @ Value::Object(_)) => first_change(old, new),
            Some(_) | None => new.clone(),
        };
        set_at(&mut value, &[Step::Member(name.to_owned())], part);
    }
    value
}

/// The record after an update; id, creation time and state are not the caller's to write.
fn changed(before: &Value, kind: &Kind, call: &Call<'_>, input: &Value) -> Value {
    let mut value = before.clone();
    shape::echo(&mut value, kind, call.action, input);
    let kept = [Some(&kind.id), kind.created.as_ref().map(|stamp| &stamp.steps)];
    let state = kind.life.as_ref().map(|life| life.parts.as_ref().map_or(&life.steps, |parts| &parts.over));
    for steps in kept.into_iter().chain([state]).flatten() {
        if let Some(old) = walk(steps, before) {
            set_at(&mut value, steps, old.clone());
        }
    }
    value
}

pub(crate) fn not_found(call: &Call<'_>) -> Refusal {
    let id = call.path.last().map(|(_, id)| id.as_str()).unwrap_or_default();
    let mut refusal = Refusal::new(404, "resource_missing", format!("there is no `{id}`"));
    refusal.parameter = call.path.last().map(|(name, _)| name.clone());
    refusal
}

fn refused_move(error: MoveError) -> Refusal {
    match error {
        MoveError::NoRecord => Refusal::new(404, "resource_missing", "there is no such record"),
        MoveError::NoState => Refusal::new(400, "state_unknown", "there is no such state"),
        MoveError::NotAllowed(from) => {
            Refusal::new(409, "state_conflict", format!("the record is `{from}` and cannot go there"))
        }
    }
}
