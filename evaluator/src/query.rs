//! References: singular queries in the sense of RFC 9535 section 2.3.5.1, with our own roots.
//!
//! Parsed once, at load; resolving walks borrowed values and cannot fail.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::json::Value;

/// A parsed reference: a root and the steps below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Where the walk starts.
    pub root: Root,
    /// The steps.
    pub steps: Vec<Step>,
}

/// Where a reference starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// `$`: the reply or event at hand (channel queries).
    Document,
    /// `@`: the item at hand.
    Item,
    /// `$input`.
    Input,
    /// `$operation`.
    Operation,
    /// `$correlation.<key>`.
    Correlation(String),
    /// `$observed.<channel>`.
    Observed(String),
    /// `$baseline.<channel>`.
    Baseline(String),
    /// `$action.result`.
    ActionResult,
}

/// One step of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// An object member.
    Member(String),
    /// An array element; negative counts from the end.
    Index(i64),
}

/// Why a text is not a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    /// Byte offset in the text.
    pub offset: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at offset {}", self.expected, self.offset)
    }
}

impl core::error::Error for QueryError {}

impl Reference {
    /// True if a text literal is meant as a reference: it starts with `@` or with `$` and a root or
    /// a step. A literal that starts with `$` is written with `$$`.
    #[must_use]
    pub fn is_reference(text: &str) -> bool {
        text.starts_with('@') || (text.starts_with('$') && !text.starts_with("$$"))
    }

    /// Parses a reference such as `$observed.refund_readback.status`, `@.items[0]['a b']`.
    ///
    /// # Errors
    /// [`QueryError`] with the offset of what does not fit.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let mut parser = Parser { text, at: 0 };
        let root = parser.root()?;
        let steps = parser.steps()?;
        Ok(Self { root, steps })
    }

    /// Walks the steps below `value`; `None` where a step leads nowhere.
    #[must_use]
    pub fn walk<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        walk(&self.steps, value)
    }

    /// The channel that an `$observed` or `$baseline` reference is rooted in.
    #[must_use]
    pub fn channel(&self) -> Option<&str> {
        match &self.root {
            Root::Observed(channel) | Root::Baseline(channel) => Some(channel),
            Root::Document
            | Root::Item
            | Root::Input
            | Root::Operation
            | Root::Correlation(_)
            | Root::ActionResult => None,
        }
    }
}

