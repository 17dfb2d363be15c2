//! Folders of recorded exchanges: `0001.json` and so on. What an exchange holds is the harness's business.

use crate::failure::Failure;
use crate::files;
use provely_harness::tape::Exchange;
use std::fs;
use std::path::Path;

/// Makes the folder of a new recording.
///
/// # Errors
/// If there is something in it already.
pub fn make(folder: &Path) -> Result<(), Failure> {
    let holds = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if holds {
        return Err(Failure::file("recording_exists", folder, "there is something in it already")
            .help("name a new folder with `--out`"));
    }
    files::make_folder(folder)
}

/// The name of an exchange's file.
#[must_use]
pub fn name(number: u32) -> String {
    format!("{number:04}.json")
}

/// The exchanges of a recording, in the order of time.
///
/// # Errors
/// If the folder cannot be read, holds no exchange, or one is malformed.
pub fn read(folder: &Path) -> Result<Vec<Exchange>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| {
        Failure::file("folder_unreadable", folder, error).help("name the folder of a recording")
    })?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    let mut exchanges = Vec::with_capacity(paths.len());
    for path in &paths {
        let exchange = Exchange::read(&files::text(path)?);
        exchanges.push(exchange.map_err(|why| Failure::file("exchange_malformed", path, why))?);
    }
    if exchanges.is_empty() {
        return Err(Failure::file("recording_empty", folder, "there is no exchange in it")
            .help("record some: `provely record --target URL --out DIR`"));
    }
    exchanges.sort_by_key(|exchange| exchange.at);
    Ok(exchanges)
}
