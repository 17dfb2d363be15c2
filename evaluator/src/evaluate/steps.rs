//! The frozen order of an evaluation.

use alloc::vec::Vec;

use crate::compare::Operand;
use crate::contract::{Causality, Independence, NegativeClass, Truth};
use crate::evidence::Conflict;
use crate::load::Negative;
use crate::schedule;
use crate::verdict::Verdict;

use super::conditions;
use super::context::Context;
use super::directive::directive;
use super::outcome::{ConditionKind, ConditionOutcome, Evaluation, Levels};

/// The verdict of one step, before it is dressed as an evaluation.
struct Decision<'a> {
    verdict: Verdict,
    terminal: bool,
    escalated: bool,
    expired: bool,
    reason_code: &'a str,
    reason: &'a str,
    levels: Levels,
}

impl<'a> Decision<'a> {
    fn ends(verdict: Verdict, reason_code: &'a str, reason: &'a str) -> Self {
        Self {
            verdict,
            terminal: true,
            escalated: false,
            expired: false,
            reason_code,
            reason,
            levels: Levels::default(),
        }
    }

    fn goes_on(verdict: Verdict, reason_code: &'a str, reason: &'a str) -> Self {
        Self { terminal: false, ..Self::ends(verdict, reason_code, reason) }
    }
}

/// Every condition's result, in three blocks.
struct Results<'a> {
    outcomes: Vec<ConditionOutcome<'a>>,
    built_in: usize,
    negatives: usize,
}

impl<'a> Results<'a> {
    fn built_in(&self) -> &[ConditionOutcome<'a>] {
        self.outcomes.get(..self.built_in).unwrap_or_default()
    }

    fn negatives(&self) -> &[ConditionOutcome<'a>] {
        self.outcomes.get(self.built_in..self.negatives).unwrap_or_default()
    }
}

/// Runs the steps in order; the first that decides, decides.
pub(super) fn decide<'a>(context: &Context<'a>) -> Evaluation<'a> {
    if !version_covered(context) {
        let decision = Decision::ends(
            Verdict::Unverifiable,
            "version_unsupported",
            "The contract is not proven for the version that the verifier reads with.",
        );
        return dress(context, decision, Vec::new());
    }
    let mut results = negatives(context);
    let contradicted = contradiction(context, &results);
    let ruled = match contradicted {
        Some(decision) => Some(decision),
        None => rejection(context).or_else(|| rules(context, &mut results)),
    };
    let positives = positives(context, &mut results);
    let decision = ruled
        .or_else(|| verified(context, &results, positives))
        .or_else(|| timeout(context))
        .unwrap_or_else(|| {
            Decision::goes_on(Verdict::Pending, "awaiting_evidence", "The evidence is not sufficient yet.")
        });
    dress(context, decision, results.outcomes)
}

fn dress<'a>(
    context: &Context<'a>,
    decision: Decision<'a>,
    conditions: Vec<ConditionOutcome<'a>>,
) -> Evaluation<'a> {
    let next = (!decision.terminal).then(|| schedule::next_observation(&schedule_input(context)));
    Evaluation {
        verdict: decision.verdict,
        terminal: decision.terminal,
        escalated: decision.escalated,
        expired: decision.expired,
        reason_code: decision.reason_code,
        reason: decision.reason,
        levels: decision.levels,
        causality: context.own().map(|own| own.by),
        directive: directive(context, decision.verdict, &conditions, next),
        next_observation_at: next,
        conditions,
    }
}

fn schedule_input<'a>(context: &Context<'a>) -> schedule::Moment<'a> {
    let own = context.own();
    let window = |start| context.window_end(start);
    schedule::Moment {
        timing: &context.program.contract.timing,
        begun_at: context.operation.begun_at,
        attempts: context.operation.attempts,
        now: context.now,
        deadline: context.deadline,
        window_ends: [
            own.and_then(|own| own.first_seen).map(window),
            own.map(|own| window(own.since)),
            context.operation.last_sign().map(window),
            context.folded.settles_at,
        ],
    }
}

