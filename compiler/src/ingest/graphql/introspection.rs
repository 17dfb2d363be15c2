//! Reads the answer to an introspection query. What stands beside `__schema` does not matter; must not judge
//! what is defined.

use provely_document::{Diagnostic, Document, Kind, Node};

use super::types::{FieldDefinition, Form, Root, TypeDefinition, TypeReference, TypeSystem, ValueDefinition};

/// The file is JSON and no answer to an introspection query.
pub(super) const NOT_INTROSPECTION: &str = "graphql/not-introspection";
/// A member of the answer is missing or of another type.
pub(super) const MALFORMED: &str = "graphql/malformed-introspection";

/// Deepest list and non-null wrapping of a type.
const MOST_WRAPS: usize = 32;

/// The types that an answer lists.
///
/// # Errors
/// The first member that is missing or wrong.
pub(super) fn read(document: &Document) -> Result<TypeSystem, Diagnostic> {
    let source = document.source();
    let root = document.root();
    let schema = root.get("__schema").or_else(|| root.at("/data/__schema"));
    let Some(schema) = schema.filter(|node| node.kind() == Kind::Object) else {
        let message = "this is no GraphQL schema: the member `__schema` is missing";
        return Err(Diagnostic::error(NOT_INTROSPECTION, source, root.span(), message)
            .with_help("hand in a schema in SDL, or the answer to an introspection query"));
    };
    let mut found = TypeSystem { description: text(schema, "description"), ..TypeSystem::default() };
    for (member, root) in [("queryType", Root::Query), ("mutationType", Root::Mutation)] {
        if let Some(name) = schema.get(member).and_then(|node| text(node, "name")) {
            found.roots.insert(root, name);
        }
    }
    found.directives = list(schema, "directives").filter_map(request_directive).collect();
    let types = schema.get("types").filter(|node| node.kind() == Kind::Array);
    let Some(types) = types else {
        return Err(schema.error(MALFORMED, "the member `types` is no list of types"));
    };
    for node in types.items() {
        if let Some(one) = definition(node)? {
            found.add(source, one, false)?;
        }
    }
    Ok(found)
}

/// A directive that stands on the fields of a request, with the names of its arguments.
fn request_directive(node: Node<'_>) -> Option<(String, Vec<String>)> {
    let on_field = list(node, "locations").any(|place| place.as_str() == Some("FIELD"));
    let arguments = list(node, "args").filter_map(|one| text(one, "name")).collect();
    text(node, "name").filter(|_| on_field).map(|name| (name, arguments))
}

/// One type; `None` for those of introspection itself and for the scalars that every schema has.
fn definition(node: Node<'_>) -> Result<Option<TypeDefinition>, Diagnostic> {
    let name = required(node, "name")?;
    if name.starts_with("__") || super::types::BUILT_IN.contains(&name.as_str()) {
        return Ok(None);
    }
    let (form, fields, members) = match required(node, "kind")?.as_str() {
        "SCALAR" => (Form::Scalar, "", ""),
        "OBJECT" => (Form::Object, "fields", "interfaces"),
        "INTERFACE" => (Form::Interface, "fields", "interfaces"),
        "UNION" => (Form::Union, "", "possibleTypes"),
        "ENUM" => (Form::Enum, "", ""),
        "INPUT_OBJECT" => (Form::Input, "inputFields", ""),
        other => return Err(node.error(MALFORMED, format!("`{other}` is no kind of type"))),
    };
    let members = list(node, members).map(|member| Ok((required(member, "name")?, member.span())));
    Ok(Some(TypeDefinition {
        span: node.span(),
        form,
        description: text(node, "description"),
        members: members.collect::<Result<_, Diagnostic>>()?,
        fields: list(node, fields).map(field).collect::<Result<_, Diagnostic>>()?,
        values: list(node, "enumValues").map(value).collect::<Result<_, Diagnostic>>()?,
        name,
    }))
}

fn field(node: Node<'_>) -> Result<FieldDefinition, Diagnostic> {
    let kind = node.get("type").ok_or_else(|| node.error(MALFORMED, "a field has no type"))?;
    Ok(FieldDefinition {
        name: required(node, "name")?,
        span: node.span(),
        description: text(node, "description"),
        kind: reference(kind)?,
        arguments: list(node, "args").map(argument).collect::<Result<_, Diagnostic>>()?,
        defaulted: node.get("defaultValue").is_some_and(|value| !value.is_null()),
        deprecated: deprecated(node),
        directives: Vec::new(),
    })
}

/// An argument has no arguments of its own, whatever the file says.
fn argument(node: Node<'_>) -> Result<FieldDefinition, Diagnostic> {
    let kind = node.get("type").ok_or_else(|| node.error(MALFORMED, "an argument has no type"))?;
    Ok(FieldDefinition {
        name: required(node, "name")?,
        span: node.span(),
        description: text(node, "description"),
        kind: reference(kind)?,
        arguments: Vec::new(),
        defaulted: node.get("defaultValue").is_some_and(|value| !value.is_null()),
        deprecated: deprecated(node),
        directives: Vec::new(),
    })
}

fn value(node: Node<'_>) -> Result<ValueDefinition, Diagnostic> {
    Ok(ValueDefinition {
        name: required(node, "name")?,
        span: node.span(),
        description: text(node, "description"),
        deprecated: deprecated(node),
    })
}

fn reference(node: Node<'_>) -> Result<TypeReference, Diagnostic> {
    let mut wraps = Vec::new();
    let mut node = node;
    loop {
        let kind = required(node, "kind")?;
        let wrap = match kind.as_str() {
            "NON_NULL" => true,
            "LIST" => false,
            _ => break,
        };
        if wraps.len() >= MOST_WRAPS {
            return Err(node.error(MALFORMED, format!("a type is wrapped more than {MOST_WRAPS} times")));
        }
        wraps.push(wrap);
        node = node.get("ofType").ok_or_else(|| node.error(MALFORMED, "a list holds no type"))?;
    }
    let mut kind = TypeReference::Named(required(node, "name")?, node.span());
    for strict in wraps.into_iter().rev() {
        kind =
            if strict { TypeReference::NonNull(Box::new(kind)) } else { TypeReference::List(Box::new(kind)) };
    }
    Ok(kind)
}

fn deprecated(node: Node<'_>) -> Option<String> {
    let marked = node.get("isDeprecated").and_then(Node::as_bool) == Some(true);
    marked.then(|| text(node, "deprecationReason").unwrap_or_default())
}

fn list<'a>(node: Node<'a>, member: &str) -> impl Iterator<Item = Node<'a>> + use<'a> {
    node.get(member).into_iter().flat_map(Node::items)
}

fn text(node: Node<'_>, member: &str) -> Option<String> {
    node.get(member).and_then(Node::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn required(node: Node<'_>, member: &str) -> Result<String, Diagnostic> {
    text(node, member).ok_or_else(|| node.error(MALFORMED, format!("the member `{member}` is missing")))
}
