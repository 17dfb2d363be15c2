//! Runs every JSON and YAML file of a folder through the reader: none may panic or hang. The folder is
//! named by `PROVELY_CORPUS`; without it the test says that it was skipped.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test stops at the first surprise; helpers of tests stand outside `#[test]`"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use provely_document::{Document, Format, Kind, Limits, Node, read};
use serde_json::Value;

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let kind = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.is_dir() && !path.is_symlink() {
            files_below(&path, found);
        } else if ["json", "yaml", "yml"].contains(&kind) {
            found.push(path);
        }
    }
}

/// Visits everything as a consumer would, aliases followed; the number of visits is bounded by the limits.
fn visits(node: Node<'_>) -> usize {
    match node.kind() {
        Kind::Array => 1 + node.items().map(visits).sum::<usize>(),
        Kind::Object => {
            let found = |key| node.get(key).is_some();
            assert!(node.entries().all(|entry| found(entry.key)), "every key is found again");
            1 + node.entries().map(|entry| visits(entry.value)).sum::<usize>()
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => {
            assert!(node.document().text().get(node.span().range()).is_some(), "spans are slices");
            1
        }
    }
}

/// Whether a JSON file means here what it means to serde_json.
fn same(node: Node<'_>, value: &Value) -> bool {
    match value {
        Value::Null => node.is_null(),
        Value::Bool(truth) => node.as_bool() == Some(*truth),
        Value::String(text) => node.as_str() == Some(text),
        Value::Number(number) => {
            let near = |one: f64, two: f64| (one - two).abs() <= one.abs() * 1e-15;
            number.as_i64() == node.as_i64() && number.as_u64() == node.as_u64()
                || number.as_f64().zip(node.as_f64()).is_some_and(|(one, two)| near(one, two))
        }
        Value::Array(items) => {
            node.kind() == Kind::Array
                && node.len() == items.len()
                && node.items().zip(items).all(|(node, value)| same(node, value))
        }
        Value::Object(members) => {
            node.kind() == Kind::Object
                && node.len() == members.len()
                && node
                    .entries()
                    .all(|entry| members.get(entry.key).is_some_and(|value| same(entry.value, value)))
        }
    }
}

fn open(path: &Path, bytes: &[u8]) -> Result<Document, provely_document::Diagnostic> {
    read(&path.to_string_lossy(), bytes, Format::Auto, &Limits::default())
}

#[test]
fn every_file_of_the_corpus_reads_or_says_why_not() {
    let Some(folder) = std::env::var_os("PROVELY_CORPUS") else {
        println!("skipped: PROVELY_CORPUS is not set");
        return;
    };
    let mut files = Vec::new();
    files_below(Path::new(&folder), &mut files);
    let (mut refused, mut compared, mut slowest) = (0, 0, (Duration::ZERO, PathBuf::new()));
    for path in &files {
        let start = Instant::now();
        let bytes = std::fs::read(path).unwrap();
        let opened = open(path, &bytes);
        slowest = slowest.max((start.elapsed(), path.clone()));
        match opened {
            Ok(document) => {
                assert!(visits(document.root()) > 0);
                if let Ok(value) = serde_json::from_slice::<Value>(&bytes) {
                    assert!(same(document.root(), &value), "{}", path.display());
                    compared += 1;
                }
            }
            Err(finding) => {
                refused += 1;
                println!("{}\n", finding.render(false));
            }
        }
    }
    println!(
        "{} files, {refused} refused, {compared} as serde_json reads them, slowest {:?} {}",
        files.len(),
        slowest.0,
        slowest.1.display()
    );
    assert!(slowest.0 < Duration::from_secs(60), "no file takes a minute");
}
