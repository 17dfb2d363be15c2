//! `provely benchmark truth`: compiled descriptions beside labels made by hand. It must not judge by itself.

use crate::answer::Answer;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files;
use crate::handed::is_graphql;
use crate::session::Session;
use crate::truth_text;
use provely_compiler::source::{load_graphql, load_openapi};
use provely_compiler::truth::{
    Compiled, Findings, Floors, Label, Truth, judge, read_floors, read_labels, specs,
};
use provely_document::Diagnostic;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  provely benchmark truth --labels lifecycles.yaml --corpus ./descriptions
  provely benchmark truth --vendor acme --misses
  provely benchmark truth --floors benchmark/truth.yaml";

/// Arguments of `benchmark truth`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The labels; else `lifecycles.yaml` in the folder `PROVELY_LABELS`
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The folder of descriptions; else `PROVELY_CORPUS`
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Only the labels of this vendor; may be given again
    #[arg(long, value_name = "NAME")]
    vendor: Vec<String>,
    /// List everything that is not as labelled
    #[arg(long)]
    misses: bool,
    /// Exit 1 if a figure is below its floor in this file
    #[arg(long, value_name = "FILE", conflicts_with = "vendor")]
    floors: Option<PathBuf>,
    /// Raise the floors to what was reached
    #[arg(long, requires = "floors")]
    raise: bool,
}

impl Arguments {
    /// The comparison.
    ///
    /// # Errors
    /// If labels or floors are malformed, or the folder is missing.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let labels = self.labels(session)?;
        let corpus = self.corpus(session)?;
        let floors = self.floors.as_deref().map(Floored::read).transpose()?;
        let truth = compare(&labels, &corpus);
        let floored = floors.as_ref().map(|floored| &floored.floors);
        let text = truth_text::text(&truth, floored, self.misses);
        let holds = floored.is_none_or(|floors| floors.below(&truth.figures).is_empty());
        if let (true, true, Some(floored)) = (self.raise, holds, &floors) {
            floored.raise(&truth)?;
        }
        Answer::new(if holds { Exit::Done } else { Exit::Refused }, text, &truth)
    }

    fn labels(&self, session: &Session) -> Result<Vec<Label>, Failure> {
        let configured =
            || session.variable("PROVELY_LABELS").map(|folder| Path::new(&folder).join("lifecycles.yaml"));
        let path = self.labels.clone().or_else(configured).ok_or_else(|| {
            Failure::new("labels_missing", "no labels are named").help("name them with `--labels FILE`")
        })?;
        let mut labels = read_labels(&path.display().to_string(), &files::text(&path)?)?;
        self.check_vendors(&labels)?;
        labels.retain(|label| self.vendor.is_empty() || self.vendor.contains(&label.vendor));
        Ok(labels)
    }

    fn check_vendors(&self, labels: &[Label]) -> Result<(), Failure> {
        let known: BTreeSet<&str> = labels.iter().map(|label| label.vendor.as_str()).collect();
        let Some(unknown) = self.vendor.iter().find(|vendor| !known.contains(vendor.as_str())) else {
            return Ok(());
        };
        let help = match provely_document::nearest(unknown, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are: {}", known.into_iter().collect::<Vec<_>>().join(", ")),
        };
        let message = format!("no label is about `{}`", unknown.escape_debug());
        Err(Failure::new("vendor_unknown", message).help(help))
    }

    fn corpus(&self, session: &Session) -> Result<PathBuf, Failure> {
        let configured = || session.variable("PROVELY_CORPUS").map(PathBuf::from);
        let folder = self.corpus.clone().or_else(configured).ok_or_else(|| {
            Failure::new("corpus_missing", "no folder of descriptions is named")
                .help("name it with `--corpus DIR`")
        })?;
        if folder.is_dir() {
            return Ok(folder);
        }
        Err(Failure::file("folder_missing", &folder, "no such folder").help("check the path"))
    }
}

/// A file of floors, with its text.
struct Floored<'p> {
    path: &'p Path,
    text: String,
    floors: Floors,
}

impl<'p> Floored<'p> {
    fn read(path: &'p Path) -> Result<Self, Failure> {
        let text = files::text(path)?;
        let floors = read_floors(&path.display().to_string(), &text)?;
        Ok(Self { path, text, floors })
    }

    fn raise(&self, truth: &Truth) -> Result<(), Failure> {
        let raised = self.floors.raised(&self.text, &truth.figures);
        if raised == self.text { Ok(()) } else { files::write(self.path, raised.as_bytes(), false) }
    }
}

/// Every description that a label names, compiled once each, on all cores.
fn compare(labels: &[Label], corpus: &Path) -> Truth {
    let specs: Vec<&str> = specs(labels).into_iter().collect();
    let findings: Vec<Findings> = specs
        .par_iter()
        .map(|spec| {
            let compiled = compiled(&corpus.join(spec));
            judge(spec, labels, compiled.as_ref().map_err(String::as_str))
        })
        .collect();
    Truth::of(findings)
}

/// A description, or why it cannot be compiled.
fn compiled(path: &Path) -> Result<Compiled, String> {
    let loaded = if is_graphql(path) { load_graphql(path) } else { load_openapi(path) };
    let sources = loaded.map_err(|error| error.to_string())?;
    let first = |findings: Vec<Diagnostic>| findings.first().map(ToString::to_string).unwrap_or_default();
    Compiled::of(&sources).map_err(first)
}
