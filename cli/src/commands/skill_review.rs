//! `provely skill review BUNDLE`: the open questions of a bundle, shown and answered. It must not answer any itself,
//! nor write an answer that would not be taken.

use crate::answer::Answer;
use crate::dialogue::{self, Said};
use crate::failure::Failure;
use crate::files;
use crate::questions;
use crate::review::{Origin, read};
use crate::session::Session;
use crate::summary_text::line;
use provely_compiler::ingest::{Ingested, ingest};
use provely_compiler::review::{Bundle, OpenQuestion, holds, write_answer};
use provely_compiler::source::{self, read_review};
use provely_evaluator::time::Time;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  provely skill review ./vendor-review
  provely skill review ./vendor-review --list --json
  provely skill review ./vendor-review --answer state:job.status:done=terminal_success \\
    --assertion vendor.docs#jobs/p4 --reviewer 'A. Reviewer'

On a terminal the questions are asked one after the other; each answer is written
at once. Elsewhere they are listed. Compile again to see what an answer changed.";

/// Arguments of `skill review`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The folder that `skill generate` wrote the open questions to
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,
    /// List the questions, those that hold back most first
    #[arg(long, conflicts_with = "answer")]
    list: bool,
    /// Answer one question
    #[arg(long, value_name = "ID=ANSWER", requires = "assertion")]
    answer: Option<String>,
    /// The assertion that says so
    #[arg(long, value_name = "ID", requires = "answer")]
    assertion: Option<String>,
    /// Who answers, else the user of the system
    #[arg(long, value_name = "NAME")]
    reviewer: Option<String>,
    /// The day of the answer, else today
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: Option<String>,
    /// The file of answers, else the one that was compiled with
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
}

/// A bundle at work.
pub struct Desk {
    /// The questions.
    pub bundle: Bundle,
    pub(crate) origin: Origin,
    pub(crate) folder: PathBuf,
    pub(crate) to: PathBuf,
    pub(crate) reviewer: String,
    pub(crate) date: String,
    pub(crate) found: Option<Ingested>,
}

#[derive(Serialize)]
struct Listed<'d> {
    service: &'d str,
    answers: String,
    open: &'d [OpenQuestion],
    answered: Vec<source::Answer>,
}

impl Arguments {
    /// The questions, or what was written.
    ///
    /// # Errors
    /// If the folder is no bundle, an answer is not offered, or no source holds the assertion.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let mut desk = self.desk(session)?;
        let mut text = String::new();
        let mut written = Vec::new();
        if let (Some(given), Some(assertion)) = (&self.answer, &self.assertion) {
            let (id, answer) = given.split_once('=').ok_or_else(|| {
                Failure::new("answer_malformed", "`--answer` is `ID=ANSWER`").help("put `=` between them")
            })?;
            written.push(desk.write(id, answer.trim(), assertion)?);
        } else if session.can_ask() && !self.list {
            let said = dialogue::hold(&mut desk, &mut io::stdin().lock(), &mut io::stderr().lock());
            written = said.map_err(|error| Failure::new("dialogue_broken", error.to_string()))?;
        } else {
            let given = desk.given()?;
            questions::list(&desk.bundle, &given, &mut text);
            let answered = given.into_iter().filter(|own| desk.bundle.question(&own.uncertainty).is_some());
            let listed = Listed {
                service: &desk.bundle.service,
                answers: desk.to.display().to_string(),
                open: &desk.bundle.open,
                answered: answered.collect(),
            };
            return Answer::done(text, &listed);
        }
        desk.report(&written, &mut text);
        Answer::done(text, &written)
    }

    fn desk(&self, session: &Session) -> Result<Desk, Failure> {
        let (bundle, origin) = read(&self.bundle)?;
        let usual = || origin.answers.as_ref().map(|path| tidy(&self.bundle.join(path)));
        let to = self.to.clone().or_else(usual).ok_or_else(|| {
            Failure::new("answers_nowhere", "the bundle names no file of answers")
                .help("name one with `--to FILE`")
        })?;
        let date = self.date.clone().unwrap_or_else(|| session.today());
        if date.len() != 10 || Time::parse(&format!("{date}T00:00:00Z")).is_err() {
            let message = format!("`{}` is no day", date.escape_debug());
            return Err(Failure::new("date_malformed", message).help("write it as `2026-09-05`"));
        }
        let user = || session.variable("USER").or_else(|| session.variable("USERNAME"));
        let reviewer = self.reviewer.clone().or_else(|| user().and_then(|name| name.into_string().ok()));
        let reviewer = reviewer.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        Ok(Desk {
            bundle,
            origin,
            folder: self.bundle.clone(),
            to,
            reviewer: reviewer.unwrap_or_default(),
            date,
            found: None,
        })
    }
}

