//! One level of one operation, made ready for any number of plays: model, requests, contract, worlds. Nothing happens
//! here.

use std::sync::Arc;

use provely_evaluator::json::Value;
use provely_evaluator::load::Program;
use provely_evaluator::query::Step;
use provely_model::{Lifecycle, Operation, Plan, Resource, Service};
use provely_runtime::{Loaded, Skill};
use provely_simulator::Blueprint;

use crate::asks::{Asking, Parent};
use crate::level::{Promise, stated};
use crate::life::Words;
use crate::play::Stuck;

/// See the module.
#[derive(Debug)]
pub(crate) struct Stage<'s> {
    pub(crate) service: &'s Service,
    pub(crate) blueprint: Arc<Blueprint>,
    pub(crate) operation: &'s Operation,
    pub(crate) plan: &'s Plan,
    pub(crate) resource: &'s Resource,
    pub(crate) lifecycle: Option<Lifecycle>,
    pub(crate) asking: Asking<'s>,
    /// What the record shows once everything that was asked for is done.
    pub(crate) asked: Vec<(Vec<Step>, Value)>,
    /// Records that have to be there before anybody acts.
    pub(crate) parents: Vec<Parent>,
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) promise: &'s Promise,
    /// The parameter that names the record, where it is there already.
    pub(crate) existing: Option<&'s str>,
    /// A second effect counts once it is older than this.
    pub(crate) stale_window_ms: i64,
}

/// What is put on the stage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup<'s> {
    pub(crate) operation: &'s str,
    pub(crate) promise: &'s Promise,
    pub(crate) existing: Option<&'s str>,
    pub(crate) stale_window_ms: i64,
}

impl<'s> Stage<'s> {
    pub(crate) fn new(
        program: &Program,
        (service, blueprint): (&'s Service, &Arc<Blueprint>),
        subject: Setup<'s>,
    ) -> Result<Self, Stuck> {
        let stuck = |what: &str| Stuck(format!("`{}` {what}", subject.operation));
        let operation = service.operation(subject.operation).ok_or_else(|| stuck("is no operation"))?;
        let plan = operation.plan.as_ref().ok_or_else(|| stuck("has no plan"))?;
        let resource = operation.resource.as_deref().and_then(|name| service.resource(name));
        let resource = resource.ok_or_else(|| stuck("names no resource"))?;
        let asking = Asking::new(service, operation, plan, subject.existing);
        let loaded = Loaded::new(program.clone(), Skill::new(&service.id, "0.0.0"));
        Ok(Self {
            service,
            blueprint: Arc::clone(blueprint),
            operation,
            plan,
            resource,
            lifecycle: stated(resource),
            asked: asking.asked(),
            parents: asking.parents(),
            asking,
            loaded: Arc::new(loaded.map_err(|error| Stuck(error.to_string()))?),
            promise: subject.promise,
            existing: subject.existing,
            stale_window_ms: subject.stale_window_ms,
        })
    }

    /// True if the event of a record's creation shows the key, or the tag where one goes along, that made it.
    pub(crate) fn shows_marks(&self, tagged: bool) -> bool {
        let sources = || self.plan.channels.iter().filter_map(|channel| channel.events.as_ref());
        let mut created = sources().filter(|source| !source.creation_types.is_empty()).peekable();
        let tags = tagged && self.plan.tag.is_some() && created.peek().is_some();
        tags || (self.plan.idempotency.as_ref().is_some_and(|own| own.echoed)
            && created.any(|source| source.key.is_some()))
    }

    /// The lifecycle with what the words of a script mean.
    pub(crate) fn words<'w>(&'w self, this: Option<&'w str>) -> Option<Words<'w>> {
        let lifecycle = self.lifecycle.as_ref()?;
        Some(Words { lifecycle, promise: self.promise, this })
    }
}
