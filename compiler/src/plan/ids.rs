//! By which of its fields a path names a record: its id, or another one such as its number or its name. Compares
//! names and kinds; must not look at what an operation does.

use provely_model::{Field, FieldKind, Operation, Parameter, Place, Resource};

use super::Rules;
use super::paths::{Step, steps};
use crate::classify::{names_ids, singular, snake, words};

/// Where a record carries what the last placeholder of an operation's path takes; its id where the path ends in none,
/// nothing where the placeholder is neither the id nor another of the record's fields.
pub(super) fn named_by(rules: &Rules, resource: &Resource, operation: &Operation) -> Option<String> {
    let path = steps(&operation.path);
    let Some(Step::Named(name)) = path.last() else { return resource.id.clone() };
    let whole = snake(name);
    let parts = words(name);
    let last = parts.last().map(String::as_str).unwrap_or_default();
    if names_ids(last) || is_own_name(resource, &path, last) {
        return resource.id.clone();
    }
    let others = rules.plan.called.get(last).into_iter().flatten().map(String::as_str);
    let mut names = [whole.as_str(), last].into_iter().chain(others);
    if let Some(field) = names.find_map(|name| field(resource, name).filter(|field| is_scalar(field))) {
        return Some(crate::classify::member_path(&field.name));
    }
    let id = resource.id.as_deref().and_then(|id| super::known::field_at(resource, id));
    let parameter = operation.parameters.iter().find(|own| own.name == *name && own.place == Place::Path);
    resource.id.clone().filter(|_| fits(parameter, id))
}

/// The path where another resource carries the same field, else its own id.
pub(super) fn same_field(path: Option<&String>, other: &Resource) -> Option<String> {
    let shared = path.filter(|path| super::known::field_at(other, path).is_some());
    shared.or(other.id.as_ref()).cloned()
}

/// True for `{charge}` of a charge, and for `/charges/{charge}` whatever the record is called.
fn is_own_name(resource: &Resource, path: &[Step<'_>], last: &str) -> bool {
    let own = resource.name.rsplit(['.', '_']).next().unwrap_or_default();
    let collection = path.iter().rev().find_map(|step| match step {
        Step::Fixed(word) => words(word).pop().map(|word| singular(&word)),
        Step::Named(_) => None,
    });
    last == own || collection.as_deref() == Some(last)
}

fn field<'r>(resource: &'r Resource, name: &str) -> Option<&'r Field> {
    resource.fields.iter().find(|field| snake(&field.name) == name)
}

const fn is_scalar(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Text | FieldKind::Integer | FieldKind::Number)
}

/// A text in the path is no number of the record.
fn fits(parameter: Option<&Parameter>, id: Option<&Field>) -> bool {
    let (Some(parameter), Some(id)) = (parameter, id) else { return true };
    parameter.kind != FieldKind::Text || !matches!(id.kind, FieldKind::Integer | FieldKind::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::{field, operation, parameter};
    use provely_model::{Effect, Role};

    fn thing(fields: &[(&str, FieldKind)]) -> Resource {
        Resource {
            name: "thing".to_owned(),
            schema: "/components/schemas/thing".to_owned(),
            fields: fields.iter().map(|(name, kind)| field(name, *kind)).collect(),
            id: Some("@.id".to_owned()),
            created: None,
            lifecycle: None,
            axes: Vec::new(),
            assertions: Vec::new(),
        }
    }

    #[test]
    fn a_path_names_a_record_by_its_id_or_by_another_of_its_fields() {
        let rules = Rules::builtin().unwrap();
        let thing = thing(&[
            ("id", FieldKind::Integer),
            ("number", FieldKind::Integer),
            ("login", FieldKind::Text),
            ("parts", FieldKind::Array),
        ]);
        let cases = [
            ("/v1/things/{id}", Some("@.id")),
            ("/v1/things/{thing}", Some("@.id")),
            ("/v1/things/{thing_id}", Some("@.id")),
            ("/v1/things/{number}", Some("@.number")),
            ("/v1/things/{thing_number}", Some("@.number")),
            ("/v1/things/{username}", Some("@.login")),
            ("/v1/things/{colour}", None),
            ("/v1/things/{parts}", None),
            ("/v1/owners/{owner}/thing", Some("@.id")),
        ];
        for (path, expected) in cases {
            let name = path.split_once('{').and_then(|(_, rest)| rest.split_once('}')).unwrap().0;
            let named = vec![parameter(name, Place::Path, FieldKind::Text, "A name.")];
            let read = operation(&format!("GET {path}"), Effect::Read, Role::Read, ("thing", false), named);
            assert_eq!(named_by(&rules, &thing, &read).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn what_no_field_carries_may_still_be_the_id_where_both_are_text() {
        let rules = Rules::builtin().unwrap();
        let thing = thing(&[("id", FieldKind::Text)]);
        let named = vec![parameter("colour", Place::Path, FieldKind::Text, "A name.")];
        let read = operation("GET /v1/things/{colour}", Effect::Read, Role::Read, ("thing", false), named);
        assert_eq!(named_by(&rules, &thing, &read).as_deref(), Some("@.id"));
    }
}
