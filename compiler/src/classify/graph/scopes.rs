//! The scopes that a description asks for, in code within a sentence that speaks of scopes. Must not guess any.

use crate::classify::cues::cues;
use crate::classify::prose::marked;
use crate::classify::sentences::sentences;

/// The scopes that a text asks for.
pub(crate) fn stated_scopes(text: &str) -> Vec<String> {
    let words = &cues().shapes.scope_words;
    let about = |sentence: &&str| {
        let lower = sentence.to_lowercase();
        words.iter().any(|word| lower.contains(word.as_str()))
    };
    let plain = |token: &&str| !token.is_empty() && !token.contains(char::is_whitespace);
    let found = sentences(text).into_iter().filter(about).flat_map(marked).filter(plain);
    found.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_stand_in_code_where_scopes_are_spoken_of() {
        let text = "Shows `one` order. Requires `read_orders` access scope or `read_all` access scope.";
        assert_eq!(stated_scopes(text), ["read_orders", "read_all"]);
    }
}
