//! Filters of lists: query parameters that name a field, and ranges such as `created[gte]`.
//! Parameters that name nothing filter nothing.

use provely_evaluator::json::Value;
use provely_evaluator::query::{Step, walk};
use provely_evaluator::time::Time;

use crate::blueprint::{Kind, Source};
use crate::instant::Notation;
use crate::provider::Clockwork;
use crate::serve::Call;
use crate::validate::{Refusal, base};

/// One condition on an item.
#[derive(Debug)]
pub(crate) struct Filter {
    steps: Vec<Step>,
    test: Test,
}

#[derive(Debug)]
enum Test {
    /// One of these texts.
    In(Vec<String>),
    /// A time on this side of another.
    Time(Bound, Notation, Time),
}

#[derive(Debug, Clone, Copy)]
enum Bound {
    After,
    From,
    Before,
    Until,
}

impl Filter {
    /// The filters of a list of records.
    pub(crate) fn all(kind: &Kind, call: &Call<'_>, clockwork: Clockwork) -> Result<Vec<Self>, Refusal> {
        let mut filters = Vec::new();
        for (name, value) in &call.request.query {
            if call.action.pages.uses(name) {
                continue;
            }
            let named = base(name);
            let stamp = kind.created.as_ref().filter(|stamp| stamp.steps == [Step::Member(named.to_owned())]);
            if let Some(stamp) = stamp {
                let notation = stamp.notation.at_least(clockwork.granularity_ms);
                filters.push(Self::time(&stamp.steps, notation, name, value)?);
                continue;
            }
            let field = kind.fields.iter().find(|field| crate::shape::names(field, named));
            let echo =
                call.action.echoes.iter().find(|(from, _, _)| *from == [Step::Member(named.to_owned())]);
            let steps = match (field, echo) {
                (Some(field), _) => vec![Step::Member(field.name.clone())],
                (None, Some((_, to, _))) => to.clone(),
                (None, None) => continue,
            };
            add(&mut filters, steps, value);
        }
        Ok(filters)
    }

    /// The filters of a list of events: by type, and by time.
    pub(crate) fn events(source: &Source, call: &Call<'_>) -> Result<Vec<Self>, Refusal> {
        let last = |steps: &[Step]| match steps.last() {
            Some(Step::Member(name)) => name.clone(),
            Some(Step::Index(_)) | None => String::new(),
        };
        let named = |steps: &Option<Vec<Step>>| steps.as_deref().map(last).unwrap_or_default();
        let (kind, time) = (named(&source.kind), named(&source.time));
        let mut filters = Vec::new();
        for (name, value) in &call.request.query {
            let named = base(name);
            if call.action.pages.uses(name) {
                continue;
            } else if let Some(steps) =
                source.kind.as_ref().filter(|_| named == kind || named.strip_suffix('s') == Some(&kind))
            {
                add(&mut filters, steps.clone(), value);
            } else if let Some(steps) = source.time.as_ref().filter(|_| named == time) {
                filters.push(Self::time(steps, source.notation, name, value)?);
            }
        }
        Ok(filters)
    }

    fn time(steps: &[Step], notation: Notation, name: &str, value: &str) -> Result<Self, Refusal> {
        let operator = name.split_once('[').and_then(|(_, rest)| rest.strip_suffix(']'));
        let bound = match operator {
            Some("gt" | "after") => Bound::After,
            Some("gte" | "from" | "min") => Bound::From,
            Some("lt" | "before") => Bound::Before,
            Some("lte" | "until" | "to" | "max") => Bound::Until,
            Some(_) | None => {
                return Ok(Self { steps: steps.to_vec(), test: Test::In(vec![value.to_owned()]) });
            }
        };
        let time = notation.read(value).ok_or_else(|| {
            let mut refusal = Refusal::new(400, "parameter_invalid", format!("`{name}` is no time"));
            refusal.parameter = Some(name.to_owned());
            refusal
        })?;
        Ok(Self { steps: steps.to_vec(), test: Test::Time(bound, notation, time) })
    }

    fn keeps(&self, item: &Value) -> bool {
        let Some(value) = walk(&self.steps, item) else { return false };
        match &self.test {
            Test::In(texts) => texts.iter().any(|text| reads_as(value, text)),
            Test::Time(bound, notation, time) => {
                let own = match value {
                    Value::String(text) => notation.read(text),
                    Value::Number(number) => notation.read(number.as_str()),
                    Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
                };
                own.is_some_and(|own| match bound {
                    Bound::After => own > *time,
                    Bound::From => own >= *time,
                    Bound::Before => own < *time,
                    Bound::Until => own <= *time,
                })
            }
        }
    }
}

/// True if every filter keeps the item.
pub(crate) fn kept_by(filters: &[Filter], item: &Value) -> bool {
    filters.iter().all(|filter| filter.keeps(item))
}

/// Adds a text to the filter on the same place: several of one name are alternatives.
fn add(filters: &mut Vec<Filter>, steps: Vec<Step>, value: &str) {
    let known = filters.iter_mut().find(|filter| filter.steps == steps);
    if let Some(Filter { test: Test::In(texts), .. }) = known {
        texts.push(value.to_owned());
    } else {
        filters.push(Filter { steps, test: Test::In(vec![value.to_owned()]) });
    }
}

/// True if a value is this text: a string, the digits of a number, the `id` of an object, or one
/// element of an array that is.
pub(crate) fn reads_as(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own == text,
        Value::Number(number) => number.as_str() == text,
        Value::Bool(flag) => flag.to_string() == text,
        Value::Object(object) => object.get("id").is_some_and(|id| reads_as(id, text)),
        Value::Array(items) => items.iter().any(|item| reads_as(item, text)),
        Value::Null => false,
    }
}
