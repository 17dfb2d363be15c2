//! How often what the stages say is true: their output beside labels made by hand. Compares values; must not compile
//! differently from the stages, and reads no file.

mod compiled;
mod figures;
mod floors;
mod labels;
mod operations;
mod report;
mod resources;
mod states;
#[cfg(test)]
mod tests;

pub use compiled::Compiled;
pub use figures::{CLASSES, Figures, Measured, Share, class_name, figure_of, figures};
pub use floors::{Below, Floor, Floors, read_floors};
pub use labels::{Label, OperationLabel, StateLabel, read_labels, specs};
pub use report::{Confused, FalseSuccess, Findings, Miss, MissKind, Refused, Sure, Truth};

/// Compares one description, as it was compiled or with the reason why it was not, with the labels about it. What a
/// description that was not compiled lacks counts as missed.
#[must_use]
pub fn judge(spec: &str, labels: &[Label], compiled: Result<&Compiled, &str>) -> Findings {
    let mut findings = Findings::of_spec(spec);
    findings.read(compiled.err());
    let compiled = compiled.ok();
    for label in labels {
        if label.spec == spec {
            resources::judge(label, compiled, &mut findings);
        }
        for operation in label.operations.iter().filter(|operation| label.spec_of(operation) == spec) {
            operations::judge(operation, compiled, &mut findings);
        }
    }
    findings
}
