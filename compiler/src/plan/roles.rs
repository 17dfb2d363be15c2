//! Which operations read what an operation did. Finds them by role, resource and path; must not build
//! requests.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use provely_evaluator::contract::CorrelationKey;
use provely_model::{Operation, Parameter, Place, Role, Service};

use super::paths::{Origin, Route, Step, around_verb, ends_named, placeholders, route, steps};
use super::{Known, Rules};
use crate::classify::{leaves_copy, records_act, says_made, singular, snake, words};

/// Fewest fields by which two schemas are told to be the same.
const FEWEST_FIELDS: usize = 3;

/// Whether an operation makes a record or changes one that its path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A record comes into being.
    Create,
    /// The record whose id this path parameter carries.
    Existing {
        /// The path parameter.
        parameter: String,
    },
    /// The record whose id this path parameter carries is put where it was not before.
    Added {
        /// The path parameter.
        parameter: String,
    },
    /// Something of the record whose id this path parameter carries: the record shows that it changed, and no more.
    Part {
        /// The path parameter.
        parameter: String,
    },
}

impl Target {
    /// The path parameter that names the record, where it is there already.
    #[must_use]
    pub fn parameter(&self) -> Option<&str> {
        match self {
            Self::Create => None,
            Self::Existing { parameter } | Self::Added { parameter } | Self::Part { parameter } => {
                Some(parameter)
            }
        }
    }

    /// The same under another name of the path parameter.
    #[must_use]
    pub fn renamed(self, name: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Create => Self::Create,
            Self::Existing { parameter } => Self::Existing { parameter: name(&parameter) },
            Self::Added { parameter } => Self::Added { parameter: name(&parameter) },
            Self::Part { parameter } => Self::Part { parameter: name(&parameter) },
        }
    }
}

/// What an operation acts on, judged by the operation that reads its record.
///
/// `None` where it is not known whether the record is new, or its id is not known beforehand.
#[must_use]
pub fn target_of(operation: &Operation, readback: &Operation) -> Option<Target> {
    if operation.graphql.is_some() {
        return super::graph::target_of(operation);
    }
    if readback.role == Role::List {
        return in_list(operation, readback);
    }
    let found = route(operation, readback)?;
    let Some(own) = found.own.as_ref() else { return only_one(operation, readback, &found) };
    match (operation.role, own) {
        (Role::Create, Origin::Reply) => Some(Target::Create),
        (Role::Create, Origin::Input(_)) => {
            let named = ends_named(&steps(&operation.path)) && answers(operation, readback);
            let part = || part_of(operation, readback, &found);
            if named { Some(Target::Create) } else { part() }
        }
        (Role::Delete, Origin::Input(parameter)) => {
            let last = matches!(steps(&operation.path).last(), Some(Step::Named(name)) if name == parameter);
            let whole = is_same_place(operation, readback, &found) || (last && answers(operation, readback));
            if whole {
                return Some(Target::Existing { parameter: parameter.clone() });
            }
            part_of(operation, readback, &found)
        }
        (_, Origin::Input(parameter)) => {
            let whole = is_same_place(operation, readback, &found) || answers(operation, readback);
            if whole {
                return Some(Target::Existing { parameter: parameter.clone() });
            }
            part_of(operation, readback, &found)
        }
        (Role::Act, Origin::Reply) => {
            let beside = operation.effect.moves_money() && path_parameters(&operation.path).next().is_some();
            let made =
                beside || stands_below(operation, readback, &found) || leaves_record(operation, readback);
            made.then_some(Target::Create)
        }
        (Role::Update | Role::Cancel | Role::Delete | Role::Read | Role::List, Origin::Reply) => None,
    }
}

