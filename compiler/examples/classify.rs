//! Ingests and classifies a folder of sources or an OpenAPI file and prints what came out, as JSON. With
//! `--summary` only counts and times. Must not write files.

use std::path::Path;
use std::time::Instant;

use provely_compiler::classify::classify;
use provely_compiler::ingest::ingest;
use provely_compiler::source::{load_folder, load_openapi};

#[expect(clippy::print_stdout, reason = "an example prints its result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a folder of sources or an OpenAPI file")?;
    let summary = arguments.next().is_some_and(|argument| argument == "--summary");
    let path = Path::new(&path);
    let sources = if path.is_dir() { load_folder(path)? } else { load_openapi(path)? };
    let start = Instant::now();
    let found = ingest(&sources).map_err(|findings| {
        findings.iter().map(|finding| finding.render(false)).collect::<Vec<_>>().join("\n")
    })?;
    let read = start.elapsed();
    let classified = classify(&found);
    if summary {
        let states = classified.service.resources.iter().filter_map(|resource| resource.lifecycle.as_ref());
        println!(
            "ingest {read:?} classify {:?} operations {} acting {} resources {} lifecycles {} states {} certain {} uncertainties {}",
            start.elapsed() - read,
            classified.service.operations.len(),
            classified.service.operations.iter().filter(|operation| operation.effect.acts()).count(),
            classified.service.resources.len(),
            states.clone().count(),
            states.clone().map(|lifecycle| lifecycle.states.len()).sum::<usize>(),
            states
                .flat_map(|lifecycle| &lifecycle.states)
                .filter(|state| state.certainty.is_certain())
                .count(),
            classified.uncertainties.len()
        );
    } else {
        println!("{}", serde_json::to_string_pretty(&classified)?);
    }
    Ok(())
}
