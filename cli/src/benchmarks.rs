//! The figures of a service, measured and kept in its package. What is measured is decided by the harness.

use crate::compilation::{Stage, compile_in_memory};
use crate::failure::Failure;
use crate::home::{Home, NamedKey};
use crate::package::{self, MANIFEST};
use crate::progress::Progress;
use crate::session::Session;
use crate::sources;
use provely_compiler::certify::with_benchmark;
use provely_compiler::plan::Planned;
use provely_compiler::test::{Entry, entries, hashes};
use provely_evaluator::hash::Digest;
use provely_evaluator::manifest::Manifest;
use provely_harness::benchmark::{self, Delay, FILE, HistoryCounts, Matrix, SkillFigures};
use provely_harness::histories::{self, Finding, Histories, Replay};
use provely_harness::subjects::Subject;
use provely_harness::{CaseBook, Report};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The figures of a service, and its cases.
pub struct Measured {
    /// The figures.
    pub figures: SkillFigures,
    /// The cases.
    pub report: Report,
    /// How long the histories took, in seconds.
    pub seconds: Option<f64>,
    /// The histories that went wrong; each replays from contract and seed.
    pub findings: Vec<Finding>,
}

/// Compiles a service in memory and runs everything on what it publishes.
///
/// # Errors
/// If the sources are missing or malformed, or a subject does not answer.
pub fn measure(
    session: &Session,
    root: &Path,
    id: &str,
    (seed, histories): (u64, Option<u64>),
    subjects: &[&dyn Subject],
) -> Result<Measured, Failure> {
    let sources = sources::of_service(root, id)?;
    let made = compile_in_memory(session, &sources, Some(id), Stage::Synthesise)?;
    let mut progress = Progress::new(session);
    progress.begin("cases");
    let trials = made.trials(sources.service.as_ref(), seed, subjects)?;
    let heard = trials.heard;
    progress.end(&format!("{} of {} passed", heard.report.passed, heard.report.total));
    if let Some((name, case, why)) = heard.unable.first() {
        return Err(Failure::new("subject_failed", format!("`{name}` on {case}: {why}"))
            .help("benchmark/README.md says what a subject is told and what it may answer"));
    }
    let played = match (histories, &made.planned) {
        (Some(count), Some(planned)) => {
            progress.begin("histories");
            let start = Instant::now();
            let figures = ready(planned, &trials.entries, &trials.book).run(count, seed);
            let seconds = start.elapsed().as_secs_f64();
            progress.end(&format!("{} played", figures.run));
            Some((figures, seconds))
        }
        (None, _) | (_, None) => None,
    };
    let contracts =
        hashes(&trials.entries).map_err(|error| Failure::new("benchmark_failed", error.to_string()))?;
    let figures = SkillFigures {
        service: made.found.service.clone(),
        contracts: contracts.into_iter().map(|(id, hash)| benchmark::Measured { id, hash }).collect(),
        benchmark_version: trials.book.version,
        seed: seed.to_string(),
        matrix: Matrix::from(&heard.report),
        subjects: heard.figures,
        delay: Delay::of(heard.delays),
        histories: played.as_ref().map(|(figures, _)| HistoryCounts::from(figures)),
    };
    let (findings, seconds) =
        played.map_or_else(Default::default, |(figures, seconds)| (figures.findings, Some(seconds)));
    Ok(Measured { figures, report: heard.report, seconds, findings })
}

/// The levels of what is published, ready for random histories.
fn ready<'m>(planned: &'m Planned, entries: &'m [Entry], book: &'m CaseBook) -> Histories<'m> {
    let ready = |own: &'m Entry| histories::Entry {
        program: &own.program,
        operation: &own.operation,
        level: &own.level,
    };
    let entries: Vec<histories::Entry<'m>> = entries.iter().map(ready).collect();
    Histories::new(&planned.service, &entries, book)
}

