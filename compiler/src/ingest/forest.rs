//! The parsed trees of all structured sources, and references between them. Follows a reference; must not
//! know what it leads to.

use std::collections::BTreeMap;

use provely_document::{Diagnostic, Document, Format, Limits, Node, NodeId, Pointer, read};
use rayon::prelude::*;
use serde::{Serialize, Serializer};

use crate::assertion::assertion_id;
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
}

/// All parsed files of a service.
#[derive(Debug, Default)]
pub struct Forest {
    trees: Vec<Tree>,
    by_name: BTreeMap<String, usize>,
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
        let structured = |file: &&SourceFile| !matches!(file.kind, SourceKind::Docs | SourceKind::Graphql);
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
            Some(tree) if tree.kind == SourceKind::Graphql => {
                assertion_id(&tree.source, &super::graphql::place_name(&tree.document, pointer))
            }
            Some(tree) => assertion_id(&tree.source, pointer),
            None => assertion_id("", pointer),
        }
    }

    /// Follows one reference that stands in a tree.
    #[must_use]
    pub fn follow(&self, tree: usize, reference: &str) -> Option<Place<'_>> {
        let (file, fragment) = reference.split_at(reference.find('#').unwrap_or(reference.len()));
        let target = if file.is_empty() { tree } else { self.file(tree, file)? };
        let pointer = Pointer::parse_fragment(if fragment.is_empty() { "#" } else { fragment }).ok()?;
        let node = self.trees.get(target)?.document.root().resolve(&pointer).ok()?;
        Some(Place { tree: target, node, pointer: pointer.to_string() })
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
        SourceKind::Openapi | SourceKind::OpenapiPart | SourceKind::Docs | SourceKind::EventSample => {
            read(&file.name, file.text.as_str(), Format::Auto, &Limits::default())?
        }
    };
    Ok(Tree { source: file.id.clone(), kind: file.kind, name: file.name.clone(), document })
}

/// The name of a file as seen from the folder, given how another file there names it. `None` for what
/// leads out of the folder, has a scheme or is absolute.
pub(crate) fn beside(base: &str, name: &str) -> Option<String> {
    if name.contains("://") || name.starts_with('/') || name.contains('\\') {
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
        for outside in ["../../etc/passwd", "http://169.254.169.254/x", "file:///proc/self", "/etc/passwd"] {
            assert_eq!(beside("root.yaml", outside), None);
        }
    }
}
