//! Commands as data: every file under `cases/` is a list of cases, each run in a folder of its own. A new case needs
//! no Rust. Whatever a case does not name under `writes` must not change.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot read its cases must stop")]

mod run;

use provely_document::{Format, Limits, from_node, read};
use run::{Answer, Folder, root, run};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What it shows.
    name: String,
    /// The words after `provely`; `{root}` stands for the repository.
    args: Vec<String>,
    /// Command lines to run first; they must succeed.
    #[serde(default)]
    before: Vec<Vec<String>>,
    /// Path to text.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Path to a file or folder of the repository.
    #[serde(default)]
    copy: BTreeMap<String, String>,
    /// Changes to those files.
    #[serde(default)]
    change: Vec<Change>,
    exit: i32,
    /// What stdout holds; nothing at all if empty.
    #[serde(default)]
    stdout: Vec<String>,
    /// What stderr holds.
    #[serde(default)]
    stderr: Vec<String>,
    /// What neither holds.
    #[serde(default)]
    never: Vec<String>,
    /// The files that come into being or change.
    #[serde(default)]
    writes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    file: String,
    from: String,
    to: String,
}

fn cases() -> Vec<(String, Case)> {
    let mut paths: Vec<_> =
        fs::read_dir(root().join("cli/tests/cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let document = read(path.to_str().unwrap(), text, Format::Yaml, &Limits::default())
            .unwrap_or_else(|found| panic!("{}", found.render(false)));
        let list: Vec<Case> =
            from_node(document.root()).unwrap_or_else(|found| panic!("{}", found.render(false)));
        cases.extend(list.into_iter().map(|case| (format!("{name}: {}", case.name), case)));
    }
    cases
}

fn words(words: &[String]) -> Vec<String> {
    words.iter().map(|word| word.replace("{root}", root().to_str().unwrap())).collect()
}

fn call(folder: &Folder, line: &[String]) -> Answer {
    let line = words(line);
    run(folder, &line.iter().map(String::as_str).collect::<Vec<_>>())
}

fn copy(folder: &Folder, to: &str, from: &str) {
    let source = root().join(from);
    if source.is_file() {
        folder.write(to, fs::read(source).unwrap());
        return;
    }
    for entry in fs::read_dir(source).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        copy(folder, &format!("{to}/{name}"), &format!("{from}/{name}"));
    }
}

fn prepare(folder: &Folder, case: &Case) {
    for (to, from) in &case.copy {
        copy(folder, to, from);
    }
    for (path, text) in &case.files {
        folder.write(path, text);
    }
    for line in &case.before {
        let answer = call(folder, line);
        assert_eq!(answer.exit, 0, "{line:?}: {}", answer.stderr);
    }
    for Change { file, from, to } in &case.change {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(text.contains(from), "`{from}` is not in {file}");
        folder.write(file, text.replacen(from, to, 1));
    }
}

/// What is wrong with a case.
fn faults(case: &Case) -> Vec<String> {
    let folder = Folder::new();
    prepare(&folder, case);
    let before = folder.files();
    let answer = call(&folder, &case.args);
    let after = folder.files();
    let mut faults = Vec::new();
    if answer.exit != case.exit {
        faults.push(format!("exit {}", answer.exit));
    }
    let missing = |stream: &str, text: &str, wanted: &[String]| {
        wanted
            .iter()
            .filter(|part| !text.contains(part.as_str()))
            .map(|part| format!("{stream} lacks {part:?}"))
            .collect::<Vec<_>>()
    };
    faults.extend(missing("stdout", &answer.stdout, &case.stdout));
    faults.extend(missing("stderr", &answer.stderr, &case.stderr));
    if case.stdout.is_empty() && !answer.stdout.is_empty() {
        faults.push("stdout is not empty".into());
    }
    let both = format!("{}{}", answer.stdout, answer.stderr);
    faults.extend(
        case.never.iter().filter(|part| both.contains(part.as_str())).map(|part| format!("says {part:?}")),
    );
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let changed: BTreeSet<&String> =
        paths.into_iter().filter(|path| before.get(*path) != after.get(*path)).collect();
    let wanted: BTreeSet<&String> = case.writes.iter().collect();
    if changed != wanted {
        faults.push(format!("wrote {changed:?}"));
    }
    if !faults.is_empty() {
        faults.push(format!("--- stdout\n{}--- stderr\n{}", answer.stdout, answer.stderr));
    }
    faults
}

#[test]
fn every_case_answers_as_it_should() {
    let cases = cases();
    assert!(cases.len() > 50, "cases are gone");
    let failed: Vec<String> = cases
        .iter()
        .map(|(name, case)| (name, faults(case)))
        .filter(|(_, faults)| !faults.is_empty())
        .map(|(name, faults)| format!("{name}\n  {}", faults.join("\n  ")))
        .collect();
    assert!(failed.is_empty(), "{} of {} failed\n{}", failed.len(), cases.len(), failed.join("\n\n"));
}
