//! What a new or changed record looks like: fields filled by kind, input echoed, parents asked.
//! It must not decide whether a request is right or when a record moves.

use provely_evaluator::json::{Number, Object, Value};
use provely_evaluator::query::{Step, walk};
use provely_evaluator::time::Time;
use provely_model::{EchoKind, Field, FieldKind};

use crate::blueprint::{Action, Kind, is_id_of};
use crate::instant::Notation;
use crate::options::Options;
use crate::place::set_at;
use crate::serve::Call;

/// Fields that the source promises, in the types it states.
pub(crate) fn blank(kind: &Kind, options: &Options, clock: Time) -> Object {
    let fields = kind
        .fields
        .iter()
        .filter_map(|field| Some((field.name.clone(), default_of(kind, field, options, clock)?)));
    fields.collect()
}

fn default_of(kind: &Kind, field: &Field, options: &Options, clock: Time) -> Option<Value> {
    if !options.fields.is_empty()
        && let Some(value) = options.fields.get(&format!("{}.{}", kind.name, field.name))
    {
        return Some(value.clone());
    }
    if let Some((_, live)) = kind.mode.as_ref().filter(|(name, _)| *name == field.name) {
        return Some(Value::Bool(options.live == *live));
    }
    match (field.required, field.nullable, field.values.first()) {
        (true, false, Some(first)) => Some(Value::from(first.as_str())),
        (_, true, _) => Some(Value::Null),
        (false, false, _) => None,
        (true, false, None) => Some(filler(field, clock)),
    }
}

fn filler(field: &Field, clock: Time) -> Value {
    match field.kind {
        FieldKind::Text | FieldKind::IdOrRecord => Value::from(field.name.as_str()),
        FieldKind::Integer | FieldKind::Number => Value::from(0),
        FieldKind::Decimal => Value::from("0.00"),
        FieldKind::Boolean => Value::Bool(false),
        FieldKind::DateTime | FieldKind::EpochSeconds | FieldKind::EpochMilliseconds => {
            Notation::of_kind(field.kind).write(clock)
        }
        FieldKind::Map | FieldKind::Object => Value::Object(Object::new()),
        FieldKind::Array => Value::Array(Vec::new()),
        FieldKind::Any => Value::Null,
    }
}

/// Writes what the request gave into the record: fields of the same name, then declared echoes, then
/// the tag. Maps are merged, as providers do.
pub(crate) fn echo(record: &mut Value, kind: &Kind, action: &Action, input: &Value) {
    for (name, value) in input.as_object().into_iter().flatten() {
        let Some(field) = kind.field(name) else {
            refer(record, kind, name, value);
            continue;
        };
        let kept = record.get(name).filter(|kept| kept.as_object().is_some());
        let value = match (kept, value) {
            (Some(Value::Object(kept)), Value::Object(given)) => merged(kept, given),
            (Some(_) | None, value) => fitted(value, field),
        };
        set_at(record, &[Step::Member(name.to_owned())], value);
    }
    for (from, to, what) in &action.echoes {
        // Parts say what has been moved, not the request.
        let told_by_parts = kind.parts().is_some() && *what == EchoKind::Amount;
        if let Some(value) = walk(from, input).filter(|_| from != to && !told_by_parts) {
            let field = to.first().and_then(|step| field_at(kind, step)).filter(|_| to.len() == 1);
            let value = field.map_or_else(|| value.clone(), |field| fitted(value, field));
            set_at(record, to, value);
        }
    }
    if let Some((from, to)) = &action.tag
        && let Some(value) = walk(from, input)
    {
        set_at(record, to, value.clone());
    }
}

/// An id in the input that names a record which the kind refers to by a field of another name.
fn refer(record: &mut Value, kind: &Kind, name: &str, value: &Value) {
    let scalar = matches!(value, Value::String(_) | Value::Number(_));
    let field = kind.fields.iter().find(|field| field.refers_to.is_some() && names(field, name));
    if let Some(field) = field.filter(|field| scalar && field.kind != FieldKind::Array) {
        let mut held = Value::Null;
        match field.kind {
            FieldKind::Object => set_at(&mut held, &[Step::Member(String::from("id"))], value.clone()),
            _ => held = value.clone(),
        }
        set_at(record, &[Step::Member(field.name.clone())], held);
    }
}

