//! Guards that no optional input may switch off: status, subject and, for money, amount.
//!
//! An agent chooses the input. If a condition fell away with a member that the agent left out, a
//! refund of one cent would pass for the refund that was asked for.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Faults;
use crate::contract::{
    Channel, Condition, Contract, CorrelationKey, InputSchema, InputType, ItemTest, NegativeClass, Operator,
    StrategyName, Target,
};
use crate::query::{Reference, Root, Step};

/// Checks the three guards.
pub(super) fn check(contract: &Contract, faults: &mut Faults) {
    let require = |guarded: bool, code: &'static str, what: &str, faults: &mut Faults| {
        if !guarded {
            faults.add(
                code,
                "completion.all_of",
                format!("no condition on the {what} applies whatever optional input is left out"),
                Some("drop its gate, or make the input it depends on required"),
            );
        }
    };
    if contract.completion.all_of.is_empty() {
        return;
    }
    let schema = &contract.intent.input_schema;
    let positives = contract.completion.all_of.iter();
    let negatives = contract.negative_conditions.any_of.iter();

    let status: Vec<&Condition> =
        positives.clone().filter(|condition| is_status(contract, condition)).collect();
    require(always_one(schema, &status), "status_unguarded", "status", faults);

    let money = contract.action.canonical_effect.starts_with("money.");
    let named = |condition: &&Condition| condition.class == Some(NegativeClass::WrongSubject);
    let mut subject: Vec<&Condition> = negatives.clone().filter(named).collect();
    // Where money moves, the id alone is not the subject: the record must be of what the input names.
    if !money || subject.is_empty() {
        subject.extend(positives.clone().filter(|condition| is_tied(condition)));
        // One read of another record would be enough to prove what nobody asked for.
        if !money && positives.clone().all(|condition| reads_only_named(contract, condition)) {
            subject.extend(positives.clone().filter(|condition| reads_named(contract, condition)));
        }
    }
    require(always_one(schema, &subject), "subject_unguarded", "subject", faults);

    if money {
        let amount: Vec<&Condition> =
            negatives.chain(positives).filter(|condition| is_amount(schema, condition)).collect();
        require(always_one(schema, &amount), "amount_unguarded", "amount", faults);
    }
}

fn is_status(contract: &Contract, condition: &Condition) -> bool {
    let reads_list = condition.over.is_some() || condition.all_of.iter().any(|part| part.over.is_some());
    let reads_record = condition.path.is_some() || condition.all_of.iter().any(|part| part.path.is_some());
    match &contract.subject.lifecycle {
        Some(lifecycle) if lifecycle.over.is_none() => {
            let at = |part: &Condition| part.path.as_deref() == Some(lifecycle.path.as_str());
            at(condition) || condition.all_of.iter().any(at)
        }
        Some(_) => reads_list,
        None => reads_list || reads_record,
    }
}

/// A positive that ties the record to the input or the correlation.
fn is_tied(condition: &Condition) -> bool {
    let tied = |expected: Option<&crate::json::Value>| {
        let root = reference(expected).map(|reference| reference.root);
        matches!(root, Some(Root::Input | Root::Correlation(_)))
    };
    tied(condition.expected.as_ref()) || condition.matching.iter().any(|test| tied(test.expected.as_ref()))
}

/// False for a positive that reads a record which the input does not name.
fn reads_only_named(contract: &Contract, condition: &Condition) -> bool {
    let parts = core::iter::once(condition).chain(&condition.all_of);
    parts.filter_map(|part| read_channel(contract, part)).all(|channel| is_named(contract, channel))
}

/// A positive on a record, read by a request that the input itself fills in: no other record can answer it.
fn reads_named(contract: &Contract, condition: &Condition) -> bool {
    contract.action.target == Target::Existing
        && read_channel(contract, condition).is_some_and(|channel| is_named(contract, channel))
}

/// The channel whose record a condition looks at, now or as it was before.
fn read_channel<'c>(contract: &'c Contract, condition: &Condition) -> Option<&'c Channel> {
    let root = Reference::parse(condition.path.as_deref()?).ok()?.root;
    let (Root::Observed(name) | Root::Baseline(name)) = root else { return None };
    let mut channels = contract.evidence_policy.channels.iter();
    channels.find(|channel| channel.name == name && channel.events.is_none())
}

