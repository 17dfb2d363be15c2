//! The contract document: what one completion level promises and which evidence proves it.
//!
//! Plain data as it is written in YAML or JSON. Nothing here decides; [`crate::load`] checks a
//! document against the load rules and compiles it into a program.

mod channel;
mod condition;
mod input;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::json::Value;

pub use channel::{
    Channel, EventMode, EventSource, EvidenceLevel, Independence, InstantFormat, InstantRule, Order, Page,
    PageStyle, Request, Verifier,
};
pub use condition::{As, Condition, ItemTest, NegativeClass, Operator, Owner, Rule, SetOf, Truth};
pub use input::{InputError, InputProperty, InputSchema, InputType, RequiredSet};

/// The schema version that this crate reads and writes.
pub const CONTRACT_SCHEMA_VERSION: &str = "1.0.0";

/// One completion contract: a versioned, hashable definition of done for one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// Version of this document format, `1.0.0`.
    pub schema_version: String,
    /// `service.resource.level`.
    pub id: String,
    /// Semantic version of this contract.
    pub version: String,
    /// The service the promise is about.
    pub service: String,
    /// The one promise this contract proves.
    pub completion_level: String,
    /// The promise in words, with what it does not prove.
    pub promise: String,
    /// What the user asked for.
    pub intent: Intent,
    /// The real-world thing the contract talks about.
    pub subject: Subject,
    /// The effect and how a retry is made safe.
    pub action: Action,
    /// How evidence ties to this exact operation.
    pub correlation: Correlation,
    /// Channels and the least evidence that counts.
    pub evidence_policy: EvidencePolicy,
    /// Positive postconditions; every one must hold.
    pub completion: Completion,
    /// What contradicts the promise.
    pub negative_conditions: NegativeConditions,
    /// Observed state to verdict, before completion; the first that holds decides.
    #[serde(default)]
    pub verdict_map: Vec<Rule>,
    /// Polling, deadline and stale window.
    pub timing: Timing,
    /// The verdict when the deadline passes.
    pub on_timeout: OnTimeout,
    /// The provider versions the semantics are proven for.
    pub valid_for: ValidFor,
    /// What is asked on top of the rest in some of the versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlays: Vec<Overlay>,
    /// Sub-contracts. Must be empty: composition is not part of this version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<Use>,
    /// Part of the contract (`completion.refund_present`) to the assertions it rests on.
    #[serde(default)]
    pub provenance: BTreeMap<String, Vec<String>>,
    /// SHA-256 of the RFC 8785 form without this member, lower-case hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// What the user asked for, and the input that `begin` takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Intent {
    /// One sentence.
    pub statement: String,
    /// The members of the input, as a closed subset of JSON Schema.
    pub input_schema: InputSchema,
}

/// The record type, its identity and its lifecycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// `service.resource`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Identity member to reference, `{refund_id: $correlation.refund_id}`.
    pub identity: BTreeMap<String, String>,
    /// Where the record's state stands and what each state means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<Lifecycle>,
}

/// Where a record's state stands and what each state means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Lifecycle {
    /// `$observed.<channel>.<field>`, or rooted at `@` when `over` is set.
    pub path: String,
    /// A list inside the record whose items carry the states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// Every declared state.
    pub states: BTreeMap<String, State>,
}

/// What one state means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The class of the state.
    pub class: StateClass,
    /// A success that may still turn into a failure.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub reversible: bool,
}

/// The class of a lifecycle state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StateClass {
    /// The record can still move on.
    Transitional,
    /// The promised outcome was reached.
    TerminalSuccess,
    /// The provider gave up; the outcome will not be reached.
    TerminalFailure,
    /// Ended on purpose without the outcome.
    TerminalNeutral,
    /// Nobody says what it means.
    Unknown,
}

impl StateClass {
    /// True for the classes that nothing leaves.
    #[must_use]
    pub const fn is_ended(self) -> bool {
        match self {
            Self::TerminalSuccess | Self::TerminalFailure | Self::TerminalNeutral => true,
            Self::Transitional | Self::Unknown => false,
        }
    }

    /// True for a class that ended without the promised effect.
    #[must_use]
    pub const fn is_effectless(self) -> bool {
        match self {
            Self::TerminalFailure | Self::TerminalNeutral => true,
            Self::Transitional | Self::TerminalSuccess | Self::Unknown => false,
        }
    }
}

/// The effect and how a retry is made safe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// Canonical effect such as `money.refund`.
    pub canonical_effect: String,
    /// The provider operation, `POST /v1/refunds` or `mutation x`.
    pub operation: String,
    /// Whether the action makes a record or changes one that the input names.
    #[serde(default)]
    pub target: Target,
    /// The provider's retry protection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency: Option<Idempotency>,
    /// Tests on the reply (rooted at `@`): where one holds, the provider refused, whatever the status.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_band_failure: Vec<ItemTest>,
}

/// Whether an action makes a record or changes an existing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A new record comes into being.
    #[default]
    Create,
    /// The record named by the input changes.
    Existing,
}

/// The provider's retry protection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Idempotency {
    /// What `begin` hands out as key: `$operation.id`.
    pub key: String,
    /// Header that carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Body field that carries it, `request.key` where it is nested; for a query document the argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Directive on the root field that carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directive: Option<KeyDirective>,
    /// How long the provider keeps the key, in milliseconds.
    pub life_ms: u64,
    /// A second request with the same key makes no second effect.
    pub retry_safe: bool,
}

