//! `provely key list`: signing keys by their public half, and trusted keys. It must never print a private key.

use crate::answer::Answer;
use crate::failure::Failure;
use crate::home::{Home, read_key};
use crate::session::Session;
use provely_evaluator::seal::TrustedKey;
use provely_evaluator::time::Time;
use serde::Serialize;
use std::fmt::Write as _;

const EXAMPLES: &str = "\
Example:
  provely key list --json";

/// Arguments of `key list`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {}

#[derive(Serialize)]
struct Keys {
    signing_keys: Vec<Own>,
    trusted_keys: Vec<Trusted>,
}

#[derive(Serialize)]
struct Own {
    id: String,
    public_key: String,
    path: String,
    is_default: bool,
}

#[derive(Serialize)]
struct Trusted {
    id: String,
    public_key: String,
    public_test_key: bool,
    not_before: Option<Time>,
    not_after: Option<Time>,
    retired_at: Option<Time>,
}

impl Arguments {
    /// Every key in `PROVELY_HOME`.
    ///
    /// # Errors
    /// If a key or the map is malformed.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let home = Home::find(session)?;
        let default = home.signing_key_id()?;
        let own = home.key_ids()?.into_iter().map(|id| own(&home, id, default.as_deref()));
        let signing_keys = own.collect::<Result<_, _>>()?;
        let trusted_keys = home.trusted_keys()?.iter().map(|(id, key)| trusted(id, key)).collect();
        let keys = Keys { signing_keys, trusted_keys };
        Answer::done(keys.text(), &keys)
    }
}

fn own(home: &Home, id: String, default: Option<&str>) -> Result<Own, Failure> {
    let path = home.key_path(&id);
    let public_key = read_key(&path)?.public_key().to_string();
    Ok(Own { is_default: default == Some(&id), public_key, path: path.display().to_string(), id })
}

fn trusted(id: &str, key: &TrustedKey) -> Trusted {
    Trusted {
        id: id.into(),
        public_key: key.public_key.to_string(),
        public_test_key: key.public_key.is_test_key(),
        not_before: key.not_before,
        not_after: key.not_after,
        retired_at: key.retired_at,
    }
}

impl Keys {
    fn text(&self) -> String {
        let mut text = String::from("signing keys\n");
        for Own { id, public_key, is_default, .. } in &self.signing_keys {
            let _ = writeln!(text, "  {id}{}\n    {public_key}", if *is_default { "  default" } else { "" });
        }
        text.push_str(if self.signing_keys.is_empty() { "  none\n" } else { "" });
        text.push_str("trusted keys\n");
        for Trusted { id, public_key, public_test_key, not_before, not_after, retired_at } in
            &self.trusted_keys
        {
            let _ =
                writeln!(text, "  {id}{}", if *public_test_key { "  public: anybody can sign" } else { "" });
            let _ = writeln!(text, "    {public_key}");
            let limits = [("not before", not_before), ("not after", not_after), ("retired at", retired_at)];
            for (name, time) in limits.iter().filter_map(|(name, time)| time.map(|time| (name, time))) {
                let _ = writeln!(text, "    {name} {time}");
            }
        }
        text.push_str(if self.trusted_keys.is_empty() { "  none\n" } else { "" });
        text
    }
}
