//! The arguments of a root field as parameters: those of inputs under dotted names, level by level, those of the
//! items of a list under the name of its first. Must not say what they are for.

use std::collections::VecDeque;

use provely_model::{FieldKind, Parameter, Place};

use crate::classify::fields::{is_scalar, kind, one_line};
use crate::classify::records::array_of;
use crate::ingest::{ApiOperation, Ingested, Schema};

/// Deepest input that is looked into.
const MOST_DEPTH: usize = 4;
/// Most parameters of one operation.
const MOST_FIELDS: usize = 400;

/// The arguments of an operation, outer ones first.
pub(super) fn parameters(found: &Ingested, operation: &ApiOperation) -> Vec<Parameter> {
    let arguments = operation.body.as_ref().and_then(|body| found.schema(body.schema.as_ref()?));
    let mut open: VecDeque<(String, Schema<'_>, bool, usize)> = VecDeque::new();
    open.extend(arguments.map(|schema| (String::new(), schema, true, 1)));
    // Items of lists come last, so that a limit cuts them off first.
    let mut items: VecDeque<(String, Schema<'_>, bool, usize)> = VecDeque::new();
    let mut parameters = Vec::new();
    while let Some((prefix, schema, required, depth)) = open.pop_front().or_else(|| items.pop_front()) {
        for property in schema.properties() {
            if parameters.len() >= MOST_FIELDS {
                return parameters;
            }
            let name = format!("{prefix}{}", property.name);
            let kind = kind(&property.schema);
            let needed = required && property.required;
            if kind == FieldKind::Object && depth < MOST_DEPTH {
                open.push_back((format!("{name}."), property.schema.clone(), needed, depth + 1));
            }
            let item = array_of(&property.schema).filter(|item| !is_scalar(item) && !prefix.contains('['));
            if let Some(item) = item.filter(|_| depth < MOST_DEPTH) {
                items.push_back((format!("{name}[0]."), item, false, depth + 1));
            }
            let description = property.schema.description().map(one_line);
            parameters.push(Parameter { name, place: Place::Body, kind, required: needed, description });
        }
    }
    parameters
}
