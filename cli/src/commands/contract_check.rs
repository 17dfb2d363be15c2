//! `provely contract check FILE...`: every broken load rule at its place. It must not change a file.

use crate::answer::Answer;
use crate::contracts;
use crate::failure::Failure;
use provely_evaluator::hash::Digest;
use provely_evaluator::load::contract_hash;
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  provely contract check refund.yaml
  provely contract check contracts/*.json --json";

/// Arguments of `contract check`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Contracts, in YAML or JSON
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Checked {
    contracts: Vec<Sound>,
}

#[derive(Serialize)]
struct Sound {
    file: String,
    id: String,
    version: String,
    hash: Digest,
}

impl Arguments {
    /// Id, version and hash of every contract.
    ///
    /// # Errors
    /// The findings of every file, if one has any.
    pub fn run(self) -> Result<Answer, Failure> {
        let (mut contracts, mut failures) = (Vec::new(), Vec::new());
        for file in &self.files {
            match check(file) {
                Ok(sound) => contracts.push(sound),
                Err(failure) => failures.push(failure),
            }
        }
        if !failures.is_empty() {
            return Err(Failure::joined(failures));
        }
        let text = contracts.iter().map(Sound::text).collect::<String>();
        Answer::done(text, &Checked { contracts })
    }
}

fn check(file: &Path) -> Result<Sound, Failure> {
    let program = contracts::load(file)?;
    let contract = program.contract();
    let hash =
        contract_hash(contract).map_err(|error| Failure::file("contract_not_canonical", file, error))?;
    Ok(Sound {
        file: file.display().to_string(),
        id: contract.id.clone(),
        version: contract.version.clone(),
        hash,
    })
}

impl Sound {
    fn text(&self) -> String {
        let Self { file, id, version, hash } = self;
        format!("ok  {id} {version}  {file}\n    {hash}\n")
    }
}
