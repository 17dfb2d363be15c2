//! Takes one description through the stages up to contracts and counts what came of it. Must not read a file
//! or a clock, and judges nothing.

use provely_document::Diagnostic;
use serde::Serialize;

use crate::classify::classify;
use crate::ingest::ingest;
use crate::plan::{Gathered, Rules, plan};
use crate::source::{Names, Sources};
use crate::synthesise::synthesise;

/// What was found in one description, or in several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Operations.
    pub operations: usize,
    /// Operations that act.
    pub acting: usize,
    /// Acting operations whose outcome can be read.
    pub readbacks: usize,
    /// Named schemas.
    pub schemas: usize,
    /// Types of events.
    pub events: usize,
    /// Resources with a lifecycle.
    pub lifecycles: usize,
    /// Contracts.
    pub contracts: usize,
    /// Open questions.
    pub uncertainties: usize,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.operations += more.operations;
        self.acting += more.acting;
        self.readbacks += more.readbacks;
        self.schemas += more.schemas;
        self.events += more.events;
        self.lifecycles += more.lifecycles;
        self.contracts += more.contracts;
        self.uncertainties += more.uncertainties;
    }
}

/// Compiles up to contracts and counts.
///
/// # Errors
/// What the ingest stage refuses.
pub fn count(sources: &Sources, rules: &Rules) -> Result<Counts, Vec<Diagnostic>> {
    let found = ingest(sources)?;
    let classified = classify(&found);
    let gathered = Gathered::of(&found, &classified);
    let planned = plan(&gathered.known(&classified.service), rules);
    let written = synthesise(&planned, &Names::default(), rules);
    let acting = planned.service.operations.iter().filter(|operation| operation.effect.acts());
    let open = [&classified.uncertainties, &planned.uncertainties, &written.uncertainties];
    let resources = planned.service.resources.iter();
    Ok(Counts {
        operations: found.operations.len(),
        acting: acting.clone().count(),
        readbacks: acting.filter(|operation| operation.plan.is_some()).count(),
        schemas: found.schemas.len(),
        events: found.event_types.len(),
        lifecycles: resources.filter(|resource| resource.lifecycle.is_some()).count(),
        contracts: written.contracts.len(),
        uncertainties: open.into_iter().map(Vec::len).sum(),
    })
}
