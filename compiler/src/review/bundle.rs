//! The review bundle: open questions with what they hold back and the passages beside them. Gathers; must not answer
//! any, and is no part of a package.

use std::collections::BTreeMap;

use provely_evaluator::manifest::{Points, Score};
use serde::{Deserialize, Serialize};

use super::{Reviewed, passage};
use crate::certify::{Certified, binds};
use crate::ingest::Ingested;
use crate::synthesise::Synthesised;
use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// The file of a bundle that holds its questions.
pub const QUESTIONS: &str = "uncertainties.json";

/// Most passages that are shown beside a question because they name its subject.
const MOST_NEAR: usize = 5;

/// Caps that no answer lifts.
const OTHER_GATES: [&str; 3] = ["no_causal_correlation", "action_response_only", "conformance_threshold"];

/// The open questions of a service, those that hold back most first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bundle {
    /// Id of the service.
    pub service: String,
    /// The questions.
    pub open: Vec<OpenQuestion>,
    /// Ids that answers closed.
    pub answered: Vec<String>,
}

/// One question, and what a person needs in order to answer it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// Id of the uncertainty.
    pub id: String,
    /// Its kind.
    pub kind: UncertaintyKind,
    /// What it is about.
    pub subject: String,
    /// The question.
    pub question: String,
    /// Answers that can be given; empty if any text will do.
    pub answers: Vec<String>,
    /// The most that a contract resting on the subject can score.
    pub cap: u8,
    /// The points that it holds back, over all contracts.
    pub points: Points,
    /// The contracts that it binds.
    pub holds_back: Vec<HeldBack>,
    /// The assertions that raised it, and those that name its subject.
    pub passages: Vec<Passage>,
}

/// A contract that a question binds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldBack {
    /// Id of the contract.
    pub contract: String,
    /// Its score.
    pub score: Points,
    /// What it could score if every question were answered.
    pub reach: Points,
    /// The points between that and the cap of this question.
    pub points: Points,
}

/// An assertion and its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Id of the assertion.
    pub assertion: String,
    /// Its words, where it has any.
    pub text: Option<String>,
}

impl Bundle {
    /// The bundle of a compilation.
    #[must_use]
    pub fn of(found: &Ingested, written: &Synthesised, certified: &Certified, reviewed: &Reviewed) -> Self {
        let question = |open: &Uncertainty| OpenQuestion::of(open, found, written, certified);
        let mut open: Vec<OpenQuestion> = reviewed.open.iter().map(question).collect();
        open.sort_by(|one, other| other.points.cmp(&one.points).then_with(|| one.id.cmp(&other.id)));
        Self { service: found.service.clone(), open, answered: reviewed.answered.clone() }
    }

    /// The question of that id.
    #[must_use]
    pub fn question(&self, id: &str) -> Option<&OpenQuestion> {
        self.open.iter().find(|question| question.id == id)
    }

    /// The files of the bundle: path to text.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, String> {
        let text = provely_evaluator::json::to_value(self)
            .map_or_else(|error| error.to_string(), |value| format!("{value:#}\n"));
        BTreeMap::from([(QUESTIONS.to_owned(), text)])
    }
}

impl OpenQuestion {
    fn of(open: &Uncertainty, found: &Ingested, written: &Synthesised, certified: &Certified) -> Self {
        let holds_back = holds_back(open, written, certified);
        let points = holds_back.iter().map(|held| held.points.hundredths()).sum();
        Self {
            id: open.id.clone(),
            kind: open.kind,
            subject: open.subject.clone(),
            question: open.question.clone(),
            answers: open.answers.clone(),
            cap: open.cap,
            points: Points::from_hundredths(points),
            holds_back,
            passages: passages(open, found),
        }
    }

    /// True if the answer can be given.
    #[must_use]
    pub fn offers(&self, answer: &str) -> bool {
        let given = !answer.trim().is_empty();
        given && (self.answers.is_empty() || self.answers.iter().any(|offered| offered == answer))
    }
}

