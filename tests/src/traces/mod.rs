//! Random traces: contracts of many shapes with operations and evidence, plausible and hostile.
//! Uses no evaluator and must not look at what one would answer.

mod conditions;
mod contract;
mod evidence;
mod rng;
mod shrink;
mod tests;
mod times;
mod variants;
mod words;

use serde_json::{Value, json};

pub use rng::Rng;
pub use shrink::shrink;
pub use variants::{order_may_matter, reply_alone, retold};

/// The trace `{contract, operation, evidence, now}` of a seed.
pub fn trace(seed: u64) -> Value {
    let mut rng = Rng::new(seed);
    let made = contract::random(&mut rng);
    let (operation, evidence, now) = evidence::random(&mut rng, &made);
    json!({"contract": made.contract, "operation": operation, "evidence": evidence, "now": times::text(now)})
}
