//! What is different where a schema is GraphQL: payloads and connections in place of replies, names of root
//! fields in place of paths. Must not judge states.

mod children;
mod facts;
mod held;
mod inputs;
mod names;
mod scopes;
mod selection;
mod shapes;

use provely_model::{
    BodyEncoding, Effect, FieldKind, Operation, Parameter, Reply, Role, RootField, RootKind,
};

pub(super) use children::{ListField, children, list_field};
pub(crate) use facts::facts;
pub use facts::{ChildList, GraphFacts, GraphType, Leaf};
pub(super) use held::{connection, held, is_error_list};
pub(super) use names::{Style, of_type, verb_and_nouns};
pub(crate) use scopes::stated_scopes;
pub(crate) use selection::MOST_ITEMS;
pub(super) use shapes::Types;

use super::fields::{self, Names};
use super::records::Held;
use super::roles::judge_root;
use crate::ingest::{ApiOperation, ApiRootField, FORM, Ingested, Schema};

/// One root field with its effect; and whether that was a near thing.
pub(super) fn sorted(
    found: &Ingested,
    (operation, root): (&ApiOperation, &ApiRootField),
    held: Option<&Held<'_>>,
    direct: Option<&String>,
    (names, types): (&Names, &Types),
) -> (Operation, bool) {
    let result = operation.success().and_then(|reply| found.schema(reply.schema.as_ref()?));
    let lists = held.is_some_and(|held| held.list && root.kind == RootKind::Query);
    let judged = judge_root(operation, root, types.style, (lists, result.as_ref()));
    // A record without an id cannot be read again: what the mutation is named after can.
    let record = held.filter(|held| root.kind == RootKind::Query || types.id(&held.record).is_some());
    let resource = direct.filter(|_| record.is_some()).cloned();
    let resource = resource.or_else(|| names::about(root, names)).or_else(|| direct.cloned());
    let (select, list) = held
        .map_or_else(|| (format!("$.data.{}", root.name), false), |held| (held.select.clone(), held.list));
    let parameters = inputs::parameters(found, operation);
    let (role, effect) = on_existing(judged.role, judged.effect, root, resource.as_deref(), &parameters);
    let sorted = Operation {
        id: operation.id.clone(),
        method: operation.method.clone(),
        path: operation.path.clone(),
        graphql: Some(RootField {
            kind: root.kind,
            name: root.name.clone(),
            arguments: root.arguments.clone(),
            selection: result
                .as_ref()
                .map(|result| selection::of_result(types, result, &select))
                .unwrap_or_default(),
        }),
        effect,
        resource,
        role,
        parameters,
        body: BodyEncoding::Json,
        reply: Some(Reply {
            status: 200,
            resource: direct.cloned(),
            select,
            list,
            fixed: Vec::new(),
            location: None,
        }),
        plan: None,
        assertions: vec![operation.assertion.clone()],
    };
    (sorted, judged.close && judged.effect != Effect::Read)
}

/// What seems to make a record and is told the id of that very record changes it.
fn on_existing(
    role: Role,
    effect: Effect,
    root: &ApiRootField,
    resource: Option<&str>,
    parameters: &[Parameter],
) -> (Role, Effect) {
    let making = &super::cues::cues().effects.making;
    let makes = super::words::words(&root.name).iter().any(|word| making.contains(word));
    let own = resource.and_then(|name| own_id(parameters, name));
    if role != Role::Create || makes || own.is_none() {
        return (role, effect);
    }
    (Role::Update, if effect == Effect::RecordCreate { Effect::RecordUpdate } else { effect })
}

/// The parameter that carries the id of a resource's record: `id` or `order_id` at the top or in an input that
/// is the only thing at the top; the outermost first.
pub(crate) fn own_id<'p>(parameters: &'p [Parameter], resource: &str) -> Option<&'p Parameter> {
    let ids = &super::cues::cues().shapes.id;
    let alone = parameters.iter().filter(|parameter| !parameter.name.contains('.')).count() == 1;
    let level = |parameter: &&Parameter| {
        let depth = parameter.name.matches('.').count();
        let text = matches!(parameter.kind, FieldKind::Text | FieldKind::Any) && !parameter.in_list();
        text && (depth == 0 || (depth == 1 && alone))
    };
    let candidates: Vec<(String, &Parameter)> = parameters
        .iter()
        .filter(level)
        .map(|one| (super::snake(one.name.rsplit('.').next().unwrap_or_default()), one))
        .collect();
    let named = |wanted: &str| candidates.iter().find(|(last, _)| last == wanted).map(|(_, one)| *one);
    let whole = || ids.iter().find_map(|id| named(&format!("{resource}_{id}")));
    whole().or_else(|| named(resource)).or_else(|| ids.iter().find_map(|id| named(id)))
}

/// `entity_id`: the id of what a payload would wrap.
pub(crate) fn is_wrapped_id(name: &str) -> bool {
    let wrappers = &super::cues::cues().shapes.wrappers;
    name.strip_suffix("_id").is_some_and(|wrapped| wrappers.iter().any(|one| one == wrapped))
}

/// Last words of a type's name that only say that it is a thing.
pub(crate) fn type_suffixes() -> &'static std::collections::BTreeSet<String> {
    &super::cues::cues().shapes.type_suffixes
}

/// The role of a root field that reads.
pub(super) const fn reading(lists: bool) -> Role {
    if lists { Role::List } else { Role::Read }
}

/// What a type is, in the words of GraphQL; `None` where the schema is of another kind.
pub(super) fn form<'a>(schema: &Schema<'a>) -> Option<&'a str> {
    schema.keyword(FORM)?.as_str()
}

/// The field of a type that carries its id.
pub(super) fn id_field(schema: &Schema<'_>) -> Option<String> {
    let names = &super::cues::cues().shapes.id;
    let properties = schema.properties();
    let named = |wanted: &&String| properties.iter().any(|property| super::snake(property.name) == **wanted);
    let wanted = names.iter().find(named)?;
    let property = properties.iter().find(|property| super::snake(property.name) == *wanted)?;
    (!takes_arguments(&property.schema) && fields::is_scalar(&property.schema))
        .then(|| property.name.to_owned())
}

/// True for a field that cannot be asked for without arguments.
pub(super) fn takes_arguments(field: &Schema<'_>) -> bool {
    crate::ingest::field_arguments(field).iter().any(|argument| argument.required)
}