/// What an operation acts on where its record is found in a list by its id: the one that its reply holds, or the one
/// that its path names behind the path of the list.
fn in_list(operation: &Operation, list: &Operation) -> Option<Target> {
    let (ours, theirs) = (steps(&operation.path), steps(&list.path));
    let listed = list.reply.as_ref().and_then(|reply| reply.resource.as_ref());
    let answered = operation.reply.as_ref().and_then(|reply| reply.resource.as_ref());
    let holds = answered.is_some() && answered == listed;
    let below = ours.starts_with(&theirs).then(|| ours.get(theirs.len()..).unwrap_or_default());
    match (operation.role, below) {
        (Role::Create, _) => holds.then_some(Target::Create),
        // A list is replaced, or something is put into it: no record of it is changed.
        (Role::Update, Some([Step::Named(name)])) if operation.method == "PUT" && has_no_body(operation) => {
            Some(Target::Added { parameter: (*name).to_owned() })
        }
        (Role::Update | Role::Delete | Role::Cancel, Some([Step::Named(name)])) => {
            Some(Target::Existing { parameter: (*name).to_owned() })
        }
        (Role::Act | Role::Cancel | Role::Update, Some([Step::Named(name), Step::Fixed(_)])) => {
            Some(Target::Existing { parameter: (*name).to_owned() })
        }
        (Role::Read | Role::List | Role::Update | Role::Delete | Role::Cancel | Role::Act, _) => None,
    }
}

fn has_no_body(operation: &Operation) -> bool {
    operation.parameters.iter().all(|parameter| parameter.place != Place::Body)
}

/// True if what is done leaves a record of its own, which the reply holds: by its effect, by a verb such as
/// `duplicate`, or because the record is one of acts, such as a job.
fn leaves_record(operation: &Operation, readback: &Operation) -> bool {
    let path = steps(&operation.path);
    let last = path.iter().rev().find_map(|step| match step {
        Step::Fixed(word) => words(word).into_iter().next(),
        Step::Named(_) => None,
    });
    let of_act =
        || readback.resource.as_deref().is_some_and(|name| words(name).iter().any(|word| records_act(word)));
    let leaves =
        super::graph::makes(operation.effect) || last.is_some_and(|verb| leaves_copy(&verb)) || of_act();
    answers(operation, readback) && leaves
}

/// Under a path that ends in a word there is one record of its parent: the parent's id names it.
fn only_one(operation: &Operation, readback: &Operation, found: &Route) -> Option<Target> {
    let parameter = match found.parameters.last() {
        Some((_, Origin::Input(parameter))) => parameter.clone(),
        Some((_, Origin::Reply)) => return None,
        None => CorrelationKey::ACCOUNT.to_owned(),
    };
    let (ours, theirs) = (place(operation), steps(&readback.path));
    let exact = ours == theirs;
    match operation.role {
        Role::Update | Role::Delete if exact => Some(Target::Existing { parameter }),
        Role::Create | Role::Update | Role::Delete | Role::Cancel | Role::Act => {
            let near = exact || stands_above(operation, readback, found) || theirs.starts_with(&ours);
            near.then_some(Target::Part { parameter })
        }
        Role::Read | Role::List => None,
    }
}

/// A step further down than the record that is read: what was done there changes it.
fn part_of(operation: &Operation, readback: &Operation, found: &Route) -> Option<Target> {
    let Some(Origin::Input(parameter)) = &found.own else { return None };
    stands_above(operation, readback, found).then(|| Target::Part { parameter: parameter.clone() })
}

/// The operation that reads what an operation made or changed: the record that its reply holds, else the one
/// that its path says. `None` rather than one that reads something else.
pub(super) fn readback<'a>(
    known: &Known<'a>,
    (rules, reads): (&Rules, &[Read<'a>]),
    operation: &Operation,
) -> Option<&'a Operation> {
    let ours = steps(&operation.path);
    let ranked = reads.iter().filter_map(|read| {
        let candidate = read.operation;
        let same = answers(operation, candidate) || is_alike(known, (operation, &ours), read);
        if !same && !read.is_near(&ours) {
            return None;
        }
        let route = route(operation, candidate)?;
        let rank = match operation.role {
            Role::Create => made(operation, candidate, &route, same),
            Role::Delete => deleted(operation, candidate, &route, same),
            Role::Update | Role::Cancel | Role::Act | Role::Read | Role::List => {
                changed(operation, candidate, &route, same)
            }
        };
        let rank = rank
            .or_else(|| shows_part(known, operation, candidate, &route).then_some(4))
            .or_else(|| tells_outcome(rules, operation, candidate).then_some(5))
            .or_else(|| takes_part(operation, candidate, &route).then_some(6))?;
        Some(((rank, Reverse(route.shared), route.parameters.len(), candidate.path.len()), candidate))
    });
    ranked.min_by_key(|(key, _)| *key).map(|(_, candidate)| candidate)
}

