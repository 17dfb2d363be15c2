//! Reads YAML 1.2 with the core schema from the events of granit-parser. It must not apply YAML 1.1 types:
//! `NO`, `on` and dates are strings.

mod schema;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Tag};

use crate::build::{Builder, Fault, Text};
use crate::code;
use crate::diagnostic::{Diagnostic, quoted};
use crate::limits::Limits;
use crate::source::{Source, Span};
use crate::tree::{Document, Kind};

/// Longest implicit key. YAML says 1,024 characters; real files hold longer paths in quotes.
const LONGEST_KEY: usize = 8_192;

/// Reads the whole source as one YAML document.
pub(crate) fn read(source: &Arc<Source>, limits: &Limits) -> Result<Document, Fault> {
    let options = granit_parser::options! {
        emit_comments: false,
        simple_key_max_lookahead: LONGEST_KEY,
        flow_nesting_limit: limits.depth,
        block_nesting_limit: limits.depth,
    };
    let mut reader = Reader {
        source,
        limits,
        builder: Builder::new(source, limits),
        open: Vec::new(),
        anchors: HashMap::new(),
        documents: 0,
        expanded: 0,
    };
    for event in Parser::new_from_str_with_options(source.text(), options) {
        let (event, span) = event.map_err(|error| reader.scan_error(&error))?;
        reader.event(event, &span)?;
    }
    let end = source.text().len();
    let empty =
        || Diagnostic::error(code::EMPTY, source, Span::new(end, end), "the file holds no value").boxed();
    reader.builder.finish().ok_or_else(empty)
}

/// What an anchor names.
#[derive(Clone, Copy)]
struct Anchor {
    id: u32,
    size: Size,
}

/// Nodes and levels of a subtree, aliases followed.
#[derive(Clone, Copy, Default)]
struct Size {
    nodes: u64,
    levels: usize,
}

/// What the reader knows of a container that is not closed.
struct Open {
    id: u32,
    anchor: usize,
    size: Size,
    merges: bool,
}

