//! A second evaluator, written from the stated rules alone: slow, plain, over JSON values.
//! It shares no code with the first one and must not, or the two would err together.

mod clock;
mod condition;
mod decimal;
mod fold;
mod lists;
mod operator;
mod overlay;
mod range;
mod reference;
mod test;
mod trace;
mod truth;
mod verdict;
mod version;

use serde_json::Value;

pub use truth::Truth;
pub use verdict::Verdict;

/// Judges one trace `{contract, operation, evidence, now}` (times as RFC 3339 text).
pub fn evaluate(trace: &Value) -> Verdict {
    let whole = overlay::overlaid(trace);
    verdict::decide(&trace::Trace::new(whole.as_ref().unwrap_or(trace)))
}

/// Reads RFC 3339 text into milliseconds since the Unix epoch.
pub fn milliseconds(text: &str) -> Option<i64> {
    clock::rfc3339(text)
}
