//! Reads GraphQL schemas, as SDL or as the answer to an introspection query, into the form that OpenAPI
//! descriptions have. Must not classify anything.

mod introspection;
mod lower;
mod names;
mod roots;
mod sdl;
mod types;

use std::sync::Arc;

use provely_document::{Diagnostic, Document, Format, Limits, Source, read as read_document};

pub(crate) use lower::{FORM, IMPLEMENTED_BY, IMPLEMENTS, SCALAR};
pub(super) use names::place_name;
pub(crate) use roots::field_arguments;
pub(super) use roots::read;
pub use roots::{ApiDirective, ApiRootField};

/// The path of the endpoint where the service file names none.
pub const USUAL_PATH: &str = "/graphql";

/// The schema of a file as a tree of the form that OpenAPI descriptions have.
///
/// # Errors
/// The first fault of the file, with its place.
pub(super) fn grow(name: &str, text: &str) -> Result<Document, Diagnostic> {
    let json = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    let system = if json && !is_selection(text) {
        let document = read_document(name, text, Format::Json, &Limits::default())?;
        let mut system = introspection::read(&document)?;
        system.check(document.source())?;
        system
    } else {
        let source = Arc::new(Source::new(name, text.trim_start_matches('\u{feff}')));
        let mut system = sdl::read(&source)?;
        system.check(&source)?;
        system
    };
    read_document(name, lower::lower(&system), Format::Json, &Limits::default())
}

/// A brace that opens a request in short form rather than an object of JSON.
fn is_selection(text: &str) -> bool {
    let inside = text.trim_start_matches('\u{feff}').trim_start().trim_start_matches('{').trim_start();
    inside.starts_with(|letter: char| letter.is_ascii_alphabetic() || matches!(letter, '_' | '#'))
}
