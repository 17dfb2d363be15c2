//! Records whose outcome stands in a list inside them: a refund that shows nothing but its transactions. Finds
//! the list and which of its items count; must not judge what a state means.

use provely_model::{Effect, FieldKind, Lifecycle, Operation, Parts, Resource, Role};

use super::cues::cues;
use super::fields::{Names, is_scalar, key, path, step};
use super::graph;
use super::records::{array_of, settled};
use super::words::{singular, snake, words};
use crate::ingest::{Property, Schema};

/// A list inside a record whose items carry a state.
struct Candidate<'a> {
    property: Property<'a>,
    over: String,
    item: Schema<'a>,
}

/// What a record without a state of its own has instead.
pub(super) struct Carried {
    /// The lifecycle of the items, seen from the record.
    pub lifecycle: Lifecycle,
    /// The further field that it stood in so far, where the items are no records of their own.
    pub axis: Option<usize>,
}

/// The lifecycle that the items of a list carry for a record: of the one list whose items carry states, if what
/// makes the record is told that list, or moves money as its items do.
pub(super) fn carried(
    resource: &Resource,
    schema: &Schema<'_>,
    operations: &[&Operation],
    (resources, names): (&[Resource], &Names),
) -> Option<Carried> {
    if resource.lifecycle.is_some() || resource.id.is_none() {
        return None;
    }
    let mut found = candidates(schema).into_iter().filter_map(|candidate| {
        let named = names.get(&key(&candidate.item)).and_then(|name| of_name(resources, name));
        let (axis, mut lifecycle, name) = match named {
            Some(own) => (None, own.lifecycle.clone().filter(|own| own.parts.is_none())?, own.name.clone()),
            None => {
                let over =
                    |axis: &Lifecycle| axis.parts.as_ref().is_some_and(|own| own.over == candidate.over);
                let axis = resource.axes.iter().position(over)?;
                let lifecycle = resource.axes.get(axis)?.clone();
                let name = lifecycle.parts.as_ref()?.resource.clone();
                (Some(axis), lifecycle, name)
            }
        };
        lifecycle.parts = Some(parts(&candidate, &name, resource));
        Some((candidate, Carried { lifecycle, axis }))
    });
    let (candidate, carried) = found.next()?;
    if found.next().is_some() {
        return None;
    }
    let makers = operations.iter().filter(|own| own.role == Role::Create || own.effect.moves_money());
    let mut makers = makers.filter(|own| own.effect != Effect::Read);
    let money = has_amount(&candidate.item);
    makers
        .any(|maker| takes(maker, candidate.property.name) || (money && maker.effect.moves_money()))
        .then_some(carried)
}

fn of_name<'r>(resources: &'r [Resource], name: &str) -> Option<&'r Resource> {
    resources.iter().find(|resource| resource.name == name)
}

/// The lists of objects inside a record.
fn candidates<'a>(schema: &Schema<'a>) -> Vec<Candidate<'a>> {
    let list = |property: Property<'a>| {
        if property.schema.beside("deprecated").is_some() {
            return None;
        }
        let over = path(property.name);
        if let Some(list) = graph::list_field(&property) {
            // An edge wraps its record: what is said of items would be said of edges.
            let over = match list.below {
                Some("nodes") => step(&over, "nodes"),
                Some(_) => return None,
                None => over,
            };
            return Some(Candidate { property, over, item: list.item });
        }
        let item = settled(&array_of(&settled(&property.schema))?);
        (graph::form(&item).is_none() && !item.properties().is_empty()).then_some(Candidate {
            property,
            over,
            item,
        })
    };
    schema.properties().into_iter().filter_map(list).collect()
}

/// True for an operation that is told a list of that name.
fn takes(operation: &Operation, list: &str) -> bool {
    operation.parameters.iter().any(|parameter| {
        let last = parameter.name.rsplit('.').next().unwrap_or_default();
        parameter.kind == FieldKind::Array && snake(last) == snake(list)
    })
}

fn has_amount(item: &Schema<'_>) -> bool {
    let amounts = &cues().shapes.part_amounts;
    item.properties().iter().any(|property| words(property.name).iter().any(|word| amounts.contains(word)))
}

/// Which items count, by what they say of themselves.
fn parts(candidate: &Candidate<'_>, name: &str, resource: &Resource) -> Parts {
    let properties = candidate.item.properties();
    let table = &cues().shapes;
    let mut assertions = vec![candidate.property.schema.named_assertion()];
    let mut cite = |property: &Property<'_>| assertions.push(property.schema.named_assertion());
    let own = resource.name.rsplit(['.', '_']).next().map(singular).unwrap_or_default();
    let kinds =
        properties.iter().filter(|property| cues().states.kinds.iter().any(|kind| kind == property.name));
    let only = kinds.into_iter().find_map(|property| {
        let value = property.schema.values().into_iter().find(|value| snake(value) == own)?;
        cite(property);
        Some((path(property.name), value))
    });
    let flag = |names: &std::collections::BTreeSet<String>| {
        properties.iter().find(|property| {
            is_scalar(&property.schema)
                && property.schema.types() == ["boolean"]
                && names.contains(&snake(property.name))
        })
    };
    let live = flag(&table.live_flags).map(|property| (property, true));
    let live = live.or_else(|| flag(&table.test_flags).map(|property| (property, false)));
    let live = live.map(|(property, value)| {
        cite(property);
        (path(property.name), value)
    });
    let by_hand = properties.iter().find(|property| {
        property.schema.types() == ["boolean"]
            && words(property.name).first().is_some_and(|word| table.by_hand.contains(word))
    });
    let by_hand = by_hand.map(|property| {
        cite(property);
        path(property.name)
    });
    Parts {
        over: candidate.over.clone(),
        resource: name.to_owned(),
        only,
        amount: None,
        live,
        by_hand,
        assertions,
    }
}
