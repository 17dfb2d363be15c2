//! Compiles every description below `PROVELY_CORPUS` and holds what came of it to what its index counts. Runs where
//! the variable is set.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise and reports"
)]

use provely_cli::corpus::{Compiled, compile_all};
use provely_compiler::plan::Rules;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What may be wrong with a file so that it is refused: its syntax, a key twice, its encoding, a reference that leads
/// nowhere or outside, a member of the wrong type, or a format that is not read.
const REASONS: [&str; 11] = [
    "document/duplicate-key",
    "document/not-utf8",
    "ingest/bad-reference",
    "ingest/missing-file",
    "ingest/not-openapi",
    "ingest/outside-folder",
    "ingest/unsupported-format",
    "ingest/wrong-type",
    "pointer/unresolved",
    "yaml/alias-cycle",
    "yaml/syntax",
];

/// The most that are refused, all of them broken.
const MOST_REFUSED: usize = 96;

fn corpus() -> Option<PathBuf> {
    std::env::var_os("PROVELY_CORPUS").map(PathBuf::from)
}

/// File to number of operations, from the tables of the index.
fn indexed(corpus: &Path) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(corpus.join("INDEX.md")).unwrap();
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let described = cells.get(2)?.starts_with("openapi") || cells.get(2)?.starts_with("swagger");
        let count = cells.get(3)?.parse().ok()?;
        described.then(|| (cells[1].to_owned(), count))
    });
    rows.collect()
}

fn misread(compiled: &Compiled, indexed: &BTreeMap<String, usize>) -> Option<String> {
    let wanted = *indexed.get(&compiled.file)?;
    let read = compiled.counts.map_or(0, |counts| counts.operations);
    (read != wanted).then(|| format!("{}: {read} operations read, {wanted} indexed", compiled.file))
}

#[test]
fn the_whole_corpus_compiles_and_no_operation_is_lost() {
    let Some(corpus) = corpus() else { return };
    let compiled = compile_all(&corpus, &Rules::builtin().unwrap()).unwrap();
    let failed: Vec<&str> =
        compiled.iter().filter(|one| one.failed.is_some()).map(|one| one.file.as_str()).collect();
    assert!(failed.is_empty(), "the compiler failed on {failed:?}");
    let refused: Vec<&Compiled> = compiled.iter().filter(|one| !one.refused.is_empty()).collect();
    for one in &refused {
        assert!(one.file.starts_with("bulk/"), "{} is refused: {:?}", one.file, one.refused[0]);
        let first = &one.refused[0];
        assert!(REASONS.contains(&first.code), "{}: {first:?}", one.file);
        assert!(first.line.is_some() && first.column.is_some(), "{}: {first:?} has no place", one.file);
    }
    assert!(refused.len() <= MOST_REFUSED, "{} are refused", refused.len());
    let indexed = indexed(&corpus);
    let known = compiled.iter().filter(|one| indexed.contains_key(&one.file)).count();
    assert!(known > 0, "the index names no description");
    let wrong: Vec<String> = compiled.iter().filter_map(|one| misread(one, &indexed)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let slowest = compiled.iter().max_by_key(|one| one.milliseconds).unwrap_or_else(|| panic!("nothing"));
    eprintln!("{} descriptions, the slowest {} in {} ms", compiled.len(), slowest.file, slowest.milliseconds);
}
