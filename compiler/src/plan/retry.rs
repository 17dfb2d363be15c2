//! The provider's retry protection: a header that carries a key, how long it is kept, and whether events
//! echo it. Reads parameters and passages; must not assume a protection that no source states.

use provely_model::{IdempotencyPlan, Operation, Place};

use super::known::{Known, Passage};
use super::words::{quoted, says, shortest_duration};
use super::{Draft, Rules, part};
use crate::assertion::source_of;

impl Draft<'_> {
    /// Plans the retry protection, if a header is stated, its life, and that one key has one effect.
    pub(super) fn retry(&mut self) {
        let Some((header, stated)) = self.header() else { return };
        let source = source_of(&stated).to_owned();
        let words = &self.rules.plan.retry;
        let same = |passage: &&Passage| source_of(&passage.id) == source;
        let passages = self.known.passages;
        let safe = passages.iter().filter(same).find(|passage| says(&passage.text, &words.safe));
        let life = passages
            .iter()
            .filter(same)
            .filter(|passage| passage.text.to_lowercase().contains("key"))
            .filter_map(|passage| Some((shortest_duration(&passage.text, &words.units)?, passage)))
            .min_by_key(|(life, _)| *life);
        let (Some(safe), Some((life_ms, kept))) = (safe, life) else { return };
        let mut assertions = vec![stated, safe.id.clone(), kept.id.clone()];
        assertions.dedup();
        self.cite(part::IDEMPOTENCY, assertions);
        let echoed = self.plan.channels.iter().any(|channel| {
            channel
                .events
                .as_ref()
                .is_some_and(|events| events.key.is_some() && !events.creation_types.is_empty())
        });
        self.plan.idempotency =
            Some(IdempotencyPlan { header: Some(header), field: None, directive: None, life_ms, echoed });
    }

    /// The header of the key, and where it is stated: a parameter of the operation, or a passage that does not
    /// keep it for other operations.
    fn header(&self) -> Option<(String, String)> {
        let ending = self.rules.plan.retry.header.as_str();
        let parameter = self.operation.parameters.iter().find(|parameter| {
            parameter.place == Place::Header && parameter.name.to_lowercase().ends_with(ending)
        });
        if let Some(parameter) = parameter {
            let stated = self.stated_header().map(|(_, id)| id);
            return Some((
                parameter.name.clone(),
                stated.or_else(|| self.operation.assertions.first().cloned())?,
            ));
        }
        if self.operation.method != "POST" {
            return None;
        }
        self.stated_header()
    }

    fn stated_header(&self) -> Option<(String, String)> {
        let mut admitting = self.headers.iter().filter(|(_, passage)| admits(&passage.text, self.operation));
        admitting.next().map(|(header, passage)| ((*header).to_owned(), passage.id.clone()))
    }
}

/// The passages that name a header which carries a retry key, each with the header.
pub(super) fn headers<'a>(known: &Known<'a>, rules: &Rules) -> Vec<(&'a str, &'a Passage)> {
    let ending = rules.plan.retry.header.as_str();
    let fits = |word: &&str| word.to_lowercase().ends_with(ending) && !word.contains(char::is_whitespace);
    let named =
        known.passages.iter().filter_map(|passage| Some((quoted(&passage.text).find(fits)?, passage)));
    named.collect()
}

/// True unless the passage names operations and this one is not among them.
fn admits(text: &str, operation: &Operation) -> bool {
    let mut named = quoted(text)
        .filter(|word| word.split_once(" /").is_some_and(|(method, _)| method == "POST"))
        .peekable();
    named.peek().is_none() || named.any(|word| word == operation.id)
}
