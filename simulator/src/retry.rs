//! Retry protection by key: one key and body, one answer, for as long as the provider keeps keys.
//! It must not decide what an answer is.

use std::sync::Arc;

use provely_evaluator::contract::KeyDirective;
use provely_evaluator::json::Value;
use provely_evaluator::query::{Step, walk};
use provely_evaluator::time::Time;
use provely_model::IdempotencyPlan;

use crate::provider::Provider;
use crate::serve::{Answer, Call};
use crate::validate::Refusal;
use crate::wire::Request;

/// Where the requests of an operation carry the key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KeyPlace {
    header: Option<String>,
    field: Option<Vec<Step>>,
    directive: Option<KeyDirective>,
}

impl KeyPlace {
    /// The place that a plan names.
    pub(crate) fn of(plan: &IdempotencyPlan) -> Self {
        let field = plan.field.as_ref();
        Self {
            header: plan.header.clone(),
            field: field.map(|name| name.split('.').map(|part| Step::Member(part.to_owned())).collect()),
            directive: plan.directive.clone(),
        }
    }

    /// The key in the headers of a request, or in its input.
    pub(crate) fn read(&self, request: &Request, input: Option<&Value>) -> Option<String> {
        let header = self.header.as_deref().and_then(|name| request.header_value(name));
        let field = || walk(self.field.as_deref()?, input?)?.as_str();
        header.or_else(field).map(str::to_owned)
    }

    /// The directive of a query document.
    pub(crate) const fn directive(&self) -> Option<&KeyDirective> {
        self.directive.as_ref()
    }
}

/// The answer kept under a key.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    action: Arc<str>,
    path: String,
    input: Value,
    answer: Answer,
    at: Time,
    life_ms: u64,
    place: usize,
}

impl Provider {
    /// The answer that a used key demands; none for a new or pruned key.
    pub(crate) fn retried(&mut self, call: &Call<'_>, input: &Value) -> Option<Result<Answer, Refusal>> {
        let key = call.key?;
        let kept = self.kept.get(key)?;
        let age = u64::try_from(self.now.since(kept.at)).unwrap_or(0);
        if age >= kept.life_ms {
            self.kept.remove(key);
            return None;
        }
        let same = kept.action == call.action.id && kept.path == call.request.path && kept.input == *input;
        if !same {
            let message = "this key was used for another request";
            return Some(Err(Refusal::new(409, "idempotency_conflict", message)));
        }
        let (answer, first) = (kept.answer.clone(), kept.place);
        if let Some(seen) = self.requests.get_mut(call.place) {
            seen.replay_of = Some(first);
        }
        Some(Ok(answer))
    }

    /// Keeps an answer under the key of the call, if it has one.
    pub(crate) fn keep(&mut self, call: &Call<'_>, input: Value, answer: Answer) {
        let (Some(key), Some(life_ms)) = (call.key, call.action.key_life_ms) else { return };
        let kept = Kept {
            action: Arc::clone(&call.action.id),
            path: call.request.path.clone(),
            input,
            answer,
            at: self.now,
            life_ms,
            place: call.place,
        };
        self.kept.insert(key.to_owned(), kept);
    }
}
