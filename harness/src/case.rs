//! Cases for one level of one operation, made from lifecycle and plan. It must not read a contract; what
//! does not apply is said, never left out.

use std::sync::Arc;

use provely_evaluator::contract::{PageStyle, StateClass};
use provely_model::{EchoKind, IdempotencyPlan, Lifecycle, Operation, Parts, Plan, Resource, Service};
use provely_simulator::Fault;

use crate::asks::Asking;
use crate::book::{CaseBook, CaseClass, Each, Kind, Need, OracleBook, Target};
use crate::level::{Level, Promise, stated};
use crate::life::Words;

/// One case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// `contract/class.variant/state`.
    pub id: String,
    /// Its class.
    pub class: String,
    /// What happens, in words.
    pub title: String,
    /// What kind of mistake it is after.
    pub kind: Kind,
    /// The contract under test.
    pub contract_id: String,
    /// The acting operation.
    pub operation: String,
    /// The promise that is judged.
    pub promise: Promise,
    /// The parameter that names the record, where it is there already.
    pub existing: Option<String>,
    /// The state that this case is about.
    pub state: Option<String>,
    /// Why it cannot be run on this operation and level; absent: it can.
    pub not_applicable: Option<String>,
    pub(crate) script: Arc<CaseClass>,
    pub(crate) oracle: Arc<OracleBook>,
}

impl Case {
    /// What the book says happens.
    #[must_use]
    pub fn script(&self) -> &CaseClass {
        &self.script
    }

    /// What goes wrong at the provider, to be added to.
    pub fn faults_mut(&mut self) -> &mut Vec<Fault> {
        &mut Arc::make_mut(&mut self.script).faults
    }
}

/// The cases of a level, in the order of the book; those that do not apply are among them and say why.
#[must_use]
pub fn generate(service: &Service, operation_id: &str, level: &Level, book: &CaseBook) -> Vec<Case> {
    let oracle = Arc::new(book.oracle.clone());
    let found = Ground::find(service, operation_id);
    let mut cases = Vec::new();
    for class in &book.cases {
        let class = Arc::new(class.clone());
        let draft = |state: Option<&str>, reason: Option<String>| Case {
            id: id(level, &class, state),
            class: class.class.clone(),
            title: class.title.clone(),
            kind: class.kind,
            contract_id: level.contract_id.clone(),
            operation: operation_id.to_owned(),
            promise: level.promise.clone(),
            existing: level.existing.clone(),
            state: state.map(str::to_owned),
            not_applicable: reason,
            script: Arc::clone(&class),
            oracle: Arc::clone(&oracle),
        };
        match found.as_ref().map_err(Clone::clone).and_then(|ground| ground.variants(&class, level)) {
            Err(reason) => cases.push(draft(None, Some(reason))),
            Ok(states) => cases.extend(states.into_iter().map(|state| draft(state, None))),
        }
    }
    cases
}

fn id(level: &Level, class: &CaseClass, state: Option<&str>) -> String {
    let mut id = format!("{}/{}", level.contract_id, class.name());
    if let Some(state) = state {
        id.push('/');
        id.push_str(state);
    }
    id
}

/// What cases stand on.
struct Ground<'s> {
    service: &'s Service,
    operation: &'s Operation,
    plan: &'s Plan,
    resource: &'s Resource,
    lifecycle: Option<Lifecycle>,
}

impl<'s> Ground<'s> {
    fn find(service: &'s Service, operation_id: &str) -> Result<Self, String> {
        let operation = service.operation(operation_id).ok_or("the service has no such operation")?;
        let plan = operation.plan.as_ref().ok_or("the operation has no evidence plan")?;
        let resource = operation.resource.as_deref().and_then(|name| service.resource(name));
        let resource = resource.ok_or("the operation names no resource")?;
        if !["POST", "PUT", "PATCH", "DELETE", "GET"]
            .contains(&operation.method.to_ascii_uppercase().as_str())
        {
            return Err(String::from("the operation is no HTTP request that a simulated provider answers"));
        }
        Ok(Self { service, operation, plan, resource, lifecycle: stated(resource) })
    }

