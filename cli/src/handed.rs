//! Loads what a vendor publishes of a service, without a service file: files, folders and addresses. It must not
//! interpret them.

use crate::failure::Failure;
use crate::sources::failure;
use crate::{fetch, files};
use provely_compiler::ingest::slug;
use provely_compiler::source::{
    SourceFile, SourceKind, Sources, descriptions, kind_of, load_descriptions, load_graphql, load_openapi,
    service_slug,
};
use provely_document::{Format, Limits, read};
use serde::de::{self, Deserializer as _, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// What a vendor publishes of a service.
#[derive(Debug, Clone, Copy, Default)]
pub struct Handed<'h> {
    /// An OpenAPI description: a file, a folder or an address.
    pub openapi: Option<&'h Path>,
    /// A GraphQL schema: a file, a folder or an address.
    pub graphql: Option<&'h Path>,
    /// Documents: a file or a folder.
    pub docs: Option<&'h Path>,
    /// Event samples: a file or a folder.
    pub events: Option<&'h Path>,
    /// Type files of the vendor's SDK: a file or a folder.
    pub sdk: Option<&'h Path>,
}

impl Handed<'_> {
    /// Loads it. The id of the service is the one given, else the slug of the title of the first description.
    ///
    /// # Errors
    /// If a file is missing or not readable as text, or there is no description.
    pub fn load(self, id: Option<&str>) -> Result<(String, Sources), Failure> {
        let mut sources = Sources::default();
        for (place, kind) in [(self.openapi, SourceKind::Openapi), (self.graphql, SourceKind::Graphql)] {
            if let Some(place) = place {
                sources.files.extend(described(place, kind)?.files);
            }
        }
        let id = id.map(str::to_owned).unwrap_or_else(|| title_slug(&sources));
        rename(&mut sources.files, &id);
        let further = [
            (self.docs, SourceKind::Docs, "docs"),
            (self.events, SourceKind::EventSample, "events"),
            (self.sdk, SourceKind::SdkTypes, "sdk"),
        ];
        for (place, kind, part) in further {
            if let Some(place) = place {
                sources.files.extend(beside(place, kind, &format!("{id}.{part}"))?);
            }
        }
        Ok((id, sources))
    }
}

/// True for a GraphQL schema: by its ending, or because it answers an introspection query.
#[must_use]
pub fn is_graphql(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let asked = || fs::read_to_string(file).is_ok_and(|text| kind_of(&text) == Some(SourceKind::Graphql));
    matches!(ending, "graphql" | "graphqls" | "gql") || (ending == "json" && asked())
}

fn described(place: &Path, kind: SourceKind) -> Result<Sources, Failure> {
    let text = place.to_string_lossy();
    if fetch::is_address(&text) {
        return fetch::description(&text, kind);
    }
    if place.is_dir() {
        return in_folder(place, kind);
    }
    files::bytes(place)?;
    // A bare name has no folder above it; `./name` has.
    let whole = if place.is_absolute() { place.to_owned() } else { Path::new(".").join(place) };
    let load = if kind == SourceKind::Graphql { load_graphql } else { load_openapi };
    load(&whole).map_err(|error| failure(error, place))
}

/// Every description of a kind that stands anywhere in a folder, found by content.
fn in_folder(folder: &Path, kind: SourceKind) -> Result<Sources, Failure> {
    let mut found = descriptions(folder).map_err(|error| failure(error, folder))?;
    found.retain(|described| described.kind == kind);
    if found.is_empty() {
        let wanted = if kind == SourceKind::Graphql { "GraphQL schema" } else { "OpenAPI description" };
        return Err(Failure::file("folder_empty", folder, format!("no {wanted} stands in this folder"))
            .help("name the description itself"));
    }
    load_descriptions(folder, &found).map_err(|error| failure(error, folder))
}

/// Gives the sources ids that start with that of the service: `acme.openapi`, and with several descriptions
/// `acme.openapi.NAME`.
fn rename(files: &mut [SourceFile], id: &str) {
    let mut several: BTreeMap<SourceKind, BTreeSet<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.kind != SourceKind::OpenapiPart) {
        several.entry(file.kind).or_default().insert(file.id.clone());
    }
    for file in files {
        let kind = if file.kind == SourceKind::Graphql { SourceKind::Graphql } else { SourceKind::Openapi };
        let alone = several.get(&kind).is_none_or(|ids| ids.len() < 2);
        let own = file.id.rsplit_once('.').map_or("", |(own, _)| own);
        let end = if alone { String::new() } else { format!(".{own}") };
        file.id = format!("{id}.{}{end}", kind.name());
    }
}