/// Step 1.
fn version_covered(context: &Context<'_>) -> bool {
    let version = context.operation.api_version.as_deref();
    version.is_some_and(|version| context.program.covers(version))
}

fn built_in<'a>(context: &Context<'a>) -> [ConditionOutcome<'a>; 3] {
    let conflict = context.evidence.correlation.conflict;
    let foreign = match conflict {
        Some(Conflict::RecordOfAnotherOperation) if context.at_deadline() => Truth::Holds,
        Some(Conflict::RecordOfAnotherOperation) => Truth::Unknown,
        Some(Conflict::ClaimConflict | Conflict::SeveralClaims) | None => Truth::Fails,
    };
    let claimed_first = match conflict {
        Some(Conflict::ClaimConflict) => Truth::Unknown,
        Some(Conflict::RecordOfAnotherOperation | Conflict::SeveralClaims) | None => Truth::Fails,
    };
    let before = context.creates() && context.own().is_some_and(|own| context.was_there_before(&own.id));
    let older = claim_window(context, Truth::known(before));
    let seen = context.own().map_or(Operand::Missing, |own| Operand::Text(&own.id));
    let outcome = |id, truth| ConditionOutcome { id, kind: ConditionKind::BuiltIn, truth, seen };
    [
        outcome("record_of_another_operation", foreign),
        outcome("claim_conflict", claimed_first),
        outcome("pre_existing_state", older),
    ]
}

/// The own record is named by a claim alone, and the stale window after that claim has not passed.
fn is_fresh_claim(context: &Context<'_>) -> bool {
    context
        .own()
        .is_some_and(|own| matches!(own.by, Causality::Claim) && context.now < context.window_end(own.since))
}

/// A negative on an id that only a claim names is unknown until the stale window after that claim.
fn claim_window(context: &Context<'_>, truth: Truth) -> Truth {
    if is_fresh_claim(context) { truth.min(Truth::Unknown) } else { truth }
}

fn negatives<'a>(context: &Context<'a>) -> Results<'a> {
    let program = context.program;
    let mut outcomes =
        Vec::with_capacity(3 + program.negatives.len() + program.positives.len() + program.rules.len());
    outcomes.extend(built_in(context));
    let built_in = outcomes.len();
    for (negative, condition) in program.negatives.iter().zip(&program.contract.negative_conditions.any_of) {
        if !conditions::applies(context, &negative.gate) {
            continue;
        }
        let answer = conditions::test(context, &negative.test);
        let settled = context.creates() || !negative.reads_record || context.after_last_sign(context.now);
        let truth = if settled { answer.truth } else { answer.truth.min(Truth::Unknown) };
        outcomes.push(ConditionOutcome {
            id: &condition.id,
            kind: ConditionKind::Negative,
            truth: claim_window(context, truth),
            seen: answer.seen,
        });
    }
    let negatives = outcomes.len();
    Results { outcomes, built_in, negatives }
}

/// The compiled negatives that apply, beside their outcomes.
fn applying<'r, 'a>(
    context: &Context<'a>,
    results: &'r Results<'a>,
) -> impl Iterator<Item = (&'a Negative, &'r ConditionOutcome<'a>)> {
    let program = context.program;
    let with_ids = program.negatives.iter().zip(&program.contract.negative_conditions.any_of);
    let mut outcomes = results.negatives().iter().peekable();
    with_ids.filter_map(move |(negative, condition)| {
        // An outcome borrows the id of its own condition, so the place tells as much as the text.
        let outcome = outcomes.next_if(|outcome| core::ptr::eq(outcome.id, condition.id.as_str()))?;
        Some((negative, outcome))
    })
}

