//! Writes the types of a parsed type file as schemas. What a schema cannot say is left out; must not guess it.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    Declaration, Expression, Program, Statement, TSEnumDeclaration, TSEnumMemberName, TSLiteral,
    TSNamespaceDeclaration, TSNamespaceDeclarationBody, TSSignature, TSType, TSTypeName,
};
use oxc_span::GetSpan;
use provely_evaluator::json::{Object, Value};

/// Namespaces inside each other that are looked into.
const MOST_SPACES: usize = 16;

/// The schemas of a file as the text of an OpenAPI-like document.
pub(super) fn lower(program: &Program<'_>, text: &str) -> String {
    let comments = program.comments.iter().filter(|comment| comment.is_jsdoc());
    let said = comments.map(|comment| (comment.attached_to, said(comment.content_span().source_text(text))));
    let mut names = Names::default();
    names.statements(&program.body, &mut Vec::new());
    let mut writer = Writer { said: said.collect(), names: names.0, schemas: Object::default() };
    writer.statements(&program.body, &mut Vec::new());
    let schemas = object([("schemas", Value::Object(writer.schemas))]);
    object([("components", schemas)]).to_string()
}

/// The prose of a comment: without stars, and without what tags say.
fn said(comment: &str) -> String {
    let lines =
        comment.trim_start_matches('*').lines().map(|line| line.trim().trim_start_matches('*').trim_start());
    let prose = lines.take_while(|line| !line.starts_with('@'));
    prose.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().collect())
}

/// A declaration that names a type, with its place.
enum Named<'a, 's> {
    Type(&'s str, &'s Declaration<'a>, u32),
    Space(&'s str, &'s [Statement<'a>]),
    Nothing,
}

/// The type or namespace that a statement declares, exported or not.
fn named<'a, 's>(statement: &'s Statement<'a>) -> Named<'a, 's> {
    let at = statement.span().start;
    match statement {
        Statement::ExportDeclaration(export) => declared(&export.declaration, at),
        other => other.as_declaration().map_or(Named::Nothing, |declaration| declared(declaration, at)),
    }
}

fn declared<'a, 's>(declaration: &'s Declaration<'a>, at: u32) -> Named<'a, 's> {
    match declaration {
        Declaration::TSInterfaceDeclaration(one) => Named::Type(one.id.name.as_str(), declaration, at),
        Declaration::TSTypeAliasDeclaration(one) => Named::Type(one.id.name.as_str(), declaration, at),
        Declaration::TSEnumDeclaration(one) => Named::Type(one.id.name.as_str(), declaration, at),
        Declaration::TSNamespaceDeclaration(space) => Named::Space(space.id.name.as_str(), inside(space)),
        Declaration::TSExternalModuleDeclaration(module) => {
            Named::Space("", module.body.as_ref().map_or(&[], |body| body.body.as_slice()))
        }
        Declaration::TSGlobalDeclaration(global) => Named::Space("", global.body.body.as_slice()),
        _ => Named::Nothing,
    }
}

fn inside<'a, 's>(space: &'s TSNamespaceDeclaration<'a>) -> &'s [Statement<'a>] {
    let mut body = &space.body;
    for _ in 0..MOST_SPACES {
        match body {
            TSNamespaceDeclarationBody::TSModuleBlock(block) => return block.body.as_slice(),
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => body = &inner.body,
        }
    }
    &[]
}

/// The names of all types, so that a reference is known to lead somewhere.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    fn statements<'s>(&mut self, statements: &'s [Statement<'_>], spaces: &mut Vec<&'s str>) {
        for statement in statements {
            match named(statement) {
                Named::Type(name, _, _) => {
                    self.0.insert(dotted(spaces, name));
                }
                Named::Space(name, body) if spaces.len() < MOST_SPACES => {
                    spaces.push(name);
                    self.statements(body, spaces);
                    spaces.pop();
                }
                Named::Space(_, _) | Named::Nothing => {}
            }
        }
    }
}

