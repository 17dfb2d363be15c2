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
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader = Reader::default();
    for event in Parser::new_ext(text, options) {
        reader.take(event);
    }
    reader.finish();
    reader.into_blocks()
}

/// Collects blocks from Markdown events or HTML tags.
#[derive(Default)]
pub(super) struct Reader {
    blocks: Vec<Block>,
    open: String,
    heading: Option<u8>,
    code: bool,
    /// In a row of a table: what would end a block there only ends a line.
    row: bool,
    cells: usize,
    /// In what stands above a document and is none of it.
    preface: bool,
    /// In an HTML comment that is not closed yet.
    comment: bool,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
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
            Tag::TableRow | Tag::TableHead => self.begin_row(),
            Tag::TableCell => self.begin_cell(),
            Tag::Strong => self.open.push_str("**"),
            Tag::MetadataBlock(_) => self.preface = true,
            Tag::Paragraph if !self.open.trim().is_empty() => self.open.push(' '),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                self.finish();
                self.code = false;
            }
            TagEnd::MetadataBlock(_) => self.preface = false,
            TagEnd::TableRow | TagEnd::TableHead => {
                self.finish();
                self.row = false;
            }
            TagEnd::Paragraph
            | TagEnd::Heading(_)
            | TagEnd::Item
            | TagEnd::HtmlBlock
            | TagEnd::BlockQuote(_) => self.finish(),
            TagEnd::Strong => self.open.push_str("**"),
            _ => {}
        }
    }

    /// Text as it is shown.
    pub(super) fn text(&mut self, text: &str) {
        if !self.preface {
            self.open.push_str(text);
        }
    }

    /// Tags become what they stand for; all others go, and so do comments.
    fn html(&mut self, text: &str) {
        let mut rest = text;
        loop {
            if self.comment {
                let Some(end) = rest.find("-->") else { return };
                rest = rest.get(end + 3..).unwrap_or_default();
                self.comment = false;
            }
            let Some(at) = rest.find('<') else { break };
            self.open.push_str(rest.get(..at).unwrap_or_default());
            let tag = rest.get(at..).unwrap_or_default();
            if let Some(inside) = tag.strip_prefix("<!--") {
                (rest, self.comment) = (inside, true);
                continue;
            }
            let end = tag.find('>').map_or(tag.len(), |end| end + 1);
            let inner = tag.get(..end).unwrap_or_default().trim_start_matches('<').trim_end_matches('>');
            let name = inner.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap_or_default();
            self.tag(&name.to_ascii_lowercase(), !inner.starts_with('/'));
            rest = tag.get(end..).unwrap_or_default();
        }
        self.open.push_str(rest);
    }

    /// An HTML tag, by its name in small letters.
    pub(super) fn tag(&mut self, name: &str, opens: bool) {
        match name {
            "code" if !self.code => self.open.push('`'),
            "b" | "strong" => self.open.push_str("**"),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.finish();
                self.row = false;
                self.heading = name.strip_prefix('h').and_then(|level| level.parse().ok()).filter(|_| opens);
            }
            "pre" => {
                self.finish();
                self.code = opens;
            }
            "tr" if opens => self.begin_row(),
            "tr" | "table" | "thead" | "tbody" => {
                self.finish();
                self.row = false;
            }
            "td" | "th" if opens => self.begin_cell(),
            "dt" if !opens => {}
            "dd" if opens => self.separate(": "),
            // The text of a definition follows its term.
            "p" | "div" if opens && self.open.ends_with(": ") => {}
            _ if BLOCKS.contains(&name) && self.row => self.open.push(' '),
            _ if BLOCKS.contains(&name) => self.finish(),
            _ => {}
        }
    }

    fn begin_row(&mut self) {
        self.finish();
        (self.row, self.cells) = (true, 0);
    }

    fn begin_cell(&mut self) {
        if self.cells > 0 {
            self.separate(if self.cells == 1 { ": " } else { " | " });
        }
        self.cells += 1;
    }

    fn separate(&mut self, separator: &str) {
        self.open.truncate(self.open.trim_end().len());
        self.open.push_str(separator);
    }

    /// Ends the block that is open.
    pub(super) fn finish(&mut self) {
        let text = one_line(&self.open);
        self.open.clear();
        let heading = self.heading.take();
        // Emphasis around nothing is nothing.
        if text.is_empty() || (!self.code && text.trim_matches(['*', '`', ':', ' ']).is_empty()) {
            return;
        }
        self.blocks.push(match heading {
            Some(level) => Block::Heading(level, text),
            None if self.code => Block::Code(text),
            None => Block::Text(text),
        });
    }

    /// What was collected.
    pub(super) fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }
}

/// HTML elements that stand on lines of their own.
const BLOCKS: [&str; 27] = [
    "p",
    "li",
    "ul",
    "ol",
    "br",
    "div",
    "section",
    "article",
    "blockquote",
    "dl",
    "dt",
    "dd",
    "figure",
    "figcaption",
    "main",
    "header",
    "footer",
    "nav",
    "aside",
    "details",
    "summary",
    "hr",
    "form",
    "fieldset",
    "address",
    "body",
    "caption",
];

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
    fn a_preface_and_comments_are_none_of_a_document() {
        let text =
            "---\ntitle: Refunds\n---\n\nIt <!-- not > this --> is.\n\n<!--\nnor\n\nthis\n-->\n\nDone.\n";
        assert_eq!(blocks(text), [Block::Text("It is.".to_owned()), Block::Text("Done.".to_owned())]);
    }

    #[test]
    fn rows_of_html_tables_in_markdown_are_one_block_each() {
        let text = "<table>\n<tr><td>`a`</td><td><p>It waits.</p></td><td>a day</td></tr>\n<tr><td>b</td></tr>\n</table>\n";
        assert_eq!(
            blocks(text),
            [Block::Text("`a`: It waits. | a day".to_owned()), Block::Text("b".to_owned())]
        );
    }

    #[test]
    fn slugs_are_lower_case_with_hyphens() {
        assert_eq!(slug("Failed and canceled `refunds`!"), "failed-and-canceled-refunds");
    }
}
