//! `provely key trust ID KEY`: adds a public key to the user's map. It must not replace one silently.

use crate::answer::Answer;
use crate::failure::Failure;
use crate::files;
use crate::home::{Home, check_id};
use crate::session::Session;
use provely_evaluator::seal::{PublicKey, SigningKey};
use serde::Serialize;
use std::path::Path;
use zeroize::Zeroizing;

const EXAMPLES: &str = "\
Examples:
  provely key trust release-2026 release-2026.pub.pem
  provely key trust provely-test-key-1 \\
    d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

/// Arguments of `key trust`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The id that documents name
    id: String,
    /// The public key: 64 hexadecimal digits, or a file with them or with PEM
    #[arg(value_name = "HEX|PUBLIC-KEY-FILE")]
    key: String,
}

#[derive(Serialize)]
struct Trusted {
    id: String,
    public_key: String,
    path: String,
    public_test_key: bool,
}

impl Arguments {
    /// Adds the key.
    ///
    /// # Errors
    /// If the id or key is malformed, or the id stands for another key.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        check_id(&self.id)?;
        let key = read_public_key(&self.key)?;
        let home = Home::find(session)?;
        let path = home.trusted_keys_path();
        let mut keys = home.trusted_keys()?;
        match keys.get(&self.id) {
            Some(known) if known.public_key == key => {}
            Some(_) => return Err(taken(&self.id, &path)),
            None => {
                keys.insert(self.id.as_str(), key);
                home.write_trusted_keys(&keys)?;
            }
        }
        let trusted = Trusted {
            public_key: key.to_string(),
            path: path.display().to_string(),
            public_test_key: key.is_test_key(),
            id: self.id,
        };
        if trusted.public_test_key {
            session.say("note: this is the public test key, with which anybody can sign");
        }
        Answer::done(format!("trusted      {}\npublic key   {key}\n", trusted.id), &trusted)
    }
}

fn taken(id: &str, path: &Path) -> Failure {
    Failure::new("key_id_taken", format!("`{id}` stands for another public key")).at(path).help(format!(
        "use another id, or remove the entry from {} if you mean to replace it",
        path.display()
    ))
}

fn read_public_key(text: &str) -> Result<PublicKey, Failure> {
    if let Ok(key) = text.parse() {
        return Ok(key);
    }
    let path = Path::new(text);
    let looks_like_hex = text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if looks_like_hex && !path.exists() {
        return Err(Failure::new(
            "public_key_malformed",
            "this is no Ed25519 public key that may be trusted",
        )
        .help("64 hexadecimal digits in small letters are expected, or a file"));
    }
    let content = Zeroizing::new(files::text(path)?);
    if SigningKey::from_pem(&content).is_ok() {
        return Err(Failure::file("private_key_given", path, "this is a private key")
            .help("hand in the public half; whoever has the private one can sign"));
    }
    content.trim().parse().or_else(|_| PublicKey::from_pem(&content)).map_err(|_| {
        Failure::file("public_key_malformed", path, "no Ed25519 public key that may be trusted")
            .help("64 hexadecimal digits in small letters are expected, or PEM as OpenSSL writes it")
    })
}
