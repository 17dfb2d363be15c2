//! One contract for several versions: what the editions of a service have in common, and an overlay for what
//! one of them asks on top. Must not join what differs in more than additions.

use std::collections::{BTreeMap, BTreeSet};

use provely_evaluator::contract::{Condition, Contract, Overlay, Rule, StateClass};
use provely_evaluator::json::{self, Object, Value};
use provely_evaluator::load::{Program, contract_hash};
use provely_evaluator::verdict::Verdict;

use super::{Synthesis, Synthesised};
use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// Joins the contracts of further editions into those of the first. A contract whose counterpart differs in
/// more than additions covers the versions of the first alone, and an uncertainty says so.
#[must_use]
pub fn join(first: Synthesised, further: &[Synthesised]) -> Synthesised {
    if further.is_empty() {
        return first;
    }
    let mut joined = first;
    let mut apart = Vec::new();
    for synthesis in &mut joined.contracts {
        let mut together = Together::of(&synthesis.contract);
        for edition in further {
            let Some(other) = edition.contracts.iter().find(|other| is_counterpart(other, synthesis)) else {
                continue;
            };
            match together.with(&other.contract) {
                Ok(wider) => together = wider,
                Err(difference) => apart.push(differs(synthesis, &other.contract, &difference)),
            }
        }
        if let Some(contract) = together.contract().filter(|_| together.editions.len() > 1) {
            synthesis.contract = contract;
        }
    }
    joined.uncertainties.extend(apart);
    joined
}

fn is_counterpart(other: &Synthesis, synthesis: &Synthesis) -> bool {
    other.contract.id == synthesis.contract.id && other.operation == synthesis.operation
}

fn differs(synthesis: &Synthesis, other: &Contract, difference: &str) -> Uncertainty {
    let versions = other.valid_for.provider_api_versions.join(", ");
    let id = &synthesis.contract.id;
    let question = format!(
        "`{id}` does not cover {versions}: there {difference}, and an overlay may only add. Is a contract of its own \
         needed for them?"
    );
    Uncertainty::new(UncertaintyKind::Version, format!("{id}@{versions}"), question)
}

/// A common contract, and what each edition asks on top.
struct Together {
    common: Contract,
    editions: Vec<Edition>,
}

/// What one edition asks on top of the common contract.
#[derive(Default)]
struct Edition {
    versions: Vec<String>,
    positives: Vec<Condition>,
    negatives: Vec<Condition>,
    rules: Vec<Rule>,
    provenance: BTreeMap<String, Vec<String>>,
}

impl Together {
    fn of(contract: &Contract) -> Self {
        let versions = contract.valid_for.provider_api_versions.clone();
        let edition = Edition { versions, ..Edition::default() };
        Self { common: Contract { hash: None, ..contract.clone() }, editions: vec![edition] }
    }

    /// Takes the contract of a further edition in; `Err` says what differs in more than additions.
    fn with(&self, other: &Contract) -> Result<Self, String> {
        let mut common = self.common.clone();
        let mut theirs = Edition {
            versions: other.valid_for.provider_api_versions.clone(),
            provenance: other.provenance.clone(),
            ..Edition::default()
        };
        same_header(&common, other)?;
        join_lifecycle(&mut common, other)?;
        let mut asked = other.completion.all_of.clone();
        widen_open_states(&mut common, &mut asked);
        let positives = common_of(&common.completion.all_of, &asked, |one| &one.id)?;
        let negatives =
            common_of(&common.negative_conditions.any_of, &other.negative_conditions.any_of, |one| &one.id)?;
        let (ours, others) = split_rules(&common.verdict_map, &other.verdict_map);
        let rules = common_of(&ours, &others, |one| &one.id)?;
        if rules.ours.iter().chain(&rules.theirs).any(|rule| rule.verdict != Verdict::Pending) {
            return Err("another state ends the record".to_owned());
        }
        (theirs.positives, theirs.negatives, theirs.rules) =
            (positives.theirs, negatives.theirs, rules.theirs);
        common.completion.all_of = positives.common;
        common.negative_conditions.any_of = negatives.common;
        common.verdict_map = rules.common;
        common.valid_for.provider_api_versions.extend(theirs.versions.iter().cloned());
        let mut editions: Vec<Edition> = self
            .editions
            .iter()
            .map(|edition| edition.with(&positives.ours, &negatives.ours, &rules.ours, &self.common))
            .collect();
        editions.push(theirs);
        merge_provenance(&mut common, &other.provenance);
        let wider = Self { common, editions };
        match wider.contract() {
            Some(_) => Ok(wider),
            None => Err("too little is left in common".to_owned()),
        }
    }

    /// The contract with its overlays and hash; `None` if it does not load.
    fn contract(&self) -> Option<Contract> {
        let mut whole = self.common.clone();
        whole.provenance.retain(|part, _| self.is_common(part));
        whole.overlays = self.editions.iter().filter_map(|edition| edition.overlay(&whole)).collect();
        Program::load(whole.clone()).ok()?;
        whole.hash = contract_hash(&whole).ok().map(|digest| digest.to_hex());
        Some(whole)
    }

