//! The rows that forbid something, as bit masks over the facts: the same answer as the rows give, without text. It must
//! not say what has to be said.

use provely_evaluator::verdict::Verdict;

use crate::book::{Advised, FactName, OracleBook};
use crate::facts::Facts;

/// A mask per fact.
type Masks = [u16; FactName::COUNT];

/// Compiled rows of `never`.
#[derive(Debug, Clone)]
pub(crate) struct Never {
    rows: Vec<Row>,
}

#[derive(Debug, Clone)]
struct Row {
    /// Its place in the book.
    place: usize,
    facts: Masks,
    verdicts: Vec<Verdict>,
    retry: bool,
}

impl Never {
    /// Compiles the rows. A value that no fact has can never apply, and is left out.
    pub(crate) fn new(book: &OracleBook) -> Self {
        let rows = book.never.iter().enumerate().map(|(place, row)| {
            let mut facts = [u16::MAX; FactName::COUNT];
            for (name, values) in &row.when {
                let known =
                    values.iter().filter_map(|value| name.values().iter().position(|own| own == value));
                let mask = known.fold(0, |mask, place| mask | 1 << place);
                if let Some(own) = facts.get_mut(name.place()) {
                    *own = mask;
                }
            }
            let retry = row.advice.contains(&Advised::RetryAction);
            Row { place, facts, verdicts: row.verdicts.clone(), retry }
        });
        Self { rows: rows.collect() }
    }

    /// True if some row forbids the verdict or the advice, given the right facts.
    pub(crate) fn concerns(&self, verdict: Verdict, retry: bool) -> bool {
        self.rows.iter().any(|row| row.verdicts.contains(&verdict) || (retry && row.retry))
    }

    /// The place in the book of the first row that a verdict and its advice break.
    pub(crate) fn broken(&self, facts: &Facts, verdict: Verdict, retry: bool) -> Option<usize> {
        let own = facts.bits();
        let concerned = |row: &&Row| row.verdicts.contains(&verdict) || (retry && row.retry);
        let applies = |row: &&Row| row.facts.iter().zip(own).all(|(mask, own)| mask & own != 0);
        self.rows.iter().filter(concerned).find(applies).map(|row| row.place)
    }
}
