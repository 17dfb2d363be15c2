//! Walks the fixtures of the classify stage: a description with its guide and answers, and what they come
//! to. Set `PROVELY_BLESS=1` to rewrite the expectations.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod fixtures;

use std::fmt::Write as _;

use provely_compiler::classify::{Classified, classify};
use provely_compiler::ingest::ingest;
use provely_compiler::source::{SourceFile, SourceKind, Sources, load_folder, read_review};
use provely_evaluator::contract::StateClass;
use provely_model::{Certainty, Effect, Role};

use fixtures::{expect, inputs};

fn sources(stem: &str, files: &[(String, String)]) -> Sources {
    let text = |ending: &str| {
        let wanted = format!("{stem}.{ending}");
        files.iter().find(|(name, _)| *name == wanted).map(|(_, text)| text.clone())
    };
    let mut sources = Sources::of_openapi(&format!("{stem}.yaml"), text("yaml").unwrap());
    if let Some(guide) = text("md") {
        sources.files.push(SourceFile {
            id: format!("{stem}.docs"),
            kind: SourceKind::Docs,
            name: format!("{stem}.md"),
            url: None,
            retrieved: None,
            excerpt: None,
            text: guide,
        });
    }
    if let Some(answers) = text("review.yaml") {
        sources.review = read_review("review.yaml", &answers).unwrap();
    }
    sources
}

fn printed(classified: &Classified) -> String {
    let mut out = String::new();
    for operation in &classified.service.operations {
        let resource = operation.resource.as_deref().unwrap_or("-");
        let select = operation.reply.as_ref().map_or("-", |reply| reply.select.as_str());
        let parameters: Vec<&str> =
            operation.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let (effect, role) = (operation.effect.name(), operation.role);
        writeln!(out, "{}: {effect} {role:?} {resource} {select} ({})", operation.id, parameters.join(", "))
            .unwrap();
    }
    for resource in &classified.service.resources {
        writeln!(
            out,
            "\nresource {} {} id {:?} created {:?}",
            resource.name, resource.schema, resource.id, resource.created
        )
        .unwrap();
        for field in &resource.fields {
            writeln!(
                out,
                "  field {} {:?} {}",
                field.name,
                field.kind,
                field.refers_to.as_deref().unwrap_or("")
            )
            .unwrap();
        }
        let Some(lifecycle) = &resource.lifecycle else { continue };
        writeln!(out, "  state {} {}", lifecycle.path, lifecycle.field).unwrap();
        for state in &lifecycle.states {
            let (class, certainty) = (state.class, state.certainty);
            writeln!(
                out,
                "    {} {class:?} {certainty:?} reversible {} from {:?} {:?}",
                state.name, state.reversible, state.from, state.assertions
            )
            .unwrap();
        }
    }
    for open in &classified.uncertainties {
        writeln!(out, "\nopen {} cap {}: {}", open.id, open.cap, open.question).unwrap();
    }
    writeln!(out, "\nanswered {:?}", classified.answered).unwrap();
    out
}

#[test]
fn every_fixture_gives_what_is_expected() {
    let files = inputs("classify");
    for (name, _) in
        files.iter().filter(|(name, _)| name.ends_with(".yaml") && !name.ends_with(".review.yaml"))
    {
        let stem = name.trim_end_matches(".yaml");
        let found = ingest(&sources(stem, &files)).unwrap();
        expect("classify", stem, &printed(&classify(&found)));
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let files = inputs("classify");
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let found = ingest(&sources("transfers", &files)).unwrap();
            (serde_json::to_string(&found).unwrap(), serde_json::to_string(&classify(&found)).unwrap())
        })
    };
    assert_eq!(run(1), run(4));
}

#[test]
fn no_certain_class_rests_on_a_name_alone() {
    for (name, text) in fixtures::corpus(&["json", "yaml", "yml"]) {
        let Ok(found) = ingest(&Sources::of_openapi(&name, text)) else { continue };
        for resource in classify(&found).service.resources {
            let Some(lifecycle) = resource.lifecycle else { continue };
            for state in &lifecycle.states {
                assert!(state.certainty != Certainty::Reviewed, "{name}: nobody reviewed {}", state.name);
                assert!(
                    !state.assertions.is_empty(),
                    "{name}: {} of {} cites nothing",
                    state.name,
                    resource.name
                );
                let unsure = state.certainty == Certainty::None;
                assert!(!unsure || state.class == StateClass::Unknown, "{name}: {} is a guess", state.name);
            }
        }
    }
}

#[test]
fn the_authored_refund_sources_classify() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/stripe");
    let found = ingest(&load_folder(&folder).unwrap()).unwrap();
    let classified = classify(&found);
    let service = &classified.service;
    let effect =
        |id: &str| service.operation(id).map(|operation| (operation.effect, operation.role)).unwrap();
    assert_eq!(effect("POST /v1/refunds"), (Effect::MoneyRefund, Role::Create));
    assert_eq!(effect("POST /v1/refunds/{refund}"), (Effect::RecordUpdate, Role::Update));
    assert_eq!(effect("POST /v1/refunds/{refund}/cancel").1, Role::Cancel);
    assert_eq!(effect("GET /v1/refunds"), (Effect::Read, Role::List));
    let lifecycle = service.resource("refund").unwrap().lifecycle.as_ref().unwrap();
    let classes: Vec<(&str, StateClass)> =
        lifecycle.states.iter().map(|state| (state.name.as_str(), state.class)).collect();
    assert_eq!(
        classes,
        [
            ("pending", StateClass::Transitional),
            ("requires_action", StateClass::Transitional),
            ("succeeded", StateClass::TerminalSuccess),
            ("failed", StateClass::TerminalFailure),
            ("canceled", StateClass::TerminalNeutral)
        ]
    );
    assert!(lifecycle.states.iter().all(|state| state.certainty == Certainty::Documented));
    assert!(lifecycle.state("succeeded").unwrap().reversible);
    assert!(lifecycle.allows("succeeded", "failed") && lifecycle.allows("succeeded", "requires_action"));
    assert!(!lifecycle.allows("failed", "succeeded"));
    assert!(
        lifecycle
            .states
            .iter()
            .flat_map(|state| &state.assertions)
            .all(|id| id.contains(".docs.") || id.contains("/paths/"))
    );
}
