//! `provely skill explain CONTRACT [CONDITION]`: from a part of a contract back to what the sources say. It must not
//! add a reason of its own.

use crate::answer::Answer;
use crate::failure::Failure;
use crate::package;
use crate::session::Session;
use crate::sources;
use crate::summary_text::line;
use provely_compiler::assertion::source_of;
use provely_compiler::ingest::{Ingested, ingest};
use provely_compiler::review::passage;
use provely_evaluator::contract::Contract;
use provely_evaluator::manifest::{Manifest, SourceEntry};
use serde::Serialize;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  provely skill explain stripe.refund.succeeded
  provely skill explain stripe.refund.succeeded refund_amount_matches";

/// Longest passage that is quoted, in characters.
const QUOTED: usize = 600;

/// Arguments of `skill explain`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The id of a contract
    contract: String,
    /// The id of a condition, state, channel or rule; every part if left out
    condition: Option<String>,
    #[command(flatten)]
    skills: package::SkillsAt,
}

#[derive(Serialize)]
struct Explained {
    contract: String,
    promise: String,
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    part: String,
    assertions: Vec<Assertion>,
}

#[derive(Serialize)]
struct Assertion {
    id: String,
    source: Option<Source>,
    passage: Option<String>,
}

#[derive(Serialize)]
struct Source {
    id: String,
    url: String,
    retrieved: String,
    excerpt: String,
}

impl Arguments {
    /// The chain from each part to its sources.
    ///
    /// # Errors
    /// If there is no such contract or condition, or the package is malformed.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let folder = self.skills.folder(session)?;
        let (manifest, contract) = find(&folder, &self.contract)?;
        let texts = texts(&self.skills.root(session), &manifest.service.id);
        let wanted = contract.provenance.iter().filter(|(part, _)| {
            self.condition.as_ref().is_none_or(|name| *part == name || part.rsplit('.').next() == Some(name))
        });
        let parts: Vec<Part> = wanted
            .map(|(part, assertions)| Part {
                part: part.clone(),
                assertions: assertions.iter().map(|id| assertion(id, &manifest, texts.as_ref())).collect(),
            })
            .collect();
        if let (true, Some(name)) = (parts.is_empty(), &self.condition) {
            return Err(unknown_part(&contract, name));
        }
        let explained = Explained { contract: contract.id, promise: contract.promise, parts };
        Answer::done(explained.text(), &explained)
    }
}

fn find(folder: &Path, id: &str) -> Result<(Manifest, Contract), Failure> {
    let mut known = Vec::new();
    for path in package::packages(folder)? {
        let manifest = package::manifest(&path)?;
        if let Some(entry) = manifest.contracts.iter().find(|entry| entry.id == id) {
            let contract = package::contract(&path, &entry.path)?;
            return Ok((manifest, contract));
        }
        known.extend(manifest.contracts.into_iter().map(|entry| entry.id));
    }
    let near = provely_document::nearest(id, known.iter().map(String::as_str));
    let help = near.map_or_else(
        || "`provely skill list` names the contracts".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    let message = format!("no skill under {} has the contract `{}`", folder.display(), id.escape_debug());
    Err(Failure::new("contract_unknown", message).help(help))
}

fn unknown_part(contract: &Contract, name: &str) -> Failure {
    let last = |part: &'_ String| part.rsplit('.').next().unwrap_or(part).to_owned();
    let known: Vec<String> = contract.provenance.keys().map(last).collect();
    let help = match provely_document::nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("leave it out to see every part of `{}`", contract.id),
    };
    Failure::new("condition_unknown", format!("`{}` has no part `{}`", contract.id, name.escape_debug()))
        .help(help)
}

/// What the sources say, where they are at hand.
fn texts(root: &Path, service: &str) -> Option<Ingested> {
    let known = sources::services(root).iter().any(|id| id == service);
    let sources = if known { sources::of_service(root, service).ok()? } else { return None };
    ingest(&sources).ok()
}

fn assertion(id: &str, manifest: &Manifest, texts: Option<&Ingested>) -> Assertion {
    let own = source_of(id);
    let source = manifest.sources.iter().find(|source| source.id == own).map(source);
    Assertion {
        id: id.to_owned(),
        source,
        passage: texts.and_then(|texts| passage(texts, id)).as_deref().map(cut),
    }
}

fn source(entry: &SourceEntry) -> Source {
    Source {
        id: entry.id.clone(),
        url: entry.url.clone(),
        retrieved: entry.retrieved.clone(),
        excerpt: entry.excerpt.clone(),
    }
}

fn cut(text: &str) -> String {
    let mut cut = text.to_owned();
    if let Some((end, _)) = cut.char_indices().nth(QUOTED) {
        cut.truncate(end);
        cut.push('…');
    }
    cut
}

impl Explained {
    fn text(&self) -> String {
        let mut text = String::new();
        line(&mut text, 0, &self.contract);
        line(&mut text, 2, &self.promise);
        for Part { part, assertions } in &self.parts {
            text.push('\n');
            line(&mut text, 0, part);
            for assertion in assertions {
                assertion.print(&mut text);
            }
        }
        text
    }
}

impl Source {
    /// What the package says of it; its id where it says nothing.
    fn stated(&self) -> String {
        let parts = [("", &self.url), ("retrieved ", &self.retrieved), ("excerpt ", &self.excerpt)];
        let stated = parts.into_iter().filter(|(_, value)| !value.is_empty());
        let stated: Vec<String> = stated.map(|(name, value)| format!("{name}{value}")).collect();
        if stated.is_empty() { format!("source {}", self.id) } else { stated.join(", ") }
    }
}

impl Assertion {
    fn print(&self, text: &mut String) {
        line(text, 2, &self.id);
        match &self.source {
            Some(source) => line(text, 4, &source.stated()),
            None => line(text, 4, "a rule of the compiler"),
        }
        if let Some(passage) = &self.passage {
            line(text, 4, &format!("\"{passage}\""));
        }
    }
}
