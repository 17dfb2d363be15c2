//! Every input that fuzzing kept is read again by the same entry point, on stable Rust.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../../fuzz/src/entries.rs"]
mod entries;

use std::path::Path;
use std::time::{Duration, Instant};

use entries::ENTRIES;

#[test]
fn no_kept_input_stops_its_reader() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    for (name, run) in ENTRIES {
        let mut inputs: Vec<_> =
            std::fs::read_dir(folder.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        inputs.sort();
        assert!(!inputs.is_empty(), "no input is kept for {name}");
        for input in inputs {
            let start = Instant::now();
            run(&std::fs::read(&input).unwrap());
            assert!(start.elapsed() < Duration::from_secs(10), "{}: too slow", input.display());
        }
    }
}

#[test]
fn every_entry_has_a_target_and_every_corpus_an_entry() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let names = |below: &str| {
        let entries = std::fs::read_dir(folder.join(below)).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    let mut known: Vec<String> = ENTRIES.iter().map(|(name, _)| (*name).to_owned()).collect();
    known.sort();
    assert_eq!(names("fuzz_targets"), known);
    assert_eq!(names("corpus"), known);
}
