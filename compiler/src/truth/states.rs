//! Whether the states of a lifecycle mean what the labels say. Must not look for the lifecycle.

use provely_evaluator::contract::StateClass;
use provely_model::{Lifecycle, LifecycleState};

use super::figures::{class_name, figure_of};
use super::labels::{Label, StateLabel};
use super::report::{Findings, MissKind, Sure};

/// Counts every labelled state; none is found where there is no lifecycle.
pub(super) fn judge(label: &Label, lifecycle: Option<&Lifecycle>, findings: &mut Findings) {
    for (name, state) in &label.states {
        let found = lifecycle.and_then(|lifecycle| lifecycle.state(name));
        recalled(state, found, findings);
        if let Some(found) = found {
            precise(&label.resource, state, found, findings);
        }
        missed(&label.resource, name, state, found, findings);
    }
    let states = lifecycle.into_iter().flat_map(|lifecycle| &lifecycle.states);
    let certain = states.filter(|state| state.certainty.is_certain());
    for state in certain.filter(|state| !label.states.contains_key(&state.name)) {
        let subject = format!("{} of {}", state.name, label.resource);
        findings.miss(MissKind::Unlabelled, subject, "none".to_owned(), said(Some(state)));
    }
}

/// Counts what was found of what there is. A state that nothing is said about is right where it is labelled unknown.
fn recalled(label: &StateLabel, found: Option<&LifecycleState>, findings: &mut Findings) {
    let sure = found.map(|found| Sure::from(found.certainty));
    let same = found.is_some_and(|found| found.class == label.class);
    let certain = same && sure == Some(Sure::Certain);
    let either = same && (sure != Some(Sure::Open) || label.class == StateClass::Unknown);
    let figures = &mut findings.figures;
    figures.count("recall", either);
    figures.count(&figure_of("recall", label.class), either);
    figures.count(&figure_of("certain_recall", label.class), certain);
    if label.class != StateClass::Unknown {
        figures.count("settled_recall", either);
    }
    if label.documented {
        figures.count("documented_certain", certain);
        if label.class == StateClass::TerminalSuccess {
            figures.count("documented_successes_certain", certain);
        }
    }
}

/// Counts what is right of what was found.
fn precise(resource: &str, label: &StateLabel, found: &LifecycleState, findings: &mut Findings) {
    let sure = Sure::from(found.certainty);
    findings.confuse(sure, label.class, found.class);
    let name = match sure {
        Sure::Certain => "certain_precision",
        Sure::Lexical => "lexical_precision",
        Sure::Open => return,
    };
    let right = found.class == label.class;
    findings.figures.count(name, right);
    findings.figures.count(&figure_of(name, found.class), right);
    if !right && found.class == StateClass::TerminalSuccess {
        findings.false_success(sure, resource, &found.name, label.class);
    }
}

/// Names a state whose class is another one, or not certain although a passage says it.
fn missed(
    resource: &str,
    name: &str,
    label: &StateLabel,
    found: Option<&LifecycleState>,
    findings: &mut Findings,
) {
    let right = found.is_some_and(|found| {
        let needs = label.documented && label.class != StateClass::Unknown;
        found.class == label.class && (found.certainty.is_certain() || !needs)
    });
    if !right {
        let documented = if label.documented { "documented" } else { "not documented" };
        let wanted = format!("{}, {documented}", class_name(label.class));
        findings.miss(MissKind::StateClass, format!("{name} of {resource}"), wanted, said(found));
    }
}

fn said(found: Option<&LifecycleState>) -> String {
    let Some(found) = found else { return "none".to_owned() };
    let sure = match Sure::from(found.certainty) {
        Sure::Certain => "certain",
        Sure::Lexical => "lexical",
        Sure::Open => "open",
    };
    format!("{}, {sure}", class_name(found.class))
}
