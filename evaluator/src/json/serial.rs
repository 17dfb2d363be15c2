//! serde for values. It must not use another crate's private encodings, and no float may come in through it.

use super::{Number, Object, ParseError, Value, parse};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{self, Serialize, SerializeMap, SerializeSeq, Serializer};

/// Why a typed value has no JSON form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToValueError {
    /// The type refused to be written; the text says why.
    Serialize(String),
    /// What was written is refused by our reader: too deep, or a member stands twice.
    Parse(ParseError),
}

impl fmt::Display for ToValueError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToValueError::Serialize(reason) => write!(out, "not_serializable: {reason}"),
            ToValueError::Parse(error) => error.fmt(out),
        }
    }
}

impl core::error::Error for ToValueError {}

/// The JSON value of a typed value.
///
/// # Errors
/// If the type refuses to be written, or writes a member twice or too deep.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, ToValueError> {
    let text = serde_json::to_string(value).map_err(|error| ToValueError::Serialize(error.to_string()))?;
    parse(&text).map_err(ToValueError::Parse)
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(number) = self.as_i64() {
            return serializer.serialize_i64(number);
        }
        if let Some(number) = self.as_u64() {
            return serializer.serialize_u64(number);
        }
        Err(ser::Error::custom(format!("`{self}` is no 64-bit integer: write decimals as strings")))
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(flag) => serializer.serialize_bool(*flag),
            Value::Number(number) => number.serialize(serializer),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => {
                let mut sequence = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| sequence.serialize_element(item))?;
                sequence.end()
            }
            Value::Object(object) => object.serialize(serializer),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        self.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value without decimals")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(Number::from_i64(number)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(Number::from_u64(number)))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
        Err(E::custom(format!("`{number}` is a decimal number: write decimals as strings")))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element()? {
            out.push(item);
        }
        Ok(Value::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Value, A::Error> {
        ObjectVisitor.visit_map(members).map(Value::Object)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Object, A::Error> {
        let mut out: Vec<(String, Value)> = Vec::new();
        while let Some(member) = members.next_entry()? {
            out.push(member);
        }
        out.sort_by(|left, right| left.0.cmp(&right.0));
        let twice = out.iter().zip(out.iter().skip(1)).find(|(left, right)| left.0 == right.0);
        if let Some(((key, _), _)) = twice {
            return Err(de::Error::custom(format!("duplicate_member: `{key}` stands twice in one object")));
        }
        Ok(Object::from_sorted(out))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Value {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        true.into()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Object {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Object".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object" })
    }
}
