//! The types of a GraphQL schema, whichever way they were written. Holds them and joins extensions; must not
//! read a text or judge a meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use provely_document::{Diagnostic, Source, Span, nearest};

/// A type is used that nobody defines.
pub(super) const UNKNOWN_TYPE: &str = "graphql/unknown-type";
/// A name is not one that GraphQL allows.
pub(super) const BAD_NAME: &str = "graphql/bad-name";
/// A type stands twice.
pub(super) const DUPLICATE: &str = "graphql/duplicate";

/// The scalars that every schema has.
pub(super) const BUILT_IN: [&str; 5] = ["ID", "String", "Int", "Float", "Boolean"];

/// All types of a schema.
#[derive(Debug, Default)]
pub struct TypeSystem {
    /// What is said of the schema.
    pub description: Option<String>,
    /// The root types that were named: query, mutation.
    pub roots: BTreeMap<Root, String>,
    /// The types, in source order.
    pub types: Vec<TypeDefinition>,
    /// Type names to their place.
    pub index: BTreeMap<String, usize>,
    /// The directives that a request may put on a field, each with the names of its arguments.
    pub directives: Vec<(String, Vec<String>)>,
    /// Fields, values and arguments that stood twice, as `Type.field`; the first of each is kept.
    pub repeated: Vec<String>,
}

/// A root of the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Root {
    /// What reads.
    Query,
    /// What acts.
    Mutation,
}

/// What a type is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A single value.
    Scalar,
    /// Fields.
    Object,
    /// Fields that several objects share.
    Interface,
    /// One of several objects.
    Union,
    /// One of several words.
    Enum,
    /// Fields of an argument.
    Input,
}

/// One type.
#[derive(Debug)]
pub struct TypeDefinition {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub form: Form,
    /// What is said of it.
    pub description: Option<String>,
    /// The interfaces of an object, or the members of a union.
    pub members: Vec<(String, Span)>,
    /// Fields of an object, an interface or an input.
    pub fields: Vec<FieldDefinition>,
    /// Values of an enum.
    pub values: Vec<ValueDefinition>,
}

/// A field, an argument or a member of an input.
#[derive(Debug)]
pub struct FieldDefinition {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What is said of it.
    pub description: Option<String>,
    /// Its type.
    pub kind: TypeReference,
    /// Its arguments.
    pub arguments: Vec<FieldDefinition>,
    /// It has a value when it is left out.
    pub defaulted: bool,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// The directives that are applied to it, without `@`.
    pub directives: Vec<String>,
}

/// A value of an enum.
#[derive(Debug)]
pub struct ValueDefinition {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What is said of it.
    pub description: Option<String>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
}

/// A type where it is used.
#[derive(Debug, Clone)]
pub enum TypeReference {
    /// By its name.
    Named(String, Span),
    /// Several of it.
    List(Box<TypeReference>),
    /// Never null.
    NonNull(Box<TypeReference>),
}

impl TypeReference {
    /// The name inside all lists.
    #[must_use]
    pub fn name(&self) -> (&str, Span) {
        match self {
            Self::Named(name, span) => (name, *span),
            Self::List(inner) | Self::NonNull(inner) => inner.name(),
        }
    }

    /// As GraphQL writes it.
    #[must_use]
    pub fn written(&self) -> String {
        match self {
            Self::Named(name, _) => name.clone(),
            Self::List(inner) => format!("[{}]", inner.written()),
            Self::NonNull(inner) => format!("{}!", inner.written()),
        }
    }
}

impl TypeSystem {
    /// Adds a type, or joins what extends it.
    ///
    /// # Errors
    /// If the type stands twice.
    pub fn add(
        &mut self,
        source: &Arc<Source>,
        new: TypeDefinition,
        extends: bool,
    ) -> Result<(), Diagnostic> {
        let known = self.index.get(&new.name).and_then(|at| self.types.get_mut(*at));
        let Some(known) = known else {
            self.index.insert(new.name.clone(), self.types.len());
            self.types.push(new);
            return Ok(());
        };
        // A definition behind its extension completes it: an extension alone says nothing of itself.
        if !extends && !known.span_is_extension() {
            return Err(twice(source, "type", &new.name, new.span, known.span));
        }
        known.join(new, extends);
        Ok(())
    }

