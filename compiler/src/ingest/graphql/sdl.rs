//! Reads the schema language of GraphQL. Must not look into what is defined beyond its syntax.

use std::sync::Arc;

use apollo_parser::cst::{self, CstNode, Definition};
use apollo_parser::{Error, Parser};
use provely_document::{Diagnostic, Source, Span};

use super::types::{FieldDefinition, Form, Root, TypeDefinition, TypeReference, TypeSystem, ValueDefinition};

/// The text is no GraphQL schema.
pub(super) const SYNTAX: &str = "graphql/syntax";
/// The text is larger or nests deeper than is read.
pub(super) const LIMIT: &str = "graphql/limit";

/// Deepest nesting that is read.
const MOST_DEPTH: usize = 64;
/// Most tokens that are read; a schema of a megabyte has about 200,000.
const MOST_TOKENS: usize = 6_000_000;

/// The types that a text defines.
///
/// # Errors
/// The first fault of syntax, or what is defined twice.
pub(super) fn read(source: &Arc<Source>) -> Result<TypeSystem, Diagnostic> {
    let parser = Parser::new(source.text()).recursion_limit(MOST_DEPTH).token_limit(MOST_TOKENS);
    let tree = parser.parse();
    if let Some(error) = tree.errors().min_by_key(|error| error.index()) {
        return Err(fault(source, error));
    }
    let mut found = TypeSystem::default();
    for definition in tree.document().definitions() {
        add(source, &definition, &mut found)?;
    }
    Ok(found)
}

fn fault(source: &Arc<Source>, error: &Error) -> Diagnostic {
    let start = error.index().min(source.text().len());
    let length = source.text().get(start..).map_or(0, |rest| {
        let wanted = error.data().lines().next().unwrap_or_default();
        if rest.starts_with(wanted) { wanted.len() } else { 0 }
    });
    let end = (start + length.max(1)).min(source.text().len());
    let span =
        if source.text().is_char_boundary(end) { Span::new(start, end) } else { Span::new(start, start) };
    if error.is_limit() {
        let help = "split the schema, or leave out what no operation uses";
        return Diagnostic::error(LIMIT, source, span, "the schema is larger or nests deeper than is read")
            .with_help(help);
    }
    let help = "a schema defines types as in `type Order { id: ID! }`";
    Diagnostic::error(SYNTAX, source, span, format!("this is no GraphQL schema: {}", error.message()))
        .with_help(help)
}

fn add(source: &Arc<Source>, definition: &Definition, found: &mut TypeSystem) -> Result<(), Diagnostic> {
    let extends = definition.is_extension_definition();
    let (form, members, fields, values) = match definition {
        Definition::SchemaDefinition(one) => {
            found.description = description(one.description());
            return roots(one.root_operation_type_definitions(), found);
        }
        Definition::SchemaExtension(one) => return roots(one.root_operation_type_definitions(), found),
        Definition::DirectiveDefinition(one) => {
            found.directives.extend(request_directive(one));
            return Ok(());
        }
        Definition::OperationDefinition(one) => return Err(executable(source, one.syntax())),
        Definition::FragmentDefinition(one) => return Err(executable(source, one.syntax())),
        Definition::ScalarTypeDefinition(_) | Definition::ScalarTypeExtension(_) => {
            (Form::Scalar, Vec::new(), Vec::new(), Vec::new())
        }
        Definition::ObjectTypeDefinition(one) => (
            Form::Object,
            interfaces(one.implements_interfaces()),
            fields(one.fields_definition()),
            Vec::new(),
        ),
        Definition::ObjectTypeExtension(one) => (
            Form::Object,
            interfaces(one.implements_interfaces()),
            fields(one.fields_definition()),
            Vec::new(),
        ),
        Definition::InterfaceTypeDefinition(one) => (
            Form::Interface,
            interfaces(one.implements_interfaces()),
            fields(one.fields_definition()),
            Vec::new(),
        ),
        Definition::InterfaceTypeExtension(one) => (
            Form::Interface,
            interfaces(one.implements_interfaces()),
            fields(one.fields_definition()),
            Vec::new(),
        ),
        Definition::UnionTypeDefinition(one) => {
            (Form::Union, union(one.union_member_types()), Vec::new(), Vec::new())
        }
        Definition::UnionTypeExtension(one) => {
            (Form::Union, union(one.union_member_types()), Vec::new(), Vec::new())
        }
        Definition::EnumTypeDefinition(one) => {
            (Form::Enum, Vec::new(), Vec::new(), values(one.enum_values_definition()))
        }
        Definition::EnumTypeExtension(one) => {
            (Form::Enum, Vec::new(), Vec::new(), values(one.enum_values_definition()))
        }
        Definition::InputObjectTypeDefinition(one) => {
            (Form::Input, Vec::new(), inputs(one.input_fields_definition()), Vec::new())
        }
        Definition::InputObjectTypeExtension(one) => {
            (Form::Input, Vec::new(), inputs(one.input_fields_definition()), Vec::new())
        }
    };
    let Some(name) = definition.name() else { return Ok(()) };
    let span = if extends { Span::default() } else { span(name.syntax()) };
    let said = if extends { None } else { said(definition) };
    let one = TypeDefinition { name: text(&name), span, form, description: said, members, fields, values };
    found.add(source, one, extends)
}

