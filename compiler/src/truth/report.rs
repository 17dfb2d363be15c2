//! What came of a comparison, of one description and of all. Holds and sums; must not compare.

use std::collections::BTreeMap;

use provely_evaluator::contract::StateClass;
use provely_model::Certainty;
use serde::Serialize;

use super::figures::Figures;

/// How sure the compiler was of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sure {
    /// A passage or a person says it.
    Certain,
    /// Only the name suggests it.
    Lexical,
    /// Nothing speaks for any class.
    Open,
}

impl From<Certainty> for Sure {
    fn from(certainty: Certainty) -> Self {
        match certainty {
            Certainty::Documented | Certainty::Reviewed => Self::Certain,
            Certainty::Lexical => Self::Lexical,
            Certainty::None => Self::Open,
        }
    }
}

/// How many states of a labelled class were found to be of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Confused {
    /// How sure the compiler was.
    pub sure: Sure,
    /// The class that the label says.
    pub labelled: StateClass,
    /// The class that was found.
    pub found: StateClass,
    /// How many.
    pub count: u32,
}

/// A state that was taken for the promised outcome and is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FalseSuccess {
    /// How sure the compiler was.
    pub sure: Sure,
    /// The description.
    pub spec: String,
    /// The resource.
    pub resource: String,
    /// The state.
    pub state: String,
    /// What it is.
    pub labelled: StateClass,
}

/// What was missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MissKind {
    /// An operation is not there.
    Operation,
    /// An effect is another one.
    Effect,
    /// A readback is another one.
    Readback,
    /// The place of an id is another one.
    ResultId,
    /// A resource is not there.
    Resource,
    /// A state field is not there.
    StateField,
    /// A class is another one.
    StateClass,
    /// A certain class of a state that has no label.
    Unlabelled,
}

impl MissKind {
    /// As reports have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Operation => "operation",
            Self::Effect => "effect",
            Self::Readback => "readback",
            Self::ResultId => "result id",
            Self::Resource => "resource",
            Self::StateField => "state field",
            Self::StateClass => "state",
            Self::Unlabelled => "unlabelled state",
        }
    }
}

/// One thing that is not as labelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Miss {
    /// The description.
    pub spec: String,
    /// What was missed.
    pub kind: MissKind,
    /// What it is about.
    pub subject: String,
    /// What the label says.
    pub labelled: String,
    /// What was found.
    pub found: String,
}

/// A description that was not compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The description.
    pub spec: String,
    /// Why.
    pub reason: String,
}

/// What came of one description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    pub(super) spec: String,
    pub(super) figures: Figures,
    refused: Option<String>,
    confusion: BTreeMap<(Sure, StateClass, StateClass), u32>,
    false_successes: Vec<FalseSuccess>,
    misses: Vec<Miss>,
}

impl Findings {
    pub(super) fn of_spec(spec: &str) -> Self {
        Self {
            spec: spec.to_owned(),
            figures: Figures::default(),
            refused: None,
            confusion: BTreeMap::new(),
            false_successes: Vec::new(),
            misses: Vec::new(),
        }
    }

    /// Notes whether the description could be compiled.
    pub(super) fn read(&mut self, refused: Option<&str>) {
        self.figures.count("specs_read", refused.is_none());
        self.refused = refused.map(str::to_owned);
    }

    pub(super) fn miss(&mut self, kind: MissKind, subject: String, labelled: String, found: String) {
        self.misses.push(Miss { spec: self.spec.clone(), kind, subject, labelled, found });
    }

    pub(super) fn confuse(&mut self, sure: Sure, labelled: StateClass, found: StateClass) {
        *self.confusion.entry((sure, labelled, found)).or_default() += 1;
    }

    pub(super) fn false_success(&mut self, sure: Sure, resource: &str, state: &str, labelled: StateClass) {
        let (resource, state) = (resource.to_owned(), state.to_owned());
        self.false_successes.push(FalseSuccess { sure, spec: self.spec.clone(), resource, state, labelled });
    }
}

/// What came of all descriptions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Truth {
    /// Every share.
    pub figures: Figures,
    /// Which classes were taken for which.
    pub confusion: Vec<Confused>,
    /// Every state that was taken for the promised outcome and is not, certain ones first.
    pub false_successes: Vec<FalseSuccess>,
    /// The descriptions that were not compiled.
    pub refused: Vec<Refused>,
    /// Everything that is not as labelled.
    pub misses: Vec<Miss>,
}

impl Truth {
    /// The sum of all findings.
    #[must_use]
    pub fn of(findings: Vec<Findings>) -> Self {
        let mut figures = Figures::default();
        let mut confusion: BTreeMap<(Sure, StateClass, StateClass), u32> = BTreeMap::new();
        let (mut false_successes, mut refused, mut misses) = (Vec::new(), Vec::new(), Vec::new());
        for found in findings {
            figures.add(&found.figures);
            for (key, count) in found.confusion {
                *confusion.entry(key).or_default() += count;
            }
            refused.extend(found.refused.map(|reason| Refused { spec: found.spec, reason }));
            false_successes.extend(found.false_successes);
            misses.extend(found.misses);
        }
        false_successes.sort_by_key(|found: &FalseSuccess| found.sure);
        let confused = |((sure, labelled, found), count): (_, u32)| Confused { sure, labelled, found, count };
        let confusion = confusion.into_iter().map(confused).collect();
        Self { figures, confusion, false_successes, refused, misses }
    }

    /// How many states of the labelled class were found to be of a class.
    #[must_use]
    pub fn confused(&self, sure: Sure, labelled: StateClass, found: StateClass) -> u32 {
        let same = |own: &&Confused| own.sure == sure && own.labelled == labelled && own.found == found;
        self.confusion.iter().find(same).map_or(0, |own| own.count)
    }
}