/// True if the address that a channel reads, or a variable of its document, names the record: every placeholder is
/// filled by the input or by the id that the input gave. What only filters is no name: a provider may pay no heed
/// to it.
fn is_named(contract: &Contract, channel: &Channel) -> bool {
    let Some(request) = &channel.request else { return false };
    let ids = || contract.correlation.strategies.iter().filter(|own| own.name == StrategyName::ResourceId);
    let keys = || ids().filter_map(|strategy| strategy.keys.first());
    // The only one of its kind is read by a request that nothing fills in: the credential names the account.
    if keys().any(CorrelationKey::is_account) && !request.path.contains('{') {
        return true;
    }
    // Found in a list by the id that the input gave.
    if channel.find {
        return keys().any(is_of_input);
    }
    let names = |text: &String| {
        let Ok(reference) = Reference::parse(text) else { return false };
        match &reference.root {
            Root::Correlation(name) => keys().any(|key| key.name == *name && is_of_input(key)),
            Root::Input
            | Root::Item
            | Root::Document
            | Root::Operation
            | Root::Observed(_)
            | Root::Baseline(_)
            | Root::ActionResult => names_required(&contract.intent.input_schema, &reference),
        }
    };
    let placeholders = request.path.matches('{').count();
    let filled = request.parameters.values().filter(|text| names(text)).count();
    match &request.document {
        Some(_) => request.variables.values().any(names),
        None => placeholders > 0 && filled >= placeholders,
    }
}

/// True for a key that the input gives.
fn is_of_input(key: &CorrelationKey) -> bool {
    Reference::parse(&key.source).is_ok_and(|reference| reference.root == Root::Input)
}

fn names_required(schema: &InputSchema, reference: &Reference) -> bool {
    let member = reference.steps.first();
    reference.root == Root::Input
        && matches!(member, Some(Step::Member(name)) if schema.required.contains(name))
}

/// A wrong-amount negative, a sum, or a positive compared with a number of the input.
fn is_amount(schema: &InputSchema, condition: &Condition) -> bool {
    if condition.class == Some(NegativeClass::WrongAmount) {
        return true;
    }
    let numeric = |name: &str| {
        schema.properties.get(name).is_some_and(|property| {
            matches!(property.kind, InputType::Integer | InputType::Number) || name.contains("amount")
        })
    };
    let by_input = reference(condition.expected.as_ref()).is_some_and(|reference| {
        reference.root == Root::Input
            && matches!(reference.steps.first(), Some(Step::Member(name)) if numeric(name))
    });
    condition.class.is_none() && (condition.sum.is_some() || by_input)
}

fn reference(expected: Option<&crate::json::Value>) -> Option<Reference> {
    let text = expected?.as_str()?;
    if Reference::is_reference(text) { Reference::parse(text).ok() } else { None }
}

/// Most optional members whose presence the gates may depend on.
const MOST_GATES: usize = 12;

/// True if for every input that the schema allows at least one of the conditions applies.
fn always_one(schema: &InputSchema, conditions: &[&Condition]) -> bool {
    if conditions.iter().any(|condition| condition.when.is_none() && condition.unless.is_none()) {
        return true;
    }
    let mut members: Vec<String> = Vec::new();
    for condition in conditions {
        for test in [&condition.when, &condition.unless].into_iter().flatten() {
            members.extend(gate_member(test).into_iter().filter(|name| !schema.required.contains(name)));
        }
    }
    members.extend(schema.any_of.iter().flat_map(|set| set.required.iter().cloned()));
    members.sort();
    members.dedup();
    if conditions.is_empty() || members.len() > MOST_GATES {
        return false;
    }
    (0..1_u32 << members.len()).all(|mask| {
        let present = |name: &str| match members.iter().position(|member| member == name) {
            Some(index) => mask & (1 << index) != 0,
            None => schema.required.iter().any(|required| required == name),
        };
        let valid = schema.any_of.is_empty()
            || schema.any_of.iter().any(|set| set.required.iter().all(|name| present(name)));
        !valid || conditions.iter().any(|condition| surely_applies(condition, present))
    })
}

fn surely_applies(condition: &Condition, present: impl Fn(&str) -> bool) -> bool {
    let open = condition.when.as_ref().is_none_or(|test| gate_holds(test, &present) == Some(true));
    let barred = condition.unless.as_ref().is_some_and(|test| gate_holds(test, &present) != Some(false));
    open && !barred
}

/// The input member that a gate looks at.
fn gate_member(test: &ItemTest) -> Option<String> {
    let reference = Reference::parse(test.path.as_deref()?).ok()?;
    match (reference.root, reference.steps.as_slice()) {
        (Root::Input, [Step::Member(name)]) => Some(name.clone()),
        _ => None,
    }
}

/// Whether a gate holds, as far as presence alone decides it.
fn gate_holds(test: &ItemTest, present: &impl Fn(&str) -> bool) -> Option<bool> {
    let member = gate_member(test)?;
    match test.operator? {
        Operator::Exists => Some(present(&member)),
        Operator::Absent => Some(!present(&member)),
        _ if !present(&member) => Some(false),
        _ => None,
    }
}
