//! `provely benchmark run`: the skills, four baselines and other people's checkers on the same cases. It must not
//! call a run clean in which the skill was wrong once.

use crate::answer::Answer;
use crate::benchmarks::{self, Measured};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files;
use crate::outside::Outside;
use crate::session::Session;
use crate::sources;
use provely_harness::subjects::{Baseline, Subject};
use provely_harness::{CaseResult, Report, benchmark::SkillFigures, print};
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  provely benchmark run
  provely benchmark run stripe --json
  provely benchmark run stripe --subject \"python3 my_checker.py\"
  provely benchmark run stripe --junit report.xml --markdown report.md
  provely benchmark run stripe --write

A subject is a program that reads one line of JSON, may ask for reads, and
answers {\"verdict\": \"VERIFIED\"}; see benchmark/README.md.";

/// Arguments of `benchmark run`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Services under `sources/`; else all of them
    #[arg(value_name = "SERVICE")]
    services: Vec<String>,
    /// The seed of everything; equal seeds give equal figures
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// A program that is asked besides; may be given several times
    #[arg(long, value_name = "COMMAND")]
    subject: Vec<String>,
    /// Keep the figures in the package, as `benchmark.json`
    #[arg(long, conflicts_with = "subject")]
    write: bool,
    /// Write the cases as JUnit XML besides
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the figures as Markdown besides
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// The folder that holds `sources/` and `skills/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

/// What the command answers.
#[derive(Serialize)]
struct Run<'r> {
    clean: bool,
    skills: Vec<Skill<'r>>,
}

#[derive(Serialize)]
struct Skill<'r> {
    #[serde(flatten)]
    figures: &'r SkillFigures,
    failed: Vec<&'r CaseResult>,
}

impl Arguments {
    /// The figures of every skill.
    ///
    /// # Errors
    /// If sources are missing or malformed, a program that is asked does not answer, or what is kept in a package
    /// does not fit it; a failed case is an answer.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let root = sources::root(session, self.root.as_deref());
        let outside = self.outside()?;
        let baselines = Baseline::ALL.iter().map(|own| own as &dyn Subject);
        let subjects: Vec<&dyn Subject> =
            baselines.chain(outside.iter().map(|own| own as &dyn Subject)).collect();
        let measured = self
            .services(&root)?
            .iter()
            .map(|id| benchmarks::measure(session, &root, id, self.seed, &subjects))
            .collect::<Result<Vec<_>, _>>()?;
        let mut text = text(&measured);
        if self.write {
            for own in &measured {
                let folder = benchmarks::keep(session, &root, &own.figures)?;
                text.push_str(&format!(
                    "\nwrote {} to {}\n",
                    provely_harness::benchmark::FILE,
                    folder.display()
                ));
            }
        }
        self.reports(&measured)?;
        let clean = measured.iter().all(|own| own.figures.is_clean());
        let skills = measured.iter().map(|own| Skill {
            figures: &own.figures,
            failed: own.report.cases.iter().filter(|case| !case.passed).collect(),
        });
        let run = Run { clean, skills: skills.collect() };
        Answer::new(if clean { Exit::Done } else { Exit::Refused }, text, &run)
    }

    fn outside(&self) -> Result<Vec<Outside>, Failure> {
        let programs = self.subject.iter().map(|line| {
            Outside::new(line).ok_or_else(|| {
                Failure::new("subject_missing", "`--subject` names no program")
                    .help("write the command, such as `--subject \"python3 my_checker.py\"`")
            })
        });
        programs.collect()
    }

    fn services(&self, root: &Path) -> Result<Vec<String>, Failure> {
        if !self.services.is_empty() {
            return Ok(self.services.clone());
        }
        let all = sources::services(root);
        if all.is_empty() {
            let message = format!("there are no sources under {}", root.display());
            return Err(Failure::new("service_unknown", message)
                .help("name the folder that holds `sources/` with `--root`"));
        }
        Ok(all)
    }

    fn reports(&self, measured: &[Measured]) -> Result<(), Failure> {
        if let Some(path) = &self.junit {
            let mut all = Report::default();
            measured.iter().for_each(|own| all.merge(own.report.clone()));
            files::write(path, print::junit(&all).as_bytes(), false)?;
        }
        if let Some(path) = &self.markdown {
            let figures: Vec<SkillFigures> = measured.iter().map(|own| own.figures.clone()).collect();
            files::write(path, print::markdown(&figures).as_bytes(), false)?;
        }
        Ok(())
    }
}

fn text(measured: &[Measured]) -> String {
    let mut text = String::new();
    for own in measured {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{} (seed {})\n\n", own.figures.service, own.figures.seed));
        // What does not apply is told by `conformance run`, case by case.
        let shown = Report { not_applicable: Vec::new(), ..own.report.clone() };
        text.push_str(&print::table(&shown));
        text.push('\n');
        text.push_str(&print::figures(&own.figures));
    }
    text
}
