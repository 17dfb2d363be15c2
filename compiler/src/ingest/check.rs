//! Walks a description once: reports every reference that leads nowhere, and counts odd keywords. Must not look
//! into anything that is only an example.

use std::collections::{BTreeSet, HashSet};

use provely_document::{Diagnostic, Document, Kind, Node, Pointer, code};

use super::forest::{Forest, beside};
use super::oddity::{Oddities, Oddity};
use crate::assertion::pointer_token;
use crate::source::SourceKind;
use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// A `$ref` leads to a file that is not among the sources.
pub const MISSING_FILE: &str = "ingest/missing-file";
/// A `$ref` leads out of the folder of the sources or into the network.
pub const OUTSIDE: &str = "ingest/outside-folder";
/// A `$ref` is not written as a reference.
pub const BAD_REFERENCE: &str = "ingest/bad-reference";

/// Of this many references one may lead nowhere in a file that is there. In a published description of
/// thousands nobody who reads it can mend the one; in a small file it is a slip that its author wants to see.
const REFERENCES_FOR_ONE_DANGLING: usize = 50;

/// Findings about all references of all descriptions, and questions about those to files of prose and the few
/// that lead nowhere. Each target is reported once, where it is first named.
pub(super) fn check(forest: &Forest) -> (Vec<Diagnostic>, Vec<Uncertainty>, Oddities) {
    let mut oddities = Oddities::default();
    let mut findings = Vec::new();
    let mut odd = Vec::new();
    let mut dangling = Vec::new();
    let mut count = 0;
    for index in 0..forest.len() {
        let (Some(tree), Some(SourceKind::Openapi | SourceKind::OpenapiPart)) =
            (forest.tree(index), forest.kind(index))
        else {
            continue;
        };
        let mut seen = BTreeSet::new();
        let modern = is_modern(forest, &tree.source);
        walk(tree.document.root(), &mut |member, beside_reference, node| match member {
            "$ref" => {
                let Some(reference) = node.as_str().filter(|reference| seen.insert(*reference)) else {
                    return;
                };
                count += 1;
                if is_prose(reference) && forest.follow(index, reference).is_none() {
                    odd.push(prose(&tree.name, reference));
                } else if let Some(finding) = fault(forest, index, reference, node) {
                    if matches!(finding.code, code::POINTER_UNRESOLVED | BAD_REFERENCE) {
                        dangling.push((index, reference, node, finding));
                    } else {
                        findings.push(finding);
                    }
                }
            }
            "nullable" if node.as_bool().is_some() && modern => {
                oddities.note(Oddity::NullableBeyondItsTime, index, node);
            }
            "nullable" if node.as_bool().is_some() && beside_reference => {
                oddities.note(Oddity::NullableBesideReference, index, node);
            }
            "enum" => values(&mut oddities, index, node),
            _ => {}
        });
    }
    if dangling.len() * REFERENCES_FOR_ONE_DANGLING <= count {
        let asked =
            dangling.into_iter().map(|(tree, reference, node, _)| nowhere(forest, tree, reference, node));
        odd.extend(asked);
    } else {
        findings.extend(dangling.into_iter().map(|(_, _, _, finding)| finding));
    }
    (findings, odd, oddities)
}

/// True if the description of a source follows OpenAPI 3.1 or later.
fn is_modern(forest: &Forest, source: &str) -> bool {
    let mut roots = (0..forest.len()).filter_map(|index| forest.tree(index));
    let root = roots.find(|tree| tree.kind == SourceKind::Openapi && tree.source == source);
    let version = root.and_then(|tree| tree.document.root().get("openapi")?.scalar_text());
    version.is_some_and(|version| version.starts_with("3.") && !version.starts_with("3.0"))
}

fn values(oddities: &mut Oddities, tree: usize, list: Node<'_>) {
    let mut seen = HashSet::new();
    let mut kinds = HashSet::new();
    for value in list.items().filter(|value| !value.is_null()) {
        kinds.insert(value.kind());
        if value.scalar_text().is_some_and(|text| !seen.insert((value.kind(), text))) {
            oddities.note(Oddity::SameValue, tree, value);
        }
    }
    if kinds.len() > 1 || kinds.contains(&Kind::Array) || kinds.contains(&Kind::Object) {
        oddities.note(Oddity::MixedValues, tree, list);
    }
}

