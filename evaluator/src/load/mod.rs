//! From a contract document to a program: parse references once, refuse what could verify a lie.

mod compile;
mod conditions;
mod guards;
mod overlays;
mod program;
mod references;
mod replies;
mod rules;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::canonical::{CanonicalError, canonical};
use crate::contract::Contract;
use crate::hash::Digest;
use crate::json;

pub use program::Program;
pub(crate) use program::{
    ChannelKind, ChannelView, Comparison, Expected, Expression, Form, Gate, ItemTest, ItemTestKind, Negative,
    OverTest, Test,
};

/// One broken load rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// Stable reason code.
    pub code: &'static str,
    /// Where in the document, `completion.all_of[1].operator`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<&'static str>,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.path, self.message, self.code)
    }
}

impl core::error::Error for LoadError {}

/// Collects load errors under a path.
pub(crate) struct Faults(Vec<LoadError>);

impl Faults {
    fn add(&mut self, code: &'static str, path: &str, message: String, help: Option<&'static str>) {
        self.0.push(LoadError { code, path: path.into(), message, help });
    }
}

impl Program {
    /// Checks a contract against every load rule and compiles it.
    ///
    /// # Errors
    /// Every broken rule, in document order; never an empty list.
    pub fn load(contract: Contract) -> Result<Self, Vec<LoadError>> {
        let mut faults = Faults(Vec::new());
        rules::check(&contract, &mut faults);
        replies::check(&contract, &mut faults);
        guards::check(&contract, &mut faults);
        let parts = compile::compile(&contract, &mut faults);
        let variants = overlays::variants(&contract, &mut faults);
        match parts {
            Some(parts) if faults.0.is_empty() => Ok(Self { variants, ..parts.into_program(contract) }),
            _ => Err(faults.0),
        }
    }
}

/// SHA-256 of a contract's RFC 8785 form without `hash`.
///
/// # Errors
/// A number in the contract that no signed document may hold.
pub fn contract_hash(contract: &Contract) -> Result<Digest, ContractHashError> {
    let mut value =
        json::to_value(contract).map_err(|error| ContractHashError::Unwritable(alloc::format!("{error}")))?;
    if let Some(members) = value.as_object_mut() {
        members.remove("hash");
    }
    let text = canonical(&value).map_err(ContractHashError::Canonical)?;
    Ok(Digest::of(text.as_bytes()))
}

/// Why a contract has no hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContractHashError {
    /// It cannot be written as JSON.
    Unwritable(String),
    /// It holds a number that no signed document may hold.
    Canonical(CanonicalError),
}

impl fmt::Display for ContractHashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unwritable(message) => f.write_str(message),
            Self::Canonical(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ContractHashError {}
