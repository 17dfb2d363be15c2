//! Builds the arena in one pass with an explicit stack, under the limits of depth and number. It must not
//! know which grammar feeds it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::code;
use crate::diagnostic::{Diagnostic, quoted};
use crate::limits::{Limits, MOST_NODES};
use crate::source::{Source, Span, narrow};
use crate::tree::{Document, Kind, Member, Record, SMALL, key_hash, scalar_text};

/// A boxed diagnostic, so that results on the hot path stay small.
pub(crate) type Fault = Box<Diagnostic>;

/// Where the text of a scalar is.
pub(crate) enum Text<'t> {
    /// In the source, at this span.
    Source(Span),
    /// Not in the source as such; it is copied.
    Decoded(&'t str),
}

/// An array or object whose end has not been seen.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) id: u32,
    pub(crate) object: bool,
    pending: usize,
}

/// The arena under construction. Keys and values of open containers wait in `pending`.
pub(crate) struct Builder<'s> {
    source: &'s Arc<Source>,
    limits: &'s Limits,
    records: Vec<Record>,
    items: Vec<u32>,
    members: Vec<Member>,
    decoded: String,
    tags: BTreeMap<u32, Box<str>>,
    pending: Vec<u32>,
    frames: Vec<Frame>,
}

impl<'s> Builder<'s> {
    pub(crate) fn new(source: &'s Arc<Source>, limits: &'s Limits) -> Self {
        // Published descriptions have a node every 12 to 20 bytes: one growth at most in the usual case.
        let nodes = source.text().len() / 20;
        Self {
            source,
            limits,
            records: Vec::with_capacity(nodes),
            items: Vec::new(),
            members: Vec::with_capacity(nodes / 2),
            decoded: String::new(),
            tags: BTreeMap::new(),
            pending: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// The innermost open container.
    pub(crate) fn frame(&self) -> Option<Frame> {
        self.frames.last().copied()
    }

    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Whether the next node is the key of a member.
    pub(crate) fn at_key(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| frame.object && (self.pending.len() - frame.pending).is_multiple_of(2))
    }

    pub(crate) fn span_of(&self, id: u32) -> Span {
        self.records.get(id as usize).map(Record::span).unwrap_or_default()
    }

    pub(crate) fn kind_of(&self, id: u32) -> Option<Kind> {
        self.records.get(id as usize).map(|record| record.kind)
    }

    pub(crate) fn tag(&mut self, id: u32, tag: &str) {
        self.tags.insert(id, tag.into());
    }

    /// The end of the decoded text so far; a reader may append to the buffer and hand the length over.
    pub(crate) fn decoded(&mut self) -> &mut String {
        &mut self.decoded
    }

    /// Adds a scalar whose text has just been appended to [`Builder::decoded`], from `from` on.
    pub(crate) fn decoded_scalar(&mut self, kind: Kind, span: Span, from: usize) -> Result<u32, Fault> {
        let (first, count) = (narrow(from), narrow(self.decoded.len() - from));
        self.push(Record { start: span.start, end: span.end, first, count, kind, decoded: true })
    }

    /// Adds a scalar (value or key).
    pub(crate) fn scalar(&mut self, kind: Kind, span: Span, text: Text<'_>) -> Result<u32, Fault> {
        match text {
            Text::Source(at) => self.push(Record {
                start: span.start,
                end: span.end,
                first: at.start,
                count: at.end - at.start,
                kind,
                decoded: false,
            }),
            Text::Decoded(text) => {
                let from = self.decoded.len();
                self.decoded.push_str(text);
                self.decoded_scalar(kind, span, from)
            }
        }
    }

    /// Puts a node that already exists in the next place: an alias.
    pub(crate) fn share(&mut self, id: u32) {
        self.pending.push(id);
    }

    /// Opens an array or object that starts at `span`.
    pub(crate) fn open(&mut self, object: bool, span: Span) -> Result<u32, Fault> {
        if self.frames.len() >= self.limits.depth {
            return Err(self.too_deep(span));
        }
        let kind = if object { Kind::Object } else { Kind::Array };
        let record = Record { start: span.start, end: span.end, first: 0, count: 0, kind, decoded: false };
        let id = self.push(record)?;
        self.frames.push(Frame { id, object, pending: self.pending.len() });
        Ok(id)
    }

    /// Closes the innermost container at offset `end`.
    pub(crate) fn close(&mut self, end: u32) -> Result<(), Fault> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let (first, count) =
            if frame.object { self.store_members(frame.pending)? } else { self.store_items(frame.pending) };
        if let Some(record) = self.records.get_mut(frame.id as usize) {
            record.first = first;
            record.count = count;
            record.end = end.max(record.start);
        }
        self.pending.truncate(frame.pending);
        Ok(())
    }

    /// The finished tree; `None` if no value was added.
    pub(crate) fn finish(mut self) -> Option<Document> {
        let root = self.pending.first().copied()?;
        self.records.shrink_to_fit();
        self.members.shrink_to_fit();
        Some(Document {
            source: Arc::clone(self.source),
            records: self.records,
            items: self.items,
            members: self.members,
            decoded: self.decoded,
            tags: self.tags,
            root,
        })
    }

