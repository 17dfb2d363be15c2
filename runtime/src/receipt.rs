//! From an operation, its evaluation and its evidence to a receipt that is not signed yet. It names the
//! evidence by digest and never holds a provider's payload.

use std::collections::BTreeMap;

use provely_evaluator::contract::{Channel, StateClass};
use provely_evaluator::evaluate::Evaluation;
use provely_evaluator::evidence::{Baseline, Evidence, Read};
use provely_evaluator::hash::Digest;
use provely_evaluator::json::{Object, Value};
use provely_evaluator::query::Reference;
use provely_evaluator::receipt::{
    ConnectionReference, ContractReference, Finality, IntentStatement, Mode, ObservationKind,
    ObservationReference, RECEIPT_SCHEMA_VERSION, ReceiptDraft, SubjectReference, VerdictStatement, Versions,
};
use provely_evaluator::seal::Unsigned;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;

use crate::connection;
use crate::runtime::Loaded;
use crate::scope::id_text;
use crate::store::OperationRow;

/// The issuer that every receipt of this runtime names.
pub const ISSUER: &str = "provely-runtime";

/// What a receipt is drawn from.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'a> {
    /// The contract and its package.
    pub loaded: &'a Loaded,
    /// The operation.
    pub row: &'a OperationRow,
    /// What was decided.
    pub evaluation: &'a Evaluation<'a>,
    /// What it rests on.
    pub evidence: &'a Evidence,
    /// When, on our clock.
    pub now: Time,
}

/// Draws a receipt. `supersedes` is the id of the one before it.
#[must_use]
pub fn draft(id: String, sources: Sources<'_>, supersedes: Option<String>) -> ReceiptDraft {
    let Sources { loaded, row, evaluation, evidence, now } = sources;
    let contract = loaded.contract();
    ReceiptDraft {
        schema_version: RECEIPT_SCHEMA_VERSION.to_owned(),
        id,
        issued_at: now,
        issuer: ISSUER.to_owned(),
        operation_id: row.operation.id.clone(),
        intent: IntentStatement { statement: contract.intent.statement.clone() },
        intent_ref: row.intent_ref.clone(),
        input_sha256: Some(Digest::of_observation(&row.operation.input)),
        contract: ContractReference {
            id: contract.id.clone(),
            version: contract.version.clone(),
            hash: loaded.hash,
        },
        skill: loaded.skill.reference.clone(),
        versions: Versions {
            provider_api_version: row.operation.api_version.clone(),
            event_payload_version: None,
            provider_sdk_version: None,
            runtime_version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        connection: Some(ConnectionReference {
            account: row.connection.account.clone(),
            mode: match row.connection.mode {
                connection::Mode::Live => Mode::Live,
                connection::Mode::Test => Mode::Test,
            },
        }),
        subject: Some(subject(sources)),
        causality: evaluation.causality,
        verdict: VerdictStatement {
            verdict: evaluation.verdict,
            terminal: evaluation.terminal,
            reason_code: evaluation.reason_code.to_owned(),
            reason: evaluation.reason.to_owned(),
            evidence_levels_used: evaluation.levels.iter().collect(),
        },
        finality: finality(sources),
        not_applied: Some(row.not_applied.clone()),
        observations: observations(sources),
        components: None,
        attempt_count: u64::from(evidence.observation),
        verified_at: now,
        escalated: Some(evaluation.escalated),
        supersedes,
        signature: Unsigned,
    }
}

/// The record's identity, as far as it is resolved.
fn subject(sources: Sources<'_>) -> SubjectReference {
    let keys = &sources.evidence.correlation.keys;
    let known = sources.evidence.correlation.record.is_some();
    let identity = &sources.loaded.contract().subject.identity;
    let resolved = identity.iter().filter(|_| known).filter_map(|(member, reference)| {
        let name = reference.strip_prefix("$correlation.")?;
        let (_, value) = keys.iter().find(|(key, _)| key == name)?;
        Some((member.clone(), id_text(value)?))
    });
    let identity: BTreeMap<String, String> = resolved.collect();
    SubjectReference { kind: sources.loaded.contract().subject.kind.clone(), identity }
}

/// Whether a VERIFIED outcome may still be taken back, by the state that the readback shows. A record
/// whose parts carry the states, or that cannot be read, says nothing.
fn finality(sources: Sources<'_>) -> Option<Finality> {
    if sources.evaluation.verdict != Verdict::Verified {
        return None;
    }
    let lifecycle = sources.loaded.contract().subject.lifecycle.as_ref()?;
    let reference = Reference::parse(&lifecycle.path).ok().filter(|_| lifecycle.over.is_none())?;
    let Some(Read::Record(record)) = sources.evidence.channel(reference.channel()?) else { return None };
    let state = lifecycle.states.get(reference.walk(&record.value)?.as_str()?)?;
    match state.class {
        StateClass::TerminalSuccess if !state.reversible => Some(Finality::Final),
        StateClass::TerminalSuccess | StateClass::Transitional => Some(Finality::Reversible),
        StateClass::TerminalFailure | StateClass::TerminalNeutral | StateClass::Unknown => None,
    }
}

fn observations(sources: Sources<'_>) -> Vec<ObservationReference> {
    let channels = &sources.loaded.contract().evidence_policy.channels;
    let named = |name: &str| channels.iter().find(|channel| channel.name == name);
    let baselines = sources.evidence.baselines.iter().filter_map(|baseline| {
        Some(reference(
            named(&baseline.channel)?,
            "baseline",
            ObservationKind::Baseline,
            &of_baseline(baseline),
            sources.row.operation.begun_at,
        ))
    });
    let reads = sources.evidence.channels.iter().filter_map(|entry| {
        let channel = named(&entry.channel)?;
        let (kind, value, at) = of_read(&entry.read, sources.now)?;
        Some(reference(channel, "observed", kind, &value, at))
    });
    baselines.chain(reads).collect()
}

fn reference(
    channel: &Channel,
    what: &str,
    kind: ObservationKind,
    value: &Value,
    observed_at: Time,
) -> ObservationReference {
    ObservationReference {
        id: format!("obs_{what}_{}", channel.name),
        kind,
        channel: channel.name.clone(),
        evidence_level: channel.evidence_level,
        independence: channel.independence,
        digest: Digest::of_observation(value),
        observed_at,
    }
}

fn of_baseline(baseline: &Baseline) -> Value {
    let mut object = Object::new();
    object.insert("complete", baseline.complete);
    object.insert("ids", baseline.ids.iter().map(String::as_str).collect::<Value>());
    object.insert("value", baseline.value.clone());
    Value::Object(object)
}

/// What a read shows, as one value; `None` if it shows nothing.
fn of_read(read: &Read, now: Time) -> Option<(ObservationKind, Value, Time)> {
    match read {
        Read::Record(record) => Some((ObservationKind::Observation, record.value.clone(), now)),
        Read::NotFound { .. } => Some((ObservationKind::Observation, Value::Null, now)),
        Read::List(list) => {
            let items = list.items.iter().map(|item| item.value.clone()).collect();
            Some((ObservationKind::Observation, items, list.read_at))
        }
        Read::Events(events) => {
            let last = events.events.iter().map(|event| event.received_at).max()?;
            let items = events.events.iter().map(|event| event.item.value.clone()).collect();
            Some((ObservationKind::Event, items, last))
        }
        Read::Unavailable { .. } => None,
    }
}
