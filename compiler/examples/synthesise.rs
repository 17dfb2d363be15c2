//! Compiles a folder of sources or an OpenAPI file up to its contracts and prints them as JSON, with
//! `--summary` only counts, times and what stays open. Must not write files.

use std::path::Path;
use std::time::Instant;

use provely_compiler::classify::classify;
use provely_compiler::ingest::ingest;
use provely_compiler::plan::{Gathered, Rules, plan};
use provely_compiler::source::{Names, load_folder, load_openapi};
use provely_compiler::synthesise::synthesise;

#[expect(clippy::print_stdout, reason = "an example prints its result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a folder of sources or an OpenAPI file")?;
    let summary = arguments.next().is_some_and(|argument| argument == "--summary");
    let path = Path::new(&path);
    let sources = if path.is_dir() { load_folder(path)? } else { load_openapi(path)? };
    let rules = Rules::builtin()?;
    let found = ingest(&sources).map_err(|findings| {
        findings.iter().map(|finding| finding.render(false)).collect::<Vec<_>>().join("\n")
    })?;
    let classified = classify(&found);
    let start = Instant::now();
    let gathered = Gathered::of(&found, &classified);
    let planned = plan(&gathered.known(&classified.service), &rules);
    let planned_in = start.elapsed();
    let names = sources.service.map_or_else(Names::default, |service| service.names);
    let written = synthesise(&planned, &names, &rules);
    if !summary {
        println!("{}", serde_json::to_string_pretty(&written)?);
        return Ok(());
    }
    let acting = planned.service.operations.iter().filter(|operation| operation.effect.acts());
    println!(
        "plan {planned_in:?} synthesise {:?} acting {} planned {} contracts {} open {} + {}",
        start.elapsed() - planned_in,
        acting.clone().count(),
        acting.filter(|operation| operation.plan.is_some()).count(),
        written.contracts.len(),
        planned.uncertainties.len(),
        written.uncertainties.len()
    );
    for synthesis in &written.contracts {
        println!("{}  {}", synthesis.contract.id, synthesis.operation);
    }
    for open in &written.uncertainties {
        println!("{}: {}", open.id, open.question);
    }
    Ok(())
}