fn dotted(spaces: &[&str], name: &str) -> String {
    let mut parts: Vec<&str> = spaces.iter().copied().filter(|space| !space.is_empty()).collect();
    parts.push(name);
    parts.join(".")
}

struct Writer {
    /// Comments by the offset of what they stand before.
    said: BTreeMap<u32, String>,
    names: BTreeSet<String>,
    schemas: Object,
}

impl Writer {
    fn statements<'s>(&mut self, statements: &'s [Statement<'_>], spaces: &mut Vec<&'s str>) {
        for statement in statements {
            match named(statement) {
                Named::Type(name, declaration, at) => {
                    let name = dotted(spaces, name);
                    let schema = self.described(at, self.declaration(declaration, spaces));
                    if !self.schemas.contains_key(&name) {
                        self.schemas.insert(name, schema);
                    }
                }
                Named::Space(name, body) if spaces.len() < MOST_SPACES => {
                    spaces.push(name);
                    self.statements(body, spaces);
                    spaces.pop();
                }
                Named::Space(_, _) | Named::Nothing => {}
            }
        }
    }

    fn declaration(&self, declaration: &Declaration<'_>, spaces: &[&str]) -> Value {
        match declaration {
            Declaration::TSInterfaceDeclaration(one) => {
                let own = self.members(&one.body.body, spaces);
                let above: Vec<Value> = one
                    .extends
                    .iter()
                    .filter_map(|parent| self.reference(&parent.type_name, spaces))
                    .chain([own.clone()])
                    .collect();
                if above.len() == 1 { own } else { object([("allOf", Value::Array(above))]) }
            }
            Declaration::TSTypeAliasDeclaration(one) => self.schema(&one.type_annotation, spaces),
            Declaration::TSEnumDeclaration(one) => enumeration(one),
            _ => object([]),
        }
    }

    /// The schema with the comment that stands before it.
    fn described(&self, at: u32, schema: Value) -> Value {
        let Some(said) = self.said.get(&at).filter(|said| !said.is_empty()) else { return schema };
        let said = Value::from(said.as_str());
        match schema {
            Value::Object(mut members) => {
                members.insert("description".to_owned(), said);
                Value::Object(members)
            }
            other => other,
        }
    }

