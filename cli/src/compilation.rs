//! The stages of the compiler one after the other, each timed. It must not do the work of any, nor write a file.

use crate::failure::Failure;
use crate::home::NamedKey;
use crate::progress::Progress;
use crate::session::Session;
use clap::ValueEnum;
use provely_compiler::certify::{Certified, CertifyError, Input, Release, Run, certify};
use provely_compiler::classify::{Classified, classify};
use provely_compiler::ingest::{Ingested, ingest};
use provely_compiler::plan::{Gathered, Planned, Rules, plan};
use provely_compiler::review::{Reviewed, holds, review};
use provely_compiler::source::{Answer, Names, ServiceFile, Sources};
use provely_compiler::synthesise::{Synthesised, join, synthesise};
use provely_compiler::test::{TestError, Tested as TestedStage, Trials, test, trials};
use provely_compiler::uncertainty::Uncertainty;
use provely_evaluator::load::LoadError;
use provely_evaluator::time::Time;
use provely_harness::Report;
use provely_harness::subjects::Subject;
use std::collections::BTreeSet;

/// The version of the skills that this build writes.
pub const SKILL_VERSION: &str = "0.1.0";

/// A stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Stage {
    /// Read the sources
    Ingest,
    /// Name effects, resources and lifecycles
    Classify,
    /// Plan how outcomes are read
    Plan,
    /// Write contracts
    Synthesise,
    /// Play conformance cases
    Test,
    /// Score, pack and sign
    Certify,
}

impl Stage {
    /// The name, as arguments and reports have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Classify => "classify",
            Self::Plan => "plan",
            Self::Synthesise => "synthesise",
            Self::Test => "test",
            Self::Certify => "certify",
        }
    }
}

/// What to compile, and how.
pub struct Job<'j> {
    /// The sources.
    pub sources: &'j Sources,
    /// The id of the service, instead of the one that the sources give.
    pub service: Option<&'j str>,
    /// The last stage.
    pub until: Stage,
    /// Versions and time of the package.
    pub release: Release,
    /// The signing key.
    pub signer: &'j NamedKey,
    /// The seed of the conformance cases.
    pub seed: u64,
}

/// What the stages gave; those that were not run gave nothing.
pub struct Compilation {
    /// Stage 1, of the version that is asked for by default.
    pub found: Ingested,
    /// Stages 1 and 3 of the other versions that sources name.
    further: Vec<(Ingested, Option<Planned>)>,
    /// Stage 2.
    pub classified: Option<Classified>,
    /// Stage 3.
    pub planned: Option<Planned>,
    /// Stage 4.
    pub written: Option<Synthesised>,
    /// The questions, after the answers.
    pub reviewed: Option<Reviewed>,
    /// Stage 5.
    pub tested: Option<Tested>,
    /// Stage 6.
    pub certified: Option<Certified>,
    /// What each answer changed; only known where a package is written.
    pub answers: Vec<crate::answers::Effect>,
    /// Milliseconds by stage.
    pub timings: Vec<(Stage, u64)>,
}

/// What the conformance cases gave.
pub struct Tested {
    /// The cases.
    pub report: Report,
    /// Contracts for which no case could be run.
    pub untested: Vec<String>,
    run: Run,
}

impl Tested {
    /// The run, sealed.
    #[must_use]
    pub const fn run(&self) -> &Run {
        &self.run
    }
}

impl Compilation {
    /// Stage 1 of every version, the default one first.
    pub(crate) fn editions(&self) -> impl Iterator<Item = &Ingested> {
        std::iter::once(&self.found).chain(self.further.iter().map(|(found, _)| found))
    }

    /// Takes other answers in the place of those that were given; the later stages are not run again.
    pub(crate) fn answer_with(&mut self, answers: &[Answer]) {
        self.found.review = answers.to_vec();
        for (found, _) in &mut self.further {
            found.review = answers.to_vec();
        }
    }

    /// Plays every case of what the service publishes, and asks these subjects besides.
    ///
    /// # Errors
    /// If stages 3 and 4 were not run, or a case cannot be played.
    pub fn trials(
        &self,
        file: Option<&ServiceFile>,
        seed: u64,
        subjects: &[&dyn Subject],
    ) -> Result<Trials, Failure> {
        let planned = self.planned.as_ref().ok_or_else(out_of_order)?;
        let written = self.written.as_ref().ok_or_else(out_of_order)?;
        let further: Vec<Planned> = self.further.iter().filter_map(|(_, planned)| planned.clone()).collect();
        trials(planned, &further, written, file, seed, subjects).map_err(|error| unplayed(&error))
    }

