//! A description compiled as far as labels can be compared with it. Runs the stages; must not add to them.

use provely_document::Diagnostic;
use provely_model::{Lifecycle, Resource};

use crate::classify::classify;
use crate::ingest::{Ingested, ingest};
use crate::plan::{Gathered, Planned, Rules, plan};
use crate::source::Sources;

/// What the first three stages made of a description.
#[derive(Debug)]
pub struct Compiled {
    found: Ingested,
    planned: Planned,
}

impl Compiled {
    /// Runs the first three stages.
    ///
    /// # Errors
    /// The findings of the first stage.
    pub fn of(sources: &Sources) -> Result<Self, Vec<Diagnostic>> {
        let rules = Rules::builtin().map_err(|finding| vec![*finding])?;
        let found = ingest(sources)?;
        let classified = classify(&found);
        let gathered = Gathered::of(&found, &classified);
        let planned = plan(&gathered.known(&classified.service), &rules);
        Ok(Self { found, planned })
    }

    /// What was planned.
    #[must_use]
    pub fn planned(&self) -> &Planned {
        &self.planned
    }

    /// Every field that carries states, with its resource.
    pub(super) fn lifecycles(&self) -> impl Iterator<Item = (&Resource, &Lifecycle)> {
        let resources = self.planned.service.resources.iter();
        resources.flat_map(|resource| {
            let own = resource.lifecycle.iter().chain(&resource.axes);
            own.map(move |lifecycle| (resource, lifecycle))
        })
    }

    /// True if two references name the same place, references at it followed.
    pub(super) fn same_place(&self, one: &str, other: &str) -> bool {
        let ends = || Some((self.end(one)?, self.end(other)?));
        one == other || ends().is_some_and(|(one, other)| one == other)
    }

    fn end(&self, field: &str) -> Option<(usize, String)> {
        let place = self.found.forest.follow(0, field)?;
        let end = self.found.forest.resolve(place);
        Some((end.tree, end.pointer))
    }
}
