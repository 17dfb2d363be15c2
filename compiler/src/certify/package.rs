//! The skill package as values: path to text. Builds and seals it; must not read a clock or write a file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use provely_evaluator::contract::ItemTest;
use provely_evaluator::hash::Digest;
use provely_evaluator::json::{Value, to_value};
use provely_evaluator::manifest::{
    self, Conformance, ContractEntry, LifecycleFacts, MANIFEST_SCHEMA_VERSION, ManifestDraft, Score,
    ServiceName, StateFacts, VersionRange, VersionRule,
};
use provely_evaluator::seal::{SigningKey, Unsigned, seal_value};
use provely_evaluator::time::Time;
use provely_model::{FailurePredicate, Operation, Resource, Service};
use serde::Serialize;

use super::facts::{body_encoding, certainty, file_entry, version_scheme, webhook_signature};
use super::measure::measure;
use super::score::{Gates, score};
use crate::assertion::SourceRecord;
use crate::plan::identifier;
use crate::review::Reviewed;
use crate::source::{Publication, ServiceFile};
use crate::synthesise::{Synthesis, Synthesised};
use crate::uncertainty::{Uncertainty, UncertaintyKind};

/// What stage 6 reads.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The planned service.
    pub service: &'a Service,
    /// The sources with their digests.
    pub sources: &'a [SourceRecord],
    /// The service file, where there is one.
    pub file: Option<&'a ServiceFile>,
    /// The contracts.
    pub written: &'a Synthesised,
    /// The questions of all stages, after the answers.
    pub reviewed: &'a Reviewed,
    /// The conformance run.
    pub run: &'a Run,
    /// Versions and time.
    pub release: &'a Release,
}

/// A conformance run and its artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What it found; its digest is that of `artifact`.
    pub result: Conformance,
    /// Text of `conformance.json`.
    pub artifact: String,
}

impl Run {
    /// Seals the artifact of a run and puts its digest into the result.
    ///
    /// # Errors
    /// [`CertifyError::Unsealable`] if the artifact is no object or holds a number that cannot be signed.
    pub fn seal(
        mut result: Conformance,
        artifact: &Value,
        key: &SigningKey,
        key_id: &str,
    ) -> Result<Self, CertifyError> {
        let sealed = seal_value(artifact, key, key_id).map_err(unsealable)?;
        let artifact = format!("{sealed:#}\n");
        result.digest = Digest::of(artifact.as_bytes());
        Ok(Self { result, artifact })
    }
}

/// Versions and time of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Version of the skill.
    pub skill_version: String,
    /// Version of the compiler.
    pub compiler_version: String,
    /// The one time stamp.
    pub compiled_at: Time,
}

/// A package and its scores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Certified {
    /// Path within the package to text.
    pub files: BTreeMap<String, String>,
    /// The score of the skill: that of its worst published contract.
    pub score: Score,
    /// The score of each published contract, by id.
    pub scores: Vec<(String, Score)>,
}

/// Why a skill is not certified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertifyError {
    /// A case was VERIFIED and must not be.
    CriticalFalseVerified {
        /// How many.
        count: u64,
    },
    /// Something to publish was not written.
    NotWritten {
        /// Operation and level.
        what: String,
    },
    /// There is nothing to publish.
    Nothing,
    /// Figures that do not belong to the package.
    Benchmark {
        /// Why.
        why: String,
    },
    /// A contract has no hash, or the manifest cannot be sealed.
    Unsealable {
        /// What and why.
        why: String,
    },
}

impl CertifyError {
    /// Stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::CriticalFalseVerified { .. } => "certify/critical-false-verified",
            Self::NotWritten { .. } => "certify/not-written",
            Self::Nothing => "certify/nothing-to-publish",
            Self::Benchmark { .. } => "certify/benchmark-does-not-fit",
            Self::Unsealable { .. } => "certify/unsealable",
        }
    }
}