/// Plays one history of a service again; nothing where it publishes no such contract.
///
/// # Errors
/// If the sources are missing or malformed.
pub fn replay(
    session: &Session,
    root: &Path,
    id: &str,
    (contract, seed): (&str, u64),
) -> Result<Option<Replay>, Failure> {
    let sources = sources::of_service(root, id)?;
    let made = compile_in_memory(session, &sources, Some(id), Stage::Synthesise)?;
    let (Some(planned), Some(written)) = (&made.planned, &made.written) else { return Ok(None) };
    let entries = entries(planned, written, sources.service.as_ref())
        .map_err(|error| Failure::new("benchmark_failed", error.to_string()))?;
    let book = CaseBook::builtin().map_err(|finding| Failure::new(finding.code, finding.message.clone()))?;
    Ok(ready(planned, &entries, &book).replay(contract, seed))
}

/// Keeps the figures in the package of the service and signs its manifest again.
///
/// # Errors
/// If there is no package, or it holds other contracts than were measured.
pub fn keep(session: &Session, root: &Path, figures: &SkillFigures) -> Result<PathBuf, Failure> {
    let folder = root.join("skills").join(&figures.service);
    let files =
        package::read(&folder).map_err(|failure| failure.help("compile it: `provely skill generate`"))?;
    let signer = Home::find(session).and_then(|home| home.signing_key())?.unwrap_or_else(NamedKey::test);
    let unwritable =
        |error: provely_evaluator::json::ToValueError| Failure::new("benchmark_failed", error.to_string());
    let text = figures.to_file().map_err(unwritable)?;
    let mut files = texts(files)?;
    benchmarked(&mut files, &text, &signer).map_err(|failure| failure.at(&folder))?;
    package::write(&folder, &files)?;
    Ok(folder)
}

/// Puts the figures of a package that is replaced into the new one, if its seal is trusted and its contracts are the
/// same. Figures that nobody vouches for are never signed again.
///
/// # Errors
/// If the trusted keys are malformed.
pub fn carry_over(
    session: &Session,
    old: &Path,
    files: &mut BTreeMap<String, String>,
    signer: &NamedKey,
) -> Result<Kept, Failure> {
    let Ok(text) = crate::files::text(&old.join(FILE)) else { return Ok(Kept::None) };
    let keys = Home::package_keys(session, None)?;
    let sealed = crate::files::text(&old.join(MANIFEST)).ok();
    let opened = sealed.and_then(|sealed| Manifest::open(&sealed, &keys).ok());
    let named = opened.and_then(|manifest| Some(manifest.benchmark.as_ref()?.digest));
    let vouched = named == Some(Digest::of(text.as_bytes()));
    let fits = vouched && benchmarked(files, &text, signer).is_ok();
    Ok(if fits { Kept::Same } else { Kept::Stale })
}

/// What became of the figures of a package that was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// There were none.
    None,
    /// They hold for the new contracts.
    Same,
    /// They are of other contracts, or nobody vouches for them, and are gone.
    Stale,
}

fn benchmarked(files: &mut BTreeMap<String, String>, text: &str, signer: &NamedKey) -> Result<(), Failure> {
    let manifest = files.get(MANIFEST).map(String::as_str).unwrap_or_default();
    let sealed = with_benchmark(manifest, text, &signer.key, &signer.id)
        .map_err(|error| Failure::new(error.code(), error.to_string()))?;
    files.insert(FILE.to_owned(), text.to_owned());
    files.insert(MANIFEST.to_owned(), sealed);
    Ok(())
}

fn texts(files: package::Files) -> Result<BTreeMap<String, String>, Failure> {
    let text = |(path, bytes): (String, Vec<u8>)| match String::from_utf8(bytes) {
        Ok(text) => Ok((path, text)),
        Err(_) => Err(Failure::new("package_not_text", format!("`{path}` is no text"))
            .help("compile the package again")),
    };
    files.into_iter().map(text).collect()
}
