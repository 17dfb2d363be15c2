//! The closed list of verdicts. No plugin and no contract adds to it.

use serde::{Deserialize, Serialize};

/// The result of one evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// Every positive holds and every blocking negative is known to fail.
    Verified,
    /// The operation can still make progress.
    Pending,
    /// The evidence shows an outcome that the intent does not allow.
    Contradicted,
    /// The provider reports a terminal failure.
    Failed,
    /// The evidence is not sufficient.
    Unverifiable,
}

impl Verdict {
    /// Every verdict, in the order of the exit codes.
    pub const ALL: [Self; 5] =
        [Self::Verified, Self::Pending, Self::Failed, Self::Contradicted, Self::Unverifiable];

    /// The name as printed in receipts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Verified => "VERIFIED",
            Self::Pending => "PENDING",
            Self::Contradicted => "CONTRADICTED",
            Self::Failed => "FAILED",
            Self::Unverifiable => "UNVERIFIABLE",
        }
    }

    /// The process exit code: 0, 2, 3, 4 or 5.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Verified => 0,
            Self::Pending => 2,
            Self::Failed => 3,
            Self::Contradicted => 4,
            Self::Unverifiable => 5,
        }
    }
}

impl core::fmt::Display for Verdict {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}
