//! Stage 5: the published contracts, played against the simulator. Cases and judgement are the harness's;
//! nothing here reads a contract to judge it.

use std::fmt;

use provely_document::Diagnostic;
use provely_evaluator::hash::Digest;
use provely_evaluator::json::Value;
use provely_evaluator::load::{LoadError, Program, contract_hash};
use provely_evaluator::manifest::{ClassResult, Conformance, RanAgainst};
use provely_evaluator::time::Time;
use provely_harness::subjects::{Figures, Hearing, SKILL, Subject};
use provely_harness::{Case, CaseBook, CaseResult, Level, Promise, Report, Setting, generate, print};
use provely_model::{Operation, Service};
use rayon::prelude::*;

use crate::plan::{Planned, Target, target_of};
use crate::source::ServiceFile;
use crate::synthesise::{self, Synthesis, Synthesised, levels_of};

/// What the conformance cases gave.
#[derive(Debug)]
pub struct Tested {
    /// The cases.
    pub report: Report,
    /// Contracts for which no case could be run.
    pub untested: Vec<String>,
    /// The sum, as manifests carry it; its digest comes with the seal.
    pub result: Conformance,
    /// The run as a document, to be sealed.
    pub artifact: Value,
}

/// Why the cases could not be played.
#[derive(Debug)]
pub enum TestError {
    /// A contract that stands for no level of its operation.
    NoLevel {
        /// The contract's id.
        id: String,
    },
    /// A contract that the loader refuses.
    Refused {
        /// The contract's id.
        id: String,
        /// The broken rules.
        errors: Vec<LoadError>,
    },
    /// The book that this build carries cannot be read.
    Book(Box<Diagnostic>),
    /// A contract or the run cannot be written canonically.
    Unwritable(String),
}

impl fmt::Display for TestError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLevel { id } => write!(out, "`{id}` stands for no level"),
            Self::Refused { id, errors } => {
                let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
                write!(out, "`{id}` does not load: {}", texts.join("; "))
            }
            Self::Book(finding) => write!(out, "{finding}"),
            Self::Unwritable(why) => out.write_str(why),
        }
    }
}

impl std::error::Error for TestError {}

/// Plays every case of the published contracts: against the service as it is by default, and against each further
/// edition of it whose versions a contract covers.
///
/// # Errors
/// [`TestError`].
pub fn test(
    planned: &Planned,
    further: &[Planned],
    written: &Synthesised,
    file: Option<&ServiceFile>,
    seed: u64,
    run_at: Time,
) -> Result<Tested, TestError> {
    let Trials { book, entries, heard } = trials(planned, further, written, file, seed, &[])?;
    let report = heard.report;
    let contracts = hashes(&entries)?;
    let from = print::Provenance {
        service: &planned.service.id,
        contracts: &contracts,
        benchmark_version: &book.version,
        seed,
        ran_against: RanAgainst::Simulator,
        run_at,
    };
    let artifact =
        print::artifact(&report, &from).map_err(|error| TestError::Unwritable(error.to_string()))?;
    let untested = untested(&entries, &report).into_iter().map(str::to_owned).collect();
    Ok(Tested { result: summed(&report, run_at), report, untested, artifact })
}

/// Every case of a service, played.
pub struct Trials {
    /// The cases that there are.
    pub book: CaseBook,
    /// The contracts.
    pub entries: Vec<Entry>,
    /// What came of it.
    pub heard: Heard,
}

/// Plays every case of the published contracts, as [`test()`] does, and asks other subjects besides.
///
/// # Errors
/// [`TestError`].
pub fn trials(
    planned: &Planned,
    further: &[Planned],
    written: &Synthesised,
    file: Option<&ServiceFile>,
    seed: u64,
    subjects: &[&dyn Subject],
) -> Result<Trials, TestError> {
    let entries = entries(planned, written, file)?;
    let (book, mut heard) = hear(&planned.service, &entries, seed, subjects).map_err(TestError::Book)?;
    for edition in further {
        let service = &edition.service;
        let version = service.version.as_ref().map_or("", |rule| rule.default.as_str());
        let mut own = self::entries(edition, written, file)?;
        own.retain(|entry| entry.program.covers(version));
        let (_, played) = hear(service, &own, seed, subjects).map_err(TestError::Book)?;
        heard.add_edition(played, version);
    }
    Ok(Trials { book, entries, heard })
}

/// The ids of contracts with their hashes.
///
/// # Errors
/// [`TestError::Unwritable`] for a contract that has no canonical form.
pub fn hashes(entries: &[Entry]) -> Result<Vec<(String, Digest)>, TestError> {
    let contracts = entries.iter().map(|entry| {
        let contract = entry.program.contract();
        contract_hash(contract).map(|hash| (contract.id.clone(), hash))
    });
    contracts.collect::<Result<_, _>>().map_err(|error| TestError::Unwritable(error.to_string()))
}

/// The published contracts, ready to be played.
///
/// # Errors
/// [`TestError::NoLevel`] and [`TestError::Refused`].
pub fn entries(
    planned: &Planned,
    written: &Synthesised,
    file: Option<&ServiceFile>,
) -> Result<Vec<Entry>, TestError> {
    let entries = published(written, file).into_iter().map(|synthesis| {
        let contract = synthesis.contract.clone();
        let id = contract.id.clone();
        let level = level_of(planned, synthesis, &id).ok_or_else(|| TestError::NoLevel { id: id.clone() })?;
        let program = Program::load(contract).map_err(|errors| TestError::Refused { id, errors })?;
        Ok(Entry { program, operation: synthesis.operation.clone(), level })
    });
    entries.collect()
}