impl Desk {
    /// The answers that the file holds.
    ///
    /// # Errors
    /// If it is malformed.
    pub fn given(&self) -> Result<Vec<source::Answer>, Failure> {
        let text = self.text()?;
        let is_blank = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        if is_blank { Ok(Vec::new()) } else { Ok(read_review(&self.to.display().to_string(), &text)?) }
    }

    fn text(&self) -> Result<String, Failure> {
        if self.to.exists() { files::text(&self.to) } else { Ok(String::new()) }
    }

    /// Writes an answer that the question offers and that a source stands behind.
    ///
    /// # Errors
    /// If it is none, or the file cannot be written.
    pub fn write(&mut self, id: &str, answer: &str, assertion: &str) -> Result<source::Answer, Failure> {
        self.check_answer(id, answer)?;
        self.check_assertion(assertion)?;
        if self.reviewer.is_empty() {
            return Err(Failure::new("reviewer_missing", "it is not known who answers")
                .help("name yourself with `--reviewer NAME`"));
        }
        let answer = source::Answer {
            uncertainty: id.to_owned(),
            answer: answer.to_owned(),
            assertion: assertion.to_owned(),
            reviewer: self.reviewer.clone(),
            date: self.date.clone(),
        };
        let name = self.to.display().to_string();
        let edited = write_answer(&name, &self.text()?, &answer)
            .map_err(|error| Failure::file("answer_unwritable", &self.to, error))?;
        files::write(&self.to, edited.as_bytes(), false)?;
        Ok(answer)
    }

    /// # Errors
    /// If there is no such question, or it does not offer the answer.
    pub fn check_answer(&self, id: &str, answer: &str) -> Result<(), Failure> {
        let Some(question) = self.bundle.question(id) else {
            let known = self.bundle.open.iter().map(|question| question.id.as_str());
            let help = match provely_document::nearest(id, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`--list` shows the questions".to_owned(),
            };
            let message = format!("the bundle has no question `{}`", id.escape_debug());
            return Err(Failure::new("question_unknown", message).help(help));
        };
        if question.offers(answer) {
            return Ok(());
        }
        let message = format!("`{id}` does not offer the answer `{}`", answer.escape_debug());
        let offered = match question.answers.as_slice() {
            [] => "say it in words".to_owned(),
            offered => format!("it offers: {}", offered.join(", ")),
        };
        Err(Failure::new("answer_not_offered", message).help(offered))
    }

    /// # Errors
    /// If no source holds the assertion, or the sources cannot be read.
    pub fn check_assertion(&mut self, assertion: &str) -> Result<(), Failure> {
        let found = match self.found.take() {
            Some(found) => found,
            None => ingest(&self.origin.load(&self.folder)?)?,
        };
        let held = holds(&[&found], assertion);
        let near = found.passages.iter().map(|passage| passage.assertion.as_str());
        let near = if held { None } else { provely_document::nearest(assertion, near).map(str::to_owned) };
        self.found = Some(found);
        if held {
            return Ok(());
        }
        let help = near.map_or_else(
            || "cite one of those that `--list` shows, or a paragraph of the documents".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        let message = format!("no source holds the assertion `{}`", assertion.escape_debug());
        Err(Failure::new("assertion_unknown", message).help(help))
    }

    fn report(&self, written: &[Said], text: &mut String) {
        for answer in written {
            line(text, 0, &format!("{} = {}", answer.uncertainty, answer.answer));
        }
        let noun = if written.len() == 1 { "answer" } else { "answers" };
        line(text, 0, &format!("wrote {} {noun} to {}", written.len(), self.to.display()));
        if !written.is_empty() {
            line(text, 0, &format!("compile again to see what changed: `{}`", self.origin.again));
        }
    }
}

/// A path without the detour through folders that it leaves again.
fn tidy(path: &Path) -> PathBuf {
    let real = path.parent().and_then(|parent| parent.canonicalize().ok());
    match (real, path.file_name()) {
        (Some(parent), Some(name)) => {
            let here = std::env::current_dir().unwrap_or_default();
            parent.strip_prefix(&here).map(Path::to_owned).unwrap_or(parent).join(name)
        }
        _ => path.to_owned(),
    }
}