    /// The type of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&TypeDefinition> {
        self.types.get(*self.index.get(name)?)
    }

    /// The root type that is named, else that of the usual name.
    #[must_use]
    pub fn root(&self, root: Root) -> Option<&TypeDefinition> {
        let usual = match root {
            Root::Query => "Query",
            Root::Mutation => "Mutation",
        };
        // Where roots are named, one that is not does not exist.
        let name = match self.roots.get(&root) {
            Some(name) => name.as_str(),
            None if self.roots.is_empty() => usual,
            None => return None,
        };
        self.get(name).filter(|found| found.form == Form::Object)
    }

    /// Keeps the first of what stands twice, and looks for names that are none or that nothing defines.
    ///
    /// # Errors
    /// The first of them, in source order.
    pub fn check(&mut self, source: &Arc<Source>) -> Result<(), Diagnostic> {
        let repeated = &mut self.repeated;
        for one in &mut self.types {
            repeated.extend(
                once(&mut one.fields, |field| &field.name).map(|name| format!("{}.{name}", one.name)),
            );
            repeated.extend(
                once(&mut one.values, |value| &value.name).map(|name| format!("{}.{name}", one.name)),
            );
            for field in &mut one.fields {
                let place = format!("{}.{}", one.name, field.name);
                repeated.extend(
                    once(&mut field.arguments, |one| &one.name).map(|name| format!("{place}.{name}")),
                );
            }
        }
        self.types.iter().try_for_each(|one| self.check_type(source, one))
    }

    fn check_type(&self, source: &Arc<Source>, one: &TypeDefinition) -> Result<(), Diagnostic> {
        named(source, &one.name, one.span)?;
        one.values.iter().try_for_each(|value| named(source, &value.name, value.span))?;
        one.members.iter().try_for_each(|(name, span)| self.known(source, name, *span))?;
        for field in one.fields.iter().flat_map(|field| field.arguments.iter().chain([field])) {
            named(source, &field.name, field.span)?;
            let (name, span) = field.kind.name();
            self.known(source, name, span)?;
        }
        Ok(())
    }

    fn known(&self, source: &Arc<Source>, name: &str, span: Span) -> Result<(), Diagnostic> {
        if BUILT_IN.contains(&name) || self.index.contains_key(name) {
            return Ok(());
        }
        let message = format!("the type `{name}` is not defined");
        let finding = Diagnostic::error(UNKNOWN_TYPE, source, span, message);
        let near = nearest(name, self.index.keys().map(String::as_str));
        let help = near.map_or_else(
            || "define it, or leave out what uses it".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        Err(finding.with_help(help))
    }
}

impl TypeDefinition {
    /// An extension without its definition has nothing that only a definition has.
    fn span_is_extension(&self) -> bool {
        self.description.is_none() && self.span == Span::default()
    }

    fn join(&mut self, new: Self, extends: bool) {
        if !extends {
            self.span = new.span;
            self.description = new.description;
        }
        let seen = |known: &[(String, Span)], name: &str| known.iter().any(|(one, _)| one == name);
        for (name, span) in new.members {
            if !seen(&self.members, &name) {
                self.members.push((name, span));
            }
        }
        self.fields.extend(new.fields);
        self.values.extend(new.values);
    }
}

/// Names go into documents as they stand, so nothing else may pass as one.
fn named(source: &Arc<Source>, name: &str, span: Span) -> Result<(), Diagnostic> {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        return Ok(());
    }
    let message = format!("`{}` is no name", name.escape_default());
    Err(Diagnostic::error(BAD_NAME, source, span, message)
        .with_help("a name has letters, digits and `_`, and no digit in front"))
}

/// Drops what stands a second time, and names it.
fn once<T>(list: &mut Vec<T>, name: impl Fn(&T) -> &String) -> std::vec::IntoIter<String> {
    let mut seen = BTreeSet::new();
    let mut dropped = Vec::new();
    list.retain(|one| {
        let first = seen.insert(name(one).clone());
        if !first {
            dropped.push(name(one).clone());
        }
        first
    });
    dropped.into_iter()
}

fn twice(source: &Arc<Source>, what: &str, name: &str, span: Span, first: Span) -> Diagnostic {
    let message = format!("the {what} `{name}` stands twice");
    Diagnostic::error(DUPLICATE, source, span, message)
        .with_label(first, "it stood here first")
        .with_help("remove or rename one of the two")
}
