//! Subjects that are programs of somebody else, spoken to in lines of JSON. They are given what a checker may see,
//! and a limit of time; nothing that they do reaches the case.

use provely_evaluator::verdict::Verdict;
use provely_harness::subjects::{Desk, Subject, Turn, exhibit, take};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a program may take for one answer.
const LIMIT: Duration = Duration::from_secs(10);

/// The most lines that a program may write for one answer.
const MOST_LINES: usize = 100;

/// The longest line, in bytes.
const LONGEST: u64 = 1 << 20;

/// A program that answers. Those that go on after an answer are asked again; others are started anew.
#[derive(Debug)]
pub struct Outside {
    line: String,
    words: Vec<String>,
    idle: Mutex<Vec<Running>>,
    gave_up: AtomicBool,
}

/// A program that was started.
#[derive(Debug)]
struct Running {
    child: Child,
    to: ChildStdin,
    lines: Receiver<Result<String, String>>,
}

/// Why a program gave no verdict.
enum Silence {
    /// It ended before it wrote anything.
    Ended,
    /// Anything else, in words.
    Failed(String),
}

impl Outside {
    /// The program of a command line, its words apart by spaces; no shell reads it.
    #[must_use]
    pub fn new(line: &str) -> Option<Self> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        (!words.is_empty()).then(|| Self {
            line: line.to_owned(),
            words,
            idle: Mutex::default(),
            gave_up: AtomicBool::new(false),
        })
    }

    fn start(&self) -> Result<Running, String> {
        let (program, arguments) = self.words.split_first().ok_or("there is no program")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
        let to = child.stdin.take().ok_or("it has no input")?;
        let lines = lines_of(child.stdout.take().ok_or("it has no output")?);
        Ok(Running { child, to, lines })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Running>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    fn ask(&mut self, desk: &mut Desk<'_>) -> Result<Verdict, Silence> {
        let failed = |why: String| Silence::Failed(why);
        let shown = exhibit(desk).map_err(|error| failed(error.to_string()))?;
        let until = Instant::now() + LIMIT;
        // A program that has ended does not read; that shows in what it writes.
        let _sent = writeln!(self.to, "{shown}");
        for turn in 0..MOST_LINES {
            let line = match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => line.map_err(failed)?,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(failed(format!("no verdict within {} s", LIMIT.as_secs())));
                }
                Err(RecvTimeoutError::Disconnected) if turn == 0 => return Err(Silence::Ended),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(failed(String::from("it ended without a verdict")));
                }
            };
            match take(desk, &line).map_err(failed)? {
                Turn::Verdict(verdict) => return Ok(verdict),
                Turn::Reply(reply) => {
                    let _sent = writeln!(self.to, "{reply}");
                }
            }
        }
        Err(failed(format!("no verdict in {MOST_LINES} lines")))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Subject for Outside {
    fn name(&self) -> &str {
        &self.line
    }

    fn answer(&self, desk: &mut Desk<'_>) -> Result<Verdict, String> {
        // One error ends the run; a program that hangs is not waited for in every case.
        if self.gave_up.load(Ordering::Relaxed) {
            return Ok(Verdict::Unverifiable);
        }
        let answer = self.answer_once(desk);
        self.gave_up.fetch_or(answer.is_err(), Ordering::Relaxed);
        answer
    }
}

impl Outside {
    fn answer_once(&self, desk: &mut Desk<'_>) -> Result<Verdict, String> {
        let mut known = self.idle().pop();
        let asked = known.as_mut().map(|running| running.ask(desk));
        let (running, answer) = match (known, asked) {
            // It answered one question and went, as it may.
            (_, Some(Err(Silence::Ended))) | (None, _) | (_, None) => {
                let mut running = self.start()?;
                let answer = running.ask(desk);
                (running, answer)
            }
            (Some(running), Some(answer)) => (running, answer),
        };
        match answer {
            Ok(verdict) => {
                self.idle().push(running);
                Ok(verdict)
            }
            Err(Silence::Ended) => Err(String::from("it ended without a verdict")),
            Err(Silence::Failed(why)) => Err(why),
        }
    }
}

/// The lines that a program writes, read beside the talk so that its silence can be waited out.
fn lines_of(from: impl Read + Send + 'static) -> Receiver<Result<String, String>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut from = BufReader::new(from);
        loop {
            let mut line = Vec::new();
            let read = from.by_ref().take(LONGEST).read_until(b'\n', &mut line);
            let line = match read {
                Ok(0) => return,
                Ok(_) if line.len() as u64 == LONGEST => Err(String::from("a line that is too long")),
                Ok(_) => String::from_utf8(line).map_err(|_| String::from("a line that is not UTF-8")),
                Err(error) => Err(error.to_string()),
            };
            let ends = line.is_err();
            if send.send(line).is_err() || ends {
                return;
            }
        }
    });
    receive
}
