//! Evidence plans: how the outcome of an acting operation is read.

use provely_evaluator::contract::{As, Channel, KeyDirective};
use serde::{Deserialize, Serialize};

use crate::FailurePredicate;

/// How the outcome of one acting operation is read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Plan {
    /// Operation that reads the record by id.
    pub readback: Option<String>,
    /// Operation that lists siblings.
    pub list: Option<String>,
    /// Operation that lists events, where one exists.
    pub event_list: Option<String>,
    /// Event types that report the change.
    pub events: Vec<String>,
    /// Where the action's reply carries the record's id, rooted at `$action.result`.
    pub result_id: Option<String>,
    /// The channels, ready for a contract.
    pub channels: Vec<Channel>,
    /// The provider's retry protection.
    pub idempotency: Option<IdempotencyPlan>,
    /// A free field that can carry our tag.
    pub tag: Option<TagPlan>,
    /// Input fields that the record echoes.
    pub echoes: Vec<Echo>,
    /// When a reply with a success status is a refusal.
    pub failure: Option<FailurePredicate>,
    /// Scopes that the verifier's credential needs.
    pub read_scopes: Vec<String>,
    /// Part of the plan (`readback`, `list`, `events`, `idempotency`, `tag`) to its assertions.
    pub assertions: Vec<(String, Vec<String>)>,
}

/// The provider's retry protection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdempotencyPlan {
    /// Header that carries the key.
    pub header: Option<String>,
    /// Body field that carries it, `request.key` where it is nested; for a query document the argument.
    #[serde(default)]
    pub field: Option<String>,
    /// Directive of a query document that carries it.
    #[serde(default)]
    pub directive: Option<KeyDirective>,
    /// How long the provider keeps a key, in milliseconds.
    pub life_ms: u64,
    /// Events or records echo the key.
    pub echoed: bool,
}

impl IdempotencyPlan {
    /// True if a request has a place for the key.
    #[must_use]
    pub const fn takes_key(&self) -> bool {
        self.header.is_some() || self.field.is_some() || self.directive.is_some()
    }
}

/// A free field that can carry our tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagPlan {
    /// Body field, `metadata.provely_operation`.
    pub parameter: String,
    /// Where the record carries it, rooted at `@`.
    pub path: String,
    /// The field cannot change after creation.
    pub immutable: bool,
}

/// An input field that the record echoes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Echo {
    /// Input member.
    pub input: String,
    /// Where the record carries it, rooted at `@`.
    pub path: String,
    /// How both are read.
    pub read_as: Option<As>,
    /// What a difference means.
    pub kind: EchoKind,
    /// The assertion of the record's field.
    pub assertion: String,
}

/// What an echoed field says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EchoKind {
    /// Names the parent or recipient: the scope of siblings.
    Subject,
    /// An amount.
    Amount,
    /// A currency.
    Currency,
    /// Anything else.
    Other,
}
