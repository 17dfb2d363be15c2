//! Stage 2: the effect of every operation, the resources, and the lifecycle of each, with how sure each class
//! is. Must not plan how anything is proven, and never promotes a guess.

mod cues;
mod explanation;
mod fields;
mod graph;
mod lifecycle;
mod records;
mod resources;
mod roles;
mod sentences;
mod statements;
mod states;
mod talks;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use provely_model::{Assertion, Operation, Service};
use rayon::prelude::*;
use serde::Serialize;

use crate::assertion::source_of;
use crate::ingest::{Ingested, Schema};
use crate::source::SourceKind;
use crate::uncertainty::{Uncertainty, UncertaintyKind};

pub(crate) use resources::without_format;
pub(crate) use words::snake;

/// The model of a service, still without plans, and what stayed open.
#[derive(Debug, Clone, Serialize)]
pub struct Classified {
    /// Operations (without plans) and resources.
    pub service: Service,
    /// Open questions, those of the ingest stage first.
    pub uncertainties: Vec<Uncertainty>,
    /// Every assertion that an operation, a resource or a state rests on, each once, in order.
    pub assertions: Vec<Assertion>,
    /// Ids of the uncertainties that a reviewer's answers closed.
    pub answered: Vec<String>,
}

/// Classifies what was ingested.
#[must_use]
pub fn classify(found: &Ingested) -> Classified {
    let sorted = resources::sort(found);
    let mut by_resource: BTreeMap<&str, Vec<&Operation>> = BTreeMap::new();
    for operation in &sorted.operations {
        if let Some(resource) = &operation.resource {
            by_resource.entry(resource).or_default().push(operation);
        }
    }
    let nothing = Vec::new();
    let mut resources = sorted.resources;
    let weighed: Vec<Option<lifecycle::Weighed>> = resources
        .par_iter()
        .zip(sorted.schemas.par_iter())
        .map(|(resource, schema)| {
            weigh(found, schema, &resource.name, by_resource.get(resource.name.as_str()).unwrap_or(&nothing))
        })
        .collect();
    let mut uncertainties = found.uncertainties.clone();
    let mut answered = Vec::new();
    for (resource, weighed) in resources.iter_mut().zip(weighed) {
        let Some(weighed) = weighed else { continue };
        uncertainties.extend(weighed.uncertainties);
        answered.extend(weighed.answered);
        resource.lifecycle = Some(weighed.lifecycle);
    }
    uncertainties.extend(sorted.close.iter().map(|id| close_call(found, id)));
    let service = service(found, sorted.operations, resources);
    let assertions = assertions(&service);
    Classified { service, uncertainties, assertions, answered }
}

fn weigh(
    found: &Ingested,
    schema: &Schema<'_>,
    resource: &str,
    operations: &[&Operation],
) -> Option<lifecycle::Weighed> {
    let field = states::state_field(schema)?;
    let talks = talks::talks(found, schema, &field, resource, operations);
    let place = fragment(found, &field.schema);
    Some(lifecycle::weigh(resource, (&field, place), &talks, &found.review))
}

/// Where a schema, or its one variant that lists values, stands, as a reference: `#/pointer` in the description itself, `FILE#/pointer` in another
/// file of it.
fn fragment(found: &Ingested, schema: &Schema<'_>) -> String {
    let written = schema.keep();
    if found.forest.kind(written.tree) == Some(SourceKind::Graphql) {
        let named = schema.named_assertion();
        return named.split_once('#').map_or(named.clone(), |(_, place)| place.to_owned());
    }
    let mut carriers = schema.variants().into_iter().filter(|variant| !variant.values().is_empty());
    let listed = ["enum", "const"].iter().any(|keyword| schema.keyword(keyword).is_some());
    let place = match (listed, carriers.next(), carriers.next()) {
        (false, Some(only), None) if only.name().is_some() => only.keep(),
        (_, _, _) => schema.keep(),
    };
    let part = found.forest.tree(place.tree).filter(|tree| tree.kind == SourceKind::OpenapiPart);
    format!("{}#{}", part.map_or("", |tree| tree.name.as_str()), place.pointer)
}

fn close_call(found: &Ingested, id: &str) -> Uncertainty {
    let question = format!("The cues for the effect of `{id}` are evenly divided. What does it do?");
    let seen = found.operation(id).map(|operation| operation.assertion.clone());
    Uncertainty::new(UncertaintyKind::Effect, id, question)
        .with_answers(provely_model::Effect::all().map(provely_model::Effect::name))
        .with_assertions(seen.into_iter().collect())
}

fn service(found: &Ingested, operations: Vec<Operation>, resources: Vec<provely_model::Resource>) -> Service {
    let file = found.file.as_ref();
    let server = found.servers.first().map(|server| server.trim_end_matches('/').to_owned());
    Service {
        id: found.service.clone(),
        title: found.title.clone(),
        base_url: file.and_then(|file| file.base_url.clone()).or(server),
        version: file.and_then(crate::source::ServiceFile::version),
        signature: file.and_then(|file| file.signature.as_ref()).map(crate::source::SignatureFile::scheme),
        operations,
        resources,
    }
}

fn assertions(service: &Service) -> Vec<Assertion> {
    let operations = service.operations.iter().flat_map(|operation| &operation.assertions);
    let resources = service.resources.iter().flat_map(|resource| {
        let states = resource.lifecycle.iter().flat_map(|lifecycle| &lifecycle.states);
        resource.assertions.iter().chain(states.flat_map(|state| &state.assertions))
    });
    let ids: BTreeSet<&String> = operations.chain(resources).collect();
    ids.into_iter().map(|id| Assertion { id: id.clone(), source: source_of(id).to_owned() }).collect()
}