/// Step 2: the first negative that holds.
fn contradiction<'a>(context: &Context<'a>, results: &Results<'a>) -> Option<Decision<'a>> {
    let built_in = results.built_in().iter().find(|outcome| outcome.truth == Truth::Holds);
    if let Some(outcome) = built_in {
        let reason = "The record that was handed in is not this operation's doing.";
        return Some(Decision::ends(Verdict::Contradicted, outcome.id, reason));
    }
    let program = context.program;
    let (negative, outcome) =
        applying(context, results).find(|(_, outcome)| outcome.truth == Truth::Holds)?;
    let condition =
        program.contract.negative_conditions.any_of.iter().find(|condition| condition.id == outcome.id)?;
    let code = condition.reason_code.as_deref().unwrap_or_default();
    let mut decision =
        Decision::ends(Verdict::Contradicted, code, condition.reason.as_deref().unwrap_or_default());
    rest_on(context, &mut decision.levels, &negative.channels);
    Some(decision)
}

fn rest_on(context: &Context<'_>, levels: &mut Levels, channels: &[usize]) {
    let declared = &context.program.contract.evidence_policy.channels;
    for channel in channels.iter().filter_map(|channel| declared.get(*channel)) {
        levels.add(channel.evidence_level);
    }
}

/// Step 3, first half: a reported rejection, and a complete list that shows nothing new.
fn rejection<'a>(context: &Context<'a>) -> Option<Decision<'a>> {
    let rejected = context.operation.is_rejected() && context.creates() && context.shows_nothing_new();
    rejected.then(|| {
        let reason = "The provider refused the action, and nothing new exists.";
        let mut decision = Decision::ends(Verdict::Failed, "action_rejected", reason);
        rest_on(context, &mut decision.levels, context.program.complete_list.as_slice());
        decision
    })
}

/// Step 3, second half: the first rule that counts.
fn rules<'a>(context: &Context<'a>, results: &mut Results<'a>) -> Option<Decision<'a>> {
    let bound = context.own().is_some() && context.evidence.correlation.conflict.is_none();
    // What only a fresh claim names is nobody's failure yet: key or tag may still name another record.
    let identified = bound && !is_fresh_claim(context) && identity_known(context, results);
    let mut decided = None;
    for (test, rule) in context.program.rules.iter().zip(&context.program.contract.verdict_map) {
        let answer = conditions::test(context, test);
        results.outcomes.push(ConditionOutcome {
            id: &rule.id,
            kind: ConditionKind::Rule,
            truth: answer.truth,
            seen: answer.seen,
        });
        if decided.is_none() && answer.truth == Truth::Holds {
            decided = ruled(context, rule, identified);
        }
    }
    decided
}

fn ruled<'a>(
    context: &Context<'a>,
    rule: &'a crate::contract::Rule,
    identified: bool,
) -> Option<Decision<'a>> {
    let ends = || {
        let mut decision = Decision::ends(rule.verdict, &rule.reason_code, &rule.reason);
        let declared = &context.program.contract.evidence_policy.channels;
        for name in &rule.matching.evidence {
            if let Some(channel) = declared.iter().find(|channel| channel.name == *name) {
                decision.levels.add(channel.evidence_level);
            }
        }
        decision
    };
    match rule.verdict {
        // A failure invites a new try: it waits until nothing else of this operation can have taken effect.
        Verdict::Failed => (identified && context.stands_alone()).then(ends),
        Verdict::Contradicted => identified.then(ends),
        Verdict::Pending => (!context.at_deadline()).then(|| Decision { terminal: false, ..ends() }),
        Verdict::Unverifiable => {
            let escalated =
                context.at_deadline() && context.program.contract.on_timeout.escalate_to_human_review;
            Some(Decision { terminal: context.at_deadline(), escalated, ..ends() })
        }
        // Refused at load.
        Verdict::Verified => None,
    }
}

/// Every identity negative is known to fail.
fn identity_known(context: &Context<'_>, results: &Results<'_>) -> bool {
    results.built_in().iter().all(|outcome| outcome.truth == Truth::Fails)
        && applying(context, results)
            .all(|(negative, outcome)| !negative.class.is_identity() || outcome.truth == Truth::Fails)
}

