//! Load rules over the document's members: what a contract may never say.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Faults;
use super::compile::kind_of;
use super::program::ChannelKind;
use crate::contract::{
    Assurance, CONTRACT_SCHEMA_VERSION, Channel, Condition, Contract, EvidenceLevel, Lifecycle, Operator,
    StateClass, StrategyName, Target,
};
use crate::json::Value;
use crate::query::{Reference, Root};
use crate::verdict::Verdict;

/// Checks every rule that needs no compiled form.
pub(super) fn check(contract: &Contract, faults: &mut Faults) {
    header(contract, faults);
    ids(contract, faults);
    policy(contract, faults);
    correlation(contract, faults);
    negatives(contract, faults);
    states(contract, faults);
    verdict_map(contract, faults);
    timing(contract, faults);
    timeout(contract, faults);
    hash(contract, faults);
}

fn header(contract: &Contract, faults: &mut Faults) {
    if contract.schema_version != CONTRACT_SCHEMA_VERSION {
        faults.add(
            "schema_version_unsupported",
            "schema_version",
            format!(
                "`{}` is not supported; this version reads `{CONTRACT_SCHEMA_VERSION}`",
                contract.schema_version
            ),
            None,
        );
    }
    if contract.completion.all_of.is_empty() {
        faults.add(
            "vacuous_contract",
            "completion.all_of",
            "a contract without positive conditions would pass everything".into(),
            Some("add the conditions that prove the promise"),
        );
    }
    if contract.valid_for.provider_api_versions.is_empty() {
        faults.add(
            "no_version_covered",
            "valid_for.provider_api_versions",
            "the contract covers no provider version".into(),
            Some("name the versions whose semantics the sources prove"),
        );
    }
}

fn ids(contract: &Contract, faults: &mut Faults) {
    let mut seen = BTreeSet::new();
    let positives = contract.completion.all_of.iter().map(|condition| condition.id.as_str());
    let negatives = contract.negative_conditions.any_of.iter().map(|condition| condition.id.as_str());
    let rules = contract.verdict_map.iter().map(|rule| rule.id.as_str());
    for id in positives.chain(negatives).chain(rules) {
        if id.is_empty() {
            faults.add("id_missing", "", "a condition or rule has no id".into(), Some("give it a stable id"));
        } else if !seen.insert(id) {
            faults.add(
                "id_duplicate",
                "",
                format!("the id `{id}` is used twice"),
                Some("ids name results; make them unique"),
            );
        }
    }
    let mut names = BTreeSet::new();
    for channel in &contract.evidence_policy.channels {
        if !names.insert(channel.name.as_str()) {
            faults.add(
                "channel_duplicate",
                "evidence_policy.channels",
                format!("the channel `{}` is declared twice", channel.name),
                None,
            );
        }
    }
}

fn policy(contract: &Contract, faults: &mut Faults) {
    let policy = &contract.evidence_policy;
    if policy.minimum_evidence_level < EvidenceLevel::E2 {
        faults.add(
            "minimum_level_below_e2",
            "evidence_policy.minimum_evidence_level",
            "the agent's word and the action's own response are never sufficient".into(),
            Some("use E2 or more"),
        );
    }
    for (index, channel) in policy.channels.iter().enumerate() {
        if channel.evidence_level > channel.independence.ceiling() {
            faults.add(
                "channel_level_above_path",
                &format!("evidence_policy.channels[{index}].evidence_level"),
                format!(
                    "the channel `{}` claims {:?}, above what its path can show ({:?})",
                    channel.name,
                    channel.evidence_level,
                    channel.independence.ceiling()
                ),
                None,
            );
        }
        if channel.find && (channel.page.is_none() || channel.record_id.is_none() || channel.events.is_some())
        {
            faults.add(
                "find_without_list",
                &format!("evidence_policy.channels[{index}].find"),
                "a record is found in a list that pages, by the place of its id".into(),
                Some("declare `page` and `record_id`"),
            );
        }
        if channel.complete && kind_of(channel) != ChannelKind::List {
            faults.add(
                "complete_without_list",
                &format!("evidence_policy.channels[{index}].complete"),
                "only a list can be known to hold everything".into(),
                None,
            );
        }
    }
    let conditions = contract.completion.all_of.iter().chain(&contract.negative_conditions.any_of);
    let conditions = conditions.map(|condition| (condition.id.as_str(), condition));
    let rules = contract.verdict_map.iter().map(|rule| (rule.id.as_str(), &rule.matching));
    for (id, condition) in conditions.chain(rules) {
        for name in &condition.evidence {
            let channel = policy.channels.iter().find(|channel| channel.name == *name);
            if channel.is_some_and(|channel| channel.evidence_level < policy.minimum_evidence_level) {
                let message = format!("`{id}` rests on `{name}`, which is below the minimum evidence level");
                faults.add("evidence_below_minimum", id, message, None);
            }
        }
    }
}

