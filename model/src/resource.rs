//! Resources: the record types of a service.

use serde::{Deserialize, Serialize};

use crate::Lifecycle;

/// One record type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    /// Name, `refund`.
    pub name: String,
    /// JSON pointer of its schema.
    pub schema: String,
    /// Fields of a record, in source order.
    pub fields: Vec<Field>,
    /// Where a record carries its id, rooted at `@`.
    pub id: Option<String>,
    /// Where it carries its creation time, rooted at `@`.
    pub created: Option<String>,
    /// Its states.
    pub lifecycle: Option<Lifecycle>,
    /// Further fields that each carry states of their own, such as an outcome beside a progress.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<Lifecycle>,
    /// The assertions it rests on.
    pub assertions: Vec<String>,
}

impl Resource {
    /// Its lifecycle and those on further fields.
    pub fn lifecycles(&self) -> impl Iterator<Item = &Lifecycle> {
        self.lifecycle.iter().chain(&self.axes)
    }
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Type.
    pub kind: FieldKind,
    /// Always there.
    pub required: bool,
    /// May be null.
    pub nullable: bool,
    /// Fixed values, where the source lists them.
    #[serde(default)]
    pub values: Vec<String>,
    /// The resource that it names by id or holds expanded.
    #[serde(default)]
    pub refers_to: Option<String>,
}

/// The type of a field or parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Text.
    Text,
    /// Whole number.
    Integer,
    /// Number.
    Number,
    /// Decimal written as text.
    Decimal,
    /// Boolean.
    Boolean,
    /// RFC 3339 text.
    DateTime,
    /// Seconds since the Unix epoch.
    EpochSeconds,
    /// Milliseconds since the Unix epoch.
    EpochMilliseconds,
    /// An id, or the record of that id expanded.
    IdOrRecord,
    /// A map of free keys.
    Map,
    /// An object.
    Object,
    /// An array.
    Array,
    /// Not stated, or several types.
    Any,
}
