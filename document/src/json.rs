//! A strict reader of RFC 8259 JSON: slices where no escape stands, an explicit stack, places for
//! everything. It must not accept anything that the grammar refuses.

use std::sync::Arc;

use crate::build::{Builder, Fault, Text};
use crate::code;
use crate::diagnostic::{Diagnostic, quoted};
use crate::limits::Limits;
use crate::source::{Source, Span};
use crate::tree::{Document, Kind};

/// What the grammar allows next.
enum Next {
    /// A value.
    Value,
    /// A value, or the end of the array just opened.
    FirstItem,
    /// A key.
    Key,
    /// A key, or the end of the object just opened.
    FirstKey,
    /// A comma or the end of the innermost container; outside any, the end of the text.
    Separator,
}

/// Reads the whole source as one JSON value.
pub(crate) fn read(source: &Arc<Source>, limits: &Limits) -> Result<Document, Fault> {
    let text = source.text();
    let builder = Builder::new(source, limits);
    let mut reader = Reader { source, text, bytes: text.as_bytes(), at: 0, builder };
    let mut next = Next::Value;
    while let Some(following) = reader.step(next)? {
        next = following;
    }
    reader.builder.finish().ok_or_else(|| empty(source))
}

fn empty(source: &Arc<Source>) -> Fault {
    let end = source.text().len();
    Diagnostic::error(code::EMPTY, source, Span::new(end, end), "the file holds no value").boxed()
}

struct Reader<'s> {
    source: &'s Arc<Source>,
    text: &'s str,
    bytes: &'s [u8],
    at: usize,
    builder: Builder<'s>,
}

