//! What a plan needs of GraphQL types beyond resources: the values that can be asked for of a record, the lists
//! of records inside it, and where payloads say what went wrong. Must not plan anything.

use std::collections::BTreeMap;

use provely_model::{FieldKind, Resource, RootKind};
use rayon::prelude::*;

use super::{ListField, Types, connection, is_error_list, list_field, takes_arguments};
use crate::classify::fields::{self, is_scalar, kind, step};
use crate::classify::records::array_of;
use crate::ingest::{IMPLEMENTED_BY, IMPLEMENTS, Ingested, Schema, field_arguments};

/// What is known of the GraphQL types of a service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphFacts {
    /// Resources to their types.
    pub types: BTreeMap<String, GraphType>,
    /// The query that reads any record by its id, and the argument that takes it.
    pub node: Option<(String, String)>,
    /// Mutations to where their payload lists what went wrong, rooted at `$`.
    pub errors: BTreeMap<String, String>,
}

impl GraphFacts {
    /// Nothing at all.
    #[must_use]
    pub const fn none() -> Self {
        Self { types: BTreeMap::new(), node: None, errors: BTreeMap::new() }
    }
}

/// The type of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphType {
    /// Its name.
    pub name: String,
    /// Any record of it can be read by its id alone.
    pub is_node: bool,
    /// The single values that can be asked for, outermost first.
    pub leaves: Vec<Leaf>,
    /// The lists of records inside it.
    pub lists: Vec<ChildList>,
}

/// A single value that can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Where a record carries it, rooted at `@`.
    pub path: String,
    /// Its type.
    pub kind: FieldKind,
    /// The resource whose id it is, where it stands inside that record.
    pub refers_to: Option<String>,
    /// What the source says of it and of every step that leads to it, outermost first.
    pub told: String,
    /// The assertion that states it.
    pub assertion: String,
}

/// A list of records inside a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildList {
    /// The field.
    pub field: String,
    /// The member below it that lists them, if it is a connection.
    pub below: Option<String>,
    /// The resource that its items are.
    pub resource: String,
    /// Its arguments that page through it: size, and cursor.
    pub pages: Option<(String, String)>,
    /// Its argument for the size, whether or not it pages.
    pub size: Option<String>,
    /// The assertion that states it.
    pub assertion: String,
}

/// Deepest value that is looked for.
const MOST_DEPTH: usize = 4;
/// Most values of one type.
const MOST_LEAVES: usize = 400;

/// Finds the facts of all resources that are GraphQL types.
pub(crate) fn facts(found: &Ingested, resources: &[Resource]) -> GraphFacts {
    let mut facts = GraphFacts::none();
    if found.operations.iter().all(|operation| operation.graphql.is_none()) {
        return facts;
    }
    let types = Types::of(found);
    let schemas: BTreeMap<String, Schema<'_>> = found
        .schemas
        .iter()
        .filter_map(|place| found.schema(place))
        .filter(|schema| super::form(schema).is_some())
        .map(|schema| (schema.pointer().to_owned(), schema))
        .collect();
    let named: BTreeMap<&str, &str> =
        resources.iter().map(|one| (one.schema.as_str(), one.name.as_str())).collect();
    let node = node(found);
    let walked = resources.par_iter().filter_map(|resource| {
        let schema = schemas.get(&resource.schema)?;
        let walk = Walk { types: &types, names: &named };
        let is_node = node.as_ref().is_some_and(|(_, _, interface)| implements(schema, interface));
        Some((resource.name.clone(), walk.of(schema, is_node)))
    });
    facts.types = walked.collect();
    facts.node = node.map(|(operation, argument, _)| (operation, argument));
    facts.errors = found.operations.iter().filter_map(|operation| errors(found, operation)).collect();
    facts
}

fn implements(schema: &Schema<'_>, interface: &str) -> bool {
    let list = schema.keyword(IMPLEMENTS);
    list.is_some_and(|list| list.items().any(|one| one.as_str() == Some(interface)))
}

/// The query that takes one id and answers an interface of the most types that have just that id: the query,
/// its argument, and the interface.
fn node(found: &Ingested) -> Option<(String, String, String)> {
    found.operations.iter().find_map(|operation| {
        let root = operation.graphql.as_ref().filter(|root| root.kind == RootKind::Query)?;
        let [only] = root.arguments.as_slice() else { return None };
        let result = found.schema(operation.success()?.schema.as_ref()?)?;
        let members = result.properties();
        let bare = matches!(members.as_slice(), [id] if is_scalar(&id.schema) && id.name == only.name);
        let name = result.name().filter(|_| bare && result.keyword(IMPLEMENTED_BY).is_some())?;
        Some((operation.id.clone(), only.name.clone(), name))
    })
}

