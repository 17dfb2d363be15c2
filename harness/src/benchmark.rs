//! The figures of one skill in the benchmark, and how they are kept in its package. Counts alone: nothing is run and
//! nothing is judged here.

use std::collections::BTreeMap;

use provely_evaluator::hash::Digest;
use provely_evaluator::json::{ToValueError, Value, from_value, parse, to_value};
use serde::{Deserialize, Serialize};

use crate::report::{Report, Tally};
use crate::subjects::Figures;

/// The file of a package that keeps them.
pub const FILE: &str = "benchmark.json";

/// The version of that file's format.
const SCHEMA_VERSION: &str = "1.0.0";

/// The figures of one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillFigures {
    /// The service.
    pub service: String,
    /// The contracts that were measured.
    pub contracts: Vec<Measured>,
    /// Version of the cases.
    pub benchmark_version: String,
    /// The seed of everything, as text.
    pub seed: String,
    /// The cases.
    pub matrix: Matrix,
    /// The skill itself, the baselines and whoever else was asked.
    pub subjects: Vec<Figures>,
    /// How long VERIFIED came after the truth, in virtual time.
    pub delay: Delay,
    /// Random histories, where some were played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histories: Option<HistoryCounts>,
}

/// What random histories gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryCounts {
    /// Histories that were played.
    pub run: u64,
    /// Those in which VERIFIED was said and was not so.
    pub false_verified: u64,
    /// Those in which CONTRADICTED was said and was not so.
    pub false_contradicted: u64,
    /// Those in which FAILED was said, or a new try advised, while an effect stood or could come.
    pub false_failed: u64,
    /// Those in which VERIFIED came later than it had to, or never.
    pub late: u64,
    /// Those that could not be played to their end.
    pub stuck: u64,
}

impl HistoryCounts {
    /// True if nothing false was said, and every history came to its end.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.false_verified == 0 && self.false_contradicted == 0 && self.false_failed == 0 && self.stuck == 0
    }
}

impl From<&crate::histories::Figures> for HistoryCounts {
    fn from(figures: &crate::histories::Figures) -> Self {
        Self {
            run: figures.run,
            false_verified: figures.false_verified,
            false_contradicted: figures.false_contradicted,
            false_failed: figures.false_failed,
            late: figures.late,
            stuck: figures.stuck,
        }
    }
}

/// A contract that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Its id.
    pub id: String,
    /// Its hash.
    pub hash: Digest,
}

/// The cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// Cases that were run.
    pub total: u32,
    /// Cases that gave the required result.
    pub passed: u32,
    /// Cases in which a false VERIFIED was given.
    pub critical_false_verified: u32,
    /// Cases that do not apply.
    pub not_applicable: u32,
    /// By class.
    pub classes: BTreeMap<String, Tally>,
}

/// How long VERIFIED came after the truth, in milliseconds of virtual time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// How often it was said.
    pub verified: u64,
    /// The median, of an even number the earlier of the two in the middle.
    pub median_ms: i64,
    /// The longest.
    pub worst_ms: i64,
}

impl Delay {
    /// The figures of these delays; zeros of none.
    #[must_use]
    pub fn of(mut delays: Vec<i64>) -> Self {
        delays.sort_unstable();
        let middle = delays.len().saturating_sub(1) / 2;
        Self {
            verified: u64::try_from(delays.len()).unwrap_or(u64::MAX),
            median_ms: delays.get(middle).copied().unwrap_or(0),
            worst_ms: delays.last().copied().unwrap_or(0),
        }
    }
}

impl From<&Report> for Matrix {
    fn from(report: &Report) -> Self {
        Self {
            total: report.total,
            passed: report.passed,
            critical_false_verified: report.critical_false_verified,
            not_applicable: u32::try_from(report.not_applicable.len()).unwrap_or(u32::MAX),
            classes: report.classes.clone(),
        }
    }
}

impl SkillFigures {
    /// True only if nothing is wrong with the skill itself.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let matrix = &self.matrix;
        let histories = self.histories.is_none_or(|own| own.is_clean());
        matrix.total > 0 && matrix.passed == matrix.total && matrix.critical_false_verified == 0 && histories
    }

    /// Reads the file that keeps them; its bytes must be the one printing.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let malformed = |why: String| format!("`{FILE}` is malformed: {why}");
        let mut value = parse(text).map_err(|error| malformed(error.to_string()))?;
        let version = value.as_object_mut().and_then(|members| members.remove("schema_version"));
        if version.as_ref().and_then(Value::as_str) != Some(SCHEMA_VERSION) {
            return Err(malformed(format!("only `schema_version: {SCHEMA_VERSION}` is read")));
        }
        let figures: Self = from_value(&value).map_err(|error| malformed(error.to_string()))?;
        let printed = figures.to_file().map_err(|error| malformed(error.to_string()))?;
        if printed == text { Ok(figures) } else { Err(malformed(String::from("the bytes are not ours"))) }
    }

    /// The one printing of the file that keeps them. The same figures give the same bytes.
    ///
    /// # Errors
    /// Never for figures of this crate; the writer's error otherwise.
    pub fn to_file(&self) -> Result<String, ToValueError> {
        let mut value = to_value(self)?;
        if let Some(members) = value.as_object_mut() {
            members.insert("schema_version", SCHEMA_VERSION);
        }
        Ok(format!("{value:#}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_one_of_the_delays() {
        assert_eq!(Delay::of(Vec::new()), Delay::default());
        let delay = Delay::of(vec![40, 10, 30, 20]);
        assert_eq!((delay.verified, delay.median_ms, delay.worst_ms), (4, 20, 40));
        assert_eq!(Delay::of(vec![3, 1, 2]).median_ms, 2);
    }
}
