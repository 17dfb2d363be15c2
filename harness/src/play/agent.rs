//! What agent and others do. The agent is told by the case, for good or bad; it knows no verdict.

use provely_evaluator::json::{Object, Value};
use provely_evaluator::operation::ReportedOutcome;
use provely_evaluator::query::Reference;
use provely_evaluator::time::Time;
use provely_model::IdempotencyPlan;
use provely_runtime::Ask;
use provely_simulator::{Fault, FaultKind, Lost, Reply, Request, Script, TrueRequest, When, set_at};

use super::{Play, Player, Sent, Stuck};
use crate::book::{Act, Begin, Key, Put, Report, Said, Step, Tell, Where};
use crate::facts::{Deed, HandedIn};
use crate::level::Promise;
use crate::subjects::Handed;
use crate::world::body;

/// What an act of no operation has to go through, in milliseconds from `begin` to a deadline.
const ALLOWED_MS: i64 = 86_400_000;

impl Play<'_> {
    /// Takes one step at the present time.
    pub(crate) fn step(&mut self, step: &Step) -> Result<(), Stuck> {
        self.happened += 1;
        if let Some(put) = &step.put {
            self.put(put)?;
        }
        if let Some(begin) = &step.begin {
            self.begin(begin)?;
        }
        if let Some(act) = &step.act {
            self.act(act)?;
        }
        if let Some(retry) = &step.retry {
            self.retry(&retry.by)?;
        }
        if let Some(report) = &step.report {
            self.report(report)?;
        }
        Ok(())
    }

    fn put(&mut self, put: &Put) -> Result<(), Stuck> {
        let (stage, this) = (self.stage, self.part.this);
        let mut fields = stage.asking.fields(put.asks);
        let state = stage.words(this).and_then(|words| words.state(put.state));
        let path = stage.resource.lifecycle.as_ref().map(|own| Reference::parse(&own.path));
        let parts = stage.resource.lifecycle.as_ref().and_then(|own| own.parts.as_ref());
        if let (Some(state), Some(Ok(path))) = (state, path) {
            match parts {
                Some(parts) => stage.asking.put_part(&mut fields, parts, (&path.steps, state), put.asks),
                None => set_at(&mut fields, &path.steps, Value::from(state)),
            }
        }
        let created = self.now.minus(put.age.millis(ALLOWED_MS));
        let name = &stage.resource.name;
        let parents = stage.asking.path_parents(put.asks);
        let id = self.acted_on(put.place).insert_under(name, &fields, created, &parents);
        let id = id.ok_or_else(|| Stuck(format!("no record of `{name}` can be put there")))?;
        self.records.insert(put.name.clone(), id);
        Ok(())
    }

    fn begin(&mut self, begin: &Begin) -> Result<(), Stuck> {
        let contract = self.stage.loaded.contract();
        let intent = begin.intent.as_ref().unwrap_or(&begin.by);
        let ask = Ask {
            contract_id: contract.id.clone(),
            input: self.stage.asking.input(begin.asks, &contract.intent.input_schema),
            intent_ref: Some(intent.clone()),
            connection: self.connection(),
            accept_missing_channels: false,
        };
        let begun = match (self.runtime.begin(&ask), &begin.refused) {
            (Err(error), Some(code)) if error.code() == code => return Ok(()),
            (Err(_), None) if self.part.lenient => return Ok(()),
            (Err(error), _) => return Err(Stuck(format!("begin was refused: {error}"))),
            (Ok(_), Some(code)) => return Err(Stuck(format!("begin was not refused with `{code}`"))),
            (Ok(begun), None) => begun,
        };
        let player = Player {
            operation_id: begun.operation_id.clone(),
            begun,
            begun_at: self.now,
            asks: begin.asks,
            intent: intent.clone(),
            handed_in: HandedIn::Nothing,
            misled: false,
            said: None,
            last: None,
            handed: Handed::default(),
            last_look: None,
        };
        self.players.insert(begin.by.clone(), player);
        Ok(())
    }

    fn act(&mut self, act: &Act) -> Result<(), Stuck> {
        let player = act.by.as_ref().and_then(|name| self.players.get(name));
        let asks = act.asks.or_else(|| player.map(|player| player.asks)).unwrap_or_default();
        let allowed = player.map_or(ALLOWED_MS, |player| player.begun.deadline.since(player.begun_at));
        let mut mark = player.filter(|_| act.key == Key::Own).and(act.by.clone());
        let (key, tag) = match (act.key, player) {
            (Key::Own, Some(player)) => {
                (Some(player.begun.idempotency_key.clone()), player.begun.tag.clone())
            }
            (Key::Fresh, _) => (Some(format!("made-up-{}", self.deeds.len())), None),
            (Key::Other, _) => {
                let other = self.players.iter().find(|(name, _)| Some(*name) != act.by.as_ref());
                mark = other.map(|(name, _)| name.clone());
                (other.map(|(_, other)| other.begun.idempotency_key.clone()), None)
            }
            (Key::Own, None) | (Key::None, _) => (None, None),
        };
        // Where a request must carry some key, whoever has none makes one up.
        let made_up = || self.stage.asking.needs_key().then(|| format!("made-up-{}", self.deeds.len()));
        let key = key.or_else(made_up);
        if let Some(altered) = act.alter {
            let (path, value) = self
                .stage
                .asking
                .altered(altered)
                .ok_or_else(|| Stuck(String::from("nothing can be altered")))?;
            let what = FaultKind::Altered { path, value };
            self.acted_on(act.place)
                .add_fault(Fault { what, when: When { times: Some(1), ..When::default() } });
        }
        let stage = self.stage;
        if stage.existing.is_none() {
            let life = self.part.script.life.as_ref();
            let script =
                stage.words(self.part.this).map_or_else(Script::default, |words| words.script(life, allowed));
            self.acted_on(act.place).script_next(&stage.resource.name, script);
        }
        let request = stage.asking.request(asks, key.as_deref(), tag.as_deref());
        let mark = mark.filter(|_| stage.shows_marks(act.key == Key::Own));
        let made = act.alter.map_or_else(|| asks.aspects(), |by| asks.aspects().altered(by));
        let is_blurred = self.part.script.faults.iter().any(|fault| blurs_events(&fault.what));
        let deed = Deed { by: act.by.clone(), mark, is_blurred, request: 0, made, place: act.place };
        self.send(act, request, deed)
    }

    fn send(&mut self, act: &Act, request: Request, mut deed: Deed) -> Result<(), Stuck> {
        let now = self.now;
        let reply = self.acted_on(act.place).handle(now, &request);
        deed.request = match &reply {
            Ok(reply) => reply.request,
            Err(lost) => lost.request,
        };
        if act.alter.is_some() {
            // What was to be made otherwise and was not made is not made of somebody else's record.
            let place = deed.request;
            let provider = self.acted_on(act.place);
            if !provider.truth().requests.get(place).is_some_and(TrueRequest::committed) {
                provider.remove_last_fault();
            }
        }
        if self.stage.existing.is_some() {
            self.carry_on(&deed);
        }
        self.deeds.push(deed.clone());
        let id = reply.as_ref().ok().and_then(|reply| self.id_in(&reply.body.json()?));
        if let (Some(name), Some(id)) = (&act.name, &id) {
            self.records.insert(name.clone(), id.clone());
        }
        let Some(name) = &act.by else { return Ok(()) };
        if let Some(player) = self.players.get_mut(name) {
            player.last = Some(Sent { request, deed });
        }
        match act.tell {
            Tell::Nothing => Ok(()),
            Tell::Reply => self.tell(name, reply, act.place),
        }
    }

    /// A record that was there goes on to what is promised, where the request was taken and did not do so itself.
    fn carry_on(&mut self, deed: &Deed) {
        let (stage, life) = (self.stage, self.part.script.life.as_ref());
        let words = stage.words(self.part.this);
        let Some(words) = words.filter(|_| matches!(stage.promise, Promise::Reaches(_))) else { return };
        let provider = self.acted_on(deed.place);
        let truth = provider.truth();
        let taken = truth.requests.get(deed.request).filter(|request| request.committed());
        let record = taken.and_then(|request| truth.records.get(*request.records.first()?));
        let Some((id, state)) = record.and_then(|own| Some((own.id.clone(), own.state()?.to_owned()))) else {
            return;
        };
        let script = words.script_from(&state, life, ALLOWED_MS);
        // The record was found in this world a moment ago.
        let _known = provider.follow(&id, &script);
    }

    /// The same request with the same key, where there are keys.
    fn retry(&mut self, name: &str) -> Result<(), Stuck> {
        let takes_keys = self.stage.plan.idempotency.as_ref().is_some_and(IdempotencyPlan::takes_key);
        let last = self.players.get(name).and_then(|player| player.last.clone());
        let (true, Some(Sent { request, deed })) = (takes_keys, last) else { return Ok(()) };
        let act = Act { by: Some(name.to_owned()), ..Act::plain() };
        self.send(&act, request, deed)
    }

    /// The agent hands in the reply as it came, or that none came.
    fn tell(&mut self, name: &str, reply: Result<Reply, Lost>, place: Where) -> Result<(), Stuck> {
        let Some(player) = self.players.get(name) else { return Ok(()) };
        let operation_id = player.operation_id.clone();
        let (outcome, handed_in, id) = match reply {
            Err(_) => {
                self.runtime.report(&operation_id, ReportedOutcome::Lost, None).map_err(stuck)?;
                (ReportedOutcome::Lost, HandedIn::Nothing, None)
            }
            Ok(reply) => {
                let id = reply.body.json().and_then(|value| self.id_in(&value));
                let handed_in = self.kind_of_reply(name, id.as_deref(), place);
                let (status, sent) = (reply.status, body(reply.body));
                let outcome = self.runtime.report_reply(&operation_id, status, Some(&sent));
                (outcome.map_err(stuck)?, handed_in, id)
            }
        };
        let now = self.now;
        self.claims.extend(id.clone().map(|id| (name.to_owned(), id)));
        if let Some(player) = self.players.get_mut(name) {
            player.hand_in(said(outcome), id, now);
            player.take(handed_in);
        }
        Ok(())
    }

    /// The agent's word without a call.
    fn report(&mut self, report: &Report) -> Result<(), Stuck> {
        let known = report.id.as_ref().and_then(|name| self.records.get(name)).cloned();
        let id = known.or_else(|| report.id.as_ref().map(|_| String::from("made_up_by_the_agent")));
        let handed_in = self.kind_of(&report.by, id.as_deref());
        let mut result = Value::Object(Object::new());
        let path = self.stage.plan.result_id.as_deref().and_then(|path| Reference::parse(path).ok());
        if let (Some(id), Some(path)) = (&id, path) {
            set_at(&mut result, &path.steps, Value::from(id.as_str()));
        }
        let outcome = match report.said {
            Said::Accepted => ReportedOutcome::Accepted,
            Said::Rejected => ReportedOutcome::Rejected,
            Said::Lost => ReportedOutcome::Lost,
        };
        let now = self.now;
        let Some(player) = self.players.get_mut(&report.by) else { return Ok(()) };
        self.claims.extend(id.clone().map(|id| (report.by.clone(), id)));
        player.hand_in(report.said, id, now);
        player.take(handed_in);
        let operation_id = player.operation_id.clone();
        self.runtime.report(&operation_id, outcome, Some(&result.into())).map_err(stuck)
    }

    /// What the id in a reply is: a key of another operation is answered with the record of that one.
    fn kind_of_reply(&mut self, by: &str, id: Option<&str>, place: Where) -> HandedIn {
        let existing = self.stage.existing.is_some();
        match (id, place) {
            (None, _) => HandedIn::Nothing,
            (Some(_), Where::TestAccount | Where::OtherAccount) => HandedIn::Foreign,
            (Some(_), Where::Here) if existing => HandedIn::Own,
            (Some(_), Where::Here) => match self.kind_of(by, id) {
                HandedIn::Nothing | HandedIn::Invented => HandedIn::Own,
                kind @ (HandedIn::Earlier | HandedIn::Foreign | HandedIn::Own) => kind,
            },
        }
    }

    /// What an id is that is handed in: by who made its record, and when.
    fn kind_of(&mut self, by: &str, id: Option<&str>) -> HandedIn {
        let Some(id) = id else { return HandedIn::Nothing };
        let deeds = &self.deeds;
        let truth = self.runtime.transport_mut().provider.truth();
        let Some(record) = truth.record(id) else {
            let elsewhere = self.elsewhere.iter().any(|(_, world)| world.truth().record(id).is_some());
            return if elsewhere { HandedIn::Foreign } else { HandedIn::Invented };
        };
        let Some(request) = record.creation().and_then(|effect| effect.request) else {
            return HandedIn::Earlier;
        };
        let maker = deeds.iter().find(|deed| deed.request == request && deed.place == Where::Here);
        // What goes with the key of another operation is that one's.
        let own = maker.is_some_and(|deed| deed.by.as_deref() == Some(by) && deed.mark.is_none());
        let with_key = maker.is_some_and(|deed| deed.mark.as_deref() == Some(by));
        if own || with_key { HandedIn::Own } else { HandedIn::Foreign }
    }

    /// The id of the record that a reply shows.
    fn id_in(&self, reply: &Value) -> Option<String> {
        let path = Reference::parse(self.stage.plan.result_id.as_deref()?).ok()?;
        match path.walk(reply)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.as_str().to_owned()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

impl Player {
    /// The ids that were handed in.
    pub(crate) fn claimed(&self) -> &[String] {
        &self.handed.ids
    }

    /// Notes what the agent says, and the id that goes along.
    fn hand_in(&mut self, said: Said, id: Option<String>, now: Time) {
        self.said = Some(said);
        self.handed.said = Some(said);
        self.handed.at = Some(now);
        self.handed.ids.extend(id);
    }

    /// Notes what kind of id was handed in.
    fn take(&mut self, handed_in: HandedIn) {
        self.handed_in = self.handed_in.max(handed_in);
        self.misled |= matches!(handed_in, HandedIn::Earlier | HandedIn::Foreign);
    }
}

fn stuck(error: provely_runtime::RuntimeError) -> Stuck {
    Stuck(format!("the runtime did not take a report: {error}"))
}

/// True for what may keep the event of a creation from being seen or read.
const fn blurs_events(what: &FaultKind) -> bool {
    matches!(
        what,
        FaultKind::EventsLost { .. }
            | FaultKind::EventsLate { .. }
            | FaultKind::EventsReordered { .. }
            | FaultKind::OtherSecret { .. }
            | FaultKind::OtherMode {}
            | FaultKind::OtherVersion { .. }
            | FaultKind::RenamedField { .. }
    )
}

const fn said(outcome: ReportedOutcome) -> Said {
    match outcome {
        ReportedOutcome::Accepted => Said::Accepted,
        ReportedOutcome::Rejected => Said::Rejected,
        ReportedOutcome::Lost => Said::Lost,
    }
}
