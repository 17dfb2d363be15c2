//! `provely skill list`: the packages of a folder, as they say themselves. It must not call them valid.

use crate::answer::Answer;
use crate::failure::Failure;
use crate::package;
use crate::session::Session;
use crate::summary::Decimal;
use provely_evaluator::manifest::Manifest;
use provely_evaluator::time::Time;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  provely skill list
  provely skill list --skills ./skills --json";

/// Arguments of `skill list`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    skills: package::SkillsAt,
}

#[derive(Serialize)]
struct Skills {
    skills: Vec<Skill>,
}

#[derive(Serialize)]
struct Skill {
    service: String,
    title: String,
    skill_version: String,
    compiled_at: Time,
    score: Decimal,
    level: &'static str,
    contracts: Vec<Promise>,
    path: String,
}

#[derive(Serialize)]
struct Promise {
    id: String,
    version: String,
    certification: &'static str,
}

impl Arguments {
    /// The packages.
    ///
    /// # Errors
    /// If there is no such folder, or a manifest is malformed.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let folder = self.skills.folder(session)?;
        let found = package::packages(&folder)?;
        let skills = found
            .iter()
            .map(|path| package::manifest(path).map(|manifest| skill(path, manifest)))
            .collect::<Result<_, _>>()?;
        let skills = Skills { skills };
        Answer::done(skills.text(), &skills)
    }
}

fn skill(path: &Path, manifest: Manifest) -> Skill {
    let contracts = manifest.contracts.into_iter().map(|own| Promise {
        id: own.id,
        version: own.version,
        certification: own.certification.id(),
    });
    Skill {
        service: manifest.service.id,
        title: manifest.service.title,
        skill_version: manifest.skill_version,
        compiled_at: manifest.compiled_at,
        score: Decimal(manifest.score.after_caps),
        level: manifest.score.level.id(),
        contracts: contracts.collect(),
        path: path.display().to_string(),
    }
}

impl Skills {
    fn text(&self) -> String {
        let mut text = String::new();
        for Skill { service, title, skill_version, score, level, contracts, .. } in &self.skills {
            let _ = writeln!(text, "{title} ({service}) {skill_version}  {}, {level}", score.0);
            for Promise { id, version, certification } in contracts {
                let _ = writeln!(text, "  {id} {version}  {certification}");
            }
        }
        if self.skills.is_empty() {
            text.push_str("no skill here\n");
        }
        text
    }
}