    /// True unless the part of a provenance is a condition or rule that only some editions have.
    fn is_common(&self, part: &str) -> bool {
        !self.editions.iter().any(|edition| edition.parts().any(|own| own == part))
    }
}

impl Edition {
    /// This edition with more of its own, since less is in common.
    fn with(
        &self,
        positives: &[Condition],
        negatives: &[Condition],
        rules: &[Rule],
        from: &Contract,
    ) -> Self {
        let both = |own: &[Condition], more: &[Condition]| own.iter().chain(more).cloned().collect();
        let mut edition = Self {
            versions: self.versions.clone(),
            positives: both(&self.positives, positives),
            negatives: both(&self.negatives, negatives),
            rules: self.rules.iter().chain(rules).cloned().collect(),
            provenance: self.provenance.clone(),
        };
        for (part, assertions) in &from.provenance {
            edition.provenance.entry(part.clone()).or_insert_with(|| assertions.clone());
        }
        edition
    }

    /// The parts of a provenance that are this edition's own.
    fn parts(&self) -> impl Iterator<Item = String> {
        let positives = self.positives.iter().map(|one| format!("completion.{}", one.id));
        let negatives = self.negatives.iter().map(|one| format!("negative_conditions.{}", one.id));
        positives.chain(negatives).chain(self.rules.iter().map(|one| format!("verdict_map.{}", one.id)))
    }

    /// The merge patch of what this edition asks on top; `None` if that is nothing.
    fn overlay(&self, common: &Contract) -> Option<Overlay> {
        let mut patch = Object::new();
        let mut add = |member: &str, list: Option<Value>| {
            if let Some(list) = list {
                patch.insert(member, list);
            }
        };
        add("completion", restated("all_of", &common.completion.all_of, &self.positives));
        add("negative_conditions", restated("any_of", &common.negative_conditions.any_of, &self.negatives));
        add("verdict_map", longer(&common.verdict_map, &self.rules));
        if patch.is_empty() {
            return None;
        }
        let cited: BTreeMap<String, Vec<String>> = self
            .parts()
            .filter_map(|part| {
                // A rule for one state of a list rests on what the list rests on.
                let lists = part.match_indices('.').rev().filter_map(|(at, _)| part.get(..at));
                let whole =
                    std::iter::once(part.as_str()).chain(lists).find_map(|name| self.provenance.get(name));
                Some((part.clone(), whole?.clone()))
            })
            .collect();
        patch.insert("provenance", json::to_value(&cited).ok()?);
        Some(Overlay { versions: self.versions.clone(), patch: Value::Object(patch) })
    }
}

fn restated(member: &str, common: &[Condition], own: &[Condition]) -> Option<Value> {
    let list = longer(common, own)?;
    Some(Value::Object([(member.to_owned(), list)].into_iter().collect()))
}

fn longer<T: serde::Serialize + Clone>(common: &[T], own: &[T]) -> Option<Value> {
    let all: Vec<T> = common.iter().chain(own).cloned().collect();
    if own.is_empty() { None } else { json::to_value(&all).ok() }
}

/// Everything but conditions, rules, states, versions and provenance is the same.
fn same_header(common: &Contract, other: &Contract) -> Result<(), String> {
    let mut bare = Contract { hash: None, ..other.clone() };
    bare.completion.clone_from(&common.completion);
    bare.negative_conditions.clone_from(&common.negative_conditions);
    bare.verdict_map.clone_from(&common.verdict_map);
    bare.valid_for.clone_from(&common.valid_for);
    bare.provenance.clone_from(&common.provenance);
    bare.overlays.clone_from(&common.overlays);
    bare.subject.lifecycle.clone_from(&common.subject.lifecycle);
    let parts = [
        (bare.evidence_policy == common.evidence_policy, "evidence is read in another way"),
        (bare.correlation == common.correlation, "the record is found in another way"),
        (bare.intent == common.intent, "the input is another"),
        (bare.action == common.action, "the action or its retry protection is another"),
        (bare.timing == common.timing, "the timing is another"),
        (bare == *common, "the promise is another"),
    ];
    match parts.iter().find(|(same, _)| !same) {
        Some((_, difference)) => Err((*difference).to_owned()),
        None => Ok(()),
    }
}

/// States that end nothing may be known to one edition alone; the rest must agree.
fn join_lifecycle(common: &mut Contract, other: &Contract) -> Result<(), String> {
    let (Some(ours), Some(theirs)) = (&mut common.subject.lifecycle, &other.subject.lifecycle) else {
        let same = common.subject.lifecycle.is_none() && other.subject.lifecycle.is_none();
        return if same { Ok(()) } else { Err("only some versions have states".to_owned()) };
    };
    if ours.path != theirs.path || ours.over != theirs.over {
        return Err("the state stands elsewhere".to_owned());
    }
    let open = |class: StateClass| matches!(class, StateClass::Transitional | StateClass::Unknown);
    let names: BTreeSet<String> = ours.states.keys().chain(theirs.states.keys()).cloned().collect();
    for name in names {
        match (ours.states.get(&name), theirs.states.get(&name)) {
            (Some(one), Some(other)) if one == other => {}
            (Some(one), None) if open(one.class) => {}
            (None, Some(other)) if open(other.class) => {
                ours.states.insert(name, other.clone());
            }
            _ => return Err(format!("the state `{name}` means something else")),
        }
    }
    Ok(())
}

