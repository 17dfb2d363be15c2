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
use provely_harness::histories::Finding;
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
  provely benchmark run stripe --histories 100000 --seed 7
  provely benchmark run stripe --history stripe.refund.created:42
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
    /// Play so many random histories besides
    #[arg(long, value_name = "N")]
    histories: Option<u64>,
    /// Play one history of the service again, and tell it: a contract and a seed
    #[arg(long, value_name = "CONTRACT:SEED", requires = "services")]
    #[arg(conflicts_with_all = ["histories", "subject", "write", "junit", "markdown"])]
    history: Option<String>,
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
    figures: serde_json::Value,
    failed: Vec<&'r CaseResult>,
    /// Histories that went wrong.
    findings: &'r [Finding],
}

/// A history that was played again.
#[derive(Serialize)]
struct Told<'r> {
    clean: bool,
    wrong: Option<&'r str>,
    /// As a case of the case file.
    case: &'r str,
    story: &'r [String],
    /// A smaller history that goes wrong in the same way.
    shrunk: Option<&'r str>,
}

impl Told<'_> {
    fn text(&self) -> String {
        let mut text = format!("{}\n", self.case.trim_end());
        for line in self.story {
            text.push_str(&format!("  {line}\n"));
        }
        match self.wrong {
            None => text.push_str("\nnothing false was said, and nothing late\n"),
            Some(wrong) => text.push_str(&format!("\nwrong: {wrong}\n")),
        }
        if let Some(shrunk) = self.shrunk {
            text.push_str(&format!("\nshrunk, ready for the case file:\n{}\n", shrunk.trim_end()));
        }
        text
    }
}

impl Arguments {
    /// The figures of every skill.
    ///
    /// # Errors
    /// If sources are missing or malformed, a program that is asked does not answer, or what is kept in a package
    /// does not fit it; a failed case is an answer.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let root = sources::root(session, self.root.as_deref());
        if let Some(named) = &self.history {
            return self.replay(session, &root, named);
        }
        let outside = self.outside()?;
        let baselines = Baseline::ALL.iter().map(|own| own as &dyn Subject);
        let subjects: Vec<&dyn Subject> =
            baselines.chain(outside.iter().map(|own| own as &dyn Subject)).collect();
        let measured = self
            .services(&root)?
            .iter()
            .map(|id| benchmarks::measure(session, &root, id, (self.seed, self.histories), &subjects))
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
            figures: timed(own),
            findings: &own.findings,
            failed: own.report.cases.iter().filter(|case| !case.passed).collect(),
        });
        let run = Run { clean, skills: skills.collect() };
        Answer::new(if clean { Exit::Done } else { Exit::Refused }, text, &run)
    }

    /// One history, played again.
    fn replay(&self, session: &Session, root: &Path, named: &str) -> Result<Answer, Failure> {
        let parts = named.rsplit_once(':').and_then(|(contract, seed)| Some((contract, seed.parse().ok()?)));
        let (Some((contract, seed)), [id]) = (parts, self.services.as_slice()) else {
            return Err(Failure::new(
                "history_unknown",
                format!("`{named}` names no history of one service"),
            )
            .help("write a service, and a contract with a seed: `SERVICE --history CONTRACT:42`"));
        };
        let replay = benchmarks::replay(session, root, id, (contract, seed))?.ok_or_else(|| {
            Failure::new("contract_unknown", format!("`{id}` publishes no contract `{contract}`"))
                .help("`provely skill list` names the contracts")
        })?;
        let told = Told {
            clean: replay.wrong.is_none(),
            wrong: replay.wrong.as_deref(),
            case: &replay.case,
            story: &replay.story,
            shrunk: replay.shrunk.as_ref().map(|own| own.case.as_str()),
        };
        let exit = if told.clean { Exit::Done } else { Exit::Refused };
        Answer::new(exit, told.text(), &told)
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

/// The figures, with how long the histories took: what is kept in a package holds no time.
fn timed(own: &Measured) -> serde_json::Value {
    // Figures of counts and texts have a JSON form.
    let mut figures = serde_json::to_value(&own.figures).unwrap_or_default();
    if let (Some(seconds), Some(histories)) = (own.seconds, figures.get_mut("histories")) {
        histories["seconds"] = seconds.into();
    }
    figures
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
        for one in &own.findings {
            let id = &own.figures.service;
            text.push_str(&format!(
                "  {}\n    provely benchmark run {id} --history {}:{}\n",
                one.what, one.contract, one.seed
            ));
        }
    }
    text
}
