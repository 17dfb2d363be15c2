//! What a simulated world is told at its start. Data only.

use std::collections::BTreeMap;

use provely_evaluator::json::Value;
use provely_evaluator::time::Time;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// Everything that decides a world besides the requests it gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Ids, latencies and chances follow from it.
    pub seed: u64,
    /// The provider's clock at the start; fault times count from here.
    pub start: Time,
    /// The provider account, for the ground truth.
    pub account: String,
    /// A live account; events say so.
    pub live: bool,
    /// The version of events and replies; absent: the service's default.
    pub version: Option<String>,
    /// The provider's clock runs ahead of the caller's by this, in milliseconds.
    pub skew_ms: i64,
    /// Instants are written no finer than this, in milliseconds.
    pub granularity_ms: u64,
    /// How records move by themselves.
    pub settle: Settle,
    /// From a change to the delivery of its event: least and most, in milliseconds.
    pub webhook_latency_ms: (u64, u64),
    /// Webhook signing secret, as the service's scheme writes it.
    pub secret: String,
    /// Page size where the request names none.
    pub page_size: u32,
    /// Refuse parameters that the operation does not have.
    pub refuse_unknown: bool,
    /// `resource` to the text in front of its ids; others are made from the resource's name.
    pub id_prefixes: BTreeMap<String, String>,
    /// `resource.field` to the value of a field that no request gives.
    pub fields: BTreeMap<String, Value>,
    /// How errors are written.
    pub error: ErrorShape,
    /// Ways in which honest providers differ.
    pub quirks: Quirks,
    /// What goes wrong.
    pub faults: Vec<Fault>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            start: Time::default(),
            account: String::from("acct_1"),
            live: true,
            version: None,
            skew_ms: 0,
            granularity_ms: 1,
            settle: Settle::default(),
            webhook_latency_ms: (200, 1500),
            secret: String::from("simulated-secret"),
            page_size: 10,
            refuse_unknown: true,
            id_prefixes: BTreeMap::new(),
            fields: BTreeMap::new(),
            error: ErrorShape::default(),
            quirks: Quirks::default(),
            faults: Vec::new(),
        }
    }
}

/// How records move where no script says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Settle {
    /// From the first transitional state to the first success, after a time between the two, in milliseconds.
    Succeed(u64, u64),
    /// The same, to a state of this name.
    Reach(String, u64, u64),
    /// Records keep their first state until they are moved.
    Stay,
    /// Records are born in the first success state.
    AtOnce,
}

impl Default for Settle {
    fn default() -> Self {
        Self::Succeed(2_000, 10_000)
    }
}

/// What one record to come will go through.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// The state it is born in; absent: the first transitional one.
    pub initial: Option<String>,
    /// Milliseconds after its creation, and the state it then moves to.
    pub moves: Vec<(u64, String)>,
    /// Moves that the lifecycle does not allow are made too.
    pub forced: bool,
    /// What its parts go through, where parts carry its outcome; absent: one part, which does what is said above.
    pub parts: Option<Vec<PartScript>>,
}

/// What one part of a record to come will go through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PartScript {
    /// Its share of the amount, in thousandths.
    pub share: u32,
    /// It is of another kind than those that count.
    pub other_kind: bool,
    /// It is of the other mode.
    pub test: bool,
    /// Its effect is made by hand, outside the provider.
    pub by_hand: bool,
    /// The state it is born in; absent: the first transitional one.
    pub initial: Option<String>,
    /// Milliseconds after its creation, and the state it then moves to.
    pub moves: Vec<(u64, String)>,
}

impl Default for PartScript {
    fn default() -> Self {
        Self { share: 1000, other_kind: false, test: false, by_hand: false, initial: None, moves: Vec::new() }
    }
}

/// Where an error reply carries what, as queries rooted at `$`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ErrorShape {
    /// The code.
    pub code: String,
    /// The message.
    pub message: String,
    /// The parameter at fault.
    pub parameter: Option<String>,
}

impl Default for ErrorShape {
    fn default() -> Self {
        Self {
            code: String::from("$.error.code"),
            message: String::from("$.error.message"),
            parameter: Some(String::from("$.error.param")),
        }
    }
}

/// Ways in which honest providers differ from the usual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quirks {
    /// The id of a deleted record is given to the next one of its kind.
    pub reuse_ids: bool,
    /// A PUT to an id that is not there makes the record under it.
    pub put_creates: bool,
    /// A second DELETE answers like the first instead of 404.
    pub delete_repeats: bool,
    /// A deletion answers 204 without a body instead of the record.
    pub delete_is_silent: bool,
}
