//! What stage 4 writes: two contracts in full, and for each rule a case that fails without it.

use std::path::Path;

use provely_evaluator::contract::{As, Condition, Contract, NegativeClass, StateClass, Target, Truth};
use provely_evaluator::json::{Value, to_value};
use provely_evaluator::load::Program;
use provely_evaluator::verdict::Verdict;
use provely_model::{Certainty, Effect, FieldKind};

use super::{Synthesised, synthesise};
use crate::plan::Rules;
use crate::plan::tests::{Fixture, refunds};
use crate::source::{Names, read_service};

fn names() -> Names {
    read_service("service.yaml", include_str!("../../../sources/stripe/service.yaml")).unwrap().names
}

fn written(fixture: &Fixture, names: &Names) -> Synthesised {
    synthesise(&fixture.planned(), names, &Rules::builtin().unwrap())
}

fn contract(fixture: &Fixture, id: &str) -> Contract {
    let found =
        written(fixture, &names()).contracts.into_iter().find(|synthesis| synthesis.contract.id == id);
    found.unwrap().contract
}

fn condition<'c>(contract: &'c Contract, id: &str) -> &'c Condition {
    let all = contract.completion.all_of.iter().chain(&contract.negative_conditions.any_of);
    all.into_iter().find(|condition| condition.id == id).unwrap_or_else(|| panic!("no `{id}`"))
}

fn printed(contract: &Contract) -> String {
    format!("{:#}\n", to_value(contract).unwrap())
}

#[test]
fn both_refund_contracts_are_as_they_were_read_last() {
    for id in ["stripe.refund.created", "stripe.refund.succeeded"] {
        let text = printed(&contract(&refunds(), id));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/synthesise/{id}.json"));
        if std::env::var_os("PROVELY_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{id}: set PROVELY_BLESS=1 and review");
    }
}

#[test]
fn every_contract_loads_and_carries_its_hash() {
    let all = written(&refunds(), &names());
    assert!(all.contracts.iter().any(|synthesis| synthesis.contract.id == "stripe.refund.canceled"));
    for synthesis in all.contracts {
        assert_eq!(synthesis.contract.hash.as_ref().map(String::len), Some(64));
        Program::load(synthesis.contract).unwrap();
    }
}
