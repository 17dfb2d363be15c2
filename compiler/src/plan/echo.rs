//! Input fields that the record echoes, and a free field for our tag. Compares names and types; must not
//! decide which of them a contract asks for.

use provely_evaluator::contract::{As, SetOf};
use provely_model::{
    Echo, EchoKind, Effect, Field, FieldKind, Operation, Parameter, Place, Resource, TagPlan,
};

use super::known::field_assertion;
use super::words::{quoted, says};
use super::{Draft, Rules, part, roles};

/// The body fields that the record carries under the same name and in a comparable type.
pub(super) fn echoes(
    rules: &Rules,
    operation: &Operation,
    resource: &Resource,
    list: Option<&Operation>,
) -> Vec<Echo> {
    let body = operation.parameters.iter().filter(|parameter| parameter.place == Place::Body);
    body.filter_map(|parameter| echo(rules, operation, resource, list, parameter)).collect()
}

fn echo(
    rules: &Rules,
    operation: &Operation,
    resource: &Resource,
    list: Option<&Operation>,
    parameter: &Parameter,
) -> Option<Echo> {
    let field = resource.fields.iter().find(|field| field.name == parameter.name)?;
    let kind = kind(rules, operation, list, parameter, field);
    let read_as = reading(rules, kind, parameter, field)?;
    let path = format!("@.{}", field.name);
    let assertion = field_assertion(resource, &path)?;
    Some(Echo { input: parameter.name.clone(), path, read_as, kind, assertion })
}

fn kind(
    rules: &Rules,
    operation: &Operation,
    list: Option<&Operation>,
    parameter: &Parameter,
    field: &Field,
) -> EchoKind {
    let named = |words: &[String]| words.contains(&parameter.name);
    let filtered = list.is_some_and(|list| roles::filters(list).any(|filter| filter.name == parameter.name));
    let refers =
        field.refers_to.is_some() || (field.kind == FieldKind::IdOrRecord && field.values.is_empty());
    if named(&rules.plan.amounts) {
        EchoKind::Amount
    } else if named(&rules.plan.currencies) {
        EchoKind::Currency
    } else if (operation.effect == Effect::MessageSend && named(&rules.plan.headings))
        || named(&rules.plan.recipients)
        || named(&rules.plan.copies)
        || refers
        || (filtered && field.values.is_empty())
    {
        EchoKind::Subject
    } else {
        EchoKind::Other
    }
}

/// How both sides are read: `Some(None)` compares one JSON type, `None` is not comparable.
fn reading(rules: &Rules, kind: EchoKind, parameter: &Parameter, field: &Field) -> Option<Option<As>> {
    let words = &rules.plan;
    let person = [&words.recipients, &words.copies, &words.senders]
        .iter()
        .any(|names| names.contains(&parameter.name));
    match (parameter.kind, field.kind) {
        _ if kind == EchoKind::Currency => Some(Some(As::Code)),
        // Listed words beside an object are no ids.
        (_, FieldKind::IdOrRecord) if !field.values.is_empty() => None,
        (FieldKind::Text | FieldKind::IdOrRecord | FieldKind::Any, FieldKind::IdOrRecord) => {
            Some(Some(As::Id))
        }
        (FieldKind::Text | FieldKind::Array | FieldKind::Any, FieldKind::Array) if person => {
            Some(Some(As::Set(SetOf::Email)))
        }
        (FieldKind::Text | FieldKind::Any, FieldKind::Text) if person => Some(Some(As::Email)),
        (FieldKind::Text, FieldKind::Text) if field.refers_to.is_some() => Some(Some(As::Id)),
        (FieldKind::Decimal | FieldKind::Number, FieldKind::Decimal)
        | (FieldKind::Decimal, FieldKind::Number) => Some(Some(As::Decimal)),
        (left, right) if left == right && is_plain(left) => Some(None),
        (FieldKind::Integer, FieldKind::Number) | (FieldKind::Number, FieldKind::Integer) => {
            Some(Some(As::Number))
        }
        _ => None,
    }
}

const fn is_plain(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Text | FieldKind::Integer | FieldKind::Number | FieldKind::Boolean)
}

impl Draft<'_> {
    /// Finds a free map that creation takes and the record echoes.
    pub(super) fn tag(&mut self) {
        let words = &self.rules.plan;
        let fits = |parameter: &&Parameter| {
            let field = self.resource.fields.iter().find(|field| field.name == parameter.name);
            parameter.place == Place::Body
                && words.tags.contains(&parameter.name)
                && matches!(parameter.kind, FieldKind::Map | FieldKind::Any | FieldKind::Object)
                && field.is_some_and(|field| field.kind == FieldKind::Map)
        };
        let Some(parameter) = self.operation.parameters.iter().find(fits) else { return };
        let path = format!("@.{}.{}", parameter.name, words.tag_key);
        let Some(assertion) = field_assertion(self.resource, &path) else { return };
        let fixed = self.known.passages.iter().find(|passage| {
            quoted(&passage.text).any(|word| word == parameter.name) && says(&passage.text, &words.immutable)
        });
        let tag = TagPlan {
            parameter: format!("{}.{}", parameter.name, words.tag_key),
            path,
            immutable: fixed.is_some(),
        };
        let cited = fixed.map(|passage| passage.id.clone()).into_iter().chain([assertion]).collect();
        if self.cite(part::TAG, cited) {
            self.plan.tag = Some(tag);
        }
    }
}