    /// The keys and values that wait in the innermost object, as pairs.
    pub(crate) fn pairs(&self) -> Vec<(u32, u32)> {
        let from = self.frames.last().map_or(self.pending.len(), |frame| frame.pending);
        let waiting = self.pending.get(from..).unwrap_or_default();
        waiting.chunks_exact(2).filter_map(pair).collect()
    }

    /// Puts other pairs in their place.
    pub(crate) fn replace_pairs(&mut self, pairs: &[(u32, u32)]) {
        let from = self.frames.last().map_or(self.pending.len(), |frame| frame.pending);
        self.pending.truncate(from);
        self.pending.extend(pairs.iter().flat_map(|(key, value)| [*key, *value]));
    }

    /// The members of a finished object, as pairs.
    pub(crate) fn members_of(&self, id: u32) -> Vec<(u32, u32)> {
        let Some(record) = self.records.get(id as usize) else { return Vec::new() };
        let range = record.first as usize..(record.first + record.count) as usize;
        self.members.get(range).unwrap_or_default().iter().map(|member| (member.key, member.value)).collect()
    }

    /// The items of a finished array.
    pub(crate) fn items_of(&self, id: u32) -> Vec<u32> {
        let Some(record) = self.records.get(id as usize) else { return Vec::new() };
        let range = record.first as usize..(record.first + record.count) as usize;
        self.items.get(range).unwrap_or_default().to_vec()
    }

    pub(crate) fn text_of(&self, id: u32) -> &str {
        let record = self.records.get(id as usize);
        record.map_or("", |record| scalar_text(record, self.source.text(), &self.decoded))
    }

    pub(crate) fn too_deep(&self, span: Span) -> Fault {
        let message = format!("arrays and objects nest deeper than {} levels", self.limits.depth);
        Diagnostic::error(code::TOO_DEEP, self.source, span, message)
            .with_help("flatten the file, or raise the limit of depth if you trust it")
            .boxed()
    }

    fn push(&mut self, record: Record) -> Result<u32, Fault> {
        if self.records.len() >= self.limits.nodes.min(MOST_NODES) {
            return Err(self.too_many(record.span()));
        }
        let id = narrow(self.records.len());
        self.records.push(record);
        self.pending.push(id);
        Ok(id)
    }

    #[cold]
    fn too_many(&self, span: Span) -> Fault {
        let message = format!("the file holds more than {} values and keys", self.limits.nodes);
        Diagnostic::error(code::TOO_MANY_NODES, self.source, span, message)
            .with_help("split the file, or raise the limit of nodes if you trust it")
            .boxed()
    }

    fn store_items(&mut self, from: usize) -> (u32, u32) {
        let first = self.items.len();
        self.items.extend_from_slice(self.pending.get(from..).unwrap_or_default());
        (narrow(first), narrow(self.items.len() - first))
    }

    fn store_members(&mut self, from: usize) -> Result<(u32, u32), Fault> {
        let first = self.members.len();
        let waiting = self.pending.get(from..).unwrap_or_default();
        for (key, value) in waiting.chunks_exact(2).filter_map(pair) {
            let hash = key_hash(self.text_of(key));
            self.members.push(Member { key, value, hash, ranked: 0 });
        }
        let count = self.members.len() - first;
        let twice = if count <= SMALL { self.repeated_small(first) } else { self.rank(first) };
        match twice {
            Some((earlier, later)) => Err(self.duplicate(earlier, later)),
            None => Ok((narrow(first), narrow(count))),
        }
    }

    fn repeated_small(&self, first: usize) -> Option<(u32, u32)> {
        let members = self.members.get(first..)?;
        members.iter().enumerate().find_map(|(at, later)| {
            let earlier = members.iter().take(at).find(|earlier| {
                earlier.hash == later.hash && self.text_of(earlier.key) == self.text_of(later.key)
            })?;
            Some((earlier.key, later.key))
        })
    }

    /// Writes the search order of a big object into its slots; returns the first key that stands twice.
    fn rank(&mut self, first: usize) -> Option<(u32, u32)> {
        let members = self.members.get(first..)?;
        let order = |member: &Member| (member.hash, self.text_of(member.key));
        let mut ranks: Vec<(usize, &Member)> = members.iter().enumerate().collect();
        ranks.sort_by(|(_, one), (_, two)| order(one).cmp(&order(two)));
        let twice = ranks.windows(2).filter_map(|pair| match pair {
            [(_, one), (_, two)] if order(one) == order(two) => Some((one.key, two.key)),
            _ => None,
        });
        let twice = twice.min_by_key(|(_, later)| *later);
        let ranks: Vec<u32> = ranks.into_iter().map(|(at, _)| narrow(at)).collect();
        for (slot, rank) in self.members.iter_mut().skip(first).zip(ranks) {
            slot.ranked = rank;
        }
        twice
    }

    #[cold]
    fn duplicate(&self, earlier: u32, later: u32) -> Fault {
        let message = format!("the key {} stands twice in one object", quoted(self.text_of(later)));
        Diagnostic::error(code::DUPLICATE_KEY, self.source, self.span_of(later), message)
            .with_label(self.span_of(earlier), "it stood here first")
            .with_help("remove or rename one of the two")
            .boxed()
    }
}

fn pair(chunk: &[u32]) -> Option<(u32, u32)> {
    match chunk {
        [key, value] => Some((*key, *value)),
        _ => None,
    }
}
