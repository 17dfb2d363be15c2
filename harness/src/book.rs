//! The case book: the benchmark's data, read and checked. It decides nothing and knows no provider.

mod case;
mod oracle;
mod span;

use provely_document::{Diagnostic, Format, Limits, from_node, read};

pub(crate) use case::Aspects;
pub use case::{
    Act, Asks, Begin, CaseClass, Each, End, Expect, Key, Kind, Life, Look, Move, Need, Part, Put, Report,
    Retry, Said, Sources, StateWord, Step, Target, Tell, Version, Where,
};
pub use oracle::{Advised, FactName, NeverRow, OracleBook, RequiredRow};
pub use span::{Span, SpanError};

const CASES: &str = include_str!("../../benchmark/cases.yaml");
const ORACLE: &str = include_str!("../../benchmark/oracle.yaml");

/// Cases and oracle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseBook {
    /// Version of the cases.
    pub version: String,
    /// The classes, in the order of the file; a class may have several variants.
    pub cases: Vec<CaseClass>,
    /// From ground truth to verdicts.
    pub oracle: OracleBook,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    version: String,
    cases: Vec<CaseClass>,
}

impl CaseBook {
    /// The benchmark that this build carries.
    ///
    /// # Errors
    /// Never for a build whose tests have passed; the finding otherwise.
    pub fn builtin() -> Result<Self, Diagnostic> {
        Self::parse(("benchmark/cases.yaml", CASES), ("benchmark/oracle.yaml", ORACLE))
    }

    /// Reads a case file and an oracle file, each as `(path, text)`; YAML or JSON.
    ///
    /// # Errors
    /// The first finding, with its place in the file.
    pub fn parse(cases: (&str, &str), oracle: (&str, &str)) -> Result<Self, Diagnostic> {
        let document = read(cases.0, cases.1, Format::Auto, &Limits::default())?;
        let file: CaseFile = from_node(document.root())?;
        let document = read(oracle.0, oracle.1, Format::Auto, &Limits::default())?;
        let oracle: OracleBook = from_node(document.root())?;
        Ok(Self { version: file.version, cases: file.cases, oracle })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_builtin_book_can_be_read() {
        let book = CaseBook::builtin().unwrap_or_else(|finding| panic!("{}", finding.render(false)));
        let names: BTreeSet<String> = book.cases.iter().map(CaseClass::name).collect();
        assert_eq!(names.len(), book.cases.len(), "class and variant name a case");
        let classes: BTreeSet<&str> = book.cases.iter().map(|case| case.class.as_str()).collect();
        assert_eq!(classes.len(), 53, "{classes:#?}");
        for step in book.cases.iter().flat_map(|case| &case.steps) {
            assert_eq!(step.parts(), 1, "a step does one thing: {step:?}");
        }
    }

    #[test]
    fn an_unknown_member_is_refused_with_its_place() {
        let text = "version: '1'\ncases: [{ class: x, titel: y, kind: safe, steps: [] }]\n";
        let finding = CaseBook::parse(("cases.yaml", text), ("oracle.yaml", ORACLE)).unwrap_err();
        assert!(finding.render(false).contains("titel"), "{}", finding.render(false));
    }
}
