//! The members of a receipt. Data only: a receipt holds references to evidence, never a provider's payload.

use crate::contract::{Causality, EvidenceLevel, Independence};
use crate::hash::Digest;
use crate::seal::{SealState, Signature, Unsigned};
use crate::time::Time;
use crate::verdict::Verdict;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The schema version that this crate reads and writes.
pub const RECEIPT_SCHEMA_VERSION: &str = "1.0.0";

/// A receipt that is not sealed yet.
pub type ReceiptDraft = Receipt<Unsigned>;

/// What was verified, against what, and how: one verdict, signed.
///
/// Members that are `Option` may be absent in what is read; the runtime writes all that it knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Receipt"))]
#[serde(deny_unknown_fields)]
#[serde(bound(serialize = "S: Serialize + SealState"))]
pub struct Receipt<S = Signature> {
    /// Version of this document format, `1.0.0`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = RECEIPT_SCHEMA_VERSION)))]
    pub schema_version: String,
    /// Id of the receipt.
    pub id: String,
    /// When it was signed; the key must be valid at this time.
    pub issued_at: Time,
    /// What issued it, such as `provely-runtime`.
    pub issuer: String,
    /// The operation it is about.
    pub operation_id: String,
    /// What was asked for.
    pub intent: IntentStatement,
    /// The caller's own name of the ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_ref: Option<String>,
    /// SHA-256 of the canonical text of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_sha256: Option<Digest>,
    /// The promise that was evaluated.
    pub contract: ContractReference,
    /// The skill that the contract belongs to.
    pub skill: SkillReference,
    /// Versions in effect.
    pub versions: Versions,
    /// The provider account that was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<ConnectionReference>,
    /// The provider's record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<SubjectReference>,
    /// What ties the record to the operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub causality: Option<Causality>,
    /// What was decided.
    pub verdict: VerdictStatement,
    /// Whether the provider may still take the outcome back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finality: Option<Finality>,
    /// Ids of conditions that did not apply to this input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_applied: Option<Vec<String>>,
    /// The evidence, by reference.
    pub observations: Vec<ObservationReference>,
    /// The parts of a composed operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<Vec<Component>>,
    /// How often the runtime has observed.
    pub attempt_count: u64,
    /// When the verdict was reached.
    pub verified_at: Time,
    /// Whether a person has to look at it; such a receipt exits 5 whatever its verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalated: Option<bool>,
    /// Id of the earlier receipt that this one replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// The seal over everything else.
    #[serde(skip_serializing_if = "SealState::is_unsigned")]
    pub signature: S,
}

/// What was asked for, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct IntentStatement {
    /// The statement of the contract, or of the caller.
    pub statement: String,
}

/// A contract, named so that no other fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContractReference {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its canonical text without the member `hash`.
    pub hash: Digest,
}

/// A skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SkillReference {
    /// The service.
    pub service: String,
    /// The version of the skill package.
    pub skill_version: String,
    /// Its certification, such as `community`.
    pub certification: String,
}

/// The versions that were in effect, each tracked by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Versions {
    /// The provider API version that the verifier read with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_api_version: Option<String>,
    /// The version of the event payloads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_payload_version: Option<String>,
    /// The client library that acted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_sdk_version: Option<String>,
    /// The version of the runtime.
    pub runtime_version: String,
}

/// The provider account that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ConnectionReference {
    /// The account at the provider.
    pub account: String,
    /// Live or test.
    pub mode: Mode,
}

/// Whether an account moves anything real.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Real effects.
    Live,
    /// The provider's sandbox.
    Test,
}

/// The provider's record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SubjectReference {
    /// `service.resource`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The keys that identify it.
    pub identity: BTreeMap<String, String>,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VerdictStatement {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether observation has ended.
    pub terminal: bool,
    /// The stable code of the reason.
    pub reason_code: String,
    /// The reason in words.
    pub reason: String,
    /// The levels of evidence that the verdict rests on.
    pub evidence_levels_used: Vec<EvidenceLevel>,
}

/// Whether the provider may still take an outcome back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Finality {
    /// The state is an end.
    Final,
    /// The state counts as success and may still turn into a failure.
    Reversible,
}

/// One piece of evidence, by reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ObservationReference {
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: ObservationKind,
    /// The channel it came through.
    pub channel: String,
    /// Its level.
    pub evidence_level: EvidenceLevel,
    /// How far the channel is from the action.
    pub independence: Independence,
    /// SHA-256 of what was seen, see [`Digest::of_observation`].
    pub digest: Digest,
    /// When it was seen.
    pub observed_at: Time,
}

/// What a piece of evidence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ObservationKind {
    /// What the verifier read.
    Observation,
    /// What the provider sent.
    Event,
    /// What `begin` read.
    Baseline,
    /// What the agent handed in.
    ActionResult,
}

/// One part of a composed operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// Its name within the composition.
    pub id: String,
    /// Its contract; absent for a part that no contract can check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<ContractReference>,
    /// Its operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
    /// Its own receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt_id: Option<String>,
    /// Its standing verdict; absent for a part that was left to a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The channel that supports it; a VERIFIED part must name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// For a part that no contract can check: whether a person confirmed it at `begin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
}

/// The state of a part that no contract can check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Review {
    /// A person confirmed at `begin` that the verdict leaves it out.
    Confirmed,
    /// Nobody has.
    Open,
}
