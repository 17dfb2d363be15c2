//! Resources: which schemas are records, what they are called, and which operation is about which. Must not
//! judge states.

use std::collections::{BTreeMap, BTreeSet};

use provely_document::Node;
use provely_model::{BodyEncoding, Effect, Operation, Reply, Resource, Role};
use rayon::prelude::*;

use super::cues::cues;
use super::fields::{self, Names};
use super::graph::{self, Types};
use super::records::{Held, held, settled};
use super::roles::judge;
use super::words::{snake, words};
use crate::ingest::{ApiOperation, Ingested, Property, Schema};

/// The records of a service and its operations, still without lifecycles.
pub(super) struct Sorted<'a> {
    pub(super) operations: Vec<Operation>,
    pub(super) resources: Vec<Resource>,
    /// The schema of each resource, in the same order.
    pub(super) schemas: Vec<Schema<'a>>,
    /// What each schema is called.
    pub(super) names: Names,
    /// Operations whose effect was a near thing.
    pub(super) close: Vec<String>,
}

/// Sorts operations by the record that they are about.
pub(super) fn sort(found: &Ingested) -> Sorted<'_> {
    let types = Types::of(found);
    let mut held: Vec<Option<Held<'_>>> =
        found.operations.par_iter().map(|operation| reply_of(found, operation, types.style)).collect();
    single_out(&found.operations, &mut held);
    let schemas = records(found, &types, &held);
    let names = name(&schemas, &members(&held));
    let label = |schema: &Schema<'_>| names.get(&fields::key(schema)).cloned();
    let direct: Vec<Option<String>> =
        held.iter().map(|held| held.as_ref().and_then(|held| label(&held.record))).collect();
    let by_path = paths(&found.operations, &held, &direct);
    let judged: Vec<(Operation, bool)> = found
        .operations
        .par_iter()
        .zip(held.par_iter().zip(direct.par_iter()))
        .map(|(operation, (held, direct))| match &operation.graphql {
            Some(root) => {
                graph::sorted(found, (operation, root), held.as_ref(), direct.as_ref(), (&names, &types))
            }
            None => sorted(found, operation, held.as_ref(), direct.as_ref(), &by_path),
        })
        .collect();
    let close =
        judged.iter().filter(|(_, close)| *close).map(|(operation, _)| operation.id.clone()).collect();
    let called = called(&found.operations, &held, &direct);
    let resources = schemas.par_iter().filter_map(|schema| resource(schema, &names, &called)).collect();
    Sorted {
        operations: judged.into_iter().map(|(operation, _)| operation).collect(),
        resources,
        schemas,
        names,
        close,
    }
}

fn reply_of<'a>(found: &'a Ingested, operation: &ApiOperation, style: graph::Style) -> Option<Held<'a>> {
    let schema = found.schema(operation.success()?.schema.as_ref()?)?;
    match &operation.graphql {
        Some(root) => graph::held(&schema, root, style),
        None => held(&schema),
    }
}

