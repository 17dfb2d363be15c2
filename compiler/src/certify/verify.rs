//! Checks a package: its files, digests, printing, signature, trust and contracts, and whether compiling the
//! sources again gives the same. Reports each check by name; must not stop at the first that fails.

use std::collections::{BTreeMap, BTreeSet};

use provely_evaluator::contract::Contract;
use provely_evaluator::hash::Digest;
use provely_evaluator::json::{Value, from_value, parse};
use provely_evaluator::load::Program;
use provely_evaluator::manifest::Manifest;
use provely_evaluator::seal::{Reason, SIGNATURE_MEMBER, SealedDocument, TrustedKeys, Verified, open};
use provely_evaluator::time::Time;
use provely_harness::benchmark::FILE;
use serde::{Deserialize, Serialize};

const MANIFEST: &str = "manifest.json";
const ARTIFACT: &str = "conformance.json";

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Stable name: `files`, `digests`, `contracts`, `run`, `benchmark` (only where there are
    /// figures), `printing`, `signature`, `trust` or `recompiled`.
    pub name: &'static str,
    /// How it ended.
    pub outcome: Outcome,
    /// What was seen.
    pub detail: String,
}

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// There was nothing to check it against, or an earlier check leaves it without a meaning.
    Skipped,
}

/// Checks a package, path to bytes. `recompiled` is the package that compiling its sources again gives, where
/// the sources are at hand. Every check is reported, in a fixed order; the package is good if none failed.
#[must_use]
pub fn verify_package(
    files: &BTreeMap<String, Vec<u8>>,
    keys: &TrustedKeys,
    recompiled: Option<&BTreeMap<String, String>>,
) -> Vec<Check> {
    let text =
        files.get(MANIFEST).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
    let manifest: Option<Manifest> = parse(&text).ok().and_then(|value| from_value(&value).ok());
    let mut checks = match &manifest {
        Some(manifest) => vec![listed(manifest, files), digests(manifest, files), contracts(manifest, files)],
        None => ["files", "digests", "contracts"]
            .map(|name| check(name, Outcome::Skipped, "there is no readable manifest"))
            .into(),
    };
    checks.push(run(files, keys));
    checks.extend(manifest.as_ref().and_then(|manifest| super::benchmark::kept(manifest, files)));
    checks.extend(seal(&text, keys));
    checks.push(same(files, recompiled));
    checks
}

pub(super) fn check(name: &'static str, outcome: Outcome, detail: impl Into<String>) -> Check {
    Check { name, outcome, detail: detail.into() }
}

fn verdict(name: &'static str, faults: &[String], good: String) -> Check {
    if faults.is_empty() {
        check(name, Outcome::Passed, good)
    } else {
        check(name, Outcome::Failed, faults.join("; "))
    }
}

/// Exactly the files listed, and the manifest.
fn listed(manifest: &Manifest, files: &BTreeMap<String, Vec<u8>>) -> Check {
    let named: BTreeSet<&str> =
        manifest.files.iter().map(|entry| entry.path.as_str()).chain([MANIFEST]).collect();
    let there: BTreeSet<&str> = files.keys().map(String::as_str).collect();
    let missing = named.difference(&there).map(|path| format!("`{path}` is listed and missing"));
    let stray = there.difference(&named).map(|path| format!("`{path}` is not listed"));
    let faults: Vec<String> = missing.chain(stray).collect();
    verdict("files", &faults, format!("{} files, as listed", named.len()))
}

fn digests(manifest: &Manifest, files: &BTreeMap<String, Vec<u8>>) -> Check {
    let wrong = manifest.files.iter().filter(|entry| {
        let bytes = files.get(&entry.path);
        bytes.is_some_and(|bytes| Digest::of(bytes) != entry.sha256 || bytes.len() as u64 != entry.bytes)
    });
    let mut faults: Vec<String> =
        wrong.map(|entry| format!("`{}` has other bytes than listed", entry.path)).collect();
    let artifact = files.get(ARTIFACT).is_some_and(|bytes| Digest::of(bytes) != manifest.conformance.digest);
    if artifact {
        faults.push("`conformance.json` is not the run that the manifest names".to_owned());
    }
    verdict("digests", &faults, "every file has the bytes listed".to_owned())
}

