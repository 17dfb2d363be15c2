//! Collects the files that a description is spread over, wherever they are read from. Must not read any itself.

use std::collections::BTreeSet;

use provely_document::{Format, Limits, read};

use super::{SourceFile, SourceKind};
use crate::ingest::file_references;

/// Most files that the descriptions of one service may be spread over.
const MOST_PARTS: usize = 10_000;

/// Follows references to files until no new one turns up. `text_of` gives the text of a file by its name, relative
/// to the folder. What is malformed or missing stays out, and the ingest stage says where it was wanted.
pub fn add_parts(files: &mut Vec<SourceFile>, text_of: &mut dyn FnMut(&str) -> Option<String>) {
    let mut known: BTreeSet<String> = files.iter().map(|file| file.name.clone()).collect();
    let mut at = 0;
    while let Some(file) = files.get(at) {
        at += 1;
        let described = matches!(file.kind, SourceKind::Openapi | SourceKind::OpenapiPart);
        if !described || known.len() > MOST_PARTS || !may_refer_to_files(&file.text) {
            continue;
        }
        let Ok(document) = read(&file.name, file.text.as_str(), Format::Auto, &Limits::default()) else {
            continue;
        };
        let like = SourceFile { kind: SourceKind::OpenapiPart, text: String::new(), ..file.clone() };
        for name in file_references(&document) {
            if known.insert(name.clone())
                && let Some(text) = text_of(&name)
            {
                files.push(SourceFile { name, text, ..like.clone() });
            }
        }
    }
}

/// False if every `$ref` of a text starts with `#`. May be wrong in the other direction.
fn may_refer_to_files(text: &str) -> bool {
    text.split("$ref").skip(1).any(|rest| {
        let target = rest.trim_start_matches(['"', '\'', ':', ' ', '\t', '\r', '\n']);
        !target.starts_with('#')
    })
}
