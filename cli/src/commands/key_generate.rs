//! `provely key generate ID`: a new Ed25519 key for its owner alone. It must never print the private half.

use crate::answer::Answer;
use crate::failure::Failure;
use crate::home::{Home, NamedKey, check_id};
use crate::session::Session;
use provely_evaluator::seal::{PublicKey, SigningKey, TEST_KEY_ID};
use serde::Serialize;
use zeroize::Zeroizing;

const EXAMPLES: &str = "\
Example:
  provely key generate release-2026";

/// Arguments of `key generate`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The id that documents will name, such as `release-2026`
    id: String,
    /// Replace a key of this id; what it signed can no longer be signed again
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Made {
    id: String,
    public_key: String,
    path: String,
    is_default: bool,
}

impl Arguments {
    /// Makes and stores the key.
    ///
    /// # Errors
    /// If the id is malformed or taken, or the system has no randomness or no room.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        check_id(&self.id)?;
        if self.id == TEST_KEY_ID {
            return Err(Failure::new("key_id_reserved", format!("`{TEST_KEY_ID}` is the public test key"))
                .help("choose another id"));
        }
        let home = Home::find(session)?;
        let path = home.key_path(&self.id);
        if path.exists() && !self.force {
            return Err(Failure::file("key_exists", &path, "there is a key of this id already")
                .help("choose another id, or replace the key with `--force`"));
        }
        let default = home.signing_key_id()?;
        let named = NamedKey { id: self.id, key: random_key()? };
        let public = named.key.public_key();
        let path = home.store_key(&named)?;
        if default.is_none() {
            home.set_signing_key(&named.id)?;
        }
        let is_default = default.is_none_or(|id| id == named.id);
        let made = Made {
            id: named.id,
            public_key: public.to_string(),
            path: path.display().to_string(),
            is_default,
        };
        Answer::done(made.text(public), &made)
    }
}

impl Made {
    fn text(&self, public: PublicKey) -> String {
        let Self { id, path, is_default, .. } = self;
        let default =
            if *is_default { "default      yes, `signing_key` in config.toml names it\n" } else { "" };
        format!(
            "key          {id}\npublic key   {public}\nprivate key  {path}\n{default}\nTo trust it:\n  provely key \
             trust {id} {public}\n"
        )
    }
}

fn random_key() -> Result<SigningKey, Failure> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(seed.as_mut_slice())
        .map_err(|error| Failure::new("randomness_unavailable", error.to_string()))?;
    Ok(SigningKey::from_seed(&seed))
}
