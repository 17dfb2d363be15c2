//! How often a subject was wrong, in both directions. Sums alone; what is wrong is decided by the jury.

use serde::{Deserialize, Serialize};

/// What one subject said of one ask, over all moments of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sheet {
    /// At the end it has to be confirmed.
    pub safe: bool,
    /// At some moment it is not done.
    pub trap: bool,
    /// It said done at a moment at which it was not.
    pub false_safe: bool,
    /// It did not say done at the end, and has to.
    pub false_block: bool,
}

/// The figures of one subject.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Its name.
    pub name: String,
    /// Asks that have to be confirmed at the end.
    pub safe_cases: u64,
    /// Asks that are not done at some moment at which somebody asks.
    pub traps: u64,
    /// Traps into which it fell: it said done, and it was not.
    pub false_safe: u64,
    /// Safe asks that it did not confirm.
    pub false_block: u64,
}

impl Figures {
    /// Nothing heard yet.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Adds one ask.
    pub fn add(&mut self, sheet: Sheet) {
        self.safe_cases += u64::from(sheet.safe);
        self.traps += u64::from(sheet.trap);
        self.false_safe += u64::from(sheet.false_safe);
        self.false_block += u64::from(sheet.false_block);
    }

    /// Adds another sum of the same subject.
    pub fn merge(&mut self, other: &Self) {
        self.safe_cases += other.safe_cases;
        self.traps += other.traps;
        self.false_safe += other.false_safe;
        self.false_block += other.false_block;
    }
}
