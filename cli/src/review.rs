//! The review bundle on disk: the open questions of a compilation, for a person to answer, and where it came from. It
//! must not ask or answer any, nor take the place of a folder that holds anything else.

use crate::failure::Failure;
use crate::package;
use crate::{fetch, files};
use provely_compiler::review::{Bundle, QUESTIONS};
use provely_compiler::source::{SourceFile, SourceKind, Sources};
use provely_document::from_node;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The file of a bundle that says where its sources are.
const ORIGIN: &str = "origin.json";

/// Where the sources of a bundle are; paths start from the bundle's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The file of answers that the compilation read, or would have read.
    pub answers: Option<PathBuf>,
    /// The command that compiles the sources again.
    pub again: String,
    /// The sources.
    pub sources: Vec<Place>,
}

/// A source and its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    id: String,
    kind: SourceKind,
    name: String,
    path: PathBuf,
    /// The address that it was fetched from, where no file was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

impl Place {
    /// The text, as it is now.
    fn text(&self, bundle: &Path) -> Result<String, Failure> {
        let Some(address) = &self.address else {
            return files::text(&bundle.join(&self.path))
                .map_err(|failure| failure.help("compile again; the sources of this bundle are gone"));
        };
        fetch::text(address).map_err(|failure| {
            let (kind, name) = (self.kind.name(), &self.name);
            failure.help(format!(
                "this bundle was compiled from an address; download `{address}`, and compile again with the file in its place ({kind}, `{name}`)"
            ))
        })
    }
}

impl Origin {
    /// Where sources are that were read from a folder, or from the working folder.
    #[must_use]
    pub fn of(sources: &Sources, folder: &Path, answers: Option<PathBuf>, again: String) -> Self {
        let place = |file: &SourceFile| {
            let beside = folder.join(&file.name);
            let path = if beside.exists() { beside } else { PathBuf::from(&file.name) };
            let address = file.url.clone().filter(|url| !path.exists() && fetch::is_address(url));
            Place { id: file.id.clone(), kind: file.kind, name: file.name.clone(), path, address }
        };
        Self { answers, again, sources: sources.files.iter().map(place).collect() }
    }

    /// The same, seen from another folder.
    fn seen_from(mut self, folder: &Path) -> Self {
        self.answers = self.answers.map(|path| relative(folder, &path));
        for place in self.sources.iter_mut().filter(|place| place.address.is_none()) {
            place.path = relative(folder, &place.path);
        }
        self
    }

    /// The sources again, as they are now.
    ///
    /// # Errors
    /// If a file is missing or not readable as text, or an address no longer answers with it.
    pub fn load(&self, bundle: &Path) -> Result<Sources, Failure> {
        let source = |place: &Place| {
            Ok(SourceFile {
                id: place.id.clone(),
                kind: place.kind,
                name: place.name.clone(),
                url: None,
                retrieved: None,
                excerpt: None,
                text: place.text(bundle)?,
            })
        };
        let files: Result<Vec<SourceFile>, Failure> = self.sources.iter().map(source).collect();
        Ok(Sources { service: None, files: files?, review: Vec::new() })
    }
}

/// A bundle that may be written to its place.
pub struct Prepared {
    folder: PathBuf,
    files: BTreeMap<String, String>,
    questions: usize,
}

impl Prepared {
    /// The bundle for this folder; `None` if nothing is open and there is no earlier one.
    ///
    /// # Errors
    /// If the folder lies in that of the package or around it, or holds something else than a bundle.
    pub fn new(
        bundle: &Bundle,
        origin: Origin,
        folder: &Path,
        package: &Path,
    ) -> Result<Option<Self>, Failure> {
        if bundle.open.is_empty() && !folder.join(QUESTIONS).is_file() {
            return Ok(None);
        }
        let (own, other) = (resolved(folder), resolved(package));
        if own.starts_with(&other) || other.starts_with(&own) {
            let message = "the review bundle and the package need folders apart from each other";
            return Err(Failure::file("review_in_package", folder, message)
                .help("name another folder with `--review`"));
        }
        let mut files = bundle.files();
        let origin = serde_json::to_string_pretty(&origin.seen_from(&own))? + "\n";
        files.insert(ORIGIN.to_owned(), origin);
        check_place(folder, &files)?;
        Ok(Some(Self { folder: folder.to_owned(), files, questions: bundle.open.len() }))
    }

    /// Writes it, whole or not at all, and says so.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self) -> Result<String, Failure> {
        package::write(&self.folder, &self.files)?;
        let noun = if self.questions == 1 { "question" } else { "questions" };
        let (count, folder) = (self.questions, self.folder.display());
        let next = if count == 0 { "" } else { "; `provely skill review` works through it" };
        Ok(format!("wrote the review bundle of {count} open {noun} to {folder}{next}"))
    }
}

/// Reads a bundle.
///
/// # Errors
/// If the folder is no bundle, or a file of it is malformed.
pub fn read(folder: &Path) -> Result<(Bundle, Origin), Failure> {
    if !folder.join(QUESTIONS).is_file() || !folder.join(ORIGIN).is_file() {
        let message = "this is no review bundle";
        return Err(Failure::file("bundle_missing", folder, message)
            .help("name the folder that `provely skill generate` wrote the open questions to"));
    }
    let questions = files::document(&folder.join(QUESTIONS))?;
    let origin = files::document(&folder.join(ORIGIN))?;
    Ok((from_node(questions.root())?, from_node(origin.root())?))
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

/// A path as seen from a folder, both without links and dots.
fn relative(folder: &Path, path: &Path) -> PathBuf {
    let path = resolved(path);
    let shared = folder.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    if shared == 0 {
        return path;
    }
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_seen_from_a_folder() {
        let seen = relative(Path::new("/none/reviews/a"), Path::new("/none/sources/a/review.yaml"));
        assert_eq!(seen, Path::new("../../sources/a/review.yaml"));
    }
}
