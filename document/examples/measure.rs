//! Times the reader on files and sets it beside a plain tree of serde_json. It must not serve as a test.
//!
//! `cargo run --release -p provely-document --example measure -- FILE...`

use std::time::{Duration, Instant};

use provely_document::{Format, Limits, read};

const RUNS: usize = 15;

/// The median of several runs; what a run builds is dropped outside the measured time.
fn median<T>(mut run: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            let built = run();
            let time = start.elapsed();
            drop(built);
            time
        })
        .collect();
    times.sort();
    times.get(RUNS / 2).copied().unwrap_or_default()
}

#[expect(clippy::print_stdout, reason = "a tool for people")]
fn measure(name: &str, bytes: &[u8]) {
    let ours = median(|| read(name, bytes, Format::Auto, &Limits::default()));
    println!("{name}: {} bytes, read in {ours:?}", bytes.len());
    match read(name, bytes, Format::Auto, &Limits::default()) {
        Ok(document) => println!("  {} nodes, {} bytes held", document.node_count(), document.memory()),
        Err(finding) => println!("{}", finding.render(false)),
    }
    if name.ends_with(".json") {
        let peer = median(|| serde_json::from_slice::<serde_json::Value>(bytes));
        println!("  serde_json::Value {peer:?}, ratio {:.2}", ours.as_secs_f64() / peer.as_secs_f64());
    }
}

fn main() -> std::io::Result<()> {
    std::env::args().skip(1).try_for_each(|name| {
        let bytes = std::fs::read(&name)?;
        measure(&name, &bytes);
        Ok(())
    })
}
