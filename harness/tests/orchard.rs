//! Records whose outcome stands in parts of them, and actions on records that are there: sound contracts pass
//! every case, and each broken one is caught by the case that says so.

#![expect(clippy::panic, reason = "a test says at once what it misses")]

use std::collections::BTreeMap;

use provely_document::{Format, Limits, from_node, read};
use provely_evaluator::contract::{Contract, Operator};
use provely_evaluator::json::Value;
use provely_evaluator::load::Program;
use provely_harness::{CaseBook, CaseResult, Level, Promise, Setting, generate};
use provely_model::Service;

#[derive(Debug, serde::Deserialize)]
struct Fixture {
    #[serde(rename = "timing")]
    _timing: Value,
    #[serde(rename = "on_timeout")]
    _on_timeout: Value,
    #[serde(rename = "valid_for")]
    _valid_for: Value,
    #[serde(rename = "channels")]
    _channels: Value,
    service: Service,
    contracts: BTreeMap<String, Contract>,
}

fn fixture() -> Fixture {
    let text = include_str!("fixtures/orchard.yaml");
    let document = read("orchard.yaml", text, Format::Yaml, &Limits::default());
    let document = document.unwrap_or_else(|finding| panic!("{}", finding.render(false)));
    from_node(document.root()).unwrap_or_else(|finding| panic!("{}", finding.render(false)))
}

fn level(name: &str) -> (&'static str, Level) {
    let tree = Some(String::from("tree"));
    let (operation, promise, existing) = match name {
        "settled" => ("mutation paybackCreate", Promise::Reaches(vec!["SUCCESS".into()]), None),
        "updated" => ("PATCH /trees/{tree}", Promise::Changed, tree),
        "deleted" => ("DELETE /trees/{tree}", Promise::Gone, tree),
        "canceled" => ("POST /trees/{tree}/cancel", Promise::Reaches(vec!["canceled".into()]), tree),
        other => panic!("no level {other}"),
    };
    let resource = if name == "settled" { "payback" } else { "tree" };
    let contract_id = format!("orchard.{resource}.{name}");
    (operation, Level { contract_id, name: name.to_owned(), promise, existing })
}

fn run_all(service: &Service, name: &str, contract: Contract) -> Vec<CaseResult> {
    let program = Program::load(contract).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let book = CaseBook::builtin().unwrap_or_else(|finding| panic!("{}", finding.render(false)));
    let (operation, level) = level(name);
    let setting = Setting::new(service);
    let cases = generate(service, operation, &level, &book);
    let cases = cases.iter().filter(|case| case.not_applicable.is_none());
    cases.map(|case| setting.run(&program, case, 7)).collect()
}

#[test]
fn sound_contracts_pass_every_case() {
    let fixture = fixture();
    let mut told = String::new();
    for (name, least) in [("settled", 30), ("updated", 18), ("deleted", 15), ("canceled", 15)] {
        let results = run_all(&fixture.service, name, fixture.contracts[name].clone());
        for result in results.iter().filter(|result| !result.passed) {
            told += &format!("{}\n   {}\n   [{}]\n", result.id, result.faults.join("\n   "), result.story());
        }
        assert!(results.len() >= least, "{name}: {}", results.len());
    }
    assert!(told.is_empty(), "{told}");
}

#[test]
fn every_broken_contract_is_caught_by_the_case_that_says_so() {
    let fixture = fixture();
    let mut survived = Vec::new();
    // The level, conditions that are dropped (`~sum`: the sum may be less; `~failing reads`: reads that say that they failed are believed), and the case; `!` marks a false VERIFIED.
    let broken: &[(&str, &[&str], &str)] = &[
        ("settled", &["one_settled", "sum_as_asked"], "!parts.none"),
        ("settled", &["none_but_settled", "part_failed", "other_sum", "~sum"], "!parts.one_failed"),
        ("settled", &["other_sum", "~sum"], "!parts.wrong_sum"),
        ("settled", &["second_payback"], "!duplicate_side_effect.slow"),
        ("updated", &["rows_shown", "tall_shown"], "!some_fields_changed"),
        ("updated", &["label_shown", "rows_shown", "tall_shown"], "!accepted_without_effect"),
        ("updated", &["shown_before"], "!already_so"),
        ("canceled", &["called_off_before"], "!already_so"),
        ("updated", &["~failing reads"], "existing_evidence_unavailable.fails_in_band"),
    ];
    for (name, dropped, case) in broken {
        let mut contract = fixture.contracts[*name].clone();
        contract.completion.all_of.retain(|condition| !dropped.contains(&condition.id.as_str()));
        contract.negative_conditions.any_of.retain(|condition| !dropped.contains(&condition.id.as_str()));
        if dropped.contains(&"~sum") {
            let sum = contract.completion.all_of.iter_mut().find(|condition| condition.id == "sum_as_asked");
            sum.unwrap().operator = Some(Operator::Lte);
        }
        if dropped.contains(&"~failing reads") {
            let channels = contract.evidence_policy.channels.iter_mut();
            channels.filter_map(|own| own.request.as_mut()).for_each(|own| own.in_band_failure.clear());
        }
        let results = run_all(&fixture.service, name, contract);
        let (wanted, critical) = case.strip_prefix('!').map_or((*case, false), |name| (name, true));
        let found = results.iter().find(|result| result.id.ends_with(&format!("/{wanted}")));
        let found = found.unwrap_or_else(|| panic!("no case {wanted}"));
        if found.passed || found.critical != critical {
            survived.push(format!("{name} without {dropped:?}: {wanted} [{}]", found.story()));
        }
    }
    assert!(survived.is_empty(), "{}", survived.join("\n"));
}
