//! The strict reader of RFC 8259. It must not accept what the grammar does not have, keep one of two members
//! with the same name, round a number or go deeper than [`MAX_DEPTH`].

use super::number::scan;
use super::{Number, Object, Value};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// How many arrays and objects may stand inside each other.
pub const MAX_DEPTH: usize = 128;

/// What is wrong with a text that is not JSON. The codes ([`ParseCode::as_str`]) are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseCode {
    /// The text ends inside a value, or is empty.
    UnexpectedEnd,
    /// A character stands where the grammar has no place for it.
    UnexpectedCharacter,
    /// A number breaks the grammar of section 6, such as `01`, `1.` or `+1`.
    InvalidNumber,
    /// An escape that section 7 does not name, or half a surrogate pair.
    InvalidEscape,
    /// A character below U+0020 stands in a string without an escape.
    ControlCharacter,
    /// An object names a member twice.
    DuplicateMember,
    /// More than [`MAX_DEPTH`] arrays and objects stand inside each other.
    TooDeep,
    /// Something follows the value.
    TrailingText,
}

impl ParseCode {
    /// The stable code.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ParseCode::UnexpectedEnd => "unexpected_end",
            ParseCode::UnexpectedCharacter => "unexpected_character",
            ParseCode::InvalidNumber => "invalid_number",
            ParseCode::InvalidEscape => "invalid_escape",
            ParseCode::ControlCharacter => "control_character",
            ParseCode::DuplicateMember => "duplicate_member",
            ParseCode::TooDeep => "too_deep",
            ParseCode::TrailingText => "trailing_text",
        }
    }

    fn advice(self) -> &'static str {
        match self {
            ParseCode::UnexpectedEnd => "the text ends too early; complete it",
            ParseCode::UnexpectedCharacter => "this character does not belong here; remove or quote it",
            ParseCode::InvalidNumber => "this is not a JSON number; write it as `0`, `-1.5` or `2e3`",
            ParseCode::InvalidEscape => "this escape is not JSON; surrogates come in pairs",
            ParseCode::ControlCharacter => "escape control characters inside strings",
            ParseCode::DuplicateMember => "this member stands twice in one object; keep one of them",
            ParseCode::TooDeep => "more than 128 levels of nesting are refused",
            ParseCode::TrailingText => "one JSON value is expected; remove what follows it",
        }
    }
}

/// Where and why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What is wrong.
    pub code: ParseCode,
    /// Byte offset from the start of the text. For a duplicate member, that of the second key.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, line, column, .. } = self;
        write!(out, "{}: line {line}, column {column}: {}", code.as_str(), code.advice())
    }
}

impl core::error::Error for ParseError {}

/// Reads one JSON text: a value with white space around it. A byte order mark is refused.
///
/// # Errors
/// The first place where the text breaks RFC 8259, names a member twice or nests too deep.
pub fn parse(text: &str) -> Result<Value, ParseError> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    reader.document().map_err(|(code, offset)| locate(text, code, offset))
}

fn locate(text: &str, code: ParseCode, offset: usize) -> ParseError {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
    ParseError { code, offset, line, column }
}

type Outcome<T> = Result<T, (ParseCode, usize)>;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

struct Member {
    key: String,
    value: Value,
    at: usize,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Outcome<Value> {
        let value = self.value()?;
        self.space();
        if self.peek().is_some() { Err((ParseCode::TrailingText, self.at)) } else { Ok(value) }
    }

    fn value(&mut self) -> Outcome<Value> {
        self.space();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::String),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err((ParseCode::UnexpectedCharacter, self.at)),
            None => Err((ParseCode::UnexpectedEnd, self.at)),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Outcome<Value>) -> Outcome<Value> {
        if self.depth == MAX_DEPTH {
            return Err((ParseCode::TooDeep, self.at));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn array(&mut self) -> Outcome<Value> {
        let mut items = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.closes(b']')? {
                return Ok(Value::Array(items));
            }
        }
    }

    fn object(&mut self) -> Outcome<Value> {
        let mut members = Vec::new();
        self.space();
        if self.take(b'}') {
            return Ok(Value::Object(Object::new()));
        }
        loop {
            members.push(self.member()?);
            if self.closes(b'}')? {
                return sorted(members).map(Value::Object);
            }
        }
    }

    fn member(&mut self) -> Outcome<Member> {
        self.space();
        let at = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        let key = self.string()?;
        self.space();
        if !self.take(b':') {
            return Err(self.unexpected());
        }
        Ok(Member { key, value: self.value()?, at })
    }

    /// After an item: `true` at the closing byte, `false` at a comma.
    fn closes(&mut self, close: u8) -> Outcome<bool> {
        self.space();
        if self.take(close) {
            return Ok(true);
        }
        if self.take(b',') { Ok(false) } else { Err(self.unexpected()) }
    }

    fn word(&mut self, word: &str, value: Value) -> Outcome<Value> {
        if self.rest().starts_with(word) {
            self.at += word.len();
            return Ok(value);
        }
        Err((ParseCode::UnexpectedCharacter, self.at))
    }

    fn number(&mut self) -> Outcome<Value> {
        let rest = self.rest();
        let length = scan(rest.as_bytes()).map_err(|at| (ParseCode::InvalidNumber, self.at + at))?;
        self.at += length;
        if matches!(self.peek(), Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
            return Err((ParseCode::InvalidNumber, self.at));
        }
        Ok(Value::Number(Number::from_scanned(rest.get(..length).unwrap_or_default())))
    }

    fn string(&mut self) -> Outcome<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let plain = rest
                .bytes()
                .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F))
                .ok_or((ParseCode::UnexpectedEnd, self.text.len()))?;
            out.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            if self.take(b'"') {
                return Ok(out);
            }
            if !self.take(b'\\') {
                return Err((ParseCode::ControlCharacter, self.at));
            }
            out.push(self.escape()?);
        }
    }

    /// What follows a backslash (section 7).
    fn escape(&mut self) -> Outcome<char> {
        let start = self.at - 1;
        let byte = self.peek().ok_or((ParseCode::UnexpectedEnd, self.at))?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.code_point(start),
            _ => return Err((ParseCode::InvalidEscape, start)),
        })
    }

    fn code_point(&mut self, start: usize) -> Outcome<char> {
        let invalid = (ParseCode::InvalidEscape, start);
        let first = self.four_hex().ok_or(invalid)?;
        if let Some(single) = char::from_u32(first) {
            return Ok(single);
        }
        if !(self.take(b'\\') && self.take(b'u')) {
            return Err(invalid);
        }
        let second = self.four_hex().ok_or(invalid)?;
        let (0xD800..=0xDBFF, 0xDC00..=0xDFFF) = (first, second) else { return Err(invalid) };
        char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)).ok_or(invalid)
    }

    fn four_hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn unexpected(&self) -> (ParseCode, usize) {
        let code =
            if self.peek().is_none() { ParseCode::UnexpectedEnd } else { ParseCode::UnexpectedCharacter };
        (code, self.at)
    }
}

fn sorted(mut members: Vec<Member>) -> Outcome<Object> {
    members.sort_by(|left, right| left.key.cmp(&right.key));
    let twice = members.iter().zip(members.iter().skip(1)).filter(|(left, right)| left.key == right.key);
    if let Some(at) = twice.map(|(_, second)| second.at).min() {
        return Err((ParseCode::DuplicateMember, at));
    }
    Ok(Object::from_sorted(members.into_iter().map(|member| (member.key, member.value)).collect()))
}
