//! Where the sources of a service are, and how they are loaded. It must not interpret them.

use crate::failure::Failure;
use crate::files;
use crate::home::is_plain;
use crate::session::Session;
use provely_compiler::ingest::slug;
use provely_compiler::source::{
    Answer, LoadError, SourceFile, SourceKind, Sources, load_folder, load_graphql, load_openapi, read_review,
};
use provely_document::{Format, Limits, read};
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments that say what a package was compiled from.
#[derive(Debug, clap::Args)]
pub struct SourcesAt {
    /// The sources: a folder with `service.yaml`, or an OpenAPI description; else those of the service under
    /// `sources/`
    #[arg(long, value_name = "DIR|FILE")]
    sources: Option<PathBuf>,
    /// A folder of the vendor's documents, beside an OpenAPI description
    #[arg(long, value_name = "DIR", requires = "sources")]
    docs: Option<PathBuf>,
    /// A folder of event samples, beside an OpenAPI description
    #[arg(long, value_name = "DIR", requires = "sources")]
    events: Option<PathBuf>,
    /// A reviewer's answers, beside an OpenAPI description
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
                if folder.is_dir() && (docs.is_some() || events.is_some() || self.answers.is_some()) =>
            {
                let message = "a folder of sources names its own documents, events and answers";
                Err(Failure::file("sources_of_their_own", folder, message)
                    .help("leave out `--docs`, `--events` and `--answers`, or name an OpenAPI description"))
            }
            Some(file) if file.is_file() => {
                let graph = is_graphql(file);
                let (openapi, graphql) =
                    if graph { (None, Some(file.as_path())) } else { (Some(file.as_path()), None) };
                let handed = Handed { openapi, graphql, docs, events };
                let (_, mut own) = of_handed(handed, Some(service))?;
                own.review = answers(self.answers.as_deref())?;
                Ok(own)
            }
            Some(folder) => of_folder(folder),
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

/// True for a GraphQL schema: by its ending, or because it answers an introspection query.
#[must_use]
pub fn is_graphql(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let asked = || fs::read_to_string(file).is_ok_and(|text| text.contains("\"__schema\""));
    matches!(ending, "graphql" | "graphqls" | "gql") || (ending == "json" && asked())
}

/// What a vendor publishes of a service, without a service file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Handed<'h> {
    /// An OpenAPI description.
    pub openapi: Option<&'h Path>,
    /// A GraphQL schema.
    pub graphql: Option<&'h Path>,
    /// A folder of documents.
    pub docs: Option<&'h Path>,
    /// A folder of event samples.
    pub events: Option<&'h Path>,
}

/// Loads what was handed in. The id of the service is the one given, else the slug of the title of the first
/// description.
///
/// # Errors
/// If a file is missing or not readable as text, or there is no description.
pub fn of_handed(handed: Handed<'_>, id: Option<&str>) -> Result<(String, Sources), Failure> {
    let Handed { openapi, graphql, docs, events } = handed;
    let mut sources = Sources::default();
    if let Some(path) = openapi {
        let read = load_openapi(&placed(path)?).map_err(|error| failure(error, path))?;
        sources.files.extend(read.files);
    }
    if let Some(path) = graphql {
        let read = load_graphql(&placed(path)?).map_err(|error| failure(error, path))?;
        sources.files.extend(read.files);
    }
    let id = id.map(str::to_owned).unwrap_or_else(|| title_slug(&sources));
    for file in &mut sources.files {
        let kind = if file.kind == SourceKind::Graphql { SourceKind::Graphql } else { SourceKind::Openapi };
        file.id = format!("{id}.{}", kind.name());
    }
    let further = [(docs, SourceKind::Docs, "docs"), (events, SourceKind::EventSample, "events")];
    for (folder, kind, part) in further {
        if let Some(folder) = folder {
            sources.files.extend(beside(folder, kind, &format!("{id}.{part}"))?);
        }
    }
    Ok((id, sources))
}

/// The answers of a file; none where there is no file.
///
/// # Errors
/// If it is missing or malformed.
pub fn answers(path: Option<&Path>) -> Result<Vec<Answer>, Failure> {
    let Some(path) = path else { return Ok(Vec::new()) };
    Ok(read_review(&path.display().to_string(), &files::text(path)?)?)
}

/// The path of a file that is there; nothing is fetched. A bare name has no folder above it; `./name` has.
fn placed(description: &Path) -> Result<PathBuf, Failure> {
    let text = description.to_string_lossy();
    if text.starts_with("https://") || text.starts_with("http://") {
        return Err(Failure::new("address_given", format!("`{text}` is an address, a file is expected"))
            .help("download the description first, so that it is known which bytes were compiled"));
    }
    files::bytes(description)?;
    Ok(if description.is_absolute() { description.to_owned() } else { Path::new(".").join(description) })
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

fn title_slug(sources: &Sources) -> String {
    let first = sources.files.first();
    let name = first.map_or("service", |file| file.name.as_str());
    let title = first
        .and_then(|file| read(name, file.text.as_str(), Format::Auto, &Limits::default()).ok())
        .and_then(|document| document.root().at("/info/title").and_then(|title| title.as_str().map(slug)))
        .filter(|title| !title.is_empty());
    title.unwrap_or_else(|| provely_compiler::source::service_slug(name))
}

/// The files of a folder that can be of this kind, in the order of their names.
fn beside(folder: &Path, kind: SourceKind, stem: &str) -> Result<Vec<SourceFile>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| Failure::file("folder_unreadable", folder, error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let endings: &[&str] = match kind {
        SourceKind::Docs => &["md", "markdown"],
        SourceKind::EventSample => &["json", "yaml", "yml"],
        SourceKind::Openapi | SourceKind::OpenapiPart | SourceKind::Graphql => &[],
    };
    let fits = |path: &&PathBuf| {
        path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| endings.contains(&ending))
    };
    let found: Vec<SourceFile> =
        paths.iter().filter(fits).map(|path| source(path, kind, stem)).collect::<Result<_, _>>()?;
    if found.is_empty() {
        let wanted = endings.join(", .");
        return Err(Failure::file("folder_empty", folder, format!("no file that ends in .{wanted}")));
    }
    Ok(found)
}

fn source(path: &Path, kind: SourceKind, stem: &str) -> Result<SourceFile, Failure> {
    let name = path.file_stem().map(|name| slug(&name.to_string_lossy())).unwrap_or_default();
    Ok(SourceFile {
        id: format!("{stem}.{name}"),
        kind,
        name: path.display().to_string(),
        url: None,
        retrieved: None,
        excerpt: None,
        text: files::text(path)?,
    })
}

fn failure(error: LoadError, place: &Path) -> Failure {
    let code = error.code();
    match error {
        LoadError::Malformed(found) => found.into(),
        LoadError::File { path, reason } => Failure::file(code, &path, reason).help("check the path"),
        LoadError::Outside { .. } => Failure::new(code, error.to_string()).at(place),
    }
}
