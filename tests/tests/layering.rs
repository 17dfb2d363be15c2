//! Arrows between the crates point down only. The manifests are read, nothing is built.
#![expect(clippy::unwrap_used, reason = "a test that cannot read the workspace must stop")]

mod workspace;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use workspace::{members, root};

/// A crate and those that it may use.
const ALLOWED: [(&str, &[&str]); 9] = [
    ("document", &[]),
    ("evaluator", &[]),
    ("model", &["evaluator"]),
    ("runtime", &["model", "evaluator"]),
    ("simulator", &["model", "evaluator"]),
    ("simulator-http", &["simulator", "model", "evaluator"]),
    ("harness", &["simulator", "runtime", "model", "evaluator", "document"]),
    ("compiler", &["harness", "simulator", "runtime", "model", "evaluator", "document"]),
    (
        "cli",
        &["compiler", "harness", "simulator-http", "simulator", "runtime", "model", "evaluator", "document"],
    ),
];

/// The crate that only tests; nothing may use it.
const TESTS: &str = "tests";

/// The crates of this workspace that a manifest names, under `dependencies` and under `dev-dependencies`.
fn named(manifest: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut used, mut tried) = (BTreeSet::new(), BTreeSet::new());
    let mut section = String::new();
    for line in manifest.lines().map(str::trim) {
        let name = match line.strip_prefix('[') {
            Some(header) => {
                section = header.trim_matches(['[', ']']).replace(['"', '\''], "");
                section.rsplit_once('.').map_or(String::new(), |(_, last)| last.to_owned())
            }
            None => line.split(['=', '.', ' ']).next().unwrap_or_default().trim_matches('"').to_owned(),
        };
        let aliased = line
            .split_once("package = \"provely-")
            .map(|(_, rest)| rest.split('"').next().unwrap().to_owned());
        let Some(name) = aliased.or_else(|| name.strip_prefix("provely-").map(str::to_owned)) else {
            continue;
        };
        if section.contains("dev-dependencies") {
            tried.insert(name);
        } else if section.contains("dependencies") {
            used.insert(name);
        }
    }
    (used, tried)
}

fn allowed() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    ALLOWED.into_iter().map(|(name, below)| (name, below.iter().copied().collect())).collect()
}

/// What is wrong with one crate's manifest.
fn faults(member: &str, manifest: &str) -> Vec<String> {
    let allowed = allowed();
    let Some(below) = allowed.get(member) else {
        return vec![format!("`{member}` has no place among the layers")];
    };
    let (used, tried) = named(manifest);
    let upward = used.iter().filter(|name| !below.contains(name.as_str()));
    let mut faults: Vec<String> = upward.map(|name| format!("`{member}` must not use `{name}`")).collect();
    let above = |name: &str| allowed.get(name).is_none_or(|under| under.contains(member)) || name == TESTS;
    faults.extend(
        tried
            .iter()
            .filter(|name| above(name))
            .map(|name| format!("`{member}` must not be tested with `{name}`")),
    );
    faults
}

#[test]
fn arrows_point_down() {
    let members = members();
    assert!(members.len() > ALLOWED.len());
    let faults: Vec<String> = members
        .iter()
        .filter(|member| *member != TESTS)
        .flat_map(|member| {
            faults(member, &fs::read_to_string(root().join(member).join("Cargo.toml")).unwrap())
        })
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn an_upward_arrow_is_seen_however_it_is_written() {
    let upward = [
        "[dependencies]\nprovely-compiler.workspace = true\n",
        "[dependencies]\nprovely-compiler = { path = \"../compiler\" }\n",
        "[dependencies.provely-compiler]\npath = \"../compiler\"\n",
        "[target.'cfg(unix)'.dependencies]\nprovely-compiler.workspace = true\n",
        "[build-dependencies]\nother = { package = \"provely-compiler\", path = \"../compiler\" }\n",
    ];
    for manifest in upward {
        assert_eq!(faults("harness", manifest), ["`harness` must not use `compiler`"], "{manifest}");
    }
    let tested = "[dev-dependencies]\nprovely-compiler.workspace = true\nprovely-document.workspace = true\n";
    assert_eq!(faults("harness", tested), ["`harness` must not be tested with `compiler`"]);
    assert_eq!(faults("cli", "[dependencies]\nprovely-compiler.workspace = true\n"), Vec::<String>::new());
}
