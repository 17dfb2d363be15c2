//! Random histories: sound contracts say nothing false, every kind of history is drawn, and what is planted is caught.

#![expect(clippy::panic, clippy::indexing_slicing, reason = "a test says at once what it misses")]

mod fixture;

use std::collections::BTreeMap;

use fixture::{OPERATION, fixture, level, program};
use provely_evaluator::contract::{Causality, Contract, Truth};
use provely_evaluator::evaluate::ConditionKind;
use provely_evaluator::load::Program;
use provely_evaluator::verdict::Verdict;
use provely_harness::histories::{Entry, Figures, Histories, Verifier};
use provely_harness::{CaseBook, Level};
use provely_model::Service;
use provely_runtime::Verification;

const SEED: u64 = 20_260_905;

/// A hundredth in every run, all of them where the tests run in full.
fn count(in_full: u64) -> u64 {
    if std::env::var_os("PROVELY_FULL").is_some() { in_full } else { in_full / 100 }
}

fn book() -> CaseBook {
    CaseBook::builtin().unwrap_or_else(|finding| panic!("{}", finding.render(false)))
}

/// Histories of both levels of the invented provider, their contracts changed or not.
fn with<T>(change: impl Fn(&mut Contract), job: impl FnOnce(&Histories<'_>) -> T) -> T {
    let fixture = fixture();
    let ready = |name: &str| {
        let mut contract = fixture.contracts[name].clone();
        change(&mut contract);
        (program(contract), level(name))
    };
    let own: Vec<(Program, Level)> = ["settled", "created"].map(ready).into();
    let entries: Vec<Entry<'_>> =
        own.iter().map(|(program, level)| Entry { program, operation: OPERATION, level }).collect();
    let (book, service): (CaseBook, &Service) = (book(), &fixture.service);
    job(&Histories::new(service, &entries, &book))
}

fn sound(count: u64) -> Figures {
    with(|_| (), |histories| histories.run(count, SEED))
}

#[test]
fn sound_contracts_say_nothing_false() {
    let figures = sound(count(400_000));
    assert!(figures.is_clean(), "{:#?}", figures.findings);
    assert_eq!(figures.late, 0, "{:#?}", figures.findings);
}

#[test]
fn every_verdict_and_every_kind_of_history_is_drawn() {
    let figures = sound(3_000);
    let operations: u64 = figures.verdicts.values().sum();
    for verdict in ["VERIFIED", "CONTRADICTED", "FAILED", "UNVERIFIABLE"] {
        let share = figures.verdicts[verdict] * 100 / operations;
        assert!(share >= 5, "{verdict}: {share} % of {operations}");
    }
    assert_eq!(figures.agents.len(), 18, "{:?}", figures.agents);
    // What only changes a record that is there, and what an agent brings about by its request.
    let elsewhere = ["not_done", "partly_done", "altered"];
    let drawn: Vec<&str> = figures.faults.keys().copied().chain(elsewhere).collect();
    for name in provely_simulator::FaultKind::NAMES {
        assert!(drawn.contains(&name), "no history has the fault `{name}`");
    }
    assert!(figures.delays.values().sum::<u64>() > 300, "{:?}", figures.delays);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    with(
        |_| (),
        |histories| {
            let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let crowd = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
            let one = alone.install(|| histories.run(400, SEED));
            let many = crowd.install(|| histories.run(400, SEED));
            assert_eq!(one, many);
            assert_ne!(one, histories.run(400, SEED + 1));
        },
    );
}

#[test]
fn looks_that_see_the_same_world_again_say_nothing_else() {
    let few = with(|_| (), |histories| histories.run(60, SEED));
    let fixture = fixture();
    let level = level("settled");
    let other = self::level("created");
    let own = [program(fixture.contracts["settled"].clone()), program(fixture.contracts["created"].clone())];
    let entries: Vec<Entry<'_>> = own
        .iter()
        .zip([&level, &other])
        .map(|(program, level)| Entry { program, operation: OPERATION, level })
        .collect();
    let book = book();
    let every = Histories::new(&fixture.service, &entries, &book).with_every_look().run(60, SEED);
    assert_eq!(few, every);
}

/// Positives that are not known to fail count as if they held.
#[derive(Debug)]
struct UnknownIsTrue;

impl Verifier for UnknownIsTrue {
    fn verdict(&self, answer: &Verification) -> Verdict {
        let failing = answer.conditions.iter().any(|own| match own.kind {
            ConditionKind::Positive => own.truth == Truth::Fails,
            ConditionKind::Negative | ConditionKind::BuiltIn | ConditionKind::Rule => {
                own.truth == Truth::Holds
            }
        });
        if failing { answer.verdict } else { Verdict::Verified }
    }
}

/// What the agent claims counts as evidence.
#[derive(Debug)]
struct AcceptsClaims;

impl Verifier for AcceptsClaims {
    fn verdict(&self, answer: &Verification) -> Verdict {
        let claimed = answer.causality == Some(Causality::Claim);
        if claimed && answer.verdict == Verdict::Pending { Verdict::Verified } else { answer.verdict }
    }
}

/// No negative counts.
#[derive(Debug)]
struct IgnoresNegatives;

impl Verifier for IgnoresNegatives {
    fn verdict(&self, answer: &Verification) -> Verdict {
        let mut positives = answer.conditions.iter().filter(|own| own.kind == ConditionKind::Positive);
        let kept = positives.all(|own| own.truth == Truth::Holds);
        if kept { Verdict::Verified } else { answer.verdict }
    }
}

#[test]
fn a_verifier_that_is_wrong_is_caught() {
    let wrong: [(&str, &dyn Verifier); 3] = [
        ("unknown is true", &UnknownIsTrue),
        ("claims are evidence", &AcceptsClaims),
        ("negatives are ignored", &IgnoresNegatives),
    ];
    for (what, verifier) in wrong {
        let figures = with(|_| (), |histories| histories.run_as(500, SEED, verifier));
        assert!(figures.false_verified > 0, "{what}");
    }
}

/// A contract that lacks something is caught, whatever its negative is about.
#[test]
fn a_contract_that_lacks_a_negative_is_caught() {
    let lacking: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("second effects", &["second_reversal_listed", "second_reversal_told"][..]),
        ("the currency", &["other_currency"][..]),
        ("the sale", &["other_sale"][..]),
    ]);
    for (what, ids) in lacking {
        let dropped = |contract: &mut Contract| {
            contract.negative_conditions.any_of.retain(|own| !ids.contains(&own.id.as_str()));
        };
        let figures = with(dropped, |histories| histories.run(1_500, SEED));
        assert!(!figures.is_clean(), "{what}");
    }
}

#[test]
fn a_finding_replays_and_shrinks() {
    with(
        |_| (),
        |histories| {
            let figures = histories.run_as(300, SEED, &UnknownIsTrue);
            let finding = figures.findings.first().unwrap();
            let replay = histories.replay_as(&finding.contract, finding.seed, &UnknownIsTrue).unwrap();
            assert_eq!(replay.wrong.as_deref(), Some(finding.what.as_str()));
            let shrunk = replay.shrunk.unwrap();
            assert!(shrunk.case.len() <= replay.case.len(), "{}", shrunk.case);
            // What is printed can be put into the case file.
            let cases = format!("version: '1'\ncases:\n{}", shrunk.case);
            let oracle = include_str!("../../benchmark/oracle.yaml");
            let read = CaseBook::parse(("cases.yaml", &cases), ("oracle.yaml", oracle));
            assert!(read.is_ok(), "{}\n{}", read.unwrap_err().render(false), shrunk.case);
            // With a sound verifier nothing is wrong.
            let sound = histories.replay(&finding.contract, finding.seed).unwrap();
            assert_eq!((sound.wrong, sound.shrunk), (None, None));
        },
    );
}
