//! One line per stage on stderr: drawn over on a terminal, plain otherwise, none where machines read.

use crate::session::Session;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// The line of the work at hand.
pub struct Progress {
    session: Session,
    line: Option<(ProgressBar, &'static str)>,
    start: Instant,
}

impl Progress {
    /// Nothing at hand yet.
    #[must_use]
    pub fn new(session: &Session) -> Self {
        Self { session: *session, line: None, start: Instant::now() }
    }

    /// Says what begins.
    pub fn begin(&mut self, name: &'static str) {
        self.start = Instant::now();
        let target = if self.session.live && !self.session.json {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(name);
        bar.enable_steady_tick(Duration::from_millis(100));
        self.line = Some((bar, name));
    }

    /// Says what came of it, and gives the milliseconds it took.
    pub fn end(&mut self, found: &str) -> u64 {
        let took = self.start.elapsed();
        if let Some((bar, name)) = self.line.take() {
            bar.finish_and_clear();
            self.session.say(&format!("{name:<11} {:>7.1} ms  {found}", took.as_secs_f64() * 1000.0));
        }
        u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
    }
}

/// The most memory that this process has held, in kilobytes, where the system says so.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
