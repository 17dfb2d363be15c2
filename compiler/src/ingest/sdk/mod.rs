//! Reads the type files of a vendor's SDK (`.d.ts`) into the form that OpenAPI descriptions have: interfaces and
//! aliases as named schemas, comments as descriptions. Must not run or resolve anything.

mod depth;
mod lower;

use std::collections::BTreeMap;
use std::sync::Arc;

use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;
use provely_document::{Diagnostic, Document, Format, Limits, Node, Source, Span, read};

use super::forest::{Forest, Place};
use super::schema::Schema;
use crate::assertion::pointer_token;
use crate::classify::{snake, words};
use crate::source::SourceKind;

/// A type file breaks the grammar of TypeScript.
pub const SYNTAX: &str = "sdk/syntax";
/// A type file nests deeper than is read, or is too long.
pub const LIMIT: &str = "sdk/limit";

/// Where the schemas stand in the tree of a type file.
const SCHEMAS: &str = "/components/schemas";
/// The stack of the thread that parses; the parser and the reading of types recurse.
const STACK: usize = 64 << 20;

/// The types of a file as a tree of the form that OpenAPI descriptions have.
///
/// # Errors
/// If it nests too deep or breaks the grammar, with the place.
pub(super) fn grow(name: &str, text: &str) -> Result<Document, Diagnostic> {
    let text = text.trim_start_matches('\u{feff}');
    let source = Arc::new(Source::new(name, text));
    let fault =
        |code, at: usize, message: String| Diagnostic::error(code, &source, Span::new(at, at + 1), message);
    if let Some((at, message)) = depth::excess(text) {
        return Err(fault(LIMIT, at, message));
    }
    let parsed = std::thread::scope(|scope| {
        let parser = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || schemas(text));
        parser.ok().and_then(|parser| parser.join().ok())
    });
    match parsed {
        Some(Ok(json)) => read(name, json, Format::Json, &Limits::default()),
        Some(Err((at, message))) => Err(fault(SYNTAX, at, message)),
        None => Err(fault(LIMIT, 0, "the file could not be parsed".to_owned())),
    }
}

fn schemas(text: &str) -> Result<String, (usize, String)> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::d_ts()).parse();
    if parsed.panicked {
        let first = parsed.diagnostics.iter().next();
        let at = first.and_then(|error| Some(error.labels.first()?.offset() as usize)).unwrap_or_default();
        let message =
            first.map_or_else(|| "this is no type file".to_owned(), |error| error.message.to_string());
        return Err((at, message));
    }
    Ok(lower::lower(&parsed.program, text))
}

/// The place of a type, as assertions name it: `Vendor.Refund/status`.
pub(super) fn place_name(pointer: &str) -> String {
    pointer.trim_start_matches(SCHEMAS).trim_start_matches('/').replace("/properties/", "/")
}

/// The types of all type files, by name and by every end of it: `checkout_session` and `session` for
/// `Vendor.Checkout.Session`. Of several with one name the one that stands outermost counts.
pub(super) fn index(forest: &Forest) -> BTreeMap<String, (usize, String)> {
    let mut types: BTreeMap<String, (usize, usize, String)> = BTreeMap::new();
    for tree in 0..forest.len() {
        let Some(root) = forest.root(tree).filter(|_| forest.kind(tree) == Some(SourceKind::SdkTypes)) else {
            continue;
        };
        for entry in root.node.at(SCHEMAS).into_iter().flat_map(Node::entries) {
            let parts: Vec<&str> = entry.key.split('.').collect();
            for start in 0..parts.len() {
                let end: Vec<String> = parts.iter().skip(start).flat_map(|part| words(part)).collect();
                let known = types.entry(end.join("_")).or_insert((usize::MAX, 0, String::new()));
                if parts.len() < known.0 {
                    *known = (parts.len(), tree, format!("{SCHEMAS}{}", pointer_token(entry.key)));
                }
            }
        }
    }
    types.into_iter().map(|(name, (_, tree, pointer))| (name, (tree, pointer))).collect()
}

/// What the vendor's types say of a named schema, or of a property of one, by its pointer in a description.
pub(super) fn counterpart<'a>(forest: &'a Forest, pointer: &str) -> Option<Schema<'a>> {
    let rest =
        pointer.strip_prefix("/components/schemas/").or_else(|| pointer.strip_prefix("/definitions/"))?;
    let mut tokens = rest.split('/');
    let name = tokens.next()?;
    let (tree, place) = forest.types().get(&snake(name))?;
    let record = at(forest, *tree, place)?;
    match (tokens.next(), tokens.next(), tokens.next()) {
        (None, _, _) => Some(record),
        (Some("properties"), Some(property), None) => record.property(property).map(|found| found.schema),
        _ => None,
    }
}

fn at<'a>(forest: &'a Forest, tree: usize, pointer: &str) -> Option<Schema<'a>> {
    let node = forest.root(tree)?.node.at(pointer)?;
    Some(Schema::of(forest, Place { tree, node, pointer: pointer.to_owned() }))
}
