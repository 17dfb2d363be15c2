//! Writes the types of a GraphQL schema as schemas of the form that OpenAPI descriptions have, so that the
//! stages behind read one form. What has no counterpart there stands in members that start with `x-`. Must not
//! judge a meaning.

use provely_evaluator::json::Value;

use super::types::{
    BUILT_IN, FieldDefinition, Form, Root, TypeDefinition, TypeReference, TypeSystem, ValueDefinition,
};

/// Member of a type: `object`, `interface`, `union`, `enum`, `input` or `scalar`.
pub(crate) const FORM: &str = "x-form";
/// Member of an object or interface: the interfaces that it implements.
pub(crate) const IMPLEMENTS: &str = "x-implements";
/// Member of an interface: the objects that implement it.
pub(crate) const IMPLEMENTED_BY: &str = "x-implemented-by";
/// Member of a field or root field: its arguments, each with `name`, `kind` and `required`.
pub(crate) const ARGUMENTS: &str = "x-arguments";
/// Member of a schema: the name of its scalar.
pub(crate) const SCALAR: &str = "x-scalar";
/// Member of a field: the directives that are applied to it.
pub(crate) const DIRECTIVES: &str = "x-directives";

/// Member of the document: the directives that a request may put on a field, with their arguments.
pub(super) const REQUEST_DIRECTIVES: &str = "x-request-directives";
/// Member of the document: what stood twice.
pub(super) const REPEATED: &str = "x-repeated";

/// The types as a document in JSON.
pub(super) fn lower(system: &TypeSystem) -> String {
    let mut out = String::new();
    out.push_str("{\"components\":{\"schemas\":{");
    let roots = [Root::Query, Root::Mutation].map(|root| system.root(root));
    let is_root = |one: &TypeDefinition| roots.iter().flatten().any(|root| root.name == one.name);
    for one in system.types.iter().filter(|one| !is_root(one)) {
        member(&mut out, &one.name);
        definition(&mut out, one, system);
    }
    out.push_str("}}");
    for (name, root) in ["query", "mutation"].into_iter().zip(roots) {
        member(&mut out, name);
        out.push('{');
        for field in root.into_iter().flat_map(|root| &root.fields) {
            member(&mut out, &field.name);
            root_field(&mut out, field);
        }
        out.push('}');
    }
    if !system.directives.is_empty() {
        member(&mut out, REQUEST_DIRECTIVES);
        out.push('{');
        for (name, arguments) in &system.directives {
            member(&mut out, name);
            out.push('{');
            names(&mut out, ARGUMENTS, arguments.iter().map(String::as_str));
            out.push('}');
        }
        out.push('}');
    }
    names(&mut out, REPEATED, system.repeated.iter().map(String::as_str));
    if let Some(text) = &system.description {
        string_member(&mut out, "description", text);
    }
    out.push('}');
    out
}

fn definition(out: &mut String, one: &TypeDefinition, system: &TypeSystem) {
    out.push('{');
    let form = match one.form {
        Form::Scalar => "scalar",
        Form::Object => "object",
        Form::Interface => "interface",
        Form::Union => "union",
        Form::Enum => "enum",
        Form::Input => "input",
    };
    string_member(out, FORM, form);
    if let Some(text) = &one.description {
        string_member(out, "description", text);
    }
    match one.form {
        Form::Scalar => string_member(out, SCALAR, &one.name),
        Form::Object | Form::Interface | Form::Input => {
            fields(out, &one.fields);
            names(out, IMPLEMENTS, one.members.iter().map(|(name, _)| name.as_str()));
            if one.form == Form::Interface {
                let implements = |other: &&TypeDefinition| {
                    other.form == Form::Object && other.members.iter().any(|(name, _)| *name == one.name)
                };
                let objects = system.types.iter().filter(implements);
                names(out, IMPLEMENTED_BY, objects.map(|other| other.name.as_str()));
            }
        }
        Form::Union => union(out, one),
        Form::Enum => values(out, &one.values),
    }
    out.push('}');
}

/// The properties of an object, and which of them are always there.
fn fields(out: &mut String, fields: &[FieldDefinition]) {
    string_member(out, "type", "object");
    member(out, "properties");
    out.push('{');
    for field in fields {
        member(out, &field.name);
        property(out, field);
    }
    out.push('}');
    let required = fields.iter().filter(|field| is_required(field));
    names(out, "required", required.map(|field| field.name.as_str()));
}

fn is_required(field: &FieldDefinition) -> bool {
    matches!(field.kind, TypeReference::NonNull(_)) && !field.defaulted
}

fn property(out: &mut String, field: &FieldDefinition) {
    out.push('{');
    kind(out, &field.kind);
    said(out, field);
    arguments(out, &field.arguments);
    out.push('}');
}

