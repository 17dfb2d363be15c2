//! Operations: what can be asked of a provider.

use serde::{Deserialize, Serialize};

use crate::{Effect, FieldKind, Plan};

/// One operation of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// `METHOD /path` as the source writes them; `mutation name` or `query name` for GraphQL.
    pub id: String,
    /// HTTP method, upper case; `POST` for GraphQL.
    pub method: String,
    /// Path template, `/v1/refunds/{refund}`; for GraphQL the path of the endpoint.
    pub path: String,
    /// How a document asks for it; only for GraphQL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graphql: Option<RootField>,
    /// What it does to the world.
    pub effect: Effect,
    /// The resource it is about.
    pub resource: Option<String>,
    /// What it does to that resource.
    pub role: Role,
    /// Parameters and body fields.
    pub parameters: Vec<Parameter>,
    /// Encoding of its body.
    pub body: BodyEncoding,
    /// What a success answers.
    pub reply: Option<Reply>,
    /// How the outcome is read; only for operations that act.
    pub plan: Option<Plan>,
    /// The assertions that effect and resource rest on.
    pub assertions: Vec<String>,
}

impl Operation {
    /// What a contract calls a parameter: by the parameter's own name, for GraphQL by as many of its last steps
    /// as tell it from those that stand before it, in words joined by `_`.
    #[must_use]
    pub fn member(&self, parameter: &str) -> String {
        if self.graphql.is_none() {
            return parameter.to_owned();
        }
        let outer: Vec<&str> =
            self.parameters.iter().map(|own| own.name.as_str()).take_while(|own| *own != parameter).collect();
        let steps: Vec<&str> = parameter.split('.').collect();
        let tail = |name: &str, count: usize| {
            let steps: Vec<&str> = name.split('.').map(|step| step.trim_end_matches("[0]")).collect();
            joined(steps.get(steps.len().saturating_sub(count)..).unwrap_or_default())
        };
        let unique = |count: &usize| outer.iter().all(|own| tail(own, *count) != tail(parameter, *count));
        let count = (1..steps.len()).find(unique).unwrap_or(steps.len());
        tail(parameter, count)
    }
}

/// The words of names, lower case and joined by `_`.
fn joined(names: &[&str]) -> String {
    let mut text = String::new();
    for name in names {
        let mut small = false;
        if !text.is_empty() {
            text.push('_');
        }
        for letter in name.chars() {
            if letter.is_uppercase() && small {
                text.push('_');
            }
            small = letter.is_lowercase() || letter.is_ascii_digit();
            text.extend(letter.to_lowercase());
        }
    }
    text
}

/// A field of the query or mutation root, and how a document asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootField {
    /// Query or mutation.
    pub kind: RootKind,
    /// Name of the field.
    pub name: String,
    /// Its arguments, in source order.
    pub arguments: Vec<Argument>,
    /// The selection set of its result, braces included, that reads everything a plan needs of the record; empty for a
    /// result without fields. Holds no variables.
    pub selection: String,
}

/// Which root a field belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootKind {
    /// Reads.
    Query,
    /// Acts.
    Mutation,
}

/// An argument of a root field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its type as GraphQL writes it, `RefundInput!`.
    pub kind: String,
    /// Must be given: non-null and without a default.
    pub required: bool,
}

/// What an operation does to its resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Makes a record.
    Create,
    /// Reads one record.
    Read,
    /// Lists records.
    List,
    /// Changes a record's fields.
    Update,
    /// Removes a record.
    Delete,
    /// Calls a record off.
    Cancel,
    /// Anything else.
    Act,
}

/// A parameter or a body field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Name; nested body fields are written `a.b`, those of items of a list `a[0].b`.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// Its type.
    pub kind: FieldKind,
    /// Must be given.
    pub required: bool,
    /// What the source says of it, in one line.
    #[serde(default)]
    pub description: Option<String>,
}

impl Parameter {
    /// Stands in an item of a list, written as its first: `lines[0].amount`.
    #[must_use]
    pub fn in_list(&self) -> bool {
        self.name.contains('[')
    }
}

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In the path template.
    Path,
    /// In the query string.
    Query,
    /// A header.
    Header,
    /// In the body.
    Body,
}

/// Encoding of a request body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyEncoding {
    /// No body.
    #[default]
    None,
    /// `application/json`.
    Json,
    /// `application/x-www-form-urlencoded`, nested as `a[b]`.
    Form,
    /// `multipart/form-data`.
    Multipart,
    /// Another media type.
    Other,
}

/// What a success answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// The resource in the reply.
    pub resource: Option<String>,
    /// Query from the reply to the record or to the list, rooted at `$`.
    pub select: String,
    /// The reply holds a list of that resource.
    pub list: bool,
    /// Members of a list's envelope whose value is always the same, with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<(String, String)>,
    /// The member of a list's envelope that repeats the path of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}