struct Reader<'s> {
    source: &'s Arc<Source>,
    limits: &'s Limits,
    builder: Builder<'s>,
    open: Vec<Open>,
    anchors: HashMap<usize, Anchor>,
    documents: usize,
    expanded: u64,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, span: &granit_parser::Span) -> Result<(), Fault> {
        let at = place(span);
        match event {
            Event::DocumentStart(..) => self.document(at),
            Event::Scalar(text, style, anchor, tag) => self.scalar(&text, style, anchor, tag, at),
            Event::SequenceStart(_, anchor, tag) => self.start(false, anchor, tag, at),
            Event::MappingStart(_, anchor, tag) => self.start(true, anchor, tag, at),
            Event::SequenceEnd | Event::MappingEnd => self.end(at),
            Event::Alias(anchor) => self.alias(anchor, at),
            // Stream marks and document ends carry nothing; comments and anchor events are switched off.
            _ => Ok(()),
        }
    }

    fn document(&mut self, at: Span) -> Result<(), Fault> {
        self.documents += 1;
        if self.documents == 1 {
            return Ok(());
        }
        let message = "a second YAML document starts here, one is allowed";
        Err(Diagnostic::error(code::YAML_MULTIPLE_DOCUMENTS, self.source, at, message)
            .with_help("put each document into a file of its own")
            .boxed())
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<Cow<'_, Tag>>,
        at: Span,
    ) -> Result<(), Fault> {
        let key = self.builder.at_key();
        let kind = match tag.as_deref() {
            Some(tag) => self.tagged(text, style, tag, at)?,
            None if style == ScalarStyle::Plain => schema::resolve(text),
            None => Kind::String,
        };
        let id = self.builder.scalar(kind, at, self.locate(text, at))?;
        self.keep_tag(id, tag.as_deref());
        let merge = key && style == ScalarStyle::Plain && text == "<<" && tag.is_none();
        if let Some(open) = self.open.last_mut().filter(|_| merge) {
            open.merges = true;
        }
        self.finish_node(anchor, id, Size { nodes: 1, levels: 0 });
        Ok(())
    }

    /// The text as a slice of the source if it stands there unchanged, inside quotes or not.
    fn locate<'t>(&self, text: &'t str, at: Span) -> Text<'t> {
        let same = |span: Span| self.source.text().get(span.range()) == Some(text);
        let inside = Span { start: at.start + 1, end: at.end.saturating_sub(1).max(at.start + 1) };
        match () {
            () if same(at) => Text::Source(at),
            () if same(inside) => Text::Source(inside),
            () => Text::Decoded(text),
        }
    }

    fn tagged(&self, text: &str, style: ScalarStyle, tag: &Tag, at: Span) -> Result<Kind, Fault> {
        let (kind, name) = match tag.core_suffix() {
            Some("str") => return Ok(Kind::String),
            Some("null") => (Kind::Null, "null"),
            Some("bool") => (Kind::Bool, "bool"),
            Some("int") => (Kind::Number, "int"),
            Some("float") => (Kind::Number, "float"),
            Some(_) => return Err(self.bad_tag(&quoted(text), tag, at)),
            None if tag.handle().is_empty() && tag.suffix() == "!" => return Ok(Kind::String),
            None if style == ScalarStyle::Plain => return Ok(schema::resolve(text)),
            None => return Ok(Kind::String),
        };
        let fits = schema::resolve(text) == kind && (name != "int" || crate::number::is_integer(text));
        if fits { Ok(kind) } else { Err(self.bad_tag(&quoted(text), tag, at)) }
    }

    fn bad_tag(&self, what: &str, tag: &Tag, at: Span) -> Fault {
        let message = format!("{what} does not fit the tag {}", quoted(&tag.original()));
        Diagnostic::error(code::YAML_TAG, self.source, at, message).boxed()
    }

    fn keep_tag(&mut self, id: u32, tag: Option<&Tag>) {
        if let Some(tag) = tag.filter(|tag| tag.core_suffix().is_none()) {
            self.builder.tag(id, &tag.original());
        }
    }

    fn start(
        &mut self,
        object: bool,
        anchor: usize,
        tag: Option<Cow<'_, Tag>>,
        at: Span,
    ) -> Result<(), Fault> {
        if self.builder.at_key() {
            return Err(self.complex_key(at));
        }
        let wanted = if object { "map" } else { "seq" };
        if let Some(tag) = tag.as_deref().filter(|tag| tag.core_suffix().is_some_and(|name| name != wanted)) {
            return Err(self.bad_tag(if object { "a mapping" } else { "a sequence" }, tag, at));
        }
        let id = self.builder.open(object, at)?;
        self.keep_tag(id, tag.as_deref());
        self.open.push(Open { id, anchor, size: Size { nodes: 1, levels: 1 }, merges: false });
        Ok(())
    }

    fn complex_key(&self, at: Span) -> Fault {
        let first = Span { start: at.start, end: at.end.min(at.start + 1).max(at.start) };
        Diagnostic::error(code::YAML_COMPLEX_KEY, self.source, first, "a key must be a scalar")
            .with_help("put braces and brackets that are meant as text in quotes")
            .boxed()
    }

    fn end(&mut self, at: Span) -> Result<(), Fault> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        if open.merges {
            self.merge()?;
        }
        let end = self.content_end(at);
        self.builder.close(end)?;
        self.finish_node(open.anchor, open.id, open.size);
        Ok(())
    }

    /// Block collections end where the next token starts; their span ends with their content.
    fn content_end(&self, at: Span) -> u32 {
        if at.end > at.start {
            return at.end;
        }
        let before = self.source.text().get(..at.start as usize).unwrap_or_default();
        Span::new(0, before.trim_end().len()).end
    }

    /// Notes the anchor of a finished node and counts it into its parent.
    fn finish_node(&mut self, anchor: usize, id: u32, size: Size) {
        if anchor != 0 {
            self.anchors.insert(anchor, Anchor { id, size });
        }
        if let Some(parent) = self.open.last_mut() {
            parent.size.nodes = parent.size.nodes.saturating_add(size.nodes);
            parent.size.levels = parent.size.levels.max(size.levels + 1);
        }
    }

    fn alias(&mut self, anchor: usize, at: Span) -> Result<(), Fault> {
        let Some(target) = self.anchors.get(&anchor).copied() else {
            let message = "this alias stands inside the node that it names";
            return Err(Diagnostic::error(code::YAML_ALIAS_CYCLE, self.source, at, message).boxed());
        };
        let scalar = !matches!(self.builder.kind_of(target.id), Some(Kind::Array | Kind::Object));
        if self.builder.at_key() && !scalar {
            return Err(self.complex_key(at));
        }
        if self.builder.depth() + target.size.levels > self.limits.depth {
            return Err(self.builder.too_deep(at));
        }
        self.expanded = self.expanded.saturating_add(target.size.nodes);
        if self.expanded > self.limits.alias_expansion as u64 {
            return Err(self.alias_expansion(at, target.id));
        }
        self.builder.share(target.id);
        self.finish_node(0, target.id, target.size);
        Ok(())
    }

    fn alias_expansion(&self, at: Span, target: u32) -> Fault {
        let most = self.limits.alias_expansion;
        let message = format!("aliases up to this one stand for more than {most} nodes");
        let anchor = self.builder.span_of(target).start as usize;
        Diagnostic::error(code::YAML_ALIAS_EXPANSION, self.source, at, message)
            .with_label(Span::new(anchor, anchor + 1), "it names this node")
            .with_help("write the file with fewer aliases, or raise the limit if you trust it")
            .boxed()
    }

    /// Replaces every merge key of the innermost mapping by the members that it brings. Members written out
    /// win over merged ones, earlier merges over later ones.
    fn merge(&mut self) -> Result<(), Fault> {
        let pairs = self.builder.pairs();
        let (merges, own): (Vec<_>, Vec<_>) = pairs.iter().partition(|(key, _)| self.is_merge_key(*key));
        let mut seen: HashMap<&str, ()> =
            own.iter().map(|(key, _): &(u32, u32)| (self.builder.text_of(*key), ())).collect();
        let mut brought: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
        for (key, value) in merges {
            let members = self.merged_mappings(value)?.into_iter().flat_map(|id| self.builder.members_of(id));
            let fresh = members.filter(|(name, _)| seen.insert(self.builder.text_of(*name), ()).is_none());
            brought.insert(key, fresh.collect());
        }
        let whole: Vec<(u32, u32)> = pairs
            .into_iter()
            .flat_map(|pair| brought.remove(&pair.0).unwrap_or_else(|| vec![pair]))
            .collect();
        self.builder.replace_pairs(&whole);
        Ok(())
    }

    fn is_merge_key(&self, key: u32) -> bool {
        self.source.text().get(self.builder.span_of(key).range()) == Some("<<")
    }

    fn merged_mappings(&self, value: u32) -> Result<Vec<u32>, Fault> {
        let mappings = match self.builder.kind_of(value) {
            Some(Kind::Object) => vec![value],
            Some(Kind::Array) => self.builder.items_of(value),
            Some(Kind::Null | Kind::Bool | Kind::Number | Kind::String) | None => {
                return Err(self.bad_merge(value));
            }
        };
        match mappings.iter().find(|id| self.builder.kind_of(**id) != Some(Kind::Object)) {
            Some(other) => Err(self.bad_merge(*other)),
            None => Ok(mappings),
        }
    }

    fn bad_merge(&self, value: u32) -> Fault {
        let message = "a merge key `<<` takes a mapping or a sequence of mappings";
        Diagnostic::error(code::YAML_MERGE, self.source, self.builder.span_of(value), message)
            .with_help("put `<<` in quotes if it is an ordinary key")
            .boxed()
    }

    fn scan_error(&self, error: &ScanError) -> Fault {
        let offset = error.marker().byte_offset().unwrap_or(self.source.text().len());
        let at = one_character(self.source, offset);
        match error.kind() {
            ErrorKind::RecursionLimitExceeded => self.builder.too_deep(at),
            ErrorKind::TabNotAllowed | ErrorKind::TabInBlockIndentation => self.tab(offset),
            ErrorKind::UnknownAnchor => Diagnostic::error(
                code::YAML_UNKNOWN_ALIAS,
                self.source,
                at,
                "no anchor of this name stands above",
            )
            .boxed(),
            _ => Diagnostic::error(code::YAML_SYNTAX, self.source, at, error.info()).boxed(),
        }
    }

    /// Points at the tab itself: the scanner may report the token behind it.
    fn tab(&self, offset: usize) -> Fault {
        let (line, start) = self.source.line_at(Span::new(offset, offset).start);
        let here = self.source.text().get(offset..).is_some_and(|rest| rest.starts_with('\t'));
        let offset = if here { offset } else { line.find('\t').map_or(offset, |tab| start + tab) };
        let at = one_character(self.source, offset);
        Diagnostic::error(code::YAML_TAB, self.source, at, "a tab stands where YAML wants spaces")
            .with_help("indent with spaces")
            .boxed()
    }
}

fn one_character(source: &Source, offset: usize) -> Span {
    let start = source.floor_boundary(offset);
    let next = source.text().get(start..).and_then(|rest| rest.chars().next());
    Span::new(start, start + next.filter(|next| *next != '\n').map_or(0, char::len_utf8))
}

fn place(span: &granit_parser::Span) -> Span {
    span.byte_range().map(|range| Span::new(range.start, range.end)).unwrap_or_default()
}
