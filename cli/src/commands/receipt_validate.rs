//! `provely receipt validate FILE`: the checks that anybody can run offline. It must not open a socket, and never
//! trusts the key that the receipt carries.

use crate::answer::Answer;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files;
use crate::home::{Home, read_trusted_keys};
use crate::session::Session;
use crate::summary_text::{WIDTH, row};
use provely_document::from_node;
use provely_evaluator::contract::Contract;
use provely_evaluator::json::{Value, to_value};
use provely_evaluator::receipt::validate;
use provely_evaluator::seal::TrustedKeys;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  provely receipt validate receipt.json
  provely receipt validate receipt.json --trusted-keys keys.json --json

The exit code is the verdict's: 0 only on a valid VERIFIED receipt. The key map
is JSON from key id to public key, else PROVELY_HOME/trusted-keys.json.";

/// Width of the first column of a report.
const LABEL: usize = 17;

/// Arguments of `receipt validate`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The receipt
    file: PathBuf,
    /// The keys that you trust, instead of those in `PROVELY_HOME`
    #[arg(long, value_name = "FILE")]
    trusted_keys: Option<PathBuf>,
    /// The contract that the receipt has to name
    #[arg(long, value_name = "FILE")]
    contract: Option<PathBuf>,
}

impl Arguments {
    /// The report of the checks.
    ///
    /// # Errors
    /// If a file is missing or not readable as what it should be; an invalid receipt is an answer.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let text = files::text(&self.file)?;
        let keys = self.keys(session)?;
        let contract = self.contract.as_deref().map(read_contract).transpose()?;
        let report = validate(&text, &keys, contract.as_ref());
        if report.receipt().is_some_and(|receipt| receipt.is_by_test_key()) {
            session.say("note: signed by the public test key, with which anybody can sign");
        }
        Answer::new(Exit::of_report(&report), fitted(&report.to_string()), &report)
    }

    fn keys(&self, session: &Session) -> Result<TrustedKeys, Failure> {
        if let Some(path) = &self.trusted_keys {
            return read_trusted_keys(path);
        }
        let home = Home::find(session)?;
        let keys = home.trusted_keys()?;
        if keys.is_empty() {
            let path = home.trusted_keys_path();
            session.say(&format!("note: no key is trusted yet, {} names none", path.display()));
            session.say("      `provely key trust ID HEX` adds one; the key in a receipt proves nothing");
        }
        Ok(keys)
    }
}

/// The report within the width of a terminal; what is folded stands beside the outcome.
fn fitted(report: &str) -> String {
    let mut text = String::new();
    for line in report.lines() {
        let beside = line.get(LABEL..).and_then(|rest| rest.find("  ")).map_or(0, |at| LABEL + at + 2);
        if line.chars().count() <= WIDTH {
            text.push_str(line);
            text.push('\n');
            continue;
        }
        match line.split_at_checked(beside) {
            Some((label, words)) => row(&mut text, label, words),
            None => row(&mut text, "", line),
        }
    }
    text
}

/// A contract as the value that is hashed: with every default written out, where it is one of this version.
fn read_contract(path: &Path) -> Result<Value, Failure> {
    let document = files::document(path)?;
    match from_node::<Contract>(document.root()) {
        Ok(contract) => {
            to_value(&contract).map_err(|error| Failure::file("contract_not_canonical", path, error))
        }
        Err(_) => Ok(from_node(document.root())?),
    }
}
