//! A view of a JSON Schema that follows references as they are met. Must not build the whole schema: cycles
//! are ordinary.

use std::collections::HashSet;

use provely_document::{Kind, Node, NodeId};

use super::forest::{Forest, NodeRef, Place};
use crate::assertion::pointer_token;
use crate::source::SourceKind;

/// A schema with its references followed.
#[derive(Debug, Clone)]
pub struct Schema<'a> {
    forest: &'a Forest,
    /// Where the schema itself stands, behind all references.
    place: Place<'a>,
    /// Where it was named, if by reference: keywords beside `$ref` count.
    outer: Option<Node<'a>>,
    /// Pointer of the place where it was named.
    named_at: Option<(usize, String)>,
}

/// A property of an object schema.
#[derive(Debug, Clone)]
pub struct Property<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its schema.
    pub schema: Schema<'a>,
    /// It is always there.
    pub required: bool,
}

/// Keywords that say that null fits: of OpenAPI 3.0, and what Swagger 2.0 writes instead.
pub(super) const NULLABLE: [&str; 2] = ["nullable", "x-nullable"];
/// Deepest composition (`allOf`, `oneOf`, `anyOf`) that is looked into for properties.
const MOST_DEPTH: usize = 12;

impl<'a> Schema<'a> {
    /// The schema at a kept place.
    #[must_use]
    pub fn at(forest: &'a Forest, place: &NodeRef) -> Option<Self> {
        let node = forest.node(place)?;
        Some(Self::of(forest, Place { tree: place.tree, node, pointer: place.pointer.clone() }))
    }

    /// The schema at a place.
    pub(crate) fn of(forest: &'a Forest, place: Place<'a>) -> Self {
        if place.node.get("$ref").and_then(Node::as_str).is_none() {
            return Self { forest, place, outer: None, named_at: None };
        }
        let outer = Some(place.node);
        let named_at = Some((place.tree, place.pointer.clone()));
        Self { forest, place: forest.resolve(place), outer, named_at }
    }

    /// Identity of the schema behind all references, to notice cycles.
    #[must_use]
    pub fn identity(&self) -> (usize, NodeId) {
        (self.place.tree, self.place.node.id())
    }

    /// Its place in a form that can be kept.
    #[must_use]
    pub fn keep(&self) -> NodeRef {
        self.place.keep(self.forest)
    }

