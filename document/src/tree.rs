//! The arena behind a document: flat vectors of compact records. It must not parse anything.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::node::Node;
use crate::source::{Source, Span};

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`, or an empty YAML scalar.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number, kept as its exact text.
    Number,
    /// A string.
    String,
    /// An array (YAML: sequence).
    Array,
    /// An object (YAML: mapping).
    Object,
}

impl Kind {
    /// The kind as a noun with its article, for messages.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }
}

/// The stable name of a node within its document, for callers that keep the document elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

/// One node. For scalars `first` and `count` are offset and length of the text, in the source or in the
/// buffer of decoded strings; for arrays and objects a range of `items` or `members`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) kind: Kind,
    pub(crate) decoded: bool,
}

/// One member of an object. `ranked` belongs to the slot rather than to the member: it names the member
/// of this object that comes n-th by hash and text, n being the slot. Objects up to [`SMALL`] ignore it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) key: u32,
    pub(crate) value: u32,
    pub(crate) hash: u32,
    pub(crate) ranked: u32,
}

/// Objects of up to this many members are searched one by one.
pub(crate) const SMALL: usize = 12;

/// A file as a tree of nodes with their places. Immutable, `Send` and `Sync`; share it in an `Arc`.
pub struct Document {
    pub(crate) source: Arc<Source>,
    pub(crate) records: Vec<Record>,
    pub(crate) items: Vec<u32>,
    pub(crate) members: Vec<Member>,
    pub(crate) decoded: String,
    pub(crate) tags: BTreeMap<u32, Box<str>>,
    pub(crate) root: u32,
}

impl std::fmt::Debug for Document {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Document({:?}, {} nodes)", self.name(), self.node_count())
    }
}

/// What stands in for a record that does not exist; builders never leave such a gap.
const NOTHING: Record = Record { start: 0, end: 0, first: 0, count: 0, kind: Kind::Null, decoded: false };

impl Document {
    /// The outermost value.
    pub fn root(&self) -> Node<'_> {
        Node::new(self, self.root)
    }

    /// The node of an id that this document gave out; `None` for an id from elsewhere that is out of range.
    pub fn node(&self, id: NodeId) -> Option<Node<'_>> {
        self.records.get(id.0 as usize).map(|_| Node::new(self, id.0))
    }

    /// How many nodes the arena holds, keys included.
    pub fn node_count(&self) -> usize {
        self.records.len()
    }

    /// Name and text.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The name that diagnostics show.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// The text that spans point into.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// Bytes held: text, nodes, members and decoded strings.
    pub fn memory(&self) -> usize {
        self.source.text().len()
            + self.decoded.capacity()
            + self.records.capacity() * size_of::<Record>()
            + self.members.capacity() * size_of::<Member>()
            + self.items.capacity() * size_of::<u32>()
    }

    pub(crate) fn record(&self, id: u32) -> &Record {
        self.records.get(id as usize).unwrap_or(&NOTHING)
    }

    pub(crate) fn text_of(&self, record: &Record) -> &str {
        scalar_text(record, self.source.text(), &self.decoded)
    }

    pub(crate) fn items_of(&self, record: &Record) -> &[u32] {
        self.items.get(range(record)).unwrap_or_default()
    }

    pub(crate) fn members_of(&self, record: &Record) -> &[Member] {
        self.members.get(range(record)).unwrap_or_default()
    }
}

impl Record {
    pub(crate) fn span(&self) -> Span {
        Span { start: self.start, end: self.end }
    }
}

fn range(record: &Record) -> std::ops::Range<usize> {
    record.first as usize..record.first as usize + record.count as usize
}

/// The text of a scalar's record; empty for arrays and objects.
pub(crate) fn scalar_text<'t>(record: &Record, source: &'t str, decoded: &'t str) -> &'t str {
    match record.kind {
        Kind::Array | Kind::Object => "",
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => {
            let buffer = if record.decoded { decoded } else { source };
            buffer.get(range(record)).unwrap_or_default()
        }
    }
}

/// A fast hash of a key. Collisions cost nothing but time: order and equality fall back to the text.
pub(crate) fn key_hash(key: &str) -> u32 {
    let mut hash = key.len() as u64;
    let mut chunks = key.as_bytes().chunks_exact(8);
    for chunk in &mut chunks {
        hash = mix(hash, chunk);
    }
    hash = mix(hash, chunks.remainder());
    (hash ^ (hash >> 32)) as u32
}

fn mix(hash: u64, chunk: &[u8]) -> u64 {
    let word = match <[u8; 8]>::try_from(chunk) {
        Ok(whole) => u64::from_le_bytes(whole),
        Err(_) => chunk.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte)),
    };
    (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
