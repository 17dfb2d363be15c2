//! The evaluator's directive, owned, with the key that this operation's ask really uses.

use provely_evaluator::evaluate::{Directive, DirectiveAction};

/// What the agent may do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// What to do.
    pub action: DirectiveAction,
    /// How long to wait first, in milliseconds.
    pub delay_ms: u64,
    /// Scheduled observations that are left of the fast phase.
    pub remaining_budget: u32,
    /// The idempotency key to act with; absent where the agent must not act with this one.
    pub key: Option<String>,
    /// The operation that a new one would replace.
    pub replaces: Option<String>,
    /// Conditions that still lack evidence.
    pub missing: Vec<String>,
}

impl Advice {
    /// The directive, with the key of the first operation of the ask.
    #[must_use]
    pub fn new(directive: &Directive<'_>, owner: &str) -> Self {
        Self {
            action: directive.action,
            delay_ms: directive.delay_ms,
            remaining_budget: directive.remaining_budget,
            key: directive.key.map(|_| owner.to_owned()),
            replaces: directive.replaces.map(str::to_owned),
            missing: directive.missing.iter().map(|id| (*id).to_owned()).collect(),
        }
    }
}