/// A directive that stands on the fields of a request, with the names of its arguments.
fn request_directive(one: &cst::DirectiveDefinition) -> Option<(String, Vec<String>)> {
    let places = one.directive_locations()?.syntax().text().to_string();
    let on_field = places.split(|letter: char| !letter.is_ascii_uppercase() && letter != '_');
    if !on_field.into_iter().any(|place| place == "FIELD") {
        return None;
    }
    let arguments = one
        .arguments_definition()
        .into_iter()
        .flat_map(|list| list.input_value_definitions().collect::<Vec<_>>());
    Some((text(&one.name()?), arguments.filter_map(|one| Some(text(&one.name()?))).collect()))
}

fn executable(source: &Arc<Source>, node: &apollo_parser::SyntaxNode) -> Diagnostic {
    let start = span(node).start as usize;
    Diagnostic::error(SYNTAX, source, Span::new(start, start + 1), "this is a request, not a schema")
        .with_help("hand in the schema that the service publishes, as SDL or as the answer to an introspection query")
}

fn said(definition: &Definition) -> Option<String> {
    description(match definition {
        Definition::ScalarTypeDefinition(one) => one.description(),
        Definition::ObjectTypeDefinition(one) => one.description(),
        Definition::InterfaceTypeDefinition(one) => one.description(),
        Definition::UnionTypeDefinition(one) => one.description(),
        Definition::EnumTypeDefinition(one) => one.description(),
        Definition::InputObjectTypeDefinition(one) => one.description(),
        _ => None,
    })
}

fn roots(
    definitions: impl Iterator<Item = cst::RootOperationTypeDefinition>,
    found: &mut TypeSystem,
) -> Result<(), Diagnostic> {
    for one in definitions {
        let root = one.operation_type().map(|kind| kind.syntax().text().to_string());
        let root = match root.as_deref().map(str::trim) {
            Some("query") => Root::Query,
            Some("mutation") => Root::Mutation,
            Some(_) | None => continue,
        };
        if let Some(name) = one.named_type().and_then(|named| named.name()) {
            found.roots.insert(root, text(&name));
        }
    }
    Ok(())
}

fn interfaces(list: Option<cst::ImplementsInterfaces>) -> Vec<(String, Span)> {
    list.into_iter()
        .flat_map(|list| list.named_types().collect::<Vec<_>>())
        .filter_map(|one| named(&one))
        .collect()
}

fn union(list: Option<cst::UnionMemberTypes>) -> Vec<(String, Span)> {
    list.into_iter()
        .flat_map(|list| list.named_types().collect::<Vec<_>>())
        .filter_map(|one| named(&one))
        .collect()
}

fn named(one: &cst::NamedType) -> Option<(String, Span)> {
    let name = one.name()?;
    Some((text(&name), span(name.syntax())))
}