/// A path that ends in an id answers one record, even where it answers it in the same list as the path above.
fn single_out(operations: &[ApiOperation], held: &mut [Option<Held<'_>>]) {
    let lists: BTreeSet<(String, (usize, String), String)> = operations
        .iter()
        .zip(held.iter())
        .filter(|(operation, _)| operation.method == "GET")
        .filter_map(|(operation, held)| {
            let held = held.as_ref().filter(|held| held.list)?;
            Some((unnamed(&operation.path), fields::key(&held.record), held.select.clone()))
        })
        .collect();
    for (operation, held) in operations.iter().zip(held.iter_mut()) {
        let Some(held) = held.as_mut().filter(|held| held.list && operation.method == "GET") else {
            continue;
        };
        let template = unnamed(&operation.path);
        let Some(above) = template.strip_suffix("/{}") else { continue };
        let named_by_id = last_placeholder(&operation.path)
            .and_then(|name| words(name).pop())
            .is_some_and(|word| cues().shapes.id.contains(&word));
        let key = (above.to_owned(), fields::key(&held.record), held.select.clone());
        if named_by_id && lists.contains(&key) {
            held.list = false;
            held.select.push_str("[0]");
        }
    }
}

/// The name in braces that a path ends with.
fn last_placeholder(path: &str) -> Option<&str> {
    let last = without_format(path).trim_end_matches('/').rsplit('/').next()?;
    last.strip_prefix('{')?.strip_suffix('}').filter(|name| !name.contains('{'))
}

/// A path without an ending that only names a format.
pub(crate) fn without_format(path: &str) -> &str {
    cues().shapes.formats.iter().find_map(|ending| path.strip_suffix(ending.as_str())).unwrap_or(path)
}

/// The schemas of all records: those that replies hold, in the order of operations, then those that a
/// vendor member marks.
fn records<'a>(found: &'a Ingested, types: &Types, held: &[Option<Held<'a>>]) -> Vec<Schema<'a>> {
    let hinted =
        found.schemas.iter().filter_map(|place| found.schema(place)).filter(|schema| hint(schema).is_some());
    let mut seen = BTreeSet::new();
    let parts = graph::children(types, held);
    let all = held.iter().flatten().map(|held| held.record.clone()).chain(parts).chain(hinted);
    all.filter(|schema| seen.insert(fields::key(schema))).collect()
}

fn hint<'a>(schema: &Schema<'a>) -> Option<&'a str> {
    cues().shapes.resource_hints.iter().find_map(|name| schema.keyword(name).and_then(Node::as_str))
}

