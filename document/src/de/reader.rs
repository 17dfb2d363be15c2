//! The serde deserializer over nodes. It must not hold state: a node is all it needs.

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::fault::Fault;
use super::spanned;
use crate::diagnostic::quoted;
use crate::node::{Entries, Entry, Items, Node};
use crate::number;
use crate::tree::Kind;

/// A node that serde can read.
#[derive(Clone, Copy)]
pub(crate) struct NodeReader<'a>(pub(crate) Node<'a>);

impl<'de> NodeReader<'de> {
    fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let node = self.0;
        match node.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool => visitor.visit_bool(node.as_bool().unwrap_or_default()),
            Kind::Number => visit_number(node.number_text().unwrap_or_default(), visitor),
            Kind::String => visitor.visit_borrowed_str(node.as_str().unwrap_or_default()),
            Kind::Array => visit_array(node, visitor),
            Kind::Object => visit_object(node, visitor),
        }
    }
}

/// Integers as `u64` or `i64`, everything with a point or an exponent as `f64`.
fn visit_number<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, Fault> {
    if number::is_integer(text) {
        let value = number::integer(text);
        if let Some(value) = value.and_then(|value| u64::try_from(value).ok()) {
            return visitor.visit_u64(value);
        }
        return match value.and_then(|value| i64::try_from(value).ok()) {
            Some(value) => visitor.visit_i64(value),
            None => Err(Fault::range(format!("the integer {} does not fit 64 bits", quoted(text)))),
        };
    }
    match number::double(text) {
        Some(value) => visitor.visit_f64(value),
        None => Err(Fault::range(format!("the number {} is out of range", quoted(text)))),
    }
}

fn visit_array<'de, V: Visitor<'de>>(node: Node<'de>, visitor: V) -> Result<V::Value, Fault> {
    let mut items = ItemReader { items: node.items(), index: 0 };
    let value = visitor.visit_seq(&mut items)?;
    if items.items.len() == 0 {
        return Ok(value);
    }
    let message = format!("expected {} items, found {}", items.index, node.len());
    Err(serde::de::Error::custom(message))
}

fn visit_object<'de, V: Visitor<'de>>(node: Node<'de>, visitor: V) -> Result<V::Value, Fault> {
    visitor.visit_map(EntryReader { entries: node.entries(), current: None })
}

impl<'de> Deserializer<'de> for NodeReader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.visit(visitor).map_err(|fault| fault.at(self.0))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if name == spanned::NAME {
            return visitor.visit_seq(spanned::Parts::new(self.0));
        }
        visitor.visit_newtype_struct(self).map_err(|fault| fault.at(self.0))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let node = self.0;
        let mut entries = node.entries();
        let choice = match (node.as_str(), entries.next(), entries.next()) {
            (Some(name), _, _) => Choice { name, entry: None, node },
            (None, Some(entry), None) => Choice { name: entry.key, entry: Some(entry), node },
            _ => {
                let wanted = "a name or an object with one member";
                return Err(Fault::wrong_type(wanted, node.kind().noun()).at(node));
            }
        };
        visitor.visit_enum(choice).map_err(|fault| fault.at(node))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier
    }
}

struct ItemReader<'de> {
    items: Items<'de>,
    index: usize,
}

impl<'de> SeqAccess<'de> for ItemReader<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(node) = self.items.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        let value = seed.deserialize(NodeReader(node));
        value.map(Some).map_err(|fault| fault.at(node).below_index(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct EntryReader<'de> {
    entries: Entries<'de>,
    current: Option<Entry<'de>>,
}

impl<'de> MapAccess<'de> for EntryReader<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.current = self.entries.next();
        let Some(entry) = self.current else { return Ok(None) };
        let key = seed.deserialize(KeyReader(entry.key));
        key.map(Some).map_err(|fault| fault.at_key(entry.key, entry.key_span))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let Some(entry) = self.current else {
            return Err(serde::de::Error::custom("a value was asked for before its key"));
        };
        let value = seed.deserialize(NodeReader(entry.value));
        value.map_err(|fault| fault.at(entry.value).below_key(entry.key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// A key: a string, or an integer or boolean if the reader asks for one.
struct KeyReader<'de>(&'de str);

impl<'de> KeyReader<'de> {
    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if number::is_integer(self.0) { visit_number(self.0, visitor) } else { self.deserialize_any(visitor) }
    }
}

macro_rules! integer_keys {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            self.number(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for KeyReader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    integer_keys! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

/// A variant of an enum: a bare name, or the one member of an object.
struct Choice<'de> {
    name: &'de str,
    entry: Option<Entry<'de>>,
    node: Node<'de>,
}

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        let name = seed.deserialize(KeyReader(self.name));
        let name = name.map_err(|fault| match self.entry {
            Some(entry) => fault.at_key(entry.key, entry.key_span),
            None => fault.at(self.node),
        })?;
        Ok((name, self))
    }
}

impl<'de> Choice<'de> {
    /// Reads the content of the variant, or says that it has none.
    fn content<T>(
        self,
        wanted: &str,
        read: impl FnOnce(NodeReader<'de>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        match self.entry {
            Some(entry) => {
                read(NodeReader(entry.value)).map_err(|fault| fault.at(entry.value).below_key(entry.key))
            }
            None => {
                Err(Fault::wrong_type(wanted, &format!("the bare name {}", quoted(self.name))).at(self.node))
            }
        }
    }
}

impl<'de> VariantAccess<'de> for Choice<'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        match self.entry {
            None => Ok(()),
            Some(entry) => serde::Deserialize::deserialize(NodeReader(entry.value))
                .map_err(|fault: Fault| fault.below_key(entry.key)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        self.content("an object with one member", |reader| seed.deserialize(reader))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.content("an object with one member", |reader| reader.deserialize_tuple(len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.content("an object with one member", |reader| reader.deserialize_struct("", fields, visitor))
    }
}