impl fmt::Display for CertifyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CriticalFalseVerified { count } => {
                write!(out, "{count} conformance cases were VERIFIED and must not be; the skill is rejected")
            }
            Self::NotWritten { what } => {
                write!(
                    out,
                    "`{what}` is to be published, but no contract was written for it; see the review bundle"
                )
            }
            Self::Nothing => out.write_str("no contract was written, so there is nothing to publish"),
            Self::Benchmark { why } | Self::Unsealable { why } => out.write_str(why),
        }
    }
}

impl std::error::Error for CertifyError {}

/// Scores the published contracts and packs them.
///
/// # Errors
/// [`CertifyError`] for a critical false VERIFIED, a publication without a contract, or what cannot be sealed.
pub fn certify(input: Input<'_>, key: &SigningKey, key_id: &str) -> Result<Certified, CertifyError> {
    let critical = input.run.result.critical_false_verified;
    if critical > 0 {
        return Err(CertifyError::CriticalFalseVerified { count: critical });
    }
    let published = published(input)?;
    let mut scores = Vec::new();
    for synthesis in &published {
        scores.push((synthesis.contract.id.clone(), contract_score(input, &published, synthesis)?));
    }
    let worst =
        scores.iter().map(|(_, score)| score).min_by_key(|score| (score.after_caps, score.raw, score.level));
    let score = worst.cloned().ok_or(CertifyError::Nothing)?;
    let mut files = contract_files(&published)?;
    files.insert("conformance.json".to_owned(), input.run.artifact.clone());
    let draft = draft(input, &published, &scores, &score, &files)?;
    let sealed = draft.seal(key, key_id).and_then(|manifest| manifest.to_json());
    files.insert("manifest.json".to_owned(), sealed.map_err(unsealable)?);
    Ok(Certified { files, score, scores })
}

fn unsealable(error: impl fmt::Display) -> CertifyError {
    CertifyError::Unsealable { why: error.to_string() }
}

/// The contracts to publish, in the order of the service file; all where it names none.
fn published<'a>(input: Input<'a>) -> Result<Vec<&'a Synthesis>, CertifyError> {
    let wanted: &[Publication] = input.file.map_or(&[], |file| file.publish.as_slice());
    let all = &input.written.contracts;
    if wanted.is_empty() {
        return Ok(all.iter().collect());
    }
    let mut found = Vec::new();
    for publication in wanted {
        let of_operation = all.iter().filter(|synthesis| synthesis.operation == publication.operation);
        if publication.levels.is_empty() {
            found.extend(of_operation);
            continue;
        }
        for level in &publication.levels {
            let named = |synthesis: &&Synthesis| {
                synthesis.level == *level || synthesis.contract.completion_level == *level
            };
            let synthesis = of_operation.clone().find(named);
            let what = || CertifyError::NotWritten { what: format!("{} {level}", publication.operation) };
            found.push(synthesis.ok_or_else(what)?);
        }
    }
    Ok(found)
}

fn resource<'a>(service: &'a Service, synthesis: &Synthesis) -> Result<&'a Resource, CertifyError> {
    let missing = || CertifyError::NotWritten { what: synthesis.contract.id.clone() };
    service.resource(&synthesis.resource).ok_or_else(missing)
}

/// How many open questions a published contract rests on.
fn open_questions(input: Input<'_>, published: &[&Synthesis]) -> usize {
    let open = input.reviewed.open.iter();
    open.filter(|open| published.iter().any(|synthesis| binds(open, synthesis))).count()
}

fn contract_score(
    input: Input<'_>,
    published: &[&Synthesis],
    synthesis: &Synthesis,
) -> Result<Score, CertifyError> {
    let resource = resource(input.service, synthesis)?;
    let documents: BTreeSet<String> =
        input.sources.iter().filter(|source| source.kind == "docs").map(|source| source.id.clone()).collect();
    let parts = resource.lifecycle.as_ref().and_then(|lifecycle| lifecycle.parts.as_ref());
    let part = parts.and_then(|parts| input.service.resource(&parts.resource));
    let measure = measure(&synthesis.contract, (resource, part), &documents);
    let open =
        input.reviewed.open.iter().filter(|open| binds(open, synthesis)).map(|open| open.cap).collect();
    let gates =
        Gates { unknown_semantics: unknown(resource), open, unreviewed: open_questions(input, published) };
    Ok(score(&measure, &gates, &input.run.result))
}

