//! A reviewer's answers against the questions of all stages, and the review bundle. Closes what is answered;
//! must not answer anything itself.

mod bundle;
mod edit;
mod passages;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

pub use bundle::{Bundle, HeldBack, OpenQuestion, Passage, QUESTIONS};
pub use edit::{EditError, write_answer};
pub use passages::{holds, passage};

use crate::source::Answer;
use crate::uncertainty::Uncertainty;

/// The questions of all stages after the answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Reviewed {
    /// Still open, by id.
    pub open: Vec<Uncertainty>,
    /// Ids that an answer closed.
    pub answered: Vec<String>,
}

/// An answer that fits no question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewError {
    /// Nothing raises this id.
    NoLongerRaised {
        /// The id.
        uncertainty: String,
    },
    /// The question does not offer this answer.
    NotOffered {
        /// The id.
        uncertainty: String,
        /// The answer.
        answer: String,
        /// What is offered.
        offered: Vec<String>,
    },
    /// No source has the assertion.
    UnknownAssertion {
        /// The id.
        uncertainty: String,
        /// The assertion.
        assertion: String,
    },
}

impl ReviewError {
    /// Stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoLongerRaised { .. } => "review/no-longer-raised",
            Self::NotOffered { .. } => "review/answer-not-offered",
            Self::UnknownAssertion { .. } => "review/assertion-unknown",
        }
    }
}

impl fmt::Display for ReviewError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLongerRaised { uncertainty } => {
                write!(out, "`{uncertainty}` is answered but no longer raised; remove the answer")
            }
            Self::NotOffered { uncertainty, answer, offered } => {
                write!(out, "`{uncertainty}` offers {}, not `{answer}`", offered.join(", "))
            }
            Self::UnknownAssertion { uncertainty, assertion } => {
                write!(out, "the answer to `{uncertainty}` cites `{assertion}`, which no source holds")
            }
        }
    }
}

impl std::error::Error for ReviewError {}

/// Closes the questions that are answered.
///
/// `raised` holds the questions of all stages; `closed` the ids that an earlier stage closed with its answers
/// taken into account; `holds` says whether the sources hold an assertion, see [`holds`].
///
/// # Errors
/// Every answer to a question that nothing raises, or that offers no such answer, or that cites what no source holds.
pub fn review(
    raised: impl IntoIterator<Item = Uncertainty>,
    closed: &[String],
    answers: &[Answer],
    holds: impl Fn(&str) -> bool,
) -> Result<Reviewed, Vec<ReviewError>> {
    let mut open: BTreeMap<String, Uncertainty> =
        raised.into_iter().map(|open| (open.id.clone(), open)).collect();
    let mut answered: BTreeSet<String> = closed.iter().cloned().collect();
    let mut errors = Vec::new();
    for answer in answers {
        if !holds(&answer.assertion) {
            let (uncertainty, assertion) = (answer.uncertainty.clone(), answer.assertion.clone());
            errors.push(ReviewError::UnknownAssertion { uncertainty, assertion });
        }
        match open.remove(&answer.uncertainty) {
            Some(question) if !offers(&question, &answer.answer) => errors.push(ReviewError::NotOffered {
                uncertainty: question.id,
                answer: answer.answer.clone(),
                offered: question.answers,
            }),
            Some(question) => {
                answered.insert(question.id);
            }
            None if answered.contains(&answer.uncertainty) => {}
            None => errors.push(ReviewError::NoLongerRaised { uncertainty: answer.uncertainty.clone() }),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Reviewed { open: open.into_values().collect(), answered: answered.into_iter().collect() })
}

fn offers(question: &Uncertainty, answer: &str) -> bool {
    question.answers.is_empty() || question.answers.iter().any(|offered| offered == answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uncertainty::UncertaintyKind;

    fn question(subject: &str) -> Uncertainty {
        Uncertainty::new(UncertaintyKind::StateClass, subject, "What is it?")
            .with_answers(["transitional", "unknown"])
    }

    fn answer(uncertainty: &str, answer: &str, assertion: &str) -> Answer {
        Answer {
            uncertainty: uncertainty.to_owned(),
            answer: answer.to_owned(),
            assertion: assertion.to_owned(),
            reviewer: "R".to_owned(),
            date: "2026-01-01".to_owned(),
        }
    }

    fn holds(assertion: &str) -> bool {
        assertion == "v.docs#p1"
    }

    #[test]
    fn an_answer_closes_its_question_and_leaves_the_others_open() {
        let id = question("a.b:c").id;
        let reviewed = review(
            [question("a.b:c"), question("a.b:d")],
            &["x".to_owned()],
            &[answer(&id, "unknown", "v.docs#p1")],
            holds,
        )
        .unwrap();
        assert_eq!(reviewed.answered, [id.as_str(), "x"]);
        assert_eq!(reviewed.open.len(), 1);
    }

    #[test]
    fn answers_that_fit_nothing_are_errors() {
        let id = question("a.b:c").id;
        let answers = [
            answer("state:gone", "unknown", "v.docs#p1"),
            answer(&id, "maybe", "v.docs#p1"),
            answer("closed", "any", "v.docs#p2"),
        ];
        let errors = review([question("a.b:c")], &["closed".to_owned()], &answers, holds).unwrap_err();
        let codes: Vec<_> = errors.iter().map(ReviewError::code).collect();
        assert_eq!(
            codes,
            ["review/no-longer-raised", "review/answer-not-offered", "review/assertion-unknown"]
        );
    }
}
