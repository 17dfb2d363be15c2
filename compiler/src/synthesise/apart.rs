//! Ids of contracts that would come out alike: told apart by what tells their operations apart. Renames;
//! must not change what a contract says.

use std::collections::{BTreeMap, BTreeSet};

use provely_evaluator::load::contract_hash;
use provely_model::{Operation, Service};

use super::Synthesis;
use crate::classify::snake;

/// Contracts of several operations may come out under one id. The operation with the shortest path keeps it;
/// the others say by what path they go, then by what method, then by which placeholders.
pub(super) fn tell_apart(contracts: &mut [Synthesis], service: &Service) {
    let operations: BTreeMap<&str, &Operation> =
        service.operations.iter().map(|operation| (operation.id.as_str(), operation)).collect();
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, synthesis) in contracts.iter().enumerate() {
        alike.entry(synthesis.contract.id.clone()).or_default().push(place);
    }
    let mut taken: BTreeSet<String> = alike.keys().cloned().collect();
    for places in alike.into_values().filter(|places| places.len() > 1) {
        let of = |place: &usize| {
            let synthesis = contracts.get(*place)?;
            operations.get(synthesis.operation.as_str()).map(|operation| (*place, *operation))
        };
        let mut group: Vec<(usize, &Operation)> = places.iter().filter_map(of).collect();
        group.sort_by_key(|(place, operation)| (operation.path.len(), operation.id.clone(), *place));
        let Some(((_, home), others)) = group.split_first() else { continue };
        for (place, operation) in others {
            let Some(synthesis) = contracts.get_mut(*place) else { continue };
            let contract = &mut synthesis.contract;
            let endings = endings(operation, home);
            let named = endings.iter().map(|ending| format!("{}{ending}", contract.id));
            let free = named.into_iter().find(|id| !taken.contains(id));
            let id = free.unwrap_or_else(|| numbered(&contract.id, &taken));
            contract.completion_level = id.rsplit('.').next().unwrap_or_default().to_owned();
            contract.id.clone_from(&id);
            contract.hash = contract_hash(contract).ok().map(|digest| digest.to_hex());
            taken.insert(id);
        }
    }
}

/// What tells an operation from the one that keeps the plain id, from the shortest to the fullest.
fn endings(operation: &Operation, home: &Operation) -> Vec<String> {
    let (ours, theirs) = (words(&operation.path), words(&home.path));
    let own: Vec<String> = ours.iter().filter(|word| !theirs.contains(word)).cloned().collect();
    let joined = |words: &[String]| words.join("_");
    let method = operation.method.to_ascii_lowercase();
    let placeholders: Vec<String> =
        operation.path.split('{').skip(1).filter_map(|rest| Some(snake(rest.split_once('}')?.0))).collect();
    let mut endings = Vec::new();
    if !own.is_empty() {
        endings.push(format!("_via_{}", joined(&own)));
    }
    endings.push(format!("_via_{}", joined(&ours)));
    endings.push(format!("_via_{method}_{}", joined(&ours)));
    endings.push(format!("_via_{method}_{}_by_{}", joined(&ours), joined(&placeholders)));
    endings
}

/// The words of a path, without placeholders and without what only names a version.
fn words(path: &str) -> Vec<String> {
    let version = |word: &str| {
        let digits = word.strip_prefix('v').unwrap_or_default();
        !digits.is_empty() && digits.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
    };
    let steps = path.split(['/', ':', '#', '?', '=']).filter(|step| !step.is_empty() && !step.contains('{'));
    steps.filter(|step| !version(step)).map(snake).filter(|word| !word.is_empty()).collect()
}

/// The last resort, for two operations that nothing tells apart.
fn numbered(id: &str, taken: &BTreeSet<String>) -> String {
    let mut count = 2_u32;
    loop {
        let numbered = format!("{id}_{count}");
        if !taken.contains(&numbered) {
            return numbered;
        }
        count += 1;
    }
}
