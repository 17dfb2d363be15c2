//! Other people's checkers: the example runs beside the baseline that it imitates and comes to the same figures; one
//! that does not answer is an error that names it and the case.
#![expect(clippy::unwrap_used, reason = "a test that cannot run the binary must stop")]

mod run;

use run::{Folder, root, run};
use serde_json::Value;

fn benchmark(folder: &Folder, service: &str, more: &[&str]) -> run::Answer {
    let root = root();
    let mut words = vec!["benchmark", "run", service, "--root", root.to_str().unwrap()];
    words.extend_from_slice(more);
    run(folder, &words)
}

fn subject<'v>(skill: &'v Value, name: &str) -> &'v Value {
    let subjects = skill["subjects"].as_array().unwrap();
    subjects.iter().find(|own| own["name"] == name).unwrap()
}

#[test]
fn the_example_comes_to_the_figures_of_the_baseline_that_it_imitates() {
    let folder = Folder::new();
    let command = format!("python3 {}", root().join("benchmark/examples/reread.py").display());
    for service in ["stripe", "shopify"] {
        let answer = benchmark(&folder, service, &["--json", "--subject", &command]);
        assert_eq!(answer.exit, 0, "{}", answer.stderr);
        let found: Value = serde_json::from_str(&answer.stdout).unwrap();
        let skill = &found["skills"][0];
        let (own, baseline) = (subject(skill, &command), subject(skill, "reread_status"));
        for figure in ["safe_cases", "traps", "false_safe", "false_block"] {
            assert_eq!(own[figure], baseline[figure], "{figure} of {service}");
        }
        assert!(own["false_safe"].as_u64().unwrap() > 0);
    }
}

#[test]
fn a_program_that_does_not_answer_is_an_error_that_names_the_case() {
    let folder = Folder::new();
    let said = folder.write("says.py", "print('{\"verdict\": \"SURE\"}')\n");
    let python = format!("python3 {}", said.display());
    for (command, why) in [
        ("true", "it ended without a verdict"),
        ("echo done", "a line that is no JSON"),
        (python.as_str(), "SURE"),
        ("no-such-program-anywhere", "it cannot be started"),
    ] {
        let answer = benchmark(&folder, "stripe", &["--subject", command]);
        assert_eq!(answer.exit, 1, "{command}");
        for part in ["error[subject_failed]", &format!("`{command}` on"), "stripe.refund", why] {
            let told = answer.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(told.contains(part), "{command}: {part} is not in {told}");
        }
    }
}

#[test]
fn a_program_may_end_after_each_answer() {
    let folder = Folder::new();
    let once = folder.write("once.sh", "read line\necho '{\"verdict\": \"UNVERIFIABLE\"}'\n");
    let command = format!("sh {}", once.display());
    let answer = benchmark(&folder, "stripe", &["--json", "--subject", &command]);
    assert_eq!(answer.exit, 0, "{}", answer.stderr);
    let found: Value = serde_json::from_str(&answer.stdout).unwrap();
    let skill = &found["skills"][0];
    assert_eq!(subject(skill, &command)["false_block"], subject(skill, "always_block")["false_block"]);
}