fn prose(file: &str, reference: &str) -> Uncertainty {
    let question = format!("`{reference}` is a file of prose and is not read. Does it matter?");
    Uncertainty::new(UncertaintyKind::Input, format!("{file}:{reference}"), question)
}

/// The question about a reference that leads nowhere. It binds what rests on the place where it stands.
fn nowhere(forest: &Forest, tree: usize, reference: &str, node: Node<'_>) -> Uncertainty {
    let at = node.line_col();
    let (file, line, column) = (node.document().name(), at.line, at.column);
    let question = format!(
        "`{reference}` at {file}:{line}:{column} leads nowhere; nothing was read for it. What is missing?"
    );
    let subject = format!("{file}:{reference}");
    let seen = forest.tree(tree).and_then(|tree| place_of(tree.document.root(), node));
    let seen = seen.map(|pointer| forest.assertion(tree, &pointer));
    Uncertainty::new(UncertaintyKind::Input, subject, question).with_assertions(seen.into_iter().collect())
}

/// The pointer of the object that a member stands in.
fn place_of(root: Node<'_>, member: Node<'_>) -> Option<String> {
    let mut seen = HashSet::new();
    let mut stack = vec![(root, String::new())];
    while let Some((node, pointer)) = stack.pop() {
        if !seen.insert(node.id()) {
            continue;
        }
        for entry in node.entries() {
            if entry.value.id() == member.id() {
                return Some(pointer);
            }
            stack.push((entry.value, format!("{pointer}{}", pointer_token(entry.key))));
        }
        stack.extend(node.items().enumerate().map(|(index, item)| (item, format!("{pointer}/{index}"))));
    }
    None
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
    walk(document.root(), &mut |member, _, node| {
        let Some(reference) = node.as_str().filter(|_| member == "$ref") else { return };
        let file = reference.split('#').next().unwrap_or_default();
        if !file.is_empty() && !is_prose(reference) {
            names.extend(beside(document.name(), file));
        }
    });
    names
}

/// What is wrong with a reference, if it leads nowhere.
fn fault(forest: &Forest, tree: usize, reference: &str, node: Node<'_>) -> Option<Diagnostic> {
    if forest.follow(tree, reference).is_some() {
        return None;
    }
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
    match Pointer::parse_fragment(if fragment.is_empty() { "#" } else { fragment }) {
        Ok(pointer) => Some(forest.tree(target)?.document.root().resolve(&pointer).err()?.at(node)),
        Err(reason) => {
            let message = format!("`{reference}` names no anchor, and is no pointer: {reason}");
            Some(Diagnostic::error(BAD_REFERENCE, source, node.span(), message))
        }
    }
}

/// Members that hold values rather than descriptions.
pub(super) const VALUES: [&str; 5] = ["default", "enum", "const", "example", "examples"];
/// Members whose own members are named by the author.
pub(super) const NAMED: [&str; 8] = [
    "properties",
    "schemas",
    "parameters",
    "responses",
    "headers",
    "definitions",
    "patternProperties",
    "$defs",
];

/// Members that vendors add and whose references count.
const READ_EXTENSIONS: [&str; 1] = ["x-webhooks"];

/// Calls `visit` with every member that the format defines, outside of examples and vendor extensions: its
/// name, whether it stands beside `$ref`, and its value. In source order, each node once however many aliases
/// lead to it.
fn walk<'a>(root: Node<'a>, visit: &mut dyn FnMut(&'a str, bool, Node<'a>)) {
    let mut seen = HashSet::new();
    let mut stack = vec![(root, false)];
    while let Some((node, named)) = stack.pop() {
        if !seen.insert(node.id()) {
            continue;
        }
        let mut below: Vec<_> = node.items().map(|item| (item, false)).collect();
        let beside_reference = !named && node.get("$ref").is_some_and(|value| value.as_str().is_some());
        for entry in node.entries() {
            if !named {
                visit(entry.key, beside_reference, entry.value);
            }
            let foreign = entry.key.starts_with("x-") && !READ_EXTENSIONS.contains(&entry.key);
            let value = !named && (VALUES.contains(&entry.key) || foreign);
            if !value && matches!(entry.value.kind(), Kind::Array | Kind::Object) {
                below.push((entry.value, !named && NAMED.contains(&entry.key)));
            }
        }
        stack.extend(below.into_iter().rev());
    }
}