/// An operation that reads one record.
pub(super) struct Read<'a> {
    operation: &'a Operation,
    steps: Vec<Step<'a>>,
}

impl<'a> Read<'a> {
    /// The operations of a service that read one record.
    pub(super) fn all(service: &'a Service) -> Vec<Self> {
        let reads = |candidate: &&Operation| {
            candidate.role == Role::Read
                && is_safe(candidate)
                && candidate.resource.is_some()
                && candidate
                    .reply
                    .as_ref()
                    .is_some_and(|reply| !reply.list && reply.resource == candidate.resource)
        };
        let found = service.operations.iter().filter(reads);
        found.map(|operation| Self { operation, steps: steps(&operation.path) }).collect()
    }

    /// False where one path is neither above, below nor beside the other, so that the paths alone tie nothing. A last
    /// step may differ: a verb, or one that only says that a record is made.
    fn is_near(&self, ours: &[Step<'_>]) -> bool {
        let shared = ours.iter().zip(&self.steps).take_while(|(one, two)| one == two).count();
        let least = ours.len().min(self.steps.len());
        let made = matches!(ours.last(), Some(Step::Fixed(word)) if says_made(&snake(word)));
        shared == least || (shared + 1 == least && (made || ends_named(&self.steps)))
    }
}

/// True unless the method may change something (RFC 9110, section 9.2.1), whatever the operation is taken for.
fn is_safe(operation: &Operation) -> bool {
    !matches!(operation.method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE")
}

/// True if the reply of an operation holds the record that the other one reads.
pub(super) fn answers(operation: &Operation, readback: &Operation) -> bool {
    let answered = operation.reply.as_ref().and_then(|reply| reply.resource.as_ref());
    answered.is_some() && answered == readback.resource.as_ref()
}

/// True for records of a collection of the same name that have the same fields: a description may write one
/// schema twice.
fn is_alike(known: &Known<'_>, (operation, ours): (&Operation, &[Step<'_>]), read: &Read<'_>) -> bool {
    let readback = read.operation;
    let fields = |name: Option<&String>| {
        let resource = known.service.resource(name?)?;
        let names: BTreeSet<&str> = resource.fields.iter().map(|field| field.name.as_str()).collect();
        (names.len() >= FEWEST_FIELDS && resource.id.is_some()).then_some(names)
    };
    let answered = operation.reply.as_ref().filter(|reply| !reply.list);
    let answers = || fields(answered.and_then(|reply| reply.resource.as_ref()));
    collection(ours) == collection(&read.steps)
        && answers().is_some_and(|ours| fields(readback.resource.as_ref()) == Some(ours))
}

/// The last word of a path.
fn collection<'s, 'p>(steps: &'s [Step<'p>]) -> Option<&'s Step<'p>> {
    steps.iter().rev().find(|step| matches!(step, Step::Fixed(_)))
}

/// The steps of an operation's path, without a last one that only says that a record is made: `/a/create`.
fn place(operation: &Operation) -> Vec<Step<'_>> {
    let mut steps = steps(&operation.path);
    let says = |step: &Step<'_>| matches!(step, Step::Fixed(word) if says_made(&snake(word)));
    if operation.role == Role::Create && steps.len() > 1 && steps.last().is_some_and(says) {
        steps.pop();
    }
    steps
}

/// One step below: `/a` and `/a/{id}`.
fn stands_below(operation: &Operation, readback: &Operation, route: &Route) -> bool {
    let (ours, theirs) = (place(operation), steps(&readback.path));
    theirs.len() == ours.len() + 1 && route.shared == ours.len() && ends_named(&theirs)
}

/// Somewhere above: `/a/{id}/b` and `/a/{id}`.
fn stands_above(operation: &Operation, readback: &Operation, route: &Route) -> bool {
    let (ours, theirs) = (steps(&operation.path), steps(&readback.path));
    route.shared == theirs.len() && ours.len() > theirs.len()
}

