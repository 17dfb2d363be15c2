//! Finds fixtures by walking a folder and compares what a test makes of each with its expectation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Runs `make` on every input of `fixtures/<folder>`; it gives the extension of the expectation (one of
/// `outcomes`) and its content. Fails on a difference, a missing or a left-over expectation.
pub fn each(folder: &str, outcomes: &[&str], make: impl Fn(&str, Vec<u8>) -> (&'static str, String)) {
    let bless = std::env::var_os("PROVELY_BLESS").is_some();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
    let (mut wrong, mut expected) = (Vec::new(), BTreeSet::new());
    let (expectations, inputs) = files(&folder).into_iter().partition::<Vec<_>, _>(|path| is(path, outcomes));
    for input in &inputs {
        let name = input.file_name().unwrap().to_str().unwrap();
        let (outcome, made) = make(name, std::fs::read(input).unwrap());
        let expectation = input.with_extension(outcome);
        if bless {
            std::fs::write(&expectation, &made).unwrap();
        }
        let known = std::fs::read_to_string(&expectation).unwrap_or_default();
        if known != made {
            wrong.push(format!("{}:\n--- expected\n{known}\n--- made\n{made}", expectation.display()));
        }
        assert!(expected.insert(expectation), "{name}: another input has the same stem");
    }
    for left in expectations.into_iter().filter(|path| !expected.contains(path)) {
        if bless {
            std::fs::remove_file(left).unwrap();
        } else {
            wrong.push(format!("{} has no input", left.display()));
        }
    }
    assert!(!inputs.is_empty(), "{} holds no input", folder.display());
    assert!(wrong.is_empty(), "{}\nPROVELY_BLESS=1 rewrites expectations", wrong.join("\n"));
}

fn is(path: &Path, extensions: &[&str]) -> bool {
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|found| extensions.contains(&found))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}
