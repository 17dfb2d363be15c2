//! How much of a service is simulated: counts of what answers, moves and is sent. Counts; must not judge.

use provely_evaluator::contract::StateClass;
use provely_model::{Role, Service};
use provely_simulator::FaultKind;
use serde::Serialize;

/// What of a service is simulated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fidelity {
    /// The service.
    pub service: String,
    /// Operations of the model.
    pub operations: usize,
    /// Operations that work on records of a resource; the others answer without doing anything.
    pub on_records: usize,
    /// Operations that act.
    pub acting: usize,
    /// Acting operations whose retry key is kept.
    pub with_retry_key: usize,
    /// Lists that are cut into pages.
    pub lists: usize,
    /// Resources.
    pub resources: usize,
    /// Resources with states.
    pub with_states: usize,
    /// States.
    pub states: usize,
    /// States that end a record.
    pub ended: usize,
    /// Event types that are sent.
    pub events: usize,
    /// Deliveries are signed by the service's scheme.
    pub signed: bool,
    /// Kinds of faults that can be set.
    pub faults: usize,
}

/// Counts what of a service is simulated.
#[must_use]
pub fn fidelity(service: &Service) -> Fidelity {
    let operations = service.operations.iter();
    let of = |role: Role| operations.clone().filter(|operation| operation.role == role).count();
    let plans = operations.clone().filter_map(|operation| operation.plan.as_ref());
    let mut events: Vec<&str> = plans
        .clone()
        .flat_map(|plan| &plan.channels)
        .filter_map(|channel| channel.events.as_ref())
        .flat_map(|events| events.types.iter().map(String::as_str))
        .collect();
    events.sort_unstable();
    events.dedup();
    let lifecycles: Vec<_> = service.resources.iter().filter_map(|own| own.lifecycle.as_ref()).collect();
    let states = lifecycles.iter().flat_map(|lifecycle| &lifecycle.states);
    let moves = |class: StateClass| matches!(class, StateClass::Transitional | StateClass::Unknown);
    Fidelity {
        service: service.id.clone(),
        operations: service.operations.len(),
        on_records: operations.clone().filter(|operation| operation.resource.is_some()).count(),
        acting: operations.clone().filter(|operation| operation.effect.acts()).count(),
        with_retry_key: plans.filter(|plan| plan.idempotency.is_some()).count(),
        lists: of(Role::List),
        resources: service.resources.len(),
        with_states: lifecycles.len(),
        states: states.clone().count(),
        ended: states.filter(|state| !moves(state.class)).count(),
        events: events.len(),
        signed: service.signature.is_some(),
        faults: FaultKind::NAMES.len(),
    }
}
