//! What histories of one level can be made of: what provider, plan and lifecycle have. It reads no contract.

use provely_evaluator::contract::StateClass;
use provely_model::{EchoKind, Field, IdempotencyPlan};

use crate::book::{Asks, StateWord};
use crate::level::PromiseKind;
use crate::stage::Stage;

/// See the module.
#[derive(Debug)]
pub(super) struct Ground {
    /// The action changes a record that is there.
    pub(super) existing: bool,
    pub(super) promise: PromiseKind,
    /// Inputs that differ, the usual one first.
    pub(super) asks: Vec<Asks>,
    /// What a provider can make of a request instead.
    pub(super) alters: Vec<Asks>,
    /// Words that stand for a state here.
    pub(super) words: Vec<StateWord>,
    /// States of the lifecycle.
    pub(super) states: Vec<String>,
    /// Those of them that records leave again.
    pub(super) open_states: Vec<String>,
    /// A success may turn into a failure.
    pub(super) turns: bool,
    /// A failure may turn into a success.
    pub(super) wavers: bool,
    /// Records hold parts that carry the outcome.
    pub(super) parts: bool,
    pub(super) part_kinds: bool,
    pub(super) part_modes: bool,
    pub(super) by_hand: bool,
    pub(super) keys: bool,
    pub(super) events: bool,
    /// Events tell of changes, and a state in motion comes before the promise.
    pub(super) told_apart: bool,
    pub(super) version: bool,
    pub(super) fields: Vec<String>,
}

impl Ground {
    pub(super) fn of(stage: &Stage<'_>) -> Self {
        let plan = stage.plan;
        let existing = stage.existing.is_some();
        let echoes = |kind| plan.echoes.iter().any(|echo| echo.kind == kind);
        let mut asks = vec![Asks::Base];
        if !existing && echoes(EchoKind::Amount) {
            asks.extend([Asks::Half, Asks::Quarter, Asks::OtherAmount]);
        }
        if !existing && echoes(EchoKind::Currency) {
            asks.extend([Asks::CurrencyInCapitals, Asks::OtherCurrency]);
        }
        if existing || echoes(EchoKind::Subject) {
            asks.push(Asks::OtherSubject);
        }
        let alters = [Asks::OtherAmount, Asks::Half, Asks::OtherSubject, Asks::OtherCurrency];
        let alters = alters.into_iter().filter(|asks| !existing && stage.asking.altered(*asks).is_some());
        let words = stage.words(None);
        let all = [StateWord::Promised, StateWord::Failure, StateWord::Before, StateWord::Unlisted];
        let known = |word: &StateWord| words.and_then(|words| words.state(*word)).is_some();
        let lifecycle = stage.lifecycle.as_ref();
        let parts = lifecycle.and_then(|own| own.parts.as_ref());
        let turn = words.and_then(|words| Some((words.promised()?, words.failure()?)));
        let sources = || plan.channels.iter().filter_map(|channel| channel.events.as_ref());
        let changes = sources().any(|own| own.types.iter().any(|kind| !own.creation_types.contains(kind)));
        let moving = words.and_then(|words| words.first()).is_some_and(|first| {
            let class = lifecycle.and_then(|own| own.state(first)).map(|own| own.class);
            class == Some(StateClass::Transitional) && !stage.promise.is_kept(lifecycle, Some(first))
        });
        Self {
            existing,
            promise: stage.promise.kind(lifecycle),
            asks,
            alters: alters.collect(),
            words: all.into_iter().filter(known).collect(),
            states: lifecycle.iter().flat_map(|own| &own.states).map(|state| state.name.clone()).collect(),
            open_states: lifecycle
                .iter()
                .flat_map(|own| own.of_class(StateClass::Transitional))
                .map(|state| state.name.clone())
                .collect(),
            wavers: turn.is_some_and(|(to, from)| lifecycle.is_some_and(|own| own.allows(from, to))),
            turns: turn.is_some_and(|(from, to)| lifecycle.is_some_and(|own| own.allows(from, to))),
            parts: parts.is_some(),
            part_kinds: parts.is_some_and(|parts| parts.only.is_some()),
            part_modes: parts.is_some_and(|parts| parts.live.is_some()),
            by_hand: parts.is_some_and(|parts| parts.by_hand.is_some()),
            keys: plan.idempotency.as_ref().is_some_and(IdempotencyPlan::takes_key),
            events: sources().next().is_some(),
            told_apart: changes && moving,
            version: stage.service.version.is_some(),
            fields: stage.resource.fields.iter().map(name).collect(),
        }
    }
}

fn name(field: &Field) -> String {
    field.name.clone()
}
