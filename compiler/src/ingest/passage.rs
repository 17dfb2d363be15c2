//! Prose as blocks of plain text, whether Markdown or the HTML that descriptions hold. Keeps code spans in
//! backticks and strong text in `**`; must not read a meaning into any of it.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde::Serialize;

/// One paragraph, list item or table row of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Passage {
    /// Assertion id, `vendor.docs#refunds/refund-status/p3`.
    pub assertion: String,
    /// The source's id.
    pub source: String,
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// Its text on one line, code in backticks.
    pub text: String,
}

/// A block of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A heading and its level, 1 to 6.
    Heading(u8, String),
    /// A paragraph, list item or table row.
    Text(String),
    /// Verbatim code.
    Code(String),
}

/// Lower-cased, everything but letters and digits turned into single hyphens.
#[must_use]
pub fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for letter in text.chars().flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() {
            slug.push(letter);
        } else if !slug.ends_with('-') && !slug.is_empty() && !matches!(letter, '`' | '\'' | '’' | '*') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// The blocks of a Markdown text, in order.
#[must_use]
pub fn blocks(text: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        reader.take(event);
    }
    reader.finish();
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    open: String,
    heading: Option<u8>,
    code: bool,
    cells: usize,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.open.push_str(&text),
            Event::Code(text) => {
                self.open.push('`');
                self.open.push_str(&text);
                self.open.push('`');
            }
            Event::Html(text) | Event::InlineHtml(text) => self.html(&text),
            Event::SoftBreak | Event::HardBreak => self.open.push(' '),
            Event::Rule
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.finish();
                self.heading = Some(level_number(*level));
            }
            Tag::Item | Tag::List(_) | Tag::Table(_) | Tag::BlockQuote(_) => self.finish(),
            Tag::CodeBlock(_) => {
                self.finish();
                self.code = true;
            }
            Tag::TableRow | Tag::TableHead => {
                self.finish();
                self.cells = 0;
            }
            Tag::TableCell => {
                if self.cells > 0 {
                    self.open.push_str(if self.cells == 1 { ": " } else { " | " });
                }
                self.cells += 1;
            }
            Tag::Strong => self.open.push_str("**"),
            Tag::Paragraph if !self.open.trim().is_empty() => self.open.push(' '),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph
            | TagEnd::Heading(_)
            | TagEnd::Item
            | TagEnd::CodeBlock
            | TagEnd::TableRow
            | TagEnd::TableHead
            | TagEnd::HtmlBlock
            | TagEnd::BlockQuote(_) => self.finish(),
            TagEnd::Strong => self.open.push_str("**"),
            _ => {}
        }
    }

    /// Tags become what they stand for; all others go.
    fn html(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            self.open.push_str(rest.get(..at).unwrap_or_default());
            let tag = rest.get(at..).unwrap_or_default();
            let end = tag.find('>').map_or(tag.len(), |end| end + 1);
            self.html_tag(tag.get(..end).unwrap_or_default());
            rest = tag.get(end..).unwrap_or_default();
        }
        self.open.push_str(rest);
    }

    fn html_tag(&mut self, tag: &str) {
        let inner = tag.trim_start_matches('<').trim_end_matches('>');
        let name = inner.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "code" => self.open.push('`'),
            "b" | "strong" => self.open.push_str("**"),
            "p" | "li" | "ul" | "ol" | "br" | "div" | "tr" | "table" => self.finish(),
            "td" | "th" if inner.starts_with('/') => self.open.push_str(": "),
            _ => {}
        }
    }

    fn finish(&mut self) {
        let text = one_line(&self.open);
        self.open.clear();
        let (heading, code) = (self.heading.take(), std::mem::take(&mut self.code));
        if text.is_empty() {
            return;
        }
        self.blocks.push(match heading {
            Some(level) => Block::Heading(level, text),
            None if code => Block::Code(text),
            None => Block::Text(text),
        });
    }
}

const fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_and_html_give_the_same_blocks() {
        let markdown = "Moves to `done` if **all** is [well](x).\n\n* `a`: first\n* `b`: second\n";
        let html = "<p>Moves to <code>done</code> if <b>all</b> is <a href=\"x\">well</a>.</p>\n\n<ul><li><code>a</code>: first</li><li><code>b</code>: second</li></ul>";
        let wanted = vec![
            Block::Text("Moves to `done` if **all** is well.".to_owned()),
            Block::Text("`a`: first".to_owned()),
            Block::Text("`b`: second".to_owned()),
        ];
        assert_eq!(blocks(markdown), wanted);
        assert_eq!(blocks(html), wanted);
    }

    #[test]
    fn a_row_of_a_table_is_one_block() {
        let text = "| State | Meaning |\n|---|---|\n| `a` | It waits. |\n";
        assert_eq!(
            blocks(text),
            [Block::Text("State: Meaning".to_owned()), Block::Text("`a`: It waits.".to_owned())]
        );
    }

    #[test]
    fn slugs_are_lower_case_with_hyphens() {
        assert_eq!(slug("Failed and canceled `refunds`!"), "failed-and-canceled-refunds");
    }
}
