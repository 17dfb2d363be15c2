//! Lifecycles with random words: which states there are and how they end.

use serde_json::{Map, Value, json};

use super::rng::Rng;

/// The words of one lifecycle by class.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    pub transitional: Vec<String>,
    pub success: Vec<String>,
    pub failure: Vec<String>,
    pub neutral: Vec<String>,
    pub unknown: Vec<String>,
    states: Map<String, Value>,
}

impl Words {
    pub(super) fn random(rng: &mut Rng) -> Words {
        let mut words = Words::default();
        words.transitional = words.declare(rng, "transitional", &["pending", "queued", "requires_action"], 1);
        words.success = words.declare(rng, "terminal_success", &["succeeded", "paid", "settled"], 1);
        words.failure = words.declare(rng, "terminal_failure", &["failed", "bounced"], 1);
        words.neutral = words.declare(rng, "terminal_neutral", &["canceled", "skipped"], 0);
        words.unknown = words.declare(rng, "unknown", &["odd"], 0);
        words
    }

    fn declare(&mut self, rng: &mut Rng, class: &str, pool: &[&str], least: usize) -> Vec<String> {
        let mut pool: Vec<&str> = pool.to_vec();
        rng.shuffle(&mut pool);
        pool.truncate(least + rng.below(pool.len() + 1 - least));
        for word in &pool {
            let reversible = class == "terminal_success" && rng.chance(30);
            let state = if reversible {
                json!({"class": class, "reversible": true})
            } else {
                json!({"class": class})
            };
            self.states.insert((*word).to_owned(), state);
        }
        pool.into_iter().map(str::to_owned).collect()
    }

    pub(super) fn states(&self) -> Value {
        Value::Object(self.states.clone())
    }

    /// Every declared word that is one of these classes' or stands in none.
    pub(super) fn any(&self, rng: &mut Rng) -> Value {
        let all = [&self.transitional, &self.success, &self.failure, &self.neutral, &self.unknown];
        if rng.chance(5) {
            return rng.pick(&[json!("never_heard"), json!(7), Value::Null, json!(["paid"]), json!("")]);
        }
        let lists: Vec<&Vec<String>> = all.into_iter().filter(|list| !list.is_empty()).collect();
        let list = rng.pick(&lists);
        json!(rng.pick(list))
    }
}
