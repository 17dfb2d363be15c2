//! `provely skill verify DIR`: every check of a package by name. It must not change the package.

use crate::answer::Answer;
use crate::compilation::{Job, Stage, compile};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::home::{Home, NamedKey};
use crate::package;
use crate::progress::Progress;
use crate::session::Session;
use crate::sources::SourcesAt;
use crate::summary_text::{line, row};
use provely_compiler::certify::{Check, Outcome, Release, verify_package};
use provely_compiler::source::Sources;
use provely_evaluator::manifest::Manifest;
use provely_evaluator::seal::TrustedKeys;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  provely skill verify skills/stripe
  provely skill verify skills/stripe --sources sources/stripe --json
  provely skill verify ./acme-skill --sources ./acme.yaml --docs ./docs";

/// Arguments of `skill verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The folder of the package
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    sources: SourcesAt,
    /// The keys that you trust, instead of those in `PROVELY_HOME`
    #[arg(long, value_name = "FILE")]
    trusted_keys: Option<PathBuf>,
}

/// What compiling again gave.
enum Again {
    /// The files.
    Compiled(BTreeMap<String, String>),
    /// There are no sources.
    NotAtHand,
    /// This source is not among them, so that nothing could come out the same.
    Lacking(String),
}

#[derive(Serialize)]
struct Verified<'c> {
    package: String,
    valid: bool,
    failed: Vec<&'static str>,
    checks: &'c [Check],
}

impl Arguments {
    /// The checks.
    ///
    /// # Errors
    /// If the folder cannot be read; a check that fails is an answer.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let files = package::read(&self.folder)?;
        let keys = Home::package_keys(session, self.trusted_keys.as_deref())?;
        if !files.contains_key(package::MANIFEST) {
            return Err(package::no_manifest(&self.folder));
        }
        let again = match package::manifest(&self.folder) {
            Ok(manifest) => self.recompile(session, &manifest)?,
            Err(_) => Again::NotAtHand,
        };
        let checks = checks(&files, &keys, &again);
        let failed = |check: &&Check| check.outcome == Outcome::Failed;
        let failed: Vec<&'static str> = checks.iter().filter(failed).map(|check| check.name).collect();
        let exit = if failed.is_empty() { Exit::Done } else { Exit::Refused };
        let verified = Verified {
            package: self.folder.display().to_string(),
            valid: failed.is_empty(),
            failed,
            checks: &checks,
        };
        Answer::new(exit, verified.text(), &verified)
    }

    /// The package that its sources give now, where all of them are at hand.
    fn recompile(&self, session: &Session, manifest: &Manifest) -> Result<Again, Failure> {
        let id = manifest.service.id.as_str();
        if !self.sources.are_at_hand(session, id) {
            return Ok(Again::NotAtHand);
        }
        let sources = self.sources.load(session, id)?;
        if let Some(missing) = lacking(manifest, &sources) {
            return Ok(Again::Lacking(missing.to_owned()));
        }
        let release = Release {
            skill_version: manifest.skill_version.clone(),
            compiler_version: env!("CARGO_PKG_VERSION").to_owned(),
            compiled_at: manifest.compiled_at,
        };
        let signer = NamedKey::test();
        let job = Job {
            sources: &sources,
            service: Some(id),
            until: Stage::Certify,
            release,
            signer: &signer,
            seed: 0,
        };
        let made = compile(&job, &mut Progress::new(session))?;
        Ok(made.certified.map_or(Again::NotAtHand, |certified| Again::Compiled(certified.files)))
    }
}

/// Every check; that of compiling again is skipped, with the reason, where a source is missing.
fn checks(files: &package::Files, keys: &TrustedKeys, again: &Again) -> Vec<Check> {
    match again {
        Again::Compiled(recompiled) => verify_package(files, keys, Some(recompiled)),
        Again::NotAtHand => verify_package(files, keys, None),
        Again::Lacking(id) => {
            let mut checks = verify_package(files, keys, None);
            for check in checks.iter_mut().filter(|check| check.name == "recompiled") {
                check.detail = format!("the sources at hand lack `{id}`, so nothing was compiled again");
            }
            checks
        }
    }
}

/// The first source that the package was compiled from and that is not among these.
fn lacking<'m>(manifest: &'m Manifest, sources: &Sources) -> Option<&'m str> {
    let mut named = manifest.sources.iter().map(|source| source.id.as_str());
    named.find(|id| sources.files.iter().all(|file| file.id != *id))
}

impl Verified<'_> {
    fn text(&self) -> String {
        let mut text = String::new();
        for Check { name, outcome, detail } in self.checks {
            let word = match outcome {
                Outcome::Passed => "ok",
                Outcome::Failed => "failed",
                Outcome::Skipped => "skipped",
            };
            row(&mut text, &format!("{name:<12} {word:<8} "), detail);
        }
        match self.failed.as_slice() {
            [] => text.push_str("\nthe package is valid\n"),
            failed => {
                text.push('\n');
                line(&mut text, 0, &format!("the package is not valid: {}", failed.join(", ")));
            }
        }
        text
    }
}
