//! What the agent may do next. The verifier never acts; it only says.

use alloc::vec::Vec;

use crate::contract::Truth;
use crate::time::Time;
use crate::verdict::Verdict;

use super::context::Context;
use super::outcome::{ConditionKind, ConditionOutcome};

/// A directive to the agent's host.
#[derive(Debug, Clone, PartialEq)]
pub struct Directive<'a> {
    /// What to do.
    pub action: DirectiveAction,
    /// How long to wait first, in milliseconds.
    pub delay_ms: u64,
    /// Scheduled observations that are left of the fast phase.
    pub remaining_budget: u32,
    /// The idempotency key to act with; absent where the agent must not act with this one.
    pub key: Option<&'a str>,
    /// The operation that a new one would replace.
    pub replaces: Option<&'a str>,
    /// Conditions that still lack evidence.
    pub missing: Vec<&'a str>,
}

/// The closed list of directives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DirectiveAction {
    /// Nothing is left to do.
    None,
    /// Wait; do not act again.
    Wait,
    /// Send the same body with the same key again: the reply was lost and the key is alive.
    Resubmit,
    /// Check again; do not act again.
    Recheck,
    /// Act again: with the first key where no record exists, else under a new operation.
    RetryAction,
    /// Stop and ask a person.
    Stop,
}

impl DirectiveAction {
    /// The name as printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Wait => "wait",
            Self::Resubmit => "resubmit",
            Self::Recheck => "recheck",
            Self::RetryAction => "retry_action",
            Self::Stop => "stop",
        }
    }
}

/// The directive that goes with a verdict.
pub(super) fn directive<'a>(
    context: &Context<'a>,
    verdict: Verdict,
    conditions: &[ConditionOutcome<'a>],
    next: Option<Time>,
) -> Directive<'a> {
    let action = action(context, verdict);
    let record_exists = context.own().is_some();
    let retries = action == DirectiveAction::RetryAction;
    let acts = matches!(action, DirectiveAction::Resubmit) || (retries && !record_exists);
    let delay = next.map_or(0, |next| next.since(context.now));
    Directive {
        action,
        delay_ms: u64::try_from(delay).unwrap_or(0),
        remaining_budget: context
            .program
            .contract
            .timing
            .maximum_attempts
            .saturating_sub(context.operation.attempts),
        key: acts.then_some(context.operation.id.as_str()),
        replaces: (retries && record_exists).then_some(context.operation.id.as_str()),
        missing: if verdict == Verdict::Verified { Vec::new() } else { missing(conditions) },
    }
}

fn action(context: &Context<'_>, verdict: Verdict) -> DirectiveAction {
    match verdict {
        Verdict::Verified => DirectiveAction::None,
        Verdict::Pending if may_resubmit(context) => DirectiveAction::Resubmit,
        Verdict::Pending => DirectiveAction::Wait,
        Verdict::Unverifiable => DirectiveAction::Recheck,
        Verdict::Failed => DirectiveAction::RetryAction,
        Verdict::Contradicted => DirectiveAction::Stop,
    }
}

/// A lost reply may be fetched again while the provider still keeps the key.
fn may_resubmit(context: &Context<'_>) -> bool {
    let alive = context.program.contract.action.idempotency.as_ref().is_some_and(|idempotency| {
        let life = i64::try_from(idempotency.life_ms).unwrap_or(i64::MAX);
        idempotency.retry_safe && context.now < context.operation.begin.at.plus(life)
    });
    alive
        && context.operation.is_lost()
        && context.own().is_none()
        && context.evidence.correlation.conflict.is_none()
}

/// Positives that do not hold yet, and negatives that are not known to fail.
fn missing<'a>(conditions: &[ConditionOutcome<'a>]) -> Vec<&'a str> {
    let lacks = |outcome: &&ConditionOutcome<'a>| match outcome.kind {
        ConditionKind::Positive => outcome.truth != Truth::Holds,
        ConditionKind::Negative | ConditionKind::BuiltIn => outcome.truth == Truth::Unknown,
        ConditionKind::Rule => false,
    };
    conditions.iter().filter(lacks).map(|outcome| outcome.id).collect()
}
