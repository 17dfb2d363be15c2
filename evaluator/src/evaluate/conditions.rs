//! One condition: holds, fails or unknown, with the value it saw.

use crate::compare::{self, Instant, Operand, absent, apply, bounds_hold, contains_all, exists, is_in};
use crate::contract::{As, Causality, InstantRule, Operator, Owner, Truth};
use crate::load::{Comparison, Expected, Expression, Form, Gate, ItemTest, ItemTestKind, OverTest, Test};

use super::context::{Context, ItemView};
use super::lists::{self, Candidate};

/// What a condition gave.
#[derive(Clone, Copy)]
pub(super) struct Answer<'a> {
    pub(super) truth: Truth,
    pub(super) seen: Operand<'a>,
}

/// Evaluates a test, its fallback and `result: unknown` included.
pub(super) fn test<'a>(context: &Context<'a>, test: &'a Test) -> Answer<'a> {
    let without_baseline = test
        .baseline
        .is_some_and(|channel| context.baseline_of(channel).is_none_or(|baseline| baseline.value.is_none()));
    let mut answer = match (&test.fallback, without_baseline) {
        (Some(fallback), true) => fallback_answer(context, fallback),
        _ => form(context, test),
    };
    if test.soften {
        answer.truth = answer.truth.min(Truth::Unknown);
    }
    answer
}

fn fallback_answer<'a>(context: &Context<'a>, fallback: &'a ItemTest) -> Answer<'a> {
    match &fallback.kind {
        ItemTestKind::Compare(comparison) => compare(context, comparison, None),
        ItemTestKind::Owner(_) | ItemTestKind::Effect => {
            Answer { truth: Truth::Unknown, seen: Operand::Unavailable }
        }
    }
}

fn form<'a>(context: &Context<'a>, test: &'a Test) -> Answer<'a> {
    match &test.form {
        Form::Scalar(comparison) => compare(context, comparison, None),
        Form::Over(over) => over_list(context, over, test),
        Form::AllOf(tests) => {
            let truth =
                tests.iter().map(|member| self::test(context, member).truth).fold(Truth::Holds, Truth::and);
            Answer { truth, seen: Operand::Missing }
        }
    }
}

fn over_list<'a>(context: &Context<'a>, over: &'a OverTest, test: &'a Test) -> Answer<'a> {
    let seen = lists::measure(context, over, test);
    let truth = match (seen, &over.expected) {
        (Operand::Bounds(_), Expected::Nothing) => presence(over.operator, seen),
        (Operand::Bounds(bounds), expected) => {
            bounds_hold(bounds, over.operator, operand(context, expected, None), over.read_as)
        }
        _ => Truth::Unknown,
    };
    Answer { truth, seen }
}

fn presence(operator: Operator, seen: Operand<'_>) -> Truth {
    match operator {
        Operator::Exists => exists(seen),
        Operator::Absent => absent(seen),
        _ => Truth::Unknown,
    }
}

/// Whether a condition applies to the input.
pub(super) fn applies(context: &Context<'_>, gate: &Gate) -> bool {
    let holds = |test: &ItemTest| input_test(context, test) == Truth::Holds;
    gate.when.as_ref().is_none_or(holds) && !gate.unless.as_ref().is_some_and(holds)
}

fn input_test(context: &Context<'_>, test: &ItemTest) -> Truth {
    match &test.kind {
        ItemTestKind::Compare(comparison) => compare(context, comparison, None).truth,
        ItemTestKind::Owner(_) | ItemTestKind::Effect => Truth::Unknown,
    }
}

/// Evaluates a test on one item.
pub(super) fn item_test<'a>(context: &Context<'a>, test: &'a ItemTest, candidate: Candidate<'a>) -> Truth {
    if test.when.as_ref().is_some_and(|when| input_test(context, when) != Truth::Holds) {
        return Truth::Holds;
    }
    match &test.kind {
        ItemTestKind::Compare(comparison) => compare(context, comparison, Some(candidate.item)).truth,
        ItemTestKind::Owner(owners) => match candidate.owner {
            Owner::Open => Truth::Unknown,
            owner @ (Owner::This | Owner::Other | Owner::None) => Truth::known(owners.contains(&owner)),
        },
        ItemTestKind::Effect => lists::effect(context, candidate.item),
    }
}

fn operand<'a>(context: &Context<'a>, expected: &'a Expected, item: Option<ItemView<'a>>) -> Operand<'a> {
    match expected {
        Expected::Nothing | Expected::List(_) => Operand::Missing,
        Expected::Literal(value) => Operand::Value(value),
        Expected::Reference(expression) => context.resolve(expression, item),
    }
}