/// The very same path, or one that differs by the verb alone.
pub(super) fn is_same_place(operation: &Operation, readback: &Operation, route: &Route) -> bool {
    let (ours, theirs) = (steps(&operation.path), steps(&readback.path));
    let below = ours.get(theirs.len()..).unwrap_or_default();
    let verb = matches!(below, [Step::Fixed(_)])
        && match operation.role {
            Role::Update => operation.method == "POST",
            Role::Act | Role::Cancel => true,
            Role::Create | Role::Delete | Role::Read | Role::List => false,
        };
    ours == theirs || around_verb(&ours, &theirs, route.shared) || (route.shared == theirs.len() && verb)
}

/// How well a reading operation fits one that makes a record: it reads the record of the reply, or stands one
/// step below, or under the very same path.
fn made(operation: &Operation, readback: &Operation, route: &Route, same: bool) -> Option<u8> {
    let exact = place(operation) == steps(&readback.path);
    match &route.own {
        Some(Origin::Reply) if same => Some(0),
        Some(Origin::Reply) if stands_below(operation, readback, route) => Some(1),
        Some(Origin::Input(_)) if same && exact => Some(0),
        Some(Origin::Input(_)) if same && route.parameters.len() == 1 => Some(3),
        Some(_) | None if exact => Some(2),
        Some(_) | None => None,
    }
}

/// A record that was deleted is read where it was, or under another path that names it.
fn deleted(operation: &Operation, readback: &Operation, route: &Route, same: bool) -> Option<u8> {
    match &route.own {
        _ if is_same_place(operation, readback, route) => Some(0),
        Some(Origin::Input(_)) if same => Some(1),
        Some(Origin::Reply) if same => Some(2),
        Some(_) | None => None,
    }
}

/// A record that was changed is read under the same path, or is the one that the reply holds, or stands right
/// above the verb.
fn changed(operation: &Operation, readback: &Operation, route: &Route, same: bool) -> Option<u8> {
    let exact = steps(&operation.path) == steps(&readback.path);
    match &route.own {
        _ if exact => Some(0),
        Some(Origin::Input(_)) if same => Some(1),
        None if same && stands_above(operation, readback, route) => Some(1),
        Some(Origin::Reply) if same || stands_below(operation, readback, route) => Some(2),
        Some(Origin::Input(_)) if is_same_place(operation, readback, route) => Some(3),
        Some(_) | None => None,
    }
}

/// True if the record above has a field of the name that our path goes on with: `/a/{id}/roles` changes what
/// `/a/{id}` shows as `roles`.
fn shows_part(known: &Known<'_>, operation: &Operation, readback: &Operation, route: &Route) -> bool {
    let ours = steps(&operation.path);
    let Some(Step::Fixed(part)) = ours.get(steps(&readback.path).len()) else { return false };
    let part = snake(part);
    let shown = |field: &provely_model::Field| snake(&field.name) == part;
    matches!(route.own, Some(Origin::Input(_)))
        && stands_above(operation, readback, route)
        && known.resource_of(readback).is_some_and(|resource| resource.fields.iter().any(shown))
}

/// True for `/a/{id}/b` and `/a/{id}`, where `b` is one thing that is taken away, or done without an answer: many would
/// be records of their own.
fn takes_part(operation: &Operation, readback: &Operation, route: &Route) -> bool {
    let (ours, theirs) = (steps(&operation.path), steps(&readback.path));
    let Some([Step::Fixed(part)]) = ours.get(theirs.len()..) else { return false };
    let last = words(part).pop().unwrap_or_default();
    let silent = operation.reply.as_ref().is_none_or(|reply| reply.resource.is_none());
    let fits = match operation.role {
        Role::Delete => true,
        Role::Create | Role::Act | Role::Cancel => silent,
        Role::Update | Role::Read | Role::List => false,
    };
    fits && singular(&last) == last
        && stands_above(operation, readback, route)
        && matches!(route.own, Some(Origin::Input(_)))
}

