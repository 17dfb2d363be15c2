//! `provely skill verify DIR`: every check of a package by name. It must not change the package.

use crate::answer::Answer;
use crate::compilation::{Job, Stage, compile};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::home::{Home, NamedKey};
use crate::package;
use crate::progress::Progress;
use crate::session::Session;
use crate::sources;
use provely_compiler::certify::{Check, Outcome, Release, verify_package};
use provely_compiler::source::Sources;
use provely_evaluator::manifest::Manifest;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  provely skill verify skills/stripe
  provely skill verify skills/stripe --sources sources/stripe --json";

/// Arguments of `skill verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The folder of the package
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The sources to compile again: a folder with `service.yaml`, or an OpenAPI description
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
    /// The keys that you trust, instead of those in `PROVELY_HOME`
    #[arg(long, value_name = "FILE")]
    trusted_keys: Option<PathBuf>,
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
        let recompiled = match package::manifest(&self.folder) {
            Ok(manifest) => self.recompile(session, &manifest)?,
            Err(_) => None,
        };
        let checks = verify_package(&files, &keys, recompiled.as_ref());
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

    /// The package that its sources give now; `None` where they are not at hand.
    fn recompile(
        &self,
        session: &Session,
        manifest: &Manifest,
    ) -> Result<Option<BTreeMap<String, String>>, Failure> {
        let Some(sources) = self.load(session, manifest)? else { return Ok(None) };
        let release = Release {
            skill_version: manifest.skill_version.clone(),
            compiler_version: env!("CARGO_PKG_VERSION").to_owned(),
            compiled_at: manifest.compiled_at,
        };
        let signer = NamedKey::test();
        let id = manifest.service.id.as_str();
        let job = Job {
            sources: &sources,
            service: Some(id),
            until: Stage::Certify,
            release,
            signer: &signer,
            seed: 0,
        };
        let made = compile(&job, &mut Progress::new(session))?;
        Ok(made.certified.map(|certified| certified.files))
    }

    fn load(&self, session: &Session, manifest: &Manifest) -> Result<Option<Sources>, Failure> {
        let id = manifest.service.id.as_str();
        match &self.sources {
            Some(path) if path.is_file() => {
                sources::of_openapi(path, None, None, Some(id)).map(|(_, own)| Some(own))
            }
            Some(folder) => sources::of_folder(folder).map(Some),
            None => {
                let root = sources::root(session, None);
                let known = sources::services(&root).iter().any(|own| own == id);
                if known { sources::of_service(&root, id).map(Some) } else { Ok(None) }
            }
        }
    }
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
            let _ = writeln!(text, "{name:<12} {word:<8} {detail}");
        }
        match self.failed.as_slice() {
            [] => text.push_str("\nthe package is valid\n"),
            failed => {
                let _ = writeln!(text, "\nthe package is not valid: {}", failed.join(", "));
            }
        }
        text
    }
}
