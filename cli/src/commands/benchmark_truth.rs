//! `provely benchmark truth`: compiled descriptions beside labels made by hand. It must not judge by itself.

use crate::answer::Answer;
use crate::failure::Failure;
use crate::files;
use crate::session::Session;
use crate::summary_text::line;
use provely_compiler::truth::{Label, read_labels, specs};
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Example:
  provely benchmark truth --labels lifecycles.yaml --corpus ./descriptions";

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
}

#[derive(Serialize)]
struct Counts {
    specs: usize,
    resources: usize,
    states: usize,
    operations: usize,
}

impl Arguments {
    /// What the labels hold.
    ///
    /// # Errors
    /// If the labels are malformed or the folder is missing.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let labels = labels(&self.labels(session)?)?;
        let counts = Counts {
            specs: specs(&labels).len(),
            resources: labels.len(),
            states: labels.iter().map(|label| label.states.len()).sum(),
            operations: labels.iter().map(|label| label.operations.len()).sum(),
        };
        self.corpus(session)?;
        let mut text = String::new();
        let Counts { specs, resources, states, operations } = counts;
        let counted = format!(
            "{resources} resources of {specs} descriptions, {states} states, {operations} operations"
        );
        line(&mut text, 0, &counted);
        Answer::done(text, &counts)
    }

    fn labels(&self, session: &Session) -> Result<PathBuf, Failure> {
        let configured =
            || session.variable("PROVELY_LABELS").map(|dir| Path::new(&dir).join("lifecycles.yaml"));
        self.labels.clone().or_else(configured).ok_or_else(|| {
            Failure::new("labels_missing", "no labels are named").help("name them with `--labels FILE`")
        })
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

fn labels(path: &Path) -> Result<Vec<Label>, Failure> {
    let text = files::text(path)?;
    Ok(read_labels(&path.display().to_string(), &text)?)
}
