//! The conformance artifact before it is sealed: which contracts, by hash, passed which cases, with what
//! seed, against what. Values that a seal can hold: no floats, seeds as text.

use provely_evaluator::hash::Digest;
use provely_evaluator::json::{Object, ToValueError, Value, to_value};
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;
use serde::Serialize;

use crate::report::{CaseResult, NotApplicable, Report, Tally};

/// The version of the artifact's format.
const SCHEMA_VERSION: &str = "1.0.0";

/// Where a run comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance<'a> {
    /// The service.
    pub service: &'a str,
    /// Contract ids and hashes.
    pub contracts: &'a [(String, Digest)],
    /// Version of the case book.
    pub benchmark_version: &'a str,
    /// The seed of the run.
    pub seed: u64,
    /// What was run against.
    pub ran_against: RanAgainst,
    /// When, as the caller says.
    pub run_at: Time,
}

pub use provely_evaluator::manifest::RanAgainst;

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'a str,
    service: &'a str,
    benchmark_version: &'a str,
    ran_against: RanAgainst,
    run_at: Time,
    seed: String,
    contracts: Vec<Contract<'a>>,
    totals: Totals,
    classes: &'a std::collections::BTreeMap<String, Tally>,
    cases: Vec<Case<'a>>,
    not_applicable: &'a [NotApplicable],
}

#[derive(Serialize)]
struct Contract<'a> {
    id: &'a str,
    hash: Digest,
}

#[derive(Serialize)]
struct Totals {
    total: u32,
    passed: u32,
    critical_false_verified: u32,
}

#[derive(Serialize)]
struct Case<'a> {
    id: &'a str,
    class: &'a str,
    contract_id: &'a str,
    seed: String,
    required: &'a [Verdict],
    got: Option<Verdict>,
    passed: bool,
    critical: bool,
    why: String,
}

/// The artifact, ready for `provely_evaluator::seal::seal_value`.
///
/// # Errors
/// Never for a report of this crate; the writer's error otherwise.
pub fn artifact(report: &Report, from: &Provenance<'_>) -> Result<Value, ToValueError> {
    let contracts = from.contracts.iter().map(|(id, hash)| Contract { id, hash: *hash }).collect();
    let document = Document {
        schema_version: SCHEMA_VERSION,
        service: from.service,
        benchmark_version: from.benchmark_version,
        ran_against: from.ran_against,
        run_at: from.run_at,
        seed: from.seed.to_string(),
        contracts,
        totals: Totals {
            total: report.total,
            passed: report.passed,
            critical_false_verified: report.critical_false_verified,
        },
        classes: &report.classes,
        cases: report.cases.iter().map(case).collect(),
        not_applicable: &report.not_applicable,
    };
    let value = to_value(&document)?;
    Ok(match value {
        Value::Object(object) => Value::Object(without_nulls(object)),
        other => other,
    })
}

fn case(result: &CaseResult) -> Case<'_> {
    Case {
        id: &result.id,
        class: &result.class,
        contract_id: &result.contract_id,
        seed: result.seed.to_string(),
        required: &result.required,
        got: result.got,
        passed: result.passed,
        critical: result.critical,
        why: result.why(),
    }
}

fn without_nulls(object: Object) -> Object {
    object
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect()
}
