//! Stage 2: the effect of every operation, the resources, and the lifecycle of each, with how sure each class
//! is. Must not plan how anything is proven, and never promotes a guess.

mod answers;
mod axes;
mod bare;
mod cues;
mod distant;
mod elsewhere;
mod explanation;
mod fields;
mod graph;
mod lifecycle;
mod meanings;
mod moves;
mod names;
mod parts;
mod prose;
mod records;
mod refusals;
mod resources;
mod roles;
mod sentences;
mod statements;
mod states;
mod talks;
mod told;
mod transitions;
mod weighing;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use provely_model::{Assertion, Operation, Service};
use rayon::prelude::*;
use serde::Serialize;

use self::elsewhere::Elsewhere;
use self::fields::Names;
use crate::assertion::source_of;
use crate::ingest::{Ingested, Schema};
use crate::source::SourceKind;
use crate::uncertainty::{Uncertainty, UncertaintyKind};

pub(crate) use fields::path as member_path;
pub(crate) use refusals::refusals;
pub(crate) use resources::{leaves_copy, names_ids, records_act, says_made, without_format};
pub(crate) use words::{singular, snake, words};

pub use graph::{ChildList, GraphFacts, GraphType, Leaf};
pub(crate) use graph::{MOST_ITEMS, facts, is_wrapped_id, own_id, stated_scopes, type_suffixes};
pub use refusals::Refusal;

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
    let mut sorted = resources::sort(found);
    let mut close: Vec<Uncertainty> = sorted.close.iter().map(|id| close_call(found, id)).collect();
    let mut answered = answers::effects(&found.review, &close, &mut sorted.operations);
    close.retain(|question| !answered.contains(&question.id));
    let mut by_resource: BTreeMap<&str, Vec<&Operation>> = BTreeMap::new();
    for operation in &sorted.operations {
        if let Some(resource) = &operation.resource {
            by_resource.entry(resource).or_default().push(operation);
        }
    }
    let nothing = Vec::new();
    let mut resources = sorted.resources;
    let nouns: BTreeSet<String> = resources.iter().filter_map(|resource| noun(&resource.name)).collect();
    let elsewhere = Elsewhere::of(found, &nouns);
    let heard: Vec<HeardRecord<'_>> = resources
        .par_iter()
        .zip(sorted.schemas.par_iter())
        .map(|(resource, schema)| {
            let operations = by_resource.get(resource.name.as_str()).unwrap_or(&nothing);
            hear(found, schema, &resource.name, operations, (&sorted.names, &elsewhere))
        })
        .collect();
    let shared = shared(&heard);
    let mut weighed: Vec<(Option<lifecycle::Weighed>, Vec<lifecycle::Weighed>)> = resources
        .par_iter()
        .zip(heard.par_iter())
        .map(|(resource, heard)| weigh(found, &resource.name, heard, &shared))
        .collect();
    let mut uncertainties = found.uncertainties.clone();
    for (resource, (weighed, axes)) in resources.iter_mut().zip(&mut weighed) {
        resource.axes = axes.iter().map(|axis| axis.lifecycle.clone()).collect();
        let Some(weighed) = weighed.take() else { continue };
        if let Some(refused) = answers::no_state(&found.review, &weighed.uncertainties) {
            answered.push(refused);
            continue;
        }
        uncertainties.extend(weighed.uncertainties);
        answered.extend(weighed.answered);
        resource.lifecycle = Some(weighed.lifecycle);
    }
    let carried: Vec<Option<parts::Carried>> = resources
        .par_iter()
        .zip(sorted.schemas.par_iter())
        .map(|(resource, schema)| {
            let operations = by_resource.get(resource.name.as_str()).unwrap_or(&nothing);
            parts::carried(resource, schema, operations, (&resources, &sorted.names))
        })
        .collect();
    for ((resource, carried), (_, mut axes)) in resources.iter_mut().zip(carried).zip(weighed) {
        let Some(carried) = carried else { continue };
        if let Some(axis) = carried.axis {
            // What was a further field is what promises rest on: its questions count from here.
            let axis = axes.swap_remove(axis);
            resource.axes.retain(|own| *own != axis.lifecycle);
            uncertainties.extend(axis.uncertainties);
            answered.extend(axis.answered);
        }
        resource.lifecycle = Some(carried.lifecycle);
    }
    uncertainties.extend(close);
    let service = service(found, sorted.operations, resources);
    let assertions = assertions(&service);
    Classified { service, uncertainties, assertions, answered }
}

