//! A case on its stage: provider, runtime, virtual time, deliveries. What comes of it is not judged here.

mod agent;
mod still;

use std::collections::BTreeMap;
use std::sync::Arc;

use provely_evaluator::json::Value;
use provely_evaluator::load::Program;
use provely_evaluator::query::Step;
use provely_evaluator::time::Time;
use provely_model::{Lifecycle, Plan, Resource, Service};
use provely_runtime::{Begun, Connection, Endpoint, MemoryStore, Mode, Runtime, Skill};
use provely_simulator::{Blueprint, Delivery, Fault, FaultKind, Options, Provider, Request, Settle};

use crate::asks::Asking;
use crate::book::{Asks, Said, Sources, StateWord, Version, Where};
use crate::case::Case;
use crate::facts::{Deed, Existing, Facts, HandedIn, Subject, Witness};
use crate::level::stated;
use crate::life::Words;
use crate::subjects::{Desk, Handed};
use crate::world::{SimulatedTransport, VirtualClock};
use still::LastLook;
pub(crate) use still::Looks;

/// The account that is read.
const ACCOUNT: &str = "acct_1";
/// The secret of its webhooks, which
/// reads as text, as hexadecimal and as base64, whatever the scheme makes of it.
const SECRET: &str = "51a07a7ed5ec2e7051a07a7ed5ec2e70";
/// 2026-09-05T14:00:00.250Z: a quarter past, so that whole seconds and the start of the world differ.
pub(crate) const START: Time = Time::from_millis(1_788_616_800_250);
/// A version that no document describes.
const OTHER_VERSION: &str = "1900-01-01";

/// Why a case could not be played on; it counts as failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stuck(pub(crate) String);

/// An operation in the case.
#[derive(Debug, Clone)]
pub(crate) struct Player {
    pub(crate) operation_id: String,
    begun: Begun,
    begun_at: Time,
    asks: Asks,
    handed_in: HandedIn,
    said: Option<Said>,
    last: Option<Sent>,
    handed: Handed,
    last_look: Option<LastLook>,
}

#[derive(Debug, Clone)]
struct Sent {
    request: Request,
    asks: Asks,
}

/// The stage.
#[derive(Debug)]
pub(crate) struct Play<'c> {
    service: &'c Service,
    blueprint: Arc<Blueprint>,
    plan: &'c Plan,
    resource: &'c Resource,
    case: &'c Case,
    program: &'c Program,
    lifecycle: Option<Lifecycle>,
    asking: Asking<'c>,
    asked: Vec<(Vec<Step>, Value)>,
    pub(crate) runtime: Runtime<SimulatedTransport, MemoryStore, VirtualClock>,
    elsewhere: Option<Provider>,
    seed: u64,
    now: Time,
    pub(crate) players: BTreeMap<String, Player>,
    /// Records by their name in the case.
    records: BTreeMap<String, String>,
    deeds: Vec<Deed>,
    /// Rises with everything that may change what a look sees.
    happened: u64,
    pub(crate) looks: Looks,
}

