//! One record, one operation: who may have a record, and when two asks are the same ask. Pure rules
//! that the store applies inside its transactions.

use std::sync::Arc;

use provely_evaluator::contract::Causality;

use crate::store::{Binding, OperationRow};

/// Whose a record is after somebody asks for it: key decides, then tag, then the first claim. The same
/// owner keeps its first moment and takes the stronger tie.
#[must_use]
pub fn decide(standing: Option<&Binding>, asking: &Binding) -> Binding {
    match standing {
        None => asking.clone(),
        Some(own) if own.owner == asking.owner => Binding { by: own.by.max(asking.by), ..own.clone() },
        Some(other) if rank(asking.by) > rank(other.by) => asking.clone(),
        Some(other) => other.clone(),
    }
}

/// Input and claim both only name a record: the first one stands.
const fn rank(by: Causality) -> u8 {
    match by {
        Causality::Claim | Causality::Input => 0,
        Causality::Tag => 1,
        Causality::Key => 2,
    }
}

/// True if a new operation is an ask that is there already: the same contract, account, mode and input,
/// without a different `intent_ref`. A new ask that names itself differs from one without a name.
#[must_use]
pub fn same_ask(existing: &OperationRow, new: &OperationRow) -> bool {
    let same_ref = new.intent_ref.is_none() || new.intent_ref == existing.intent_ref;
    existing.contract_id == new.contract_id && same_input(existing, new) && same_ref
}

/// The operation that a new one repeats, among operations newest first. The one that it replaces does not
/// count, and neither do those before it.
pub fn existing_ask<'r>(
    mut newest_first: impl Iterator<Item = &'r Arc<OperationRow>>,
    new: &OperationRow,
) -> Option<&'r Arc<OperationRow>> {
    let newest = newest_first.find(|existing| same_ask(existing, new))?;
    (new.replaces.as_ref() != Some(&newest.operation.id)).then_some(newest)
}

/// The operation whose key and tag a new one shares, among operations newest first: another level of the
/// same ask. An operation that replaces another one shares only with what replaces the same ask.
#[must_use]
pub fn shared_effect<'r>(rows: &'r [Arc<OperationRow>], new: &OperationRow) -> Option<&'r Arc<OperationRow>> {
    let owner_of = |id: &Option<String>| {
        let replaced = rows.iter().find(|row| Some(&row.operation.id) == id.as_ref());
        replaced.map(|row| row.owner.as_str())
    };
    let replaced = owner_of(&new.replaces);
    let fits = |row: &&Arc<OperationRow>| {
        same_effect(row, new) && (new.replaces.is_none() || owner_of(&row.replaces) == replaced)
    };
    rows.iter().rev().find(fits)
}

/// True if two operations are one ask at different levels: the same effect on the same type, account,
/// mode, input and `intent_ref`. They share key and tag.
#[must_use]
pub fn same_effect(existing: &OperationRow, new: &OperationRow) -> bool {
    existing.service == new.service
        && existing.effect == new.effect
        && existing.record_type == new.record_type
        && existing.intent_ref == new.intent_ref
        && same_input(existing, new)
}

fn same_input(one: &OperationRow, other: &OperationRow) -> bool {
    one.connection.account == other.connection.account
        && one.connection.mode == other.connection.mode
        && one.operation.input == other.operation.input
}

/// What an operation asks for on the record that its input names.
#[must_use]
pub fn named_by_input(row: &OperationRow) -> Binding {
    Binding { owner: row.owner.clone(), by: Causality::Input, since: row.operation.begun_at }
}
