//! The money in the parts of a record: which value of a part is what the input asks for, and where the record
//! sums up the parts that have succeeded. Compares names, types and descriptions; must not guess between equals.

use std::collections::BTreeSet;

use provely_evaluator::contract::As;
use provely_model::{Echo, EchoKind, FieldKind, Operation, Parameter, Parts, Resource};

use crate::classify::{ChildList, Leaf, snake, words};
use crate::plan::{Known, Passage, Rules, words as prose};

/// Where parts carry what an input asks for.
pub(in crate::plan) struct PartMoney<'k> {
    parts: &'k Parts,
    parameter: &'k Parameter,
    amount: &'k Leaf,
    settled: Option<(&'k Leaf, String)>,
    currency: Option<(&'k Parameter, &'k Leaf)>,
}

impl<'k> PartMoney<'k> {
    /// Where a part carries its amount, rooted at `@`.
    pub(in crate::plan) fn amount(&self) -> &'k str {
        &self.amount.path
    }

    /// What the amount of a part, and the sum of the record, rest on.
    pub(in crate::plan) fn assertions(&self) -> Vec<String> {
        let settled = self.settled.iter().map(|(_, said)| said.clone());
        [self.amount.assertion.clone()].into_iter().chain(settled).collect()
    }

    /// The paths within a part that are compared with the input.
    pub(super) fn paths(&self) -> impl Iterator<Item = &'k str> {
        [self.amount].into_iter().chain(self.currency.map(|(_, leaf)| leaf)).map(|leaf| leaf.path.as_str())
    }

    /// The inputs that parts show. The amount stands where the record sums up what has succeeded, if it does.
    pub(super) fn echoes(&self) -> Vec<Echo> {
        let inside = |leaf: &Leaf| {
            format!("{}[0]{}", self.parts.over, leaf.path.strip_prefix('@').unwrap_or(&leaf.path))
        };
        let shown = self.settled.as_ref().map_or(self.amount, |(leaf, _)| leaf);
        let path = if self.settled.is_some() { shown.path.clone() } else { inside(shown) };
        let decimal = self.parameter.kind == FieldKind::Decimal;
        let amount = Echo {
            input: self.parameter.name.clone(),
            path,
            read_as: Some(if decimal { As::Decimal } else { As::Number }),
            kind: EchoKind::Amount,
            assertion: shown.assertion.clone(),
        };
        let currency = self.currency.map(|(parameter, leaf)| Echo {
            input: parameter.name.clone(),
            path: inside(leaf),
            read_as: Some(As::Code),
            kind: EchoKind::Currency,
            assertion: leaf.assertion.clone(),
        });
        [amount].into_iter().chain(currency).collect()
    }
}

/// The list that holds the parts of a record, and the parts.
pub(super) fn list<'k>(known: &Known<'k>, resource: &'k Resource) -> Option<(&'k Parts, &'k ChildList)> {
    let parts = resource.lifecycle.as_ref()?.parts.as_ref()?;
    let field = parts.over.strip_prefix("@.")?.split('.').next()?;
    let facts = known.graph.types.get(&resource.name)?;
    Some((parts, facts.lists.iter().find(|list| list.field == field)?))
}

/// The money in the parts of a record, as far as names and descriptions tell it from other money.
pub(in crate::plan) fn money<'k>(
    known: &Known<'k>,
    rules: &Rules,
    operation: &'k Operation,
    resource: &'k Resource,
) -> Option<PartMoney<'k>> {
    let (parts, list) = list(known, resource)?;
    let leaves = &known.graph.types.get(&parts.resource)?.leaves;
    let inside = format!("{}[0].", list.field);
    let value = |name: &str| is_value(rules, &last_word(name));
    let parameter = operation.parameters.iter().find(|parameter| {
        let (_, within) = parameter.name.split_once(&inside).unwrap_or_default();
        !within.is_empty() && !within.contains('.') && value(within) && is_number(parameter.kind)
    })?;
    let amount = nearest(rules, parameter, leaves)?;
    let tail: Vec<&str> = amount.path.split('.').skip(2).collect();
    let currency = leaves.iter().find(|leaf| {
        let front = |path: &str| path.rsplit_once('.').map(|(front, _)| front.to_owned());
        rules.plan.currencies.contains(&last_word(&leaf.path)) && front(&leaf.path) == front(&amount.path)
    });
    let asked = operation.parameters.iter().find(|parameter| {
        let own = parameter.name.split_once(&inside).is_some_and(|(_, within)| !within.contains('.'));
        rules.plan.currencies.contains(&last_word(&parameter.name)) && (own || !parameter.in_list())
    });
    Some(PartMoney {
        parts,
        parameter,
        amount,
        settled: settled(known, rules, resource, (&tail, amount)),
        currency: asked.zip(currency),
    })
}

