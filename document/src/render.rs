//! Draws a diagnostic as a snippet with a caret. It must not decide whether a terminal wants colours.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{Location, Source, Span};

/// Lines longer than this are cut around the caret, in characters.
const LONG_LINE: usize = 200;
/// What stays before the caret of a cut line, in characters.
const BEFORE: usize = 24;
/// What stays of a cut line as a whole, in characters.
const KEPT: usize = 64;
/// Columns that a rendering aims for.
const WIDTH: usize = 80;

impl Diagnostic {
    /// The finding with file, line, column and the offending line, a caret below it. Plain ASCII frame,
    /// about 80 columns; `colour` adds ANSI colours. Control characters of the input are made harmless.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.term_width(WIDTH).decor_style(DecorStyle::Ascii);
        let level = level(self.severity);
        let mut group = Group::with_title(level.primary_title(self.message.as_str()).id(self.code));
        group = with_line(group, &Line::around(&self.source, self.span), AnnotationKind::Primary, None);
        for label in &self.labels {
            let line = Line::around(&self.source, label.span);
            group = with_line(group, &line, AnnotationKind::Context, Some(label.message.as_str()));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

fn with_line<'d>(group: Group<'d>, line: &Line, kind: AnnotationKind, label: Option<&'d str>) -> Group<'d> {
    let origin = Origin::path(line.file.clone())
        .line(line.place.line as usize)
        .char_column(line.place.column as usize);
    let snippet = Snippet::source(line.text.clone())
        .line_start(line.place.line as usize)
        .annotation(kind.span(line.mark.clone()).label(label));
    group.element(origin).element(snippet)
}

/// One line of the source, cut if long, with the marked bytes in it.
struct Line {
    file: String,
    place: Location,
    text: String,
    mark: std::ops::Range<usize>,
}

impl Line {
    fn around(source: &Source, span: Span) -> Self {
        let place = source.location(span.start);
        let (line, line_start) = source.line_at(span.start);
        let start = source.floor_boundary(span.start as usize).saturating_sub(line_start).min(line.len());
        let end =
            source.floor_boundary(span.end as usize).saturating_sub(line_start).clamp(start, line.len());
        let (text, mark) = if line.chars().count() > LONG_LINE {
            cut(line, start, end)
        } else {
            (line.to_owned(), start..end)
        };
        Self { file: source.name().to_owned(), place, text, mark }
    }
}

fn cut(line: &str, start: usize, end: usize) -> (String, std::ops::Range<usize>) {
    let (head, tail) = line.split_at(start);
    let mut before: Vec<char> = head.chars().rev().take(BEFORE).collect();
    before.reverse();
    let before: String = before.into_iter().collect();
    let after: String = tail.chars().take(KEPT - BEFORE).collect();
    let opening = if before.len() < head.len() { "…" } else { "" };
    let closing = if after.len() < tail.len() { "…" } else { "" };
    let at = opening.len() + before.len();
    let mark = at..at + after.len().min(end - start);
    (format!("{opening}{before}{after}{closing}"), mark)
}