/// Compares one reference with its expectation.
fn compare<'a>(context: &Context<'a>, comparison: &'a Comparison, item: Option<ItemView<'a>>) -> Answer<'a> {
    let seen = if comparison.folded { context.folded.state } else { context.resolve(&comparison.path, item) };
    let truth = match seen {
        Operand::Bounds(bounds) => match comparison.operator {
            Operator::Exists => exists(seen),
            Operator::Absent => absent(seen),
            operator => {
                let expected = operand(context, &comparison.expected, item);
                bounds_hold(bounds, operator, expected, comparison.read_as)
            }
        },
        _ => plain(context, comparison, seen, item),
    };
    Answer { truth, seen }
}

fn plain<'a>(
    context: &Context<'a>,
    comparison: &'a Comparison,
    seen: Operand<'a>,
    item: Option<ItemView<'a>>,
) -> Truth {
    let rule = instant_rule(context, &comparison.path, item);
    match comparison.operator {
        Operator::TimeAfter => in_time(context, comparison, seen, item, rule),
        Operator::TimeBefore => !in_time(context, comparison, seen, item, rule),
        Operator::Matches => {
            comparison.pattern.as_ref().map_or(Truth::Unknown, |pattern| pattern.matches(seen))
        }
        operator => match &comparison.expected {
            Expected::List(items) => listed(context, comparison, seen, items, item),
            Expected::Nothing | Expected::Literal(_) | Expected::Reference(_) => {
                apply(operator, seen, operand(context, &comparison.expected, item), comparison.read_as, rule)
            }
        },
    }
}

/// An operator on a list that holds references.
fn listed<'a>(
    context: &Context<'a>,
    comparison: &'a Comparison,
    seen: Operand<'a>,
    items: &'a [Expected],
    item: Option<ItemView<'a>>,
) -> Truth {
    let rule = instant_rule(context, &comparison.path, item);
    let items = items.iter().map(|element| operand(context, element, item));
    match comparison.operator {
        Operator::In => is_in(seen, items, comparison.read_as, rule),
        Operator::NotIn => !is_in(seen, items, comparison.read_as, rule),
        Operator::ContainsAll => contains_all(seen, items, comparison.read_as),
        _ => Truth::Unknown,
    }
}

/// How the observed side writes instants: by the channel that it is rooted in.
fn instant_rule<'a>(
    context: &Context<'a>,
    path: &Expression,
    item: Option<ItemView<'a>>,
) -> Option<&'a InstantRule> {
    let channel = match path {
        Expression::Item(_) => item.map(|item| item.channel),
        Expression::Baseline(channel, _) => Some(*channel),
        other => other.observed(),
    };
    context.view(channel?)?.instant.as_ref()
}

/// Three-valued `time_after`; `time_before` is its negation.
fn in_time<'a>(
    context: &Context<'a>,
    comparison: &'a Comparison,
    seen: Operand<'a>,
    item: Option<ItemView<'a>>,
    rule: Option<&InstantRule>,
) -> Truth {
    if !matches!(comparison.read_as, None | Some(As::Instant)) {
        return Truth::Unknown;
    }
    let expected = operand(context, &comparison.expected, item);
    let sides = compare::read_instant(seen, rule).zip(compare::read_instant(expected, None));
    let Some((seen, limit)) = sides else { return Truth::Unknown };
    if matches!(comparison.expected, Expected::Reference(Expression::OperationCreated)) {
        let record = match comparison.path {
            Expression::Item(_) => item.and_then(|item| item.id),
            _ => context.own().map(|own| own.id.as_str()),
        };
        return time_after(context, seen, record);
    }
    by_skew(context, seen, limit)
}

fn by_skew(context: &Context<'_>, seen: Instant, limit: Instant) -> Truth {
    let skew = context.operation.begin.skew_ms;
    if seen.is_after(limit.from, skew) {
        Truth::Holds
    } else if seen.is_before(limit.from, skew) {
        Truth::Fails
    } else {
        Truth::Unknown
    }
}

/// Was the record made after the operation began?
///
/// In the doubt of granularity and skew a key or tag match decides, and so does a complete baseline
/// that lacks the record where `begin` is the provider's own `Date`. A known answer stays.
pub(super) fn time_after(context: &Context<'_>, seen: Instant, record: Option<&str>) -> Truth {
    let begin = context.operation.begin;
    match by_skew(context, seen, Instant::exact(begin.at)) {
        Truth::Unknown => {}
        known @ (Truth::Holds | Truth::Fails) => return known,
    }
    let bound = context.own().is_some_and(|own| {
        Some(own.id.as_str()) == record && matches!(own.by, Causality::Key | Causality::Tag)
    });
    let baselines = &context.evidence.baselines;
    let lacking = record.is_some_and(|id| !context.was_there_before(id))
        && baselines.iter().any(|baseline| baseline.complete)
        && begin.from_provider
        && seen.end() > begin.at;
    if bound || lacking { Truth::Holds } else { Truth::Unknown }
}
