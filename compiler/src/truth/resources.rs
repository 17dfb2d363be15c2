//! Whether the labelled resources and their state fields are there. Must not look at operations.

use provely_model::{Lifecycle, Resource};

use super::compiled::Compiled;
use super::labels::Label;
use super::report::{Findings, MissKind};
use super::states;

/// Counts the resource of a label, its state field and its states.
pub(super) fn judge(label: &Label, compiled: Option<&Compiled>, findings: &mut Findings) {
    let found = compiled.and_then(|compiled| lifecycle(label, compiled));
    let named = || compiled.is_some_and(|compiled| named(&label.resource, compiled));
    let is_found = found.is_some() || named();
    findings.figures.count("resources_found", is_found);
    if !is_found {
        let wanted = label.field.clone().unwrap_or_else(|| "no state field".to_owned());
        findings.miss(MissKind::Resource, label.resource.clone(), wanted, "none".to_owned());
    }
    let Some(field) = &label.field else { return };
    findings.figures.count("state_fields_found", found.is_some());
    if found.is_none() {
        let instead = compiled.and_then(|compiled| instead(label, compiled));
        findings.miss(
            MissKind::StateField,
            label.resource.clone(),
            field.clone(),
            instead.unwrap_or_else(|| "none".to_owned()),
        );
    }
    states::judge(label, found, findings);
}

/// The lifecycle at the labelled field: that of a resource of the labelled name, else the first.
fn lifecycle<'c>(label: &Label, compiled: &'c Compiled) -> Option<&'c Lifecycle> {
    let field = label.field.as_deref()?;
    let mut first = None;
    for (resource, lifecycle) in compiled.lifecycles() {
        if compiled.same_place(&lifecycle.field, field) {
            if is_named(resource, &label.resource) {
                return Some(lifecycle);
            }
            first = first.or(Some(lifecycle));
        }
    }
    first
}

fn named(name: &str, compiled: &Compiled) -> bool {
    compiled.planned().service.resources.iter().any(|resource| is_named(resource, name))
}

/// The state fields that a resource of the labelled name has instead.
fn instead(label: &Label, compiled: &Compiled) -> Option<String> {
    let own = compiled.lifecycles().filter(|(resource, _)| is_named(resource, &label.resource));
    let fields: Vec<&str> = own.map(|(_, lifecycle)| lifecycle.field.as_str()).collect();
    (!fields.is_empty()).then(|| fields.join(", "))
}

/// True if a resource has the name, however it is spelt; what stands before a dot may be left out.
fn is_named(resource: &Resource, name: &str) -> bool {
    let last = resource.name.rsplit('.').next().unwrap_or_default();
    plain(&resource.name) == plain(name) || plain(last) == plain(name)
}

fn plain(name: &str) -> String {
    name.replace(['_', '-', '.', ' '], "").to_lowercase()
}
