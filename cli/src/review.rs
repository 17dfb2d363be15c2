//! The review bundle on disk: the open questions of a compilation, for a person to answer. It must not ask or answer
//! any, nor take the place of a folder that holds anything else.

use crate::failure::Failure;
use crate::package;
use provely_compiler::review::{Reviewed, bundle};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A bundle that may be written to its place.
pub struct Bundle {
    folder: PathBuf,
    files: BTreeMap<String, String>,
    questions: usize,
}

impl Bundle {
    /// The bundle of what is open, for this folder; `None` if nothing is open.
    ///
    /// # Errors
    /// If the folder lies in that of the package or around it, or holds something else than a bundle.
    pub fn prepare(reviewed: &Reviewed, folder: &Path, package: &Path) -> Result<Option<Self>, Failure> {
        if reviewed.open.is_empty() {
            return Ok(None);
        }
        let (own, other) = (resolved(folder), resolved(package));
        if own.starts_with(&other) || other.starts_with(&own) {
            let message = "the review bundle and the package need folders apart from each other";
            return Err(Failure::file("review_in_package", folder, message)
                .help("name another folder with `--review`"));
        }
        let files = bundle(reviewed);
        check_place(folder, &files)?;
        Ok(Some(Self { folder: folder.to_owned(), files, questions: reviewed.open.len() }))
    }

    /// Writes it, whole or not at all, and says so.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self) -> Result<String, Failure> {
        package::write(&self.folder, &self.files)?;
        let noun = if self.questions == 1 { "question" } else { "questions" };
        let (count, folder) = (self.questions, self.folder.display());
        Ok(format!("wrote the review bundle of {count} open {noun} to {folder}"))
    }
}

/// Only an earlier bundle is replaced.
fn check_place(folder: &Path, files: &BTreeMap<String, String>) -> Result<(), Failure> {
    let refuse = || {
        Failure::file("review_not_a_bundle", folder, "there is something else than a review bundle")
            .help("name another folder with `--review`")
    };
    if !folder.exists() {
        return Ok(());
    }
    let entries = fs::read_dir(folder).map_err(|_| refuse())?;
    let ours = |entry: fs::DirEntry| files.contains_key(entry.file_name().to_string_lossy().as_ref());
    if entries.flatten().all(ours) { Ok(()) } else { Err(refuse()) }
}

/// The path without links and dots, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) => resolved(above).join(name),
        _ => path,
    }
}
