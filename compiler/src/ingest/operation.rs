//! Reads what one operation says: words, parameters, body, replies. Must not judge what it does.

use std::collections::BTreeMap;

use provely_document::{Kind, Node};
use provely_model::BodyEncoding;

use super::forest::{Forest, NodeRef, Place};
use super::oddity::Oddity;
use super::openapi::{ApiOperation, ApiParameter, ApiReply, Body, Dialect, ParameterPlace, Reader};
use super::{security, swagger};
use crate::assertion::pointer_token;
use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// Where an operation stands.
pub(super) struct OperationAt<'a, 'o> {
    pub(super) method: &'o str,
    pub(super) path: &'o str,
    /// The path item and those that it leads to.
    pub(super) layers: &'o [Place<'a>],
    pub(super) place: &'o Place<'a>,
}

impl<'a> OperationAt<'a, '_> {
    /// The operation, then its path items: those whose parameters count.
    pub(super) fn owners(&self) -> impl Iterator<Item = &Place<'a>> {
        std::iter::once(self.place).chain(self.layers)
    }
}

/// Reads one operation.
pub(super) fn read<'a>(reader: &mut Reader<'a, '_>, at: &OperationAt<'a, '_>) -> ApiOperation {
    let (forest, place) = (reader.forest, at.place);
    let text = |key: &str| place.node.get(key).and_then(Node::scalar_text).map(str::to_owned);
    let inherited =
        |key: &str| at.layers.iter().find_map(|item| item.node.get(key)?.as_str()).map(str::to_owned);
    note_id(reader, place);
    let body = match reader.dialect {
        Dialect::Three => body(forest, place),
        Dialect::Two => swagger::body(forest, reader.root.node, at),
    };
    ApiOperation {
        id: format!("{} {}", at.method, at.path),
        method: at.method.to_owned(),
        path: at.path.to_owned(),
        operation_id: text("operationId"),
        summary: text("summary").or_else(|| inherited("summary")),
        description: text("description").or_else(|| inherited("description")),
        tags: tags(place.node),
        deprecated: place.node.get("deprecated").and_then(Node::as_bool) == Some(true),
        parameters: parameters(forest, reader.dialect, at),
        body,
        replies: replies(forest, reader.dialect, place),
        scopes: security::needed(reader.root.node, place.node),
        hints: hints(place.node),
        graphql: None,
        assertion: forest.assertion(place.tree, &place.pointer),
    }
}

/// Notes an `operationId` that is no string, or not the first of its name. It names nothing here.
fn note_id(reader: &mut Reader<'_, '_>, place: &Place<'_>) {
    let Some(id) = place.node.get("operationId") else { return };
    match id.as_str() {
        None => reader.oddities.note(Oddity::OperationId, place.tree, id),
        Some(text) if !reader.operation_ids.insert(text.to_owned()) => {
            reader.oddities.note(Oddity::SameOperationId, place.tree, id);
        }
        Some(_) => {}
    }
}

fn tags(operation: Node<'_>) -> Vec<String> {
    let tags = operation.get("tags").into_iter().flat_map(Node::items);
    tags.filter_map(Node::scalar_text).map(str::to_owned).collect()
}

fn hints(operation: Node<'_>) -> BTreeMap<String, String> {
    let own = operation.entries().filter(|entry| entry.key.starts_with("x-"));
    own.filter_map(|entry| Some((entry.key.to_owned(), entry.value.scalar_text()?.to_owned()))).collect()
}

fn parameters<'a>(forest: &'a Forest, dialect: Dialect, at: &OperationAt<'a, '_>) -> Vec<ApiParameter> {
    let mut parameters: Vec<ApiParameter> = Vec::new();
    for owner in at.owners() {
        for place in listed(forest, owner) {
            let Some(parameter) = parameter(forest, dialect, &place) else { continue };
            let same = |known: &ApiParameter| known.name == parameter.name && known.place == parameter.place;
            if !parameters.iter().any(same) {
                parameters.push(parameter);
            }
        }
    }
    parameters
}

/// The parameters that an operation or a path item lists, references followed.
pub(super) fn listed<'a>(forest: &'a Forest, owner: &Place<'a>) -> Vec<Place<'a>> {
    let all = owner.node.get("parameters").into_iter().flat_map(Node::items);
    all.enumerate()
        .map(|(index, node)| {
            let pointer = format!("{}/parameters/{index}", owner.pointer);
            forest.resolve(Place { tree: owner.tree, node, pointer })
        })
        .collect()
}

