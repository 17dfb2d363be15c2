//! A case on its stage: provider, runtime, virtual time, deliveries. What comes of it is not judged here.

mod agent;
mod still;

use std::collections::BTreeMap;
use std::sync::Arc;

use provely_evaluator::time::Time;
use provely_runtime::{Begun, Connection, Endpoint, MemoryStore, Mode, Runtime};
use provely_simulator::{Delivery, Fault, FaultKind, Options, Provider, Request, Settle};

use crate::book::{Asks, CaseClass, Said, Sources, StateWord, Version, Where};
use crate::facts::{Deed, Existing, Facts, HandedIn, Subject, Witness};
use crate::life::Words;
use crate::stage::Stage;
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
    pub(crate) begun_at: Time,
    pub(crate) asks: Asks,
    /// The caller's name of the ask.
    pub(crate) intent: String,
    handed_in: HandedIn,
    /// An id that is not its own was handed in for it.
    misled: bool,
    said: Option<Said>,
    last: Option<Sent>,
    handed: Handed,
    last_look: Option<LastLook>,
}

#[derive(Debug, Clone)]
struct Sent {
    request: Request,
    deed: Deed,
}

/// What is played: the script, and the state that it calls `this`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'c> {
    pub(crate) script: &'c CaseClass,
    pub(crate) this: Option<&'c str>,
    /// Decides ids, latencies and chances.
    pub(crate) seed: u64,
    /// Deliveries go over the wire: printed, signed, checked and parsed again.
    pub(crate) wire: bool,
    /// A `begin` that is refused leaves the operation out, instead of ending the play.
    pub(crate) lenient: bool,
}

/// A script on its stage.
#[derive(Debug)]
pub(crate) struct Play<'c> {
    stage: &'c Stage<'c>,
    part: Part<'c>,
    pub(crate) runtime: Runtime<SimulatedTransport, MemoryStore, VirtualClock>,
    /// Worlds of other accounts that were acted on.
    elsewhere: Vec<(Where, Provider)>,
    now: Time,
    pub(crate) players: BTreeMap<String, Player>,
    /// Records by their name in the case.
    records: BTreeMap<String, String>,
    deeds: Vec<Deed>,
    /// Who handed in which id, in order.
    claims: Vec<(String, String)>,
    /// Rises with everything that may change what a look sees.
    happened: u64,
    pub(crate) looks: Looks,
}

impl<'c> Play<'c> {
    pub(crate) fn new(stage: &'c Stage<'c>, part: Part<'c>) -> Self {
        let words = stage.words(part.this);
        let faults = part.script.faults.iter().map(|fault| named(fault, words)).collect();
        let provider = provider(stage, Account { name: ACCOUNT, live: true }, part.seed, faults);
        let transport = SimulatedTransport { provider, now: START };
        let mut runtime = Runtime::new(transport, MemoryStore::new(), VirtualClock(START));
        runtime.share(Arc::clone(&stage.loaded));
        Self {
            stage,
            part,
            runtime,
            elsewhere: Vec::new(),
            now: START,
            players: BTreeMap::new(),
            records: BTreeMap::new(),
            deeds: Vec::new(),
            claims: Vec::new(),
            happened: 0,
            looks: Looks::default(),
        }
    }

    pub(crate) const fn now(&self) -> Time {
        self.now
    }

    /// When the next thing happens by itself: a move, a delivery, a look that is due.
    pub(crate) fn next(&mut self) -> Result<Option<Time>, Stuck> {
        let due = self.runtime.next_due().map_err(|error| Stuck(error.to_string()))?;
        let here = self.runtime.transport_mut().provider.next_due();
        let there = self.elsewhere.iter().filter_map(|(_, world)| world.next_due()).min();
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
        for (place, world) in &mut self.elsewhere {
            let own = world.take_deliveries(self.now);
            // The events of another tenant are signed for another endpoint; over the wire they are refused here.
            if self.part.wire || *place == Where::TestAccount {
                deliveries.extend(own);
            }
        }
        self.happened += u64::from(moved || !deliveries.is_empty());
        deliveries.iter().try_for_each(|delivery| self.deliver(delivery))
    }

