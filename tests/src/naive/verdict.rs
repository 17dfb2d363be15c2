//! The six steps from conditions to a verdict, in their order.

use serde_json::Value;
use std::collections::BTreeSet;

use super::condition::{applies, references, truth};
use super::lists::{shows_nothing_new, stands_alone};
use super::reference::split_channel;
use super::trace::{Trace, list, time};
use super::truth::Truth;
use super::version::covered;

/// The answer to one trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// `VERIFIED`, `CONTRADICTED`, `FAILED`, `UNVERIFIABLE` or `PENDING`.
    pub verdict: String,
    /// Whether nothing may change it any more.
    pub terminal: bool,
    /// Whether a person has to look.
    pub escalated: bool,
    /// Whether the operation ended without ever having been seen.
    pub expired: bool,
    /// Why.
    pub reason_code: String,
    /// Every positive and every declared negative that applies, in document order.
    pub conditions: Vec<(String, Truth)>,
}

/// A negative, built in or declared.
struct Negative<'a> {
    condition: Option<&'a Value>,
    reason_code: &'a str,
    class: &'a str,
    blocking: bool,
    truth: Truth,
}

struct Judged<'a> {
    positives: Vec<(&'a Value, Truth)>,
    negatives: Vec<Negative<'a>>,
}

pub(super) fn decide(trace: &Trace) -> Verdict {
    let judged = Judged { positives: positives(trace), negatives: negatives(trace) };
    let steps = [unsupported, contradicted, rejected, mapped, verified, timed_out];
    let mut verdict = steps
        .iter()
        .find_map(|step| step(trace, &judged))
        .unwrap_or_else(|| answer("PENDING", false, "awaiting_evidence"));
    verdict.conditions = conditions(&judged);
    verdict
}

fn answer(verdict: &str, terminal: bool, reason_code: &str) -> Verdict {
    Verdict {
        verdict: verdict.to_owned(),
        terminal,
        escalated: false,
        expired: false,
        reason_code: reason_code.to_owned(),
        conditions: Vec::new(),
    }
}

fn conditions(judged: &Judged) -> Vec<(String, Truth)> {
    let id = |condition: &Value| condition["id"].as_str().unwrap_or("").to_owned();
    let positives = judged.positives.iter().map(|(condition, truth)| (id(condition), *truth));
    let declared =
        judged.negatives.iter().filter_map(|negative| Some((id(negative.condition?), negative.truth)));
    positives.chain(declared).collect()
}

fn positives<'a>(trace: &Trace<'a>) -> Vec<(&'a Value, Truth)> {
    let all = list(&trace.contract["completion"]["all_of"]);
    all.iter().filter(|one| applies(trace, one)).map(|one| (one, truth(trace, one))).collect()
}

fn negatives<'a>(trace: &Trace<'a>) -> Vec<Negative<'a>> {
    let declared = list(&trace.contract["negative_conditions"]["any_of"]);
    let declared = declared.iter().filter(|one| applies(trace, one)).map(|one| declared_negative(trace, one));
    built_in(trace).into_iter().chain(declared).collect()
}

fn past_deadline(trace: &Trace) -> bool {
    trace.now >= trace.deadline()
}

/// While only a claim names the record, and lately, nothing may contradict.
fn after_claim(trace: &Trace, truth: Truth) -> Truth {
    let fresh = trace.own_record().is_some_and(|record| {
        let since = time(&record["since"]).unwrap_or(0);
        record["by"] == "claim" && trace.now < since + trace.window()
    });
    if fresh && truth == Truth::Holds { Truth::Unknown } else { truth }
}

fn built_in<'a>(trace: &Trace) -> Vec<Negative<'a>> {
    let identity = |reason_code: &'a str, truth: Truth| Negative {
        condition: None,
        reason_code,
        class: "wrong_subject",
        blocking: true,
        truth,
    };
    let elsewhere = match trace.conflict() {
        Some("record_of_another_operation") if past_deadline(trace) => Truth::Holds,
        Some("record_of_another_operation") => Truth::Unknown,
        _ => Truth::Fails,
    };
    let claimed = if trace.conflict() == Some("claim_conflict") { Truth::Unknown } else { Truth::Fails };
    let mut negatives =
        vec![identity("record_of_another_operation", elsewhere), identity("claim_conflict", claimed)];
    if !trace.targets_existing() {
        let before = Truth::of(trace.own_id().is_some_and(|id| trace.in_a_baseline(id)));
        negatives.push(identity("pre_existing_state", after_claim(trace, before)));
    }
    negatives
}

fn declared_negative<'a>(trace: &Trace, condition: &'a Value) -> Negative<'a> {
    let mut result = after_claim(trace, truth(trace, condition));
    let early = !trace.settled_since_last_sign(trace.now);
    if trace.targets_existing() && early && reads_observed(condition) && result == Truth::Holds {
        result = Truth::Unknown;
    }
    Negative {
        condition: Some(condition),
        reason_code: condition["reason_code"].as_str().unwrap_or(""),
        class: condition["class"].as_str().unwrap_or(""),
        blocking: condition["blocking"] != false,
        truth: result,
    }
}

/// Whether a condition that is not over a list reads what was observed, itself or by one of its members.
fn reads_observed(condition: &Value) -> bool {
    let members = list(&condition["all_of"]).iter();
    let all = std::iter::once(condition).chain(members).flat_map(references);
    condition["over"].is_null() && all.into_iter().any(|path| path.starts_with("$observed"))
}

fn unsupported(trace: &Trace, _: &Judged) -> Option<Verdict> {
    let valid = &trace.contract["valid_for"];
    let version = trace.operation["api_version"].as_str();
    let supported = covered(version, &valid["provider_api_versions"])
        && !covered(version, &valid["inadmissible_versions"]);
    (!supported).then(|| answer("UNVERIFIABLE", true, "version_unsupported"))
}

