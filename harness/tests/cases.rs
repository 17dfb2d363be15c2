//! Sound contracts pass every case; the cases are complete and say what they leave out.

#![expect(clippy::panic, reason = "a test says at once what it misses")]

mod fixture;

use fixture::{SEED, cases, fixture, program, run_all};
use provely_harness::Setting;

#[test]
fn sound_contracts_pass_every_case() {
    let fixture = fixture();
    for name in ["settled", "created"] {
        let results = run_all(&fixture.service, name, fixture.contracts[name].clone());
        let mut told = String::new();
        for result in results.iter().filter(|result| !result.passed) {
            told += &format!("{}\n   {}\n   [{}]\n", result.id, result.faults.join("\n   "), result.story());
        }
        assert!(
            told.is_empty(),
            "{} of {} cases fail:\n{told}",
            told.lines().filter(|l| !l.starts_with(' ')).count(),
            results.len()
        );
        assert!(results.len() > 40, "{}", results.len());
    }
}

#[test]
fn looks_that_see_the_same_world_again_say_nothing_else() {
    let fixture = fixture();
    let (few, every) = (Setting::new(&fixture.service), Setting::new(&fixture.service).with_every_look());
    for name in ["settled", "created"] {
        let program = program(fixture.contracts[name].clone());
        for case in cases(&fixture.service, name) {
            assert_eq!(few.run(&program, &case, SEED), every.run(&program, &case, SEED), "{}", case.id);
        }
    }
}
