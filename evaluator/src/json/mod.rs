//! The JSON value of the workspace: numbers keep their text, objects are sorted and hold each key once.
//!
//! It must not convert numbers through floating point, drop a duplicate member or recurse without a bound
//! while reading. It knows nothing of contracts or receipts.

mod number;
mod object;
mod parse;
mod print;
mod serial;
#[cfg(test)]
pub(crate) mod tests;
mod typed;

pub use number::Number;
pub use object::Object;
pub use parse::{MAX_DEPTH, ParseCode, ParseError, parse};
pub(crate) use print::write_string;
pub use serial::{ToValueError, to_value};
pub use typed::{ShapeError, from_value};

use alloc::string::String;
use alloc::vec::Vec;

/// A JSON value (RFC 8259).
///
/// `Display` prints compact JSON, `{:#}` JSON indented by two spaces. Two values are equal if they are equal
/// member by member and their numbers have the same text: `1` is not `1.0` here.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number with its digits as they were written.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Object),
}

impl Value {
    /// The member `key` of an object; `None` for every other value and for an object without it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }

    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(text) = self { Some(text) } else { None }
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(flag) = self { Some(*flag) } else { None }
    }

    /// The number, if it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        if let Value::Number(number) = self { Some(number) } else { None }
    }

    /// The number as `i64`, if it is an integer literal in that range.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The number as `u64`, if it is an integer literal in that range.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// The items, if it is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Value::Array(items) = self { Some(items) } else { None }
    }

    /// The object, if it is one.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        if let Value::Object(object) = self { Some(object) } else { None }
    }

    /// The object to change in place, if it is one.
    #[must_use]
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        if let Value::Object(object) = self { Some(object) } else { None }
    }

    /// The name of the JSON type: `null`, `boolean`, `number`, `string`, `array` or `object`.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Value::Bool(flag)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(String::from(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(text)
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Value::Number(number)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Value::Object(object)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Value::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

macro_rules! from_integer {
    ($($signed:ty),*; $($unsigned:ty),*) => {
        $(impl From<$signed> for Value {
            fn from(number: $signed) -> Self {
                Value::Number(Number::from_i64(i64::from(number)))
            }
        })*
        $(impl From<$unsigned> for Value {
            fn from(number: $unsigned) -> Self {
                Value::Number(Number::from_u64(u64::from(number)))
            }
        })*
    };
}
from_integer!(i8, i16, i32, i64; u8, u16, u32, u64);

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Value::Array(items.into_iter().map(Into::into).collect())
    }
}