/// What stands among the parameters and is none: it has no name, or stands nowhere that is known.
pub(super) fn unnamed<'a>(reader: &Reader<'a, '_>, at: &OperationAt<'a, '_>, id: &str) -> Vec<Uncertainty> {
    let mut odd = Vec::new();
    for (number, owner) in at.owners().enumerate() {
        let level = if number == 0 { "operation" } else { "path" };
        for (index, place) in listed(reader.forest, owner).iter().enumerate() {
            let body = reader.dialect == Dialect::Two && swagger::is_body(place.node);
            if body || parameter(reader.forest, reader.dialect, place).is_some() {
                continue;
            }
            let seen = reader.forest.assertion(owner.tree, &format!("{}/parameters/{index}", owner.pointer));
            let question = format!(
                "Parameter {index} of the {level} of `{id}` has no name or no known place. What is it?"
            );
            let subject = format!("{id}:{level}:{index}");
            odd.push(Uncertainty::new(UncertaintyKind::Input, subject, question).with_assertions(vec![seen]));
        }
    }
    odd
}

fn parameter<'a>(forest: &'a Forest, dialect: Dialect, place: &Place<'a>) -> Option<ApiParameter> {
    let text = |key: &str| place.node.get(key).and_then(Node::as_str);
    let stands = match text("in")? {
        "path" => ParameterPlace::Path,
        "query" | "querystring" => ParameterPlace::Query,
        "header" => ParameterPlace::Header,
        "cookie" => ParameterPlace::Cookie,
        _ => return None,
    };
    let required = place.node.get("required").and_then(Node::as_bool) == Some(true);
    let schema = match dialect {
        Dialect::Three => below(place, "schema")
            .map(|schema| schema.keep(forest))
            .or_else(|| media(forest, place).and_then(|(_, schema)| schema)),
        Dialect::Two => Some(below(place, "schema").as_ref().unwrap_or(place).keep(forest)),
    };
    Some(ApiParameter {
        name: place.node.get("name").and_then(Node::scalar_text)?.to_owned(),
        place: stands,
        required: required || stands == ParameterPlace::Path,
        description: text("description").map(str::to_owned),
        schema,
        assertion: forest.assertion(place.tree, &place.pointer),
    })
}

/// The request body of an operation: JSON first, then forms.
pub(super) fn body<'a>(forest: &'a Forest, operation: &Place<'a>) -> Option<Body> {
    let place = forest.resolve(below(operation, "requestBody")?);
    let (media_type, schema) = media(forest, &place)?;
    Some(Body {
        encoding: encoding(&media_type),
        media_type,
        required: place.node.get("required").and_then(Node::as_bool) == Some(true),
        schema,
    })
}

fn replies<'a>(forest: &'a Forest, dialect: Dialect, operation: &Place<'a>) -> Vec<ApiReply> {
    let replies = operation.node.get("responses").into_iter().flat_map(Node::entries);
    replies
        .filter(|entry| !entry.key.starts_with("x-"))
        .map(|entry| {
            let pointer = format!("{}/responses{}", operation.pointer, pointer_token(entry.key));
            let assertion = forest.assertion(operation.tree, &pointer);
            let place = forest.resolve(Place { tree: operation.tree, node: entry.value, pointer });
            let schema = match dialect {
                Dialect::Three => media(forest, &place).and_then(|(_, schema)| schema),
                Dialect::Two => below(&place, "schema").map(|schema| schema.keep(forest)),
            };
            ApiReply {
                status: entry.key.trim().to_owned(),
                description: place.node.get("description").and_then(Node::as_str).map(str::to_owned),
                schema,
                assertion,
            }
        })
        .collect()
}

/// A member with its pointer.
pub(super) fn below<'a>(place: &Place<'a>, member: &str) -> Option<Place<'a>> {
    let node = place.node.get(member)?;
    Some(Place { tree: place.tree, node, pointer: format!("{}/{member}", place.pointer) })
}

/// The media type of a body and its schema: JSON before forms before anything else.
fn media<'a>(forest: &'a Forest, place: &Place<'a>) -> Option<(String, Option<NodeRef>)> {
    let content = place.node.get("content")?;
    let entry = content.entries().min_by_key(|entry| rank(entry.key))?;
    let pointer = format!("{}/content{}", place.pointer, pointer_token(entry.key));
    let media = forest.resolve(Place { tree: place.tree, node: entry.value, pointer });
    // A stream states the schema of its items alone.
    let schema = ["schema", "itemSchema"].into_iter().find_map(|member| below(&media, member));
    let stated = schema.filter(|schema| matches!(schema.node.kind(), Kind::Object | Kind::Bool));
    Some((entry.key.to_owned(), stated.map(|schema| schema.keep(forest))))
}

/// The order in which media types are taken.
pub(super) fn rank(media_type: &str) -> u8 {
    match encoding(media_type) {
        BodyEncoding::Json => 0,
        BodyEncoding::Form => 1,
        BodyEncoding::Multipart => 2,
        BodyEncoding::None | BodyEncoding::Other => 3,
    }
}

/// How a body of a media type is encoded.
pub(super) fn encoding(media_type: &str) -> BodyEncoding {
    let name = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match name.as_str() {
        "application/x-www-form-urlencoded" => BodyEncoding::Form,
        "multipart/form-data" => BodyEncoding::Multipart,
        _ if name == "application/json" || name.ends_with("+json") || name == "*/*" => BodyEncoding::Json,
        _ => BodyEncoding::Other,
    }
}
