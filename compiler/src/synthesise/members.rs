//! The names that a contract's input has for the parameters of an operation, where they differ. Renames; must not
//! choose what the input takes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use provely_model::{Operation, Place, Plan};

use crate::plan::Target;

/// An operation, its plan and its target under the names of the contract's input.
pub(super) fn named<'p>(
    operation: &'p Operation,
    plan: &'p Plan,
    target: Target,
) -> (Cow<'p, Operation>, Cow<'p, Plan>, Target) {
    if operation.graphql.is_none() {
        return (Cow::Borrowed(operation), Cow::Borrowed(plan), target);
    }
    let mut renamed = operation.clone();
    let own = target.parameter();
    let echoed = |name: &str| plan.echoes.iter().any(|echo| echo.input == name);
    let channels = plan.channels.iter().filter_map(|channel| channel.request.as_ref());
    let asked: BTreeSet<&str> = channels
        .flat_map(|request| request.variables.values())
        .filter_map(|variable| variable.strip_prefix("$input."))
        .collect();
    for parameter in &mut renamed.parameters {
        let member = operation.member(&parameter.name);
        // What a request names is asked for, as what a path names is.
        if Some(parameter.name.as_str()) == own
            || (asked.contains(member.as_str()) && !echoed(&parameter.name))
        {
            parameter.place = Place::Path;
        }
        parameter.name = member;
    }
    let mut plan = plan.clone();
    for echo in &mut plan.echoes {
        echo.input = operation.member(&echo.input);
    }
    let target = target.renamed(|parameter| operation.member(parameter));
    (Cow::Owned(renamed), Cow::Owned(plan), target)
}