/// Where the payload of a mutation lists what went wrong; a list that is still in use first.
fn errors(found: &Ingested, operation: &crate::ingest::ApiOperation) -> Option<(String, String)> {
    let root = operation.graphql.as_ref().filter(|root| root.kind == RootKind::Mutation)?;
    let result = found.schema(operation.success()?.schema.as_ref()?)?;
    let mut lists: Vec<_> = result.properties().into_iter().filter(is_error_list).collect();
    lists.sort_by_key(|list| list.schema.beside("deprecated").is_some());
    let list = lists.first()?;
    Some((operation.id.clone(), format!("$.data.{}.{}", root.name, list.name)))
}

struct Walk<'w> {
    types: &'w Types,
    names: &'w BTreeMap<&'w str, &'w str>,
}

impl Walk<'_> {
    fn of(&self, schema: &Schema<'_>, is_node: bool) -> GraphType {
        let mut leaves = Vec::new();
        self.leaves(schema, ("@", ""), None, MOST_DEPTH, &mut leaves);
        leaves.sort_by_key(|leaf: &Leaf| leaf.path.matches(['.', '[']).count());
        let lists = schema.properties();
        let lists = lists.iter().filter_map(|property| {
            let ListField { item, below } = list_field(property)?;
            let resource = (*self.names.get(item.pointer())?).to_owned();
            let arguments = field_arguments(&property.schema);
            let has = |name: &str| arguments.iter().any(|one| one.name == name).then(|| name.to_owned());
            Some(ChildList {
                field: property.name.to_owned(),
                below: below.map(str::to_owned),
                resource,
                pages: has("first").zip(has("after")).filter(|_| below.is_some()),
                size: has("first"),
                assertion: property.schema.named_assertion(),
            })
        });
        GraphType { name: schema.name().unwrap_or_default(), is_node, leaves, lists: lists.collect() }
    }

    /// Plain objects are walked through; of another record only the id is of use.
    fn leaves(
        &self,
        schema: &Schema<'_>,
        (above, told): (&str, &str),
        refers_to: Option<&str>,
        depth: usize,
        found: &mut Vec<Leaf>,
    ) {
        if refers_to.is_some() {
            return self.id_leaf(schema, (above, told), refers_to, found);
        }
        for property in schema.properties() {
            let inner = &property.schema;
            let old = inner.beside("deprecated").is_some() && above != "@";
            if found.len() >= MOST_LEAVES || takes_arguments(inner) || old {
                continue;
            }
            let path = step(above, property.name);
            let told = joined(told, inner);
            let list = array_of(inner);
            let plain_list = list.as_ref().is_some_and(is_scalar);
            if is_scalar(inner) || plain_list {
                let kind = if plain_list { FieldKind::Array } else { kind(inner) };
                found.push(Leaf { path, kind, refers_to: None, told, assertion: inner.named_assertion() });
                continue;
            }
            if list.is_some() || depth <= 1 {
                continue;
            }
            if self.types.id(inner).is_some() {
                let name = self.names.get(inner.pointer()).copied();
                self.leaves(inner, (&path, &told), Some(name.unwrap_or("")), depth - 1, found);
            } else if super::form(inner) == Some("object") && connection(inner).is_none() {
                self.leaves(inner, (&path, &told), None, depth - 1, found);
            }
        }
    }

    /// The id of another record.
    fn id_leaf(
        &self,
        schema: &Schema<'_>,
        (above, told): (&str, &str),
        refers_to: Option<&str>,
        found: &mut Vec<Leaf>,
    ) {
        let own = self.types.id(schema).and_then(|id| schema.property(id));
        found.extend(own.map(|property| Leaf {
            path: step(above, property.name),
            kind: kind(&property.schema),
            refers_to: refers_to.map(str::to_owned),
            told: joined(told, &property.schema),
            assertion: property.schema.named_assertion(),
        }));
    }
}

/// What is said above, and of a schema, on one line.
fn joined(told: &str, schema: &Schema<'_>) -> String {
    match schema.description().map(fields::one_line) {
        Some(own) if told.is_empty() => own,
        Some(own) => format!("{told} {own}"),
        None => told.to_owned(),
    }
}