fn last_word(path: &str) -> String {
    snake(path.rsplit('.').next().unwrap_or_default())
}

fn is_value(rules: &Rules, name: &String) -> bool {
    rules.plan.amounts.contains(name) || rules.plan.money_values.contains(name)
}

const fn is_number(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Decimal | FieldKind::Number | FieldKind::Integer)
}

/// The amount among a part's values: the one of the plainest name; of several such, the one whose descriptions
/// share most with that of the input. `None` between equals.
fn nearest<'k>(rules: &Rules, parameter: &Parameter, leaves: &'k [Leaf]) -> Option<&'k Leaf> {
    let named = leaves.iter().filter(|leaf| leaf.kind == parameter.kind).filter_map(|leaf| {
        let first = words(leaf.path.split('.').nth(1)?);
        let money = first.iter().any(|word| rules.plan.amounts.contains(word));
        (money && is_value(rules, &last_word(&leaf.path))).then_some((first.len(), leaf))
    });
    let named: Vec<(usize, &Leaf)> = named.collect();
    let plainest = named.iter().map(|(words, _)| *words).min()?;
    let equals: Vec<&Leaf> =
        named.into_iter().filter(|(words, _)| *words == plainest).map(|(_, leaf)| leaf).collect();
    let [first, ..] = equals.as_slice() else { return None };
    if equals.len() == 1 {
        return Some(first);
    }
    let ours = spoken(parameter.description.as_deref().unwrap_or_default());
    let same = equals.iter().map(|leaf| alike(&leaf.told, &first.told)).min()?;
    let shared = |leaf: &Leaf| spoken(leaf.told.get(same..).unwrap_or_default()).intersection(&ours).count();
    let most = equals.iter().map(|leaf| shared(leaf)).max()?;
    let mut best = equals.into_iter().filter(|leaf| shared(leaf) == most);
    best.next().filter(|_| best.next().is_none())
}

/// How many bytes two texts begin with alike, up to a word.
fn alike(one: &str, other: &str) -> usize {
    let same = one.char_indices().zip(other.chars()).find(|((_, one), other)| one != other);
    let same = same.map_or(one.len().min(other.len()), |((at, _), _)| at);
    one.get(..same).and_then(|front| front.rfind(' ')).unwrap_or(0)
}

fn spoken(text: &str) -> BTreeSet<String> {
    prose::plain(text).split_whitespace().map(str::to_owned).collect()
}

/// Where the record sums up the parts that have succeeded, and what says so: a value of the same shape, said to
/// count those alone.
fn settled<'k>(
    known: &Known<'k>,
    rules: &Rules,
    resource: &Resource,
    (tail, amount): (&[&str], &Leaf),
) -> Option<(&'k Leaf, String)> {
    let leaves = &known.graph.types.get(&resource.name)?.leaves;
    let place = prose::plain(&resource.name);
    leaves.iter().filter(|leaf| leaf.kind == amount.kind).find_map(|leaf| {
        let mut steps = leaf.path.split('.').skip(1);
        let first = steps.next()?;
        if !steps.eq(tail.iter().copied()) {
            return None;
        }
        let phrases = &rules.plan.settled;
        let names = |passage: &&Passage| {
            let (_, at) = passage.id.split_once('#').unwrap_or_default();
            !at.starts_with('/')
                && prose::plain(at).contains(&place)
                && prose::quoted(&passage.text).any(|word| word == first)
                && prose::says(&passage.text, phrases)
        };
        if prose::says(&leaf.told, phrases) {
            return Some((leaf, leaf.assertion.clone()));
        }
        known.passages.iter().find(names).map(|passage| (leaf, passage.id.clone()))
    })
}
