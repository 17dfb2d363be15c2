//! Times the stages on descriptions and sets them beside parsing the same bytes into a plain tree of serde_json, in one
//! process. It must not serve as a test.
//!
//! `cargo run --release -p provely-compiler --example reading -- FILE...`

use std::path::Path;
use std::time::{Duration, Instant};

use provely_compiler::classify::classify;
use provely_compiler::ingest::ingest;
use provely_compiler::plan::{Gathered, Rules, plan};
use provely_compiler::source::{Names, Sources, load_graphql, load_openapi};
use provely_compiler::synthesise::synthesise;

const RUNS: usize = 5;

/// The stages up to the one that writes contracts, each with the time since the start.
struct Lap {
    name: &'static str,
    time: Duration,
}

#[expect(clippy::print_stdout, reason = "a tool for people")]
fn measure(path: &Path) -> Result<(), String> {
    let graph = path.extension().is_some_and(|ending| ending == "graphql");
    let loaded = if graph { load_graphql(path) } else { load_openapi(path) };
    let sources = loaded.map_err(|error| error.to_string())?;
    let bytes: usize = sources.files.iter().map(|file| file.text.len()).sum();
    println!("{}: {bytes} bytes in {} files", path.display(), sources.files.len());
    forget_peak();
    let before = peak();
    let mut laps = Vec::new();
    for _ in 0..RUNS {
        laps.push(stages(&sources)?);
    }
    let held = peak().saturating_sub(before);
    let plain = plain(&sources);
    for (index, name) in ["ingest", "classify", "plan", "synthesise"].into_iter().enumerate() {
        let mut times: Vec<Duration> = laps
            .iter()
            .filter_map(|run| run.get(index).filter(|lap| lap.name == name))
            .map(|lap| lap.time)
            .collect();
        times.sort();
        let time = times.get(times.len() / 2).copied().unwrap_or_default();
        println!("  up to {name:<11}{:>9.1} ms{}", milliseconds(time), ratio(time, plain.as_ref()));
    }
    println!("  memory          {:>6} MB more than before", held / 1024);
    if let Some((time, memory)) = plain {
        println!(
            "  serde_json::Value{:>8.1} ms, {:>4} MB more than before",
            milliseconds(time),
            memory / 1024
        );
    }
    Ok(())
}

fn stages(sources: &Sources) -> Result<Vec<Lap>, String> {
    let rules = Rules::builtin().map_err(|finding| finding.to_string())?;
    let start = Instant::now();
    let lap = |name| Lap { name, time: start.elapsed() };
    let first = |findings: Vec<provely_document::Diagnostic>| {
        findings.first().map(ToString::to_string).unwrap_or_default()
    };
    let found = ingest(sources).map_err(first)?;
    let ingested = lap("ingest");
    let classified = classify(&found);
    let sorted = lap("classify");
    let planned = plan(&Gathered::of(&found, &classified).known(&classified.service), &rules);
    let plans = lap("plan");
    let written = synthesise(&planned, &Names::default(), &rules);
    let last = lap("synthesise");
    drop(written);
    Ok(vec![ingested, sorted, plans, last])
}

/// The same bytes as plain trees: the median time and the memory; nothing where they are no JSON.
fn plain(sources: &Sources) -> Option<(Duration, u64)> {
    let parse = || -> Option<Vec<serde_json::Value>> {
        sources.files.iter().map(|file| serde_json::from_str(&file.text).ok()).collect()
    };
    forget_peak();
    let before = peak();
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        let parsed = parse()?;
        times.push(start.elapsed());
        drop(parsed);
    }
    times.sort();
    let time = times.get(RUNS / 2).copied()?;
    Some((time, peak().saturating_sub(before)))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn ratio(time: Duration, plain: Option<&(Duration, u64)>) -> String {
    let Some((plain, _)) = plain else { return String::new() };
    format!(", {:.2} times serde_json::Value", time.as_secs_f64() / plain.as_secs_f64())
}

/// The most memory that this process held since it was last forgotten, in kilobytes, where the system says so.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn main() -> Result<(), String> {
    std::env::args().skip(1).try_for_each(|name| measure(Path::new(&name)))
}
