//! Where the sources of a service are, and how they are loaded. It must not interpret them.

use crate::failure::Failure;
use crate::fetch::is_address;
use crate::files;
use crate::handed::{Handed, is_graphql};
use crate::home::is_plain;
use crate::session::Session;
use provely_compiler::source::{Answer, LoadError, Sources, load_folder, read_review};
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments that say what a package was compiled from.
#[derive(Debug, clap::Args)]
pub struct SourcesAt {
    /// The sources: a folder with `service.yaml`, or a description as a file, a folder or an address; else those
    /// of the service under `sources/`
    #[arg(long, value_name = "SRC")]
    sources: Option<PathBuf>,
    /// The vendor's documents, beside a description
    #[arg(long, value_name = "DIR|FILE", requires = "sources")]
    docs: Option<PathBuf>,
    /// Event samples, beside a description
    #[arg(long, value_name = "DIR|FILE", requires = "sources")]
    events: Option<PathBuf>,
    /// Type files of the vendor's SDK, beside a description
    #[arg(long, value_name = "DIR|FILE", requires = "sources")]
    sdk: Option<PathBuf>,
    /// A reviewer's answers, beside a description
    #[arg(long, value_name = "FILE", requires = "sources")]
    answers: Option<PathBuf>,
    /// The folder that holds `sources/`; else the nearest parent that does
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl SourcesAt {
    /// The sources of a service.
    ///
    /// # Errors
    /// If they are missing or malformed, or documents are named beside a folder that has its own.
    pub fn load(&self, session: &Session, service: &str) -> Result<Sources, Failure> {
        let (docs, events) = (self.docs.as_deref(), self.events.as_deref());
        match &self.sources {
            Some(folder)
                if is_kept(folder)
                    && (docs.is_some()
                        || events.is_some()
                        || self.sdk.is_some()
                        || self.answers.is_some()) =>
            {
                let message = "a folder of sources names its own documents, events and answers";
                Err(Failure::file("sources_of_their_own", folder, message)
                    .help("leave out `--docs`, `--events` and `--answers`, or name an OpenAPI description"))
            }
            Some(folder) if is_kept(folder) || is_missing(folder) => of_folder(folder),
            Some(place) => {
                let graph = is_graphql(place);
                let (openapi, graphql) =
                    if graph { (None, Some(place.as_path())) } else { (Some(place.as_path()), None) };
                let (_, mut own) = Handed { openapi, graphql, docs, events, sdk: self.sdk.as_deref() }
                    .load(Some(service))?;
                own.review = answers(self.answers.as_deref())?;
                Ok(own)
            }
            None => of_service(&self.root(session), service),
        }
    }

    /// True if sources were named, or the root has some of this service.
    #[must_use]
    pub fn are_at_hand(&self, session: &Session, service: &str) -> bool {
        self.sources.is_some() || services(&self.root(session)).iter().any(|own| own == service)
    }

    fn root(&self, session: &Session) -> PathBuf {
        root(session, self.root.as_deref())
    }
}

/// An id of a service that names folders and begins the ids of contracts.
///
/// # Errors
/// If it holds anything else than letters, digits, `.`, `_` and `-`, or is too long.
pub fn check_service_id(id: &str) -> Result<(), Failure> {
    if is_plain(id) {
        return Ok(());
    }
    Err(Failure::new("service_id_malformed", format!("`{}` is no id of a service", id.escape_debug()))
        .help("use 1 to 64 letters, digits, `.`, `_` and `-`, a letter or digit first"))
}

/// The folder that holds `sources/` and `skills/`: the one named, else the nearest above the working folder that
/// holds `sources/`, else the working folder.
#[must_use]
pub fn root(session: &Session, named: Option<&Path>) -> PathBuf {
    let folder = session.folder();
    let nearest = || folder.ancestors().find(|above| above.join("sources").is_dir()).map(Path::to_owned);
    named.map(Path::to_owned).or_else(nearest).unwrap_or(folder)
}

/// True for a folder of sources as the project keeps them.
fn is_kept(folder: &Path) -> bool {
    folder.join("service.yaml").is_file()
}

/// True for what is neither there nor an address.
fn is_missing(place: &Path) -> bool {
    !place.exists() && !is_address(&place.to_string_lossy())
}

/// Loads the sources of a service by its id.
///
/// # Errors
/// If there is no such folder, or a file in it is missing or malformed.
pub fn of_service(root: &Path, id: &str) -> Result<Sources, Failure> {
    let folder = root.join("sources").join(id);
    let plain = !id.is_empty() && !id.contains(['/', '\\']) && id != "..";
    if plain && folder.join("service.yaml").is_file() {
        return of_folder(&folder);
    }
    let known = services(root);
    let near = provely_document::nearest(id, known.iter().map(String::as_str));
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "name the folder that holds `sources/` with `--root`".into(),
        None => format!("there are: {}", known.join(", ")),
    };
    let message = format!("there are no sources of `{}` under {}", id.escape_debug(), root.display());
    Err(Failure::new("service_unknown", message).help(help))
}

/// Loads a folder with a `service.yaml`.
///
/// # Errors
/// If a file is missing or malformed.
pub fn of_folder(folder: &Path) -> Result<Sources, Failure> {
    load_folder(folder).map_err(|error| failure(error, folder))
}

/// The answers of a file; none where there is no file.
///
/// # Errors
/// If it is missing or malformed.
pub fn answers(path: Option<&Path>) -> Result<Vec<Answer>, Failure> {
    let Some(path) = path else { return Ok(Vec::new()) };
    Ok(read_review(&path.display().to_string(), &files::text(path)?)?)
}

/// The ids under `sources/`, in order.
#[must_use]
pub fn services(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root.join("sources")).into_iter().flatten().flatten();
    let mut ids: Vec<String> = entries
        .filter(|entry| entry.path().join("service.yaml").is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    ids.sort();
    ids
}

/// A failure to load, for people.
#[must_use]
pub fn failure(error: LoadError, place: &Path) -> Failure {
    let code = error.code();
    match error {
        LoadError::Malformed(found) => found.into(),
        LoadError::File { path, reason } => Failure::file(code, &path, reason).help("check the path"),
        LoadError::Outside { .. } => Failure::new(code, error.to_string()).at(place),
    }
}