    /// The questions that are open so far.
    #[must_use]
    pub fn open(&self) -> Vec<&Uncertainty> {
        if let Some(reviewed) = &self.reviewed {
            return reviewed.open.iter().collect();
        }
        let planned = self.planned.iter().flat_map(|planned| &planned.uncertainties);
        match &self.classified {
            Some(classified) => classified.uncertainties.iter().chain(planned).collect(),
            None => self.found.uncertainties.iter().collect(),
        }
    }
}

/// Runs the stages as far as `until`, for what is read in memory alone: no package comes of it.
///
/// # Errors
/// As [`compile`].
pub fn compile_in_memory(
    session: &Session,
    sources: &Sources,
    id: Option<&str>,
    until: Stage,
) -> Result<Compilation, Failure> {
    let release = Release {
        skill_version: SKILL_VERSION.to_owned(),
        compiler_version: env!("CARGO_PKG_VERSION").to_owned(),
        compiled_at: Time::from_seconds(0),
    };
    let signer = NamedKey::test();
    // A service file names the service itself.
    let service = if sources.service.is_none() { id } else { None };
    let job = Job { sources, service, until, release, signer: &signer, seed: 0 };
    compile(&job, &mut Progress::new(session))
}

/// Runs the stages.
///
/// # Errors
/// What is malformed in the sources, an answer that fits no question, a critical false VERIFIED, or what cannot be
/// sealed.
pub fn compile(job: &Job<'_>, progress: &mut Progress) -> Result<Compilation, Failure> {
    progress.begin(Stage::Ingest.name());
    let editions = job.sources.editions().map_err(|error| Failure::new(error.code(), error.to_string()))?;
    let (first, others) = editions.split_first().ok_or_else(out_of_order)?;
    let mut found = read(job, &first.sources)?;
    let further = others.iter().map(|edition| read(job, &edition.sources)).collect::<Result<Vec<_>, _>>()?;
    let known: BTreeSet<String> = found.sources.iter().map(|source| source.id.clone()).collect();
    let others = further.iter().flat_map(|edition| &edition.sources);
    found.sources.extend(others.filter(|source| !known.contains(&source.id)).cloned().collect::<Vec<_>>());
    let took = progress.end(&format!(
        "{} operations, {} schemas, {} passages",
        found.operations.len(),
        found.schemas.len(),
        found.passages.len()
    ));
    let mut made = Compilation {
        found,
        further: further.into_iter().map(|found| (found, None)).collect(),
        classified: None,
        planned: None,
        written: None,
        reviewed: None,
        tested: None,
        certified: None,
        answers: Vec::new(),
        timings: vec![(Stage::Ingest, took)],
    };
    let steps: [(Stage, Step); 5] = [
        (Stage::Classify, run_classify),
        (Stage::Plan, run_plan),
        (Stage::Synthesise, run_synthesise),
        (Stage::Test, run_test),
        (Stage::Certify, run_certify),
    ];
    for (stage, step) in steps.into_iter().filter(|(stage, _)| *stage <= job.until) {
        progress.begin(stage.name());
        let note = step(job, &mut made)?;
        let took = progress.end(&note);
        made.timings.push((stage, took));
    }
    Ok(made)
}

fn read(job: &Job<'_>, sources: &Sources) -> Result<Ingested, Failure> {
    let mut found = ingest(sources)?;
    if let Some(id) = job.service {
        id.clone_into(&mut found.service);
    }
    Ok(found)
}

