//! Which open questions bind which contracts, for the summary. It must not score anything: caps come from the
//! certified scores alone.

use provely_compiler::synthesise::Synthesis;
use provely_compiler::uncertainty::{Uncertainty, UncertaintyKind};

/// True if the contract rests on what the question is about, by the rule by which scores are capped.
#[must_use]
pub fn binding(open: &Uncertainty, synthesis: &Synthesis) -> bool {
    match open.kind {
        UncertaintyKind::StateClass | UncertaintyKind::StateConflict | UncertaintyKind::StateField => {
            let rest = open.subject.strip_prefix(synthesis.resource.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
        }
        UncertaintyKind::Effect | UncertaintyKind::Evidence | UncertaintyKind::Retry => {
            open.subject == synthesis.operation
        }
        UncertaintyKind::Input => rests_on(open, synthesis),
    }
}

/// True if the contract cites what the question saw; the compiler's own rules are no such source.
fn rests_on(open: &Uncertainty, synthesis: &Synthesis) -> bool {
    let cited = synthesis.contract.provenance.values().flatten();
    let mut cited = cited.filter(|assertion| !assertion.starts_with("provely.rules#"));
    cited.any(|assertion| open.assertions.iter().any(|seen| assertion.starts_with(seen.as_str())))
}
