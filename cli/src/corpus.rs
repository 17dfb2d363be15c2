//! Compiles every description of a folder on all cores and keeps what came of each. It must not hide anything: a
//! panic is a failure that names its file.

use crate::failure::Failure;
use provely_compiler::corpus::{Counts, count};
use provely_compiler::plan::Rules;
use provely_compiler::source::{Described, LoadError, descriptions, load_description};
use provely_document::Diagnostic;
use rayon::prelude::*;
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// One description and what came of it.
#[derive(Debug, Serialize)]
pub struct Compiled {
    /// Its path from the folder.
    pub file: String,
    /// What was found; none if it was refused or the compiler failed.
    pub counts: Option<Counts>,
    /// Why it was refused, each finding with its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refusal>,
    /// What the compiler said when it failed; a fault of the compiler, whatever the file holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Time from the first byte read to the last contract, in milliseconds.
    pub milliseconds: u64,
}

/// One reason to refuse a file.
#[derive(Debug, Serialize)]
pub struct Refusal {
    /// Stable code.
    pub code: &'static str,
    /// Why.
    pub message: String,
    /// The file that is at fault: the description, or a part of it.
    pub file: String,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column, from 1.
    pub column: Option<u32>,
}

/// Compiles every description below a folder, in the order of their names. References to files are followed as
/// far as the vendor's folder goes.
///
/// # Errors
/// If the folder cannot be listed, or holds no description.
pub fn compile_all(corpus: &Path, rules: &Rules) -> Result<Vec<Compiled>, Failure> {
    let found = descriptions(corpus).map_err(|error| Failure::file(error.code(), corpus, error))?;
    if found.is_empty() {
        return Err(Failure::file("folder_empty", corpus, "no description stands here")
            .help("name a folder that holds OpenAPI, Swagger or GraphQL descriptions"));
    }
    Ok(found.par_iter().with_max_len(1).map(|described| compile_one(corpus, described, rules)).collect())
}

/// The folder that a description counts for: the vendor's, one level further down where varied ones are kept.
#[must_use]
pub fn folder_of(file: &str) -> &str {
    let mut ends = file.match_indices('/').map(|(at, _)| at);
    let first = ends.next();
    let levels: &[&str] = &["bulk/fixtures/", "bulk/"];
    let end = match levels.iter().position(|level| file.starts_with(level)) {
        Some(0) => ends.nth(1),
        Some(_) => ends.next(),
        None => first,
    };
    end.and_then(|end| file.get(..end)).unwrap_or(".")
}

fn compile_one(corpus: &Path, described: &Described, rules: &Rules) -> Compiled {
    let begun = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| attempt(corpus, described, rules)));
    let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut compiled = Compiled {
        file: described.name.clone(),
        counts: None,
        refused: Vec::new(),
        failed: None,
        milliseconds,
    };
    match outcome {
        Ok(Ok(counts)) => compiled.counts = Some(counts),
        Ok(Err(refused)) => compiled.refused = refused,
        Err(payload) => compiled.failed = Some(said(&*payload)),
    }
    compiled
}

fn attempt(corpus: &Path, described: &Described, rules: &Rules) -> Result<Counts, Vec<Refusal>> {
    let folder = folder_of(&described.name);
    let name =
        if folder == "." { described.name.as_str() } else { described.name.trim_start_matches(folder) };
    let within = Described { name: name.trim_start_matches('/').to_owned(), kind: described.kind };
    let place: PathBuf = corpus.join(folder);
    let sources =
        load_description(&place, &within).map_err(|error| vec![unreadable(&error, &described.name)])?;
    count(&sources, rules).map_err(|findings| findings.iter().map(refusal).collect())
}

fn refusal(finding: &Diagnostic) -> Refusal {
    let place = finding.place();
    Refusal {
        code: finding.code,
        message: finding.message.clone(),
        file: place.file,
        line: Some(place.line),
        column: Some(place.column),
    }
}

fn unreadable(error: &LoadError, file: &str) -> Refusal {
    match error {
        LoadError::Malformed(finding) => refusal(finding),
        LoadError::File { .. } | LoadError::Outside { .. } => Refusal {
            code: error.code(),
            message: error.to_string(),
            file: file.to_owned(),
            line: None,
            column: None,
        },
    }
}

fn said(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without words").to_owned()
}

#[cfg(test)]
mod tests {
    use super::folder_of;

    #[test]
    fn a_description_counts_for_its_vendor() {
        assert_eq!(folder_of("a/b/c.json"), "a");
        assert_eq!(folder_of("c.json"), ".");
        assert_eq!(folder_of("bulk/directory/a/b.json"), "bulk/directory");
        assert_eq!(folder_of("bulk/fixtures/parser/a/b.json"), "bulk/fixtures/parser");
    }
}
