//! Every description of the sources, by the nouns that stand in it: what is said of a record away from it. Finds
//! texts; must not read them.

use std::collections::{BTreeSet, HashMap, HashSet};

use provely_document::Node;
use rayon::prelude::*;

use super::sentences::about;
use super::statements::Talk;
use super::words::singular;
use crate::assertion::pointer_token;
use crate::ingest::{Block, Forest, Ingested, blocks};
use crate::source::SourceKind;

/// Most texts that are taken for one record.
const MOST: usize = 120;
/// Longest text that is looked into, in bytes.
const LONGEST: usize = 6_000;

/// The descriptions that hold one of the nouns asked for.
pub(super) struct Elsewhere<'a> {
    found: &'a Ingested,
    steps: Vec<(usize, Step<'a>)>,
    texts: Vec<Text<'a>>,
    by_noun: HashMap<String, Vec<usize>>,
}

/// One step down from a node.
#[derive(Clone, Copy)]
enum Step<'a> {
    Root(usize),
    Member(&'a str),
    Item(usize),
}

/// Where a text stands, as the last of its steps, and the text.
struct Text<'a> {
    step: usize,
    text: &'a str,
}

impl<'a> Elsewhere<'a> {
    /// Reads the sources for texts with any of the nouns, each in the singular.
    pub(super) fn of(found: &'a Ingested, nouns: &BTreeSet<String>) -> Self {
        let mut all = Self { found, steps: Vec::new(), texts: Vec::new(), by_noun: HashMap::new() };
        let mut texts = Vec::new();
        for tree in 0..found.forest.len() {
            let said = [SourceKind::Openapi, SourceKind::OpenapiPart, SourceKind::Graphql];
            if found.forest.kind(tree).is_some_and(|kind| said.contains(&kind)) {
                all.walk(&found.forest, tree, &mut texts);
            }
        }
        let held: Vec<Vec<&str>> = texts
            .par_iter()
            .map_init(HashMap::new, |known, text: &Text<'a>| held_by(text.text, nouns, known))
            .collect();
        for (text, held) in texts.into_iter().zip(held).filter(|(_, held)| !held.is_empty()) {
            for noun in held {
                all.by_noun.entry(noun.to_owned()).or_default().push(all.texts.len());
            }
            all.texts.push(text);
        }
        all
    }

    fn walk(&mut self, forest: &'a Forest, tree: usize, texts: &mut Vec<Text<'a>>) {
        let Some(root) = forest.root(tree) else { return };
        let mut seen = HashSet::new();
        let mut stack: Vec<(Node<'a>, usize, Step<'a>)> = vec![(root.node, usize::MAX, Step::Root(tree))];
        while let Some((node, above, step)) = stack.pop() {
            if let Some(text) = node.as_str() {
                let told = matches!(step, Step::Member("description" | "summary"));
                if told && text.len() <= LONGEST {
                    texts.push(Text { step: above, text });
                }
                continue;
            }
            if node.is_empty() || !seen.insert(node.id()) {
                continue;
            }
            let here = self.steps.len();
            self.steps.push((above, step));
            let items = node.items().enumerate().map(|(index, item)| (item, here, Step::Item(index)));
            let members = node.entries().filter(|entry| !matches!(entry.key, "example" | "examples"));
            let members = members.map(|entry| (entry.value, here, Step::Member(entry.key)));
            let below: Vec<_> = items.chain(members).collect();
            stack.extend(below.into_iter().rev());
        }
    }

    /// The texts that may speak of a record of that name, beside those that are known.
    pub(super) fn talks(&self, resource: &str, noun: &str, speaks: &dyn Fn(&str) -> bool) -> Vec<Talk> {
        let listed = self.by_noun.get(noun).into_iter().flatten();
        let texts = listed.filter_map(|index| self.texts.get(*index));
        let resource = resource.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '_');
        let texts = texts.filter(|one| speaks(one.text) && about(one.text, resource));
        texts.take(MOST).flat_map(|one| self.passages(one, resource, speaks)).collect()
    }

    /// The blocks of a text that may speak of the record.
    fn passages(&self, one: &Text<'_>, resource: &str, speaks: &dyn Fn(&str) -> bool) -> Vec<Talk> {
        let assertion = self.assertion(one.step);
        let texts = blocks(one.text).into_iter().filter_map(|block| match block {
            Block::Text(text) | Block::Heading(_, text) => Some(text),
            Block::Code(_) => None,
        });
        texts
            .filter(|text| speaks(text) && about(text, resource))
            .map(|text| Talk { assertion: assertion.clone(), text, elsewhere: true, ..Talk::default() })
            .collect()
    }

    /// The assertion of a place, by the last step to it.
    fn assertion(&self, last: usize) -> String {
        let mut tokens: Vec<String> = Vec::new();
        let mut at = last;
        let mut tree = 0;
        while let Some((above, step)) = self.steps.get(at) {
            match step {
                Step::Root(index) => tree = *index,
                Step::Member(key) => tokens.push(pointer_token(key)),
                Step::Item(index) => tokens.push(format!("/{index}")),
            }
            at = *above;
        }
        tokens.reverse();
        self.found.forest.assertion(tree, &tokens.concat())
    }
}

/// The nouns that a text holds, each once. `known` remembers what each word came to.
fn held_by<'n, 'a>(
    text: &'a str,
    nouns: &'n BTreeSet<String>,
    known: &mut HashMap<&'a str, Option<&'n str>>,
) -> Vec<&'n str> {
    let mut held = Vec::new();
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 2);
    for word in words {
        let noun = *known
            .entry(word)
            .or_insert_with(|| nouns.get(singular(&word.to_lowercase()).as_str()).map(String::as_str));
        held.extend(noun.filter(|noun| !held.contains(noun)));
    }
    held
}
