//! The OpenAPI description of a simulated world: the service's operations and the control endpoint. Writes what the
//! model says; must not invent.

use provely_evaluator::json::{Object, Value};
use provely_model::{BodyEncoding, FieldKind, Operation, Parameter, Place, Service};

use crate::control::{PREFIX, ROUTES};

/// An OpenAPI 3.1 document.
#[must_use]
pub fn describe(service: &Service) -> Value {
    let mut paths = Object::new();
    for operation in service.operations.iter().filter(|operation| operation.graphql.is_none()) {
        add(&mut paths, &operation.path, &operation.method, of_operation(operation));
    }
    let documents = service.operations.iter().find(|operation| operation.graphql.is_some());
    if let Some(operation) = documents {
        let said =
            object([("summary", Value::from("Query documents (GraphQL)")), ("responses", responses(200))]);
        add(&mut paths, &operation.path, "POST", said);
    }
    for (method, path, what) in ROUTES {
        let said = object([
            ("summary", Value::from(what)),
            ("tags", ["control"].into_iter().map(Value::from).collect()),
            ("responses", responses(200)),
        ]);
        add(&mut paths, &format!("{PREFIX}{path}"), method, said);
    }
    let version = service.version.as_ref().map_or("0", |rule| rule.default.as_str());
    let info = object([
        ("title", Value::from(format!("{} (simulated)", service.title))),
        ("version", Value::from(version)),
    ]);
    object([("openapi", Value::from("3.1.0")), ("info", info), ("paths", Value::Object(paths))])
}

fn add(paths: &mut Object, path: &str, method: &str, operation: Value) {
    if !paths.contains_key(path) {
        paths.insert(path, Object::new());
    }
    if let Some(Value::Object(item)) = paths.get_mut(path) {
        item.insert(method.to_ascii_lowercase(), operation);
    }
}

fn of_operation(operation: &Operation) -> Value {
    let outside = operation.parameters.iter().filter_map(|parameter| {
        let place = match parameter.place {
            Place::Path => "path",
            Place::Query => "query",
            Place::Header => "header",
            Place::Body => return None,
        };
        Some(object([
            ("name", Value::from(parameter.name.as_str())),
            ("in", Value::from(place)),
            ("required", Value::Bool(parameter.required || parameter.place == Place::Path)),
            ("schema", schema(parameter)),
        ]))
    });
    let status = operation.reply.as_ref().map_or(200, |reply| reply.status);
    let mut said = Object::new();
    said.insert("operationId", operation.id.as_str());
    said.insert("parameters", outside.collect::<Value>());
    let body: Vec<&Parameter> = operation
        .parameters
        .iter()
        .filter(|parameter| parameter.place == Place::Body && !parameter.name.contains(['.', '[']))
        .collect();
    if !body.is_empty() {
        said.insert("requestBody", request_body(operation.body, &body));
    }
    said.insert("responses", responses(status));
    Value::Object(said)
}

fn request_body(encoding: BodyEncoding, fields: &[&Parameter]) -> Value {
    let media = match encoding {
        BodyEncoding::Form => "application/x-www-form-urlencoded",
        BodyEncoding::Multipart => "multipart/form-data",
        BodyEncoding::Json | BodyEncoding::None | BodyEncoding::Other => "application/json",
    };
    let mut properties = Object::new();
    for field in fields {
        properties.insert(field.name.as_str(), schema(field));
    }
    let required = fields.iter().filter(|field| field.required).map(|field| Value::from(field.name.as_str()));
    let shape = object([
        ("type", Value::from("object")),
        ("properties", Value::Object(properties)),
        ("required", required.collect()),
    ]);
    object([("content", object([(media, object([("schema", shape)]))]))])
}

fn schema(parameter: &Parameter) -> Value {
    let kind = match parameter.kind {
        FieldKind::Integer | FieldKind::EpochSeconds | FieldKind::EpochMilliseconds => "integer",
        FieldKind::Number => "number",
        FieldKind::Boolean => "boolean",
        FieldKind::Array => "array",
        FieldKind::Map | FieldKind::Object => "object",
        FieldKind::Text | FieldKind::Decimal | FieldKind::DateTime => "string",
        FieldKind::IdOrRecord | FieldKind::Any => return Value::Object(Object::new()),
    };
    object([("type", Value::from(kind))])
}

fn responses(status: u16) -> Value {
    let said = |text: &str| object([("description", Value::from(text))]);
    let mut all = Object::new();
    all.insert(status.to_string(), said("Done"));
    all.insert("default", said("Refused, in the shape that the service writes errors in"));
    Value::Object(all)
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let mut object = Object::new();
    for (name, value) in members {
        object.insert(name, value);
    }
    Value::Object(object)
}
