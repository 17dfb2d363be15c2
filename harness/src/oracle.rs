//! The oracle: from facts to verdicts that are wrong, and verdicts that are right, by the rows of the
//! book. It reads neither contracts nor evidence.

mod masks;

use std::collections::BTreeMap;

use provely_evaluator::evaluate::DirectiveAction;
use provely_evaluator::verdict::Verdict;

use crate::book::{Advised, FactName, OracleBook, RequiredRow};
use crate::facts::Facts;

pub(crate) use masks::Never;

/// Something that was said and may not be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The row that forbids it.
    pub row: String,
    /// A false VERIFIED.
    pub critical: bool,
}

impl OracleBook {
    /// Rows that a verdict and its advice break.
    #[must_use]
    pub fn breaches(&self, facts: &Facts, verdict: Verdict, advice: DirectiveAction) -> Vec<Breach> {
        let advised = match advice {
            DirectiveAction::RetryAction => Some(Advised::RetryAction),
            DirectiveAction::None
            | DirectiveAction::Wait
            | DirectiveAction::Resubmit
            | DirectiveAction::Recheck
            | DirectiveAction::Stop => None,
        };
        let rows = self.never.iter().filter(|row| applies(&row.when, facts));
        let broken = rows.filter(|row| {
            row.verdicts.contains(&verdict) || advised.is_some_and(|advice| row.advice.contains(&advice))
        });
        broken
            .map(|row| Breach {
                row: row.id.clone(),
                critical: verdict == Verdict::Verified && row.verdicts.contains(&verdict),
            })
            .collect()
    }

    /// The row that says what has to be said.
    #[must_use]
    pub fn required(&self, facts: &Facts) -> Option<&RequiredRow> {
        self.required.iter().find(|row| applies(&row.when, facts))
    }
}

fn applies(when: &BTreeMap<FactName, Vec<String>>, facts: &Facts) -> bool {
    when.iter().all(|(name, values)| values.iter().any(|value| value == facts.value(*name)))
}
