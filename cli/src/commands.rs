//! The commands, one file each. This file routes; it must not do any of their work.

pub mod benchmark_corpus;
pub mod benchmark_run;
pub mod benchmark_truth;
pub mod completions;
pub mod conformance_run;
pub mod contract_check;
pub mod key_generate;
pub mod key_list;
pub mod key_trust;
pub mod receipt_validate;
pub mod record;
pub mod schema;
pub mod simulate;
pub mod skill_explain;
pub mod skill_generate;
pub mod skill_list;
pub mod skill_review;
pub mod skill_verify;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::session::Session;
use clap::Subcommand;

const SKILL_EXAMPLES: &str = "\
Examples:
  provely skill generate --openapi ./vendor.yaml
  provely skill list";
const CONTRACT_EXAMPLES: &str = "\
Example:
  provely contract check refund.yaml";
const CONFORMANCE_EXAMPLES: &str = "\
Example:
  provely conformance run ./vendor-skill";
const BENCHMARK_EXAMPLES: &str = "\
Examples:
  provely benchmark run
  provely benchmark corpus --corpus ./descriptions
  provely benchmark truth --labels lifecycles.yaml --corpus ./descriptions";
const RECEIPT_EXAMPLES: &str = "\
Example:
  provely receipt validate receipt.json";
const KEY_EXAMPLES: &str = "\
Examples:
  provely key generate release-1
  provely key list";

/// What `provely` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Work with skills, the signed packages of contracts
    #[command(subcommand, after_help = SKILL_EXAMPLES)]
    Skill(Skill),
    /// Work with completion contracts
    #[command(subcommand, after_help = CONTRACT_EXAMPLES)]
    Contract(Contract),
    /// Play conformance cases against contracts
    #[command(subcommand, after_help = CONFORMANCE_EXAMPLES)]
    Conformance(Conformance),
    /// Measure skills on the cases, and the compiler on many descriptions
    #[command(subcommand, after_help = BENCHMARK_EXAMPLES)]
    Benchmark(Benchmark),
    /// Serve a stand-in for a service over HTTP
    Simulate(Box<simulate::Arguments>),
    /// Record what a client and a sandbox say to each other, without secrets
    Record(record::Arguments),
    /// Work with receipts
    #[command(subcommand, after_help = RECEIPT_EXAMPLES)]
    Receipt(Receipt),
    /// Work with signing keys and trusted keys
    #[command(subcommand, after_help = KEY_EXAMPLES)]
    Key(Key),
    /// Print the JSON Schema of a document format
    Schema(schema::Arguments),
    /// Print a completion script for a shell
    Completions(completions::Arguments),
}

/// `provely skill ...`
#[derive(Debug, Subcommand)]
pub enum Skill {
    /// Compile sources to a signed package
    Generate(Box<skill_generate::Arguments>),
    /// Check a package
    Verify(skill_verify::Arguments),
    /// Show what a contract rests on
    Explain(skill_explain::Arguments),
    /// Answer the questions that compiling left open
    Review(Box<skill_review::Arguments>),
    /// List the packages of a folder
    List(skill_list::Arguments),
}

/// `provely conformance ...`
#[derive(Debug, Subcommand)]
pub enum Conformance {
    /// Run the cases of a service, a package or a contract file
    Run(conformance_run::Arguments),
}

/// `provely benchmark ...`
#[derive(Debug, Subcommand)]
pub enum Benchmark {
    /// Run skills, baselines and other checkers on the same cases
    Run(benchmark_run::Arguments),
    /// Compare what is compiled with labels made by hand
    Truth(benchmark_truth::Arguments),
    /// Compile every description of a folder as far as its contracts
    Corpus(benchmark_corpus::Arguments),
}

/// `provely contract ...`
#[derive(Debug, Subcommand)]
pub enum Contract {
    /// Check contract files against every load rule
    Check(contract_check::Arguments),
}

/// `provely receipt ...`
#[derive(Debug, Subcommand)]
pub enum Receipt {
    /// Validate a receipt offline; the exit code is its verdict's
    Validate(receipt_validate::Arguments),
}

/// `provely key ...`
#[derive(Debug, Subcommand)]
pub enum Key {
    /// Make a signing key
    Generate(key_generate::Arguments),
    /// Trust a public key under an id
    Trust(key_trust::Arguments),
    /// List signing keys and trusted keys
    List(key_list::Arguments),
}

impl Command {
    /// Does it.
    ///
    /// # Errors
    /// Whatever stops the command.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        match self {
            Self::Skill(Skill::Generate(arguments)) => arguments.run(session),
            Self::Skill(Skill::Verify(arguments)) => arguments.run(session),
            Self::Skill(Skill::Explain(arguments)) => arguments.run(session),
            Self::Skill(Skill::Review(arguments)) => arguments.run(session),
            Self::Skill(Skill::List(arguments)) => arguments.run(session),
            Self::Conformance(Conformance::Run(arguments)) => arguments.run(session),
            Self::Benchmark(Benchmark::Run(arguments)) => arguments.run(session),
            Self::Benchmark(Benchmark::Corpus(arguments)) => arguments.run(),
            Self::Benchmark(Benchmark::Truth(arguments)) => arguments.run(session),
            Self::Contract(Contract::Check(arguments)) => arguments.run(),
            Self::Receipt(Receipt::Validate(arguments)) => arguments.run(session),
            Self::Key(Key::Generate(arguments)) => arguments.run(session),
            Self::Key(Key::Trust(arguments)) => arguments.run(session),
            Self::Key(Key::List(arguments)) => arguments.run(session),
            Self::Record(arguments) => arguments.run(session),
            Self::Simulate(arguments) => arguments.run(session),
            Self::Schema(arguments) => arguments.run(),
            Self::Completions(arguments) => arguments.run(),
        }
    }
}