fn fields(list: Option<cst::FieldsDefinition>) -> Vec<FieldDefinition> {
    let list = list.into_iter().flat_map(|list| list.field_definitions().collect::<Vec<_>>());
    list.filter_map(|one| {
        let name = one.name()?;
        let arguments =
            one.arguments_definition().map(|list| list.input_value_definitions().collect::<Vec<_>>());
        Some(FieldDefinition {
            name: text(&name),
            span: span(name.syntax()),
            description: description(one.description()),
            kind: reference(&one.ty()?)?,
            arguments: arguments.unwrap_or_default().iter().filter_map(input).collect(),
            defaulted: false,
            deprecated: deprecated(one.directives()),
            directives: directives(one.directives()),
        })
    })
    .collect()
}

fn inputs(list: Option<cst::InputFieldsDefinition>) -> Vec<FieldDefinition> {
    let list = list.into_iter().flat_map(|list| list.input_value_definitions().collect::<Vec<_>>());
    list.filter_map(|one| input(&one)).collect()
}

fn input(one: &cst::InputValueDefinition) -> Option<FieldDefinition> {
    let name = one.name()?;
    Some(FieldDefinition {
        name: text(&name),
        span: span(name.syntax()),
        description: description(one.description()),
        kind: reference(&one.ty()?)?,
        arguments: Vec::new(),
        defaulted: one.default_value().is_some(),
        deprecated: deprecated(one.directives()),
        directives: directives(one.directives()),
    })
}

fn values(list: Option<cst::EnumValuesDefinition>) -> Vec<ValueDefinition> {
    let list = list.into_iter().flat_map(|list| list.enum_value_definitions().collect::<Vec<_>>());
    list.filter_map(|one| {
        let name = one.enum_value()?.name()?;
        Some(ValueDefinition {
            name: text(&name),
            span: span(name.syntax()),
            description: description(one.description()),
            deprecated: deprecated(one.directives()),
        })
    })
    .collect()
}

/// The nesting is bounded by the parser's own limit.
fn reference(kind: &cst::Type) -> Option<TypeReference> {
    match kind {
        cst::Type::NamedType(one) => named(one).map(|(name, span)| TypeReference::Named(name, span)),
        cst::Type::ListType(one) => Some(TypeReference::List(Box::new(reference(&one.ty()?)?))),
        cst::Type::NonNullType(one) => {
            let inner = match (one.named_type(), one.list_type()) {
                (Some(inner), _) => reference(&cst::Type::NamedType(inner)),
                (None, Some(inner)) => reference(&cst::Type::ListType(inner)),
                (None, None) => None,
            };
            Some(TypeReference::NonNull(Box::new(inner?)))
        }
    }
}

fn directives(list: Option<cst::Directives>) -> Vec<String> {
    let list = list.into_iter().flat_map(|list| list.directives().collect::<Vec<_>>());
    list.filter_map(|one| Some(text(&one.name()?))).collect()
}

/// The reason of `@deprecated`, empty where none is given.
fn deprecated(list: Option<cst::Directives>) -> Option<String> {
    let mut list = list?.directives();
    let one = list.find(|one| one.name().is_some_and(|name| text(&name) == "deprecated"))?;
    let mut arguments = one.arguments().into_iter().flat_map(|list| list.arguments().collect::<Vec<_>>());
    let reason = arguments.find(|one| one.name().is_some_and(|name| text(&name) == "reason"));
    let reason = reason.and_then(|one| match one.value()? {
        cst::Value::StringValue(value) => Some(String::from(&value)),
        _ => None,
    });
    Some(reason.unwrap_or_default())
}

fn description(one: Option<cst::Description>) -> Option<String> {
    let value = one?.string_value()?;
    Some(String::from(&value)).filter(|text| !text.trim().is_empty())
}

fn text(name: &cst::Name) -> String {
    name.syntax().text().to_string().trim().to_owned()
}

fn span(node: &apollo_parser::SyntaxNode) -> Span {
    let range = node.text_range();
    Span { start: range.start().into(), end: range.end().into() }
}
