//! Typed values read from a JSON value, so that a text is read once and one reading is judged. It must not
//! convert: a number is no string, and decimals are refused.

use super::{Number, Object, Value};
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};

/// Why a value does not have the shape that a type asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    /// Where: a JSON pointer (RFC 6901) to the value that does not fit.
    pub pointer: String,
    /// What is wrong, with the names that would fit where there are some.
    pub message: String,
}

impl ShapeError {
    fn within(mut self, segment: &str) -> Self {
        let segment = segment.replace('~', "~0").replace('/', "~1");
        self.pointer = format!("/{segment}{}", self.pointer);
        self
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "schema_invalid: at `{}`: {}", self.pointer, self.message)
    }
}

impl core::error::Error for ShapeError {}

impl de::Error for ShapeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { pointer: String::new(), message: message.to_string() }
    }
}

/// Reads a typed value.
///
/// # Errors
/// The first place that does not fit the type.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, ShapeError> {
    T::deserialize(Reader(value))
}

struct Reader<'a>(&'a Value);

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = ShapeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ShapeError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => visit_number(number, visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visit_items(items, visitor),
            Value::Object(object) => visitor.visit_map(Members { members: object.into_iter(), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ShapeError> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ShapeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ShapeError> {
        let (name, value) = match self.0 {
            Value::String(name) => (name.as_str(), None),
            Value::Object(object) => single(object)?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                return Err(de::Error::custom("a name, or an object with one member, is expected"));
            }
        };
        visitor.visit_enum(Variant { name, value })
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Reads all the items: a tuple that leaves some unread does not fit.
fn visit_items<'de, V: Visitor<'de>>(items: &'de [Value], visitor: V) -> Result<V::Value, ShapeError> {
    let mut reader = Items { items: items.iter(), at: 0 };
    let value = visitor.visit_seq(&mut reader)?;
    if reader.items.len() == 0 {
        return Ok(value);
    }
    Err(de::Error::custom(format!("{} items, where {} are expected", items.len(), reader.at)))
}

fn visit_number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, ShapeError> {
    if let Some(number) = number.as_u64() {
        return visitor.visit_u64(number);
    }
    if let Some(number) = number.as_i64() {
        return visitor.visit_i64(number);
    }
    Err(de::Error::custom(format!("`{number}` is no 64-bit integer: write decimals as strings")))
}

fn single(object: &Object) -> Result<(&str, Option<&Value>), ShapeError> {
    let mut members = object.iter();
    match (members.next(), members.next()) {
        (Some((name, value)), None) => Ok((name, Some(value))),
        (_, _) => Err(de::Error::custom("an object with exactly one member is expected")),
    }
}

struct Items<'de> {
    items: core::slice::Iter<'de, Value>,
    at: usize,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = ShapeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ShapeError> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let at = self.at;
        self.at += 1;
        seed.deserialize(Reader(item)).map(Some).map_err(|error| error.within(&format!("{at}")))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Members<'de> {
    members: <&'de Object as IntoIterator>::IntoIter,
    value: Option<(&'de str, &'de Value)>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = ShapeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ShapeError> {
        self.value = self.members.next();
        let Some((key, _)) = self.value else { return Ok(None) };
        let key_reader: StrDeserializer<'_, ShapeError> = key.into_deserializer();
        seed.deserialize(key_reader).map(Some).map_err(|error| error.within(key))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ShapeError> {
        let (key, value) = self.value.take().ok_or_else(|| de::Error::custom("a value without a key"))?;
        seed.deserialize(Reader(value)).map_err(|error| error.within(key))
    }
}

struct Variant<'de> {
    name: &'de str,
    value: Option<&'de Value>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = ShapeError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), ShapeError> {
        let name: StrDeserializer<'_, ShapeError> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> Variant<'de> {
    fn content(&self) -> Result<Reader<'de>, ShapeError> {
        self.value.map(Reader).ok_or_else(|| de::Error::custom(format!("`{}` needs a value", self.name)))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = ShapeError;

    fn unit_variant(self) -> Result<(), ShapeError> {
        match self.value {
            None => Ok(()),
            Some(_) => Err(de::Error::custom(format!("`{}` takes no value", self.name))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ShapeError> {
        seed.deserialize(self.content()?).map_err(|error| error.within(self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ShapeError> {
        self.content()?.deserialize_any(visitor).map_err(|error| error.within(self.name))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ShapeError> {
        self.content()?.deserialize_any(visitor).map_err(|error| error.within(self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{parse, to_value};
    use alloc::collections::BTreeMap;
    use alloc::vec::Vec;
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "snake_case")]
    enum Shape {
        Point,
        Circle { radius: u8 },
        Text(String),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Drawing {
        shapes: Vec<Shape>,
        #[serde(default)]
        note: Option<String>,
        counts: BTreeMap<String, i64>,
        pair: (bool, u64),
    }

    fn refusal(text: &str) -> (String, String) {
        let error = from_value::<Drawing>(&parse(text).unwrap()).unwrap_err();
        (error.pointer, error.message)
    }

    #[test]
    fn reads_what_was_written() {
        let drawing = Drawing {
            shapes: alloc::vec![Shape::Point, Shape::Circle { radius: 3 }, Shape::Text("x".into())],
            note: None,
            counts: BTreeMap::from([("a".into(), i64::MIN)]),
            pair: (true, u64::MAX),
        };
        assert_eq!(from_value::<Drawing>(&to_value(&drawing).unwrap()).unwrap(), drawing);
        let read: Value = from_value(&parse(r#"{"a":[null,1,"x"]}"#).unwrap()).unwrap();
        assert_eq!(read.to_string(), r#"{"a":[null,1,"x"]}"#);
    }

    #[test]
    fn says_where_a_value_does_not_fit() {
        let cases = [
            (r#"{"shapes":["square"],"counts":{},"pair":[true,1]}"#, "/shapes/0", "unknown variant `square`"),
            (
                r#"{"shapes":[{"circle":{"radius":300}}],"counts":{},"pair":[true,1]}"#,
                "/shapes/0/circle/radius",
                "300",
            ),
            (r#"{"shapes":[{"point":1}],"counts":{},"pair":[true,1]}"#, "/shapes/0", "takes no value"),
            (r#"{"shapes":["circle"],"counts":{},"pair":[true,1]}"#, "/shapes/0", "needs a value"),
            (
                r#"{"shapes":[],"counts":{"a/b":1.5},"pair":[true,1]}"#,
                "/counts/a~1b",
                "write decimals as strings",
            ),
            (r#"{"shapes":[],"counts":{},"pair":[true]}"#, "/pair", "invalid length 1"),
            (r#"{"shapes":[],"counts":{},"pair":[true,1,2]}"#, "/pair", "3"),
            (r#"{"shapes":[],"counts":{},"pair":[true,1],"x":1}"#, "/x", "unknown field `x`"),
            (r#"{"shapes":[],"counts":{}}"#, "", "missing field `pair`"),
        ];
        for (text, pointer, message) in cases {
            let (at, said) = refusal(text);
            assert!(at == pointer && said.contains(message), "{text}: {at}: {said}");
        }
    }
}
