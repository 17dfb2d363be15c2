//! Reads an HTML document into blocks, token by token: no tree is built, so nesting costs nothing. Must not leave
//! out text that a page shows.

use std::cell::RefCell;
use std::sync::Arc;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use provely_document::{Diagnostic, Source, Span};

use super::passage::{Block, Reader};

/// An HTML document beyond what is read: too long, or a tag with too many attributes.
pub const HTML_LIMIT: &str = "ingest/html-limit";

/// The longest page, in bytes.
const MOST_BYTES: usize = 32 << 20;
/// Most attributes of one tag. A reader compares each with all before it.
const MOST_ATTRIBUTES: usize = 512;

/// True for a document in HTML: by its name, or by how it starts.
pub(super) fn is_html(name: &str, text: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let starts = |with: &str| start.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    [".html", ".htm"].iter().any(|ending| name.ends_with(ending))
        || starts("<!doctype html")
        || starts("<html")
}

/// The blocks of a page, in order.
///
/// # Errors
/// If it is beyond the limits, with the place.
pub(super) fn blocks(name: &str, text: &str) -> Result<Vec<Block>, Diagnostic> {
    if let Some((at, what)) = excess(text) {
        let source = Arc::new(Source::new(name, text));
        return Err(Diagnostic::error(HTML_LIMIT, &source, Span::new(at, at + 1), what)
            .with_help("save the article alone, or as Markdown"));
    }
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    let tokenizer = Tokenizer::new(Page::default(), TokenizerOpts::default());
    // A script only pauses the tokenizer; nothing here asks it to run one.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    Ok(tokenizer.sink.reader.into_inner().into_blocks())
}

/// Where a page goes beyond the limits, and how. Looks at what stands between `<` and `>`, quotes respected.
fn excess(text: &str) -> Option<(usize, String)> {
    if text.len() > MOST_BYTES {
        return Some((0, format!("the page has {} bytes, more than {MOST_BYTES}", text.len())));
    }
    let mut tag: Option<(usize, usize)> = None;
    let (mut quote, mut before) = (None, b' ');
    for (at, byte) in text.bytes().enumerate() {
        match (tag, quote) {
            (None, _) if before == b'<' && byte.is_ascii_alphabetic() => tag = Some((at, 0)),
            (Some(_), Some(open)) if byte == open => quote = None,
            (Some(_), None) if matches!(byte, b'"' | b'\'') && before == b'=' => quote = Some(byte),
            (Some(_), None) if byte == b'>' => tag = None,
            (Some((start, count)), None) if starts_attribute(before, byte) => {
                if count >= MOST_ATTRIBUTES {
                    return Some((start, format!("a tag has more than {MOST_ATTRIBUTES} attributes")));
                }
                tag = Some((start, count + 1));
            }
            _ => {}
        }
        before = byte;
    }
    None
}

/// True where the name of an attribute begins. Prose and scripts that look like a tag end it by `<` or `;`.
const fn starts_attribute(before: u8, byte: u8) -> bool {
    matches!(before, b' ' | b'\t' | b'\n' | b'\r' | b'/' | b'"' | b'\'') && byte.is_ascii_alphanumeric()
}

#[derive(Default)]
struct Page {
    reader: RefCell<Reader>,
    /// In an element whose text is not shown.
    hidden: RefCell<bool>,
}

impl TokenSink for Page {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) => return self.tag(&tag),
            Token::CharacterTokens(text) if !*self.hidden.borrow() => self.reader.borrow_mut().text(&text),
            Token::EOFToken => self.reader.borrow_mut().finish(),
            Token::CharacterTokens(_)
            | Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::NullCharacterToken
            | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

impl Page {
    fn tag(&self, tag: &Tag) -> TokenSinkResult<()> {
        let opens = tag.kind == TagKind::StartTag;
        let raw = match &*tag.name {
            "script" => Some(RawKind::ScriptData),
            "style" | "iframe" | "noembed" | "noframes" => Some(RawKind::Rawtext),
            "title" | "textarea" => Some(RawKind::Rcdata),
            _ => None,
        };
        let Some(raw) = raw else {
            self.reader.borrow_mut().tag(&tag.name, opens);
            return TokenSinkResult::Continue;
        };
        *self.hidden.borrow_mut() = opens;
        if opens { TokenSinkResult::RawData(raw) } else { TokenSinkResult::Continue }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::passage;

    const MARKDOWN: &str = "# Refunds\n\nA refund moves to `done` if **all** is well & good.\n\n## States\n\n| State | Meaning |\n|---|---|\n| `a` | It waits. |\n| `b` | It is done. |\n\n- first\n- second\n\n```\nlet a = 1;\n```\n";
    const HTML: &str = "<!DOCTYPE html><html><head><title>Not shown</title><style>p > a {}</style></head><body>
<h1>Refunds</h1><script>if (a < b && c > d) document.write('<p>no</p>')</script>
<p>A refund moves to <code>done</code> if <b>all</b> is <a href='x>y'>well</a> &amp; good.
<h2 id=states>States</h2>
<table><thead><tr><th>State<th>Meaning</tr></thead><tr><td><p><code>a</code></p></td><td><p>It waits.</p></td></tr>
<tr><td><code>b</code><td>It is<br>done.</table>
<ul><li>first<li><p>second</p></ul>
<!-- <p>no</p> -->
<pre><code>let a = 1;</code></pre></body></html>";

    #[test]
    fn a_page_gives_the_blocks_of_the_same_text_in_markdown() {
        assert!(is_html("a.txt", HTML));
        assert_eq!(blocks("a.html", HTML).unwrap(), passage::blocks(MARKDOWN));
    }

    #[test]
    fn a_list_of_definitions_gives_one_block_for_each() {
        let html = "<dl><dt><code>a</code></dt><dd><p>It waits.</p></dd><dt>b<dd>It is done.</dl>";
        let wanted = [Block::Text("`a`: It waits.".to_owned()), Block::Text("b: It is done.".to_owned())];
        assert_eq!(blocks("a.html", html).unwrap(), wanted);
    }

    #[test]
    fn nesting_costs_nothing_and_attributes_are_bounded() {
        let deep = "<div><b>".repeat(100_000) + "x";
        assert_eq!(blocks("deep.html", &deep).unwrap().len(), 1);
        let attributes: String = (0..1000).map(|number| format!(" a{number}=1")).collect();
        let finding = blocks("many.html", &format!("<p>\n<p{attributes}>")).unwrap_err();
        assert_eq!((finding.code, finding.place().line, finding.place().column), (HTML_LIMIT, 2, 2));
    }
}