/// Path parameters that name a field, or the resource a field refers to.
pub(crate) fn echo_scope(record: &mut Value, kind: &Kind, call: &Call<'_>) {
    for (name, value) in call.path {
        if let Some(field) = scope_field(kind, name, call) {
            let value = fitted(&Value::from(value.as_str()), field);
            set_at(record, &[Step::Member(field.name.clone())], value);
        }
    }
}

/// The field that a path parameter in front of the record's own id is about: that which refers to the collection
/// it stands under, else by its name.
pub(crate) fn scope_field<'k>(kind: &'k Kind, parameter: &str, call: &Call<'_>) -> Option<&'k Field> {
    let collection = call.action.collection(parameter);
    let of = |own: &str| collection.is_some_and(|many| many == own || many.strip_suffix('s') == Some(own));
    let others = || kind.fields.iter().filter(|field| kind.id != [Step::Member(field.name.clone())]);
    let under = others().find(|field| field.refers_to.as_deref().is_some_and(of));
    under.or_else(|| others().find(|field| names(field, parameter)))
}

/// True if a parameter of that name is about the field: by name, or by the resource it refers to.
pub(crate) fn names(field: &Field, parameter: &str) -> bool {
    let bare = parameter.strip_suffix("_id").unwrap_or(parameter);
    field.name == parameter
        || field.refers_to.as_deref().is_some_and(|own| own == bare || is_id_of(parameter, own))
}

/// What a record takes from the records it names, where the request said nothing: references, and
/// amounts and currencies.
pub(crate) fn inherit(record: &mut Value, kind: &Kind, action: &Action, input: &Value, parent: &Value) {
    for field in &kind.fields {
        let name = field.name.as_str();
        let special = kind.id.first() == Some(&Step::Member(field.name.clone())) || !field.values.is_empty();
        let echoed = action.echoes.iter().any(|(_, to, what)| {
            matches!(what, EchoKind::Amount | EchoKind::Currency) && *to == [Step::Member(field.name.clone())]
        });
        let number = matches!(field.kind, FieldKind::Integer | FieldKind::Number | FieldKind::Decimal);
        let wanted = field.refers_to.is_some() || echoed || (field.required && number);
        if special || !wanted || input.get(name).is_some() {
            continue;
        }
        if let Some(value) = parent.get(name) {
            set_at(record, &[Step::Member(field.name.clone())], value.clone());
        }
    }
}

fn field_at<'k>(kind: &'k Kind, step: &Step) -> Option<&'k Field> {
    match step {
        Step::Member(name) => kind.field(name),
        Step::Index(_) => None,
    }
}

fn merged(kept: &Object, given: &Object) -> Value {
    let mut out = kept.clone();
    for (name, value) in given {
        if value.as_str() == Some("") || value.is_null() {
            out.remove(name);
        } else {
            out.insert(name, value.clone());
        }
    }
    Value::Object(out)
}

/// The value in the type of the field, where it has one that can hold it.
fn fitted(value: &Value, field: &Field) -> Value {
    match (field.kind, value) {
        (FieldKind::Array, Value::Array(_) | Value::Null) => value.clone(),
        (FieldKind::Array, single) => Value::Array(vec![single.clone()]),
        (FieldKind::Decimal, Value::Number(number)) => Value::from(number.as_str()),
        (FieldKind::Integer | FieldKind::Number, Value::String(text)) => {
            Number::from_text(text).map_or_else(|| value.clone(), Value::Number)
        }
        (FieldKind::Text, Value::Number(number)) => Value::from(number.as_str()),
        (
            FieldKind::Text
            | FieldKind::Integer
            | FieldKind::Number
            | FieldKind::Decimal
            | FieldKind::Boolean
            | FieldKind::DateTime
            | FieldKind::EpochSeconds
            | FieldKind::EpochMilliseconds
            | FieldKind::IdOrRecord
            | FieldKind::Map
            | FieldKind::Object
            | FieldKind::Any,
            value,
        ) => value.clone(),
    }
}