/// Records in a file of their own to the member that replies hold them under, one record before a list.
fn members(held: &[Option<Held<'_>>]) -> Names {
    let mut members = Names::new();
    let (lists, alone): (Vec<_>, Vec<_>) = held.iter().flatten().partition(|held| held.list);
    for held in alone.into_iter().chain(lists) {
        let Some((_, member)) = held.select.rsplit_once('.') else { continue };
        let own = words(member).iter().map(|word| super::words::singular(word)).collect::<Vec<_>>().join("_");
        if !own.is_empty() && !cues().shapes.wrappers.contains(&own) {
            members.entry(fields::key(&held.record)).or_insert(own);
        }
    }
    members
}

/// A name for every schema, each used once: the hint, else the schema's own name without what only says
/// that it is a reply, else its title, else the path that it stands at, or the member that holds it.
fn name(schemas: &[Schema<'_>], members: &Names) -> Names {
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = Names::new();
    for schema in schemas {
        let title = schema.keyword("title").and_then(Node::as_str);
        let wanted = hint(schema)
            .map(str::to_owned)
            .or_else(|| graph::of_type(schema))
            .or_else(|| schema.name().or_else(|| title.map(str::to_owned)).map(|name| plain(&name)))
            .or_else(|| {
                members
                    .get(&fields::key(schema))
                    .filter(|_| !schema.pointer().starts_with("/paths/"))
                    .cloned()
            })
            .unwrap_or_else(|| from_pointer(schema.pointer()));
        let count = used.entry(wanted.clone()).or_insert(0);
        *count += 1;
        let name = if *count == 1 { wanted } else { format!("{wanted}_{count}") };
        names.insert(fields::key(schema), name);
    }
    names
}

/// A schema's name in words joined by `_`, dots kept, without what only says that it is a reply.
fn plain(name: &str) -> String {
    let shapes = &cues().shapes;
    let parts: Vec<String> =
        name.split('.').map(|part| words(part).join("_")).filter(|part| !part.is_empty()).collect();
    let whole = parts.join(".");
    let mut rest = whole.as_str();
    loop {
        let shorter = shapes
            .suffixes
            .iter()
            .find_map(|suffix| rest.strip_suffix(suffix.as_str())?.strip_suffix('_'))
            .or_else(|| {
                shapes
                    .prefixes
                    .iter()
                    .find_map(|prefix| rest.strip_prefix(prefix.as_str())?.strip_prefix('_'))
            });
        match shorter {
            Some(shorter) if !shorter.is_empty() => rest = shorter,
            Some(_) | None => break,
        }
    }
    rest.to_owned()
}

/// The last fixed segment of the path that a schema without a name stands at.
fn from_pointer(pointer: &str) -> String {
    let path = pointer.split('/').nth(2).unwrap_or_default().replace("~1", "/");
    let fixed =
        path.split('/').rfind(|segment| !segment.is_empty() && !segment.starts_with('{')).unwrap_or("record");
    let singular: Vec<String> = words(fixed).iter().map(|word| super::words::singular(word)).collect();
    singular.join("_")
}

/// What is known of a path template.
#[derive(Debug, Default, Clone)]
struct PathFacts {
    resource: Option<String>,
    list: bool,
    below: bool,
}

/// Path templates, placeholders unnamed, to the resource that reading them answers.
fn paths(
    operations: &[ApiOperation],
    held: &[Option<Held<'_>>],
    direct: &[Option<String>],
) -> BTreeMap<String, PathFacts> {
    let mut paths: BTreeMap<String, PathFacts> = BTreeMap::new();
    for ((operation, held), direct) in operations.iter().zip(held).zip(direct) {
        let template = unnamed(&operation.path);
        if let Some(parent) = template.strip_suffix("/{}") {
            paths.entry(parent.to_owned()).or_default().below = true;
        }
        if operation.method == "GET" {
            let facts = paths.entry(template).or_default();
            facts.list |= held.as_ref().is_some_and(|held| held.list);
            facts.resource = facts.resource.take().or_else(|| direct.clone());
        }
    }
    paths
}

fn unnamed(path: &str) -> String {
    let segments = without_format(path).trim_end_matches('/').split('/');
    let plain = segments
        .map(|segment| if segment.starts_with('{') && segment.ends_with('}') { "{}" } else { segment });
    plain.collect::<Vec<_>>().join("/")
}

/// A text that must be there and has one value alone.
fn fixed(member: &Property<'_>) -> Option<(String, String)> {
    let values = member.schema.values();
    let [only] = values.as_slice() else { return None };
    let text = member.schema.types().iter().all(|kind| *kind == "string");
    (member.required && text).then(|| (member.name.to_owned(), only.clone()))
}

fn sorted(
    found: &Ingested,
    operation: &ApiOperation,
    held: Option<&Held<'_>>,
    direct: Option<&String>,
    paths: &BTreeMap<String, PathFacts>,
) -> (Operation, bool) {
    let template = unnamed(&operation.path);
    let facts = paths.get(&template).cloned().unwrap_or_default();
    let lists = held.is_some_and(|held| held.list);
    let judged = judge(operation, lists, facts.list || facts.below);
    let near = nearest_path(&template, paths);
    let resource = match judged.role {
        Role::Delete | Role::Update | Role::Cancel | Role::Act => near
            .clone()
            .filter(|_| direct.is_none() || judged.role == Role::Delete)
            .or_else(|| direct.cloned()),
        Role::Create | Role::Read | Role::List => direct
            .cloned()
            .or_else(|| if judged.role == Role::Create { item_of(&template, paths) } else { None }),
    };
    let mut assertions = vec![operation.assertion.clone()];
    let reply = operation.success().map(|reply| {
        assertions.push(reply.assertion.clone());
        let envelope = reply.schema.as_ref().filter(|_| lists).and_then(|place| found.schema(place));
        let members = envelope.map(|schema| settled(&schema).properties()).unwrap_or_default();
        let named = |member: &&Property<'_>| {
            member.required
                && cues().shapes.locations.contains(member.name)
                && member.schema.types() == ["string"]
        };
        Reply {
            status: reply.status.parse().unwrap_or(200),
            resource: direct.cloned(),
            select: held.map_or_else(|| "$".to_owned(), |held| held.select.clone()),
            list: lists,
            fixed: members.iter().filter_map(fixed).collect(),
            location: members.iter().find(named).map(|member| member.name.to_owned()),
        }
    });
    let sorted = Operation {
        id: operation.id.clone(),
        method: operation.method.clone(),
        path: operation.path.clone(),
        graphql: None,
        effect: judged.effect,
        resource,
        role: judged.role,
        parameters: fields::parameters(&found.forest, operation),
        body: operation.body.as_ref().map_or(BodyEncoding::None, |body| body.encoding),
        reply,
        plan: None,
        assertions,
    };
    (sorted, judged.close && judged.effect != Effect::Read)
}

/// The resource of the path itself or of the nearest record above it.
fn nearest_path(template: &str, paths: &BTreeMap<String, PathFacts>) -> Option<String> {
    let mut rest = template;
    loop {
        if let Some(name) =
            paths.get(rest).filter(|facts| !facts.list).and_then(|facts| facts.resource.clone())
        {
            return Some(name);
        }
        rest = rest.rsplit_once('/')?.0;
    }
}

/// The resource of the records below a collection, or that its list holds.
fn item_of(template: &str, paths: &BTreeMap<String, PathFacts>) -> Option<String> {
    let below = paths.get(&format!("{template}/{{}}")).and_then(|facts| facts.resource.clone());
    below.or_else(|| paths.get(template).filter(|facts| facts.list).and_then(|facts| facts.resource.clone()))
}

/// Resources to what the paths that read them call their id.
fn called(
    operations: &[ApiOperation],
    held: &[Option<Held<'_>>],
    direct: &[Option<String>],
) -> BTreeMap<String, Vec<String>> {
    let mut called: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ((operation, held), direct) in operations.iter().zip(held).zip(direct) {
        let single = operation.method == "GET" && held.as_ref().is_some_and(|held| !held.list);
        if let (true, Some(name), Some(placeholder)) = (single, direct, last_placeholder(&operation.path)) {
            called.entry(name.clone()).or_default().push(snake(placeholder));
        }
    }
    called
}

/// True for a word that ids are usually called by.
pub(crate) fn names_ids(word: &str) -> bool {
    cues().shapes.id.iter().any(|own| own == word)
}

/// True for a verb that leaves a record of its own beside the one that it acts on.
pub(crate) fn leaves_copy(verb: &str) -> bool {
    cues().effects.leaving.contains(verb)
}

/// True for a verb that only says that a record is made.
pub(crate) fn says_made(verb: &str) -> bool {
    cues().effects.making.contains(verb)
}

/// True for a word that names records of what was done.
pub(crate) fn records_act(word: &str) -> bool {
    cues().effects.of_acts.contains(word)
}

/// The names under which a record may carry its id, best first: as its path says, whole or without the
/// record's own name, then what ids are usually called.
fn id_names(name: &str, called: &[String]) -> Vec<String> {
    let shapes = &cues().shapes;
    let own = name.rsplit('.').next().unwrap_or(name);
    let usual = |word: &String| shapes.id.contains(word);
    let short = |placeholder: &String| {
        let (front, last) = placeholder.rsplit_once('_')?;
        let about = own.split('_').any(|word| front.split('_').any(|other| other == word));
        (about && !usual(&last.to_owned())).then(|| last.to_owned())
    };
    let whole = called.iter().filter(|placeholder| !usual(placeholder)).cloned();
    let shorter = called.iter().filter_map(short);
    whole.chain(shorter).chain(shapes.id.iter().cloned()).chain([format!("{own}_id")]).collect()
}

/// The same in the object that holds a record's values, where a record keeps them in one.
fn inside(schema: &Schema<'_>, names: &Names, wanted: &[String]) -> Option<String> {
    let wrappers = &cues().shapes.wrappers;
    let properties = schema.properties();
    let mut holding = properties.iter().filter(|property| wrappers.iter().any(|own| own == property.name));
    holding.find_map(|property| {
        let inner = fields::fields(&property.schema, names);
        let found = fields::named(&inner, wanted)?;
        Some(format!("{}{}", fields::path(property.name), found.strip_prefix('@')?))
    })
}

fn resource(schema: &Schema<'_>, names: &Names, called: &BTreeMap<String, Vec<String>>) -> Option<Resource> {
    let name = names.get(&fields::key(schema))?.clone();
    let shapes = &cues().shapes;
    let fields = fields::fields(schema, names);
    let ids = id_names(&name, called.get(&name).map_or(&[], Vec::as_slice));
    Some(Resource {
        schema: schema.pointer().to_owned(),
        id: fields::named(&fields, &ids),
        created: fields::named(&fields, &shapes.created).or_else(|| inside(schema, names, &shapes.created)),
        fields,
        lifecycle: None,
        axes: Vec::new(),
        assertions: vec![schema.assertion()],
        name,
    })
}