fn correlation(contract: &Contract, faults: &mut Faults) {
    for (index, strategy) in contract.correlation.strategies.iter().enumerate() {
        let path = format!("correlation.strategies[{index}]");
        if strategy.assurance == Assurance::Weak && strategy.window_ms.is_none() {
            faults.add(
                "weak_strategy_without_window",
                &path,
                "a weak strategy needs a time window".into(),
                Some("add `window_ms`"),
            );
        }
        for key in &strategy.keys {
            if key.is_account() {
                only_one(contract, strategy.name, &path, faults);
                continue;
            }
            if let Err(error) = Reference::parse(&key.source) {
                faults.add(
                    "reference_unreadable",
                    &path,
                    format!("`{}` is not a reference: {error}", key.source),
                    None,
                );
            }
        }
    }
}

/// What is the only one of its kind cannot come into being beside another, and is named by nothing else.
fn only_one(contract: &Contract, strategy: StrategyName, path: &str, faults: &mut Faults) {
    if contract.action.target != Target::Existing || strategy != StrategyName::ResourceId {
        faults.add(
            "account_names_existing",
            path,
            "`$account` names a record that is there already, as its `resource_id`".into(),
            None,
        );
    }
}

fn negatives(contract: &Contract, faults: &mut Faults) {
    for (index, condition) in contract.negative_conditions.any_of.iter().enumerate() {
        let path = format!("negative_conditions.any_of[{index}]");
        let full = condition.class.is_some() && condition.reason_code.is_some() && condition.reason.is_some();
        if !full {
            faults.add(
                "negative_incomplete",
                &path,
                format!("`{}` needs `class`, `reason_code` and `reason`", condition.id),
                None,
            );
        }
    }
    for (index, condition) in contract.completion.all_of.iter().enumerate() {
        let stray =
            condition.class.is_some() || condition.reason_code.is_some() || condition.blocking.is_some();
        if stray {
            faults.add(
                "positive_with_class",
                &format!("completion.all_of[{index}]"),
                format!(
                    "`{}` is a positive condition; `class`, `reason_code` and `blocking` belong to negatives",
                    condition.id
                ),
                None,
            );
        }
    }
}

/// Success is only ever tested as equal to, or one of, literal states.
fn states(contract: &Contract, faults: &mut Faults) {
    let Some(lifecycle) = &contract.subject.lifecycle else { return };
    for (index, condition) in contract.completion.all_of.iter().enumerate() {
        for part in parts(condition) {
            if part.path.as_deref() == Some(lifecycle.path.as_str()) && literal_states(part).is_none() {
                faults.add(
                    "state_not_literal",
                    &format!("completion.all_of[{index}]"),
                    "a state is compared by `eq` or `in` with literal states only".into(),
                    Some("name the states that prove the promise"),
                );
            }
        }
        for state in parts(condition).filter_map(|part| own_states(part, lifecycle)).flatten() {
            let known = lifecycle.states.get(state).filter(|state| state.class != StateClass::Unknown);
            if known.is_none() {
                faults.add(
                    "state_unknown",
                    &format!("completion.all_of[{index}]"),
                    format!("the state `{state}` is not declared, or nobody says what it means"),
                    Some("declare it under subject.lifecycle.states with its class"),
                );
            }
        }
    }
}

fn parts(condition: &Condition) -> impl Iterator<Item = &Condition> {
    core::iter::once(condition).chain(&condition.all_of)
}

