//! Whose each record of the sibling scope is: this operation's, another's, possibly another's, or
//! nobody's. Only a record that no other operation could have made is nobody's, and so a duplicate.

use provely_evaluator::compare::Instant;
use provely_evaluator::contract::{Causality, Contract, Owner, StrategyName, Target, Truth};
use provely_evaluator::json::Value;

use crate::pages::query;
use crate::request::{Context, resolve};
use crate::scope;
use crate::store::{Binding, OperationRow};

/// Another operation of the same account, with its contract.
#[derive(Debug, Clone, Copy)]
pub struct Peer<'a> {
    /// Its row.
    pub row: &'a OperationRow,
    /// Its contract.
    pub contract: &'a Contract,
}

/// The operation for which siblings are annotated.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    /// The first operation of its ask.
    pub owner: &'a str,
    /// Its name of the ask.
    pub intent_ref: Option<&'a str>,
    /// Its own record.
    pub record_id: Option<&'a str>,
    /// Its row and contract.
    pub own: Option<Peer<'a>>,
}

/// A record of the scope.
#[derive(Debug, Clone, Copy)]
pub struct Sibling<'a> {
    /// Its id.
    pub id: &'a str,
    /// The record.
    pub value: &'a Value,
    /// When it was created.
    pub created: Option<Instant>,
    /// Whether it lies in the scope at all.
    pub scope: Truth,
    /// Whose the store says it is.
    pub binding: Option<&'a Binding>,
}

/// True if the operations can have made records of one kind: same type and effect, and records that come
/// into being by the action.
#[must_use]
pub fn is_peer(row: &OperationRow, other: &OperationRow, contract: &Contract) -> bool {
    other.owner != row.owner
        && other.record_type == row.record_type
        && other.effect == row.effect
        && contract.action.target == Target::Create
}

/// Annotates a sibling.
#[must_use]
pub fn owner(asker: Asker<'_>, peers: &[Peer<'_>], sibling: Sibling<'_>) -> Owner {
    if asker.record_id == Some(sibling.id) {
        return Owner::This;
    }
    if let Some(binding) = sibling.binding {
        let decided = matches!(binding.by, Causality::Key | Causality::Tag);
        if decided && binding.owner != asker.owner {
            let same_ask = is_same_ask(asker, peers, &binding.owner, sibling.value);
            return if same_ask { Owner::None } else { Owner::Other };
        }
        // Our key or tag stands on it, and it is not our record: a second effect of ours.
        if decided {
            return Owner::None;
        }
    }
    let claims_it = |own: Peer<'_>| own.row.claims.iter().any(|claim| claim.id == sibling.id);
    let claimant = sole_claimant(peers, sibling.id).filter(|_| !asker.own.is_some_and(claims_it));
    let claimed = claimant.map(|claimant| made(asker, claimant, sibling));
    if claimed == Some(Truth::Holds) && sibling.scope == Truth::Holds {
        return Owner::Other;
    }
    let open = peers.iter().any(|peer| made(asker, *peer, sibling) != Truth::Fails);
    if open || sibling.scope != Truth::Holds { Owner::Open } else { Owner::None }
}

/// True if the owner is another operation of the asker's own ask, and the record is what that ask was for:
/// a replacement, or the same input in another spelling. It excuses nothing, since a duplicate is two
/// effects for one intent.
fn is_same_ask(asker: Asker<'_>, peers: &[Peer<'_>], owner: &str, record: &Value) -> bool {
    let of_owner =
        |peer: &Peer<'_>| peer.row.owner == owner && peer.row.intent_ref.as_deref() == asker.intent_ref;
    asker.own.is_some_and(|own| fits(own, record) == Truth::Holds) && peers.iter().any(of_owner)
}

/// The one other owner that claims a record; its first operation speaks for it.
fn sole_claimant<'p>(peers: &'p [Peer<'p>], id: &str) -> Option<Peer<'p>> {
    let mut claimants = peers.iter().filter(|peer| peer.row.claims.iter().any(|claim| claim.id == id));
    let first = claimants.next()?;
    claimants.all(|peer| peer.row.owner == first.row.owner).then_some(*first)
}

/// Could this operation have made the record: it began before, its baseline lacks the record, its
/// fingerprint fits, and it is another ask.
fn made(asker: Asker<'_>, peer: Peer<'_>, sibling: Sibling<'_>) -> Truth {
    if peer.row.intent_ref.as_deref() == asker.intent_ref {
        return Truth::Fails;
    }
    if peer.row.baselines.iter().any(|baseline| baseline.ids.iter().any(|id| id == sibling.id)) {
        return Truth::Fails;
    }
    began_before(peer.row, sibling.created).min(fits(peer, sibling.value))
}

/// Whether an operation began before a record was created, by the rule for `time_after`: a complete
/// baseline without the record decides what the skew leaves open, down to the provider's own `Date`.
fn began_before(row: &OperationRow, created: Option<Instant>) -> Truth {
    let Some(created) = created else { return Truth::Unknown };
    let begin = row.operation.begin;
    if created.is_after(begin.at, begin.skew_ms) {
        return Truth::Holds;
    }
    if created.is_before(begin.at, begin.skew_ms) {
        return Truth::Fails;
    }
    let complete = row.baselines.iter().any(|baseline| baseline.complete);
    let after = complete && begin.from_provider && created.end() > begin.at;
    if after { Truth::Holds } else { Truth::Unknown }
}

/// Whether a record fits the scope and the fingerprint of an operation.
fn fits(peer: Peer<'_>, record: &Value) -> Truth {
    let operation = &peer.row.operation;
    let context = Context {
        input: &operation.input,
        operation_id: &peer.row.owner,
        begin: None,
        correlation: &[],
        instant: None,
    };
    let scope = scope::passes(&peer.contract.correlation.sibling_scope, record, &context);
    let strategies = peer.contract.correlation.strategies.iter();
    let keys = strategies.filter(|own| own.name == StrategyName::Fingerprint).flat_map(|own| &own.keys);
    keys.fold(scope, |truth, key| {
        let (Some(path), Some(expected)) = (&key.path, resolve(&key.source, &context)) else { return truth };
        let fits =
            query(path, record).map_or(Truth::Unknown, |value| scope::equal(value, &expected, key.read_as));
        truth.min(fits)
    })
}