    /// One delivery, as the endpoint takes it: a signature that does not hold is refused there.
    fn deliver(&mut self, delivery: &Delivery) -> Result<(), Stuck> {
        let service = self.stage.service;
        let Some(scheme) = service.signature.as_ref().filter(|_| self.part.wire) else {
            if delivery.authentic {
                let event = Arc::clone(&delivery.event);
                let headers = delivery.naming_headers();
                let taken = self.runtime.deliver_checked(&service.id, ACCOUNT, &headers, event);
                taken.map_err(|error| Stuck(error.to_string()))?;
            }
            return Ok(());
        };
        let endpoint = Endpoint {
            service: service.id.clone(),
            account: ACCOUNT.to_owned(),
            scheme: scheme.clone(),
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

    /// When a player's operation ends at the latest, counted from `begin`.
    pub(crate) fn deadline(&self, name: &str) -> Option<Time> {
        self.players.get(name).map(|player| player.begun.deadline)
    }

    /// The facts about a player's operation at a time.
    pub(crate) fn facts(&mut self, name: &str, at: Time, sources: Sources, is_end: bool) -> Option<Facts> {
        self.ask(name, |witness, subject| witness.facts(subject, at, sources, is_end))
    }

    /// Since when the promise has held without a break, if it holds at a time.
    pub(crate) fn kept_since(&mut self, name: &str, at: Time) -> Option<Time> {
        self.ask(name, |witness, subject| witness.kept_since(subject, at)).flatten()
    }

    /// Asks the ground truth about a player's operation.
    fn ask<T>(&mut self, name: &str, question: impl FnOnce(&Witness<'_>, Subject<'_>) -> T) -> Option<T> {
        let (stage, script) = (self.stage, self.part.script);
        let player = self.players.get(name)?;
        let subject = Subject {
            name,
            asks: player.asks,
            intent: &player.intent,
            begun: player.begun_at,
            handed_in: player.handed_in,
            misled: player.misled,
            said: player.said,
        };
        let id = stage.existing.map(|_| stage.asking.own_id(player.asks));
        let id = id.map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
        let existing =
            id.as_deref().map(|id| Existing { resource: &stage.resource.name, id, asked: &stage.asked });
        let witness = Witness {
            dated: stage.resource.created.is_some(),
            shares: script.life.as_ref().and_then(|life| life.parts.as_ref()).map(|parts| {
                let counted = parts.iter().filter(|part| !part.other_kind && !part.test && !part.by_hand);
                counted.map(|part| part.share.unwrap_or(1000)).sum()
            }),
            existing,
            truth: self.runtime.transport_mut().provider.truth(),
            deeds: &self.deeds,
            players: &self.players,
            claims: &self.claims,
            lifecycle: stage.lifecycle.as_ref(),
            promise: stage.promise,
            covered: script.version == Version::Own,
            stale_window_ms: stage.stale_window_ms,
        };
        Some(question(&witness, subject))
    }

    /// What a subject may see of a player's operation at the present time.
    pub(crate) fn desk(&self, name: &str, is_end: bool) -> Option<Desk<'_>> {
        let (player, stage) = (self.players.get(name)?, self.stage);
        let id = stage.existing.map(|_| stage.asking.own_id(player.asks));
        Some(Desk {
            service: stage.service,
            operation: stage.operation,
            plan: stage.plan,
            resource: stage.resource,
            promise: stage.promise,
            input: stage.asking.input(player.asks, &stage.loaded.contract().intent.input_schema),
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
        let version = self.stage.service.version.as_ref();
        let asked = match self.part.script.version {
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
        if !self.elsewhere.iter().any(|(own, _)| *own == place) {
            let world = provider(self.stage, account, self.part.seed ^ 0x5eed, Vec::new());
            self.elsewhere.push((place, world));
        }
        match self.elsewhere.iter_mut().find(|(own, _)| *own == place) {
            Some((_, world)) => world,
            None => &mut self.runtime.transport_mut().provider,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Account {
    name: &'static str,
    live: bool,
}

/// A world of the service, in which the parents are there.
fn provider(stage: &Stage<'_>, account: Account, seed: u64, faults: Vec<Fault>) -> Provider {
    let mut options = Options { seed, start: START, live: account.live, faults, ..Options::default() };
    options.account = account.name.to_owned();
    options.settle = Settle::Stay;
    // The events of another tenant do not come to this endpoint: they are signed for another one.
    options.secret = String::from(if account.name == ACCOUNT { SECRET } else { "somebody-else" });
    let mut provider = Provider::from_blueprint(Arc::clone(&stage.blueprint), options);
    for parent in &stage.parents {
        // A parent of a kind that the service does not serve is not needed.
        let _id = provider.insert(&parent.resource, &parent.fields, START.minus(86_400_000));
    }
    provider
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
