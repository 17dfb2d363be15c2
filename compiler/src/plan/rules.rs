//! Our own rules as data: words that point to evidence, and timing by effect. Holds them; must not hold a
//! fact about one vendor.

use std::collections::BTreeMap;

use provely_document::{Diagnostic, Format, Limits, from_node, read};
use provely_evaluator::contract::{Backoff, Timing};
use provely_model::Effect;
use serde::Deserialize;

const PLAN: &str = include_str!("../../data/plan.yaml");
const TIMING: &str = include_str!("../../data/timing.yaml");

/// The id of one of our own rules as an assertion, `provely.rules#timing/money.refund`.
#[must_use]
pub fn own_rule(place: &str) -> String {
    format!("provely.rules#{place}")
}

/// Everything that stages 3 and 4 know besides the sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Words and shapes that point to evidence.
    pub plan: PlanRules,
    /// Timing by canonical effect.
    pub timing: BTreeMap<String, TimingRule>,
}

/// Words and shapes that point to evidence.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRules {
    /// Names of amounts.
    pub amounts: Vec<String>,
    /// Names of the number in an object that is an amount of money.
    pub money_values: Vec<String>,
    /// Phrases that say that a sum counts only what has succeeded.
    pub settled: Vec<String>,
    /// Names of free texts that can carry our tag, best first.
    pub notes: Vec<String>,
    /// Names of currencies.
    pub currencies: Vec<String>,
    /// Names of fields that name who a message goes to.
    pub recipients: Vec<String>,
    /// Names of fields that name who gets a copy.
    pub copies: Vec<String>,
    /// Names of fields that name who a message comes from.
    pub senders: Vec<String>,
    /// Names of fields that tell one message to a person from another.
    pub headings: Vec<String>,
    /// Names of free maps.
    pub tags: Vec<String>,
    /// The key of our tag in such a map.
    pub tag_key: String,
    /// Words that say a field never changes.
    pub immutable: Vec<String>,
    /// Last words of a path that tells how what was asked for went.
    pub outcomes: Vec<String>,
    /// What a path may call a record by, and the fields in which the record carries it, best first.
    pub called: BTreeMap<String, Vec<String>>,
    /// Names of flags of a record that was deleted.
    pub gone: Vec<String>,
    /// Names of the time of a record's latest change.
    pub state_times: Vec<String>,
    /// How lists page.
    pub page: PageWords,
    /// Path parts of lists that lag.
    pub lagging: Vec<String>,
    /// Phrases for the order of a list.
    pub order: OrderWords,
    /// How events are made.
    pub events: EventWords,
    /// How retries are protected.
    pub retry: RetryWords,
    /// Usual delays.
    pub latency: Latency,
    /// Window of a fingerprint, in milliseconds.
    pub fingerprint_window_ms: u64,
    /// Kinds of echoed fields that an effect takes as input, by the effect's first word.
    pub inputs: BTreeMap<String, Vec<InputKind>>,
}

/// Kinds of echoed fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    /// Names the parent or recipient.
    Subject,
    /// How much.
    Amount,
    /// In what currency.
    Currency,
    /// Who it comes from.
    Sender,
    /// Anything else.
    Other,
}

/// Names of paging parameters and members.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageWords {
    /// Members that say more follows.
    pub more: Vec<String>,
    /// Parameters that take the last item's id.
    pub after_item: Vec<String>,
    /// Parameters that take a cursor of the reply.
    pub cursor: Vec<String>,
    /// Members that carry that cursor.
    pub next: Vec<String>,
    /// Parameters that take a page number.
    pub number: Vec<String>,
    /// Parameters that take an offset.
    pub offset: Vec<String>,
    /// Parameters for the size of a page.
    pub size: Vec<String>,
    /// The largest size that is believed.
    pub largest: u32,
}

/// Phrases for the order of a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderWords {
    /// Newest first.
    pub newest_first: Vec<String>,
    /// Oldest first.
    pub oldest_first: Vec<String>,
}