/// What the positives gave together.
struct Positives {
    all_hold: bool,
    levels: Levels,
    channels: u64,
    independent: bool,
}

fn positives<'a>(context: &Context<'a>, results: &mut Results<'a>) -> Positives {
    let program = context.program;
    let declared = &program.contract.evidence_policy.channels;
    let mut sum = Positives { all_hold: true, levels: Levels::default(), channels: 0, independent: false };
    for (positive, condition) in program.positives.iter().zip(&program.contract.completion.all_of) {
        if !conditions::applies(context, &positive.gate) {
            continue;
        }
        let answer = conditions::test(context, &positive.test);
        results.outcomes.push(ConditionOutcome {
            id: &condition.id,
            kind: ConditionKind::Positive,
            truth: answer.truth,
            seen: answer.seen,
        });
        sum.all_hold &= answer.truth == Truth::Holds;
        rest_on(context, &mut sum.levels, &positive.channels);
        for index in &positive.channels {
            sum.channels |= 1_u64.checked_shl(u32::try_from(*index).unwrap_or(u32::MAX)).unwrap_or(0);
            sum.independent |= declared
                .get(*index)
                .is_some_and(|channel| channel.independence != Independence::SameResponse);
        }
    }
    sum
}

/// Step 4.
fn verified<'a>(context: &Context<'a>, results: &Results<'a>, positives: Positives) -> Option<Decision<'a>> {
    let policy = &context.program.contract.evidence_policy;
    let bound = context.own().filter(|_| context.evidence.correlation.conflict.is_none())?;
    let caused = context.program.contract.correlation.minimum_causality.is_none_or(|least| bound.by >= least);
    let supported = positives.all_hold
        && positives.channels.count_ones() >= policy.minimum_channels
        && (positives.independent || !policy.require_independent_channel);
    if !(caused && supported && nothing_stands_against(context, results)) {
        return None;
    }
    let reason = "The evidence satisfies every condition of the contract.";
    Some(Decision {
        levels: positives.levels,
        ..Decision::ends(Verdict::Verified, "all_conditions_satisfied", reason)
    })
}

/// Every blocking negative is known to fail, duplicates group by group.
fn nothing_stands_against(context: &Context<'_>, results: &Results<'_>) -> bool {
    results.built_in().iter().all(|outcome| outcome.truth == Truth::Fails)
        && applying(context, results).all(|(negative, outcome)| {
            !negative.blocking
                || outcome.truth == Truth::Fails
                || negative.group.is_some_and(|group| group_fails(context, results, group))
        })
}

/// None of the group holds, and its question over a complete list is answered with no.
fn group_fails(context: &Context<'_>, results: &Results<'_>, group: usize) -> bool {
    let members = || {
        applying(context, results).filter(move |(negative, _)| {
            negative.class == NegativeClass::DuplicateSideEffect && negative.group == Some(group)
        })
    };
    members().all(|(_, outcome)| outcome.truth != Truth::Holds)
        && members().any(|(negative, outcome)| negative.over_complete && outcome.truth == Truth::Fails)
}

/// Step 5.
fn timeout<'a>(context: &Context<'a>) -> Option<Decision<'a>> {
    if !context.at_deadline() {
        return None;
    }
    let untouched = context.operation.reports.is_empty()
        && context.own().is_none()
        && context.evidence.correlation.conflict.is_none();
    if untouched && context.creates() && context.shows_nothing_new() {
        let reason = "The deadline passed without any sign of the action.";
        let decision = Decision::ends(Verdict::Unverifiable, "expired_without_action", reason);
        return Some(Decision { expired: true, ..decision });
    }
    let on_timeout = &context.program.contract.on_timeout;
    let reason = "The deadline passed before the evidence was sufficient.";
    let decision = Decision::ends(on_timeout.result, &on_timeout.reason_code, reason);
    Some(Decision { escalated: on_timeout.escalate_to_human_review, ..decision })
}
