//! Walks `fixtures/documents`: each `.json`, `.yaml` or `.txt` file (read as JSON, YAML or by content) has
//! a `.tree` (what was read) or an `.error` (the rendered finding) under the same stem.
//! `PROVELY_BLESS=1` rewrites the expectations. Other fixture folders share the walker.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first surprise; helpers of tests stand outside `#[test]`"
)]

mod walk;

use std::fmt::Write;

use provely_document::{Format, Kind, Limits, Node, read};

fn outline(node: Node<'_>, depth: usize, out: &mut String) {
    let place = node.line_col();
    let tag = node.tag().map(|tag| format!(" {tag}")).unwrap_or_default();
    let text = match node.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Bool => format!("bool {}", node.as_bool().unwrap()),
        Kind::Number => format!("number {}", node.number_text().unwrap()),
        Kind::String => format!("string {:?}", node.as_str().unwrap()),
        Kind::Array => format!("array of {}", node.len()),
        Kind::Object => format!("object of {}", node.len()),
    };
    writeln!(out, "{text}{tag} @{}:{}", place.line, place.column).unwrap();
    let indent = "  ".repeat(depth + 1);
    for entry in node.entries() {
        let place = node.document().source().location(entry.key_span.start);
        write!(out, "{indent}{:?} @{}:{} = ", entry.key, place.line, place.column).unwrap();
        outline(entry.value, depth + 1, out);
    }
    for item in node.items() {
        write!(out, "{indent}- ").unwrap();
        outline(item, depth + 1, out);
    }
}

fn tight() -> Limits {
    Limits { depth: 40, alias_expansion: 500, ..Limits::default() }
}

#[test]
fn documents_read_as_expected() {
    walk::each("documents", &["tree", "error"], |name, bytes| {
        let format = match name.rsplit('.').next() {
            Some("json") => Format::Json,
            Some("yaml") => Format::Yaml,
            _ => Format::Auto,
        };
        match read(name, bytes, format, &tight()) {
            Ok(document) => {
                let mut tree = String::new();
                outline(document.root(), 0, &mut tree);
                ("tree", tree)
            }
            Err(finding) => ("error", finding.render(false) + "\n"),
        }
    });
}
