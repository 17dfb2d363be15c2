//! Making records: by a request, or put there. It must not decide how a record moves afterwards.

use std::sync::Arc;

use provely_evaluator::json::Value;
use provely_evaluator::query::walk;
use provely_evaluator::time::Time;
use provely_model::Effect;

use crate::blueprint::{Kind, Moment};
use crate::fault::{FaultKind, Stage};
use crate::options::Script;
use crate::place::{set_at, steps_of};
use crate::provider::Provider;
use crate::serve::{Answer, Call};
use crate::shape;
use crate::truth::{Change, Scoped, TrueEffect, TrueRecord, Version};
use crate::validate::Refusal;

impl Provider {
    /// Answers a request that makes a record.
    pub(crate) fn create(&mut self, call: &Call<'_>, input: &Value) -> Result<Answer, Refusal> {
        let faults = self.strike(Stage::Commit, call.about());
        let copies = 1 + faults.iter().filter(|fault| matches!(fault, FaultKind::CommitTwice {})).count();
        let mut first = None;
        for _ in 0..copies {
            match (self.make(call, input, None, &faults), first) {
                (Ok(record), None) => first = Some(record),
                (Err(refusal), None) => return Err(refusal),
                // A name that is taken is not taken twice.
                (Ok(_) | Err(_), Some(_)) => {}
            }
        }
        Ok(self.show_changed(call, first.unwrap_or_default()))
    }

    /// Makes one record for a request, under `id` if one is given.
    pub(crate) fn make(
        &mut self,
        call: &Call<'_>,
        input: &Value,
        id: Option<&str>,
        faults: &[FaultKind],
    ) -> Result<usize, Refusal> {
        let blueprint = Arc::clone(&self.blueprint);
        let unknown = || Refusal::new(404, "resource_unknown", "the operation names no resource");
        let kind = blueprint.kinds.get(call.kind).ok_or_else(unknown)?;
        let mut value = Value::Object(shape::blank(kind, &self.options, self.clock()));
        for parent in self.parents(kind, input, call) {
            shape::inherit(&mut value, kind, call.action, input, &parent);
        }
        shape::echo_scope(&mut value, kind, call);
        shape::echo(&mut value, kind, call.action, input);
        let script = self.script(call.kind, faults);
        self.make_parts(kind, call, &mut value, input, &script);
        let effect = TrueEffect {
            at: self.now,
            effect: call.action.effect,
            change: Change::Created,
            request: Some(call.place),
            key: call.key.map(str::to_owned),
            tag: tag_of(call, input),
        };
        let state = script.initial.clone().or_else(|| self.first_state(kind));
        let id = id.map(str::to_owned).or_else(|| chosen_id(kind, call, &value));
        if id.as_deref().is_some_and(|id| self.find(call.kind, id).is_some()) {
            return Err(Refusal::new(409, "already_exists", "a record of that name is there already"));
        }
        let scope = call.path.iter().map(|(name, id)| Scoped {
            name: name.clone(),
            slot: call.action.slot(name),
            id: id.clone(),
        });
        let scope = scope.collect();
        let sums = crate::parts::sums(kind, call);
        let record = self.add(call.kind, kind, value, Born { id, state, effect, scope, sums, faults });
        self.schedule(record, &script, faults);
        Ok(record)
    }

    /// Puts a record there, as if it had always been: no event, no request. `fields` overrides what is
    /// filled in; an id and a state among them are kept. Returns the id; `None` if the service has no
    /// such resource.
    pub fn insert(&mut self, resource: &str, fields: &Value, created: Time) -> Option<String> {
        self.insert_under(resource, fields, created, &[])
    }