impl<'c> Play<'c> {
    pub(crate) fn new(
        program: &'c Program,
        (service, blueprint): (&'c Service, &Arc<Blueprint>),
        case: &'c Case,
        seed: u64,
    ) -> Result<Self, Stuck> {
        let stuck = |what: &str| Stuck(format!("`{}` {what}", case.operation));
        let operation = service.operation(&case.operation).ok_or_else(|| stuck("is no operation"))?;
        let plan = operation.plan.as_ref().ok_or_else(|| stuck("has no plan"))?;
        let resource = operation.resource.as_deref().and_then(|name| service.resource(name));
        let resource = resource.ok_or_else(|| stuck("names no resource"))?;
        let asking = Asking::new(service, operation, plan, case.existing.as_deref());
        let lifecycle = stated(resource);
        let words = words(lifecycle.as_ref(), case);
        let faults = case.script.faults.iter().map(|fault| named(fault, words)).collect();
        let provider = provider(blueprint, &asking, Account { name: ACCOUNT, live: true }, seed, faults);
        let transport = SimulatedTransport { provider, now: START };
        let mut runtime = Runtime::new(transport, MemoryStore::new(), VirtualClock(START));
        let skill = Skill::new(&service.id, "0.0.0");
        runtime.add(program.clone(), skill).map_err(|error| Stuck(error.to_string()))?;
        Ok(Self {
            service,
            blueprint: Arc::clone(blueprint),
            plan,
            resource,
            case,
            program,
            lifecycle,
            asked: asking.asked(),
            asking,
            runtime,
            elsewhere: None,
            seed,
            now: START,
            players: BTreeMap::new(),
            records: BTreeMap::new(),
            deeds: Vec::new(),
            happened: 0,
            looks: Looks::default(),
        })
    }

    pub(crate) const fn now(&self) -> Time {
        self.now
    }

    /// When the next thing happens by itself: a move, a delivery, a look that is due.
    pub(crate) fn next(&mut self) -> Result<Option<Time>, Stuck> {
        let due = self.runtime.next_due().map_err(|error| Stuck(error.to_string()))?;
        let here = self.runtime.transport_mut().provider.next_due();
        let there = self.elsewhere.as_ref().and_then(Provider::next_due);
        Ok(due.into_iter().chain(here).chain(there).min())
    }

    /// Lets time pass to `now`, and hands over what was delivered until then.
    pub(crate) fn pass(&mut self, now: Time) -> Result<(), Stuck> {
        self.now = self.now.max(now);
        self.runtime.clock_mut().0 = self.now;
        let transport = self.runtime.transport_mut();
        transport.now = self.now;
        let moved = transport.provider.next_due().is_some_and(|due| due <= self.now);
        let mut deliveries = transport.provider.take_deliveries(self.now);
        if let Some(elsewhere) = &mut self.elsewhere {
            deliveries.extend(elsewhere.take_deliveries(self.now));
        }
        self.happened += u64::from(moved || !deliveries.is_empty());
        deliveries.iter().try_for_each(|delivery| self.deliver(delivery))
    }

    /// One delivery, as the endpoint takes it: a signature that does not hold is refused there.
    fn deliver(&mut self, delivery: &Delivery) -> Result<(), Stuck> {
        let Some(scheme) = self.service.signature.clone() else {
            if delivery.authentic {
                let event = Arc::clone(&delivery.event);
                let taken = self.runtime.deliver_parsed(&self.service.id, ACCOUNT, event);
                taken.map_err(|error| Stuck(error.to_string()))?;
            }
            return Ok(());
        };
        let endpoint = Endpoint {
            service: self.service.id.clone(),
            account: ACCOUNT.to_owned(),
            scheme,
            secrets: vec![SECRET.to_owned()],
        };
        let wire = delivery.wire();
        // Forged and stale deliveries are refused; that is what the case is about.
        let _refused = self.runtime.deliver(&endpoint, &wire.headers, wire.body.as_bytes());
        Ok(())
    }

    /// What goes wrong later goes wrong so much later still.
    pub(crate) fn delay_faults(&mut self, by_ms: i64) {
        self.runtime.transport_mut().provider.delay_faults(u64::try_from(by_ms).unwrap_or(0));
    }

    /// When a player may act at the earliest, if a step is an act of one that has begun.
    pub(crate) fn ready_at(&self, step: &crate::book::Step) -> Option<Time> {
        let by = step.act.as_ref().and_then(|act| act.by.as_ref());
        let by = by.or(step.retry.as_ref().map(|retry| &retry.by))?;
        self.players.get(by).map(|player| player.begun.ready_at)
    }

    /// The facts about a player's operation at a time.
    pub(crate) fn facts(&mut self, name: &str, at: Time, sources: Sources, is_end: bool) -> Option<Facts> {
        let player = self.players.get(name)?;
        let subject = Subject {
            name,
            asks: player.asks,
            begun: player.begun_at,
            handed_in: player.handed_in,
            said: player.said,
        };
        let id = self.case.existing.as_ref().map(|_| self.asking.own_id(player.asks));
        let id = id.map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
        let existing =
            id.as_deref().map(|id| Existing { resource: &self.resource.name, id, asked: &self.asked });
        let witness = Witness {
            dated: self.resource.created.is_some(),
            shares: self.case.script.life.as_ref().and_then(|life| life.parts.as_ref()).map(|parts| {
                let counted = parts.iter().filter(|part| !part.other_kind && !part.test && !part.by_hand);
                counted.map(|part| part.share.unwrap_or(1000)).sum()
            }),
            existing,
            truth: self.runtime.transport_mut().provider.truth(),
            deeds: &self.deeds,
            lifecycle: self.lifecycle.as_ref(),
            promise: &self.case.promise,
            covered: self.case.script.version == Version::Own,
            stale_window_ms: self.case.oracle.stale_window_ms,
        };
        Some(witness.facts(subject, at, sources, is_end))
    }

    /// What a subject may see of a player's operation at the present time.
    pub(crate) fn desk(&self, name: &str, is_end: bool) -> Option<Desk<'_>> {
        let player = self.players.get(name)?;
        let operation = self.service.operation(&self.case.operation)?;
        let id = self.case.existing.as_ref().map(|_| self.asking.own_id(player.asks));
        Some(Desk {
            service: self.service,
            operation,
            plan: self.plan,
            resource: self.resource,
            promise: &self.case.promise,
            input: self.asking.input(player.asks, &self.program.contract().intent.input_schema),
            begun_at: player.begun_at,
            existing: id.map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned)),
            handed: &player.handed,
            now: self.now,
            is_end,
            connection: self.connection(),
            store: self.runtime.store(),
            provider: &self.runtime.transport().provider,
            world: None,
        })
    }

    fn connection(&self) -> Connection {
        let version = self.service.version.as_ref();
        let asked = match self.case.script.version {
            Version::Own => version.map(|rule| rule.default.as_str()),
            Version::Other => Some(OTHER_VERSION),
        };
        let mut connection = Connection::new(ACCOUNT, Mode::Live, asked);
        connection.version_header = version.and_then(|rule| rule.header.clone());
        connection.verifiers = vec![String::from("webhook")];
        connection
    }

    /// The provider that is acted on.
    fn acted_on(&mut self, place: Where) -> &mut Provider {
        let account = match place {
            Where::Here => return &mut self.runtime.transport_mut().provider,
            Where::TestAccount => Account { name: ACCOUNT, live: false },
            Where::OtherAccount => Account { name: "acct_2", live: true },
        };
        let (blueprint, asking, seed) = (&self.blueprint, &self.asking, self.seed ^ 0x5eed);
        self.elsewhere.get_or_insert_with(|| provider(blueprint, asking, account, seed, Vec::new()))
    }
}

