//! `prefix matches`: tests on a whole text.

use alloc::string::String;

use super::Operand;
use crate::contract::Truth;

/// The text starts with the other.
pub(crate) fn prefix(left: Operand<'_>, right: Operand<'_>) -> Truth {
    left.as_str().zip(right.as_str()).map(|(text, start)| text.starts_with(start)).into()
}

/// A regular expression over a whole text; matching takes time linear in the text.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(regex::Regex);

/// Compiled patterns stay below this many bytes, so that a hostile contract cannot exhaust memory.
const PATTERN_SIZE_LIMIT: usize = 1 << 20;

impl Pattern {
    /// Compiles a pattern; the error says what is wrong with it.
    pub(crate) fn new(pattern: &str) -> Result<Self, String> {
        let build = |text: &str| regex::RegexBuilder::new(text).size_limit(PATTERN_SIZE_LIMIT).build();
        // Alone first: `a)|(b` must not close the group that anchors it.
        build(pattern)
            .and_then(|_| build(&alloc::format!("^(?:{pattern})$")))
            .map(Self)
            .map_err(|error| alloc::format!("{error}"))
    }

    /// The whole text matches.
    pub(crate) fn matches(&self, left: Operand<'_>) -> Truth {
        left.as_str().map(|text| self.0.is_match(text)).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes() {
        assert_eq!(prefix(Operand::Text("re_1"), Operand::Text("re_")), Truth::Holds);
        assert_eq!(prefix(Operand::Text("ch_1"), Operand::Text("re_")), Truth::Fails);
        assert_eq!(prefix(Operand::Missing, Operand::Text("re_")), Truth::Unknown);
    }

    #[test]
    fn patterns_match_the_whole_text_in_linear_time() {
        let pattern = Pattern::new("(a+)+b?").unwrap();
        assert_eq!(pattern.matches(Operand::Text("aaab")), Truth::Holds);
        assert_eq!(pattern.matches(Operand::Text("xaab")), Truth::Fails);
        assert_eq!(pattern.matches(Operand::Unavailable), Truth::Unknown);
        let long = "a".repeat(50_000) + "c";
        assert_eq!(pattern.matches(Operand::Text(&long)), Truth::Fails);
        assert!(Pattern::new("a|b|(").is_err());
        assert!(Pattern::new("a)|(b").is_err());
        assert!(Pattern::new("(?:x{1000}){1000}").is_err());
        assert_eq!(Pattern::new("a|bc").unwrap().matches(Operand::Text("abc")), Truth::Fails);
    }
}
