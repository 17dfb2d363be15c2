//! What a contract is measured by: documented parts, paths that resolve, certain states, causality. Counts;
//! must not weigh.

use std::collections::BTreeSet;

use provely_evaluator::contract::{
    Assurance, Condition, Contract, EvidenceLevel, ItemTest, NegativeClass, StrategyName, Target,
};
use provely_model::{Field, Lifecycle, Resource};
use serde::Serialize;

use super::score::Ratio;
use crate::assertion::source_of;
use provely_evaluator::query::{Reference, Root, Step};

/// The counts behind one contract's score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Measure {
    /// Classes, channels, timings and correlations that cite a passage of the vendor's documents.
    pub documentation: Ratio,
    /// Paths into provider records that resolve.
    pub schema: Ratio,
    /// States whose class is certain.
    pub lifecycle: Ratio,
    /// The highest level that a positive needs.
    pub evidence: EvidenceLevel,
    /// A strong strategy exists.
    pub strong: Ratio,
    /// Inputs that tell records apart and that a blocking negative guards.
    pub identity: Ratio,
    /// Blocking negatives against what was there before and against a second effect.
    pub repeated: Ratio,
}

impl Measure {
    /// One third for each of strong correlation, identity, and repeated effects, by the part present.
    #[must_use]
    pub fn causal(&self) -> Ratio {
        let thirds = [self.strong, self.identity, self.repeated];
        let whole: u64 = thirds.iter().map(|third| third.whole.max(1)).product();
        let part = thirds.iter().map(|third| match third.whole {
            0 => whole,
            of => third.part * whole / of,
        });
        Ratio::new(part.sum(), whole * 3)
    }
}

/// Measures a contract against its resource, and that of the parts that carry its outcome. `documents` are the ids of the sources that are the vendor's own
/// documents.
#[must_use]
pub fn measure(
    contract: &Contract,
    (resource, part): (&Resource, Option<&Resource>),
    documents: &BTreeSet<String>,
) -> Measure {
    Measure {
        documentation: documentation(contract, documents),
        schema: schema(contract, resource, part),
        lifecycle: lifecycle(resource.lifecycle.as_ref()),
        evidence: evidence(contract),
        strong: strong(contract),
        identity: identity(contract),
        repeated: repeated(contract),
    }
}

fn documentation(contract: &Contract, documents: &BTreeSet<String>) -> Ratio {
    let counted = ["lifecycle.", "channels.", "correlation."];
    let rules = contract.provenance.iter().filter(|(part, _)| {
        part.as_str() == "timing" || counted.iter().any(|prefix| part.starts_with(prefix))
    });
    let cites = |assertions: &Vec<String>| {
        assertions.iter().any(|assertion| documents.contains(source_of(assertion)))
    };
    let documented = rules.clone().filter(|(_, assertions)| cites(assertions)).count();
    Ratio::new(documented as u64, rules.count() as u64)
}

fn lifecycle(lifecycle: Option<&Lifecycle>) -> Ratio {
    let states = lifecycle.map_or(&[][..], |lifecycle| lifecycle.states.as_slice());
    let certain = states.iter().filter(|state| {
        state.certainty.is_certain() && state.class != provely_evaluator::contract::StateClass::Unknown
    });
    Ratio::new(certain.count() as u64, states.len() as u64)
}

fn evidence(contract: &Contract) -> EvidenceLevel {
    let channels = &contract.evidence_policy.channels;
    let named = contract.completion.all_of.iter().flat_map(|condition| &condition.evidence);
    let levels = named.filter_map(|name| channels.iter().find(|channel| channel.name == *name));
    levels.map(|channel| channel.evidence_level).max().unwrap_or(EvidenceLevel::E0)
}

fn strong(contract: &Contract) -> Ratio {
    let strong =
        contract.correlation.strategies.iter().any(|strategy| strategy.assurance == Assurance::Strong);
    Ratio::new(u64::from(strong), 1)
}

fn blocks(condition: &Condition) -> bool {
    condition.blocking != Some(false)
}

fn identity(contract: &Contract) -> Ratio {
    if contract.action.target == Target::Existing {
        return Ratio::new(1, 1);
    }
    let fingerprint =
        contract.correlation.strategies.iter().find(|strategy| strategy.name == StrategyName::Fingerprint);
    let keys = fingerprint.map_or(&[][..], |strategy| strategy.keys.as_slice());
    let guarded = keys.iter().filter(|key| {
        let mut negatives = contract.negative_conditions.any_of.iter().filter(|condition| blocks(condition));
        let input = provely_evaluator::json::Value::from(key.source.as_str());
        negatives.any(|condition| {
            let class = condition.class;
            let identifies =
                class == Some(NegativeClass::WrongSubject) || class == Some(NegativeClass::WrongAmount);
            let mut compared = condition.all_of.iter().chain(core::iter::once(condition));
            identifies && compared.any(|own| own.expected.as_ref() == Some(&input))
        })
    });
    if keys.is_empty() { Ratio::new(0, 1) } else { Ratio::new(guarded.count() as u64, keys.len() as u64) }
}

