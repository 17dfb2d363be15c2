//! How often the compiler is right about real descriptions must not fall. Runs where `PROVELY_CORPUS` (the folder of
//! descriptions) and `PROVELY_LABELS` (the folder that holds `lifecycles.yaml`) are set.

mod run;

use run::{Folder, command, root};

#[test]
fn every_figure_holds_its_floor() {
    let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let (Some(corpus), Some(labels)) = (given("PROVELY_CORPUS"), given("PROVELY_LABELS")) else { return };
    let floors = root().join("benchmark/truth.yaml");
    let arguments = ["benchmark", "truth", "--floors", floors.to_str().unwrap()];
    let folder = Folder::new();
    let run = command(&folder, &arguments)
        .env("PROVELY_CORPUS", corpus)
        .env("PROVELY_LABELS", labels)
        .output()
        .unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success(), "{text}{}", String::from_utf8_lossy(&run.stderr));
    assert!(text.contains("every figure holds its floor"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}