/// The sum of a run, as manifests carry it.
fn summed(report: &Report, run_at: Time) -> Conformance {
    let classes = report.classes.iter().map(|(class, tally)| ClassResult {
        class: class.clone(),
        passed: tally.passed.into(),
        total: tally.total.into(),
    });
    Conformance {
        total: report.total.into(),
        passed: report.passed.into(),
        critical_false_verified: report.critical_false_verified.into(),
        digest: Digest::of(&[]),
        ran_against: RanAgainst::Simulator,
        run_at,
        classes: classes.collect(),
    }
}

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
    let (target, levels) = levels(service, operation)?;
    let level = levels.into_iter().find(|level| level.name == synthesis.level)?;
    let promise = match level.promise {
        synthesise::Promise::Reached | synthesise::Promise::Failed => Promise::Reaches(level.states),
        // No class is certain: the promise says so, and is of existence alone.
        synthesise::Promise::Exists if level.states.is_empty() => Promise::Present,
        synthesise::Promise::Exists => Promise::Exists,
        synthesise::Promise::Changed => Promise::Changed,
        // What a list comes to hold, no simulated provider puts there; what is shown may have been there before.
        synthesise::Promise::Altered | synthesise::Promise::Added | synthesise::Promise::Shown => {
            Promise::Altered
        }
        synthesise::Promise::Gone => Promise::Gone,
    };
    let existing = target.parameter().map(str::to_owned);
    Some(Level { contract_id: contract_id.to_owned(), name: level.name, promise, existing })
}

fn levels(service: &Service, operation: &Operation) -> Option<(Target, Vec<synthesise::Level>)> {
    let plan = operation.plan.as_ref()?;
    let resource = service.resource(operation.resource.as_deref()?)?;
    let target = target_of(operation, service.operation(plan.readback.as_deref()?)?)?;
    let levels = levels_of(operation, resource, plan, &target);
    Some((target, levels))
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

/// What came of the cases, and what other subjects said.
#[derive(Debug, Default)]
pub struct Heard {
    /// The cases.
    pub report: Report,
    /// The skill itself, then the other subjects in their order.
    pub figures: Vec<Figures>,
    /// How long each VERIFIED came after the truth, in milliseconds.
    pub delays: Vec<i64>,
    /// Subjects that could not answer: name, case and why.
    pub unable: Vec<(String, String, String)>,
}

impl Heard {
    fn new(subjects: &[&dyn Subject]) -> Self {
        let names = std::iter::once(SKILL).chain(subjects.iter().map(|own| own.name()));
        Self { figures: names.map(Figures::new).collect(), ..Self::default() }
    }

    fn add(&mut self, result: CaseResult, hearing: Hearing) {
        for (place, sheet) in hearing.sheets {
            if let Some(figures) = self.figures.get_mut(place) {
                figures.add(sheet);
            }
        }
        for (place, why) in hearing.unable {
            let name = self.figures.get(place).map_or_else(String::new, |own| own.name.clone());
            self.unable.push((name, result.id.clone(), why));
        }
        self.delays.extend(hearing.delays);
        self.report.add(result);
    }

    fn add_edition(&mut self, other: Self, version: &str) {
        for mut result in other.report.cases {
            result.id = format!("{}@{version}", result.id);
            self.report.add(result);
        }
        for (own, further) in self.figures.iter_mut().zip(&other.figures) {
            own.merge(further);
        }
        self.delays.extend(other.delays);
        self.unable.extend(other.unable);
    }
}

/// Plays every case of every contract, in parallel; the report keeps the order of contracts and book.
///
/// # Errors
/// If the book that this build carries cannot be read.
pub fn play(service: &Service, entries: &[Entry], seed: u64) -> Result<(CaseBook, Report), Box<Diagnostic>> {
    hear(service, entries, seed, &[]).map(|(book, heard)| (book, heard.report))
}

/// As [`play`], and asks other subjects besides.
///
/// # Errors
/// If the book that this build carries cannot be read.
pub fn hear(
    service: &Service,
    entries: &[Entry],
    seed: u64,
    subjects: &[&dyn Subject],
) -> Result<(CaseBook, Heard), Box<Diagnostic>> {
    let book = CaseBook::builtin().map_err(Box::new)?;
    let cases: Vec<(&Entry, Case)> = entries
        .iter()
        .flat_map(|entry| {
            generate(service, &entry.operation, &entry.level, &book)
                .into_iter()
                .map(move |case| (entry, case))
        })
        .collect();
    let setting = Setting::new(service);
    let results: Vec<_> = cases
        .par_iter()
        .map(|(entry, case)| {
            case.not_applicable.is_none().then(|| setting.hear(&entry.program, case, seed, subjects))
        })
        .collect();
    let mut heard = Heard::new(subjects);
    for ((_, case), result) in cases.iter().zip(results) {
        match result {
            Some((result, hearing)) => heard.add(result, hearing),
            None => heard.report.skip(case),
        }
    }
    Ok((book, heard))
}

/// The ids of the contracts for which no case was run.
#[must_use]
pub fn untested<'e>(entries: &'e [Entry], report: &Report) -> Vec<&'e str> {
    let ids = entries.iter().map(|entry| entry.level.contract_id.as_str());
    ids.filter(|id| !report.cases.iter().any(|case| case.contract_id == *id)).collect()
}