fn holds_back(open: &Uncertainty, written: &Synthesised, certified: &Certified) -> Vec<HeldBack> {
    let bound = written.contracts.iter().filter(|synthesis| binds(open, synthesis));
    let held = bound.filter_map(|synthesis| {
        let (id, score) = certified.scores.iter().find(|(id, _)| *id == synthesis.contract.id)?;
        let (reach, most) = (reach(score), Points::whole(u16::from(open.cap)));
        let points = reach.hundredths().saturating_sub(most.hundredths());
        Some(HeldBack {
            contract: id.clone(),
            score: score.after_caps,
            reach,
            points: Points::from_hundredths(points),
        })
    });
    held.collect()
}

/// What the contract could score if every question were answered: its dimensions, certain states in full where some
/// are not certain, and the caps that no answer lifts.
fn reach(score: &Score) -> Points {
    let uncertain = score.caps.iter().any(|cap| cap.gate == "unknown_terminal_semantics");
    let lifecycle = score.dimensions.iter().find(|dimension| dimension.name == "lifecycle_certainty");
    let missing = lifecycle
        .filter(|_| uncertain)
        .map_or(0, |dimension| dimension.maximum.hundredths().saturating_sub(dimension.points.hundredths()));
    let full = Points::from_hundredths(score.raw.hundredths() + missing);
    let others = score.caps.iter().filter(|cap| OTHER_GATES.contains(&cap.gate.as_str()));
    others.map(|cap| cap.cap).min().map_or(full, |cap| cap.min(full))
}

/// The assertions that raised a question, then paragraphs that name the state it is about.
fn passages(open: &Uncertainty, found: &Ingested) -> Vec<Passage> {
    let mut ids: Vec<&str> = open.assertions.iter().map(String::as_str).collect();
    let state = match open.kind {
        UncertaintyKind::StateClass | UncertaintyKind::StateConflict => open.subject.rsplit(':').next(),
        UncertaintyKind::StateField
        | UncertaintyKind::Effect
        | UncertaintyKind::Input
        | UncertaintyKind::Evidence
        | UncertaintyKind::Retry
        | UncertaintyKind::Version => None,
    };
    if let Some(state) = state {
        let near = found.passages.iter().filter(|passage| names(&passage.text, state));
        let near = near.map(|passage| passage.assertion.as_str()).filter(|id| !ids.contains(id));
        let near: Vec<&str> = near.take(MOST_NEAR).collect();
        ids.extend(near);
    }
    let shown = |id: &str| Passage { assertion: id.to_owned(), text: passage(found, id) };
    ids.into_iter().map(shown).collect()
}

/// True if a text has the word, whatever stands around it.
fn names(text: &str, word: &str) -> bool {
    let inside = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (text.get(..at), text.get(at + word.len()..));
        let ends = |part: Option<char>| !part.is_some_and(inside);
        ends(before.and_then(|part| part.chars().next_back()))
            && ends(after.and_then(|part| part.chars().next()))
    })
}

#[cfg(test)]
mod tests {
    use provely_evaluator::manifest::{Cap, Certification, Dimension};

    use super::*;

    fn score(raw: u16, lifecycle: u16, gates: &[(&str, u16)]) -> Score {
        let cap = |(gate, cap): &(&str, u16)| Cap {
            gate: (*gate).to_owned(),
            cap: Points::whole(*cap),
            reason: String::new(),
        };
        Score {
            dimensions: vec![Dimension {
                name: "lifecycle_certainty".to_owned(),
                points: Points::whole(lifecycle),
                maximum: Points::whole(20),
            }],
            raw: Points::whole(raw),
            caps: gates.iter().map(cap).collect(),
            after_caps: Points::whole(49),
            level: Certification::Community,
        }
    }

    #[test]
    fn answers_lift_question_caps_alone_and_fill_the_lifecycle() {
        let questions = [("unknown_terminal_semantics", 49), ("uncertainty_caps", 49)];
        assert_eq!(reach(&score(70, 12, &questions)), Points::whole(78));
        assert_eq!(reach(&score(70, 12, &[("uncertainty_caps", 49)])), Points::whole(70));
        let uncorrelated = [("uncertainty_caps", 49), ("no_causal_correlation", 69)];
        assert_eq!(reach(&score(75, 20, &uncorrelated)), Points::whole(69));
    }

    #[test]
    fn a_state_is_named_as_a_word_of_its_own() {
        assert!(names("It is `open` until paid.", "open") && names("open", "open"));
        assert!(!names("reopened", "open") && !names("open_order", "open") && !names("", "open"));
    }
}
