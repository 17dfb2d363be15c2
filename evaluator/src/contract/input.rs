//! The input schema: a closed subset of JSON Schema that `begin` checks an input against.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Serialize};

use crate::json::{Object, Value};

/// The members of an input. Members that are not named are refused.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InputSchema {
    /// Always `object`.
    #[serde(rename = "type")]
    pub kind: ObjectType,
    /// Members by name.
    pub properties: BTreeMap<String, InputProperty>,
    /// Members that must be there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    /// At least one of these sets must be there in full.
    #[serde(rename = "anyOf", default, skip_serializing_if = "Vec::is_empty")]
    pub any_of: Vec<RequiredSet>,
    /// Always false: unknown members are refused.
    #[serde(rename = "additionalProperties", default)]
    pub additional_properties: bool,
}

/// The word `object`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ObjectType {
    /// `object`.
    #[default]
    Object,
}

/// One alternative of `anyOf`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RequiredSet {
    /// Members that must be there.
    pub required: Vec<String>,
}

/// One member of the input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InputProperty {
    /// JSON type.
    #[serde(rename = "type")]
    pub kind: InputType,
    /// Meaning and unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Allowed values.
    #[serde(rename = "enum", default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<Value>,
    /// Smallest integer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<i64>,
    /// Least number of characters.
    #[serde(rename = "minLength", default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u32>,
}

/// JSON types of an input member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum InputType {
    /// A string.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// Why an input is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputError {
    /// The input is not an object.
    NotAnObject,
    /// A member that the schema does not name.
    Unknown {
        /// The member.
        member: String,
        /// The nearest known names.
        known: Vec<String>,
    },
    /// A required member is not there.
    Missing {
        /// The member, or the alternatives joined by ` or `.
        member: String,
    },
    /// A member of another type.
    Mistyped {
        /// The member.
        member: String,
        /// The type that is asked for.
        expected: InputType,
    },
    /// A value that the schema does not allow.
    NotAllowed {
        /// The member.
        member: String,
    },
}

impl InputError {
    /// Stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotAnObject => "input_not_an_object",
            Self::Unknown { .. } => "input_member_unknown",
            Self::Missing { .. } => "input_member_missing",
            Self::Mistyped { .. } => "input_member_mistyped",
            Self::NotAllowed { .. } => "input_value_not_allowed",
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject => f.write_str("the input must be a JSON object"),
            Self::Unknown { member, known } => {
                write!(f, "the input member `{member}` is not known; the contract takes {}", known.join(", "))
            }
            Self::Missing { member } => write!(f, "the input lacks `{member}`"),
            Self::Mistyped { member, expected } => {
                write!(f, "the input member `{member}` must be of type {}", expected.name())
            }
            Self::NotAllowed { member } => {
                write!(f, "the value of the input member `{member}` is not allowed")
            }
        }
    }
}

impl core::error::Error for InputError {}

impl InputType {
    /// The JSON Schema name of the type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    fn admits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::String, Value::String(_))
            | (Self::Number, Value::Number(_))
            | (Self::Boolean, Value::Bool(_))
            | (Self::Array, Value::Array(_))
            | (Self::Object, Value::Object(_)) => true,
            (Self::Integer, Value::Number(number)) => number.is_integer(),
            (
                Self::String | Self::Integer | Self::Number | Self::Boolean | Self::Array | Self::Object,
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_)
                | Value::Object(_),
            ) => false,
        }
    }
}

impl InputSchema {
    /// Checks an input; the first fault found is the error.
    ///
    /// # Errors
    /// [`InputError`] for a value that is not an object, an unknown, missing or mistyped member,
    /// or a value outside `enum`, `minimum` or `minLength`.
    pub fn check(&self, input: &Value) -> Result<(), InputError> {
        let object = input.as_object().ok_or(InputError::NotAnObject)?;
        for (name, value) in object.iter() {
            let property = self.properties.get(name).ok_or_else(|| InputError::Unknown {
                member: name.into(),
                known: self.properties.keys().cloned().collect(),
            })?;
            property.check(name, value)?;
        }
        if let Some(member) = self.required.iter().find(|name| object.get(name).is_none()) {
            return Err(InputError::Missing { member: member.clone() });
        }
        self.check_alternatives(object)
    }

    fn check_alternatives(&self, object: &Object) -> Result<(), InputError> {
        let met = |set: &RequiredSet| set.required.iter().all(|name| object.get(name).is_some());
        if self.any_of.is_empty() || self.any_of.iter().any(met) {
            return Ok(());
        }
        let sets: Vec<String> = self.any_of.iter().map(|set| set.required.join("` and `")).collect();
        Err(InputError::Missing { member: sets.join("` or `") })
    }
}

impl InputProperty {
    fn check(&self, member: &str, value: &Value) -> Result<(), InputError> {
        if !self.kind.admits(value) {
            return Err(InputError::Mistyped { member: member.into(), expected: self.kind });
        }
        let listed = self.allowed.is_empty() || self.allowed.contains(value);
        let large = match (self.minimum, value) {
            (Some(minimum), Value::Number(number)) => number.as_i64().is_none_or(|n| n >= minimum),
            _ => true,
        };
        let long = match (self.min_length, value) {
            (Some(least), Value::String(text)) => text.chars().count() >= least as usize,
            _ => true,
        };
        if listed && large && long { Ok(()) } else { Err(InputError::NotAllowed { member: member.into() }) }
    }
}
