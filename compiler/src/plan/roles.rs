//! Which operations read what an operation did. Finds them by role, resource and path; must not build
//! requests.

use provely_model::{Operation, Parameter, Place, Role};

use super::{Known, Rules};

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
}

/// What an operation acts on, judged by the operation that reads its record.
///
/// `None` where neither a record is made nor the path names one.
#[must_use]
pub fn target_of(operation: &Operation, readback: &Operation) -> Option<Target> {
    if operation.role == Role::Create {
        return Some(Target::Create);
    }
    let below = operation.path.strip_prefix(readback.path.as_str())?;
    if !below.is_empty() && !below.starts_with('/') {
        return None;
    }
    Some(Target::Existing { parameter: last_path_parameter(&readback.path)?.to_owned() })
}

/// The operation that reads one record by its id: one of the same resource, else one whose path says that it
/// reads what this operation makes or changes.
pub(super) fn readback<'a>(known: &Known<'a>, operation: &Operation) -> Option<&'a Operation> {
    let same =
        |candidate: &Operation| candidate.resource.is_some() && candidate.resource == operation.resource;
    let fits = |candidate: &&Operation| {
        candidate.role == Role::Read
            && candidate
                .reply
                .as_ref()
                .is_some_and(|reply| !reply.list && reply.resource == candidate.resource)
            && candidate.resource.is_some()
            && last_path_parameter(&candidate.path).is_some()
            && target_of(operation, candidate).is_some()
            && (same(candidate) || is_related(operation, candidate))
    };
    let candidates = known.service.operations.iter().filter(fits);
    candidates.min_by_key(|candidate| {
        (!same(candidate), path_parameters(&candidate.path).count(), candidate.path.len())
    })
}

/// A record made under a path is read one step below it; a record that is changed is read above.
fn is_related(operation: &Operation, readback: &Operation) -> bool {
    if operation.role != Role::Create {
        return true;
    }
    let below = readback.path.strip_prefix(operation.path.as_str());
    below.is_some_and(|step| step.starts_with("/{") && step.matches('/').count() == 1)
}

/// The operation that lists the records of the resource: with the most filters that the input can fill,
/// the fewest path parameters, and no lag.
pub(super) fn list<'a>(
    known: &Known<'a>,
    rules: &Rules,
    operation: &Operation,
    readback: &Operation,
) -> Option<&'a Operation> {
    let collection = readback.path.rsplit_once('/').map_or("", |(front, _)| front);
    let fits = |candidate: &&Operation| {
        let listed =
            candidate.reply.as_ref().filter(|reply| reply.list).and_then(|reply| reply.resource.as_ref());
        let same = listed.is_some() && listed == readback.resource.as_ref();
        candidate.role == Role::List
            && listed.is_some()
            && (same || candidate.path == collection)
            && path_parameters(&candidate.path).all(|name| input_named(operation, name).is_some())
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
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}

/// The name in braces, if the template ends with it.
pub(super) fn last_path_parameter(path: &str) -> Option<&str> {
    if path.ends_with('}') { path_parameters(path).last() } else { None }
}
