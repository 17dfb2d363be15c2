//! A typed value that remembers its place. It must not change how the value itself reads.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::value::U32Deserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, SeqAccess, Visitor};

use super::fault::Fault;
use super::reader::NodeReader;
use crate::node::Node;
use crate::source::Span;

/// The name by which the reader knows that a place is asked for.
pub(super) const NAME: &str = "$provely_document::Spanned";

/// A value read by [`crate::from_node`] with the span of its node. Read by any other deserializer, or
/// where serde buffers (untagged, internally tagged and flattened types), the span is empty: `0..0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, SpannedVisitor(PhantomData))
    }
}

struct SpannedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for SpannedVisitor<T> {
    type Value = Spanned<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value with its place")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Spanned<T>, D::Error> {
        Ok(Spanned { value: T::deserialize(deserializer)?, span: Span::default() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Spanned<T>, A::Error> {
        let absent = || A::Error::custom("a place has a start and an end");
        let start = parts.next_element()?.ok_or_else(absent)?;
        let end = parts.next_element()?.ok_or_else(absent)?;
        let value = parts.next_element()?.ok_or_else(absent)?;
        Ok(Spanned { value, span: Span { start, end } })
    }
}

/// Hands out start, end and value of a node, in this order.
pub(super) struct Parts<'de> {
    node: Node<'de>,
    given: usize,
}

impl<'de> Parts<'de> {
    pub(super) fn new(node: Node<'de>) -> Self {
        Self { node, given: 0 }
    }
}

impl<'de> SeqAccess<'de> for Parts<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let number = |offset: u32| -> U32Deserializer<Fault> { offset.into_deserializer() };
        let Span { start, end } = self.node.span();
        self.given += 1;
        match self.given {
            1 => seed.deserialize(number(start)).map(Some),
            2 => seed.deserialize(number(end)).map(Some),
            3 => seed.deserialize(NodeReader(self.node)).map(Some),
            _ => Ok(None),
        }
    }
}
