//! `PROVELY_HOME`: configuration, signing keys and trusted keys. It must never print a private key.

use crate::failure::Failure;
use crate::files;
use crate::session::Session;
use provely_evaluator::seal::{SigningKey, TEST_KEY_ID, TrustedKeys};
use std::fs;
use std::path::{Path, PathBuf};
use toml_edit::DocumentMut;
use zeroize::Zeroizing;

/// The folder of the user's keys and configuration.
#[derive(Clone, Debug)]
pub struct Home(PathBuf);

/// A signing key, and the id it signs under.
pub struct NamedKey {
    /// The id.
    pub id: String,
    /// The key.
    pub key: SigningKey,
}

impl NamedKey {
    /// The public test key: anybody can sign with it.
    #[must_use]
    pub fn test() -> Self {
        Self { id: TEST_KEY_ID.into(), key: SigningKey::test_key() }
    }

    /// Whether anybody can sign with it.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.key.public_key().is_test_key()
    }
}

impl Home {
    /// `PROVELY_HOME`, else the platform's configuration folder.
    ///
    /// # Errors
    /// If neither is known.
    pub fn find(session: &Session) -> Result<Self, Failure> {
        let folder = |name: &str| session.variable(name).map(PathBuf::from);
        let platform = || {
            if cfg!(windows) {
                folder("APPDATA")
            } else if cfg!(target_os = "macos") {
                folder("HOME").map(|home| home.join("Library/Application Support"))
            } else {
                folder("XDG_CONFIG_HOME").or_else(|| folder("HOME").map(|home| home.join(".config")))
            }
        };
        folder("PROVELY_HOME").or_else(|| platform().map(|base| base.join("provely"))).map(Self).ok_or_else(
            || {
                Failure::new("home_unknown", "there is no configuration folder")
                    .help("set `PROVELY_HOME` to a folder of your own")
            },
        )
    }

    /// `trusted-keys.json`
    #[must_use]
    pub fn trusted_keys_path(&self) -> PathBuf {
        self.0.join("trusted-keys.json")
    }

    /// `config.toml`
    #[must_use]
    pub fn config_path(&self) -> PathBuf {
        self.0.join("config.toml")
    }

    /// `skills`
    #[must_use]
    pub fn skills_path(&self) -> PathBuf {
        self.0.join("skills")
    }

    /// `keys/<id>.pem`
    #[must_use]
    pub fn key_path(&self, id: &str) -> PathBuf {
        self.keys_folder().join(format!("{id}.pem"))
    }

    fn keys_folder(&self) -> PathBuf {
        self.0.join("keys")
    }

    /// The map of trusted keys; empty where there is none yet.
    ///
    /// # Errors
    /// If the file is malformed.
    pub fn trusted_keys(&self) -> Result<TrustedKeys, Failure> {
        let path = self.trusted_keys_path();
        if path.exists() { read_trusted_keys(&path) } else { Ok(TrustedKeys::new()) }
    }

    /// The keys that packages are checked with: those of a file, else of the home; the public test key besides,
    /// which the checks name as public.
    ///
    /// # Errors
    /// If a map is malformed.
    pub fn package_keys(session: &Session, file: Option<&Path>) -> Result<TrustedKeys, Failure> {
        let mut keys = match file {
            Some(path) => read_trusted_keys(path)?,
            None => Self::find(session)?.trusted_keys()?,
        };
        if keys.get(TEST_KEY_ID).is_none() {
            keys.insert(TEST_KEY_ID, SigningKey::test_key().public_key());
        }
        Ok(keys)
    }

