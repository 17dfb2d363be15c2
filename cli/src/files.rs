//! Reading and writing files with errors that name them. A file is written whole or not at all.

use crate::failure::Failure;
use provely_document::{Document, Format, Limits, read};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The longest file that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// The bytes of a file.
///
/// # Errors
/// If it is missing, no file, too long or not readable.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let found = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if found.is_dir() {
        return Err(Failure::file("file_unreadable", path, "this is a folder, a file is expected"));
    }
    if found.len() > MOST_BYTES {
        return Err(Failure::file("file_too_long", path, format!("more than {MOST_BYTES} bytes")));
    }
    fs::read(path).map_err(|error| unreadable(path, &error))
}

/// The text of a file.
///
/// # Errors
/// As [`bytes`], or if it is not UTF-8.
pub fn text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(bytes(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::file("file_not_utf8", path, format!("the byte at offset {at} is not UTF-8"))
            .help("save the file as UTF-8")
    })
}

/// A JSON or YAML file as a spanned tree, read as its name says.
///
/// # Errors
/// As [`bytes`], or a syntax error with its place.
pub fn document(path: &Path) -> Result<Document, Failure> {
    let format = match path.extension().and_then(|ending| ending.to_str()) {
        Some("json") => Format::Json,
        Some("yaml" | "yml") => Format::Yaml,
        Some(_) | None => Format::Auto,
    };
    Ok(read(&path.display().to_string(), bytes(path)?, format, &Limits::default())?)
}

/// Writes a file: first beside its place, then moved there. `private` files are for their owner alone.
///
/// # Errors
/// What the system says; nothing is left behind.
pub fn write(path: &Path, content: &[u8], private: bool) -> Result<(), Failure> {
    let beside = beside(path, "new");
    let written = create(&beside, private).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    let moved = written.and_then(|()| fs::rename(&beside, path));
    moved.map_err(|error| {
        let _ = fs::remove_file(&beside);
        Failure::file("file_unwritable", path, error)
    })
}

/// Makes a folder and those above it.
///
/// # Errors
/// What the system says.
pub fn make_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| Failure::file("folder_unwritable", path, error))
}

/// A name beside this one that nobody else uses.
#[must_use]
pub fn beside(path: &Path, purpose: &str) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{purpose}-{}", std::process::id()))
}

fn create(path: &Path, private: bool) -> std::io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = private;
    options.open(path)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    let failure = match error.kind() {
        ErrorKind::NotFound => Failure::file("file_missing", path, "no such file"),
        _ => Failure::file("file_unreadable", path, error),
    };
    failure.help("check the path")
}
