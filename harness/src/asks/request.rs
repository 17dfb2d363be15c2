//! The request of an operation: path, body or document, with key and tag. Values are chosen elsewhere.

use provely_evaluator::json::{Object, Value};
use provely_model::{Argument, BodyEncoding, Parameter, Place, Plan, RootField};
use provely_simulator::{Request, set_at};

use super::{Asking, dotted};
use crate::book::Asks;

impl<'s> Asking<'s> {
    /// The request, with key and tag where they are given and the provider takes them.
    pub(crate) fn request(&self, asks: Asks, key: Option<&str>, tag: Option<&str>) -> Request {
        let mut body = Value::Object(Object::new());
        let carries_key = |own: &&Parameter| self.key_field() == Some(own.name.as_str());
        let body_fields = self.operation.parameters.iter().filter(|own| own.place == Place::Body);
        for parameter in body_fields.filter(|own| !carries_key(own)) {
            if let Some(value) = self.value(parameter, asks) {
                set_at(&mut body, &dotted(&parameter.name), value);
            }
        }
        if let (Some(field), Some(key)) = (self.key_field(), key) {
            set_at(&mut body, &dotted(field), Value::from(key));
        }
        if let (Some(plan), Some(tag)) = (&self.plan.tag, tag) {
            set_at(&mut body, &dotted(&plan.parameter), Value::from(tag));
        }
        for echo in self.unlisted() {
            set_at(&mut body, &dotted(&echo.input), self.of_echo(echo, asks));
        }
        let request = Request::new(&self.operation.method, &self.path(asks));
        if let Some(root) = &self.operation.graphql {
            return keyed(request.json(self.document(root, body, key)), self.plan, key);
        }
        let request = match self.operation.body {
            BodyEncoding::None => request,
            BodyEncoding::Json | BodyEncoding::Form | BodyEncoding::Multipart | BodyEncoding::Other => {
                request.json(body)
            }
        };
        keyed(request, self.plan, key)
    }

    /// The body field that carries the retry key.
    fn key_field(&self) -> Option<&'s str> {
        self.plan.idempotency.as_ref()?.field.as_deref()
    }

    /// True if no request is taken without a retry key.
    pub(crate) fn needs_key(&self) -> bool {
        let field = self.key_field().and_then(|name| self.parameter(name));
        field.is_some_and(|field| field.required)
    }

    /// The document of a root field with these arguments.
    fn document(&self, root: &RootField, mut arguments: Value, key: Option<&str>) -> Value {
        let given = |arguments: &Value, own: &Argument| arguments.get(&own.name).is_some();
        for own in root.arguments.iter().filter(|own| own.required) {
            if !given(&arguments, own) {
                set_at(&mut arguments, &dotted(&own.name), sample_of_type(&own.kind));
            }
        }
        let used: Vec<&Argument> = root.arguments.iter().filter(|own| given(&arguments, own)).collect();
        let list = |show: &dyn Fn(&Argument) -> String| {
            let shown: Vec<String> = used.iter().map(|own| show(own)).collect();
            if shown.is_empty() { String::new() } else { format!("({})", shown.join(", ")) }
        };
        let declared = list(&|own| format!("${}: {}", own.name, own.kind));
        let handed = list(&|own| format!("{0}: ${0}", own.name));
        let kind = match root.kind {
            provely_model::RootKind::Query => "query",
            provely_model::RootKind::Mutation => "mutation",
        };
        let mut body = Object::new();
        let directive = self.plan.idempotency.as_ref().and_then(|own| own.directive.as_ref());
        let carried = directive
            .zip(key)
            .map(|(own, key)| format!(" @{}({}: {})", own.name, own.argument, Value::from(key)));
        let carried = carried.unwrap_or_default();
        body.insert(
            "query",
            format!("{kind}{declared} {{ {}{handed}{carried} {} }}", root.name, root.selection),
        );
        body.insert("variables", arguments);
        Value::Object(body)
    }

    fn path(&self, asks: Asks) -> String {
        let mut path = self.operation.path.clone();
        for parameter in self.operation.parameters.iter().filter(|own| own.place == Place::Path) {
            let value = self.value(parameter, asks);
            let text = match value {
                Some(Value::String(text)) => text,
                Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
                Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => continue,
            };
            path = path.replace(&format!("{{{}}}", parameter.name), &text);
        }
        path
    }
}

/// The request with its retry key, where a header carries one.
fn keyed(request: Request, plan: &Plan, key: Option<&str>) -> Request {
    let header = plan.idempotency.as_ref().and_then(|own| own.header.as_deref());
    match (header, key) {
        (Some(header), Some(key)) => request.header(header, key),
        (Some(_), None) | (None, _) => request,
    }
}

/// Some value of a type as documents write it.
fn sample_of_type(kind: &str) -> Value {
    match kind.trim_end_matches('!') {
        list if list.starts_with('[') => Value::Array(Vec::new()),
        "Int" => Value::from(3),
        "Float" => Value::from(3),
        "Boolean" => Value::Bool(true),
        "ID" | "String" => Value::from("one"),
        _ => Value::Object(Object::new()),
    }
}
