//! Serving a request: from the route over faults and retry protection to the reply.
//! What is done to records stands in `make`, `change` and `look`.

use std::sync::Arc;

use provely_evaluator::json::Value;
use provely_evaluator::time::Time;

use crate::blueprint::{Action, Does};
use crate::fault::{FaultKind, Stage};
use crate::in_band::one_error;
use crate::place::set_at;
use crate::provider::{About, Provider};
use crate::truth::TrueRequest;
use crate::validate::{self, Refusal};
use crate::wire::{Body, Lost, LostCause, Reply, Request};

/// A reply before it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
}

/// A request on its way through the provider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) action: &'a Action,
    pub(crate) kind: usize,
    pub(crate) request: &'a Request,
    pub(crate) path: &'a [(String, String)],
    pub(crate) key: Option<&'a str>,
    pub(crate) place: usize,
}

impl Answer {
    pub(crate) fn json(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body: Body::Json(body) }
    }
}

impl<'a> Call<'a> {
    pub(crate) fn about(&self) -> About<'a> {
        About {
            operation: Some(&self.action.id),
            acting: Some(self.action.effect.acts()),
            resource: self.action.kind.as_deref(),
            event: None,
        }
    }
}

impl Provider {
    /// Serves one request at the caller's time `now`.
    ///
    /// Paths without an operation get 404 (405 if another method has one), requests that are not right
    /// another 4xx, in the shape that [`crate::Options::error`] says.
    ///
    /// # Errors
    /// [`Lost`] if no reply comes, because of a fault. Whether the request took effect stands in the
    /// ground truth alone.
    pub fn handle(&mut self, now: Time, request: &Request) -> Result<Reply, Lost> {
        self.advance(now);
        let blueprint = Arc::clone(&self.blueprint);
        let place = self.requests.len();
        let endpoint = request.method == "POST" && blueprint.is_endpoint(&request.path);
        let routed = if endpoint { None } else { blueprint.route(&request.method, &request.path) };
        self.requests.push(TrueRequest {
            at: self.now,
            operation: routed.as_ref().map(|(action, _)| Arc::clone(&action.id)),
            key: None,
            records: Vec::new(),
            status: None,
            replay_of: None,
        });
        let mut about = About::default();
        let answer = match &routed {
            _ if endpoint => self.serve_document(request, place),
            Some((action, path)) => {
                about = About {
                    operation: Some(&action.id),
                    acting: Some(action.effect.acts()),
                    resource: action.kind.as_deref(),
                    event: None,
                };
                self.serve(action, path, request, place)
            }
            None => Ok(self.no_route(request)),
        };
        let asked = self.requests.get(place).and_then(|request| request.operation.clone());
        if endpoint && let Some(action) = asked.and_then(|id| blueprint.action(&id)) {
            about = About {
                operation: Some(&action.id),
                acting: Some(action.effect.acts()),
                resource: action.kind.as_deref(),
                event: None,
            };
        }
        let answer = answer.map_err(|cause| Lost { cause, request: place })?;
        Ok(self.send(answer, place, about))
    }

    fn serve(
        &mut self,
        action: &Action,
        path: &[(String, String)],
        request: &Request,
        place: usize,
    ) -> Result<Answer, LostCause> {
        let read = validate::read(action, &request.body);
        let key = action.key_place.read(request, read.as_ref().ok());
        let kind = action.kind.as_deref().and_then(|name| self.blueprint.kind_named(name));
        let call =
            Call { action, kind: kind.unwrap_or(usize::MAX), request, path, key: key.as_deref(), place };
        self.note_request(&call);
        let arrival = self.strike(Stage::Arrival, call.about());
        if let Some(answer) = self.stopped(Some(&call), &arrival) {
            return answer;
        }
        let done = match read {
            Ok(input) => self.attempt(&call, &arrival, input)?,
            Err(refusal) => Err(refusal),
        };
        Ok(done.unwrap_or_else(|refusal| self.refuse(&refusal)))
    }

