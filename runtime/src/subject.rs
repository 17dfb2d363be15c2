//! What a record or an event is to an operation: of its scope, about it, ended without effect. It must
//! not look at owners.

use provely_evaluator::contract::{Channel, Contract, Target, Truth};
use provely_evaluator::json::Value;
use provely_evaluator::query::{Reference, Root, walk};

use crate::correlate;
use crate::events::SeenEvent;
use crate::request::Context;
use crate::scope;
use crate::store::{Claim, OperationRow};

/// Whether a record lies in the sibling scope; without a scope there are no siblings, and nothing is known.
pub(crate) fn in_scope(row: &OperationRow, contract: &Contract, record: &Value) -> Truth {
    scope::passes(&contract.correlation.sibling_scope, record, &plain_context(row))
}

/// Input and operation alone, as the tests of a scope and the keys of a correlation see them.
pub(crate) fn plain_context(row: &OperationRow) -> Context<'_> {
    Context {
        input: &row.operation.input,
        operation_id: &row.owner,
        begin: None,
        correlation: &[],
        instant: None,
    }
}

/// True if an event is about the operation: its record, a claim, its scope, its key or its tag.
pub(crate) fn is_relevant(
    row: &OperationRow,
    contract: &Contract,
    claims: &[Claim],
    seen: &SeenEvent,
) -> bool {
    let own = row.bound.as_ref().is_some_and(|bound| bound.id == seen.record_id);
    let claimed = claims.iter().any(|claim| claim.id == seen.record_id);
    let named = contract.action.target == Target::Existing
        && correlate::named_id(contract, &row.operation.input).as_deref() == Some(seen.record_id.as_str());
    let echoed = seen.creation && seen.key.as_deref() == Some(row.owner.as_str());
    let one = std::iter::once(seen);
    own || claimed
        || named
        || echoed
        || correlate::by_tag(contract, &row.owner, one).is_some()
        || (!contract.correlation.sibling_scope.is_empty()
            && in_scope(row, contract, seen.record()) != Truth::Fails)
}

/// The word at the lifecycle's path in a record; for a channel, only if the path is rooted there.
pub(crate) fn state_word<'v>(
    contract: &Contract,
    channel: Option<&Channel>,
    record: &'v Value,
) -> Option<&'v str> {
    let lifecycle = contract.subject.lifecycle.as_ref().filter(|lifecycle| lifecycle.over.is_none())?;
    if let Some((name, below)) =
        lifecycle.path.strip_prefix("$observed.").and_then(|path| path.split_once('.'))
        && !below.contains(['.', '[', '\'', '"'])
    {
        let rooted = channel.is_none_or(|channel| channel.name == name);
        return record.get(below).filter(|_| rooted)?.as_str();
    }
    let reference = Reference::parse(&lifecycle.path).ok()?;
    match &reference.root {
        Root::Observed(name) if channel.is_none_or(|channel| channel.name == *name) => {
            walk(&reference.steps, record)?.as_str()
        }
        Root::Observed(_)
        | Root::Item
        | Root::Document
        | Root::Input
        | Root::Operation
        | Root::Correlation(_)
        | Root::Baseline(_)
        | Root::ActionResult => None,
    }
}

pub(crate) fn is_effectless(contract: &Contract, record: &Value) -> bool {
    let states = contract.subject.lifecycle.as_ref().map(|lifecycle| &lifecycle.states);
    let word = state_word(contract, None, record);
    let state = states.zip(word).and_then(|(states, word)| states.get(word));
    state.is_some_and(|state| state.class.is_effectless())
}

/// False if a connection inside the record says that it has another page (GraphQL Cursor Connections
/// Specification, `pageInfo.hasNextPage`).
pub(crate) fn is_whole(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_whole),
        Value::Object(object) => {
            let more =
                object.get("pageInfo").and_then(|info| info.get("hasNextPage")).and_then(Value::as_bool);
            more != Some(true) && object.values().all(is_whole)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}