/// Names of the members of an event.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventWords {
    /// Resources whose records are events.
    pub resources: Vec<String>,
    /// Query parameters that keep one type.
    pub type_filter: Vec<String>,
    /// Query parameters that keep several types.
    pub types_filter: Vec<String>,
    /// The event's id.
    pub id: Vec<String>,
    /// Its type.
    pub kind: Vec<String>,
    /// Its time.
    pub time: Vec<String>,
    /// Version of its payload.
    pub version: Vec<String>,
    /// Live or test.
    pub mode: Vec<String>,
    /// The retry key of the causing request.
    pub key: Vec<String>,
    /// Last words of types that announce a new record.
    pub creation: Vec<String>,
}

/// Words about retries.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryWords {
    /// End of the header's name, lower case.
    pub header: String,
    /// Body fields that carry a retry key by their name, in words joined by `_`.
    pub fields: Vec<String>,
    /// Body fields that carry one where their description says so.
    pub told_fields: Vec<String>,
    /// Arguments of a directive that take the key.
    pub arguments: Vec<String>,
    /// What a text says of a retry key.
    pub says: Vec<String>,
    /// Phrases that promise one effect per key.
    pub safe: Vec<String>,
    /// Units of time, in milliseconds.
    pub units: BTreeMap<String, u64>,
}

/// Usual delays behind the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// Of a readback.
    pub readback_ms: u64,
    /// Of a list.
    pub list_ms: u64,
    /// Of events.
    pub events_ms: u64,
}

/// Timing of one effect, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimingRule {
    /// Before the first observation.
    pub initial_delay_ms: u64,
    /// Between the first observations.
    pub poll_interval_ms: u64,
    /// Growth of the interval.
    pub factor: u32,
    /// Upper bound of the interval.
    pub max_ms: u64,
    /// Observations of the fast phase.
    pub maximum_attempts: u32,
    /// To the deadline.
    pub timeout_ms: u64,
    /// How long a read may lag.
    pub stale_read_window_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimingFile {
    effects: BTreeMap<String, TimingRule>,
}

impl Rules {
    /// The rules that ship with the compiler.
    ///
    /// # Errors
    /// A malformed data file, with its place.
    pub fn builtin() -> Result<Self, Box<Diagnostic>> {
        Self::from_texts(PLAN, TIMING)
    }

    /// Rules from the texts of the two files.
    ///
    /// # Errors
    /// A malformed text, with its place.
    pub fn from_texts(plan: &str, timing: &str) -> Result<Self, Box<Diagnostic>> {
        let plan = read("plan.yaml", plan, Format::Auto, &Limits::default())?;
        let timing = read("timing.yaml", timing, Format::Auto, &Limits::default())?;
        let file: TimingFile = from_node(timing.root())?;
        Ok(Self { plan: from_node(plan.root())?, timing: file.effects })
    }

    /// The timing of an effect, and the assertion that states it.
    #[must_use]
    pub fn timing_of(&self, effect: Effect) -> Option<(Timing, String)> {
        let rule = self.timing.get(effect.name())?;
        let timing = Timing {
            initial_delay_ms: rule.initial_delay_ms,
            poll_interval_ms: rule.poll_interval_ms,
            backoff: Backoff { factor: rule.factor, max_ms: rule.max_ms },
            maximum_attempts: rule.maximum_attempts,
            timeout_ms: rule.timeout_ms,
            stale_read_window_ms: rule.stale_read_window_ms,
        };
        Some((timing, own_rule(&format!("timing/{}", effect.name()))))
    }

    /// The kinds of echoed fields that an effect takes as input; empty: all.
    #[must_use]
    pub fn inputs_of(&self, effect: Effect) -> &[InputKind] {
        let family = effect.name().split('.').next().unwrap_or_default();
        self.plan.inputs.get(family).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_acting_effect_has_a_timing() {
        let rules = Rules::builtin().unwrap();
        for effect in Effect::all().filter(|effect| effect.acts()) {
            let (timing, assertion) = rules.timing_of(effect).unwrap();
            assert!(timing.timeout_ms > timing.stale_read_window_ms, "{}", effect.name());
            assert_eq!(assertion, format!("provely.rules#timing/{}", effect.name()));
        }
        assert!(rules.timing_of(Effect::Read).is_none());
        assert!(rules.timing.keys().all(|name| Effect::from_name(name).is_some()));
    }

    #[test]
    fn an_unknown_member_is_refused() {
        assert!(Rules::from_texts("amounts: []\nsurprise: 1\n", TIMING).is_err());
        assert!(Rules::from_texts(PLAN, "effects: {}\nmore: 1\n").is_err());
    }
}
