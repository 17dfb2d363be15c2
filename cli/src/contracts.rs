//! Contract files: read, checked against the load rules, every fault at its place in the file.

use crate::failure::Failure;
use crate::files;
use provely_document::{Diagnostic, Document, Node, Span, from_node};
use provely_evaluator::contract::Contract;
use provely_evaluator::load::{LoadError, Program};
use std::path::Path;

/// Reads and checks a contract.
///
/// # Errors
/// A syntax error, a member that does not fit, or every broken load rule, each with its place.
pub fn load(path: &Path) -> Result<Program, Failure> {
    let document = files::document(path)?;
    let contract: Contract = from_node(document.root())?;
    Program::load(contract).map_err(|errors| located(&document, errors))
}

fn located(document: &Document, errors: Vec<LoadError>) -> Failure {
    let findings: Vec<Diagnostic> = errors
        .into_iter()
        .map(|error| {
            let span = place(document.root(), &error.path);
            let message = if error.path.is_empty() {
                error.message
            } else {
                format!("at `{}`: {}", error.path, error.message)
            };
            let finding = Diagnostic::error(error.code, document.source(), span, message);
            match error.help {
                Some(help) => finding.with_help(help),
                None => finding,
            }
        })
        .collect();
    findings.into()
}

/// The span that a path such as `completion.all_of[1].operator` leads to, as far as it leads.
fn place(root: Node<'_>, path: &str) -> Span {
    let mut at = (root, spot(root));
    for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
        let Some(next) = descend(at.0, step) else { break };
        at = next;
    }
    at.1
}

fn descend<'n>(node: Node<'n>, step: &str) -> Option<(Node<'n>, Span)> {
    if let Some(index) = step.strip_suffix(']') {
        let item = node.item(index.parse().ok()?)?;
        return Some((item, spot(item)));
    }
    let entry = node.entry(step)?;
    let span = if is_container(entry.value) { entry.key_span } else { entry.value.span() };
    Some((entry.value, span))
}

/// Where a value begins to be itself: a scalar, or the first key of an object.
fn spot(node: Node<'_>) -> Span {
    node.entries().next().map(|entry| entry.key_span).unwrap_or_else(|| match node.items().next() {
        Some(item) if is_container(node) => spot(item),
        _ => node.span(),
    })
}

fn is_container(node: Node<'_>) -> bool {
    node.as_str().is_none() && node.scalar_text().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use provely_document::{Format, Limits, read};

    #[test]
    fn paths_lead_to_the_nearest_place_that_there_is() {
        let text = "a:\n  b:\n    - c: 1\n    - c: 2\n      d: {}\n";
        let document = read("x", text, Format::Yaml, &Limits::default()).unwrap();
        let at = |path: &str| text.get(place(document.root(), path).range()).unwrap();
        assert_eq!(at("a.b[1].c"), "2");
        assert_eq!(at("a.b[0]"), "c");
        assert_eq!(at("a.b[1].d"), "d");
        assert_eq!(at("a.b[1].operator"), "c");
        assert_eq!(at("a.b"), "b");
        assert_eq!(at("missing"), "a");
        assert_eq!(at(""), "a");
    }
}
