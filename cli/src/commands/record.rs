//! `provely record`: a proxy before a sandbox that keeps what is said, without secrets and personal data. It must not
//! write anything that was not redacted.

use crate::answer::Answer;
use crate::failure::Failure;
use crate::files;
use crate::proxy::{Proxy, Recorder};
use crate::session::Session;
use crate::tapes;
use provely_harness::tape::{Exchange, Redactor};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

const EXAMPLES: &str = "\
Examples:
  provely record --target https://sandbox.vendor.example
  provely record --target http://127.0.0.1:4010 --port 4020 --out recording

Point a client at the address that is printed, with a key of the sandbox. Every
exchange becomes a file; keys, tokens, names, addresses, e-mail addresses, card
and bank numbers are replaced before it is written, equal ones by equal ones.
Look through the files before you show them to anybody. Ends with Ctrl-C; then
`provely conformance run SERVICE --replay DIR` runs contracts on them.";

/// Arguments of `record`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The sandbox, an address with `http://` or `https://`
    #[arg(long, value_name = "URL")]
    target: String,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// The port; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 4020)]
    port: u16,
    /// Where the exchanges go, a folder that is new or empty
    #[arg(long, value_name = "DIR", default_value = "recording")]
    out: PathBuf,
}

impl Arguments {
    /// Records until the process ends.
    ///
    /// # Errors
    /// If the target is no address, the folder holds something, or the address cannot be listened on.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        check_target(&self.target)?;
        tapes::make(&self.out)?;
        let recorder = recorder(&self.out, *session);
        let proxy = Proxy::start(&self.target, SocketAddr::new(self.host, self.port), recorder)
            .map_err(|error| Failure::new("serve", error.to_string()).help("choose another `--port`"))?;
        let address = format!("http://{}", proxy.address());
        session.say(&format!("{} is recorded at {address} into {}", self.target, self.out.display()));
        if session.json {
            session.print(&format!("{{\"address\": \"{address}\"}}\n")).ok();
        }
        loop {
            std::thread::park();
        }
    }
}

fn check_target(target: &str) -> Result<(), Failure> {
    let rest = target.strip_prefix("https://").or_else(|| target.strip_prefix("http://"));
    if rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(['@', '?', '#', ' '])) {
        return Ok(());
    }
    Err(Failure::new("target_malformed", format!("`{}` is no address of a sandbox", target.escape_debug()))
        .help("write it as `https://sandbox.vendor.example`, without a user, query or fragment"))
}

/// Writes each exchange, redacted, under the next number.
fn recorder(out: &Path, session: Session) -> Recorder {
    let out = out.to_owned();
    let state = Mutex::new((Redactor::default(), 0_u32));
    Arc::new(move |exchange: Exchange| {
        // Redacting has no state that a panic could leave half done.
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let (redactor, count) = &mut *state;
        *count += 1;
        let redacted = redactor.redact(&exchange);
        let (name, line) =
            (tapes::name(*count), format!("{} {}", redacted.request.method, redacted.request.path));
        let written = redacted.to_text().map_err(|error| error.to_string()).and_then(|text| {
            files::write(&out.join(&name), text.as_bytes(), true).map_err(|failure| failure.render(false))
        });
        match written {
            Ok(()) => session.say(&format!("{name}  {line}")),
            Err(why) => session.complain(&format!("{name} is not written: {why}\n")),
        }
    })
}