fn repeated(contract: &Contract) -> Ratio {
    let has = |wanted: NegativeClass| {
        contract
            .negative_conditions
            .any_of
            .iter()
            .any(|condition| condition.class == Some(wanted) && blocks(condition))
    };
    let before = has(NegativeClass::PreExistingState);
    match contract.action.target {
        Target::Create => {
            Ratio::new(u64::from(before) + u64::from(has(NegativeClass::DuplicateSideEffect)), 2)
        }
        Target::Existing => {
            let baseline = contract.completion.all_of.iter().any(|condition| {
                condition.path.as_deref().is_some_and(|path| path.starts_with("$baseline."))
            });
            Ratio::new(u64::from(before || baseline), 1)
        }
    }
}

fn schema(contract: &Contract, resource: &Resource, part: Option<&Resource>) -> Ratio {
    let mut paths = Paths::default();
    let conditions = contract.completion.all_of.iter().chain(&contract.negative_conditions.any_of);
    let rules = contract.verdict_map.iter().map(|rule| &rule.matching);
    for condition in conditions.chain(rules) {
        of_condition(condition, &mut paths);
    }
    let keys = contract.correlation.strategies.iter().flat_map(|strategy| &strategy.keys);
    paths.own.extend(keys.filter_map(|key| key.path.clone()));
    let own = paths.own.iter().filter(|path| resolves(path, resource)).count();
    let below = paths.parts.iter().filter(|path| part.is_some_and(|part| resolves(path, part))).count();
    Ratio::new((own + below) as u64, (paths.own.len() + paths.parts.len()) as u64)
}

/// Paths into records, and into the parts of a list inside one.
#[derive(Default)]
struct Paths {
    own: BTreeSet<String>,
    parts: BTreeSet<String>,
}

fn of_condition(condition: &Condition, paths: &mut Paths) {
    paths.own.extend(condition.path.as_deref().and_then(in_record));
    for part in &condition.all_of {
        of_condition(part, paths);
    }
    let tests = condition.matching.iter().chain(condition.fallback.as_deref());
    let tested = tests.filter_map(|test: &ItemTest| test.path.as_deref());
    let summed = condition.sum.as_deref().into_iter();
    let tested = tested.chain(summed).filter_map(in_record);
    // The events of a channel are records of their own; another list below a record is one of its parts.
    let inner = condition.over.as_deref().and_then(in_record).filter(|path| path != "@.events");
    match inner {
        Some(list) => {
            paths.own.insert(list);
            paths.parts.extend(tested);
        }
        None => paths.own.extend(tested),
    }
}

/// The path below the record, rooted at `@`; `None` for what is no provider record.
fn in_record(path: &str) -> Option<String> {
    let reference = Reference::parse(path).ok()?;
    let steps = match (&reference.root, reference.steps.as_slice()) {
        (Root::Observed(_) | Root::Baseline(_), steps) => steps,
        (Root::Item, [Step::Member(first), rest @ ..]) if first == "record" => rest,
        (Root::Item, [Step::Member(first)]) if first == "record_id" || first == "type" => return None,
        (Root::Item, steps) => steps,
        (Root::Document | Root::Input | Root::Operation | Root::Correlation(_) | Root::ActionResult, _) => {
            return None;
        }
    };
    match steps.first()? {
        Step::Member(_) => Some(steps.iter().fold("@".to_owned(), |path, step| match step {
            Step::Member(name) => format!("{path}.{name}"),
            Step::Index(index) => format!("{path}[{index}]"),
        })),
        Step::Index(_) => None,
    }
}

/// True if the record's schema has the field; below it only free maps and objects go on.
fn resolves(path: &str, resource: &Resource) -> bool {
    use provely_model::FieldKind;
    let deep = path.matches(['.', '[']).count() > 1;
    crate::plan::field_at(resource, path).is_some_and(|field: &Field| {
        let nests = matches!(
            field.kind,
            FieldKind::Map | FieldKind::Object | FieldKind::Array | FieldKind::Any | FieldKind::IdOrRecord
        );
        !deep || nests
    })
}