/// A state whose class is not certain; one that a reviewer marked as indeterminate is.
fn unknown(resource: &Resource) -> bool {
    let states = resource.lifecycle.iter().flat_map(|lifecycle| &lifecycle.states);
    states.into_iter().any(|state| !state.certainty.is_certain())
}

/// True if the contract rests on what the question is about: then its score is capped by it.
#[must_use]
pub fn binds(open: &Uncertainty, synthesis: &Synthesis) -> bool {
    let resource = synthesis.resource.as_str();
    let about_resource = open
        .subject
        .strip_prefix(resource)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']));
    let rests_on = || {
        let cited = synthesis.contract.provenance.values().flatten();
        let mut cited = cited.filter(|assertion| !assertion.starts_with("provely.rules#"));
        cited.any(|assertion| open.assertions.iter().any(|seen| assertion.starts_with(seen.as_str())))
    };
    match open.kind {
        UncertaintyKind::StateClass | UncertaintyKind::StateConflict | UncertaintyKind::StateField => {
            // The states of parts are asked about where the parts are records of their own.
            let of_parts =
                synthesis.contract.subject.lifecycle.as_ref().is_some_and(|own| own.over.is_some());
            about_resource || (of_parts && rests_on())
        }
        UncertaintyKind::Effect | UncertaintyKind::Evidence | UncertaintyKind::Retry => {
            open.subject == synthesis.operation
        }
        UncertaintyKind::Input => rests_on(),
        UncertaintyKind::Version => open.subject.split('@').next() == Some(synthesis.contract.id.as_str()),
    }
}

fn contract_files(published: &[&Synthesis]) -> Result<BTreeMap<String, String>, CertifyError> {
    let mut files = BTreeMap::new();
    for synthesis in published {
        let value = to_value(&synthesis.contract).map_err(unsealable)?;
        files.insert(contract_path(&synthesis.contract.id), format!("{value:#}\n"));
    }
    Ok(files)
}

fn contract_path(id: &str) -> String {
    format!("contracts/{id}.json")
}

fn draft(
    input: Input<'_>,
    published: &[&Synthesis],
    scores: &[(String, Score)],
    score: &Score,
    files: &BTreeMap<String, String>,
) -> Result<ManifestDraft, CertifyError> {
    let service = input.service;
    let version = service.version.as_ref().ok_or_else(|| unsealable("the sources state no version"))?;
    let operations: Vec<&Operation> =
        published.iter().filter_map(|synthesis| service.operation(&synthesis.operation)).collect();
    let plans = operations.iter().filter_map(|operation| operation.plan.as_ref());
    let scopes: BTreeSet<String> = plans.clone().flat_map(|plan| plan.read_scopes.iter().cloned()).collect();
    let mut in_band_failure: Vec<ItemTest> = Vec::new();
    for test in plans.filter_map(|plan| plan.failure.as_ref()).flat_map(FailurePredicate::tests) {
        if !in_band_failure.contains(&test) {
            in_band_failure.push(test);
        }
    }
    Ok(ManifestDraft {
        schema_version: MANIFEST_SCHEMA_VERSION.to_owned(),
        service: ServiceName { id: service.id.clone(), title: service.title.clone() },
        skill_version: input.release.skill_version.clone(),
        compiler_version: input.release.compiler_version.clone(),
        compiled_at: input.release.compiled_at,
        base_url: service.base_url.clone().unwrap_or_default(),
        version: VersionRule {
            header: version.header.clone(),
            scheme: version_scheme(&version.default).to_owned(),
            default: version.default.clone(),
            range: VersionRange { from: version.from.clone(), to: version.to.clone() },
        },
        body_encoding: body_encoding(&operations),
        in_band_failure,
        webhook_signature: input.file.and_then(|file| file.signature.as_ref()).map(webhook_signature),
        read_scopes: scopes.into_iter().collect(),
        sources: sources(input.sources)?,
        lifecycles: lifecycles(input, published)?,
        files: files.iter().map(file_entry).collect(),
        contracts: contract_entries(published, scores)?,
        score: score.clone(),
        conformance: input.run.result.clone(),
        benchmark: None,
        open_uncertainties: u32::try_from(open_questions(input, published)).unwrap_or(u32::MAX),
        signature: Unsigned,
    })
}