    /// Writes the map of trusted keys.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn write_trusted_keys(&self, keys: &TrustedKeys) -> Result<(), Failure> {
        files::make_folder(&self.0)?;
        let text = serde_json::to_string_pretty(&keys.to_value())? + "\n";
        files::write(&self.trusted_keys_path(), text.as_bytes(), false)
    }

    /// The ids of the signing keys, in order.
    ///
    /// # Errors
    /// If the folder is there and cannot be read.
    pub fn key_ids(&self) -> Result<Vec<String>, Failure> {
        let folder = self.keys_folder();
        if !folder.exists() {
            return Ok(Vec::new());
        }
        let entries =
            fs::read_dir(&folder).map_err(|error| Failure::file("folder_unreadable", &folder, error))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut ids: Vec<String> = names
            .filter_map(|name| name.strip_suffix(".pem").map(str::to_owned))
            .filter(|id| check_id(id).is_ok())
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Stores a signing key for its owner alone.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn store_key(&self, named: &NamedKey) -> Result<PathBuf, Failure> {
        let folder = self.keys_folder();
        files::make_folder(&folder)?;
        close_to_others(&folder)?;
        let path = self.key_path(&named.id);
        files::write(&path, named.key.to_pem().as_bytes(), true)?;
        Ok(path)
    }

    /// The id that `config.toml` names as `signing_key`.
    ///
    /// # Errors
    /// If the file is malformed, or names no id.
    pub fn signing_key_id(&self) -> Result<Option<String>, Failure> {
        let path = self.config_path();
        let Some(config) = self.config()? else { return Ok(None) };
        let Some(item) = config.get("signing_key") else { return Ok(None) };
        let id = item.as_str().ok_or_else(|| {
            Failure::file("config_invalid", &path, "`signing_key` is no text")
                .help("write `signing_key = \"my-key\"`")
        })?;
        check_id(id)?;
        Ok(Some(id.to_owned()))
    }

    /// The default signing key, if one is configured.
    ///
    /// # Errors
    /// If the configuration or the key is malformed or missing.
    pub fn signing_key(&self) -> Result<Option<NamedKey>, Failure> {
        let Some(id) = self.signing_key_id()? else { return Ok(None) };
        let key = read_key(&self.key_path(&id))?;
        Ok(Some(NamedKey { id, key }))
    }

    /// Names a key as default; every other line of `config.toml` stays.
    ///
    /// # Errors
    /// If the file is malformed or cannot be written.
    pub fn set_signing_key(&self, id: &str) -> Result<(), Failure> {
        let mut config = self.config()?.unwrap_or_default();
        config.insert("signing_key", toml_edit::value(id));
        files::make_folder(&self.0)?;
        files::write(&self.config_path(), config.to_string().as_bytes(), false)
    }

    fn config(&self) -> Result<Option<DocumentMut>, Failure> {
        let path = self.config_path();
        if !path.exists() {
            return Ok(None);
        }
        let text = files::text(&path)?;
        text.parse::<DocumentMut>()
            .map(Some)
            .map_err(|error| Failure::file("config_invalid", &path, error.to_string().trim_end()))
    }
}

/// Reads a map of trusted keys.
///
/// # Errors
/// If the file is missing or malformed; the error names the entry.
pub fn read_trusted_keys(path: &Path) -> Result<TrustedKeys, Failure> {
    let text = files::text(path)?;
    TrustedKeys::parse(&text).map_err(|error| {
        Failure::file("trusted_keys_invalid", path, error)
            .help("the map is JSON from key id to public key: `{\"my-key\": \"<64 hexadecimal digits>\"}`")
    })
}

/// Reads a private key. Nothing of the file enters an error.
///
/// # Errors
/// If it is missing, or no Ed25519 key in PKCS#8 PEM.
pub fn read_key(path: &Path) -> Result<SigningKey, Failure> {
    let text = Zeroizing::new(files::text(path)?);
    SigningKey::from_pem(&text).map_err(|error| Failure::file("private_key_malformed", path, error))
}

/// Ids name files, so they are plain words.
///
/// # Errors
/// If the id is empty, longer than 64 characters, or holds anything but letters, digits, `.`, `_` and `-`.
pub fn check_id(id: &str) -> Result<(), Failure> {
    if is_plain(id) {
        return Ok(());
    }
    Err(Failure::new("key_id_malformed", format!("`{}` is no key id", id.escape_debug()))
        .help("use 1 to 64 letters, digits, `.`, `_` and `-`, a letter or digit first"))
}

/// True of an id that can name a file anywhere: 1 to 64 letters, digits, `.`, `_` and `-`, a letter or digit first.
#[must_use]
pub fn is_plain(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let starts = id.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    starts && id.len() <= 64 && id.bytes().all(plain)
}

#[cfg(unix)]
fn close_to_others(folder: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
        .map_err(|error| Failure::file("folder_unwritable", folder, error))
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) -> Result<(), Failure> {
    Ok(())
}
