//! How events of one source look, and when each type is sent. It must not make events.

use provely_evaluator::contract::EventSource;
use provely_evaluator::query::Step;
use provely_model::{Lifecycle, Service};

use super::kind::{same_word, words};
use crate::instant::Notation;
use crate::place::steps_of;

/// An event source with its queries parsed.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) types: Vec<String>,
    creation_types: Vec<String>,
    pub(crate) id: Option<Vec<Step>>,
    /// Header that carries the id where the event does not.
    pub(crate) id_header: Option<String>,
    pub(crate) kind: Option<Vec<Step>>,
    /// Header that carries the type where the event does not.
    pub(crate) kind_header: Option<String>,
    pub(crate) record: Vec<Step>,
    pub(crate) record_id: Vec<Step>,
    pub(crate) key: Option<Vec<Step>>,
    pub(crate) version: Option<Vec<Step>>,
    pub(crate) mode: Option<(Vec<Step>, bool)>,
    pub(crate) time: Option<Vec<Step>>,
    pub(crate) notation: Notation,
    /// Resource of the event list.
    pub(crate) envelope: Option<String>,
}

/// When an event type is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The record came into being.
    Creation,
    /// It reached this state.
    State(String),
    /// It changed in any way.
    Change,
    /// It was taken away.
    Deletion,
    /// Nothing says when; never sent.
    Never,
}

impl Source {
    pub(super) fn all(service: &Service) -> Vec<Self> {
        let mut seen: Vec<&EventSource> = Vec::new();
        let mut sources = Vec::new();
        for plan in service.operations.iter().filter_map(|operation| operation.plan.as_ref()) {
            let envelope = plan.event_list.as_deref().and_then(|id| service.operation(id)?.resource.clone());
            for channel in &plan.channels {
                let Some(events) = channel.events.as_ref().filter(|events| !seen.contains(events)) else {
                    continue;
                };
                seen.push(events);
                let notation = channel.instant.as_ref().map(Notation::of_rule);
                let notation = notation.unwrap_or(Notation::of_kind(provely_model::FieldKind::DateTime));
                sources.extend(Self::new(events, notation, envelope.clone()));
            }
        }
        sources
    }

    fn new(events: &EventSource, notation: Notation, envelope: Option<String>) -> Option<Self> {
        Some(Self {
            types: events.types.clone(),
            creation_types: events.creation_types.clone(),
            id: steps_of(events.id.as_deref()),
            id_header: events.id_header.clone(),
            kind: steps_of(events.kind.as_deref()),
            kind_header: events.kind_header.clone(),
            record: steps_of(Some(&events.record))?,
            record_id: steps_of(Some(&events.record_id))?,
            key: steps_of(events.key.as_deref()),
            version: steps_of(events.version.as_deref()),
            mode: events.mode.as_ref().and_then(|mode| Some((steps_of(Some(&mode.path))?, mode.live))),
            time: steps_of(events.time.as_deref()),
            notation,
            envelope,
        })
    }

    /// The source that carries a type; the one that says most of creation, if several do.
    pub(super) fn of_type(sources: &[Self], kind: &str) -> Option<usize> {
        let has = |source: &&Self| source.types.iter().any(|own| own == kind);
        let creates = |source: &Self| source.creation_types.iter().any(|own| own == kind);
        sources
            .iter()
            .position(|source| has(&source) && creates(source))
            .or_else(|| sources.iter().position(|source| has(&source)))
            .or(if sources.is_empty() { None } else { Some(0) })
    }
}

impl Moment {
    /// Read from the source's creation types, else from the words of the type's name, the last first.
    pub(super) fn of(kind: &str, source: Option<&Source>, lifecycle: Option<&Lifecycle>) -> Self {
        if source.is_some_and(|source| source.creation_types.iter().any(|own| own == kind)) {
            return Self::Creation;
        }
        let words = words(kind);
        let last = words.last().map(String::as_str).unwrap_or_default();
        let states = lifecycle.map(|lifecycle| lifecycle.states.as_slice()).unwrap_or_default();
        let named = states.iter().find(|state| ends_with(&words, &state.name));
        match last {
            _ if named.is_some() => Self::State(named.map(|state| state.name.clone()).unwrap_or_default()),
            "created" | "create" | "added" => Self::Creation,
            "deleted" | "delete" | "removed" | "revoked" => Self::Deletion,
            "updated" | "update" | "changed" | "edited" => Self::Change,
            _ => Self::Never,
        }
    }
}

fn ends_with(kind: &[String], state: &str) -> bool {
    let state = words(state);
    let tail = kind.len().checked_sub(state.len()).and_then(|from| kind.get(from..)).unwrap_or_default();
    !state.is_empty() && tail.len() == state.len() && tail.iter().zip(&state).all(|(l, r)| same_word(l, r))
}

#[cfg(test)]
mod tests {
    use super::*;
    use provely_model::{Certainty, LifecycleState};

    #[test]
    fn the_name_of_a_type_says_when() {
        let state = |name: &str| LifecycleState {
            name: name.into(),
            class: provely_evaluator::contract::StateClass::Transitional,
            certainty: Certainty::Documented,
            reversible: false,
            from: None,
            assertions: Vec::new(),
        };
        let lifecycle = Lifecycle {
            field: String::new(),
            path: "@.status".into(),
            parts: None,
            states: vec![state("failed"), state("delivery_delayed"), state("canceled")],
        };
        let cases = [
            ("voucher.created", Moment::Creation),
            ("voucher.failed", Moment::State("failed".into())),
            ("parcel.delivery_delayed", Moment::State("delivery_delayed".into())),
            ("voucher.cancelled", Moment::State("canceled".into())),
            ("VOUCHERS_UPDATE", Moment::Change),
            ("voucher.deleted", Moment::Deletion),
            ("voucher.sneezed", Moment::Never),
        ];
        for (kind, moment) in cases {
            assert_eq!(Moment::of(kind, None, Some(&lifecycle)), moment, "{kind}");
        }
    }
}
