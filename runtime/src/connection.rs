//! Whose account at the provider is read, and how. Data only; credentials are the transport's.

use serde::{Deserialize, Serialize};

/// Test or live. Evidence of one is never evidence of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The provider's test mode.
    Test,
    /// Real money and mail.
    Live,
}

impl Mode {
    /// `test` or `live`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Live => "live",
        }
    }
}

/// A provider account as the verifier reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// The provider account.
    pub account: String,
    /// What the credential is for.
    pub mode: Mode,
    /// The version that is asked for; `None`: nobody says, and nothing verifies.
    pub api_version: Option<String>,
    /// Header that carries the version.
    #[serde(default)]
    pub version_header: Option<String>,
    /// Bound of the clock skew, in milliseconds, in place of the defaults.
    #[serde(default)]
    pub skew_ms: Option<i64>,
    /// Verifiers besides `http` and `action_result` that are set up (`webhook`, `sql`).
    #[serde(default)]
    pub verifiers: Vec<String>,
}

impl Connection {
    /// A connection without a version header, skew or further verifiers.
    #[must_use]
    pub fn new(account: &str, mode: Mode, api_version: Option<&str>) -> Self {
        Self {
            account: account.to_owned(),
            mode,
            api_version: api_version.map(str::to_owned),
            version_header: None,
            skew_ms: None,
            verifiers: Vec::new(),
        }
    }
}
