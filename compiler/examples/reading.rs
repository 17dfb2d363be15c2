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

/// A point that the stages have come to.
struct Lap {
    name: &'static str,
    time: Duration,
}

fn load(path: &Path) -> Result<Sources, String> {
    let graph = path.extension().is_some_and(|ending| ending == "graphql");
    let loaded = if graph { load_graphql(path) } else { load_openapi(path) };
    loaded.map_err(|error| error.to_string())
}

#[expect(clippy::print_stdout, reason = "a tool for people")]
fn measure(path: &Path) -> Result<(), String> {
    let sources = load(path)?;
    let bytes: usize = sources.files.iter().map(|file| file.text.len()).sum();
    println!("{}: {bytes} bytes in {} files", path.display(), sources.files.len());
    let mut laps = Vec::new();
    let mut plain = Vec::new();
    for _ in 0..RUNS {
        laps.push(stages(&sources)?);
        plain.extend(parse(&sources));
    }
    let plain = (!plain.is_empty()).then(|| median(plain));
    for (index, name) in ["ingest", "classify", "plan", "synthesise"].into_iter().enumerate() {
        let own = laps.iter().filter_map(|run| run.get(index).filter(|lap| lap.name == name));
        let time = median(own.map(|lap| lap.time).collect());
        println!("  up to {name:<11}{:>9.1} ms{}", milliseconds(time), ratio(time, plain));
    }
    if let Some(time) = plain {
        println!("  serde_json::Value{:>9.1} ms", milliseconds(time));
    }
    let memory = |what| alone(what, path).unwrap_or_else(|| "unknown".to_owned());
    println!("  peak memory of a process: reading {} MB, stages {} MB", memory("--read"), memory("--stages"));
    if plain.is_some() {
        println!("  and serde_json::Value {} MB", memory("--plain"));
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

/// The time for the same bytes as plain trees; nothing where they are no JSON.
fn parse(sources: &Sources) -> Option<Duration> {
    let start = Instant::now();
    let texts = sources.files.iter().map(|file| file.text.as_str());
    let parsed: Option<Vec<serde_json::Value>> = texts.map(|text| serde_json::from_str(text).ok()).collect();
    let time = start.elapsed();
    parsed.map(|_| time)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn ratio(time: Duration, plain: Option<Duration>) -> String {
    let times = |plain: Duration| time.as_secs_f64() / plain.as_secs_f64();
    plain.map_or_else(String::new, |plain| format!(", {:.2} times serde_json::Value", times(plain)))
}

/// The peak memory of a process that does one thing alone.
fn alone(what: &str, path: &Path) -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let output = std::process::Command::new(program).arg(what).arg(path).output().ok()?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Does one thing, and prints the most memory that the process held in megabytes, where the system says so.
#[expect(clippy::print_stdout, reason = "a tool for people")]
fn peak(what: &str, path: &Path) -> Result<(), String> {
    let sources = load(path)?;
    match what {
        "--stages" => drop(stages(&sources)?),
        "--plain" => drop(parse(&sources)),
        _ => {}
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let peak: Option<u64> = line.split_whitespace().next().and_then(|number| number.parse().ok());
    peak.into_iter().for_each(|peak| println!("{}", peak / 1024));
    Ok(())
}

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [what, path] if what.starts_with("--") => peak(what, Path::new(path)),
        files => files.iter().try_for_each(|name| measure(Path::new(name))),
    }
}
