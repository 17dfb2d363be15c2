//! `provely completions SHELL`: a completion script. It must not write into the user's shell configuration.

use crate::answer::Answer;
use crate::failure::Failure;
use clap_complete::Shell;
use serde::Serialize;

const EXAMPLES: &str = "\
Example:
  provely completions bash > ~/.local/share/bash-completion/completions/provely";

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

#[derive(Serialize)]
struct Script<'s> {
    shell: String,
    script: &'s str,
}

impl Arguments {
    /// The script.
    ///
    /// # Errors
    /// None in practice.
    pub fn run(self) -> Result<Answer, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::grammar(), "provely", &mut script);
        let script = String::from_utf8_lossy(&script).into_owned();
        let data = Script { shell: self.shell.to_string(), script: &script };
        Answer::done(script.clone(), &data)
    }
}