    /// JSON pointer of the schema behind all references.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.place.pointer
    }

    /// Assertion id of the schema behind all references.
    #[must_use]
    pub fn assertion(&self) -> String {
        self.forest.assertion(self.place.tree, &self.place.pointer)
    }

    /// Assertion id of the place where it was named: a property, say, rather than the schema that the
    /// property refers to.
    #[must_use]
    pub fn named_assertion(&self) -> String {
        match &self.named_at {
            Some((tree, pointer)) => self.forest.assertion(*tree, pointer),
            None => self.assertion(),
        }
    }

    /// Name under which the schema stands among the named ones, if it does; for a file of its own its stem.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        let pointer = &self.place.pointer;
        let rest =
            pointer.strip_prefix("/components/schemas/").or_else(|| pointer.strip_prefix("/definitions/"));
        match rest {
            Some(name) if !name.contains('/') => Some(name.replace("~1", "/").replace("~0", "~")),
            Some(_) => None,
            None if pointer.is_empty() => {
                let file = self.forest.tree(self.place.tree)?.name.rsplit('/').next()?.to_owned();
                file.split('.').next().map(str::to_owned)
            }
            None => None,
        }
    }

    /// A keyword of the schema behind all references.
    #[must_use]
    pub fn keyword(&self, name: &str) -> Option<Node<'a>> {
        self.place.node.get(name)
    }

    /// A keyword beside the reference, else behind it.
    #[must_use]
    pub fn beside(&self, name: &str) -> Option<Node<'a>> {
        self.outer.and_then(|node| node.get(name)).or_else(|| self.place.node.get(name))
    }

    /// The node where the schema was named: that of a property, say, rather than of what it refers to.
    pub(crate) fn named_node(&self) -> Node<'a> {
        self.outer.unwrap_or(self.place.node)
    }

    /// Its vendor members, with their names.
    pub fn vendor_members(&self) -> impl Iterator<Item = (&'a str, Node<'a>)> {
        let entries = self.place.node.entries();
        entries.filter(|entry| entry.key.starts_with("x-")).map(|entry| (entry.key, entry.value))
    }

    /// The description: the one beside the reference first.
    #[must_use]
    pub fn description(&self) -> Option<&'a str> {
        let text = |node: Node<'a>| node.get("description").and_then(Node::as_str);
        self.outer.and_then(text).or_else(|| text(self.place.node))
    }

    /// All descriptions with the assertion of each: beside the reference, behind it, and in the vendor's SDK.
    #[must_use]
    pub fn descriptions(&self) -> Vec<(String, &'a str)> {
        let text = |node: Node<'a>| node.get("description").and_then(Node::as_str);
        let outer = self.outer.and_then(text).map(|text| (self.named_assertion(), text));
        let inner = text(self.place.node).map(|text| (self.assertion(), text));
        let mut said: Vec<(String, &'a str)> = outer.into_iter().chain(inner).collect();
        let typed =
            self.counterpart().and_then(|schema| Some((schema.named_assertion(), schema.description()?)));
        // Types are often written from the description itself.
        let fresh = typed.filter(|(_, text)| !said.iter().any(|(_, known)| known == text));
        said.extend(fresh);
        said
    }

    /// Its types, `null` left out.
    #[must_use]
    pub fn types(&self) -> Vec<&'a str> {
        if self.is_form() {
            return vec!["object"];
        }
        let Some(node) = self.keyword("type") else { return Vec::new() };
        let listed = node.items().filter_map(Node::as_str);
        node.as_str().into_iter().chain(listed).filter(|name| *name != "null").collect()
    }

    /// True if nothing but null fits.
    #[must_use]
    pub fn nothing(&self) -> bool {
        let listed =
            self.keyword("enum").is_some_and(|node| !node.is_empty() && node.items().all(Node::is_null));
        listed || self.keyword("type").and_then(Node::as_str) == Some("null")
    }

    /// True if null is among what it allows: `nullable`, a type array, or a variant of type null.
    #[must_use]
    pub fn nullable(&self) -> bool {
        let flag = |node: Node<'a>| {
            let stated = NULLABLE.iter().filter_map(|key| node.get(key)?.as_bool());
            stated.into_iter().any(|nullable| nullable)
        };
        let listed =
            self.keyword("type").is_some_and(|node| node.items().any(|item| item.as_str() == Some("null")));
        let value = self.keyword("enum").is_some_and(|node| node.items().any(Node::is_null));
        let variant = || {
            ["oneOf", "anyOf"]
                .iter()
                .filter_map(|key| self.keyword(key))
                .any(|list| list.items().any(|item| item.get("type").and_then(Node::as_str) == Some("null")))
        };
        self.outer.is_some_and(flag) || flag(self.place.node) || listed || value || variant()
    }

    /// The values that it fixes (`enum`, `const`, or variants that each fix some), as text, null left out; where
    /// there are none, those that the vendor's SDK states.
    #[must_use]
    pub fn values(&self) -> Vec<String> {
        let mut values = Vec::new();
        self.collect_values(&mut values, &mut HashSet::new(), MOST_DEPTH);
        if values.is_empty()
            && let Some(typed) = self.counterpart()
        {
            typed.collect_values(&mut values, &mut HashSet::new(), MOST_DEPTH);
        }
        values
    }

    /// The type of the same name in the vendor's SDK: of a named schema, or of a property of one.
    fn counterpart(&self) -> Option<Self> {
        let (tree, pointer) = match &self.named_at {
            Some((tree, pointer)) => (*tree, pointer),
            None => (self.place.tree, &self.place.pointer),
        };
        if self.forest.types().is_empty() || self.forest.kind(tree) == Some(SourceKind::SdkTypes) {
            return None;
        }
        super::sdk::counterpart(self.forest, pointer)
    }

    fn collect_values(&self, values: &mut Vec<String>, seen: &mut HashSet<(usize, NodeId)>, depth: usize) {
        if depth == 0 || !seen.insert(self.identity()) {
            return;
        }
        let scalar = |node: Node<'a>| if node.is_null() { None } else { node.scalar_text() };
        let listed = self.keyword("enum").into_iter().flat_map(Node::items).filter_map(scalar);
        for value in listed.chain(self.keyword("const").and_then(scalar)) {
            if !values.iter().any(|known| known == value) {
                values.push(value.to_owned());
            }
        }
        for variant in self.variants().into_iter().chain(self.all_of()) {
            variant.collect_values(values, seen, depth - 1);
        }
    }

    /// The variants of `oneOf` and `anyOf`.
    #[must_use]
    pub fn variants(&self) -> Vec<Self> {
        self.list("oneOf").into_iter().chain(self.list("anyOf")).collect()
    }

    /// The parts of `allOf`.
    #[must_use]
    pub fn all_of(&self) -> Vec<Self> {
        self.list("allOf")
    }

    /// The schema of array items.
    #[must_use]
    pub fn items(&self) -> Option<Self> {
        self.child("items").or_else(|| self.all_of().iter().find_map(|part| part.child("items")))
    }

    /// True if it takes keys that it does not name.
    #[must_use]
    pub fn takes_free_keys(&self) -> bool {
        self.keyword("additionalProperties")
            .is_some_and(|node| node.as_bool() == Some(true) || node.kind() == Kind::Object)
    }

    /// The properties of an object, its own first, then those of its `allOf` parts; where there are none,
    /// those of its variants. In source order, each name once.
    #[must_use]
    pub fn properties(&self) -> Vec<Property<'a>> {
        let mut found = Properties::default();
        self.collect_properties(&mut found, true, MOST_DEPTH);
        let Properties { list, required, .. } = found;
        list.into_iter()
            .map(|(name, schema)| Property { required: required.contains(name), name, schema })
            .collect()
    }

    /// The property of that name.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<Property<'a>> {
        self.properties().into_iter().find(|property| property.name == name)
    }

    fn collect_properties(&self, found: &mut Properties<'a>, required: bool, depth: usize) {
        if depth == 0 || !found.seen.insert(self.identity()) {
            return;
        }
        if self.is_form() {
            return self.collect_fields(found);
        }
        if required {
            let names = self.keyword("required").into_iter().flat_map(Node::items).filter_map(Node::as_str);
            found.required.extend(names);
        }
        if let Some(properties) = self.keyword("properties") {
            for entry in properties.entries() {
                if found.names.insert(entry.key) {
                    found.list.push((entry.key, self.below("properties", entry.key, entry.value)));
                }
            }
        }
        for part in self.all_of() {
            part.collect_properties(found, required, depth - 1);
        }
        if found.list.is_empty() {
            for variant in self.variants() {
                variant.collect_properties(found, false, depth - 1);
            }
        }
    }

    /// True for the fields of a form, which Swagger 2.0 lists as parameters.
    fn is_form(&self) -> bool {
        self.place.node.kind() == Kind::Array
    }

    fn collect_fields(&self, found: &mut Properties<'a>) {
        for (index, node) in self.place.node.items().enumerate() {
            let pointer = format!("{}/{index}", self.place.pointer);
            let field = Self::of(self.forest, Place { tree: self.place.tree, node, pointer });
            let text = |key: &str| field.keyword(key).and_then(Node::as_str);
            let (Some(name), Some("formData")) = (text("name"), text("in")) else { continue };
            if field.keyword("required").and_then(Node::as_bool) == Some(true) {
                found.required.insert(name);
            }
            if found.names.insert(name) {
                found.list.push((name, field));
            }
        }
    }

    fn below(&self, keyword: &str, token: &str, node: Node<'a>) -> Self {
        let pointer = format!("{}/{keyword}{}", self.place.pointer, pointer_token(token));
        Self::of(self.forest, Place { tree: self.place.tree, node, pointer })
    }

    fn child(&self, keyword: &str) -> Option<Self> {
        let node = self.keyword(keyword).filter(|node| node.kind() == Kind::Object)?;
        let pointer = format!("{}/{keyword}", self.place.pointer);
        Some(Self::of(self.forest, Place { tree: self.place.tree, node, pointer }))
    }

    fn list(&self, keyword: &str) -> Vec<Self> {
        let items = self.keyword(keyword).into_iter().flat_map(Node::items);
        items.enumerate().map(|(index, node)| self.below(keyword, &index.to_string(), node)).collect()
    }
}

#[derive(Default)]
struct Properties<'a> {
    list: Vec<(&'a str, Schema<'a>)>,
    names: HashSet<&'a str>,
    required: HashSet<&'a str>,
    seen: HashSet<(usize, NodeId)>,
}
