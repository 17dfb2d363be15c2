//! From bytes to a document: size, encoding and the choice of grammar. It must not open files.

use std::sync::Arc;

use crate::build::Fault;
use crate::code;
use crate::diagnostic::Diagnostic;
use crate::limits::{Limits, MOST_BYTES};
use crate::source::{Source, Span};
use crate::tree::Document;
use crate::{json, yaml};

/// The grammar of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// RFC 8259.
    Json,
    /// YAML 1.2 with the core schema.
    Yaml,
    /// By content: JSON if the first character that is no space is `{` or `[`, else YAML. What breaks the
    /// JSON grammar is tried as YAML flow style, and taken as such if that reads.
    Auto,
}

/// Reads one document.
///
/// `name` is what diagnostics call the file; `bytes` are UTF-8 with or without a byte order mark, which is
/// dropped: offsets count from behind it.
///
/// # Errors
/// One diagnostic at the first place that is broken or exceeds a limit; see [`crate::code`].
pub fn read(
    name: &str,
    bytes: impl Into<Vec<u8>>,
    format: Format,
    limits: &Limits,
) -> Result<Document, Diagnostic> {
    let source = Arc::new(decode(name, bytes.into(), limits)?);
    let document = match format {
        Format::Json => json::read(&source, limits),
        Format::Yaml => yaml::read(&source, limits),
        Format::Auto => read_either(&source, limits),
    };
    document.map_err(|fault| *fault)
}

fn read_either(source: &Arc<Source>, limits: &Limits) -> Result<Document, Fault> {
    if !source.text().trim_start().starts_with(['{', '[']) {
        return yaml::read(source, limits);
    }
    json::read(source, limits).or_else(|fault| {
        let flow = if fault.code == code::JSON_SYNTAX { yaml::read(source, limits).ok() } else { None };
        flow.ok_or(fault)
    })
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

fn decode(name: &str, bytes: Vec<u8>, limits: &Limits) -> Result<Source, Diagnostic> {
    let most = limits.bytes.min(MOST_BYTES);
    if bytes.len() > most {
        let message = format!("the file has {} bytes, more than the {most} allowed", bytes.len());
        let nothing = Arc::new(Source::new(name, ""));
        return Err(Diagnostic::error(code::TOO_LARGE, &nothing, Span::default(), message)
            .with_help("split the file, or raise the limit of bytes if you trust it"));
    }
    let mut text = text(name, bytes)?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(Source::new(name, text))
}

/// The text of a file: UTF-8, with its byte order mark if it has one, or UTF-16 behind such a mark.
///
/// # Errors
/// The first byte, or half of a surrogate pair, that is no text.
pub fn text(name: &str, bytes: impl Into<Vec<u8>>) -> Result<String, Diagnostic> {
    let bytes = bytes.into();
    match bytes.get(..2) {
        Some([0xff, 0xfe]) => wide(name, &bytes, u16::from_le_bytes),
        Some([0xfe, 0xff]) => wide(name, &bytes, u16::from_be_bytes),
        _ => String::from_utf8(bytes).map_err(|error| not_utf8(name, &error)),
    }
}

fn wide(name: &str, bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Diagnostic> {
    let (pairs, rest) = bytes.get(2..).unwrap_or_default().as_chunks();
    let decoded: Result<String, _> = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect();
    match decoded {
        Ok(text) if rest.is_empty() => Ok(text),
        Ok(_) | Err(_) => {
            let nothing = Arc::new(Source::new(name, ""));
            let message = "the file starts as UTF-16 and holds half a character";
            Err(Diagnostic::error(code::NOT_UTF8, &nothing, Span::default(), message)
                .with_help("save the file as UTF-8"))
        }
    }
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> Diagnostic {
    let bytes = error.as_bytes();
    let at = error.utf8_error().valid_up_to();
    let byte = bytes.get(at).copied().unwrap_or_default();
    let source = Arc::new(Source::new(name, String::from_utf8_lossy(bytes)));
    let replaced = Span::new(at, at + char::REPLACEMENT_CHARACTER.len_utf8());
    let message = format!("the byte 0x{byte:02X} at offset {at} is not UTF-8");
    Diagnostic::error(code::NOT_UTF8, &source, replaced, message).with_help("save the file as UTF-8")
}
