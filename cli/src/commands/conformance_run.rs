//! `provely conformance run`: plays the cases of a service, a package or a contract file. It must not let a false
//! VERIFIED pass as anything else than CRITICAL.

use crate::answer::Answer;
use crate::compilation::{Compilation, Stage, compile_in_memory};
use crate::contracts;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files;
use crate::package;
use crate::progress::Progress;
use crate::session::Session;
use crate::sources::SourcesAt;
use crate::summary_text::line;
use crate::tapes;
use provely_compiler::source::Sources;
use provely_compiler::synthesise::Synthesis;
use provely_compiler::test::{Entry, level_of, play, published, untested};
use provely_evaluator::load::Program;
use provely_harness::tape::replay;
use provely_harness::{Report, print};
use provely_runtime::Mode;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  provely conformance run stripe
  provely conformance run skills/stripe --junit report.xml
  provely conformance run refund.yaml --sources sources/stripe --seed 7
  provely conformance run ./acme-skill --sources ./acme.yaml
  provely conformance run stripe --replay recording";

/// Arguments of `conformance run`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// A service under `sources/`, the folder of a package, or a contract file
    #[arg(value_name = "SERVICE|DIR|FILE")]
    subject: String,
    #[command(flatten)]
    sources: SourcesAt,
    /// The seed of the cases; equal seeds give equal runs
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Run on this recording instead of the cases: a folder of `provely record`
    #[arg(long, value_name = "DIR", conflicts_with_all = ["junit", "seed"])]
    replay: Option<PathBuf>,
    /// The recorded account is live; else it is a test account
    #[arg(long, requires = "replay")]
    live: bool,
    /// Write the report as JUnit XML besides
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    junit: Option<PathBuf>,
}

impl Arguments {
    /// The report of the cases.
    ///
    /// # Errors
    /// If the subject or its sources are missing or malformed; a failed case is an answer.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let subject = Path::new(&self.subject);
        let programs = if subject.is_dir() {
            Some(of_package(subject)?)
        } else if subject.is_file() {
            Some(vec![contracts::load(subject)?])
        } else {
            None
        };
        let named = match programs.as_deref() {
            None => self.subject.as_str(),
            Some(programs) => programs.first().map_or("", |program| program.contract().service.as_str()),
        };
        let sources = self.sources.load(session, named)?;
        let made = compile_in_memory(session, &sources, Some(named), Stage::Synthesise)?;
        let entries = match programs {
            None => own(&made, &sources)?,
            Some(programs) => given(programs, &made)?,
        };
        match &self.replay {
            Some(folder) => rerun(folder, self.live, &made, &entries),
            None => self.report(session, &made, &entries),
        }
    }

    fn report(&self, session: &Session, made: &Compilation, entries: &[Entry]) -> Result<Answer, Failure> {
        let planned = made.planned.as_ref().ok_or_else(nothing)?;
        let mut progress = Progress::new(session);
        progress.begin(Stage::Test.name());
        let (_, report) = play(&planned.service, entries, self.seed)?;
        progress.end(&format!("{} of {} cases passed", report.passed, report.total));
        let untested = untested(entries, &report);
        if let Some(path) = &self.junit {
            files::write(path, print::junit(&report).as_bytes(), false)?;
        }
        let clean = report.is_clean() && untested.is_empty();
        let exit = if clean { Exit::Done } else { Exit::Refused };
        Answer::new(exit, text(&report, &untested), &report)
    }
}

/// The contracts on a recording. The exit is that of the verdict that is furthest from VERIFIED.
fn rerun(folder: &Path, live: bool, made: &Compilation, entries: &[Entry]) -> Result<Answer, Failure> {
    let planned = made.planned.as_ref().ok_or_else(nothing)?;
    let exchanges = tapes::read(folder)?;
    let programs: Vec<Program> = entries.iter().map(|entry| entry.program.clone()).collect();
    let mode = if live { Mode::Live } else { Mode::Test };
    let replayed = replay(&planned.service, &programs, &exchanges, mode).map_err(|error| {
        let known: Vec<&str> = entries.iter().map(|entry| entry.operation.as_str()).collect();
        Failure::file("recording_unusable", folder, error)
            .help(format!("the actions are: {}", known.join(", ")))
    })?;
    let exits = replayed.runs.iter().map(|run| Exit::from(run.verdict));
    let exit = exits.max_by_key(|exit| exit.code()).unwrap_or(Exit::Refused);
    Answer::new(exit, print::replayed(&replayed), &replayed)
}

fn text(report: &Report, untested: &[&str]) -> String {
    let mut text = print::table(report);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    for id in untested {
        line(&mut text, 0, &format!("not tested: {id}, no case applies to it"));
    }
    for case in report.cases.iter().filter(|case| case.critical) {
        line(&mut text, 0, &format!("CRITICAL {}: a false VERIFIED; {}", case.id, case.why()));
    }
    text
}

fn of_package(folder: &Path) -> Result<Vec<Program>, Failure> {
    let manifest = package::manifest(folder)?;
    manifest.contracts.iter().map(|entry| contracts::load(&folder.join(&entry.path))).collect()
}

/// What the service publishes.
fn own(made: &Compilation, sources: &Sources) -> Result<Vec<Entry>, Failure> {
    let written = made.written.as_ref().ok_or_else(nothing)?;
    let wanted = published(written, sources.service.as_ref());
    let entries = wanted.into_iter().map(|synthesis| {
        let program = Program::load(synthesis.contract.clone()).map_err(|_| nothing())?;
        entry(program, synthesis, made)
    });
    entries.collect()
}

/// Contracts that were handed in, each judged by the level of the model that its operation and level name.
fn given(programs: Vec<Program>, made: &Compilation) -> Result<Vec<Entry>, Failure> {
    let written = made.written.as_ref().ok_or_else(nothing)?;
    let entries = programs.into_iter().map(|program| {
        let contract = program.contract();
        let fits = |own: &&Synthesis| {
            let same_level = [&own.level, &own.contract.completion_level]
                .into_iter()
                .any(|name| *name == contract.completion_level);
            own.operation == contract.action.operation && same_level
        };
        let synthesis = written.contracts.iter().find(fits).ok_or_else(|| {
            let what = format!("`{}` level `{}`", contract.action.operation, contract.completion_level);
            let known: Vec<String> =
                written.contracts.iter().map(|own| format!("{} {}", own.operation, own.level)).collect();
            Failure::new("level_unknown", format!("the model of `{}` has no {what}", contract.service))
                .help(format!("there are: {}", known.join(", ")))
        })?;
        entry(program, synthesis, made)
    });
    entries.collect()
}

fn entry(program: Program, synthesis: &Synthesis, made: &Compilation) -> Result<Entry, Failure> {
    let planned = made.planned.as_ref().ok_or_else(nothing)?;
    let level = level_of(planned, synthesis, &program.contract().id).ok_or_else(nothing)?;
    Ok(Entry { program, operation: synthesis.operation.clone(), level })
}

fn nothing() -> Failure {
    Failure::new("nothing_to_run", "the sources give no contract to run")
}
