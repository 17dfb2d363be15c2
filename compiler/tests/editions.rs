//! Sources for several versions of one service: one contract for all of them, with an overlay for what some ask on
//! top, played against each.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test says at once what it misses")]

use std::path::Path;

use provely_compiler::classify::classify;
use provely_compiler::ingest::ingest;
use provely_compiler::plan::{Gathered, Planned, Rules, plan};
use provely_compiler::source::{SourceFile, Sources, VersionRange, load_folder};
use provely_compiler::synthesise::{Synthesised, join, synthesise};
use provely_compiler::test::test;
use provely_evaluator::load::Program;
use provely_evaluator::time::Time;

const OLD: (&str, &str) = ("2024-10-28.acacia", "2025-02-24.acacia");
const NEW: (&str, &str) = ("2025-03-31.basil", "2026-05-27.dahlia");

fn range((from, to): (&str, &str)) -> VersionRange {
    VersionRange { from: from.to_owned(), to: to.to_owned() }
}

/// The sources of the shipped skill, with its description and its guide once more for older versions, changed by
/// `change`.
fn sources(change: impl Fn(&str) -> String) -> Sources {
    let mut sources = load_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/stripe")).unwrap();
    let service = sources.service.as_mut().unwrap();
    for id in ["stripe.openapi", "stripe.docs.refunds"] {
        let at = service.sources.iter().position(|entry| entry.id == id).unwrap();
        service.sources[at].versions = Some(range(NEW));
        let older = format!("{id}.older");
        let mut entry = service.sources[at].clone();
        (entry.id, entry.versions) = (older.clone(), Some(range(OLD)));
        service.sources.push(entry);
        let file = sources.files.iter().find(|file| file.id == id).unwrap();
        let copy = SourceFile { id: older, text: change(&file.text), ..file.clone() };
        sources.files.push(copy);
    }
    sources
}

/// The text before a state was added.
fn without_requires_action(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("`requires_action` means"));
    let text = lines.collect::<Vec<_>>().join("\n") + "\n";
    text.replace("`requires_action`, ", "").replace("`requires_action`", "that state")
}

fn compiled(sources: &Sources) -> (Planned, Synthesised) {
    let rules = Rules::builtin().unwrap();
    let found = ingest(sources).unwrap();
    let classified = classify(&found);
    let planned = plan(&Gathered::of(&found, &classified).known(&classified.service), &rules);
    let written = synthesise(&planned, &sources.service.as_ref().unwrap().names, &rules);
    (planned, written)
}

struct Made {
    planned: Planned,
    further: Planned,
    joined: Synthesised,
}

fn made(sources: &Sources) -> Made {
    let editions = sources.editions().unwrap();
    assert_eq!(editions.len(), 2);
    let (planned, first) = compiled(&editions[0].sources);
    let (further, older) = compiled(&editions[1].sources);
    Made { planned, further, joined: join(first, &[older]) }
}

fn program(made: &Made, id: &str) -> Program {
    let synthesis = made.joined.contracts.iter().find(|one| one.contract.id == id).unwrap();
    Program::load(synthesis.contract.clone()).unwrap()
}

#[test]
fn versions_that_say_the_same_share_one_contract() {
    let made = made(&sources(str::to_owned));
    assert!(made.joined.uncertainties.iter().all(|open| !open.id.starts_with("version:")));
    for id in ["stripe.refund.created", "stripe.refund.succeeded"] {
        let program = program(&made, id);
        let contract = program.contract();
        assert!(contract.overlays.is_empty(), "{id}");
        assert_eq!(contract.valid_for.provider_api_versions, [range(NEW).text(), range(OLD).text()]);
        let cited = contract.provenance.values().flatten();
        assert!(cited.clone().any(|assertion| assertion.starts_with("stripe.openapi.older#")));
        assert!(program.covers("2024-12-18.acacia") && program.covers("2026-05-27.dahlia"));
        assert!(!program.covers("2025-03-01"));
    }
}

#[test]
fn a_state_that_newer_versions_know_is_their_overlay() {
    let made = made(&sources(without_requires_action));
    let program = program(&made, "stripe.refund.succeeded");
    let contract = program.contract();
    assert_eq!(contract.overlays.len(), 1, "{:?}", made.joined.uncertainties);
    assert_eq!(contract.overlays[0].versions, [range(NEW).text()]);
    let rules = |version: &str| {
        let rules = program.at(Some(version)).contract().verdict_map.clone();
        rules.into_iter().map(|rule| rule.id).collect::<Vec<_>>()
    };
    let (old, new) = (rules("2024-12-18.acacia"), rules("2026-05-27.dahlia"));
    assert_eq!(new.len(), old.len() + 1);
    assert_eq!(new.last().unwrap(), "still_transitional.requires_action");
    let added = "verdict_map.still_transitional.requires_action";
    assert!(program.at(Some("2026-05-27.dahlia")).contract().provenance.contains_key(added));
}

#[test]
fn joined_contracts_pass_their_cases_in_every_version() {
    let sources = sources(without_requires_action);
    let made = made(&sources);
    let file = sources.service.as_ref();
    let tested =
        test(&made.planned, &[made.further], &made.joined, file, 7, Time::from_seconds(1_800_000_000))
            .unwrap();
    let older = tested.report.cases.iter().filter(|case| case.id.ends_with("@2025-02-24.acacia"));
    let failed: Vec<_> =
        tested.report.cases.iter().filter(|case| !case.passed).map(|case| &case.id).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert!(older.count() * 2 >= tested.report.cases.len() - 20);
}

#[test]
fn what_is_more_than_an_addition_stays_apart() {
    let made = made(&sources(|text| {
        text.replace(
            "`failed` means that the refund failed:",
            "`failed` means that the refund was successful:",
        )
    }));
    let program = program(&made, "stripe.refund.succeeded");
    assert_eq!(program.contract().valid_for.provider_api_versions, [range(NEW).text()]);
    let open: Vec<_> = made.joined.uncertainties.iter().map(|open| open.id.as_str()).collect();
    assert!(
        open.contains(&"version:stripe.refund.succeeded@>=2024-10-28.acacia <=2025-02-24.acacia"),
        "{open:?}"
    );
}
