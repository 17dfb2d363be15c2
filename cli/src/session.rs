//! The process that a command runs in: its streams and its environment. Data goes to stdout, talk to stderr; a
//! closed pipe ends the output, never the command.

use anstream::ColorChoice;
use provely_evaluator::time::Time;
use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// The streams and the environment of one run.
#[derive(Clone, Copy, Debug)]
pub struct Session {
    /// Whether stderr takes colours: a terminal, and neither `NO_COLOR` nor `TERM=dumb` is set.
    pub colour: bool,
    /// Whether stderr is a terminal, so that a line may be drawn over.
    pub live: bool,
    /// Whether machines read the output: no talk, errors as JSON.
    pub json: bool,
}

impl Session {
    /// The session of this process.
    #[must_use]
    pub fn of_process(json: bool) -> Self {
        let live = io::stderr().is_terminal();
        let choice = anstream::AutoStream::choice(&io::stderr());
        let colour = match choice {
            ColorChoice::Always | ColorChoice::AlwaysAnsi => true,
            ColorChoice::Auto => live,
            ColorChoice::Never => false,
        };
        Self { colour, live, json }
    }

    /// Writes data to stdout. A reader that went away is no error.
    ///
    /// # Errors
    /// What the system says, for example that the disk is full.
    pub fn print(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        forgive(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Writes an error to stderr, as far as anybody listens.
    pub fn complain(&self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    /// Says something to people on stderr; nothing where machines read.
    pub fn say(&self, text: &str) {
        if !self.json {
            self.complain(&format!("{text}\n"));
        }
    }

    /// A variable of the environment, if it is set and not empty.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name).filter(|value| !value.is_empty())
    }

    /// Whether a person can be asked: stdin and stderr are terminals.
    #[must_use]
    pub fn can_ask(&self) -> bool {
        self.live && !self.json && io::stdin().is_terminal()
    }

    /// Today, in UTC, `YYYY-MM-DD`.
    #[must_use]
    pub fn today(&self) -> String {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = Time::from_seconds(i64::try_from(since.as_secs()).unwrap_or(0)).to_string();
        now.chars().take(10).collect()
    }

    /// The working folder.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
    }
}

fn forgive(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
