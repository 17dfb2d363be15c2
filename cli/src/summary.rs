//! What a compilation found, as data for machines; members of stages that were not run are null.

use crate::compilation::Compilation;
use provely_compiler::certify::Certified;
use provely_compiler::synthesise::Synthesis;
use provely_evaluator::contract::{Contract, EvidenceLevel, StateClass};
use provely_evaluator::manifest::{Points, Score};
use provely_model::{Certainty, Effect, IdempotencyPlan, Operation, Resource, Service};
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

/// The whole summary.
#[derive(Serialize)]
pub struct Summary<'c> {
    /// Id of the service.
    pub service: &'c str,
    /// Every operation.
    pub operations: Option<Vec<OperationRow<'c>>>,
    /// Every resource.
    pub resources: Option<Vec<ResourceRow<'c>>>,
    /// The contracts: the published ones once the skill is certified, all before.
    pub contracts: Option<Vec<ContractRow<'c>>>,
    /// What each of a reviewer's answers changed; only known where a package is written.
    pub answers: &'c [crate::answers::Effect],
    /// What stays open.
    pub uncertainties: Vec<Question<'c>>,
    /// The score of the skill.
    pub score: Option<ScoreRow>,
    /// The conformance run.
    pub conformance: Option<ConformanceRow>,
    /// Milliseconds by stage.
    pub timings: BTreeMap<&'static str, u64>,
}

/// One operation.
#[derive(Serialize)]
pub struct OperationRow<'c> {
    /// `POST /v1/refunds`
    pub id: &'c str,
    /// What it does.
    pub effect: Effect,
    /// The resource it is about.
    pub resource: Option<&'c str>,
    /// The operation that reads its record.
    pub readback: Option<&'c str>,
    /// The operation that lists siblings.
    pub list: Option<&'c str>,
    /// Event types that report it; empty if it is known that none does.
    pub events: Option<&'c [String]>,
    /// How a retry is made safe.
    pub idempotency: Option<&'c IdempotencyPlan>,
}

/// One resource.
#[derive(Serialize)]
pub struct ResourceRow<'c> {
    /// Its name.
    pub name: &'c str,
    /// Its states.
    pub lifecycle: Option<LifecycleRow<'c>>,
}

/// The states of a resource.
#[derive(Serialize)]
pub struct LifecycleRow<'c> {
    /// The place of the state in the sources, `#/components/schemas/refund/properties/status`.
    pub field: &'c str,
    /// The states.
    pub states: Vec<StateRow<'c>>,
}

/// One state.
#[derive(Serialize)]
pub struct StateRow<'c> {
    /// The word.
    pub name: &'c str,
    /// What it means.
    pub class: StateClass,
    /// How sure that is.
    pub certainty: Certainty,
    /// What it rests on.
    pub assertions: &'c [String],
}

/// One contract.
#[derive(Serialize)]
pub struct ContractRow<'c> {
    /// Its id.
    pub id: &'c str,
    /// Its level.
    pub completion_level: &'c str,
    /// How well it is proven.
    pub certification: Option<&'static str>,
    /// The levels that its positives need.
    pub evidence_levels: BTreeSet<EvidenceLevel>,
    /// The ids of its conditions, positives first.
    pub conditions: Vec<&'c str>,
    /// Its hash.
    pub hash: Option<&'c str>,
}

/// One open question.
#[derive(Serialize)]
pub struct Question<'c> {
    /// Its id.
    pub id: &'c str,
    /// Its kind.
    pub kind: provely_compiler::uncertainty::UncertaintyKind,
    /// What it is about.
    pub subject: &'c str,
    /// The question.
    pub question: &'c str,
    /// The most that a contract resting on it can score.
    pub cap: u8,
}

/// A score.
#[derive(Serialize)]
pub struct ScoreRow {
    /// Points by dimension.
    pub dimensions: BTreeMap<String, Decimal>,
    /// Their sum.
    pub raw: Decimal,
    /// What caps it.
    pub caps: Vec<CapRow>,
    /// After the caps.
    #[serde(rename = "final")]
    pub after_caps: Decimal,
    /// The level.
    pub level: &'static str,
}

/// A cap, and the contracts that it binds.
#[derive(Serialize)]
pub struct CapRow {
    /// What caps.
    pub gate: String,
    /// The most that the score can be.
    pub cap: Decimal,
    /// Why.
    pub reason: String,
    /// The contracts.
    pub contracts: Vec<String>,
}

/// The conformance run.
#[derive(Serialize)]
pub struct ConformanceRow {
    /// Cases.
    pub total: u32,
    /// Those that passed.
    pub passed: u32,
    /// False VERIFIED.
    pub critical_false_verified: u32,
}

/// Points as a number, two places at most.
pub struct Decimal(pub Points);

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.hundredths() {
            hundredths if hundredths % 100 == 0 => serializer.serialize_u32(hundredths / 100),
            hundredths => serializer.serialize_f64(f64::from(hundredths) / 100.0),
        }
    }
}

