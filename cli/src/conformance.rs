//! Plays the cases of contracts on the model of their service. Cases and judgement are the harness's; nothing
//! here reads a contract to judge it.

use provely_compiler::plan::{Planned, target_of};
use provely_compiler::source::ServiceFile;
use provely_compiler::synthesise::{self, Synthesis, Synthesised, levels_of};
use provely_document::Diagnostic;
use provely_evaluator::load::Program;
use provely_harness::{Case, CaseBook, Level, Promise, Report, generate, run};
use provely_model::{Operation, Service};
use rayon::prelude::*;

/// A contract, and what its level promises.
pub struct Entry {
    /// The contract.
    pub program: Program,
    /// The id of the acting operation.
    pub operation: String,
    /// Its level, in states of the lifecycle.
    pub level: Level,
}

/// The level that a written contract stands for.
#[must_use]
pub fn level_of(planned: &Planned, synthesis: &Synthesis, contract_id: &str) -> Option<Level> {
    let service = &planned.service;
    let operation = service.operation(&synthesis.operation)?;
    let level = levels(service, operation)?.into_iter().find(|level| level.name == synthesis.level)?;
    // Of changes and deletions the harness says that it has no case for them.
    let of_state = matches!(serde_json::to_value(level.promise).ok()?.as_str()?, "reached" | "failed");
    let promise = match (of_state, level.states.is_empty()) {
        (true, _) => Promise::Reaches(level.states),
        // No class is certain: the promise says so, and is of existence alone.
        (false, true) => Promise::Present,
        (false, false) => Promise::Exists,
    };
    Some(Level { contract_id: contract_id.to_owned(), name: level.name, promise })
}

fn levels(service: &Service, operation: &Operation) -> Option<Vec<synthesise::Level>> {
    let plan = operation.plan.as_ref()?;
    let resource = service.resource(operation.resource.as_deref()?)?;
    let target = target_of(operation, service.operation(plan.readback.as_deref()?)?)?;
    Some(levels_of(operation, resource, plan, &target))
}

/// The contracts that the service file publishes, or all where it names none.
#[must_use]
pub fn published<'w>(written: &'w Synthesised, file: Option<&ServiceFile>) -> Vec<&'w Synthesis> {
    let wanted = file.map_or(&[][..], |file| file.publish.as_slice());
    let is_wanted = |synthesis: &&Synthesis| {
        wanted.is_empty()
            || wanted.iter().any(|publication| {
                let named = |level: &String| {
                    *level == synthesis.level || *level == synthesis.contract.completion_level
                };
                publication.operation == synthesis.operation
                    && (publication.levels.is_empty() || publication.levels.iter().any(named))
            })
    };
    written.contracts.iter().filter(is_wanted).collect()
}

/// Plays every case of every contract, in parallel; the report keeps the order of contracts and book.
///
/// # Errors
/// If the book that this build carries cannot be read.
pub fn play(service: &Service, entries: &[Entry], seed: u64) -> Result<(CaseBook, Report), Box<Diagnostic>> {
    let book = CaseBook::builtin().map_err(Box::new)?;
    let cases: Vec<(&Entry, Case)> = entries
        .iter()
        .flat_map(|entry| {
            generate(service, &entry.operation, &entry.level, &book)
                .into_iter()
                .map(move |case| (entry, case))
        })
        .collect();
    let results: Vec<_> = cases
        .par_iter()
        .map(|(entry, case)| case.not_applicable.is_none().then(|| run(&entry.program, service, case, seed)))
        .collect();
    let mut report = Report::default();
    for ((_, case), result) in cases.iter().zip(results) {
        match result {
            Some(result) => report.add(result),
            None => report.skip(case),
        }
    }
    Ok((book, report))
}

/// The ids of the contracts for which no case was run.
#[must_use]
pub fn untested<'e>(entries: &'e [Entry], report: &Report) -> Vec<&'e str> {
    let ids = entries.iter().map(|entry| entry.level.contract_id.as_str());
    ids.filter(|id| !report.cases.iter().any(|case| case.contract_id == *id)).collect()
}