    /// The states to make a case for each of; one case without a state where the class asks for none.
    fn variants(&self, class: &CaseClass, level: &Level) -> Result<Vec<Option<&str>>, String> {
        match (class.target, &level.existing) {
            (Target::Created, Some(_)) => {
                return Err(String::from("the operation acts on a record that is there already"));
            }
            (Target::Existing, None) => return Err(String::from("the operation makes a record")),
            (Target::Created, None) | (Target::Existing, Some(_)) => {}
        }
        if level.promise == Promise::Altered {
            return Err(String::from("nothing says what the action changes, so it cannot be simulated"));
        }
        if let Some(path) = self.named_by().filter(|path| Some(*path) != self.resource.id.as_deref()) {
            return Err(format!("the record is named by `{path}`, and a simulated provider knows ids alone"));
        }
        if level.existing.is_some() && self.named_by().is_none() {
            return Err(String::from("the path names the record, and nothing says by which of its fields"));
        }
        if level.existing.is_some() && self.resource.id.is_none() {
            return Err(String::from("the record has no id of its own"));
        }
        let lifecycle = self.lifecycle.as_ref();
        if !class.promises.is_empty() && !class.promises.contains(&level.promise.kind(lifecycle)) {
            return Err(String::from("the level promises something else"));
        }
        for need in &class.needs {
            self.check(need, level)?;
        }
        if class.each.is_empty() {
            return Ok(vec![None]);
        }
        let lifecycle = lifecycle.ok_or("records have no states")?;
        let mut states = Vec::new();
        for each in &class.each {
            let of_class = lifecycle.of_class(class_of(*each)).map(|state| state.name.as_str());
            states.extend(of_class.filter(|state| keeps_apart(*each, level, lifecycle, state)).map(Some));
        }
        if states.is_empty() { Err(String::from("the lifecycle has no such state")) } else { Ok(states) }
    }

    /// Where the record carries what the request for it names it by.
    fn named_by(&self) -> Option<&str> {
        let reads =
            self.plan.channels.iter().find(|own| own.request.is_some() && (own.find || own.page.is_none()));
        reads?.record_id.as_deref()
    }

    fn check(&self, need: &str, level: &Level) -> Result<(), String> {
        let either = need.split('|').filter_map(named);
        if either.clone().next().is_none() {
            return Err(format!("the case book asks for `{need}`, which nobody knows"));
        }
        if either.clone().any(|need| self.has(need, level)) {
            return Ok(());
        }
        let lacks: Vec<&str> = either.map(lack).collect();
        Err(lacks.join(", and "))
    }

    fn has(&self, need: Need, level: &Level) -> bool {
        let plan = self.plan;
        let echoes = |kind| plan.echoes.iter().any(|echo| echo.kind == kind);
        let sources = || plan.channels.iter().filter_map(|channel| channel.events.as_ref());
        let created = || sources().any(|source| !source.creation_types.is_empty());
        match need {
            Need::Lifecycle => self.lifecycle.is_some(),
            Need::Transitional => self.words(level).and_then(|words| words.first()).is_some_and(|first| {
                let lifecycle = self.lifecycle.as_ref();
                let moving = lifecycle.and_then(|own| own.state(first)).map(|own| own.class);
                moving == Some(StateClass::Transitional) && !level.promise.is_kept(lifecycle, Some(first))
            }),
            Need::Reversible => self.words(level).is_some_and(|words| {
                let turn = words.promised().zip(words.failure());
                turn.is_some_and(|(from, to)| words.lifecycle.allows(from, to))
                    && words
                        .promised()
                        .and_then(|own| words.lifecycle.state(own))
                        .is_some_and(|own| own.reversible)
            }),
            Need::Subject => echoes(EchoKind::Subject),
            Need::Amount => echoes(EchoKind::Amount),
            Need::Currency => echoes(EchoKind::Currency),
            Need::Money => self.operation.effect.moves_money(),
            Need::Idempotency => plan.idempotency.as_ref().is_some_and(IdempotencyPlan::takes_key),
            Need::KeyEcho => {
                plan.idempotency.as_ref().is_some_and(|own| own.echoed)
                    && sources().any(|source| source.key.is_some() && !source.creation_types.is_empty())
            }
            Need::TagEcho => plan.tag.is_some() && created(),
            Need::Events => sources().next().is_some(),
            Need::CreationEvent => created(),
            Need::ChangeEvents => {
                sources().any(|source| source.types.iter().any(|kind| !source.creation_types.contains(kind)))
            }
            Need::Signature => self.service.signature.is_some(),
            Need::List => plan.channels.iter().any(|channel| channel.complete),
            Need::Pages => plan.channels.iter().any(|channel| {
                channel.complete && channel.page.as_ref().is_some_and(|page| page.style != PageStyle::Single)
            }),
            Need::Version => self.service.version.is_some(),
            Need::Created => self.resource.created.is_some(),
            Need::Fields => {
                let existing = level.existing.as_deref();
                Asking::new(self.service, self.operation, plan, existing).asked().len() > 1
            }
            Need::Parts => self.parts().is_some(),
            Need::PartKind => self.parts().is_some_and(|parts| parts.only.is_some()),
            Need::PartByHand => self.parts().is_some_and(|parts| parts.by_hand.is_some()),
            Need::PartMode => self.parts().is_some_and(|parts| parts.live.is_some()),
            Need::Document => self.operation.graphql.is_some(),
            Need::InBand => plan.failure.is_some(),
            Need::InBandReads => {
                let mut reads =
                    plan.channels.iter().filter_map(|channel| channel.request.as_ref()).peekable();
                reads.peek().is_some() && reads.all(|request| !request.in_band_failure.is_empty())
            }
        }
    }

