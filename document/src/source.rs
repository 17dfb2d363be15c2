//! A named text and places inside it. It must not interpret the text.

use std::ops::Range;
use std::sync::OnceLock;

/// A half-open range of byte offsets into [`Source::text`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// A span over `start..end`; offsets beyond 32 bits are held at the end.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: narrow(start), end: narrow(end.max(start)) }
    }

    /// The span as a range of `usize` offsets.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Offsets fit, since the reader refuses longer input; anything else is held at the end.
pub(crate) fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// A place as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// The name and text of one input. A leading byte order mark is not part of the text.
#[derive(Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: OnceLock<Vec<u32>>,
}

impl Source {
    /// A source under `name`, which is what diagnostics call the file.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), line_starts: OnceLock::new() }
    }

    /// The name that diagnostics show.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset; an offset past the end is the end.
    pub fn location(&self, offset: u32) -> Location {
        let line = self.line_index(offset);
        let start = self.line_start(line);
        let end = self.floor_boundary(offset as usize);
        let column = self.text.get(start..end).map_or(0, |prefix| prefix.chars().count());
        Location { line: narrow(line + 1), column: narrow(column + 1) }
    }

    /// The line (without its break) that holds `offset`, and the offset where it starts.
    pub(crate) fn line_at(&self, offset: u32) -> (&str, usize) {
        let line = self.line_index(offset);
        let start = self.line_start(line);
        let end = self.starts().get(line + 1).map_or(self.text.len(), |next| *next as usize);
        let text = self.text.get(start..end).unwrap_or_default();
        (text.trim_end_matches(['\n', '\r']), start)
    }

    /// The nearest character boundary at or before `offset`.
    pub(crate) fn floor_boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    fn line_index(&self, offset: u32) -> usize {
        self.starts().partition_point(|start| *start <= offset).saturating_sub(1)
    }

    fn line_start(&self, line: usize) -> usize {
        self.starts().get(line).map_or(0, |start| *start as usize)
    }

    fn starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(breaks.map(|(at, _)| narrow(at + 1))).collect()
        })
    }
}
