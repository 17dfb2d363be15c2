//! Plays histories of a service under `sources/` and prints what came of them. It must not serve as a test.
//!
//! `cargo run --release -p provely-compiler --example histories -- SERVICE COUNT SEED`, or, for one history,
//! `-- SERVICE CONTRACT:SEED`

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use provely_compiler::classify::classify;
use provely_compiler::ingest::ingest;
use provely_compiler::plan::{Gathered, Rules, plan};
use provely_compiler::source::{Names, load_folder};
use provely_compiler::synthesise::{join, synthesise};
use provely_compiler::test::{Entry, level_of, published};
use provely_evaluator::load::Program;
use provely_harness::CaseBook;
use provely_harness::histories::{self, Histories};

#[expect(clippy::print_stdout, reason = "a tool for people")]
fn run(service: &str, (count, seed): (&str, u64)) -> Result<bool, String> {
    let sources = load_folder(&Path::new("sources").join(service)).map_err(|error| error.to_string())?;
    let first = |findings: Vec<provely_document::Diagnostic>| {
        findings.first().map(ToString::to_string).unwrap_or_default()
    };
    let editions = sources.editions().map_err(|error| error.to_string())?;
    let own = editions.first().ok_or("no sources")?;
    let found = ingest(&own.sources).map_err(first)?;
    let classified = classify(&found);
    let rules = Rules::builtin().map_err(|finding| finding.to_string())?;
    let planned = plan(&Gathered::of(&found, &classified).known(&classified.service), &rules);
    let names = sources.service.as_ref().map_or_else(Names::default, |file| file.names.clone());
    let written = join(synthesise(&planned, &names, &rules), &[]);
    let mut entries = Vec::new();
    for synthesis in published(&written, sources.service.as_ref()) {
        let contract = synthesis.contract.clone();
        let level = level_of(&planned, synthesis, &contract.id).ok_or("no level")?;
        let program = Program::load(contract).map_err(|errors| format!("{errors:?}"))?;
        entries.push(Entry { program, operation: synthesis.operation.clone(), level });
    }
    let book = CaseBook::builtin().map_err(|finding| finding.to_string())?;
    let ready = entries.iter().map(|own| histories::Entry {
        program: &own.program,
        operation: &own.operation,
        level: &own.level,
    });
    let entries: Vec<histories::Entry<'_>> = ready.collect();
    let all = Histories::new(&planned.service, &entries, &book);
    if let Some((contract, seed)) = count.split_once(':') {
        let seed = seed.parse().map_err(|_| "the seed is no number")?;
        let replay = all.replay(contract, seed).ok_or("no such contract")?;
        println!("{}{:#?}\n{:?}", replay.case, replay.story, replay.wrong);
        if let Some(shrunk) = replay.shrunk {
            println!("{}{:#?}", shrunk.case, shrunk.story);
        }
        return Ok(replay.wrong.is_none());
    }
    let count = count.parse().map_err(|_| "the count is no number")?;
    let start = Instant::now();
    let figures = all.run(count, seed);
    let took = start.elapsed();
    println!("{}", serde_json::to_string_pretty(&figures).map_err(|error| error.to_string())?);
    let micros = took.as_micros() / u128::from(count.max(1));
    println!(
        "median delay {:?} s, 99 % {:?} s, worst {:?} s",
        figures.delay(500),
        figures.delay(990),
        figures.delay(1000)
    );
    println!("{count} histories in {:.1} s, {micros} microseconds each", took.as_secs_f64());
    Ok(figures.is_clean())
}

#[expect(clippy::print_stderr, reason = "a tool for people")]
fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let service = arguments.next().unwrap_or_else(|| String::from("stripe"));
    let count = arguments.next().unwrap_or_else(|| String::from("10000"));
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(0);
    match run(&service, (&count, seed)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