    fn parts(&self) -> Option<&Parts> {
        self.lifecycle.as_ref()?.parts.as_ref()
    }

    fn words<'c>(&'c self, level: &'c Level) -> Option<Words<'c>> {
        let lifecycle = self.lifecycle.as_ref()?;
        Some(Words { lifecycle, promise: &level.promise, this: None })
    }
}

const fn class_of(each: Each) -> StateClass {
    match each {
        Each::Transitional => StateClass::Transitional,
        Each::Failure => StateClass::TerminalFailure,
        Each::Neutral => StateClass::TerminalNeutral,
        Each::Unknown => StateClass::Unknown,
    }
}

/// A state in motion that is the promise itself is no case of "still in motion".
fn keeps_apart(each: Each, level: &Level, lifecycle: &provely_model::Lifecycle, state: &str) -> bool {
    let milestone =
        matches!(level.promise, Promise::Reaches(_)) && level.promise.is_kept(Some(lifecycle), Some(state));
    each != Each::Transitional || !milestone
}

const NEEDS: &[(&str, Need, &str)] = &[
    ("lifecycle", Need::Lifecycle, "records have no states"),
    ("transitional", Need::Transitional, "no state in motion comes before the promise"),
    ("reversible", Need::Reversible, "the promised state does not turn into a failure"),
    ("subject", Need::Subject, "the record echoes no parent or recipient"),
    ("amount", Need::Amount, "the record echoes no amount"),
    ("currency", Need::Currency, "the record echoes no currency"),
    ("money", Need::Money, "the action moves no money"),
    ("idempotency", Need::Idempotency, "the provider takes no retry key"),
    ("key_echo", Need::KeyEcho, "no creation event carries the retry key"),
    ("tag_echo", Need::TagEcho, "no creation event carries a tag"),
    ("events", Need::Events, "the provider sends no events"),
    ("change_events", Need::ChangeEvents, "the provider sends no events when the record changes"),
    ("creation_event", Need::CreationEvent, "no event is sent when the record comes into being"),
    ("signature", Need::Signature, "deliveries are not signed"),
    ("list", Need::List, "siblings cannot be listed in full"),
    ("pages", Need::Pages, "the list has no pages"),
    ("version", Need::Version, "the provider's versions are not known"),
    ("created", Need::Created, "records do not show when they were made"),
    ("fields", Need::Fields, "the request changes one field at most"),
    ("parts", Need::Parts, "the record's outcome does not stand in parts of it"),
    ("part_kind", Need::PartKind, "parts of every kind count"),
    ("part_mode", Need::PartMode, "parts do not say of which mode they are"),
    ("part_by_hand", Need::PartByHand, "parts do not say whether their effect is made by hand"),
    ("in_band", Need::InBand, "a success status is never a refusal"),
    ("in_band_reads", Need::InBandReads, "reads do not fail under a success status"),
    ("document", Need::Document, "the provider is not asked by query documents"),
];

fn named(text: &str) -> Option<Need> {
    NEEDS.iter().find(|(name, ..)| *name == text).map(|(_, need, _)| *need)
}

fn lack(need: Need) -> &'static str {
    NEEDS.iter().find(|(_, own, _)| *own == need).map_or("something is missing", |(_, _, lack)| lack)
}