    fn members(&self, members: &[TSSignature<'_>], spaces: &[&str]) -> Value {
        let mut properties = Object::default();
        let mut required = Vec::new();
        for member in members {
            let TSSignature::TSPropertySignature(property) = member else { continue };
            let Some(name) = property.key.static_name().filter(|_| !property.computed) else { continue };
            let stated = property.type_annotation.as_ref();
            let schema =
                stated.map_or_else(|| object([]), |stated| self.schema(&stated.type_annotation, spaces));
            if !property.optional {
                required.push(Value::from(name.as_ref()));
            }
            properties.insert(name.into_owned(), self.described(property.span.start, schema));
        }
        object([
            ("type", Value::from("object")),
            ("required", Value::Array(required)),
            ("properties", Value::Object(properties)),
        ])
    }

    fn schema(&self, stated: &TSType<'_>, spaces: &[&str]) -> Value {
        let kind = |name: &str| object([("type", Value::from(name))]);
        match stated {
            TSType::TSStringKeyword(_) | TSType::TSTemplateLiteralType(_) => kind("string"),
            TSType::TSNumberKeyword(_) | TSType::TSBigIntKeyword(_) => kind("number"),
            TSType::TSBooleanKeyword(_) => kind("boolean"),
            TSType::TSNullKeyword(_) | TSType::TSUndefinedKeyword(_) => kind("null"),
            TSType::TSObjectKeyword(_) | TSType::TSMappedType(_) => kind("object"),
            TSType::TSLiteralType(literal) => fixed(&literal.literal),
            TSType::TSParenthesizedType(inner) => self.schema(&inner.type_annotation, spaces),
            TSType::TSTypeOperatorType(inner) => self.schema(&inner.type_annotation, spaces),
            TSType::TSTypeLiteral(literal) => self.members(&literal.members, spaces),
            TSType::TSArrayType(array) => list(self.schema(&array.element_type, spaces)),
            TSType::TSUnionType(union) => {
                union_of(union.types.iter().map(|one| self.schema(one, spaces)).collect())
            }
            TSType::TSIntersectionType(parts) => {
                let parts = parts.types.iter().map(|one| self.schema(one, spaces));
                object([("allOf", Value::Array(parts.collect()))])
            }
            TSType::TSTypeReference(reference) => {
                let arguments =
                    reference.type_arguments.as_ref().map_or(&[][..], |given| given.params.as_slice());
                match (&reference.type_name, arguments) {
                    (TSTypeName::IdentifierReference(name), [only])
                        if matches!(name.name.as_str(), "Array" | "ReadonlyArray") =>
                    {
                        list(self.schema(only, spaces))
                    }
                    (name, _) => self.reference(name, spaces).unwrap_or_else(|| object([])),
                }
            }
            _ => object([]),
        }
    }

    /// A reference to a type of this file, looked for from the innermost namespace outwards.
    fn reference(&self, name: &TSTypeName<'_>, spaces: &[&str]) -> Option<Value> {
        let mut parts = Vec::new();
        let mut at = name;
        loop {
            match at {
                TSTypeName::IdentifierReference(first) => {
                    parts.push(first.name.as_str());
                    break;
                }
                TSTypeName::QualifiedName(pair) => {
                    parts.push(pair.right.name.as_str());
                    at = &pair.left;
                }
                TSTypeName::ThisExpression(_) => return None,
            }
        }
        parts.reverse();
        let wanted = parts.join(".");
        let candidates = (0..=spaces.len()).rev().filter_map(|depth| spaces.get(..depth));
        let found =
            candidates.map(|spaces| dotted(spaces, &wanted)).find(|name| self.names.contains(name))?;
        let target = format!("#/components/schemas/{}", found.replace('~', "~0").replace('/', "~1"));
        Some(object([("$ref", Value::from(target.as_str()))]))
    }
}

fn list(items: Value) -> Value {
    object([("type", Value::from("array")), ("items", items)])
}

/// The one value of a literal type.
fn fixed(literal: &TSLiteral<'_>) -> Value {
    match literal {
        TSLiteral::StringLiteral(text) => object([("const", Value::from(text.value.as_str()))]),
        TSLiteral::BooleanLiteral(flag) => object([("const", Value::from(flag.value))]),
        TSLiteral::NumericLiteral(_) => object([("type", Value::from("number"))]),
        TSLiteral::TemplateLiteral(_) => object([("type", Value::from("string"))]),
        TSLiteral::BigIntLiteral(_) | TSLiteral::UnaryExpression(_) => object([]),
    }
}

/// A union: its fixed values as one list, everything else as variants.
fn union_of(types: Vec<Value>) -> Value {
    let (fixed, others): (Vec<Value>, Vec<Value>) =
        types.into_iter().partition(|one| one.get("const").is_some());
    let values: Vec<Value> = fixed.iter().filter_map(|one| one.get("const").cloned()).collect();
    let list = object([("enum", Value::Array(values))]);
    match (fixed.is_empty(), others.is_empty()) {
        (false, true) => list,
        (true, _) => object([("anyOf", Value::Array(others))]),
        (false, false) => object([("anyOf", Value::Array([list].into_iter().chain(others).collect()))]),
    }
}

/// The texts of an enumeration.
fn enumeration(one: &TSEnumDeclaration<'_>) -> Value {
    let values = one.body.members.iter().filter_map(|member| match (&member.initializer, &member.id) {
        (Some(Expression::StringLiteral(text)), _) => Some(Value::from(text.value.as_str())),
        (Some(_), _) | (None, TSEnumMemberName::ComputedTemplateString(_)) => None,
        (None, TSEnumMemberName::Identifier(name)) => Some(Value::from(name.name.as_str())),
        (None, TSEnumMemberName::String(name) | TSEnumMemberName::ComputedString(name)) => {
            Some(Value::from(name.value.as_str()))
        }
    });
    object([("enum", Value::Array(values.collect()))])
}
