//! Whether operations do what the labels say and are read back as they say. Must not look at states.

use provely_model::{Operation, Plan};

use super::compiled::Compiled;
use super::labels::OperationLabel;
use super::report::{Findings, MissKind};

/// Counts an operation, its effect and how its outcome is read.
pub(super) fn judge(label: &OperationLabel, compiled: Option<&Compiled>, findings: &mut Findings) {
    let found = compiled.and_then(|compiled| compiled.planned().service.operation(&label.op));
    findings.figures.count("operations_found", found.is_some());
    if found.is_none() {
        findings.miss(MissKind::Operation, label.op.clone(), label.effect.name().to_owned(), none());
    }
    effect(label, found, findings);
    if label.effect.acts() {
        let plan = found.map(|operation| operation.plan.as_ref());
        readback(label, plan, findings);
        result_id(label, plan, findings);
    }
}

fn effect(label: &OperationLabel, found: Option<&Operation>, findings: &mut Findings) {
    let acts = found.map(|operation| operation.effect.acts());
    let name = if label.effect.acts() { "acting_recalled" } else { "reads_kept" };
    findings.figures.count(name, acts == Some(label.effect.acts()));
    let right = found.is_some_and(|operation| {
        operation.effect == label.effect || label.accept.contains(&operation.effect)
    });
    findings.figures.count("effects_named", right);
    if let (false, Some(operation)) = (right, found) {
        let accepted = label.accept.iter().map(|effect| effect.name());
        let wanted: Vec<&str> = std::iter::once(label.effect.name()).chain(accepted).collect();
        let found = operation.effect.name().to_owned();
        findings.miss(MissKind::Effect, label.op.clone(), wanted.join(" or "), found);
    }
}

/// Reading nothing is right where nothing can be read; an operation that is not there reads nothing right.
fn readback(label: &OperationLabel, plan: Option<Option<&Plan>>, findings: &mut Findings) {
    let ours = plan.flatten().and_then(|plan| plan.readback.as_ref().or(plan.list.as_ref()));
    let right = plan.is_some() && ours == label.readback.as_ref();
    findings.figures.count("readbacks", right);
    if ours.is_some() {
        findings.figures.count("planned_readbacks", right);
    }
    if !right && plan.is_some() {
        let wanted = label.readback.clone().unwrap_or_else(none);
        findings.miss(MissKind::Readback, label.op.clone(), wanted, ours.cloned().unwrap_or_else(none));
    }
}

fn result_id(label: &OperationLabel, plan: Option<Option<&Plan>>, findings: &mut Findings) {
    let ours = plan.flatten().and_then(|plan| plan.result_id.as_deref());
    let ours = ours.map(|path| in_reply(path, label.op.starts_with("mutation ")));
    let right = plan.is_some() && ours == label.result_id;
    findings.figures.count("result_ids", right);
    if !right && plan.is_some() {
        let wanted = label.result_id.clone().unwrap_or_else(none);
        findings.miss(MissKind::ResultId, label.op.clone(), wanted, ours.unwrap_or_else(none));
    }
}

/// The path from the reply, or from `data` of a GraphQL reply, as labels have it.
fn in_reply(path: &str, data: bool) -> String {
    path.replacen(if data { "$action.result.data" } else { "$action.result" }, "$", 1)
}

fn none() -> String {
    "none".to_owned()
}