fn contradicted(_: &Trace, judged: &Judged) -> Option<Verdict> {
    let first = judged.negatives.iter().find(|negative| negative.truth == Truth::Holds)?;
    Some(answer("CONTRADICTED", true, first.reason_code))
}

fn rejected(trace: &Trace, _: &Judged) -> Option<Verdict> {
    let reports = list(&trace.operation["reports"]);
    let latest = reports.iter().max_by_key(|report| time(&report["at"]))?;
    let refused = latest["outcome"] == "rejected"
        && !reports.iter().any(|report| report["outcome"] == "accepted")
        && !trace.targets_existing();
    (refused && shows_nothing_new(trace)).then(|| answer("FAILED", true, "action_rejected"))
}

fn mapped(trace: &Trace, judged: &Judged) -> Option<Verdict> {
    list(&trace.contract["verdict_map"]).iter().find_map(|rule| mapped_by(trace, judged, rule))
}

fn mapped_by(trace: &Trace, judged: &Judged, rule: &Value) -> Option<Verdict> {
    let condition = &rule["match"];
    if !applies(trace, condition) || truth(trace, condition) != Truth::Holds {
        return None;
    }
    let reason = rule["reason_code"].as_str().unwrap_or("");
    let ended = past_deadline(trace);
    match rule["verdict"].as_str()? {
        "FAILED" if !stands_alone(trace) => None,
        verdict @ ("FAILED" | "CONTRADICTED") => {
            is_identified(trace, judged).then(|| answer(verdict, true, reason))
        }
        "PENDING" => (!ended).then(|| answer("PENDING", false, reason)),
        "UNVERIFIABLE" => {
            let mut verdict = answer("UNVERIFIABLE", ended, reason);
            verdict.escalated = ended && escalates(trace);
            Some(verdict)
        }
        _ => None,
    }
}

fn is_identified(trace: &Trace, judged: &Judged) -> bool {
    let identity = ["wrong_subject", "pre_existing_state"];
    let mut identities = judged.negatives.iter().filter(|negative| identity.contains(&negative.class));
    let claim_has_aged = after_claim(trace, Truth::Holds) == Truth::Holds;
    trace.own_record().is_some()
        && claim_has_aged
        && trace.conflict().is_none()
        && identities.all(|negative| negative.truth == Truth::Fails)
}

fn verified(trace: &Trace, judged: &Judged) -> Option<Verdict> {
    let record = trace.own_record()?;
    let order = ["claim", "input", "tag", "key"];
    let place = |name: &Value| order.iter().position(|known| name == known);
    let causal = place(&record["by"]) >= place(&trace.contract["correlation"]["minimum_causality"]);
    let good = trace.conflict().is_none()
        && causal
        && judged.positives.iter().all(|(_, truth)| *truth == Truth::Holds)
        && judged.negatives.iter().filter(|one| one.blocking).all(|one| known_false(trace, judged, one))
        && rests_on_enough(trace, judged);
    good.then(|| answer("VERIFIED", true, "all_conditions_satisfied"))
}

fn rests_on_enough(trace: &Trace, judged: &Judged) -> bool {
    let policy = &trace.contract["evidence_policy"];
    let names: BTreeSet<&str> = judged
        .positives
        .iter()
        .flat_map(|(one, _)| list(&one["evidence"]))
        .filter_map(Value::as_str)
        .collect();
    let independent = names.iter().any(|name| trace.declared(name)["independence"] != "same_response");
    let enough = names.len() as u64 >= policy["minimum_channels"].as_u64().unwrap_or(0);
    enough && (independent || policy["require_independent_channel"] != true)
}

fn known_false(trace: &Trace, judged: &Judged, negative: &Negative) -> bool {
    if negative.class != "duplicate_side_effect" {
        return negative.truth == Truth::Fails;
    }
    let group: Vec<&Negative> = judged
        .negatives
        .iter()
        .filter(|one| one.class == negative.class && one.reason_code == negative.reason_code)
        .collect();
    let none_holds = group.iter().all(|one| one.truth != Truth::Holds);
    let seen_whole =
        group.iter().any(|one| one.truth == Truth::Fails && is_over_complete(trace, one.condition));
    (none_holds && seen_whole) || group.iter().all(|one| one.truth == Truth::Fails)
}

/// Whether a condition is over a list channel that is declared complete.
fn is_over_complete(trace: &Trace, condition: Option<&Value>) -> bool {
    let over = condition.and_then(|condition| condition["over"].as_str()).and_then(split_channel);
    over.is_some_and(|(_, channel, steps)| steps.is_empty() && trace.declared(&channel)["complete"] == true)
}

fn escalates(trace: &Trace) -> bool {
    trace.contract["on_timeout"]["escalate_to_human_review"] == true
}

fn timed_out(trace: &Trace, _: &Judged) -> Option<Verdict> {
    if !past_deadline(trace) {
        return None;
    }
    let untouched = list(&trace.operation["reports"]).is_empty()
        && trace.own_record().is_none()
        && trace.conflict().is_none()
        && !trace.targets_existing();
    if untouched && shows_nothing_new(trace) {
        let mut verdict = answer("UNVERIFIABLE", true, "expired_without_action");
        verdict.expired = true;
        return Some(verdict);
    }
    let on_timeout = &trace.contract["on_timeout"];
    let result = on_timeout["result"].as_str().unwrap_or("");
    let mut verdict = answer(result, true, on_timeout["reason_code"].as_str().unwrap_or(""));
    verdict.escalated = escalates(trace);
    Some(verdict)
}