fn title_slug(sources: &Sources) -> String {
    let first = sources.files.first();
    let name = first.map_or("service", |file| file.name.as_str());
    let title = first.and_then(|file| title(name, &file.text));
    title.map(|title| slug(&title)).filter(|slug| !slug.is_empty()).unwrap_or_else(|| service_slug(name))
}

/// The title that a description states.
fn title(name: &str, text: &str) -> Option<String> {
    if text.trim_start().starts_with('{') {
        let mut found = None;
        // What is read to its end without a title, or is no JSON, has none; the compiler says what is wrong with it.
        let _ = serde_json::Deserializer::from_str(text).deserialize_map(Title { found: &mut found });
        if found.is_some() {
            return found;
        }
    }
    let document = read(name, text, Format::Auto, &Limits::default()).ok()?;
    document.root().at("/info/title").and_then(|title| title.as_str().map(str::to_owned))
}

/// Reads `info.title` and stops there: a description may be long.
struct Title<'f> {
    found: &'f mut Option<String>,
}

impl<'de> Visitor<'de> for Title<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a description")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<Cow<'de, str>>()? {
            if key == "info" {
                let info: BTreeMap<Cow<'de, str>, serde_json::Value> = members.next_value()?;
                *self.found = info.get("title").and_then(|title| title.as_str().map(str::to_owned));
                return Err(de::Error::custom("the rest is not needed"));
            }
            members.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// The endings of files that can be of a kind.
const fn endings(kind: SourceKind) -> &'static [&'static str] {
    match kind {
        SourceKind::Docs => &["md", "markdown", "mdx", "html", "htm"],
        SourceKind::EventSample => &["json", "yaml", "yml"],
        SourceKind::SdkTypes => &["d.ts", "d.mts", "d.cts"],
        SourceKind::Openapi | SourceKind::OpenapiPart | SourceKind::Graphql => &[],
    }
}

/// A file, or the files anywhere in a folder that can be of this kind, in the order of their names.
fn beside(place: &Path, kind: SourceKind, stem: &str) -> Result<Vec<SourceFile>, Failure> {
    if !place.is_dir() {
        let name = place.file_name().map(PathBuf::from).unwrap_or_default();
        return Ok(vec![source(place, &name, kind, stem)?]);
    }
    let mut paths = Vec::new();
    collect(place, Path::new(""), 0, &mut paths)?;
    paths.sort();
    let fits = |path: &&PathBuf| {
        let name = path.to_string_lossy().to_ascii_lowercase();
        endings(kind).iter().any(|ending| name.strip_suffix(ending).is_some_and(|rest| rest.ends_with('.')))
    };
    let mut found: Vec<SourceFile> = paths
        .iter()
        .filter(fits)
        .map(|path| source(&place.join(path), path, kind, stem))
        .collect::<Result<_, _>>()?;
    if found.is_empty() {
        let wanted = endings(kind).join(", .");
        return Err(Failure::file("folder_empty", place, format!("no file that ends in .{wanted}")));
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for file in &mut found {
        let count = seen.entry(file.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            file.id = format!("{}-{count}", file.id);
        }
    }
    Ok(found)
}

/// Deepest folder that is looked into.
const MOST_DEPTH: usize = 16;

fn collect(folder: &Path, prefix: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let entries = fs::read_dir(folder).map_err(|error| Failure::file("folder_unreadable", folder, error))?;
    for entry in entries.flatten() {
        let (name, kind) = (entry.file_name(), entry.file_type());
        let Ok(kind) = kind else { continue };
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        if kind.is_dir() && depth < MOST_DEPTH {
            collect(&entry.path(), &prefix.join(&name), depth + 1, paths)?;
        } else if !kind.is_dir() {
            paths.push(prefix.join(&name));
        }
    }
    Ok(())
}

fn source(path: &Path, name: &Path, kind: SourceKind, stem: &str) -> Result<SourceFile, Failure> {
    let name = name.to_string_lossy().to_ascii_lowercase();
    let ending =
        endings(kind).iter().find(|ending| name.ends_with(**ending)).map_or(0, |ending| ending.len());
    let name = slug(name.get(..name.len() - ending).unwrap_or(&name));
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
