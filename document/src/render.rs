//! Draws a diagnostic as a snippet with a caret. It must not decide whether a terminal wants colours.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{Source, Span};

/// Columns that a rendering aims for; the drawing library cuts longer lines around the caret.
const WIDTH: usize = 80;
/// Longest marked piece of a line, in characters.
const MARKED: usize = 48;
/// Longest line that is handed to the drawing library, in bytes; longer ones (minified files) lose what
/// follows the marked piece.
const LONG_LINE: usize = 400;
/// Labels up to this many lines from the finding share its snippet.
const NEAR: u32 = 12;

impl Diagnostic {
    /// The finding with file, line, column and the offending line, a caret below it: plain ASCII frame,
    /// about 80 columns, long lines cut around the caret. `colour` adds ANSI colours. Control characters of
    /// the input are made harmless.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.term_width(WIDTH).decor_style(DecorStyle::Ascii);
        let title = level(self.severity).primary_title(self.message.as_str()).id(self.code);
        let mut group = Group::with_title(title);
        group = group.elements(self.views().into_iter().map(|view| view.snippet(&self.source)));
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }

    /// The finding with the labels near it, then the labels far away, each in a view of its own.
    fn views(&self) -> Vec<View<'_>> {
        let line = |span: Span| self.source.location(span.start).line;
        let here = line(self.span);
        let mut first = View::new(self.span, AnnotationKind::Primary, None);
        let mut far = Vec::new();
        for label in &self.labels {
            let text = Some(label.message.as_str());
            if line(label.span).abs_diff(here) <= NEAR {
                first.marks.push((label.span, AnnotationKind::Context, text));
            } else {
                far.push(View::new(label.span, AnnotationKind::Context, text));
            }
        }
        std::iter::once(first).chain(far).collect()
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// Places that are drawn over one stretch of the source.
struct View<'d> {
    marks: Vec<(Span, AnnotationKind, Option<&'d str>)>,
}

impl<'d> View<'d> {
    fn new(span: Span, kind: AnnotationKind, label: Option<&'d str>) -> Self {
        Self { marks: vec![(span, kind, label)] }
    }

    fn snippet(self, source: &'d Source) -> Snippet<'d, Annotation<'d>> {
        let ranges: Vec<Range<usize>> = self.marks.iter().map(|(span, ..)| marked(source, *span)).collect();
        let first = ranges.iter().map(|range| range.start).min().unwrap_or_default();
        let last = ranges.iter().map(|range| range.end).max().unwrap_or_default();
        let (_, from) = source.line_at(Span::new(first, first).start);
        let to = stretch_end(source, last);
        let text = source.text().get(from..to).unwrap_or_default();
        let line = source.location(Span::new(from, from).start).line;
        let annotations =
            self.marks.into_iter().zip(ranges).map(|((_, kind, label), range)| {
                kind.span(range.start - from..range.end - from).label(label)
            });
        Snippet::source(text).path(source.name()).line_start(line as usize).annotations(annotations)
    }
}

/// The piece of the first line of `span` that gets a caret.
fn marked(source: &Source, span: Span) -> Range<usize> {
    let start = source.floor_boundary(span.start as usize);
    let (line, line_start) = source.line_at(span.start);
    let line_end = line_start + line.len();
    let whole = source.floor_boundary(span.end as usize).min(line_end).max(start);
    let piece = source.text().get(start..whole).unwrap_or_default();
    let length = piece.char_indices().nth(MARKED).map_or(piece.len(), |(at, _)| at);
    start..start + length
}

/// Where the drawn text ends: with the line of `last`, or earlier if that is long.
fn stretch_end(source: &Source, last: usize) -> usize {
    let (line, start) = source.line_at(Span::new(last, last).start);
    let end = (start + line.len()).max(last);
    if line.len() <= LONG_LINE { end } else { source.floor_boundary(end.min(last + LONG_LINE)).max(last) }
}
