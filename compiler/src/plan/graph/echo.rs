//! Input members that the record shows, at whatever depth on either side, and a free text for our tag. Compares
//! names and types; must not decide which of them a contract asks for.

use provely_evaluator::contract::As;
use provely_model::{Echo, EchoKind, FieldKind, Operation, Parameter, Resource, TagPlan};

use super::find::id_input;
use super::parts;
use crate::classify::{Leaf, snake};
use crate::plan::{Known, Rules};

/// The inputs that the record shows.
pub(super) fn echoes(
    known: &Known<'_>,
    rules: &Rules,
    operation: &Operation,
    resource: &Resource,
) -> Vec<Echo> {
    let Some(facts) = known.graph.types.get(&resource.name) else { return Vec::new() };
    let own = id_input(operation, &resource.name).map(|parameter| parameter.name.as_str());
    let leaves: Vec<Shown<'_>> = facts.leaves.iter().map(Shown::of).collect();
    let mut taken: Vec<&str> = Vec::new();
    let parts = parts::money(known, rules, operation, resource);
    let mut found: Vec<Echo> = parts.iter().flat_map(|money| money.echoes()).collect();
    let shown_in_parts: Vec<String> = found.iter().map(|echo| echo.input.clone()).collect();
    // A record is not compared with an item of one of its lists.
    let free = |one: &&Parameter| {
        !one.in_list() && Some(one.name.as_str()) != own && !shown_in_parts.contains(&one.name)
    };
    for parameter in operation.parameters.iter().filter(free) {
        let Some((leaf, kind)) = shown(rules, parameter, &leaves) else { continue };
        let Some(read_as) = reading(kind, parameter, leaf) else { continue };
        let held = found.iter().any(|echo: &Echo| echo.path == leaf.path);
        if held || taken.contains(&leaf.path.as_str()) {
            continue;
        }
        taken.push(&leaf.path);
        found.push(Echo {
            input: parameter.name.clone(),
            path: leaf.path.clone(),
            read_as,
            kind,
            assertion: leaf.assertion.clone(),
        });
    }
    found
}

/// A value of the record, with the words of each step that leads to it.
struct Shown<'l> {
    leaf: &'l Leaf,
    words: Vec<String>,
}

impl<'l> Shown<'l> {
    fn of(leaf: &'l Leaf) -> Self {
        Self { leaf, words: leaf.path.split('.').skip(1).map(snake).collect() }
    }
}

/// The value of the record that an input names, and what a difference means.
fn shown<'l>(rules: &Rules, parameter: &Parameter, leaves: &[Shown<'l>]) -> Option<(&'l Leaf, EchoKind)> {
    let words = &rules.plan;
    let ours: Vec<String> = parameter.name.split('.').map(snake).collect();
    let last = ours.last()?;
    let money = words.amounts.contains(last) || words.money_values.contains(last);
    if matches!(parameter.kind, FieldKind::Decimal | FieldKind::Number | FieldKind::Integer) && money {
        let amount = leaves.iter().find(|leaf| {
            let (path, leaf) = (&leaf.words, leaf.leaf);
            let value = path
                .last()
                .is_some_and(|name| words.amounts.contains(name) || words.money_values.contains(name));
            let named = path.first().is_some_and(|name| ours.contains(name) || words.amounts.contains(name));
            value && named && leaf.kind == parameter.kind
        });
        return amount.map(|leaf| (leaf.leaf, EchoKind::Amount));
    }
    if words.currencies.contains(last) {
        let currency = leaves.iter().find(|leaf| {
            let path = &leaf.words;
            let first = path.first().is_some_and(|name| ours.contains(name) || words.amounts.contains(name));
            path.last().is_some_and(|name| words.currencies.contains(name)) && (path.len() == 1 || first)
        });
        return currency.map(|leaf| (leaf.leaf, EchoKind::Currency));
    }
    let parent = last.strip_suffix("_id").filter(|_| parameter.kind == FieldKind::Text);
    if let Some(parent) = parent {
        let named = |leaf: &&Shown<'_>| {
            let (path, leaf) = (&leaf.words, leaf.leaf);
            leaf.refers_to.is_some() && path.first().is_some_and(|name| name == parent) && path.len() == 2
        };
        let mut of_kind = leaves.iter().filter(|leaf| leaf.leaf.refers_to.as_deref() == Some(parent));
        let only = match (of_kind.next(), of_kind.next()) {
            (Some(only), None) => Some(only),
            (_, _) => None,
        };
        if let Some(leaf) = leaves.iter().find(named).or(only) {
            return Some((leaf.leaf, EchoKind::Subject));
        }
    }
    let same = |leaf: &&Shown<'_>| {
        let (path, leaf) = (&leaf.words, leaf.leaf);
        path.last() == Some(last) && path.len() == 1 && leaf.refers_to.is_none()
    };
    let leaf = leaves.iter().find(same)?.leaf;
    let people = words.recipients.contains(last);
    let kind = if parent.is_some() || people { EchoKind::Subject } else { EchoKind::Other };
    Some((leaf, kind))
}

/// How both sides are read; `None` is not comparable.
fn reading(kind: EchoKind, parameter: &Parameter, leaf: &Leaf) -> Option<Option<As>> {
    match (parameter.kind, leaf.kind) {
        _ if kind == EchoKind::Currency => Some(Some(As::Code)),
        (FieldKind::Decimal, FieldKind::Decimal) => Some(Some(As::Decimal)),
        (FieldKind::Text, FieldKind::Text) if leaf.refers_to.is_some() => Some(Some(As::Id)),
        (left, right) if left == right => match left {
            FieldKind::Text | FieldKind::Integer | FieldKind::Number | FieldKind::Boolean => Some(None),
            _ => None,
        },
        (FieldKind::Integer, FieldKind::Number) | (FieldKind::Number, FieldKind::Integer) => {
            Some(Some(As::Number))
        }
        _ => None,
    }
}

/// A free text of the input that the record shows as it was given.
pub(super) fn tag(
    known: &Known<'_>,
    rules: &Rules,
    operation: &Operation,
    resource: &Resource,
) -> Option<(TagPlan, String)> {
    let facts = known.graph.types.get(&resource.name)?;
    let notes = &rules.plan.notes;
    let depth = |parameter: &Parameter| parameter.name.matches('.').count();
    let free = operation
        .parameters
        .iter()
        .filter(|one| one.kind == FieldKind::Text && depth(one) <= 1 && !one.in_list());
    let mut ranked: Vec<(usize, &Parameter, &Leaf)> = free
        .filter_map(|parameter| {
            let last = snake(parameter.name.rsplit('.').next()?);
            let rank = notes.iter().position(|note| *note == last)?;
            let leaf = facts.leaves.iter().find(|leaf| {
                leaf.kind == FieldKind::Text
                    && leaf.path.strip_prefix("@.").map(snake).as_ref() == Some(&last)
            })?;
            Some((rank, parameter, leaf))
        })
        .collect();
    ranked.sort_by_key(|(rank, _, _)| *rank);
    let (_, parameter, leaf) = ranked.first()?;
    let tag = TagPlan { parameter: parameter.name.clone(), path: leaf.path.clone(), immutable: false };
    Some((tag, leaf.assertion.clone()))
}
