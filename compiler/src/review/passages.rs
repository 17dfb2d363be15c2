//! The words behind an assertion. Looks them up; must not judge what they say.

use provely_document::Node;

use crate::assertion::source_of;
use crate::ingest::{self, Ingested};

/// True if the sources, in any of their versions, hold the assertion: a paragraph of a document, or a place in a tree.
/// Of a source that is neither, only the source itself can be checked.
#[must_use]
pub fn holds(found: &[&Ingested], assertion: &str) -> bool {
    let source = source_of(assertion);
    let known = found.iter().any(|found| found.sources.iter().any(|record| record.id == source));
    let is_there =
        |found: &&Ingested| paragraph(found, assertion).is_some() || place(found, assertion).is_some();
    let has_parts = |found: &&Ingested| {
        let mut trees = (0..found.forest.len()).filter_map(|tree| found.forest.tree(tree));
        trees.any(|tree| tree.source == source) || found.passages.iter().any(|own| own.source == source)
    };
    let checked = found.iter().any(has_parts);
    known && assertion.contains('#') && (!checked || found.iter().any(is_there))
}

fn paragraph<'f>(found: &'f Ingested, assertion: &str) -> Option<&'f ingest::Passage> {
    found.passages.iter().find(|passage| passage.assertion == assertion)
}

/// What an assertion says: a paragraph, or the description of a place in a tree.
#[must_use]
pub fn passage(found: &Ingested, assertion: &str) -> Option<String> {
    if let Some(passage) = paragraph(found, assertion) {
        return Some(on_one_line(&passage.text));
    }
    let node = place(found, assertion)?;
    let described = ["description", "summary", "title"].into_iter().find_map(|name| node.get(name)?.as_str());
    described.or_else(|| node.scalar_text()).map(on_one_line)
}

/// The place in a tree; one in a further file carries the file's name before its pointer.
fn place<'f>(found: &'f Ingested, assertion: &str) -> Option<Node<'f>> {
    let (source, place) = assertion.split_once('#')?;
    let trees = (0..found.forest.len()).filter_map(|tree| found.forest.tree(tree));
    let own = trees.filter(|tree| tree.source == source);
    let mut nodes = own.filter_map(|tree| {
        let pointer = place.strip_prefix(tree.name.as_str()).unwrap_or(place);
        let whole = pointer.is_empty() || pointer.starts_with('/');
        whole.then(|| tree.document.root().at(pointer)).flatten()
    });
    nodes.next()
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
