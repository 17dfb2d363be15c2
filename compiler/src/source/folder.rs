//! Reads sources from disk: the one place of the compiler that does. Must not interpret them, and never
//! leaves the folder that it was given.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use provely_document::{Diagnostic, text};

use super::discover::Described;
use super::parts::add_parts;
use super::{SourceFile, SourceKind, Sources, read_review, read_service};

/// Why sources could not be read.
#[derive(Debug)]
pub enum LoadError {
    /// A file is missing or cannot be read.
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A path leads out of the folder.
    Outside {
        /// The path as written.
        path: String,
    },
    /// A file is malformed.
    Malformed(Box<Diagnostic>),
}

impl LoadError {
    /// Stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::File { .. } => "source/unreadable",
            Self::Outside { .. } => "source/outside-folder",
            Self::Malformed(finding) => finding.code,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, reason } => write!(out, "`{}` cannot be read: {reason}", path.display()),
            Self::Outside { path } => {
                write!(out, "`{path}` leads out of the folder; name a file inside it")
            }
            Self::Malformed(finding) => finding.fmt(out),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<Box<Diagnostic>> for LoadError {
    fn from(finding: Box<Diagnostic>) -> Self {
        Self::Malformed(finding)
    }
}

/// Reads `service.yaml` of a folder, the sources that it lists, and `review.yaml` if it is there.
///
/// # Errors
/// The first file that is missing, unreadable, malformed or outside the folder.
pub fn load_folder(folder: &Path) -> Result<Sources, LoadError> {
    let service = read_service("service.yaml", &text_of(folder, "service.yaml")?)?;
    let mut files = Vec::new();
    for entry in &service.sources {
        files.push(SourceFile {
            id: entry.id.clone(),
            kind: entry.kind,
            name: entry.path.clone(),
            url: entry.url.clone(),
            retrieved: entry.retrieved.clone(),
            excerpt: entry.excerpt.clone(),
            text: text_of(folder, &entry.path)?,
        });
    }
    add_parts(&mut files, &mut |name| text_of(folder, name).ok());
    let review = if folder.join("review.yaml").is_file() {
        read_review("review.yaml", &text_of(folder, "review.yaml")?)?
    } else {
        Vec::new()
    };
    Ok(Sources { service: Some(service), files, review })
}

/// Reads one OpenAPI file and the files beside and below it that it refers to.
///
/// # Errors
/// If the file cannot be read. A reference to a file that is not there is left to the ingest stage, which
/// knows its place.
pub fn load_openapi(path: &Path) -> Result<Sources, LoadError> {
    let (folder, name) = folder_and_name(path);
    load_description(folder, &Described { name, kind: SourceKind::Openapi })
}

fn folder_and_name(path: &Path) -> (&Path, String) {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    (path.parent().unwrap_or(Path::new(".")), name)
}

/// Reads one description of a folder and the files anywhere in that folder that it refers to.
///
/// # Errors
/// As [`load_openapi`].
pub fn load_description(folder: &Path, found: &Described) -> Result<Sources, LoadError> {
    load_descriptions(folder, std::slice::from_ref(found))
}

/// Reads several descriptions of a folder. Each is a source of its own; a file that several refer to belongs to
/// the first.
///
/// # Errors
/// As [`load_openapi`].
pub fn load_descriptions(folder: &Path, found: &[Described]) -> Result<Sources, LoadError> {
    let mut sources = Sources::default();
    let mut ids = BTreeSet::new();
    for described in found {
        let text = text_of(folder, &described.name)?;
        let mut read = match described.kind {
            SourceKind::Graphql => Sources::of_graphql(&described.name, text),
            _ => Sources::of_openapi(&described.name, text),
        };
        for file in &mut read.files {
            file.id = distinct(&mut ids, &file.id);
        }
        sources.files.extend(read.files);
    }
    add_parts(&mut sources.files, &mut |name| text_of(folder, name).ok());
    Ok(sources)
}

/// The id, with a number if another source has it.
fn distinct(ids: &mut BTreeSet<String>, id: &str) -> String {
    let (slug, kind) = id.rsplit_once('.').unwrap_or((id, ""));
    let numbered = (2..).map(|number| format!("{slug}-{number}.{kind}"));
    let mut names = std::iter::once(id.to_owned()).chain(numbered);
    let free = names.find(|name| !ids.contains(name)).unwrap_or_else(|| id.to_owned());
    ids.insert(free.clone());
    free
}

/// Reads one GraphQL schema, in SDL or as the answer to an introspection query.
///
/// # Errors
/// If the file cannot be read.
pub fn load_graphql(path: &Path) -> Result<Sources, LoadError> {
    let (folder, name) = folder_and_name(path);
    load_description(folder, &Described { name, kind: SourceKind::Graphql })
}

/// The longest file that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;
fn text_of(folder: &Path, name: &str) -> Result<String, LoadError> {
    let relative = Path::new(name);
    let inside = relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !inside {
        return Err(LoadError::Outside { path: name.to_owned() });
    }
    let path = folder.join(relative);
    let fault = |error: std::io::Error| LoadError::File { path: path.clone(), reason: error.to_string() };
    let root = folder.canonicalize().map_err(fault)?;
    let real = path.canonicalize().map_err(fault)?;
    if !real.starts_with(root) {
        return Err(LoadError::Outside { path: name.to_owned() });
    }
    let found = std::fs::metadata(&real).map_err(fault)?;
    if !found.is_file() || found.len() > MOST_BYTES {
        let reason = format!("it is no file of at most {MOST_BYTES} bytes");
        return Err(LoadError::File { path, reason });
    }
    Ok(text(name, std::fs::read(&real).map_err(fault)?).map_err(Box::new)?)
}