fn own_states<'c>(condition: &'c Condition, lifecycle: &Lifecycle) -> Option<Vec<&'c str>> {
    if condition.path.as_deref() == Some(lifecycle.path.as_str()) { literal_states(condition) } else { None }
}

/// The literal texts of an `eq` or `in`; `None` for any other test.
fn literal_states(condition: &Condition) -> Option<Vec<&str>> {
    let literal = |value: &'_ Value| value.as_str().is_some_and(|text| !Reference::is_reference(text));
    match (condition.operator?, condition.expected.as_ref()?) {
        (Operator::Eq, value) if literal(value) => Some(value.as_str().into_iter().collect()),
        (Operator::In, Value::Array(items)) if items.iter().all(literal) => {
            Some(items.iter().filter_map(Value::as_str).collect())
        }
        _ => None,
    }
}

fn verdict_map(contract: &Contract, faults: &mut Faults) {
    for (index, rule) in contract.verdict_map.iter().enumerate() {
        let path = format!("verdict_map[{index}]");
        if rule.verdict == Verdict::Verified {
            faults.add(
                "verdict_map_verified",
                &path,
                "a rule can never give VERIFIED; only the completion block can".into(),
                None,
            );
        }
        if rule.matching.when.is_some() || rule.matching.unless.is_some() {
            faults.add(
                "rule_gated",
                &path,
                "a rule applies to every input: `when` and `unless` belong to conditions".into(),
                None,
            );
        }
        let scalars: Vec<&Condition> = parts(&rule.matching).filter(|part| part.path.is_some()).collect();
        if scalars.iter().any(|part| literal_states(part).is_none()) {
            faults.add(
                "state_not_literal",
                &path,
                "a rule matches by `eq` or `in` with literal states only".into(),
                None,
            );
        }
        if rule.verdict == Verdict::Failed && !fails_from_ended(contract, &rule.matching) {
            faults.add(
                "failed_from_unended_state",
                &path,
                "FAILED may only follow from states that ended without the outcome".into(),
                Some("progress is never FAILED; use PENDING, or declare the state's class"),
            );
        }
    }
}

fn fails_from_ended(contract: &Contract, matching: &Condition) -> bool {
    let Some(lifecycle) = &contract.subject.lifecycle else { return false };
    let ended = |states: Vec<&str>| {
        !states.is_empty()
            && states
                .iter()
                .all(|name| lifecycle.states.get(*name).is_some_and(|state| state.class.is_effectless()))
    };
    let scalar = parts(matching).filter_map(|part| own_states(part, lifecycle)).any(ended);
    let over = parts(matching).filter(|part| part.over.is_some()).any(|part| {
        part.matching.iter().any(|test| {
            let as_condition = Condition {
                path: test.path.clone(),
                operator: test.operator,
                expected: test.expected.clone(),
                ..Condition::default()
            };
            own_states(&as_condition, lifecycle).is_some_and(ended)
        })
    });
    scalar || over
}

fn timing(contract: &Contract, faults: &mut Faults) {
    let timing = &contract.timing;
    let numbers = [
        timing.poll_interval_ms,
        timing.timeout_ms,
        u64::from(timing.backoff.factor),
        u64::from(timing.maximum_attempts),
    ];
    if numbers.contains(&0) {
        faults.add(
            "timing_zero",
            "timing",
            "interval, factor, attempts and timeout must be above zero".into(),
            None,
        );
    }
    let longest =
        [timing.initial_delay_ms, timing.stale_read_window_ms, timing.backoff.max_ms, timing.timeout_ms];
    if longest.iter().any(|ms| *ms > LONGEST_MS) {
        faults.add("timing_too_long", "timing", "no time span may exceed ten years".into(), None);
    }
    if timing.stale_read_window_ms >= timing.timeout_ms {
        faults.add(
            "timing_window",
            "timing.stale_read_window_ms",
            "the stale window must end before the timeout".into(),
            None,
        );
    }
}

/// Ten years, in milliseconds.
const LONGEST_MS: u64 = 10 * 366 * 24 * 3_600_000;

