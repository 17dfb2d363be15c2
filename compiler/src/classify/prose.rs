//! States that nothing lists but prose: values set in code or quotes, enumerations behind a colon, lists that explain
//! a word each, and examples. Must not say which field carries states.

use provely_document::Node;

use super::cues::cues;
use super::names::hint;
use crate::ingest::{Block, Property, Schema, blocks};

/// The values that examples show, where they are called what states are called.
pub(super) fn examples(schema: &Schema<'_>) -> Vec<String> {
    let one = schema.keyword("example").into_iter();
    let several = schema.keyword("examples").into_iter().flat_map(Node::items);
    let mut found: Vec<String> = Vec::new();
    for example in one.chain(several).filter_map(Node::as_str) {
        if hint(example).saying.is_some() && !found.iter().any(|known| known == example) {
            found.push(example.to_owned());
        }
    }
    found
}

/// Values that the description sets in code or quotes, names of sibling fields left out.
pub(super) fn prose_states(schema: &Schema<'_>, siblings: &[Property<'_>]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (_, description) in schema.descriptions() {
        for block in blocks(description) {
            let (Block::Text(text) | Block::Heading(_, text)) = block else {
                continue;
            };
            for token in marked(&text) {
                let sibling = siblings.iter().any(|property| property.name == token);
                if is_value(token) && !sibling && !found.iter().any(|known| known == token) {
                    found.push(token.to_owned());
                }
            }
        }
    }
    if found.is_empty() {
        found = schema.descriptions().iter().find_map(|(_, text)| enumerated(text)).unwrap_or_default();
    }
    if found.is_empty() {
        found = schema.descriptions().iter().find_map(|(_, text)| listed(text)).unwrap_or_default();
    }
    let examples = schema.keyword("example").and_then(Node::as_str);
    if found.len() == 1 && examples.is_some_and(|example| found.iter().all(|known| known != example)) {
        found.extend(examples.map(str::to_owned));
    }
    found
}

/// The single words of an enumeration behind a colon, three at least: `State: new, open or closed.`
fn enumerated(text: &str) -> Option<Vec<String>> {
    let (_, rest) = text.split_once(": ")?;
    let sentence = rest.split(['.', ';', '\n']).next()?;
    let (front, last) = sentence.rsplit_once(" or ").or_else(|| sentence.rsplit_once(" and "))?;
    let items = front.trim_end_matches(',').split(',').chain([last]).map(str::trim);
    let found: Vec<String> = items.map(str::to_owned).collect();
    (found.len() >= 3 && found.iter().all(|word| is_value(word))).then_some(found)
}

/// The single words, three at least, that blocks of a text begin with and explain: `done - It is over.` Half of them
/// must be called what states are called.
fn listed(text: &str) -> Option<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    for block in blocks(text) {
        let Block::Text(text) = block else { continue };
        let joiners = &cues().phrases.line_joiners;
        let Some(at) = joiners.iter().filter_map(|joiner| text.find(joiner.as_str())).min() else { continue };
        let word = text.get(..at).unwrap_or_default().trim_matches(['*', '\'', ' ']);
        if is_value(word) && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    let known = found.iter().filter(|name| hint(name).saying.is_some()).count();
    (found.len() >= 3 && known * 2 >= found.len()).then_some(found)
}

/// Texts between backticks or double quotes.
pub(super) fn marked(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '"', '“']) {
        let tail = rest.get(at..).unwrap_or_default();
        let mut letters = tail.chars();
        let open = letters.next().unwrap_or('`');
        let close = if open == '“' { '”' } else { open };
        let inside = letters.as_str();
        let Some(end) = inside.find(close) else { break };
        found.extend(inside.get(..end));
        rest = inside.get(end + close.len_utf8()..).unwrap_or_default();
    }
    found
}

/// Looks like a fixed value: one word of letters, digits, `_` and `-`, with letters.
fn is_value(token: &str) -> bool {
    let plain = token.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'));
    let letters = token.chars().filter(char::is_ascii_alphabetic).count();
    plain && letters >= 2 && token.len() <= 48 && !matches!(token, "null" | "true" | "false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_enumeration_behind_a_colon_names_states() {
        let found = enumerated("Lifecycle state: pending, active, or gone_for_good.");
        assert_eq!(found.unwrap(), ["pending", "active", "gone_for_good"]);
        assert_eq!(enumerated("Note: the record is kept, or not, as you wish."), None);
        assert_eq!(enumerated("Either: on or off."), None);
    }

    #[test]
    fn a_list_that_explains_states_names_them() {
        let found =
            listed("One of:\n\n* sent - It is on its way.\n* done - It arrived.\n* failed - It did not.\n");
        assert_eq!(found.unwrap(), ["sent", "done", "failed"]);
        assert_eq!(listed("* colour - Its colour.\n* size - Its size.\n* done - It is over.\n"), None);
    }
}
