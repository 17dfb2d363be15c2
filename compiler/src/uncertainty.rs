//! Uncertainties: what the sources leave open, as questions that a person can answer. Holds them; must not
//! raise or answer any.

use serde::{Deserialize, Serialize};

/// What kind of question it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UncertaintyKind {
    /// Nothing certain says what a state means.
    StateClass,
    /// Passages, or a passage and the name, say different things of a state.
    StateConflict,
    /// Which field carries the state, or which states there are, is not stated.
    StateField,
    /// The effect of an operation rests on weak cues.
    Effect,
    /// The input is odd, and how it was read should be looked at.
    Input,
    /// The outcome of an operation cannot be read, or nothing that is read proves it.
    Evidence,
    /// An operation that must not happen twice has no retry protection that a source states.
    Retry,
    /// Some versions of the provider are not covered.
    Version,
}

impl UncertaintyKind {
    /// The highest score that a contract resting on the subject may reach while the question is open.
    #[must_use]
    pub const fn cap(self) -> u8 {
        match self {
            Self::StateClass | Self::StateConflict | Self::StateField | Self::Evidence => 49,
            Self::Effect => 69,
            Self::Input | Self::Retry => 89,
            // What is covered is proven; the rest is refused when it is met.
            Self::Version => 100,
        }
    }

    const fn stem(self) -> &'static str {
        match self {
            Self::StateClass | Self::StateConflict => "state",
            Self::StateField => "state_field",
            Self::Effect => "effect",
            Self::Input => "input",
            Self::Evidence => "evidence",
            Self::Retry => "retry",
            Self::Version => "version",
        }
    }
}

/// One open question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uncertainty {
    /// Stable id, `state:refund.status:canceled`; does not depend on order or wording.
    pub id: String,
    /// Its kind.
    pub kind: UncertaintyKind,
    /// What it is about.
    pub subject: String,
    /// The question.
    pub question: String,
    /// Answers that a reviewer may give; empty if any text will do.
    pub answers: Vec<String>,
    /// The cap on the score of contracts that rest on the subject.
    pub cap: u8,
    /// The assertions seen.
    pub assertions: Vec<String>,
}

impl Uncertainty {
    /// A question of that kind about a subject; the id is made of both.
    #[must_use]
    pub fn new(kind: UncertaintyKind, subject: impl Into<String>, question: impl Into<String>) -> Self {
        let subject = subject.into();
        Self {
            id: format!("{}:{subject}", kind.stem()),
            kind,
            subject,
            question: question.into(),
            answers: Vec::new(),
            cap: kind.cap(),
            assertions: Vec::new(),
        }
    }

    /// Lists the answers that can be given.
    #[must_use]
    pub fn with_answers<'t>(mut self, answers: impl IntoIterator<Item = &'t str>) -> Self {
        self.answers = answers.into_iter().map(str::to_owned).collect();
        self
    }

    /// Lists the assertions seen.
    #[must_use]
    pub fn with_assertions(mut self, assertions: Vec<String>) -> Self {
        self.assertions = assertions;
        self
    }
}