/// A positive that lists states lists those of both editions, where the two differ in states that end nothing.
fn widen_open_states(common: &mut Contract, asked: &mut [Condition]) {
    let Some(lifecycle) = common.subject.lifecycle.clone() else { return };
    let is_open = |state: &Value| {
        let class = state.as_str().and_then(|name| lifecycle.states.get(name)).map(|state| state.class);
        class == Some(StateClass::Transitional)
    };
    for ours in &mut common.completion.all_of {
        let Some(theirs) = asked.iter_mut().find(|theirs| theirs.id == ours.id) else { continue };
        let listed = |one: &Condition| {
            let own = one.path.as_deref() == Some(lifecycle.path.as_str());
            own.then(|| one.expected.as_ref()?.as_array().map(<[Value]>::to_vec)).flatten()
        };
        let (Some(mine), Some(their)) = (listed(ours), listed(theirs)) else { continue };
        let alone = mine.iter().filter(|one| !their.contains(one));
        let new: Vec<Value> = their.iter().filter(|one| !mine.contains(one)).cloned().collect();
        if alone.chain(&new).all(is_open) {
            let all = Value::Array(mine.iter().cloned().chain(new).collect());
            ours.expected = Some(all.clone());
            theirs.expected = Some(all);
        }
    }
}

/// What two lists have in common, and what each has alone.
struct Parted<T> {
    common: Vec<T>,
    ours: Vec<T>,
    theirs: Vec<T>,
}

fn common_of<T: Clone + PartialEq>(
    ours: &[T],
    theirs: &[T],
    id: impl Fn(&T) -> &String,
) -> Result<Parted<T>, String> {
    let same = |one: &T, list: &[T]| list.iter().find(|other| id(other) == id(one)).cloned();
    let mut parted = Parted { common: Vec::new(), ours: Vec::new(), theirs: Vec::new() };
    for one in ours {
        match same(one, theirs) {
            Some(other) if other == *one => parted.common.push(one.clone()),
            Some(_) => return Err(format!("`{}` asks something else", id(one))),
            None => parted.ours.push(one.clone()),
        }
    }
    parted.theirs = theirs.iter().filter(|one| same(one, ours).is_none()).cloned().collect();
    Ok(parted)
}

/// PENDING rules of one id over lists of states: the states in common stay, each other state gets a rule of
/// its own.
fn split_rules(ours: &[Rule], theirs: &[Rule]) -> (Vec<Rule>, Vec<Rule>) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for rule in ours {
        let other = theirs.iter().find(|other| other.id == rule.id && *other != rule);
        let shared = other.and_then(|other| shared_states(rule, other));
        left.extend(shared.as_deref().map_or_else(|| vec![rule.clone()], |shared| parts_of(rule, shared)));
    }
    for rule in theirs {
        let other = ours.iter().find(|other| other.id == rule.id && *other != rule);
        let shared = other.and_then(|other| shared_states(rule, other));
        right.extend(shared.as_deref().map_or_else(|| vec![rule.clone()], |shared| parts_of(rule, shared)));
    }
    (left, right)
}

/// The states that both rules list, if they differ in nothing else; at least one.
fn shared_states(rule: &Rule, other: &Rule) -> Option<Vec<Value>> {
    let listed = |rule: &Rule| rule.matching.expected.as_ref()?.as_array().map(<[Value]>::to_vec);
    let (mine, their) = (listed(rule)?, listed(other)?);
    let mut alike = other.clone();
    alike.matching.expected.clone_from(&rule.matching.expected);
    let shared: Vec<Value> = mine.into_iter().filter(|state| their.contains(state)).collect();
    (alike == *rule && rule.verdict == Verdict::Pending && !shared.is_empty()).then_some(shared)
}

fn parts_of(rule: &Rule, shared: &[Value]) -> Vec<Rule> {
    let states = rule.matching.expected.as_ref().and_then(Value::as_array).unwrap_or_default();
    let of = |id: String, states: Vec<Value>| {
        let mut part = Rule { id, ..rule.clone() };
        part.matching.expected = Some(Value::Array(states));
        part
    };
    let rest = states.iter().filter(|state| !shared.contains(state));
    let own = rest.map(|state| {
        let name = state.as_str().unwrap_or_default();
        of(format!("{}.{name}", rule.id), vec![state.clone()])
    });
    std::iter::once(of(rule.id.clone(), shared.to_vec())).chain(own).collect()
}

fn merge_provenance(common: &mut Contract, other: &BTreeMap<String, Vec<String>>) {
    for (part, assertions) in other {
        let known = common.provenance.entry(part.clone()).or_default();
        for assertion in assertions {
            if !known.contains(assertion) {
                known.push(assertion.clone());
            }
        }
    }
}
