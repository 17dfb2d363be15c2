//! Tells what a file is by its content, and finds the descriptions of a folder. Must not parse what it finds:
//! a broken description is one still.

use std::path::{Path, PathBuf};

use super::SourceKind;
use super::folder::LoadError;

/// A description that stands in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// Its path from the folder, with `/`.
    pub name: String,
    /// What it is.
    pub kind: SourceKind,
}

/// Deepest folder that is looked into.
const MOST_DEPTH: usize = 24;
/// Most files that are looked at.
const MOST_FILES: usize = 100_000;

/// Every description below a folder, by content and in the order of names. Folders and files whose names start
/// with a dot are left out, and so is what links lead to.
///
/// # Errors
/// If a folder cannot be listed, or there are too many files.
pub fn descriptions(folder: &Path) -> Result<Vec<Described>, LoadError> {
    let mut found = Vec::new();
    let mut seen = 0;
    let mut open = vec![(folder.to_owned(), String::new(), 0)];
    while let Some((place, prefix, depth)) = open.pop() {
        for (path, name, is_folder) in listed(&place)? {
            let name = format!("{prefix}{name}");
            if is_folder && depth < MOST_DEPTH {
                open.push((path, format!("{name}/"), depth + 1));
            } else if !is_folder {
                seen += 1;
                found.extend(described(&path, name));
            }
        }
        if seen > MOST_FILES {
            let reason = format!("more than {MOST_FILES} files; name a folder with fewer");
            return Err(LoadError::File { path: folder.to_owned(), reason });
        }
    }
    found.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(found)
}

fn listed(folder: &Path) -> Result<Vec<(PathBuf, String, bool)>, LoadError> {
    let fault =
        |error: std::io::Error| LoadError::File { path: folder.to_owned(), reason: error.to_string() };
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let kind = entry.file_type().map_err(fault)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if !name.starts_with('.') && (kind.is_dir() || kind.is_file()) {
            entries.push((entry.path(), name, kind.is_dir()));
        }
    }
    Ok(entries)
}

fn described(path: &Path, name: String) -> Option<Described> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    if matches!(ending.as_str(), "graphql" | "graphqls" | "gql") {
        return Some(Described { name, kind: SourceKind::Graphql });
    }
    if !matches!(ending.as_str(), "json" | "yaml" | "yml") {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let text = provely_document::text(&name, bytes.as_slice());
    let text = text.unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned());
    Some(Described { kind: kind_of(&text)?, name })
}

/// What a text in JSON or YAML is, by the names of its outermost members.
#[must_use]
pub fn kind_of(text: &str) -> Option<SourceKind> {
    let text = text.trim_start_matches('\u{feff}');
    let mut kind = None;
    outermost(text, &mut |name| {
        kind = match name {
            "openapi" | "swagger" => Some(SourceKind::Openapi),
            "__schema" => Some(SourceKind::Graphql),
            "data" if text.contains("\"__schema\"") => Some(SourceKind::Graphql),
            _ => None,
        };
        kind.is_none()
    });
    kind
}

/// Calls `visit` with the name of each outermost member until it answers false.
fn outermost<'t>(text: &'t str, visit: &mut dyn FnMut(&'t str) -> bool) {
    if text.trim_start().starts_with('{') {
        outermost_of_flow(text, visit)
    } else {
        outermost_of_block(text, visit)
    }
}

fn outermost_of_block<'t>(text: &'t str, visit: &mut dyn FnMut(&'t str) -> bool) {
    let mut margin = None;
    for line in text.lines() {
        let inner = line.trim_start();
        if inner.is_empty() || inner.starts_with(['#', '%']) || line.starts_with("---") {
            continue;
        }
        let indent = line.len() - inner.len();
        if indent != *margin.get_or_insert(indent) {
            continue;
        }
        let Some((key, _)) = inner.split_once(':') else { continue };
        if !visit(key.trim().trim_matches(['"', '\''])) {
            return;
        }
    }
}

fn outermost_of_flow<'t>(text: &'t str, visit: &mut dyn FnMut(&'t str) -> bool) {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut word) = (0, 0usize, None);
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'"' | b'\'' => {
                at = end_of_string(bytes, at, *byte);
                word = Some((start + 1, at.saturating_sub(1)));
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 1 => {
                let key = word.take().and_then(|(from, to)| text.get(from..to));
                if key.is_some_and(|key| !visit(key.trim())) {
                    return;
                }
            }
            b',' => word = None,
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') => {
                while bytes
                    .get(at)
                    .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
                {
                    at += 1;
                }
                word = Some((start, at));
            }
            _ => {}
        }
    }
}

/// The offset behind the closing quote.
fn end_of_string(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match *byte {
            b'\\' if quote == b'"' => at += 1,
            byte if byte == quote => return at,
            _ => {}
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_known_by_its_outermost_members() {
        let descriptions = [
            "openapi: 3.0.0\n",
            "# a\n---\ninfo: {openapi: 1}\nswagger: '2.0'\n",
            "{\"info\": {\"a\": \"}\\\"\"}, \"openapi\": \"3.1.0\"}",
            "{openapi: 3.0.0, info: [}",
            "\u{feff}\"openapi\": 3.0.0\r\ninfo:\r\n",
            "  openapi: 3.0.0\n  info:\n",
        ];
        for text in descriptions {
            assert_eq!(kind_of(text), Some(SourceKind::Openapi), "{text}");
        }
        assert_eq!(kind_of("{\"extra\": 1, \"__schema\": {}}"), Some(SourceKind::Graphql));
        assert_eq!(kind_of("{\"data\": {\"__schema\": {}}}"), Some(SourceKind::Graphql));
    }

    #[test]
    fn other_files_are_none() {
        let others = [
            "",
            "get:\n  description: |\n    openapi: 3.0.0\n",
            "{\"info\": {\"openapi\": 1}}",
            "[{\"openapi\": 1}]",
            "{\"a\": \"openapi\"}",
            "{\"data\": 1}",
        ];
        for text in others {
            assert_eq!(kind_of(text), None, "{text}");
        }
    }
}
