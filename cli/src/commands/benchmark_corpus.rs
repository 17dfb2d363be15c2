//! `provely benchmark corpus`: every description of a folder, compiled as far as its contracts, as one table. It
//! must not judge them.

use crate::answer::Answer;
use crate::corpus::{Compiled, Refusal, compile_all, folder_of};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::peak_memory;
use provely_compiler::corpus::Counts;
use provely_compiler::plan::Rules;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  provely benchmark corpus --corpus ./descriptions
  provely benchmark corpus --corpus ./descriptions --json

Ends with 1 if the compiler failed on a file; a file that is refused is an answer.";

/// Arguments of `benchmark corpus`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The folder; each vendor has a folder of its own in it
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
}

/// The sums of one folder.
#[derive(Debug, Default, Serialize)]
struct Row {
    specs: usize,
    read: usize,
    refused: usize,
    failed: usize,
    #[serde(flatten)]
    counts: Counts,
    milliseconds: u64,
}

#[derive(Serialize)]
struct Report<'r> {
    folders: BTreeMap<&'r str, Row>,
    total: Row,
    specs: &'r [Compiled],
    milliseconds: u64,
    specs_per_second: u64,
    peak_memory_kilobytes: Option<u64>,
}

impl Arguments {
    /// Compiles and counts.
    ///
    /// # Errors
    /// If the folder cannot be listed, or holds no description.
    pub fn run(self) -> Result<Answer, Failure> {
        let rules = Rules::builtin()?;
        let begun = Instant::now();
        let specs = compile_all(&self.corpus, &rules)?;
        let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut folders: BTreeMap<&str, Row> = BTreeMap::new();
        let mut total = Row::default();
        for compiled in &specs {
            folders.entry(folder_of(&compiled.file)).or_default().add(compiled);
            total.add(compiled);
        }
        let count = u64::try_from(specs.len()).unwrap_or(u64::MAX);
        let specs_per_second = count.saturating_mul(1000) / milliseconds.max(1);
        let exit = if total.failed == 0 { Exit::Done } else { Exit::Refused };
        let report = Report {
            folders,
            total,
            specs: &specs,
            milliseconds,
            specs_per_second,
            peak_memory_kilobytes: peak_memory(),
        };
        Answer::new(exit, report.text(), &report)
    }
}

impl Row {
    fn add(&mut self, compiled: &Compiled) {
        self.specs += 1;
        self.read += usize::from(compiled.counts.is_some());
        self.refused += usize::from(!compiled.refused.is_empty());
        self.failed += usize::from(compiled.failed.is_some());
        self.counts += compiled.counts.unwrap_or_default();
        self.milliseconds += compiled.milliseconds;
    }

    fn write(&self, name: &str, text: &mut String) {
        let Counts { operations, acting, readbacks, contracts, uncertainties, .. } = self.counts;
        let (specs, read, refused, time) = (self.specs, self.read, self.refused, self.milliseconds);
        let _ = writeln!(
            text,
            "{name:<30} {specs:>5} {read:>5} {refused:>7} {operations:>10} {acting:>7} {readbacks:>9} {contracts:>9} {uncertainties:>9} {time:>7}"
        );
    }
}

impl Report<'_> {
    fn text(&self) -> String {
        let mut text = format!(
            "{:<30} {:>5} {:>5} {:>7} {:>10} {:>7} {:>9} {:>9} {:>9} {:>7}\n",
            "folder",
            "specs",
            "read",
            "refused",
            "operations",
            "acting",
            "readbacks",
            "contracts",
            "questions",
            "ms"
        );
        for (name, row) in &self.folders {
            row.write(name, &mut text);
        }
        self.total.write("total", &mut text);
        for compiled in self.specs {
            if let Some(refusal) = compiled.refused.first() {
                let _ = write!(text, "\nrefused {}\n  {}", compiled.file, line(refusal));
                if compiled.refused.len() > 1 {
                    let _ = write!(text, "; and {} more", compiled.refused.len() - 1);
                }
            }
        }
        for compiled in self.specs {
            if let Some(said) = &compiled.failed {
                let _ = write!(text, "\nFAILED {}\n  {said}", compiled.file);
            }
        }
        let (specs, rate) = (self.specs.len(), self.specs_per_second);
        let _ = write!(text, "\n\n{specs} specs in {} ms, {rate} a second", self.milliseconds);
        if let Some(peak) = self.peak_memory_kilobytes {
            let _ = write!(text, ", peak memory {} MB", peak.div_ceil(1024));
        }
        text.push('\n');
        text
    }
}

fn line(refusal: &Refusal) -> String {
    let Refusal { code, message, file, line, column } = refusal;
    match (line, column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}: [{code}] {message}"),
        _ => format!("{file}: [{code}] {message}"),
    }
}
