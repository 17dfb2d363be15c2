//! The stages on a large description. Runs where `PROVELY_CORPUS`, the folder of descriptions, is set.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops at the first surprise and reports"
)]

use std::path::PathBuf;

use provely_compiler::source::load_openapi;
use provely_compiler::truth::Compiled;

#[test]
fn most_operations_of_a_large_description_can_be_read_back() {
    let Some(corpus) = std::env::var_os("PROVELY_CORPUS").map(PathBuf::from) else { return };
    let path = corpus.join("stripe/spec3.2026-05-27.dahlia.json");
    if !path.is_file() {
        return;
    }
    let compiled = Compiled::of(&load_openapi(&path).unwrap()).unwrap();
    let operations = compiled.planned().service.operations.iter();
    let (mut whole, mut all) = (0, 0);
    for operation in operations.filter(|operation| operation.effect.acts()) {
        all += 1;
        let read = operation.plan.as_ref().is_some_and(|plan| plan.readback.is_some());
        if operation.resource.is_some() && read {
            whole += 1;
        } else {
            let list = operation.plan.as_ref().and_then(|plan| plan.list.as_deref()).unwrap_or("-");
            println!("no readback of {} ({:?}), list {list}", operation.id, operation.resource);
        }
    }
    println!("{whole} of {all} acting operations have effect, resource and readback");
    assert!(whole > 300, "{whole} of {all}");
}
