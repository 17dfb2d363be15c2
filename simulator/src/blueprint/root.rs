//! The field of a query or mutation root that an operation is. It must not hold state.

use provely_evaluator::json::Object;
use provely_evaluator::query::Step;
use provely_model::{Argument, FieldKind, Operation, Place, Role, RootKind};

/// A root field: its arguments, and which of them names the record.
#[derive(Debug)]
pub(crate) struct Root {
    pub(crate) mutation: bool,
    pub(crate) name: String,
    arguments: Vec<Argument>,
    pub(crate) id: Option<Vec<Step>>,
}

impl Root {
    pub(super) fn of(operation: &Operation) -> Option<Self> {
        let field = operation.graphql.as_ref()?;
        Some(Self {
            mutation: field.kind == RootKind::Mutation,
            name: field.name.clone(),
            arguments: field.arguments.clone(),
            id: id_of(operation, &field.arguments),
        })
    }

    /// Refuses arguments that the field does not have, and misses those that it must have.
    pub(crate) fn check(&self, input: &Object, refuse_unknown: bool) -> Result<(), String> {
        let known = |name: &str| self.arguments.iter().any(|own| own.name == name);
        if refuse_unknown && let Some(name) = input.keys().find(|name| !known(name)) {
            return Err(format!("Field '{}' doesn't accept argument '{name}'", self.name));
        }
        let missing = self
            .arguments
            .iter()
            .find(|own| own.required && input.get(&own.name).is_none_or(|value| value.is_null()));
        match missing {
            Some(own) => Err(format!("Field '{}' is missing required arguments: {}", self.name, own.name)),
            None => Ok(()),
        }
    }

    /// Steps below `data` and the field's own name.
    pub(super) fn below(&self, steps: Vec<Step>) -> Vec<Step> {
        let member = |place: usize| match steps.get(place) {
            Some(Step::Member(name)) => Some(name.as_str()),
            Some(Step::Index(_)) | None => None,
        };
        if member(0) == Some("data") && member(1) == Some(&self.name) {
            steps.into_iter().skip(2).collect()
        } else {
            steps
        }
    }
}

/// Where the arguments name the record: `id`, at any depth, else the resource's own id, else the only id.
fn id_of(operation: &Operation, arguments: &[Argument]) -> Option<Vec<Step>> {
    if matches!(operation.role, Role::Create | Role::List) {
        return None;
    }
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let mut names: Vec<&str> = arguments.iter().map(|own| own.name.as_str()).collect();
    let fields = operation.parameters.iter().filter(|own| matches!(own.place, Place::Body | Place::Query));
    let scalars =
        fields.filter(|own| !matches!(own.kind, FieldKind::Object | FieldKind::Map | FieldKind::Array));
    names.extend(scalars.map(|own| own.name.as_str()).filter(|name| name.contains('.')));
    names.sort_by_key(|name| name.matches('.').count());
    let own = operation.resource.as_deref().unwrap_or_default();
    let ids: Vec<&Argument> =
        arguments.iter().filter(|own| matches!(own.kind.as_str(), "ID" | "ID!")).collect();
    let only = match (operation.role, ids.as_slice()) {
        (Role::Act, _) | (_, [] | [_, _, ..]) => None,
        (_, [only]) => Some(only.name.as_str()),
    };
    let exact = names.iter().find(|name| last(name) == "id");
    let of_own = || names.iter().find(|name| is_id_of(&last(name), own));
    let found = exact.or_else(of_own).copied().or(only)?;
    Some(found.split('.').map(|part| Step::Member(part.to_owned())).collect())
}

/// True for `order_id`, `orderId` and `OrderID` of an order.
pub(crate) fn is_id_of(name: &str, resource: &str) -> bool {
    let plain = |text: &str| text.replace('_', "").to_ascii_lowercase();
    !resource.is_empty() && plain(name) == format!("{}id", plain(resource))
}