/// True for `/a/status` and `/a/{id}/status`, read for what was done at `/a`.
fn tells_outcome(rules: &Rules, operation: &Operation, readback: &Operation) -> bool {
    let (ours, theirs) = (steps(&operation.path), steps(&readback.path));
    let below = theirs.get(ours.len()..).unwrap_or_default();
    let word = match below {
        [Step::Fixed(word)] | [Step::Named(_), Step::Fixed(word)] if theirs.starts_with(&ours) => snake(word),
        [..] => return false,
    };
    rules.plan.outcomes.iter().any(|outcome| word.rsplit('_').next() == Some(outcome.as_str()))
}

/// The operation that lists the records of the resource: with the most filters that the input can fill,
/// the fewest path parameters, and no lag.
pub(super) fn list<'a>(
    known: &Known<'a>,
    rules: &Rules,
    operation: &Operation,
    readback: &Operation,
) -> Option<&'a Operation> {
    let read = steps(&readback.path);
    let collection = read.split_last().map_or(&[][..], |(_, front)| front);
    best_list(known, rules, operation, |candidate, listed| {
        Some(listed) == readback.resource.as_ref() || steps(&candidate.path) == collection
    })
}

/// The list that shows what an operation made or deleted, where nothing reads it by id: under the path that
/// records are made at, or of the record that the reply holds.
pub(super) fn only_list<'a>(
    known: &Known<'a>,
    rules: &Rules,
    operation: &Operation,
) -> Option<&'a Operation> {
    let ours = steps(&operation.path);
    let collection = match ours.split_last() {
        Some((Step::Named(_), front)) => front,
        Some((Step::Fixed(_), _)) | None => ours.as_slice(),
    };
    let answered = operation.reply.as_ref().and_then(|reply| reply.resource.as_ref());
    let at = |candidate: &Operation, _: &String| steps(&candidate.path) == collection;
    best_list(known, rules, operation, at)
        .or_else(|| best_list(known, rules, operation, |_, listed| Some(listed) == answered))
}

fn best_list<'a>(
    known: &Known<'a>,
    rules: &Rules,
    operation: &Operation,
    wanted: impl Fn(&Operation, &String) -> bool,
) -> Option<&'a Operation> {
    let fits = |candidate: &&Operation| {
        let listed =
            candidate.reply.as_ref().filter(|reply| reply.list).and_then(|reply| reply.resource.as_ref());
        candidate.role == Role::List
            && is_safe(candidate)
            && listed.is_some_and(|listed| wanted(candidate, listed))
            && route(operation, candidate).is_some_and(|route| route.own != Some(Origin::Reply))
    };
    let candidates = known.service.operations.iter().filter(fits);
    candidates.min_by_key(|candidate| {
        let filters =
            filters(candidate).filter(|filter| input_named(operation, &filter.name).is_some()).count();
        (
            lags(rules, candidate),
            usize::MAX - filters,
            path_parameters(&candidate.path).count(),
            candidate.path.len(),
        )
    })
}

/// The operation that lists events and can keep those of given types.
pub(super) fn event_list<'a>(known: &Known<'a>, rules: &Rules) -> Option<&'a Operation> {
    let words = &rules.plan.events;
    known.service.operations.iter().find(|candidate| {
        let listed =
            candidate.reply.as_ref().filter(|reply| reply.list).and_then(|reply| reply.resource.as_ref());
        listed.is_some_and(|resource| words.resources.contains(resource))
            && path_parameters(&candidate.path).next().is_none()
            && filters(candidate).any(|filter| {
                words.type_filter.contains(&filter.name) || words.types_filter.contains(&filter.name)
            })
    })
}

/// True for a list that shows records late.
pub(super) fn lags(rules: &Rules, list: &Operation) -> bool {
    list.path.split('/').any(|step| rules.plan.lagging.iter().any(|word| word == step))
}

/// The query parameters of a list.
pub(super) fn filters(list: &Operation) -> impl Iterator<Item = &Parameter> {
    list.parameters.iter().filter(|parameter| parameter.place == Place::Query)
}

/// A body field or path parameter of an acting operation.
pub(super) fn input_named<'o>(operation: &'o Operation, name: &str) -> Option<&'o Parameter> {
    operation
        .parameters
        .iter()
        .find(|parameter| parameter.name == name && matches!(parameter.place, Place::Body | Place::Path))
}

/// The names in braces of a path template.
pub(super) fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    placeholders(path)
}
