//! Which query reads the record of a mutation, by id or in a list. Must not write documents.

use provely_model::{Operation, Parameter, Resource, Role, RootField, RootKind};

use crate::classify::{ChildList, own_id, snake, type_suffixes, words};
use crate::plan::Known;

/// A query that reads one record by its id.
pub(in crate::plan) struct Read<'k> {
    /// The query.
    pub operation: &'k Operation,
    /// Name of the root field.
    pub field: String,
    /// The argument that takes the id.
    pub argument: String,
    /// Its type.
    pub kind: String,
    /// The type of the record, where the query answers records of several.
    pub on: Option<String>,
}

/// How a list is reached.
pub(in crate::plan) enum Way<'k> {
    /// Inside the record of another resource, whose id the input carries.
    Inside {
        /// How that record is read.
        read: Read<'k>,
        /// The list there.
        list: &'k ChildList,
        /// The input that carries its id.
        input: String,
    },
    /// A root field of its own.
    Root(&'k Operation),
}

/// The query that reads a record of a resource by its id: one of its own, else the one for all records.
pub(in crate::plan) fn reader<'k>(known: &Known<'k>, resource: &Resource) -> Option<Read<'k>> {
    let queries = known.service.operations.iter().filter(|one| {
        let reads = one.reply.as_ref().is_some_and(|reply| !reply.list && reply.resource == one.resource);
        one.role == Role::Read && reads && one.resource.as_deref() == Some(&resource.name)
    });
    let own = queries.filter_map(|one| {
        let root = query(one)?;
        let argument = id_argument(root, resource)?;
        let field = one.reply.as_ref()?.select == format!("$.data.{}", root.name);
        field.then(|| {
            let named = snake(&root.name) == resource.name;
            let read = Read {
                operation: one,
                field: root.name.clone(),
                argument: argument.name.clone(),
                kind: argument.kind.clone(),
                on: None,
            };
            ((!named, root.arguments.len()), read)
        })
    });
    own.min_by_key(|(rank, _)| *rank).map(|(_, read)| read).or_else(|| node(known, resource))
}

fn query(operation: &Operation) -> Option<&RootField> {
    operation.graphql.as_ref().filter(|root| root.kind == RootKind::Query)
}

/// The one argument that must be given, or that may be, and takes an id.
fn id_argument<'r>(root: &'r RootField, resource: &Resource) -> Option<&'r provely_model::Argument> {
    let field = resource.id.as_deref().and_then(|id| id.strip_prefix("@.")).unwrap_or("id");
    let fits = |name: &str| {
        let name = snake(name);
        name == snake(field) || name == format!("{}_{}", resource.name, snake(field))
    };
    let text =
        |kind: &str| !kind.starts_with('[') && matches!(kind.trim_end_matches('!'), "ID" | "String" | "UUID");
    let found = root.arguments.iter().find(|one| fits(&one.name) && text(&one.kind))?;
    root.arguments.iter().all(|one| !one.required || one.name == found.name).then_some(found)
}

fn node<'k>(known: &Known<'k>, resource: &Resource) -> Option<Read<'k>> {
    let facts = known.graph.types.get(&resource.name).filter(|facts| facts.is_node)?;
    let (operation, argument) = known.graph.node.as_ref()?;
    let operation = known.service.operation(operation)?;
    let root = query(operation)?;
    let kind = root.arguments.iter().find(|one| one.name == *argument)?.kind.clone();
    let on = Some(facts.name.clone());
    Some(Read { operation, field: root.name.clone(), argument: argument.clone(), kind, on })
}

/// The query that reads what a mutation made or changed, if its id is known.
pub(in crate::plan) fn readback<'k>(
    known: &Known<'k>,
    operation: &Operation,
    resource: &Resource,
) -> Option<Read<'k>> {
    let known_id = super::target_of(operation).is_some() && resource.id.is_some();
    if known_id { reader(known, resource) } else { None }
}

/// The list that shows the records of a mutation's resource: inside a record that the input names, else a root
/// field.
pub(in crate::plan) fn list<'k>(
    known: &Known<'k>,
    operation: &Operation,
    resource: &Resource,
) -> Option<Way<'k>> {
    inside(known, operation, resource).or_else(|| root(known, resource).map(Way::Root))
}

fn inside<'k>(known: &Known<'k>, operation: &Operation, resource: &Resource) -> Option<Way<'k>> {
    known.service.resources.iter().filter(|parent| parent.name != resource.name).find_map(|parent| {
        let facts = known.graph.types.get(&parent.name)?;
        let list = facts.lists.iter().find(|list| list.resource == resource.name)?;
        let input = parent_input(operation, &parent.name)?;
        let read = reader(known, parent)?;
        Some(Way::Inside { read, list, input: input.name.clone() })
    })
}

/// A list of the resource's records at the root that needs no arguments.
fn root<'k>(known: &Known<'k>, resource: &Resource) -> Option<&'k Operation> {
    let lists = known.service.operations.iter().filter(|one| {
        let shows = one
            .reply
            .as_ref()
            .is_some_and(|reply| reply.list && reply.resource.as_deref() == Some(&resource.name));
        let free = query(one).is_some_and(|root| root.arguments.iter().all(|argument| !argument.required));
        one.role == Role::List && shows && free
    });
    lists.min_by_key(|one| (is_of_edges(one), one.id.len()))
}

/// True for a list whose items wrap their records.
pub(in crate::plan) fn is_of_edges(list: &Operation) -> bool {
    list.reply.as_ref().is_some_and(|reply| reply.select.ends_with(".edges"))
}

/// The input that carries the id of the mutation's own record. A bare `id` is that of the record that is changed;
/// of what else is done, only where the mutation is named after the record.
pub(in crate::plan) fn id_input<'o>(operation: &'o Operation, resource: &str) -> Option<&'o Parameter> {
    let parameter = own_id(&operation.parameters, resource)?;
    let changes = matches!(operation.role, Role::Update | Role::Delete | Role::Cancel);
    (changes || is_long(&parameter.name, resource) || is_named_after(operation, resource))
        .then_some(parameter)
}

/// The input that carries the id of a record that the mutation's own belongs to.
fn parent_input<'o>(operation: &'o Operation, parent: &str) -> Option<&'o Parameter> {
    let parameter = own_id(&operation.parameters, parent)?;
    let short = operation.role == Role::Create && is_named_after(operation, parent);
    (is_long(&parameter.name, parent) || short).then_some(parameter)
}

/// `order_id` or `order` of an order, rather than a bare `id`.
fn is_long(name: &str, resource: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    snake(last).strip_prefix(resource).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// True if the mutation's name has the last word of the resource's, what only says that it is a thing aside.
fn is_named_after(operation: &Operation, resource: &str) -> bool {
    let Some(root) = &operation.graphql else { return false };
    let said = words(&root.name);
    let mut own = resource.split('_').rev().filter(|word| !type_suffixes().contains(*word));
    own.next().is_some_and(|word| said.iter().any(|one| one == word))
}