    /// Notes what a request asks for; of a document that asks for several things, the first.
    pub(crate) fn note_request(&mut self, call: &Call<'_>) {
        if let Some(seen) = self.requests.get_mut(call.place) {
            seen.operation.get_or_insert_with(|| Arc::clone(&call.action.id));
            seen.key = seen.key.take().or_else(|| call.key.map(str::to_owned));
        }
    }

    /// Does what is asked, once for each key.
    pub(crate) fn attempt(
        &mut self,
        call: &Call<'_>,
        arrival: &[FaultKind],
        input: Value,
    ) -> Result<Result<Answer, Refusal>, LostCause> {
        if let Some(answer) = self.retried(call, &input) {
            return Ok(answer);
        }
        let given = call.key.map(|_| input.clone());
        let refused = arrival.iter().find_map(|fault| {
            if let FaultKind::Refused { code } = fault { Some(code.as_str()) } else { None }
        });
        let done = match refused {
            Some(code) => Ok(self.declined(call.action, code)),
            None => self.execute(call, input),
        };
        match done {
            Ok(answer) => self.after(call, given, answer).map(Ok),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    fn execute(&mut self, call: &Call<'_>, mut input: Value) -> Result<Answer, Refusal> {
        if call.action.root.is_some() {
            validate::types(call.action, &mut input)?;
            input = crate::graphql::spread(&input);
        } else {
            if self.options.refuse_unknown {
                validate::query(call.action, call.request)?;
            }
            validate::input(call.action, call.request, &mut input, self.options.refuse_unknown)?;
        }
        let mut answer = self.do_it(call, &input)?;
        if let (Some(in_band), Body::Json(body)) = (&call.action.failure, &mut answer.body) {
            in_band.settle(body);
        }
        Ok(answer)
    }

    fn do_it(&mut self, call: &Call<'_>, input: &Value) -> Result<Answer, Refusal> {
        match &call.action.does {
            Does::Create => self.create(call, input),
            Does::Read => self.read(call),
            Does::List => self.list(call),
            Does::Update => self.update(call, input),
            Does::Delete => self.delete(call),
            Does::Move(state) => self.call_off(call, state.as_deref(), input),
            Does::ListEvents => self.list_events(call),
            Does::ReadEvent => self.read_event(call),
        }
    }

    /// Faults that leave the request undone.
    pub(crate) fn stopped(
        &mut self,
        call: Option<&Call<'_>>,
        faults: &[FaultKind],
    ) -> Option<Result<Answer, LostCause>> {
        faults.iter().find_map(|fault| {
            if *fault == (FaultKind::TimeoutBefore {}) {
                Some(Err(LostCause::Timeout))
            } else if *fault == (FaultKind::Unreachable {}) {
                Some(Err(LostCause::Unreachable))
            } else if let FaultKind::RateLimited { retry_after_s } = fault {
                let mut answer = self.refuse(&Refusal::new(429, "rate_limited", "too many requests"));
                answer.headers.push((String::from("retry-after"), retry_after_s.to_string()));
                Some(Ok(answer))
            } else if let FaultKind::ErrorBefore { status, stored } = fault {
                Some(Ok(self.broken(call, *status, *stored)))
            } else {
                None
            }
        })
    }

    /// An error before anything is done; a retry with the same key may be bound to get it again.
    fn broken(&mut self, call: Option<&Call<'_>>, status: u16, stored: bool) -> Answer {
        let answer = self.refuse(&Refusal::new(status, "server_error", "something went wrong"));
        if stored
            && let Some(call) = call
            && let Ok(input) = validate::read(call.action, &call.request.body)
        {
            self.keep(call, input, answer.clone());
        }
        answer
    }

    /// Faults that hide what was done, and the keeping of the reply.
    pub(crate) fn after(
        &mut self,
        call: &Call<'_>,
        given: Option<Value>,
        answer: Answer,
    ) -> Result<Answer, LostCause> {
        let mut kept = given.as_ref().map(|_| answer.clone());
        let mut sent = Ok(answer);
        for fault in self.strike(Stage::Answer, call.about()) {
            if let FaultKind::ErrorAfter { status, stored } = fault {
                let error = self.refuse(&Refusal::new(status, "server_error", "something went wrong"));
                if stored && kept.is_some() {
                    kept = Some(error.clone());
                }
                sent = Ok(error);
            } else {
                sent = Err(LostCause::Timeout);
            }
        }
        if let (Some(input), Some(kept)) = (given, kept) {
            self.keep(call, input, kept);
        }
        sent
    }

    fn send(&mut self, answer: Answer, place: usize, about: About<'_>) -> Reply {
        let Answer { mut status, mut headers, mut body } = answer;
        if let Some(seen) = self.requests.get_mut(place) {
            seen.status = Some(status);
        }
        if !self.faults.is_empty() {
            for fault in self.strike(Stage::Wire, about) {
                if fault == (FaultKind::FailsInBand {}) {
                    self.fail_in_band(&mut status, &mut body, about);
                    continue;
                }
                body = Body::Text(if let FaultKind::Truncated { bytes } = fault {
                    shortened(&body.text(), bytes)
                } else {
                    String::from("<html><body>Service temporarily unavailable")
                });
            }
        }
        if self.blueprint.version_header.is_some() {
            let version = self.version_shown(about);
            let name = self.blueprint.version_header.as_deref().unwrap_or_default();
            headers.push((name.to_ascii_lowercase(), version.to_string()));
        }
        Reply { status, headers, body, date: self.clock(), request: place }
    }

    /// Makes a reply say under a success status that the request failed, whatever else it shows. It stays as it is
    /// where the operation has no words for that, and for query documents, whose errors stand beside the data.
    fn fail_in_band(&self, status: &mut u16, body: &mut Body, about: About<'_>) {
        let action = about.operation.and_then(|id| self.blueprint.action(id));
        let Some(action) = action.filter(|action| action.root.is_none()) else { return };
        if let (Some(in_band), Body::Json(value)) = (&action.failure, body)
            && value.as_object().is_some()
        {
            *status = action.status;
            in_band.refuse(value, one_error("internal_error"));
        }
    }

    /// The version of a reply or an event.
    pub(crate) fn version_shown(&mut self, about: About<'_>) -> Arc<str> {
        let faults = self.strike(Stage::Version, about);
        let other = faults.into_iter().find_map(|fault| {
            if let FaultKind::OtherVersion { version } = fault { Some(Arc::from(version)) } else { None }
        });
        other.unwrap_or_else(|| Arc::clone(&self.version))
    }

    fn no_route(&self, request: &Request) -> Answer {
        if self.blueprint.knows_path(&request.path) {
            self.refuse(&Refusal::new(405, "method_not_allowed", "no operation has this method and path"))
        } else {
            self.refuse(&Refusal::new(404, "path_unknown", "no operation has this path"))
        }
    }

    /// An error reply.
    pub(crate) fn refuse(&self, refusal: &Refusal) -> Answer {
        let mut body = Value::Object(provely_evaluator::json::Object::new());
        let shape = &self.options.error;
        let parameter = shape.parameter.as_deref().zip(refusal.parameter.as_deref());
        let parts =
            [(shape.code.as_str(), &*refusal.code), (shape.message.as_str(), refusal.message.as_str())];
        for (query, text) in parts.into_iter().chain(parameter) {
            if let Some(steps) = crate::place::steps_of(Some(query)) {
                set_at(&mut body, &steps, Value::from(text));
            }
        }
        Answer::json(refusal.status, body)
    }

    /// A refusal that is meant: in band where the operation says how, else 402.
    fn declined(&self, action: &Action, code: &str) -> Answer {
        let Some(in_band) = &action.failure else {
            let mut refusal = Refusal::new(402, "declined", format!("the provider declined: {code}"));
            refusal.code = code.to_owned().into();
            return self.refuse(&refusal);
        };
        let mut body = Value::Object(provely_evaluator::json::Object::new());
        in_band.refuse(&mut body, one_error(code));
        Answer::json(action.status, body)
    }
}

fn shortened(text: &str, bytes: usize) -> String {
    let mut end = bytes.min(text.len().saturating_sub(1));
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}
