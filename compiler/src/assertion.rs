//! Assertion ids and the record of the sources behind them. Builds names; must not judge what they say.

use serde::Serialize;

/// The id of one fact: the source's id, `#`, and a JSON pointer or a place in a text.
///
/// ```
/// use provely_compiler::assertion::assertion_id;
/// assert_eq!(assertion_id("a.openapi", "/components/schemas/x"), "a.openapi#/components/schemas/x");
/// ```
#[must_use]
pub fn assertion_id(source: &str, place: &str) -> String {
    let mut id = String::with_capacity(source.len() + 1 + place.len());
    id.push_str(source);
    id.push('#');
    id.push_str(place);
    id
}

/// The source's id within an assertion id.
#[must_use]
pub fn source_of(assertion: &str) -> &str {
    assertion.split_once('#').map_or(assertion, |(source, _)| source)
}

/// One token of a JSON pointer, escaped as RFC 6901 asks, with its slash in front.
#[must_use]
pub fn pointer_token(token: &str) -> String {
    let mut text = String::with_capacity(token.len() + 1);
    text.push('/');
    for letter in token.chars() {
        match letter {
            '~' => text.push_str("~0"),
            '/' => text.push_str("~1"),
            other => text.push(other),
        }
    }
    text
}

/// What is known of one source as a whole; every assertion of it rests on these bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceRecord {
    /// Id of the source, `vendor.openapi`.
    pub id: String,
    /// Name of the kind of source.
    pub kind: &'static str,
    /// Where it was read.
    pub url: Option<String>,
    /// Day of retrieval, `YYYY-MM-DD`.
    pub retrieved: Option<String>,
    /// How an excerpt was made.
    pub excerpt: Option<String>,
    /// SHA-256 of its bytes, lower-case hexadecimal.
    pub sha256: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_escaped_and_a_source_is_found_again() {
        let id = assertion_id("v.openapi", &format!("/paths{}", pointer_token("/a~b/{id}")));
        assert_eq!(id, "v.openapi#/paths/~1a~0b~1{id}");
        assert_eq!(source_of(&id), "v.openapi");
    }
}
