//! The place of a fact in the words of GraphQL: `Type.field`, `Type.VALUE`, `mutation name`. Must not look at
//! what the fact says.

use provely_document::Document;

use super::lower::REQUEST_DIRECTIVES;

/// What a pointer into the tree of a schema is called in a reference.
pub(in crate::ingest) fn place_name(document: &Document, pointer: &str) -> String {
    let tokens: Vec<&str> = pointer.split('/').skip(1).collect();
    match tokens.as_slice() {
        ["components", "schemas", name, "properties", field, ..] => format!("{name}.{field}"),
        ["components", "schemas", name, "oneOf", index, ..] => {
            let value = document.root().at(&format!("/components/schemas/{name}/oneOf/{index}/const"));
            match value.and_then(provely_document::Node::as_str) {
                Some(value) => format!("{name}.{value}"),
                None => (*name).to_owned(),
            }
        }
        ["components", "schemas", name, ..] => (*name).to_owned(),
        [root @ ("query" | "mutation"), name, ..] => format!("{root} {name}"),
        [member, name] if *member == REQUEST_DIRECTIVES => format!("@{name}"),
        _ => "schema".to_owned(),
    }
}
