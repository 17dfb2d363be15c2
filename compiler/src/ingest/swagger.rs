//! What Swagger 2.0 says in another place than OpenAPI 3: servers, bodies and forms. Must not do what both share.

use provely_document::Node;
use provely_model::BodyEncoding;

use super::forest::{Forest, Place};
use super::openapi::Body;
use super::operation::{OperationAt, below, encoding, listed, rank};

/// The server that scheme, host and base path name; none without a host.
pub(super) fn server(root: Node<'_>) -> Option<String> {
    let text = |key: &str| root.get(key).and_then(Node::as_str).map(str::trim);
    let host = text("host").filter(|host| !host.is_empty())?;
    let mut schemes = root.get("schemes").into_iter().flat_map(Node::items).filter_map(Node::as_str);
    let first = schemes.clone().next();
    let scheme = schemes.find(|scheme| *scheme == "https").or(first).unwrap_or("https");
    let path = text("basePath").unwrap_or_default().trim_matches('/');
    let slash = if path.is_empty() { "" } else { "/" };
    Some(format!("{scheme}://{}{slash}{path}", host.trim_end_matches('/')))
}

/// True for a parameter that stands in the body.
pub(super) fn is_body(parameter: Node<'_>) -> bool {
    matches!(parameter.get("in").and_then(Node::as_str), Some("body" | "formData"))
}

/// The request body: the one `body` parameter, else all form fields together.
pub(super) fn body<'a>(forest: &'a Forest, root: Node<'a>, at: &OperationAt<'a, '_>) -> Option<Body> {
    let consumes = consumes(root, at.place.node);
    for owner in at.owners() {
        let parameters = listed(forest, owner);
        let stands = |at: &str| {
            let at = at.to_owned();
            move |place: &&Place<'a>| place.node.get("in").and_then(Node::as_str) == Some(at.as_str())
        };
        let required = |place: &Place<'_>| place.node.get("required").and_then(Node::as_bool) == Some(true);
        if let Some(body) = parameters.iter().find(stands("body")) {
            let media_type = consumes.into_iter().min_by_key(|name| rank(name)).unwrap_or("application/json");
            let schema = below(body, "schema").map(|schema| schema.keep(forest));
            return Some(Body {
                encoding: encoding(media_type),
                media_type: media_type.to_owned(),
                required: required(body),
                schema,
            });
        }
        let form: Vec<&Place<'_>> = parameters.iter().filter(stands("formData")).collect();
        if !form.is_empty() {
            let files =
                form.iter().any(|place| place.node.get("type").and_then(Node::as_str) == Some("file"));
            let media_type = form_type(&consumes, files);
            return Some(Body {
                encoding: encoding(media_type),
                media_type: media_type.to_owned(),
                required: form.iter().any(|place| required(place)),
                schema: below(owner, "parameters").map(|all| all.keep(forest)),
            });
        }
    }
    None
}

/// What an operation takes: its own list, else that of the description.
fn consumes<'a>(root: Node<'a>, operation: Node<'a>) -> Vec<&'a str> {
    let stated = operation.get("consumes").or_else(|| root.get("consumes"));
    stated.into_iter().flat_map(Node::items).filter_map(Node::as_str).collect()
}

fn form_type<'t>(consumes: &[&'t str], files: bool) -> &'t str {
    let wanted = if files { BodyEncoding::Multipart } else { BodyEncoding::Form };
    let forms = [wanted, BodyEncoding::Form, BodyEncoding::Multipart];
    let stated = forms.into_iter().find_map(|form| consumes.iter().find(|name| encoding(name) == form));
    stated.copied().unwrap_or(if files { "multipart/form-data" } else { "application/x-www-form-urlencoded" })
}