/// Each contract loads, and has the id and the hash that the manifest names.
fn contracts(manifest: &Manifest, files: &BTreeMap<String, Vec<u8>>) -> Check {
    let mut faults = Vec::new();
    for entry in &manifest.contracts {
        let text = files.get(&entry.path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let Some(value) = text.as_deref().and_then(|text| parse(text).ok()) else {
            faults.push(format!("`{}` cannot be read", entry.path));
            continue;
        };
        match from_value::<Contract>(&value) {
            Err(error) => faults.push(format!("`{}`: {error}", entry.path)),
            Ok(contract) => {
                let named =
                    contract.id == entry.id && contract.hash.as_deref() == Some(entry.hash.to_hex().as_str());
                if !named {
                    faults.push(format!("`{}` is not the contract that the manifest names", entry.path));
                }
                if let Err(errors) = Program::load(contract) {
                    faults.extend(errors.iter().map(|error| format!("`{}`: {error}", entry.path)));
                }
            }
        }
    }
    verdict("contracts", &faults, format!("{} contracts load", manifest.contracts.len()))
}

/// The conformance run, as far as its seal goes.
#[derive(Debug, Deserialize)]
struct SealedRun {
    run_at: Time,
}

impl SealedDocument for SealedRun {
    fn issued_at(&self) -> Time {
        self.run_at
    }
}

/// The conformance run is sealed by a trusted key of its own, so that it can be shown without the package.
fn run(files: &BTreeMap<String, Vec<u8>>, keys: &TrustedKeys) -> Check {
    let Some(bytes) = files.get(ARTIFACT) else {
        return check("run", Outcome::Skipped, "there is no conformance run");
    };
    match open::<SealedRun>(&String::from_utf8_lossy(bytes), keys) {
        Ok(run) => check("run", Outcome::Passed, format!("conformance run signed by `{}`", run.key_id())),
        Err(error) if matches!(error.reason, Reason::KeyNotTrusted | Reason::KeyNotValidAtIssue) => {
            check("run", Outcome::Skipped, "its key is not trusted; see `trust`")
        }
        Err(error) => check("run", Outcome::Failed, format!("`{ARTIFACT}`: {error}")),
    }
}

/// Printing, signature and trust, in the order in which opening a seal finds them.
fn seal(text: &str, keys: &TrustedKeys) -> Vec<Check> {
    let opened = Manifest::open(text, keys);
    let (printing, signature, trust) = match opened.as_ref().map_err(|error| error.reason) {
        Ok(_) => (Outcome::Passed, Outcome::Passed, Outcome::Passed),
        Err(Reason::PrintingDiffers) => (Outcome::Failed, Outcome::Passed, Outcome::Passed),
        Err(Reason::KeyNotTrusted | Reason::KeyNotValidAtIssue) => {
            (Outcome::Skipped, Outcome::Passed, Outcome::Failed)
        }
        Err(_) => (Outcome::Skipped, Outcome::Failed, Outcome::Skipped),
    };
    let say = |name, outcome: Outcome, good: String| {
        let detail = match (&opened, outcome) {
            (_, Outcome::Passed) => good,
            (Err(error), Outcome::Failed) => error.to_string(),
            (_, Outcome::Failed | Outcome::Skipped) => "an earlier check failed".to_owned(),
        };
        check(name, outcome, detail)
    };
    let key = opened.as_ref().map_or("its key", |manifest| manifest.key_id());
    let public = opened.as_ref().is_ok_and(Verified::is_by_test_key);
    let trusted = if public { "the public test key: anybody can sign with it" } else { "from your key map" };
    vec![
        say("printing", printing, "the manifest's bytes are our own printing of it".to_owned()),
        say("signature", signature, format!("key {key}")),
        say("trust", trust, trusted.to_owned()),
    ]
}

/// Compiling again gives the same bytes, signatures and the kept figures left out: those are measured, not compiled.
fn same(files: &BTreeMap<String, Vec<u8>>, recompiled: Option<&BTreeMap<String, String>>) -> Check {
    let Some(recompiled) = recompiled else {
        return check("recompiled", Outcome::Skipped, "no sources at hand, so nothing was compiled again");
    };
    let ours = unsigned(
        files.iter().map(|(path, bytes)| (path.as_str(), String::from_utf8_lossy(bytes).into_owned())),
    );
    let theirs = unsigned(recompiled.iter().map(|(path, text)| (path.as_str(), text.clone())));
    let paths: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    let differing = paths.into_iter().filter(|path| ours.get(*path) != theirs.get(*path));
    let faults: Vec<String> = differing.map(|path| format!("`{path}` comes out differently")).collect();
    verdict("recompiled", &faults, "compiling the sources again gives the same bytes".to_owned())
}

/// The texts without their signatures. What the manifest says of a file that carries a signature (digest and
/// size) is left out, since it depends on the key; the file itself is compared.
fn unsigned<'p>(files: impl Iterator<Item = (&'p str, String)>) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut signed: BTreeSet<String> = BTreeSet::new();
    let mut manifest: Option<Value> = None;
    for (path, text) in files.filter(|(path, _)| *path != FILE) {
        match (without_signature(&text), path == MANIFEST) {
            (Some(bare), true) => manifest = Some(bare),
            (Some(bare), false) => {
                signed.insert(path.to_owned());
                texts.insert(path.to_owned(), format!("{bare:#}\n"));
            }
            (None, _) => {
                texts.insert(path.to_owned(), text);
            }
        }
    }
    if let Some(mut manifest) = manifest {
        if signed.contains(ARTIFACT) {
            drop_members(
                manifest.as_object_mut().and_then(|members| members.get_mut("conformance")),
                &["digest"],
            );
        }
        drop_members(Some(&mut manifest), &["benchmark"]);
        let entries = manifest.as_object_mut().and_then(|members| members.get_mut("files"));
        if let Some(Value::Array(entries)) = entries {
            entries.retain(|entry| entry.get("path").and_then(Value::as_str) != Some(FILE));
            let of_signed = |entry: &&mut Value| {
                entry.get("path").and_then(Value::as_str).is_some_and(|path| signed.contains(path))
            };
            entries
                .iter_mut()
                .filter(of_signed)
                .for_each(|entry| drop_members(Some(entry), &["sha256", "bytes"]));
        }
        texts.insert(MANIFEST.to_owned(), format!("{manifest:#}\n"));
    }
    texts
}

fn drop_members(value: Option<&mut Value>, names: &[&str]) {
    if let Some(members) = value.and_then(Value::as_object_mut) {
        for name in names {
            members.remove(name);
        }
    }
}

/// A signed document without its signature; `None` for any other text.
fn without_signature(text: &str) -> Option<Value> {
    let mut value: Value = parse(text).ok()?;
    value.as_object_mut()?.remove(SIGNATURE_MEMBER)?;
    Some(value)
}
