//! Handles into a document. They must not copy or change it.

use crate::diagnostic::Diagnostic;
use crate::number;
use crate::pointer::Pointer;
use crate::source::{Location, Span};
use crate::tree::{Document, Kind, Member, NodeId, Record, SMALL, key_hash};

/// A value of a document; cheap to copy. Lookups on a node of the wrong kind find nothing.
///
/// YAML aliases share the node that they name, so the span of such a value is where the anchor stands.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    document: &'a Document,
    id: u32,
}

/// One member of an object.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The key; for YAML the text of any scalar key.
    pub key: &'a str,
    /// Where the key stands, quotes included.
    pub key_span: Span,
    /// The value.
    pub value: Node<'a>,
}

impl<'a> Node<'a> {
    pub(crate) fn new(document: &'a Document, id: u32) -> Self {
        Self { document, id }
    }

    /// The document that holds this node.
    pub fn document(self) -> &'a Document {
        self.document
    }

    /// The id under which [`Document::node`] finds this node again. Aliased places share one id.
    pub fn id(self) -> NodeId {
        NodeId(self.id)
    }

    /// What this node is.
    pub fn kind(self) -> Kind {
        self.record().kind
    }

    /// Where this node stands; for strings with the quotes.
    pub fn span(self) -> Span {
        self.record().span()
    }

    /// Line and column where this node starts.
    pub fn line_col(self) -> Location {
        self.document.source.location(self.record().start)
    }

    /// Whether this is null.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The content of a string.
    pub fn as_str(self) -> Option<&'a str> {
        self.text_if(Kind::String)
    }

    /// The value of a boolean.
    pub fn as_bool(self) -> Option<bool> {
        self.text_if(Kind::Bool).map(|text| text.eq_ignore_ascii_case("true"))
    }

    /// The exact text of a number: every digit, leading zeros and signs as written. YAML also has `0x1F`,
    /// `0o17`, `.5`, `.inf` and `.nan`.
    pub fn number_text(self) -> Option<&'a str> {
        self.text_if(Kind::Number)
    }

    /// A number written as an integer, if it fits.
    pub fn as_i64(self) -> Option<i64> {
        self.number_text().and_then(number::integer).and_then(|value| i64::try_from(value).ok())
    }

    /// A number written as an integer, if it fits.
    pub fn as_u64(self) -> Option<u64> {
        self.number_text().and_then(number::integer).and_then(|value| u64::try_from(value).ok())
    }

    /// A number as the nearest double; digits can be lost.
    pub fn as_f64(self) -> Option<f64> {
        self.number_text().and_then(number::double)
    }

    /// The text of any scalar: content of a string, text of a number, `true`, `null` as written.
    pub fn scalar_text(self) -> Option<&'a str> {
        match self.kind() {
            Kind::Array | Kind::Object => None,
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => {
                Some(self.document.text_of(self.record()))
            }
        }
    }

    /// The YAML tag, if one outside the core schema was written, such as `!include`.
    pub fn tag(self) -> Option<&'a str> {
        self.document.tags.get(&self.id).map(|tag| &**tag)
    }

    /// Number of members or items; 0 for scalars.
    pub fn len(self) -> usize {
        match self.kind() {
            Kind::Array | Kind::Object => self.record().count as usize,
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => 0,
        }
    }

    /// Whether [`Node::len`] is 0.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The value under `key`.
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        self.entry(key).map(|entry| entry.value)
    }

    /// The member under `key`. Big objects are searched by halving.
    pub fn entry(self, key: &str) -> Option<Entry<'a>> {
        let members = self.members();
        let hash = key_hash(key);
        if members.len() <= SMALL {
            let member = members.iter().find(|member| member.hash == hash && self.key_of(member) == key);
            return member.map(|member| self.to_entry(member));
        }
        let ranked = |slot: &Member| members.get(slot.ranked as usize);
        let order = |slot: &Member| ranked(slot).map(|member| (member.hash, self.key_of(member)));
        let found = members.binary_search_by(|slot| order(slot).cmp(&Some((hash, key)))).ok()?;
        members.get(found).and_then(ranked).map(|member| self.to_entry(member))
    }

    /// The item at `index`, from 0.
    pub fn item(self, index: usize) -> Option<Node<'a>> {
        self.item_ids().get(index).map(|id| Node::new(self.document, *id))
    }

    /// The members in source order; none unless this is an object.
    pub fn entries(self) -> Entries<'a> {
        Entries { node: self, members: self.members().iter() }
    }

    /// The items; none unless this is an array.
    pub fn items(self) -> Items<'a> {
        Items { document: self.document, ids: self.item_ids().iter() }
    }

    /// The node that a JSON pointer such as `/a/b~1c` leads to; `None` also for a malformed pointer.
    /// [`Node::resolve`] says why.
    pub fn at(self, pointer: &str) -> Option<Node<'a>> {
        self.resolve(&Pointer::parse(pointer).ok()?).ok()
    }

    /// An error about this node, for callers with a code of their own.
    pub fn error(self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.document.source(), self.span(), message)
    }

    /// A warning about this node, for callers with a code of their own.
    pub fn warning(self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(code, self.document.source(), self.span(), message)
    }

    fn record(self) -> &'a Record {
        self.document.record(self.id)
    }

    fn text_if(self, kind: Kind) -> Option<&'a str> {
        let record = self.record();
        (record.kind == kind).then(|| self.document.text_of(record))
    }

    fn members(self) -> &'a [Member] {
        match self.kind() {
            Kind::Object => self.document.members_of(self.record()),
            Kind::Null | Kind::Bool | Kind::Number | Kind::String | Kind::Array => &[],
        }
    }

    fn item_ids(self) -> &'a [u32] {
        match self.kind() {
            Kind::Array => self.document.items_of(self.record()),
            Kind::Null | Kind::Bool | Kind::Number | Kind::String | Kind::Object => &[],
        }
    }

    fn key_of(self, member: &Member) -> &'a str {
        self.document.text_of(self.document.record(member.key))
    }

    fn to_entry(self, member: &Member) -> Entry<'a> {
        let key = self.document.record(member.key);
        Entry {
            key: self.document.text_of(key),
            key_span: key.span(),
            value: Node::new(self.document, member.value),
        }
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let span = self.span();
        write!(out, "Node({:?} {}..{})", self.kind(), span.start, span.end)
    }
}

/// The members of an object, in source order.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    node: Node<'a>,
    members: std::slice::Iter<'a, Member>,
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        self.members.next().map(|member| self.node.to_entry(member))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.members.size_hint()
    }
}

impl ExactSizeIterator for Entries<'_> {}

/// The items of an array.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    document: &'a Document,
    ids: std::slice::Iter<'a, u32>,
}

impl<'a> Iterator for Items<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        self.ids.next().map(|id| Node::new(self.document, *id))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ids.size_hint()
    }
}

impl ExactSizeIterator for Items<'_> {}
