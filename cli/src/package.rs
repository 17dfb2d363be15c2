//! Skill packages on disk: found, read whole, written whole or not at all. It must not judge what they say.

use crate::failure::Failure;
use crate::files;
use crate::home::Home;
use crate::session::Session;
use crate::sources;
use provely_evaluator::contract::Contract;
use provely_evaluator::json::{from_value, parse};
use provely_evaluator::manifest::Manifest;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The file that names all others.
pub const MANIFEST: &str = "manifest.json";

/// Most files that a package may hold.
const MOST_FILES: usize = 10_000;

/// Path within the package, with `/`, to bytes.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Arguments that say where skills are.
#[derive(Debug, clap::Args)]
pub struct SkillsAt {
    /// The folder of skills; else `PROVELY_SKILLS`, else `skills` under the root, else `PROVELY_HOME/skills`
    #[arg(long, value_name = "DIR")]
    skills: Option<PathBuf>,
    /// The folder that holds `sources/` and `skills/`; else the nearest parent with `sources/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl SkillsAt {
    /// The folder that holds skills.
    ///
    /// # Errors
    /// If no such folder is there.
    pub fn folder(&self, session: &Session) -> Result<PathBuf, Failure> {
        skills_folder(session, self.skills.as_deref(), &self.root(session))
    }

    /// The folder that holds `sources/` and `skills/`.
    #[must_use]
    pub fn root(&self, session: &Session) -> PathBuf {
        sources::root(session, self.root.as_deref())
    }
}

fn skills_folder(session: &Session, named: Option<&Path>, root: &Path) -> Result<PathBuf, Failure> {
    let given = named.map(Path::to_owned).or_else(|| session.variable("PROVELY_SKILLS").map(PathBuf::from));
    if let Some(folder) = given {
        return if folder.is_dir() {
            Ok(folder)
        } else {
            Err(Failure::file("folder_missing", &folder, "no such folder").help("check the path"))
        };
    }
    let near = root.join("skills");
    let home = || Home::find(session).ok().map(|home| home.skills_path());
    Some(near)
        .filter(|folder| folder.is_dir())
        .or_else(|| home().filter(|folder| folder.is_dir()))
        .ok_or_else(|| {
            Failure::new("folder_missing", "there is no folder of skills")
                .help("name one with `--skills DIR`, or compile one: `provely skill generate SERVICE`")
        })
}

/// The packages of a folder, in order; a folder that is a package itself counts as the only one.
///
/// # Errors
/// If the folder cannot be read.
pub fn packages(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    if folder.join(MANIFEST).is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let entries = fs::read_dir(folder).map_err(|error| Failure::file("folder_unreadable", folder, error))?;
    let mut found: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.join(MANIFEST).is_file()).collect();
    found.sort();
    Ok(found)
}

/// Every file of a package.
///
/// # Errors
/// If the folder is missing, holds something that is neither file nor folder, or cannot be read.
pub fn read(folder: &Path) -> Result<Files, Failure> {
    let mut found = Files::new();
    collect(folder, "", &mut found)?;
    Ok(found)
}

fn collect(folder: &Path, prefix: &str, found: &mut Files) -> Result<(), Failure> {
    let unreadable =
        |error| Failure::file("folder_unreadable", folder, error).help("name the folder of a package");
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(unreadable)?;
        if kind.is_dir() {
            collect(&path, &format!("{name}/"), found)?;
        } else if kind.is_file() {
            found.insert(name, files::bytes(&path)?);
        } else {
            return Err(Failure::file("package_stray", &path, "neither a file nor a folder")
                .help("a package holds files alone; remove it"));
        }
        if found.len() > MOST_FILES {
            return Err(Failure::file("package_too_large", folder, format!("more than {MOST_FILES} files")));
        }
    }
    Ok(())
}

/// The manifest of a package, as it says itself; nothing is verified.
///
/// # Errors
/// If it is missing or malformed.
pub fn manifest(folder: &Path) -> Result<Manifest, Failure> {
    let path = folder.join(MANIFEST);
    if !path.exists() {
        return Err(no_manifest(folder));
    }
    let text = files::text(&path)?;
    let value = parse(&text).map_err(|error| Failure::file("manifest_malformed", &path, error))?;
    from_value(&value).map_err(|error| {
        Failure::file("manifest_malformed", &path, format!("at `{}`: {}", error.pointer, error.message))
            .help("compile the package again")
    })
}

/// A folder without a manifest.
#[must_use]
pub fn no_manifest(folder: &Path) -> Failure {
    Failure::file("manifest_missing", folder, "this is no package, there is no manifest.json")
        .help("name the folder of a package, or compile one:\n`provely skill generate SERVICE`")
}

/// A contract of a package.
///
/// # Errors
/// If the file is missing or no contract.
pub fn contract(folder: &Path, path: &str) -> Result<Contract, Failure> {
    let inside = Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if !inside {
        return Err(Failure::file("package_path", folder, format!("`{path}` leads out of the package")));
    }
    let file = folder.join(path);
    let document = files::document(&file)?;
    Ok(provely_document::from_node(document.root())?)
}

/// Writes a package beside its place and moves it there. What stood there before is replaced as a whole.
///
/// # Errors
/// What the system says; what stood there before stands there again.
pub fn write(folder: &Path, package: &BTreeMap<String, String>) -> Result<(), Failure> {
    let (new, old) = (files::beside(folder, "new"), files::beside(folder, "old"));
    let written = fill(&new, package).and_then(|()| swap(folder, &new, &old));
    if written.is_err() {
        let _ = fs::remove_dir_all(&new);
    }
    written
}

fn fill(folder: &Path, package: &BTreeMap<String, String>) -> Result<(), Failure> {
    for (path, text) in package {
        let file = folder.join(path);
        if let Some(above) = file.parent() {
            files::make_folder(above)?;
        }
        fs::write(&file, text).map_err(|error| Failure::file("file_unwritable", &file, error))?;
    }
    Ok(())
}

fn swap(folder: &Path, new: &Path, old: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::file("folder_unwritable", folder, error);
    if folder.exists() {
        fs::rename(folder, old).map_err(failed)?;
    }
    if let Err(error) = fs::rename(new, folder) {
        let _ = fs::rename(old, folder);
        return Err(failed(error));
    }
    if old.exists() {
        fs::remove_dir_all(old).map_err(failed)?;
    }
    Ok(())
}
