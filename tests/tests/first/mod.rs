//! Runs the first evaluator on a trace and gives its answer in the shape of the second one's.

use provely_evaluator::contract::Contract;
use provely_evaluator::evaluate::{ConditionKind, evaluate};
use provely_evaluator::evidence::Evidence;
use provely_evaluator::load::Program;
use provely_evaluator::operation::Operation;
use provely_evaluator::time::Time;
use provely_tests::naive::{Truth, Verdict};
use serde::de::DeserializeOwned;
use serde_json::Value;

fn part<T: DeserializeOwned>(trace: &Value, name: &str) -> Result<T, String> {
    serde_json::from_value(trace[name].clone()).map_err(|error| format!("{name}: {error}"))
}

/// The first evaluator's answer, or why the trace is not one that it takes.
pub fn answer(trace: &Value) -> Result<Verdict, String> {
    let contract: Contract = part(trace, "contract")?;
    let operation: Operation = part(trace, "operation")?;
    let evidence: Evidence = part(trace, "evidence")?;
    let now: Time = part(trace, "now")?;
    let program = Program::load(contract).map_err(|errors| {
        let lines: Vec<String> =
            errors.iter().map(|error| format!("{} {} {}", error.code, error.path, error.message)).collect();
        lines.join("\n")
    })?;
    let evaluation = evaluate(&program, &operation, &evidence, now);
    let conditions = evaluation
        .conditions
        .iter()
        .filter(|outcome| matches!(outcome.kind, ConditionKind::Positive | ConditionKind::Negative))
        .map(|outcome| (outcome.id.to_owned(), truth(&format!("{:?}", outcome.truth))))
        .collect();
    Ok(Verdict {
        verdict: serde_json::to_value(evaluation.verdict)
            .ok()
            .and_then(|verdict| verdict.as_str().map(str::to_owned))
            .unwrap_or_default(),
        terminal: evaluation.terminal,
        escalated: evaluation.escalated,
        expired: evaluation.expired,
        reason_code: evaluation.reason_code.to_owned(),
        conditions,
    })
}

fn truth(name: &str) -> Truth {
    match name {
        "Holds" => Truth::Holds,
        "Fails" => Truth::Fails,
        _ => Truth::Unknown,
    }
}