#[derive(Debug, Clone, Copy)]
struct Account {
    name: &'static str,
    live: bool,
}

/// A world of the service, in which the parents are there.
fn provider(
    blueprint: &Arc<Blueprint>,
    asking: &Asking<'_>,
    account: Account,
    seed: u64,
    faults: Vec<Fault>,
) -> Provider {
    let mut options = Options { seed, start: START, live: account.live, faults, ..Options::default() };
    options.account = account.name.to_owned();
    options.settle = Settle::Stay;
    // The events of another tenant do not come to this endpoint: they are signed for another one.
    options.secret = String::from(if account.name == ACCOUNT { SECRET } else { "somebody-else" });
    let mut provider = Provider::from_blueprint(Arc::clone(blueprint), options);
    for parent in asking.parents() {
        // A parent of a kind that the service does not serve is not needed.
        let _id = provider.insert(&parent.resource, &parent.fields, START.minus(86_400_000));
    }
    provider
}

fn words<'c>(lifecycle: Option<&'c Lifecycle>, case: &'c Case) -> Option<Words<'c>> {
    let lifecycle = lifecycle?;
    Some(Words { lifecycle, promise: &case.promise, this: case.state.as_deref() })
}

/// A fault with the state that the word `promised` stands for.
fn named(fault: &Fault, words: Option<Words<'_>>) -> Fault {
    let mut fault = fault.clone();
    if let FaultKind::EventsForged { state: word } | FaultKind::UnknownState { word } = &mut fault.what {
        let promised = words.filter(|_| word == "promised").and_then(|own| own.state(StateWord::Promised));
        if let Some(promised) = promised {
            promised.clone_into(word);
        }
    }
    fault
}
