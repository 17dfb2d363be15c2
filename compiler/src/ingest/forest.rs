//! The parsed trees of all structured sources, and references between them. Follows a reference; must not
//! know what it leads to.

use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;

use provely_document::{Diagnostic, Document, Format, Limits, Node, NodeId, Pointer, percent_decoded, read};
use rayon::prelude::*;
use serde::{Serialize, Serializer};

use crate::assertion::{assertion_id, pointer_token};
use crate::source::{SourceFile, SourceKind};

/// One parsed file.
#[derive(Debug)]
pub struct Tree {
    /// Id of its source.
    pub source: String,
    /// What the source is.
    pub kind: SourceKind,
    /// Name of the file, relative to the folder.
    pub name: String,
    /// Its content.
    pub document: Document,
    /// Anchors and addresses that it gives to its parts, read when first asked for.
    names: OnceLock<BTreeMap<String, (NodeId, String)>>,
}

/// All parsed files of a service.
#[derive(Debug, Default)]
pub struct Forest {
    trees: Vec<Tree>,
    by_name: BTreeMap<String, usize>,
    /// Types of the vendor's SDK by their names, read when first asked for.
    types: OnceLock<BTreeMap<String, (usize, String)>>,
}

/// The place of a node; prints as its assertion id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRef {
    /// Index of the tree.
    pub tree: usize,
    /// The node.
    pub node: NodeId,
    /// Its pointer within the tree.
    pub pointer: String,
    /// Assertion id of the place.
    pub assertion: String,
}

impl Serialize for NodeRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.assertion)
    }
}

/// A node with the tree that it stands in and its pointer there.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// Index of the tree.
    pub tree: usize,
    /// The node.
    pub node: Node<'a>,
    /// Its pointer.
    pub pointer: String,
}

/// Most references in a row.
const MOST_HOPS: usize = 64;

impl Forest {
    /// Parses the structured sources, on as many threads as there are.
    ///
    /// # Errors
    /// The findings of all files that are malformed, in the order of the files.
    pub fn plant(files: &[SourceFile]) -> Result<Self, Vec<Diagnostic>> {
        let structured = |file: &&SourceFile| file.kind != SourceKind::Docs;
        let grown: Vec<Result<Tree, Diagnostic>> = files.par_iter().filter(structured).map(grow).collect();
        let mut forest = Self::default();
        let mut findings = Vec::new();
        for tree in grown {
            match tree {
                Ok(tree) => {
                    forest.by_name.entry(tree.name.clone()).or_insert(forest.trees.len());
                    forest.trees.push(tree);
                }
                Err(finding) => findings.push(finding),
            }
        }
        if findings.is_empty() { Ok(forest) } else { Err(findings) }
    }

    /// How many trees there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// True if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// A tree.
    #[must_use]
    pub fn tree(&self, index: usize) -> Option<&Tree> {
        self.trees.get(index)
    }

    /// What the source of a tree is.
    #[must_use]
    pub fn kind(&self, index: usize) -> Option<SourceKind> {
        self.trees.get(index).map(|tree| tree.kind)
    }

    /// The outermost node of a tree.
    #[must_use]
    pub fn root(&self, index: usize) -> Option<Place<'_>> {
        let tree = self.trees.get(index)?;
        Some(Place { tree: index, node: tree.document.root(), pointer: String::new() })
    }

    /// The node of a place.
    #[must_use]
    pub fn node(&self, place: &NodeRef) -> Option<Node<'_>> {
        self.trees.get(place.tree)?.document.node(place.node)
    }

    /// The assertion id of a pointer into a tree. Parts of a description carry their file's name.
    #[must_use]
    pub fn assertion(&self, tree: usize, pointer: &str) -> String {
        match self.trees.get(tree) {
            Some(Tree { kind: SourceKind::OpenapiPart, source, name, .. }) => {
                assertion_id(source, &format!("{name}{pointer}"))
            }
            Some(tree) if tree.kind == SourceKind::SdkTypes => {
                assertion_id(&tree.source, &super::sdk::place_name(pointer))
            }
            Some(tree) if tree.kind == SourceKind::Graphql => {
                assertion_id(&tree.source, &super::graphql::place_name(&tree.document, pointer))
            }
            Some(tree) => assertion_id(&tree.source, pointer),
            None => assertion_id("", pointer),
        }
    }

    /// Follows one reference that stands in a tree: a pointer or an anchor, in this file or another one.
    #[must_use]
    pub fn follow(&self, tree: usize, reference: &str) -> Option<Place<'_>> {
        let (file, fragment) = reference.split_at(reference.find('#').unwrap_or(reference.len()));
        let base = if file.is_empty() {
            self.root(tree)?
        } else {
            match self.file(tree, file) {
                Some(target) => self.root(target)?,
                None => self.named(tree, file)?,
            }
        };
        let Ok(pointer) = Pointer::parse_fragment(if fragment.is_empty() { "#" } else { fragment }) else {
            return self.named(base.tree, fragment);
        };
        match base.node.resolve(&pointer) {
            Ok(node) => Some(Place { node, pointer: format!("{}{pointer}", base.pointer), ..base }),
            Err(_) if fragment == "#/" => Some(base),
            Err(_) => None,
        }
    }

    /// Types of the vendor's SDK by their names: the tree and the pointer of each.
    pub(super) fn types(&self) -> &BTreeMap<String, (usize, String)> {
        self.types.get_or_init(|| super::sdk::index(self))
    }

    /// What a description calls by an anchor (`#name`) or by an address of its own (`$id`, `$self`).
    fn named(&self, tree: usize, name: &str) -> Option<Place<'_>> {
        let own = self.trees.get(tree)?;
        let (node, pointer) = own.names.get_or_init(|| names(&own.document)).get(name)?;
        Some(Place { tree, node: own.document.node(*node)?, pointer: pointer.clone() })
    }

    /// The tree of a file that is named from another one.
    pub(crate) fn file(&self, from: usize, name: &str) -> Option<usize> {
        let base = &self.trees.get(from)?.name;
        self.by_name.get(&beside(base, name)?).copied()
    }

    /// Follows `$ref`s until something else stands there. Cycles and what leads nowhere end where they are.
    #[must_use]
    pub fn resolve<'a>(&'a self, place: Place<'a>) -> Place<'a> {
        let mut place = place;
        for _ in 0..MOST_HOPS {
            let reference = place.node.get("$ref").and_then(Node::as_str);
            let Some(next) = reference.and_then(|reference| self.follow(place.tree, reference)) else {
                break;
            };
            place = next;
        }
        place
    }
}

