//! Stage 4: contracts from lifecycles and plans, one for each completion level. Writes only what cites an
//! assertion; must not promote a class that is not certain, and every contract passes the load rules.

mod apart;
mod conditions;
mod correlation;
mod draft;
mod existing;
mod input;
mod levels;
mod members;
mod parts;
mod record_parts;
#[cfg(test)]
mod record_tests;
mod shown;
mod siblings;
#[cfg(test)]
mod tests;
mod versions;
mod wording;

use provely_evaluator::contract::{Assurance, Contract};
use provely_evaluator::load::{LoadError, Program, contract_hash};
use provely_model::{Operation, Plan, Resource, Service};
use rayon::prelude::*;
use serde::Serialize;

pub use versions::join;

pub use levels::{Level, Promise, levels_of};

use crate::plan::{Planned, Rules, Target, channel_name, part, target_of};
use crate::source::Names;
use crate::uncertainty::{Uncertainty, UncertaintyKind};
use draft::Draft;

/// What stage 4 wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Synthesised {
    /// The contracts, in the order of operations and levels.
    pub contracts: Vec<Synthesis>,
    /// Operations that can be read but not proven, and why.
    pub uncertainties: Vec<Uncertainty>,
}

/// One contract and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Synthesis {
    /// The operation's id.
    pub operation: String,
    /// The generated level, before naming.
    pub level: String,
    /// The resource's name.
    pub resource: String,
    /// The contract, hash included.
    pub contract: Contract,
}

/// Everything that one operation's contracts are made from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub service: &'a Service,
    pub operation: &'a Operation,
    pub resource: &'a Resource,
    pub plan: &'a Plan,
    pub names: &'a Names,
    pub rules: &'a Rules,
}

/// Writes the contracts of every planned operation.
#[must_use]
pub fn synthesise(planned: &Planned, names: &Names, rules: &Rules) -> Synthesised {
    let service = &planned.service;
    let each: Vec<Synthesised> = service
        .operations
        .par_iter()
        .filter_map(|operation| write_one(service, operation, names, rules))
        .collect();
    let mut written = Synthesised::default();
    for one in each {
        written.contracts.extend(one.contracts);
        written.uncertainties.extend(one.uncertainties);
    }
    apart::tell_apart(&mut written.contracts, service);
    written
}

/// The contracts of one operation; nothing for one whose outcome is not read.
fn write_one(service: &Service, operation: &Operation, names: &Names, rules: &Rules) -> Option<Synthesised> {
    let plan = operation.plan.as_ref()?;
    let resource = operation.resource.as_deref().and_then(|name| service.resource(name))?;
    let readback = plan.readback.as_deref().and_then(|id| service.operation(id))?;
    let mut written = Synthesised::default();
    let Some(target) = target_of(operation, readback) else {
        let why = "nothing says which record the action makes or changes".to_owned();
        written.uncertainties.push(unproven(operation, &[why]));
        return Some(written);
    };
    let (operation, plan, target) = members::named(operation, plan, target);
    let (operation, plan) = (operation.as_ref(), plan.as_ref());
    let resource = &as_read(resource, plan);
    let subject = Subject { service, operation, resource, plan, names, rules };
    write_all(subject, &target, &mut written);
    Some(written)
}

/// The record with the id that its readback knows it by; without one where the path alone names it.
fn as_read(resource: &Resource, plan: &Plan) -> Resource {
    let name = channel_name(resource, part::READBACK);
    let read = plan.channels.iter().find(|channel| channel.name == name);
    let id = read.map_or_else(|| resource.id.clone(), |channel| channel.record_id.clone());
    Resource { id, ..resource.clone() }
}

fn write_all(subject: Subject<'_>, target: &Target, written: &mut Synthesised) {
    let before = written.contracts.len();
    let mut reasons: Vec<String> = Vec::new();
    let levels = levels_of(subject.operation, subject.resource, subject.plan, target);
    for level in &levels {
        let drafted = match target {
            Target::Create if level.promise == Promise::Shown => shown::shown(subject, level),
            Target::Create => Draft::created(subject, level),
            Target::Existing { parameter } | Target::Part { parameter } | Target::Added { parameter } => {
                existing::changed(subject, level, parameter)
            }
        };
        let Some(contract) = drafted else { continue };
        match sealed(contract) {
            Ok(contract) => written.contracts.push(Synthesis {
                operation: subject.operation.id.clone(),
                level: level.name.clone(),
                resource: subject.resource.name.clone(),
                contract,
            }),
            Err(errors) => reasons.extend(errors.iter().map(ToString::to_string)),
        }
    }
    let new = written.contracts.get(before..).unwrap_or_default();
    let tied = |one: &Synthesis| {
        let mut strategies = one.contract.correlation.strategies.iter();
        strategies.any(|strategy| strategy.assurance == Assurance::Strong)
    };
    if new.is_empty() {
        written.uncertainties.push(unproven(subject.operation, &reasons));
    } else if !new.iter().all(tied) {
        written.uncertainties.push(untied(subject.operation));
    } else if levels.iter().all(|level| level.promise == Promise::Altered) {
        written.uncertainties.push(only_altered(subject.operation));
    } else if levels.iter().any(|level| level.promise == Promise::Shown) {
        written.uncertainties.push(only_shown(subject.operation));
    }
}

/// Loads the contract and adds its hash.
fn sealed(mut contract: Contract) -> Result<Contract, Vec<LoadError>> {
    Program::load(contract.clone())?;
    contract.hash = contract_hash(&contract).ok().map(|digest| digest.to_hex());
    Ok(contract)
}

/// A record that nothing names cannot be told from another one.
fn untied(operation: &Operation) -> Uncertainty {
    let question = format!(
        "Neither the reply of `{}` nor its input names the record that it made, so no evidence can be tied to it. What does?",
        operation.id
    );
    Uncertainty::new(UncertaintyKind::Evidence, operation.id.clone(), question)
        .with_assertions(operation.assertions.clone())
}

/// A change that the record shows is no proof of what was asked.
fn only_altered(operation: &Operation) -> Uncertainty {
    let question = format!(
        "The record of `{}` shows that it changed, but nothing in it shows that it changed as asked. What does?",
        operation.id
    );
    Uncertainty::new(UncertaintyKind::Evidence, operation.id.clone(), question)
        .with_assertions(operation.assertions.clone())
}

/// A record as it was asked for may have been there before.
fn only_shown(operation: &Operation) -> Uncertainty {
    let question = format!(
        "Nothing tells the record that `{}` makes from an older one of the same values: no time, no list, no mark. What does?",
        operation.id
    );
    Uncertainty::new(UncertaintyKind::Evidence, operation.id.clone(), question)
        .with_assertions(operation.assertions.clone())
}

fn unproven(operation: &Operation, reasons: &[String]) -> Uncertainty {
    let why =
        if reasons.is_empty() { "no state or echoed field shows it".to_owned() } else { reasons.join("; ") };
    let question = format!(
        "The record of `{}` can be read, but nothing in it proves the outcome: {why}. What does?",
        operation.id
    );
    Uncertainty::new(UncertaintyKind::Evidence, format!("{} outcome", operation.id), question)
        .with_assertions(operation.assertions.clone())
}