/// Runs one stage and says what came of it.
type Step = fn(&Job<'_>, &mut Compilation) -> Result<String, Failure>;

fn run_classify(_: &Job<'_>, made: &mut Compilation) -> Result<String, Failure> {
    let classified = classify(&made.found);
    let lifecycles = classified.service.resources.iter().filter(|resource| resource.lifecycle.is_some());
    let acting = classified.service.operations.iter().filter(|operation| operation.effect.acts());
    let note = format!(
        "{} acting, {} resources, {} lifecycles",
        acting.count(),
        classified.service.resources.len(),
        lifecycles.count()
    );
    made.classified = Some(classified);
    Ok(note)
}

fn run_plan(_: &Job<'_>, made: &mut Compilation) -> Result<String, Failure> {
    let classified = made.classified.as_ref().ok_or_else(out_of_order)?;
    let gathered = Gathered::of(&made.found, classified);
    let planned = plan(&gathered.known(&classified.service), &rules()?);
    let note =
        format!("{} plans", planned.service.operations.iter().filter(|one| one.plan.is_some()).count());
    made.planned = Some(planned);
    Ok(note)
}

fn run_synthesise(job: &Job<'_>, made: &mut Compilation) -> Result<String, Failure> {
    let planned = made.planned.as_ref().ok_or_else(out_of_order)?;
    let names = job.sources.service.as_ref().map_or_else(Names::default, |file| file.names.clone());
    let classified = made.classified.as_ref().ok_or_else(out_of_order)?;
    let mut closed = classified.answered.clone();
    let mut raised = classified.uncertainties.clone();
    let mut editions = Vec::new();
    for (found, plans) in &mut made.further {
        let own = classify(found);
        let planned = plan(&Gathered::of(found, &own).known(&own.service), &rules()?);
        let written = synthesise(&planned, &names, &rules()?);
        raised.extend(own.uncertainties.iter().chain(&planned.uncertainties).cloned());
        closed.extend(own.answered);
        editions.push(written);
        *plans = Some(planned);
    }
    let written = join(synthesise(planned, &names, &rules()?), &editions);
    raised.extend(planned.uncertainties.iter().chain(&written.uncertainties).cloned());
    let found: Vec<&Ingested> = made.editions().collect();
    let held = |assertion: &str| holds(&found, assertion);
    let reviewed = review(raised, &closed, &job.sources.review, held).map_err(|errors| {
        let failures = errors.iter().map(|error| Failure::new(error.code(), error.to_string()));
        Failure::joined(failures.map(|failure| failure.help("see `review.yaml` of the sources")).collect())
    })?;
    let note = format!("{} contracts, {} open questions", written.contracts.len(), reviewed.open.len());
    (made.written, made.reviewed) = (Some(written), Some(reviewed));
    Ok(note)
}

fn run_test(job: &Job<'_>, made: &mut Compilation) -> Result<String, Failure> {
    let planned = made.planned.as_ref().ok_or_else(out_of_order)?;
    let written = made.written.as_ref().ok_or_else(out_of_order)?;
    let file = job.sources.service.as_ref();
    let compiled_at = job.release.compiled_at;
    let further: Vec<Planned> = made.further.iter().filter_map(|(_, planned)| planned.clone()).collect();
    let made_by_stage =
        test(planned, &further, written, file, job.seed, compiled_at).map_err(|error| unplayed(&error))?;
    let TestedStage { report, untested, result, artifact } = made_by_stage;
    let note = format!("{} of {} cases passed", report.passed, report.total);
    let run = Run::seal(result, &artifact, &job.signer.key, &job.signer.id)
        .map_err(|error| refused(&error, &report))?;
    made.tested = Some(Tested { run, report, untested });
    Ok(note)
}

fn run_certify(job: &Job<'_>, made: &mut Compilation) -> Result<String, Failure> {
    let planned = made.planned.as_ref().ok_or_else(out_of_order)?;
    let tested = made.tested.as_ref().ok_or_else(out_of_order)?;
    let input = Input {
        service: &planned.service,
        sources: &made.found.sources,
        file: job.sources.service.as_ref(),
        written: made.written.as_ref().ok_or_else(out_of_order)?,
        reviewed: made.reviewed.as_ref().ok_or_else(out_of_order)?,
        run: &tested.run,
        release: &job.release,
    };
    let certified =
        certify(input, &job.signer.key, &job.signer.id).map_err(|error| refused(&error, &tested.report))?;
    let note = format!("{} points, {}", certified.score.after_caps, certified.score.level);
    made.certified = Some(certified);
    Ok(note)
}

fn unplayed(error: &TestError) -> Failure {
    match error {
        TestError::NoLevel { .. } => Failure::new("level_unknown", error.to_string()),
        TestError::Refused { id, errors } => {
            let text = |error: &LoadError| format!("`{id}` at `{}`: {}", error.path, error.message);
            Failure::joined(errors.iter().map(|error| Failure::new(error.code, text(error))).collect())
        }
        TestError::Book(finding) => Failure::new(finding.code, finding.message.clone()),
        TestError::Unwritable(why) => Failure::new("artifact_unwritable", why.clone()),
    }
}

/// A failure of the last stage, for people.
pub(crate) fn refused(error: &CertifyError, report: &Report) -> Failure {
    let failure = Failure::new(error.code(), error.to_string());
    match error {
        CertifyError::CriticalFalseVerified { .. } => {
            let critical = report.cases.iter().filter(|case| case.critical).take(5);
            let named = critical.map(|case| {
                let fault = case.faults.first().map_or("", String::as_str);
                format!("\n          CRITICAL {}: {fault}", case.id)
            });
            failure.help(format!("nothing was written; see `--emit test`{}", named.collect::<String>()))
        }
        CertifyError::NotWritten { .. } | CertifyError::Nothing => {
            failure.help("`--until synthesise` shows what was written and which questions are open")
        }
        CertifyError::Benchmark { .. } | CertifyError::Unsealable { .. } => failure,
    }
}

/// The rules that plans and contracts are made by.
pub(crate) fn rules() -> Result<Rules, Failure> {
    Ok(Rules::builtin()?)
}

fn out_of_order() -> Failure {
    Failure::new("stage_missing", "an earlier stage gave nothing")
}