/// A directive of a query document that carries a retry key, `@once(key: "...")`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KeyDirective {
    /// Its name, without `@`.
    pub name: String,
    /// The argument that takes the key.
    pub argument: String,
}

/// How evidence ties to this exact operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Correlation {
    /// Strategies, strongest first.
    pub strategies: Vec<Strategy>,
    /// The least causality that VERIFIED needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_causality: Option<Causality>,
    /// Tests at `@` that a record of the same subject passes; empty: no siblings exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sibling_scope: Vec<ItemTest>,
}

/// What bound a record to the operation, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Causality {
    /// An id that the agent handed in.
    Claim,
    /// An id that the input names, for effects on an existing record.
    Input,
    /// Our tag on the record at creation.
    Tag,
    /// The provider's echo of our idempotency key.
    Key,
}

/// One way of finding the operation's record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// `resource_id`, `idempotency_key`, `tag` or `fingerprint`.
    pub name: StrategyName,
    /// Strong strategies may resolve a correlation; weak ones only hint.
    pub assurance: Assurance,
    /// Whether `begin` refuses without it.
    #[serde(default)]
    pub required: bool,
    /// The keys it fills or compares.
    pub keys: Vec<CorrelationKey>,
    /// For weak strategies: how far from `begin` a match may lie, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_ms: Option<u64>,
}

/// The closed list of strategies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StrategyName {
    /// The id in the action's reply.
    ResourceId,
    /// The provider echoes our idempotency key on the creation event.
    IdempotencyKey,
    /// A free field that we fill at creation.
    Tag,
    /// Equal input fields inside a window.
    Fingerprint,
}

/// How much a strategy proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Assurance {
    /// Names one record.
    Strong,
    /// Names candidates.
    Weak,
}

/// One key of a strategy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CorrelationKey {
    /// Name under `$correlation`, or of the compared field.
    pub name: String,
    /// Where the value comes from: `$action.result...`, `$operation.id`, `$input...`; `$account` for the only record
    /// of its kind that the account has.
    pub source: String,
    /// Where the record carries it, rooted at `@` (tag and fingerprint).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How the two are compared.
    #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
    pub read_as: Option<As>,
}

impl CorrelationKey {
    /// The source of the only record of its kind in the account: no id names it, the credential does.
    pub const ACCOUNT: &str = "$account";

    /// True if the record is the only one of its kind in the account.
    #[must_use]
    pub fn is_account(&self) -> bool {
        self.source == Self::ACCOUNT
    }
}

/// Channels and the least evidence that counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EvidencePolicy {
    /// E2 or more.
    pub minimum_evidence_level: EvidenceLevel,
    /// At least one positive must rest on a channel that is not the action's own response.
    pub require_independent_channel: bool,
    /// How many distinct channels the positives must rest on.
    #[serde(default = "one")]
    pub minimum_channels: u32,
    /// The declared channels.
    pub channels: Vec<Channel>,
}

const fn one() -> u32 {
    1
}

/// The positive postconditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Completion {
    /// Every one must hold.
    pub all_of: Vec<Condition>,
}

/// The false-success blockers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NegativeConditions {
    /// One that holds gives CONTRADICTED.
    pub any_of: Vec<Condition>,
}

/// Polling, deadline and stale window; all in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Before the first observation.
    pub initial_delay_ms: u64,
    /// Between the first observations.
    pub poll_interval_ms: u64,
    /// Growth of the interval.
    pub backoff: Backoff,
    /// Scheduled observations of the fast phase; polls widen after it.
    pub maximum_attempts: u32,
    /// From the first sign of the action (until one is seen: from `begin`) to the deadline.
    pub timeout_ms: u64,
    /// How long a read may lag behind the provider.
    pub stale_read_window_ms: u64,
}

/// Exponential growth of the poll interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Backoff {
    /// Factor between two intervals, 1 or more.
    pub factor: u32,
    /// Upper bound of the interval of the fast phase.
    pub max_ms: u64,
}

/// The verdict when the deadline passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OnTimeout {
    /// UNVERIFIABLE, or PENDING with escalation.
    pub result: crate::verdict::Verdict,
    /// Stable reason code.
    pub reason_code: String,
    /// Hand the operation to a person.
    #[serde(default)]
    pub escalate_to_human_review: bool,
}

/// The versions the semantics are proven for. Ranges are closed: `>=A <=B`, or one version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ValidFor {
    /// Versions that the verifier may read with.
    pub provider_api_versions: Vec<String>,
    /// Versions of events that are admissible; absent: the same as above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_payload_versions: Option<Vec<String>>,
    /// Versions that nothing is proven for although the ranges above hold them: neither read with, nor of an event.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inadmissible_versions: Vec<String>,
}

/// A version difference: what the contract asks on top, where the verifier reads with one of some versions.
///
/// It may append conditions, PENDING rules and inadmissible versions, with their provenance; everything else
/// of the contract stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    /// Closed ranges, each within what `valid_for` covers; no version lies in two overlays.
    pub versions: Vec<String>,
    /// A merge patch (RFC 7396) of the contract. Lists are restated: the contract's items first, then the new ones.
    pub patch: Value,
}

/// A sub-contract. Uninhabited: a document that carries one is refused at load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Use {}