fn timeout(contract: &Contract, faults: &mut Faults) {
    let on_timeout = &contract.on_timeout;
    match on_timeout.result {
        Verdict::Unverifiable => {}
        Verdict::Pending if on_timeout.escalate_to_human_review => {}
        Verdict::Pending => faults.add(
            "pending_timeout_without_escalation",
            "on_timeout",
            "PENDING at the deadline must go to a person: an operation always ends".into(),
            Some("set `escalate_to_human_review: true`"),
        ),
        Verdict::Verified => faults.add(
            "on_timeout_verified",
            "on_timeout.result",
            "a deadline can never give VERIFIED".into(),
            Some("use UNVERIFIABLE, or PENDING with escalation"),
        ),
        Verdict::Failed | Verdict::Contradicted => faults.add(
            "on_timeout_result",
            "on_timeout.result",
            format!("a deadline cannot give {}: nothing was observed", on_timeout.result),
            Some("use UNVERIFIABLE, or PENDING with escalation"),
        ),
    }
}

fn hash(contract: &Contract, faults: &mut Faults) {
    match super::contract_hash(contract) {
        Err(error) => {
            faults.add("contract_not_canonical", "", format!("{error}"), Some("write decimals as text"))
        }
        Ok(digest) => {
            if let Some(stated) = contract.hash.as_ref().filter(|stated| **stated != digest.to_hex()) {
                faults.add(
                    "contract_hash_mismatch",
                    "hash",
                    format!("the document hashes to `{}`, not to `{stated}`", digest.to_hex()),
                    Some("contracts are immutable; give a changed one a new version and hash"),
                );
            }
        }
    }
}

/// Every query of a channel parses and has the root that its member asks for.
pub(super) fn check_queries(channel: &Channel, index: usize, faults: &mut Faults) {
    let page = channel.page.as_ref();
    let events = channel.events.as_ref();
    let at_document = [
        channel.select.as_ref(),
        page.and_then(|page| page.more.as_ref()),
        events.and_then(|events| events.id.as_ref()),
        events.and_then(|events| events.kind.as_ref()),
        events.map(|events| &events.record),
        events.map(|events| &events.record_id),
        events.and_then(|events| events.key.as_ref()),
        events.and_then(|events| events.version.as_ref()),
        events.and_then(|events| events.mode.as_ref()).map(|mode| &mode.path),
        events.and_then(|events| events.time.as_ref()),
    ];
    let at_item = [
        channel.record_id.as_ref(),
        channel.state_time.as_ref(),
        page.and_then(|page| page.created.as_ref()),
    ];
    let either = [page.and_then(|page| page.cursor.as_ref())];
    let mut check = |text: &String, allowed: &[Root]| {
        let fits = Reference::parse(text).is_ok_and(|reference| allowed.contains(&reference.root));
        if !fits {
            faults.add(
                "channel_query",
                &format!("evidence_policy.channels[{index}]"),
                format!("`{text}` is not a query of the channel `{}`", channel.name),
                Some("queries into a reply or event start with `$`, into a record with `@`"),
            );
        }
    };
    at_document.into_iter().flatten().for_each(|text| check(text, &[Root::Document]));
    at_item.into_iter().flatten().for_each(|text| check(text, &[Root::Item]));
    either.into_iter().flatten().for_each(|text| check(text, &[Root::Document, Root::Item]));
    check_event(channel, index, faults);
}

/// An event is known again by one id and is of one type, each in the event or in a header of its delivery.
fn check_event(channel: &Channel, index: usize, faults: &mut Faults) {
    let Some(events) = &channel.events else { return };
    if events.id.is_some() == events.id_header.is_some() {
        faults.add(
            "event_id",
            &format!("evidence_policy.channels[{index}].events"),
            format!("the channel `{}` names no single place of an event's id", channel.name),
            Some("give either `id`, a query into the event, or `id_header`, the name of a header"),
        );
    }
    if events.kind.is_some() == events.kind_header.is_some() {
        faults.add(
            "event_type",
            &format!("evidence_policy.channels[{index}].events"),
            format!("the channel `{}` names no single place of an event's type", channel.name),
            Some("give either `type`, a query into the event, or `type_header`, the name of a header"),
        );
    }
}