impl Reader<'_> {
    fn step(&mut self, next: Next) -> Result<Option<Next>, Fault> {
        self.skip_space();
        match next {
            Next::FirstItem if self.peek() == Some(b']') => self.close(),
            Next::FirstItem | Next::Value => self.value().map(Some),
            Next::FirstKey if self.peek() == Some(b'}') => self.close(),
            Next::FirstKey | Next::Key => self.key().map(Some),
            Next::Separator => self.separator(),
        }
    }

    fn value(&mut self) -> Result<Next, Fault> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(b'{') => {
                self.at += 1;
                self.builder.open(true, Span::new(start, self.at))?;
                return Ok(Next::FirstKey);
            }
            Some(b'[') => {
                self.at += 1;
                self.builder.open(false, Span::new(start, self.at))?;
                return Ok(Next::FirstItem);
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Kind::Bool)?,
            Some(b'f') => self.word("false", Kind::Bool)?,
            Some(b'n') => self.word("null", Kind::Null)?,
            _ => return Err(self.unexpected("a value")),
        }
        Ok(Next::Separator)
    }

    fn key(&mut self) -> Result<Next, Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("`:` after the key"));
        }
        self.at += 1;
        Ok(Next::Value)
    }

    fn separator(&mut self) -> Result<Option<Next>, Fault> {
        let Some(frame) = self.builder.frame() else {
            return if self.at == self.bytes.len() { Ok(None) } else { Err(self.unexpected("the end")) };
        };
        match (self.peek(), frame.object) {
            (Some(b','), object) => {
                self.at += 1;
                Ok(Some(if object { Next::Key } else { Next::Value }))
            }
            (Some(b'}'), true) | (Some(b']'), false) => self.close(),
            (_, true) => Err(self.unexpected("`,` or `}`")),
            (_, false) => Err(self.unexpected("`,` or `]`")),
        }
    }

    fn close(&mut self) -> Result<Option<Next>, Fault> {
        self.at += 1;
        self.builder.close(Span::new(0, self.at).end)?;
        Ok(Some(Next::Separator))
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<(), Fault> {
        let span = Span::new(self.at, self.at + word.len());
        if self.text.get(span.range()) != Some(word) {
            return Err(self.unexpected("a value"));
        }
        self.at += word.len();
        self.builder.scalar(kind, span, Text::Source(span)).map(|_| ())
    }

    /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.take(b"-");
        if self.take(b"0") {
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.syntax(Span::new(start, self.at + 1), "a number must not start with 0"));
            }
        } else {
            self.digits()?;
        }
        if self.take(b".") {
            self.digits()?;
        }
        if self.take(b"eE") {
            self.take(b"+-");
            self.digits()?;
        }
        let span = Span::new(start, self.at);
        self.builder.scalar(Kind::Number, span, Text::Source(span)).map(|_| ())
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    fn string(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        self.plain_run();
        if self.peek() == Some(b'"') {
            let inside = Span::new(start + 1, self.at);
            self.at += 1;
            return self
                .builder
                .scalar(Kind::String, Span::new(start, self.at), Text::Source(inside))
                .map(|_| ());
        }
        self.string_with_escapes(start)
    }

    fn string_with_escapes(&mut self, start: usize) -> Result<(), Fault> {
        let from = self.builder.decoded().len();
        let mut run = start + 1;
        loop {
            let plain = self.text.get(run..self.at).unwrap_or_default();
            self.builder.decoded().push_str(plain);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    let character = self.escape()?;
                    self.builder.decoded().push(character);
                }
                _ => return Err(self.broken_string(start)),
            }
            run = self.at;
            self.plain_run();
        }
        self.at += 1;
        self.builder.decoded_scalar(Kind::String, Span::new(start, self.at), from).map(|_| ())
    }

    /// Moves to the next quote, backslash, control character or the end.
    fn plain_run(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let special = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
        self.at += special.unwrap_or(rest.len());
    }

    /// One escape, of one or, for a surrogate pair, two parts.
    fn escape(&mut self) -> Result<char, Fault> {
        let start = self.at;
        self.at += 2;
        let character = match self.bytes.get(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(start),
            _ => {
                let end = self.source.floor_boundary(start + 2).max(start + 1);
                return Err(self.syntax(Span::new(start, end), "no such escape in a JSON string"));
            }
        };
        Ok(character)
    }

    fn unicode(&mut self, start: usize) -> Result<char, Fault> {
        let first = self.four_digits(start)?;
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        let low_follows = first < 0xdc00 && self.bytes.get(self.at..self.at + 2) == Some(b"\\u");
        if low_follows {
            let half = self.at;
            self.at += 2;
            let low = self.four_digits(half)?;
            if let Some(character) = pair(first, low) {
                return Ok(character);
            }
        }
        let span = Span::new(start, start + 6);
        let message = "half of a surrogate pair names no character";
        Err(Diagnostic::error(code::JSON_LONE_SURROGATE, self.source, span, message)
            .with_help("write both halves, or the character itself")
            .boxed())
    }

    fn four_digits(&mut self, start: usize) -> Result<u32, Fault> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| !digits.starts_with('+'));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                self.at += 4;
                Ok(value)
            }
            None => Err(self.syntax(Span::new(start, self.at), "`\\u` needs four hexadecimal digits")),
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, any: &[u8]) -> bool {
        let taken = self.peek().is_some_and(|byte| any.contains(&byte));
        self.at += usize::from(taken);
        taken
    }

    #[cold]
    fn broken_string(&self, start: usize) -> Fault {
        match self.peek() {
            None => self.syntax(Span::new(start, start + 1), "this string has no end"),
            Some(byte) => {
                let message = format!("the control character U+{byte:04X} must be escaped in a string");
                let help = format!("write `\\u{byte:04x}`");
                let span = Span::new(self.at, self.at + 1);
                Diagnostic::error(code::JSON_SYNTAX, self.source, span, message)
                    .with_label(Span::new(start, start + 1), "the string starts here")
                    .with_help(help)
                    .boxed()
            }
        }
    }

    #[cold]
    fn unexpected(&self, wanted: &str) -> Fault {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(character) = rest.chars().next() else { return self.truncated(wanted) };
        let word: String = rest.chars().take_while(|letter| letter.is_alphanumeric()).take(20).collect();
        let found = if word.is_empty() { character.to_string() } else { word };
        let span = Span::new(self.at, self.at + found.len());
        let mut fault = self.syntax(span, &format!("expected {wanted}, found {}", quoted(&found)));
        fault.help = advice(character, wanted).map(str::to_owned);
        fault
    }

    #[cold]
    fn truncated(&self, wanted: &str) -> Fault {
        if self.text.trim_start().is_empty() {
            return empty(self.source);
        }
        let mut fault =
            self.syntax(Span::new(self.at, self.at), &format!("expected {wanted}, the file ends here"));
        if let Some(frame) = self.builder.frame() {
            let start = self.builder.span_of(frame.id).start as usize;
            let what = if frame.object { "this object has no end" } else { "this array has no end" };
            *fault = fault.with_label(Span::new(start, start + 1), what);
        }
        fault
    }

    #[cold]
    fn syntax(&self, span: Span, message: &str) -> Fault {
        Diagnostic::error(code::JSON_SYNTAX, self.source, span, message).boxed()
    }
}

/// The character of a surrogate pair; `first` is a high surrogate.
fn pair(first: u32, low: u32) -> Option<char> {
    let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    char::from_u32(0x10000 + ((first - 0xd800) << 10) + low)
}

/// What now, for the slips that people make most.
fn advice(found: char, wanted: &str) -> Option<&'static str> {
    let after_comma = wanted.starts_with("a value") || wanted.starts_with("a key");
    match found {
        '}' | ']' if after_comma => Some("remove the comma before it"),
        '/' | '#' => Some("JSON has no comments"),
        '\'' => Some("use double quotes"),
        _ => None,
    }
}
