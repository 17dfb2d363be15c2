//! Which record is the operation's: by the echo of our key, by our tag, by the input, by a claim. What
//! the agent says is a claim and no more; a key or tag that we never issued says nothing.

use provely_evaluator::contract::{Causality, Contract, CorrelationKey, StrategyName, Target};
use provely_evaluator::evidence::Conflict;
use provely_evaluator::json::Value;
use provely_evaluator::query::{Reference, Root};
use provely_evaluator::time::Time;

use crate::events::SeenEvent;
use crate::pages::query;
use crate::request::{Context, resolve};
use crate::scope::id_text;
use crate::store::{Binding, Claim};

/// A record that may be the operation's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub id: String,
    /// What ties it to the operation.
    pub by: Causality,
    /// Since when, on our clock.
    pub since: Time,
}

/// What the strategies found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// The record, if one strong correlation is resolved.
    pub candidate: Option<Candidate>,
    /// Why a claim does not count, where nothing else correlates.
    pub conflict: Option<Conflict>,
}

/// What is known about one claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimFacts {
    /// The claim.
    pub claim: Claim,
    /// Whose the record is, if it is bound.
    pub binding: Option<Binding>,
    /// It was read as a record of this subject that ended without effect.
    pub effectless: bool,
}

/// The ids that a result names: every key of a `resource_id` strategy whose source is the result.
#[must_use]
pub fn claimed_ids(contract: &Contract, result: &Value) -> Vec<String> {
    let mut ids: Vec<String> = id_keys(contract).filter_map(|key| from_result(key, result)).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn from_result(key: &CorrelationKey, result: &Value) -> Option<String> {
    let reference = Reference::parse(&key.source).ok()?;
    if reference.root != Root::ActionResult {
        return None;
    }
    id_text(reference.walk(result)?)
}

/// The first key of each `resource_id` strategy carries the record's id; what follows it is detail.
fn id_keys(contract: &Contract) -> impl Iterator<Item = &CorrelationKey> {
    let strategies = contract.correlation.strategies.iter();
    strategies.filter(|own| own.name == StrategyName::ResourceId).filter_map(|own| own.keys.first())
}

/// The id that the input names, for effects on an existing record; of the only one of its kind in the account a
/// name that every operation shares.
#[must_use]
pub fn named_id(contract: &Contract, input: &Value) -> Option<String> {
    id_keys(contract).find_map(|key| {
        if key.is_account() {
            return Some(CorrelationKey::ACCOUNT.to_owned());
        }
        let reference = Reference::parse(&key.source).ok()?;
        if reference.root == Root::Input { id_text(reference.walk(input)?) } else { None }
    })
}

/// The values of `$correlation.<key>` for a record.
#[must_use]
pub fn keys(contract: &Contract, record_id: Option<&str>, context: &Context<'_>) -> Vec<(String, Value)> {
    let mut keys = Vec::new();
    for strategy in &contract.correlation.strategies {
        match strategy.name {
            StrategyName::ResourceId => {
                let named = strategy.keys.first().zip(record_id);
                keys.extend(named.map(|(key, id)| (key.name.clone(), Value::from(id))));
            }
            StrategyName::IdempotencyKey | StrategyName::Tag => {
                let resolved = strategy.keys.iter();
                keys.extend(
                    resolved.filter_map(|key| Some((key.name.clone(), resolve(&key.source, context)?))),
                );
            }
            StrategyName::Fingerprint => {}
        }
    }
    keys
}

/// The record whose creation event echoes our key: the earliest, if several do. None where the action changes a
/// record that was there: the input names it, and what a key brings into being is another.
#[must_use]
pub fn by_key<'e>(
    contract: &Contract,
    owner: &str,
    events: impl Iterator<Item = &'e SeenEvent>,
) -> Option<Candidate> {
    if contract.action.target == Target::Existing || !has(contract, StrategyName::IdempotencyKey) {
        return None;
    }
    let echoes = events.filter(|event| event.creation && event.key.as_deref() == Some(owner));
    earliest(echoes, Causality::Key)
}

/// The record whose creation event carries our tag. A tag that is seen elsewhere may have been stamped
/// on later and says nothing.
#[must_use]
pub fn by_tag<'e>(
    contract: &Contract,
    owner: &str,
    events: impl Iterator<Item = &'e SeenEvent>,
) -> Option<Candidate> {
    if contract.action.target == Target::Existing {
        return None;
    }
    let strategies = contract.correlation.strategies.iter().filter(|own| own.name == StrategyName::Tag);
    let paths: Vec<&str> =
        strategies.flat_map(|own| &own.keys).filter_map(|key| key.path.as_deref()).collect();
    let carries = |event: &&SeenEvent| {
        event.creation
            && paths.iter().any(|path| query(path, event.record()).and_then(Value::as_str) == Some(owner))
    };
    earliest(events.filter(carries), Causality::Tag)
}

fn has(contract: &Contract, name: StrategyName) -> bool {
    contract.correlation.strategies.iter().any(|strategy| strategy.name == name)
}

fn earliest<'e>(events: impl Iterator<Item = &'e SeenEvent>, by: Causality) -> Option<Candidate> {
    let first = events.min_by_key(|event| (event.time.is_none(), event.time, event.received_at))?;
    Some(Candidate { id: first.record_id.clone(), by, since: first.received_at })
}

/// Chooses among what was found: key before tag before input before claims.
#[must_use]
pub fn choose(owner: &str, strong: [Option<Candidate>; 3], claims: &[ClaimFacts]) -> Choice {
    if let Some(candidate) = strong.into_iter().flatten().next() {
        return Choice { candidate: Some(candidate), conflict: None };
    }
    let mine: Vec<&ClaimFacts> = claims.iter().filter(|facts| is_free(facts, owner)).collect();
    match mine.as_slice() {
        [] => Choice { candidate: None, conflict: conflict(claims) },
        [one] => by_claim(one),
        several => {
            let mut alive = several.iter().filter(|facts| !facts.effectless);
            match (alive.next(), alive.next()) {
                (Some(one), None) => by_claim(one),
                (Some(_), Some(_)) => Choice { candidate: None, conflict: Some(Conflict::SeveralClaims) },
                // All of them ended without effect: the last try is the one to speak of.
                (None, _) => several.last().map(|one| by_claim(one)).unwrap_or_default(),
            }
        }
    }
}

fn by_claim(facts: &ClaimFacts) -> Choice {
    let Claim { id, at } = facts.claim.clone();
    Choice { candidate: Some(Candidate { id, by: Causality::Claim, since: at }), conflict: None }
}

fn is_free(facts: &ClaimFacts, owner: &str) -> bool {
    facts.binding.as_ref().is_none_or(|binding| binding.owner == owner)
}

/// Why no claim counts: key or tag gave one to another operation, or another one claimed it first.
fn conflict(claims: &[ClaimFacts]) -> Option<Conflict> {
    let bindings = claims.iter().filter_map(|facts| facts.binding.as_ref());
    bindings
        .map(|binding| match binding.by {
            Causality::Key | Causality::Tag => Conflict::RecordOfAnotherOperation,
            Causality::Claim | Causality::Input => Conflict::ClaimConflict,
        })
        .max_by_key(|conflict| *conflict == Conflict::ClaimConflict)
}

/// True if the contract reads a tag of ours.
#[must_use]
pub fn takes_tag(contract: &Contract) -> bool {
    has(contract, StrategyName::Tag)
}
