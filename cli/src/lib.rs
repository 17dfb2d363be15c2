//! What the `provely` binary does, as a library, so that tests can call it. It must not decide anything that the
//! kernel, the compiler or the harness decide.

pub mod answer;
pub mod answers;
pub mod benchmarks;
pub mod commands;
pub mod compilation;
pub mod contracts;
pub mod corpus;
pub mod dialogue;
pub mod exit;
pub mod failure;
pub mod fetch;
pub mod files;
pub mod handed;
pub mod home;
pub mod outside;
pub mod package;
pub mod progress;
pub mod proxy;
pub mod questions;
pub mod review;
pub mod session;
pub mod sources;
pub mod summary;
pub mod summary_text;
pub mod tapes;
pub mod truth_text;

use answer::Answer;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser};
use commands::Command;
use exit::Exit;
use failure::Failure;
use session::Session;
use std::ffi::OsString;

/// Did the AI agent's action really reach the promised outcome?
#[derive(Debug, Parser)]
#[command(name = "provely", version, propagate_version = false, max_term_width = 80)]
#[command(after_help = exit::Exit::help())]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Print JSON on stdout; an error is JSON on stderr
    #[arg(long, global = true)]
    pub json: bool,
}

/// Runs one command line, the program's name first, and prints what it answers.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let asked_for_json =
        arguments.iter().skip(1).take_while(|word| *word != "--").any(|word| word == "--json");
    let session = Session::of_process(asked_for_json);
    match parse(&arguments) {
        Ok(line) => report(&session, line.command.run(&session)),
        Err(error) => refuse(&session, &error),
    }
}

/// The command line as clap knows it, with its examples.
#[must_use]
pub fn grammar() -> clap::Command {
    CommandLine::command()
}

fn parse(arguments: &[OsString]) -> Result<CommandLine, clap::Error> {
    grammar().try_get_matches_from(arguments).and_then(|found| CommandLine::from_arg_matches(&found))
}

fn report(session: &Session, result: Result<Answer, Failure>) -> Exit {
    let answer = match result {
        Ok(answer) => answer,
        Err(failure) => return complain(session, &failure),
    };
    let data = if session.json { &answer.json } else { &answer.text };
    match session.print(data) {
        Ok(()) => answer.exit,
        Err(error) => complain(session, &Failure::new("output_unwritable", format!("stdout: {error}"))),
    }
}

fn complain(session: &Session, failure: &Failure) -> Exit {
    let text = if session.json { failure.to_json() } else { failure.render(session.colour) };
    session.complain(&text);
    Exit::Refused
}

/// Help and version are answers; every other refusal of clap's is a usage error.
fn refuse(session: &Session, error: &clap::Error) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let text = error.render().to_string();
            let data = serde_json::json!({ "text": text });
            report(session, Answer::done(text, &data))
        }
        _ => usage(session, error),
    }
}

fn usage(session: &Session, error: &clap::Error) -> Exit {
    if session.json {
        let text = error.render().to_string();
        let mut parts = text.trim().splitn(2, "\n\n");
        let message = parts.next().unwrap_or_default().trim_start_matches("error: ").replace('\n', " ");
        let help = parts.next().unwrap_or("see `provely --help`").trim();
        return complain(session, &Failure::new("usage", message).help(help));
    }
    let text = error.render();
    let text = if session.colour { text.ansi().to_string() } else { text.to_string() };
    session.complain(&text);
    Exit::Refused
}