impl<'c> Summary<'c> {
    /// The summary of a compilation.
    #[must_use]
    pub fn of(made: &'c Compilation) -> Self {
        let classified = made.classified.as_ref().map(|classified| &classified.service);
        let service = made.planned.as_ref().map(|planned| &planned.service).or(classified);
        Self {
            service: &made.found.service,
            operations: service.map(|service| operations(service, made.planned.is_some())),
            resources: service.map(|service| service.resources.iter().map(resource).collect()),
            contracts: contracts(made),
            answers: &made.answers,
            uncertainties: made.open().into_iter().map(question).collect(),
            score: made.certified.as_ref().map(score),
            conformance: made.tested.as_ref().map(|tested| ConformanceRow {
                total: tested.report.total,
                passed: tested.report.passed,
                critical_false_verified: tested.report.critical_false_verified,
            }),
            timings: made.timings.iter().map(|(stage, took)| (stage.name(), *took)).collect(),
        }
    }
}

fn operations(service: &Service, planned: bool) -> Vec<OperationRow<'_>> {
    service.operations.iter().map(|one| operation(one, planned)).collect()
}

fn operation(operation: &Operation, planned: bool) -> OperationRow<'_> {
    let plan = operation.plan.as_ref();
    let events = plan.map_or(&[][..], |plan| plan.events.as_slice());
    OperationRow {
        id: &operation.id,
        effect: operation.effect,
        resource: operation.resource.as_deref(),
        readback: plan.and_then(|plan| plan.readback.as_deref()),
        list: plan.and_then(|plan| plan.list.as_deref()),
        events: planned.then_some(events),
        idempotency: plan.and_then(|plan| plan.idempotency.as_ref()),
    }
}

fn resource(resource: &Resource) -> ResourceRow<'_> {
    let lifecycle = resource.lifecycle.as_ref().map(|lifecycle| LifecycleRow {
        field: &lifecycle.field,
        states: lifecycle
            .states
            .iter()
            .map(|state| StateRow {
                name: &state.name,
                class: state.class,
                certainty: state.certainty,
                assertions: &state.assertions,
            })
            .collect(),
    });
    ResourceRow { name: &resource.name, lifecycle }
}

fn contracts(made: &Compilation) -> Option<Vec<ContractRow<'_>>> {
    let certified = made.certified.as_ref();
    let kept =
        |synthesis: &&Synthesis| certified.is_none_or(|own| level(own, &synthesis.contract.id).is_some());
    let row = |synthesis: &'_ Synthesis| -> Option<&'static str> {
        certified.and_then(|own| level(own, &synthesis.contract.id))
    };
    let written = made.written.as_ref()?;
    Some(written.contracts.iter().filter(kept).map(|one| contract(&one.contract, row(one))).collect())
}

fn level(certified: &Certified, id: &str) -> Option<&'static str> {
    certified.scores.iter().find(|(own, _)| own == id).map(|(_, score)| score.level.id())
}

fn contract<'c>(contract: &'c Contract, certification: Option<&'static str>) -> ContractRow<'c> {
    let positives = &contract.completion.all_of;
    let channel = |name: &String| {
        contract
            .evidence_policy
            .channels
            .iter()
            .find(|channel| channel.name == *name)
            .map(|own| own.evidence_level)
    };
    ContractRow {
        id: &contract.id,
        completion_level: &contract.completion_level,
        certification,
        evidence_levels: positives.iter().flat_map(|one| &one.evidence).filter_map(channel).collect(),
        conditions: positives
            .iter()
            .chain(&contract.negative_conditions.any_of)
            .map(|condition| condition.id.as_str())
            .collect(),
        hash: contract.hash.as_deref(),
    }
}

fn question(open: &provely_compiler::uncertainty::Uncertainty) -> Question<'_> {
    Question {
        id: &open.id,
        kind: open.kind,
        subject: &open.subject,
        question: &open.question,
        cap: open.cap,
    }
}

fn score(certified: &Certified) -> ScoreRow {
    let score = &certified.score;
    let dimensions = score.dimensions.iter().map(|own| (own.name.clone(), Decimal(own.points)));
    ScoreRow {
        dimensions: dimensions.collect(),
        raw: Decimal(score.raw),
        caps: caps(certified),
        after_caps: Decimal(score.after_caps),
        level: score.level.id(),
    }
}

/// The caps of the published contracts, each with those that it binds.
#[must_use]
pub fn caps(certified: &Certified) -> Vec<CapRow> {
    let mut rows: Vec<CapRow> = Vec::new();
    for (id, score) in &certified.scores {
        for cap in &score.caps {
            match rows
                .iter_mut()
                .find(|row| row.gate == cap.gate && row.cap.0 == cap.cap && row.reason == cap.reason)
            {
                Some(row) => row.contracts.push(id.clone()),
                None => rows.push(CapRow {
                    gate: cap.gate.clone(),
                    cap: Decimal(cap.cap),
                    reason: cap.reason.clone(),
                    contracts: vec![id.clone()],
                }),
            }
        }
    }
    rows
}

/// The score of a contract.
#[must_use]
pub fn score_of<'c>(certified: &'c Certified, id: &str) -> Option<&'c Score> {
    certified.scores.iter().find(|(own, _)| own == id).map(|(_, score)| score)
}
