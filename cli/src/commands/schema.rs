//! `provely schema contract|receipt|manifest`: the JSON Schema (2020-12) of a document format, written from the
//! types. Equal types give equal bytes.

use crate::answer::Answer;
use crate::failure::Failure;
use clap::ValueEnum;
use provely_evaluator::contract::{CONTRACT_SCHEMA_VERSION, Contract};
use provely_evaluator::json;
use provely_evaluator::manifest::manifest_schema;
use provely_evaluator::receipt::receipt_schema;
use schemars::Schema;
use schemars::generate::SchemaSettings;

const EXAMPLES: &str = "\
Example:
  provely schema receipt > receipt.schema.json";

/// Arguments of `schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The document format
    format: Format,
}

/// The document formats that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A completion contract
    Contract,
    /// A signed receipt
    Receipt,
    /// The signed manifest of a skill package
    Manifest,
}

impl Format {
    /// The name, as the argument has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contract => "contract",
            Self::Receipt => "receipt",
            Self::Manifest => "manifest",
        }
    }
}

impl Arguments {
    /// The schema, for people and machines alike.
    ///
    /// # Errors
    /// None in practice.
    pub fn run(self) -> Result<Answer, Failure> {
        let text = text(self.format)?;
        Ok(Answer { exit: crate::exit::Exit::Done, text: text.clone(), json: text })
    }
}

/// The schema as it is printed: members sorted by name, two spaces, a line feed at the end.
///
/// # Errors
/// None in practice.
pub fn text(format: Format) -> Result<String, Failure> {
    let schema = match format {
        Format::Contract => contract_schema(),
        Format::Receipt => receipt_schema(),
        Format::Manifest => manifest_schema(),
    };
    let sorted =
        json::to_value(&schema).map_err(|error| Failure::new("schema_unwritable", error.to_string()))?;
    Ok(serde_json::to_string_pretty(&sorted)? + "\n")
}

/// The types, and what they cannot say: the format's version, and that positives are not empty.
fn contract_schema() -> Schema {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Contract>();
    let stated = schemars::json_schema!({ "properties": {
        "schema_version": { "const": CONTRACT_SCHEMA_VERSION },
        "completion": { "properties": { "all_of": { "minItems": 1 } } }
    } });
    schema.insert("allOf".into(), serde_json::Value::Array(vec![stated.to_value()]));
    schema
}
