//! Printing: compact, or indented by two spaces. It must not change a digit or escape more than JSON asks.

use super::{Object, Value};
use core::fmt::{self, Display, Formatter, Write};

impl Display for Value {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let depth = if out.alternate() { Some(0) } else { None };
        write_value(out, self, depth)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, out)
    }
}

impl Display for Object {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let depth = if out.alternate() { Some(0) } else { None };
        write_object(out, self, depth)
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, out)
    }
}

/// Prints at `depth` levels of indentation, or compact with `None`.
fn write_value(out: &mut impl Write, value: &Value, depth: Option<usize>) -> fmt::Result {
    match value {
        Value::Null => out.write_str("null"),
        Value::Bool(flag) => out.write_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.write_str(number.as_str()),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => write_array(out, items, depth),
        Value::Object(object) => write_object(out, object, depth),
    }
}

fn write_array(out: &mut impl Write, items: &[Value], depth: Option<usize>) -> fmt::Result {
    out.write_char('[')?;
    let inner = depth.map(|depth| depth + 1);
    for (at, item) in items.iter().enumerate() {
        separate(out, at, inner)?;
        write_value(out, item, inner)?;
    }
    finish(out, items.is_empty(), depth, ']')
}

fn write_object(out: &mut impl Write, object: &Object, depth: Option<usize>) -> fmt::Result {
    out.write_char('{')?;
    let inner = depth.map(|depth| depth + 1);
    for (at, (key, value)) in object.iter().enumerate() {
        separate(out, at, inner)?;
        write_string(out, key)?;
        out.write_str(if inner.is_some() { ": " } else { ":" })?;
        write_value(out, value, inner)?;
    }
    finish(out, object.is_empty(), depth, '}')
}

fn separate(out: &mut impl Write, at: usize, depth: Option<usize>) -> fmt::Result {
    if at > 0 {
        out.write_char(',')?;
    }
    depth.map_or(Ok(()), |depth| new_line(out, depth))
}

fn finish(out: &mut impl Write, empty: bool, depth: Option<usize>, close: char) -> fmt::Result {
    if let (false, Some(depth)) = (empty, depth) {
        new_line(out, depth)?;
    }
    out.write_char(close)
}

fn new_line(out: &mut impl Write, depth: usize) -> fmt::Result {
    out.write_char('\n')?;
    (0..depth).try_for_each(|_| out.write_str("  "))
}

/// Writes a string literal with the escapes of RFC 8785, section 3.2.2.2: the short ones, `\u00xx` in small
/// letters for the other control characters, nothing else.
pub(crate) fn write_string(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut plain = text;
    while let Some(at) = plain.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F)) {
        let (before, rest) = plain.split_at(at);
        out.write_str(before)?;
        let mut rest = rest.chars();
        rest.next().map_or(Ok(()), |special| write_escape(out, special))?;
        plain = rest.as_str();
    }
    out.write_str(plain)?;
    out.write_char('"')
}

fn write_escape(out: &mut impl Write, special: char) -> fmt::Result {
    match special {
        '"' => out.write_str("\\\""),
        '\\' => out.write_str("\\\\"),
        '\u{8}' => out.write_str("\\b"),
        '\t' => out.write_str("\\t"),
        '\n' => out.write_str("\\n"),
        '\u{C}' => out.write_str("\\f"),
        '\r' => out.write_str("\\r"),
        other => write!(out, "\\u{:04x}", u32::from(other)),
    }
}