fn said(out: &mut String, field: &FieldDefinition) {
    if let Some(text) = &field.description {
        string_member(out, "description", text);
    }
    if field.deprecated.is_some() {
        member(out, "deprecated");
        out.push_str("true");
    }
    if let Some(reason) = field.deprecated.as_ref().filter(|reason| !reason.is_empty()) {
        string_member(out, "x-deprecation-reason", reason);
    }
    names(out, DIRECTIVES, field.directives.iter().map(String::as_str));
}

/// A root field: its arguments as one object, and the type of its result.
fn root_field(out: &mut String, field: &FieldDefinition) {
    out.push('{');
    said(out, field);
    arguments(out, &field.arguments);
    member(out, "arguments");
    out.push('{');
    fields(out, &field.arguments);
    out.push('}');
    member(out, "result");
    out.push('{');
    kind(out, &field.kind);
    out.push_str("}}");
}

fn arguments(out: &mut String, arguments: &[FieldDefinition]) {
    if arguments.is_empty() {
        return;
    }
    member(out, ARGUMENTS);
    out.push('[');
    for argument in arguments {
        comma(out);
        out.push('{');
        string_member(out, "name", &argument.name);
        string_member(out, "kind", &argument.kind.written());
        if is_required(argument) {
            member(out, "required");
            out.push_str("true");
        }
        out.push('}');
    }
    out.push(']');
}

/// The members that say what a type is; null is allowed unless it is excluded.
fn kind(out: &mut String, reference: &TypeReference) {
    let inner = match reference {
        TypeReference::NonNull(inner) => inner,
        TypeReference::Named(_, _) | TypeReference::List(_) => {
            member(out, "nullable");
            out.push_str("true");
            reference
        }
    };
    match inner {
        TypeReference::Named(name, _) if BUILT_IN.contains(&name.as_str()) => built_in(out, name),
        TypeReference::Named(name, _) => {
            string_member(out, "$ref", &format!("#/components/schemas/{name}"));
        }
        TypeReference::List(item) => {
            string_member(out, "type", "array");
            member(out, "items");
            out.push('{');
            kind(out, item);
            out.push('}');
        }
        TypeReference::NonNull(inner) => kind(out, inner),
    }
}

fn built_in(out: &mut String, name: &str) {
    let kind = match name {
        "Int" => "integer",
        "Float" => "number",
        "Boolean" => "boolean",
        _ => "string",
    };
    string_member(out, "type", kind);
    string_member(out, SCALAR, name);
}

fn union(out: &mut String, one: &TypeDefinition) {
    member(out, "oneOf");
    out.push('[');
    for (name, _) in &one.members {
        comma(out);
        out.push('{');
        string_member(out, "$ref", &format!("#/components/schemas/{name}"));
        out.push('}');
    }
    out.push(']');
}

/// The values as a list, and each with its description as a variant of its own.
fn values(out: &mut String, values: &[ValueDefinition]) {
    string_member(out, "type", "string");
    names(out, "enum", values.iter().map(|value| value.name.as_str()));
    member(out, "oneOf");
    out.push('[');
    for value in values {
        comma(out);
        out.push('{');
        string_member(out, "type", "string");
        string_member(out, "const", &value.name);
        let said = value.description.iter();
        let said = said.chain(value.deprecated.iter().filter(|reason| !reason.is_empty()));
        let text: Vec<&str> = said.map(String::as_str).collect();
        if !text.is_empty() {
            string_member(out, "description", &text.join("\n\n"));
        }
        out.push('}');
    }
    out.push(']');
}

fn names<'n>(out: &mut String, name: &str, list: impl Iterator<Item = &'n str>) {
    let mut list = list.peekable();
    if list.peek().is_none() {
        return;
    }
    member(out, name);
    out.push('[');
    for one in list {
        comma(out);
        string(out, one);
    }
    out.push(']');
}

fn string_member(out: &mut String, name: &str, text: &str) {
    member(out, name);
    string(out, text);
}

fn member(out: &mut String, name: &str) {
    comma(out);
    string(out, name);
    out.push(':');
}

/// A comma, unless a container has just been opened.
fn comma(out: &mut String) {
    if !out.ends_with(['{', '[']) || out.is_empty() {
        out.push(',');
    }
}

fn string(out: &mut String, text: &str) {
    out.push_str(&Value::from(text).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_stand_between_members_only() {
        let mut out = String::from("{");
        string_member(&mut out, "a", "x{");
        string_member(&mut out, "b", "[");
        names(&mut out, "c", ["d", "e"].into_iter());
        assert_eq!(out, r#"{"a":"x{","b":"[","c":["d","e"]"#);
    }
}
