//! What a manifest says about the package: sources, files, contracts, score and conformance. Scores are exact
//! decimal strings; no floating-point number may enter a signed document.

use crate::contract::EvidenceLevel;
use crate::hash::Digest;
use crate::time::Time;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;
use serde::de::{self, Deserializer};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// A source of facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SourceEntry {
    /// Its id, first part of every assertion id.
    pub id: String,
    /// What it is, such as `openapi`, `graphql`, `docs` or `event_sample`.
    pub kind: String,
    /// Where it was found.
    pub url: String,
    /// When it was retrieved, as a date.
    pub retrieved: String,
    /// How much of it is kept, such as `authored`, `trimmed` or `whole`.
    pub excerpt: String,
    /// The digest of the bytes that were compiled.
    pub sha256: Digest,
}

/// A file of the package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its path within the package, with `/`.
    pub path: String,
    /// The digest of its bytes.
    pub sha256: Digest,
    /// How many bytes.
    pub bytes: u64,
}

/// A contract of the package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContractEntry {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// The file that holds it.
    pub path: String,
    /// The completion level that it proves.
    pub completion_level: String,
    /// What it promises, in words.
    pub promise: String,
    /// How well it is proven.
    pub certification: Certification,
    /// The levels of evidence that VERIFIED needs.
    pub evidence_levels: Vec<EvidenceLevel>,
    /// The contract's hash: of its canonical text without the member `hash`.
    pub hash: Digest,
}

/// How well a skill or contract is proven, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Certification {
    /// The first level.
    Community,
    /// 50 points or more.
    GeneratedDraft,
    /// 75 points or more, no cap below and no failed case.
    Verified,
    /// 90 points or more, every critical test, every uncertainty reviewed.
    Official,
}

impl Certification {
    /// The id, as receipts carry it.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Community => "community",
            Self::GeneratedDraft => "generated_draft",
            Self::Verified => "verified",
            Self::Official => "official",
        }
    }

    /// The name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Community => "Community",
            Self::GeneratedDraft => "Generated draft",
            Self::Verified => "Verified",
            Self::Official => "Official",
        }
    }
}

impl fmt::Display for Certification {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.title())
    }
}

/// The confidence score: dimensions, what they sum to, what caps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// The dimensions.
    pub dimensions: Vec<Dimension>,
    /// The sum of the dimensions.
    pub raw: Points,
    /// The caps that apply.
    pub caps: Vec<Cap>,
    /// The score after the caps.
    #[serde(rename = "final")]
    pub after_caps: Points,
    /// The level that the score gives.
    pub level: Certification,
}

/// One dimension of the score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Dimension {
    /// Its name, such as `lifecycle_certainty`.
    pub name: String,
    /// The points reached.
    pub points: Points,
    /// The points that can be reached.
    pub maximum: Points,
}

/// A cap on the score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Cap {
    /// What caps, such as `uncertainty_caps`.
    pub gate: String,
    /// The most that the score can be.
    pub cap: Points,
    /// Why, in words.
    pub reason: String,
}

/// What a conformance run found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Conformance {
    /// How many cases ran.
    pub total: u64,
    /// How many gave the required result.
    pub passed: u64,
    /// How many critical cases were VERIFIED and must not be; one rejects the skill.
    pub critical_false_verified: u64,
    /// The digest of the artifact of the run.
    pub digest: Digest,
    /// What played the provider.
    pub ran_against: RanAgainst,
    /// When it ran.
    pub run_at: Time,
    /// The result by class of case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassResult>,
}

/// The figures of the benchmark that a package keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BenchmarkEntry {
    /// The digest of `benchmark.json`.
    pub digest: Digest,
    /// The version of the cases.
    pub benchmark_version: String,
    /// The seed of everything, as text.
    pub seed: String,
}

/// What played the provider in a conformance run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RanAgainst {
    /// The simulator.
    Simulator,
    /// Recorded traffic of the provider's sandbox.
    Recorded,
}

/// The result of one class of conformance cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClassResult {
    /// The class, such as `duplicate_side_effect`.
    pub class: String,
    /// How many of its cases gave the required result.
    pub passed: u64,
    /// How many ran.
    pub total: u64,
}

/// Points of a score, exact to the hundredth; written as a decimal string without trailing zeros (`"12.31"`,
/// `"49"`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Points(u32);

impl Points {
    /// So many hundredths of a point.
    #[must_use]
    pub const fn from_hundredths(hundredths: u32) -> Self {
        Self(hundredths)
    }

    /// So many whole points.
    #[must_use]
    pub const fn whole(points: u16) -> Self {
        Self(points as u32 * 100)
    }

    /// The hundredths.
    #[must_use]
    pub const fn hundredths(self) -> u32 {
        self.0
    }
}

/// The text is no number of points: a decimal below 42,949,672 with at most two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointsError;

impl fmt::Display for PointsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            "points_malformed: write points as `49` or `12.31`, two places at most, no trailing zero",
        )
    }
}

impl core::error::Error for PointsError {}

impl fmt::Display for Points {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 100, self.0 % 100);
        match (rest, rest % 10) {
            (0, _) => write!(out, "{whole}"),
            (_, 0) => write!(out, "{whole}.{}", rest / 10),
            (_, _) => write!(out, "{whole}.{rest:02}"),
        }
    }
}

impl fmt::Debug for Points {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl FromStr for Points {
    type Err = PointsError;

    fn from_str(text: &str) -> Result<Self, PointsError> {
        let (whole, places) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let plain = digits(whole) && digits(places) && (whole == "0" || !whole.starts_with('0'));
        if !plain || whole.is_empty() || places.len() > 2 || places.ends_with('0') || text.ends_with('.') {
            return Err(PointsError);
        }
        let read = |part: &str| part.parse::<u32>().map_err(|_| PointsError);
        let rest = match places.len() {
            0 => 0,
            1 => read(places)? * 10,
            _ => read(places)?,
        };
        read(whole)?.checked_mul(100).and_then(|sum| sum.checked_add(rest)).map(Self).ok_or(PointsError)
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Points {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Points".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^(0|[1-9][0-9]*)(\\.[0-9]?[1-9])?$",
            "description": "Points, two decimal places at most"
        })
    }
}