/// Walks steps below a value.
#[must_use]
pub fn walk<'v>(steps: &[Step], value: &'v Value) -> Option<&'v Value> {
    steps.iter().try_fold(value, |value, step| match (step, value) {
        (Step::Member(name), Value::Object(object)) => object.get(name),
        (Step::Index(index), Value::Array(items)) => {
            let length = i64::try_from(items.len()).ok()?;
            let position = if *index < 0 { index.checked_add(length)? } else { *index };
            items.get(usize::try_from(position).ok()?)
        }
        (Step::Member(_) | Step::Index(_), _) => None,
    })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T, QueryError> {
        Err(QueryError { offset: self.at, expected })
    }

    fn take(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    fn root(&mut self) -> Result<Root, QueryError> {
        if self.take("@") {
            return Ok(Root::Item);
        }
        if !self.take("$") {
            return self.fail("`$` or `@`");
        }
        if self.rest().is_empty() || self.rest().starts_with(['.', '[']) {
            return Ok(Root::Document);
        }
        let start = self.at;
        let root = self.name()?;
        match root.as_str() {
            "input" => Ok(Root::Input),
            "operation" => Ok(Root::Operation),
            "correlation" => self.dotted().map(Root::Correlation),
            "observed" => self.dotted().map(Root::Observed),
            "baseline" => self.dotted().map(Root::Baseline),
            "action" => match self.dotted()?.as_str() {
                "result" => Ok(Root::ActionResult),
                _ => self.fail("`result` after `$action.`"),
            },
            _ => {
                self.at = start;
                self.fail("a root: input, operation, correlation, observed, baseline or action.result")
            }
        }
    }

    fn dotted(&mut self) -> Result<String, QueryError> {
        if self.take(".") { self.name() } else { self.fail("`.` and a name") }
    }

    fn name(&mut self) -> Result<String, QueryError> {
        let rest = self.rest();
        let stop = |c: char| !(c.is_alphanumeric() || c == '_' || !c.is_ascii());
        let end = rest.find(stop).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return self.fail("a name");
        }
        let name = String::from(name);
        self.at += end;
        Ok(name)
    }

    fn steps(&mut self) -> Result<Vec<Step>, QueryError> {
        let mut steps = Vec::new();
        while !self.rest().is_empty() {
            if self.take(".") {
                steps.push(Step::Member(self.name()?));
            } else if self.take("[") {
                steps.push(self.bracket()?);
            } else {
                return self.fail("`.name` or `[...]`");
            }
        }
        Ok(steps)
    }

    fn bracket(&mut self) -> Result<Step, QueryError> {
        let quote = if self.take("'") {
            Some('\'')
        } else if self.take("\"") {
            Some('"')
        } else {
            None
        };
        let step = match quote {
            Some(quote) => Step::Member(self.quoted(quote)?),
            None => Step::Index(self.index()?),
        };
        if self.take("]") { Ok(step) } else { self.fail("`]`") }
    }

    fn quoted(&mut self, quote: char) -> Result<String, QueryError> {
        let mut name = String::new();
        let mut escaped = false;
        let rest = String::from(self.rest());
        for (offset, c) in rest.char_indices() {
            if escaped {
                if c != quote && c != '\\' {
                    self.at += offset;
                    return self.fail("an escaped quote or backslash");
                }
                name.push(c);
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if c == quote {
                self.at += offset + c.len_utf8();
                return Ok(name);
            } else {
                name.push(c);
            }
        }
        self.at = self.text.len();
        self.fail("the closing quote")
    }

    fn index(&mut self) -> Result<i64, QueryError> {
        let rest = self.rest();
        let end = rest.find(']').unwrap_or(rest.len());
        let digits = rest.get(..end).unwrap_or_default();
        let plain = digits.strip_prefix('-').unwrap_or(digits);
        let canonical = plain == "0" && digits == "0" || !plain.starts_with('0') && !plain.is_empty();
        match digits.parse() {
            Ok(index) if canonical => {
                self.at += end;
                Ok(index)
            }
            _ => self.fail("an index or a quoted name"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use std::string::ToString;

    #[test]
    fn reads_roots_and_steps() {
        let reference = Reference::parse("$observed.refund_readback.items[-1]['a.b']").unwrap();
        assert_eq!(reference.root, Root::Observed("refund_readback".into()));
        assert_eq!(
            reference.steps,
            [Step::Member("items".into()), Step::Index(-1), Step::Member("a.b".into())]
        );
        assert_eq!(Reference::parse("$.data[0]").unwrap().root, Root::Document);
        assert_eq!(Reference::parse("@").unwrap().steps, []);
    }

    #[test]
    fn refuses_what_is_not_singular() {
        for text in [
            "$x.y",
            "$input..a",
            "$input[*]",
            "$input[?@.a]",
            "@.a[01]",
            "$.a['b",
            "$action.id",
            "input.a",
            "$observed",
        ] {
            assert!(Reference::parse(text).is_err(), "{text}");
        }
        let error = Reference::parse("$input.a[x]").unwrap_err();
        assert_eq!(error.offset, 9);
        assert!(error.to_string().contains("index"));
    }

    #[test]
    fn walks_from_the_end() {
        let value = json::parse(r#"{"a":[1,{"b":2}]}"#).unwrap();
        let reference = Reference::parse("$.a[-1].b").unwrap();
        assert_eq!(reference.walk(&value).unwrap().to_string(), "2");
        assert!(Reference::parse("$.a[2]").unwrap().walk(&value).is_none());
        assert!(Reference::parse("$.a.b").unwrap().walk(&value).is_none());
    }
}