/// A field that carries states, where it stands, and the texts that may speak of them.
struct Heard<'a> {
    field: states::StateField<'a>,
    place: String,
    talks: Vec<statements::Talk>,
}

/// The state field of a record and its further ones.
struct HeardRecord<'a> {
    main: Option<Heard<'a>>,
    further: Vec<Heard<'a>>,
}

fn hear<'a>(
    found: &'a Ingested,
    schema: &Schema<'a>,
    resource: &str,
    operations: &[&Operation],
    (names, elsewhere): (&Names, &Elsewhere<'_>),
) -> HeardRecord<'a> {
    let listen = |field: states::StateField<'a>| {
        let own = field.owner.identity() == schema.identity() || !field.further;
        let operations = if own { operations } else { &[] };
        let mut talks = talks::talks(found, schema, &field, resource, operations);
        if let Some(noun) = noun(resource).filter(|_| !field.further) {
            let speaks = |text: &str| talks::speaks(text, &field.states);
            let known: HashSet<&str> = talks.iter().map(|talk| talk.assertion.as_str()).collect();
            let mut more = elsewhere.talks(resource, &noun, &speaks);
            more.retain(|talk| !known.contains(talk.assertion.as_str()));
            talks.extend(more);
        }
        Heard { place: fragment(found, &field.schema), field, talks }
    };
    let main = states::state_field(schema);
    let further = axes::axes(schema, main.as_ref(), names);
    HeardRecord { main: main.map(listen), further: further.into_iter().map(listen).collect() }
}

/// The last word of a resource's name, in the singular.
fn noun(resource: &str) -> Option<String> {
    let mut named = words(resource).into_iter().rev();
    let word = named.find(|word| !word.chars().all(|letter| letter.is_ascii_digit()))?;
    Some(singular(&word))
}

/// Most other records from which texts on a shared list of states are taken.
const MOST_SHARED: usize = 6;

/// The lifecycle of a resource, and those on its further fields. As long as nothing rests on the latter, they
/// raise no question.
fn weigh(
    found: &Ingested,
    resource: &str,
    heard: &HeardRecord<'_>,
    shared: &BTreeMap<&str, Vec<&Heard<'_>>>,
) -> (Option<lifecycle::Weighed>, Vec<lifecycle::Weighed>) {
    let weigh = |one: &Heard<'_>| {
        let others = shared.get(one.place.as_str()).into_iter().flatten();
        let others =
            others.filter(|other| !std::ptr::eq(**other, one) && other.field.states == one.field.states);
        let mut known: HashSet<(&str, &str)> = HashSet::new();
        let near = one.talks.iter().chain(others.take(MOST_SHARED).flat_map(|other| &other.talks));
        let all = near.filter(|talk| !talk.elsewhere).chain(one.talks.iter().filter(|talk| talk.elsewhere));
        let talks: Vec<&statements::Talk> =
            all.filter(|talk| known.insert((talk.assertion.as_str(), talk.text.as_str()))).collect();
        lifecycle::weigh(resource, (&one.field, one.place.clone()), &talks, &found.review)
    };
    (heard.main.as_ref().map(weigh), heard.further.iter().map(weigh).collect())
}

/// Fields by the named schema that lists their states: what is said of it for one record is said for all.
fn shared<'h, 'a>(heard: &'h [HeardRecord<'a>]) -> BTreeMap<&'h str, Vec<&'h Heard<'a>>> {
    let mut shared: BTreeMap<&str, Vec<&Heard<'a>>> = BTreeMap::new();
    for one in heard.iter().flat_map(|record| record.main.iter().chain(&record.further)) {
        if one.place.matches('/').count() <= 3 && one.field.schema.name().is_some() {
            shared.entry(one.place.as_str()).or_default().push(one);
        }
    }
    shared
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
        let states = resource.lifecycles().flat_map(|lifecycle| &lifecycle.states);
        let parts = resource.lifecycles().filter_map(|lifecycle| lifecycle.parts.as_ref());
        let states = states.flat_map(|state| &state.assertions);
        resource.assertions.iter().chain(states).chain(parts.flat_map(|parts| &parts.assertions))
    });
    let ids: BTreeSet<&String> = operations.chain(resources).collect();
    ids.into_iter().map(|id| Assertion { id: id.clone(), source: source_of(id).to_owned() }).collect()
}