impl Place<'_> {
    /// This place in a form that can be kept.
    #[must_use]
    pub fn keep(&self, forest: &Forest) -> NodeRef {
        NodeRef {
            tree: self.tree,
            node: self.node.id(),
            pointer: self.pointer.clone(),
            assertion: forest.assertion(self.tree, &self.pointer),
        }
    }
}

fn grow(file: &SourceFile) -> Result<Tree, Diagnostic> {
    let document = match file.kind {
        SourceKind::Graphql => super::graphql::grow(&file.name, &file.text)?,
        SourceKind::SdkTypes => super::sdk::grow(&file.name, &file.text)?,
        SourceKind::Openapi | SourceKind::OpenapiPart | SourceKind::Docs | SourceKind::EventSample => {
            read(&file.name, file.text.as_str(), Format::Auto, &Limits::default())?
        }
    };
    let (source, name) = (file.id.clone(), file.name.clone());
    Ok(Tree { source, kind: file.kind, name, document, names: OnceLock::new() })
}

/// The anchors and addresses of a document; of several with one name the first counts.
fn names(document: &Document) -> BTreeMap<String, (NodeId, String)> {
    let mut names = BTreeMap::new();
    let mut seen = HashSet::new();
    let mut stack = vec![(document.root(), String::new())];
    while let Some((node, pointer)) = stack.pop() {
        if !seen.insert(node.id()) {
            continue;
        }
        let text = |key: &str| node.get(key).and_then(Node::as_str);
        let anchors =
            ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text).map(|name| format!("#{name}"));
        let addresses = ["$id", "$self"].into_iter().filter_map(text);
        for name in anchors.chain(addresses.map(|name| name.trim_end_matches('#').to_owned())) {
            names.entry(name).or_insert_with(|| (node.id(), pointer.clone()));
        }
        let members = node.entries().map(|entry| (entry.value, pointer_token(entry.key)));
        let items = node.items().enumerate().map(|(index, item)| (item, format!("/{index}")));
        let below: Vec<_> =
            members.chain(items).map(|(node, token)| (node, format!("{pointer}{token}"))).collect();
        stack.extend(below.into_iter().rev());
    }
    names
}

/// The name of a file as seen from the folder, given how another file there names it. `None` for what
/// leads out of the folder, has a scheme or is absolute.
pub(crate) fn beside(base: &str, name: &str) -> Option<String> {
    let name = percent_decoded(name);
    // A scheme may come without slashes, and a drive's letter looks like one.
    let scheme = name.split('/').next().is_some_and(|first| first.contains(':'));
    if scheme || name.starts_with('/') || name.contains(['\\', '\0']) {
        return None;
    }
    let mut parts: Vec<&str> = base.split('/').collect();
    parts.pop();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn names_stay_inside_the_folder() {
        assert_eq!(beside("api/root.yaml", "../schemas/a.yaml").as_deref(), Some("schemas/a.yaml"));
        assert_eq!(beside("root.yaml", "./a/b.yaml").as_deref(), Some("a/b.yaml"));
        for outside in [
            "../../etc/passwd",
            "http://169.254.169.254/x",
            "file:///proc/self",
            "/etc/passwd",
            "file:/etc/passwd",
            "..%2f..%2fetc/passwd",
            "%2Fetc",
            "C:\\a",
        ] {
            assert_eq!(beside("root.yaml", outside), None);
        }
    }
}
