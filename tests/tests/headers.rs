//! Every Rust file opens with its job, and no file is called after nothing in particular.

mod workspace;

use std::fs;
use std::path::PathBuf;
use workspace::{members, root, rust_files, shown};

const EMPTY_NAMES: [&str; 4] = ["utils", "helpers", "common", "core"];

fn all() -> Vec<PathBuf> {
    members().iter().flat_map(|member| rust_files(&root().join(member))).collect()
}

#[test]
fn every_file_says_what_it_is_for() {
    let files = all();
    assert!(files.len() > 100, "the workspace was not found");
    let silent = files.iter().filter(|path| !fs::read_to_string(path).unwrap().starts_with("//! "));
    let silent: Vec<String> = silent.map(|path| shown(path)).collect();
    assert!(silent.is_empty(), "these do not open with `//!`: {silent:#?}");
}

#[test]
fn every_name_names_something() {
    let empty = all().into_iter().filter(|path| {
        path.strip_prefix(root())
            .unwrap()
            .with_extension("")
            .iter()
            .any(|part| EMPTY_NAMES.iter().any(|name| part == *name))
    });
    let empty: Vec<String> = empty.map(|path| shown(&path)).collect();
    assert!(empty.is_empty(), "name these after what they hold: {empty:#?}");
}
