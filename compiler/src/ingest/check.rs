//! Walks a description once and reports every reference that leads nowhere. Must not resolve anything that
//! is only an example.

use std::collections::{BTreeSet, HashSet};

use provely_document::{Diagnostic, Document, Kind, Node, Pointer};

use super::forest::{Forest, beside};
use crate::source::SourceKind;
use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// A `$ref` leads to a file that is not among the sources.
pub const MISSING_FILE: &str = "ingest/missing-file";
/// A `$ref` leads out of the folder of the sources or into the network.
pub const OUTSIDE: &str = "ingest/outside-folder";
/// A `$ref` is not written as a reference.
pub const BAD_REFERENCE: &str = "ingest/bad-reference";

/// Findings about all references of all descriptions, and questions about those to files of prose. Each
/// target is reported once, where it is first named.
pub(super) fn check(forest: &Forest) -> (Vec<Diagnostic>, Vec<Uncertainty>) {
    let mut findings = Vec::new();
    let mut odd = Vec::new();
    for index in 0..forest.len() {
        let (Some(tree), Some(SourceKind::Openapi | SourceKind::OpenapiPart)) =
            (forest.tree(index), forest.kind(index))
        else {
            continue;
        };
        let mut seen = BTreeSet::new();
        references(tree.document.root(), &mut |reference, node| {
            if !seen.insert(reference) {
                return;
            }
            if is_prose(reference) {
                let question = format!("`{reference}` is a file of prose and is not read. Does it matter?");
                odd.push(Uncertainty::new(
                    UncertaintyKind::Input,
                    format!("{}:{reference}", tree.name),
                    question,
                ));
            } else {
                findings.extend(fault(forest, index, reference, node));
            }
        });
    }
    (findings, odd)
}

/// A reference to a text that some tools paste into a description.
fn is_prose(reference: &str) -> bool {
    let file = reference.split('#').next().unwrap_or_default().to_ascii_lowercase();
    [".md", ".txt", ".html"].iter().any(|ending| file.ends_with(ending))
}

/// The files that a description refers to, as names relative to the folder; those outside are left out.
#[must_use]
pub fn file_references(document: &Document) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    references(document.root(), &mut |reference, _| {
        let file = reference.split('#').next().unwrap_or_default();
        if !file.is_empty() && !is_prose(reference) {
            names.extend(beside(document.name(), file));
        }
    });
    names
}

fn fault(forest: &Forest, tree: usize, reference: &str, node: Node<'_>) -> Option<Diagnostic> {
    let (file, fragment) = reference.split_at(reference.find('#').unwrap_or(reference.len()));
    let source = node.document().source();
    let target = if file.is_empty() {
        tree
    } else if beside(&forest.tree(tree)?.name, file).is_none() {
        let message = format!("`{file}` lies outside the folder of the sources and is not read");
        let help = "copy the file beside this one and name it by a relative path";
        return Some(Diagnostic::error(OUTSIDE, source, node.span(), message).with_help(help));
    } else {
        match forest.file(tree, file) {
            Some(target) => target,
            None => {
                let message = format!("the file `{file}` is not among the sources");
                let help = "put the file where the reference names it";
                return Some(Diagnostic::error(MISSING_FILE, source, node.span(), message).with_help(help));
            }
        }
    };
    let pointer = match Pointer::parse_fragment(if fragment.is_empty() { "#" } else { fragment }) {
        Ok(pointer) => pointer,
        Err(reason) => {
            let message = format!("`{reference}` is no reference: {reason}");
            return Some(Diagnostic::error(BAD_REFERENCE, source, node.span(), message));
        }
    };
    let root = forest.tree(target)?.document.root();
    let error = root.resolve(&pointer).err()?;
    Some(error.at(node))
}

/// Members that hold values rather than descriptions.
const VALUES: [&str; 5] = ["default", "enum", "const", "example", "examples"];
/// Members whose own members are named by the author.
const NAMED: [&str; 7] =
    ["properties", "schemas", "parameters", "responses", "headers", "definitions", "patternProperties"];

/// Calls `visit` with every `$ref` outside of examples and vendor extensions, in source order, each node
/// once however many aliases lead to it.
fn references<'a>(root: Node<'a>, visit: &mut dyn FnMut(&'a str, Node<'a>)) {
    let mut seen = HashSet::new();
    let mut stack = vec![(root, false)];
    while let Some((node, named)) = stack.pop() {
        if !seen.insert(node.id()) {
            continue;
        }
        match node.kind() {
            Kind::Array => {
                let items: Vec<_> = node.items().collect();
                stack.extend(items.into_iter().rev().map(|item| (item, false)));
            }
            Kind::Object => {
                let mut below = Vec::new();
                for entry in node.entries() {
                    if let ("$ref", Some(text), false) = (entry.key, entry.value.as_str(), named) {
                        visit(text, entry.value);
                    }
                    let value = !named && (VALUES.contains(&entry.key) || entry.key.starts_with("x-"));
                    if !value && matches!(entry.value.kind(), Kind::Array | Kind::Object) {
                        below.push((entry.value, !named && NAMED.contains(&entry.key)));
                    }
                }
                stack.extend(below.into_iter().rev());
            }
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => {}
        }
    }
}
