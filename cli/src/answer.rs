//! What a command answers: one text for people, one for machines, one exit. It must not print.

use crate::exit::Exit;
use crate::failure::Failure;
use serde::Serialize;

/// What a command answers. Only one of the two texts reaches stdout.
#[derive(Clone, Debug)]
pub struct Answer {
    /// How the process ends.
    pub exit: Exit,
    /// For people.
    pub text: String,
    /// For machines: one JSON document.
    pub json: String,
}

impl Answer {
    /// An answer that did its work.
    ///
    /// # Errors
    /// If the data cannot be written as JSON.
    pub fn done(text: impl Into<String>, data: &impl Serialize) -> Result<Self, Failure> {
        Self::new(Exit::Done, text, data)
    }

    /// An answer with an exit of its own.
    ///
    /// # Errors
    /// If the data cannot be written as JSON.
    pub fn new(exit: Exit, text: impl Into<String>, data: &impl Serialize) -> Result<Self, Failure> {
        Ok(Self { exit, text: text.into(), json: serde_json::to_string_pretty(data)? + "\n" })
    }
}