fn sources(records: &[SourceRecord]) -> Result<Vec<manifest::SourceEntry>, CertifyError> {
    let entry = |record: &SourceRecord| {
        let sha256 =
            record.sha256.parse().map_err(|_| unsealable(format!("`{}` has no digest", record.id)))?;
        Ok(manifest::SourceEntry {
            id: record.id.clone(),
            kind: record.kind.to_owned(),
            url: record.url.clone().unwrap_or_default(),
            retrieved: record.retrieved.clone().unwrap_or_default(),
            excerpt: record.excerpt.clone().unwrap_or_else(|| "whole".to_owned()),
            sha256,
        })
    };
    records.iter().map(entry).collect()
}

fn lifecycles(input: Input<'_>, published: &[&Synthesis]) -> Result<Vec<LifecycleFacts>, CertifyError> {
    let mut found: Vec<LifecycleFacts> = Vec::new();
    for synthesis in published {
        let resource = resource(input.service, synthesis)?;
        let Some(lifecycle) = &resource.lifecycle else { continue };
        let name = match &lifecycle.parts {
            Some(parts) => format!("{}.{}", input.service.id, identifier(&parts.resource)),
            None => synthesis.contract.subject.kind.clone(),
        };
        if found.iter().any(|facts| facts.name == name) {
            continue;
        }
        let meaning = |state: &str| {
            let names = input.file.map(|file| &file.names.states);
            let scoped = format!("{}.{state}", resource.name);
            names
                .and_then(|names| names.get(&scoped).or_else(|| names.get(state)))
                .cloned()
                .unwrap_or_default()
        };
        let states = lifecycle.states.iter().map(|state| StateFacts {
            name: state.name.clone(),
            class: state.class,
            reversible: state.reversible,
            certainty: certainty(state.certainty),
            meaning: meaning(&state.name),
            assertions: state.assertions.clone(),
        });
        let field = lifecycle.path.strip_prefix('@').unwrap_or_default().replace('.', "/");
        found.push(LifecycleFacts { name, field, states: states.collect() });
    }
    Ok(found)
}

fn contract_entries(
    published: &[&Synthesis],
    scores: &[(String, Score)],
) -> Result<Vec<ContractEntry>, CertifyError> {
    let mut entries = Vec::new();
    for (synthesis, (_, score)) in published.iter().zip(scores) {
        let contract = &synthesis.contract;
        let hash = contract.hash.as_deref().and_then(|hash| hash.parse().ok());
        let channels = &contract.evidence_policy.channels;
        let named = contract.completion.all_of.iter().flat_map(|condition| &condition.evidence);
        let levels: BTreeSet<_> = named
            .filter_map(|name| channels.iter().find(|channel| channel.name == *name))
            .map(|channel| channel.evidence_level)
            .collect();
        entries.push(ContractEntry {
            id: contract.id.clone(),
            version: contract.version.clone(),
            path: contract_path(&contract.id),
            completion_level: contract.completion_level.clone(),
            promise: contract.promise.clone(),
            certification: score.level,
            evidence_levels: levels.into_iter().collect(),
            hash: hash.ok_or_else(|| unsealable(format!("`{}` has no hash", contract.id)))?,
        });
    }
    Ok(entries)
}