    /// The same under parents, as path parameters name them.
    pub fn insert_under(
        &mut self,
        resource: &str,
        fields: &Value,
        created: Time,
        parents: &[(String, String)],
    ) -> Option<String> {
        let blueprint = Arc::clone(&self.blueprint);
        let place = blueprint.kind_named(resource)?;
        let kind = blueprint.kinds.get(place)?;
        let mut value = Value::Object(shape::blank(kind, &self.options, created));
        for (name, given) in fields.as_object().into_iter().flatten() {
            set_at(&mut value, &[provely_evaluator::query::Step::Member(name.to_owned())], given.clone());
        }
        let text = |steps| match walk(steps, fields) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.as_str().to_owned()),
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => None,
        };
        let state = kind.life.as_ref().and_then(|life| text(&life.steps));
        let id = text(&kind.id);
        let effect = TrueEffect {
            at: created,
            effect: Effect::RecordCreate,
            change: Change::Created,
            request: None,
            key: None,
            tag: None,
        };
        let state = state.or_else(|| self.first_state(kind));
        let scope = parents.iter().map(|(name, id)| Scoped {
            name: name.clone(),
            slot: String::new(),
            id: id.clone(),
        });
        let scope = scope.collect();
        let record =
            self.add(place, kind, value, Born { id, state, effect, scope, sums: Vec::new(), faults: &[] });
        Some(self.records.get(record)?.id.clone())
    }

    /// Gives the next record of a resource, made by whatever request, this script; scripts queue up.
    pub fn script_next(&mut self, resource: &str, script: Script) {
        if let Some(kind) = self.blueprint.kind_named(resource) {
            self.scripts.entry(kind).or_default().push_back(script);
        }
    }

    fn add(&mut self, place: usize, kind: &Kind, mut value: Value, born: Born<'_>) -> usize {
        let at = born.effect.at;
        let id = born.id.unwrap_or_else(|| self.new_id(place, kind));
        let id_value = match id.parse::<u64>() {
            Ok(number) if kind.numeric_id => Value::from(number),
            Ok(_) | Err(_) => Value::from(id.as_str()),
        };
        set_at(&mut value, &kind.id, id_value);
        self.stamp(kind, &mut value, at);
        let mut state = born.state;
        if let (Some(life), Some(state), None) = (&kind.life, &state, kind.parts()) {
            set_at(&mut value, &life.steps, Value::from(state.as_str()));
        }
        for fault in born.faults {
            if let FaultKind::Altered { path, value: other } = fault {
                set_at(&mut value, &steps_of(Some(path)).unwrap_or_default(), other.clone());
            }
        }
        let parts = crate::parts::true_parts(kind, &value, self.options.live);
        if kind.parts().is_some() {
            state = crate::parts::common_state(&parts);
        }
        let record = self.records.len();
        let told = born.effect.request.is_some();
        let key = born.effect.key.clone();
        self.records.push(TrueRecord {
            resource: Arc::clone(&kind.name),
            id: id.clone(),
            created: at,
            deleted: None,
            flagged: false,
            versions: vec![Version { at, state, forced: false, value, parts }],
            sums: born.sums,
            effects: vec![born.effect],
            kind: place,
            scope: born.scope,
        });
        self.ids.entry(place).or_default().insert(id, record);
        self.of_kind.entry(place).or_default().push(record);
        if told {
            self.note(record);
            self.emit(record, &Moment::Creation, key.as_deref());
        }
        record
    }

    /// Notes that the newest request did something to a record.
    pub(crate) fn note(&mut self, record: usize) {
        if let Some(request) = self.requests.last_mut() {
            request.records.push(record);
        }
    }

    /// Writes the creation time and the time of the newest change.
    fn stamp(&self, kind: &Kind, value: &mut Value, at: Time) {
        let clock = at.plus(self.clockwork.skew_ms);
        for stamp in kind.created.iter().chain(&kind.changed) {
            let notation = stamp.notation.at_least(self.clockwork.granularity_ms);
            set_at(value, &stamp.steps, notation.write(clock));
        }
    }

    pub(crate) fn new_id(&mut self, place: usize, kind: &Kind) -> String {
        if self.options.quirks.reuse_ids
            && let Some(id) = self.freed.get_mut(&place).and_then(Vec::pop)
        {
            return id;
        }
        loop {
            let id = self.draw_id(kind);
            if self.find_any(&id).is_none() {
                return id;
            }
        }
    }

    /// Numeric ids lie beyond 2^53, where careless readers round.
    fn draw_id(&mut self, kind: &Kind) -> String {
        if kind.numeric_id {
            return (9_007_199_254_740_993 + self.naming.next() % (1 << 62)).to_string();
        }
        let prefix = self.options.id_prefixes.get(&*kind.name).unwrap_or(&kind.prefix);
        let mut id = String::with_capacity(prefix.len() + 20);
        id.push_str(prefix);
        self.naming.letters(&mut id, 20);
        id
    }

    /// The records that the input or the path names.
    fn parents(&self, kind: &Kind, input: &Value, call: &Call<'_>) -> Vec<Value> {
        let named = kind.fields.iter().filter(|field| field.refers_to.is_some()).filter_map(|field| {
            let in_path = call.path.iter().find(|(name, _)| {
                shape::scope_field(kind, name, call).is_some_and(|own| own.name == field.name)
            });
            let in_path = in_path.map(|(_, id)| id.clone());
            let members = input.as_object().into_iter().flatten();
            let named = members.filter(|(name, _)| shape::names(field, name)).find_map(|(_, id)| match id {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.as_str().to_owned()),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
            });
            let id = named.or(in_path)?;
            let other = self.blueprint.kind_named(field.refers_to.as_deref()?)?;
            self.latest(self.find(other, &id)?).cloned()
        });
        named.collect()
    }
}

/// The id that the caller chose: what the request says where the record carries its id.
fn chosen_id(kind: &Kind, call: &Call<'_>, value: &Value) -> Option<String> {
    call.action.echoes.iter().find(|(_, to, _)| *to == kind.id)?;
    match walk(&kind.id, value)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.as_str().to_owned()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// What comes with a new record.
struct Born<'a> {
    id: Option<String>,
    state: Option<String>,
    effect: TrueEffect,
    scope: Vec<Scoped>,
    /// Places that show what its parts have settled.
    sums: Vec<Vec<provely_evaluator::query::Step>>,
    faults: &'a [FaultKind],
}

/// The tag in the input.
pub(crate) fn tag_of(call: &Call<'_>, input: &Value) -> Option<String> {
    let (from, _) = call.action.tag.as_ref()?;
    walk(from, input).and_then(Value::as_str).map(str::to_owned)
}
