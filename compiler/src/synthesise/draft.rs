//! A contract in the making: header, channels, correlation and timing, with the assertions that each part
//! rests on. What cites none is left out.

use std::collections::BTreeMap;

use provely_evaluator::contract::{
    Action, As, CONTRACT_SCHEMA_VERSION, Causality, Channel, Completion, Condition, Contract, EvidenceLevel,
    EvidencePolicy, Idempotency, Intent, Lifecycle, NegativeConditions, OnTimeout, Rule, State, StateClass,
    Subject as Thing, Target as ContractTarget, ValidFor,
};
use provely_evaluator::verdict::Verdict;
use provely_model::{Echo, EchoKind, FailurePredicate, FieldKind, Operation, Parameter, Place};

use super::levels::{Level, Promise};
use super::wording::{Called, Wording};
use super::{Subject, parts};
use crate::plan::{InputKind, channel_name, cited, field_at, identifier, part};

/// The reason code at the deadline.
const LATE: &str = "evidence_unavailable_before_timeout";

/// A contract in the making.
pub(super) struct Draft<'a> {
    pub subject: Subject<'a>,
    pub level: &'a Level,
    pub words: Wording<'a>,
    pub channels: Vec<Channel>,
    pub positives: Vec<Condition>,
    pub negatives: Vec<Condition>,
    pub rules: Vec<Rule>,
    pub provenance: BTreeMap<String, Vec<String>>,
    pub minimum_causality: Option<Causality>,
}

impl<'a> Draft<'a> {
    pub fn new(subject: Subject<'a>, level: &'a Level) -> Self {
        Self {
            subject,
            level,
            words: Wording { names: subject.names, resource: subject.resource, level: &level.name },
            channels: Vec::new(),
            positives: Vec::new(),
            negatives: Vec::new(),
            rules: Vec::new(),
            provenance: BTreeMap::new(),
            minimum_causality: None,
        }
    }

    /// The contract of a record that comes into being; `None` if a part that it needs cites nothing.
    pub fn created(subject: Subject<'a>, level: &'a Level) -> Option<Contract> {
        let mut draft = Self::new(subject, level);
        draft.take_channels();
        draft.record_conditions()?;
        draft.state_conditions()?;
        draft.input_negatives();
        draft.several_recipients();
        draft.duplicates();
        draft.verdict_rules();
        draft.finish(ContractTarget::Create, None)
    }

    /// Cites assertions for a part; `false` if there are none.
    pub fn cite(&mut self, part: String, mut assertions: Vec<String>) -> bool {
        assertions.retain(|assertion| !assertion.is_empty());
        let mut seen = std::collections::BTreeSet::new();
        assertions.retain(|assertion| seen.insert(assertion.clone()));
        if assertions.is_empty() {
            return false;
        }
        self.provenance.insert(part, assertions);
        true
    }

    /// Adds a positive condition under its key.
    pub fn positive(&mut self, key: &str, condition: Condition, assertions: Vec<String>) {
        let Called { id, text } = self.words.condition(key);
        if self.cite(format!("completion.{id}"), assertions) {
            self.positives.push(Condition { id, description: Some(text), ..condition });
        }
    }

    /// Adds a negative condition under its key, with its class set.
    pub fn negative(&mut self, key: &str, reason_code: &str, condition: Condition, assertions: Vec<String>) {
        let Called { id, text } = self.words.condition(key);
        if self.cite(format!("negative_conditions.{id}"), assertions) {
            let reason_code = Some(reason_code.to_owned());
            self.negatives.push(Condition { id, reason_code, reason: Some(text), ..condition });
        }
    }

    /// Adds a verdict rule under its key.
    pub fn rule(&mut self, key: &str, matching: Condition, verdict: Verdict, assertions: Vec<String>) {
        let Called { id, text } = self.words.rule(key);
        if self.cite(format!("verdict_map.{id}"), assertions) {
            self.rules.push(Rule { id, matching, verdict, reason_code: identifier(key), reason: text });
        }
    }

    /// Takes the plan's channels that this level needs, under their display names.
    fn take_channels(&mut self) {
        let state_key = format!("{}_events", self.level.name);
        for part in [part::READBACK, part::LIST] {
            self.take_channel(part, part);
        }
        self.take_channel(part::CREATED_EVENTS, part::CREATED_EVENTS);
        if self.level.promise == Promise::Failed {
            self.take_channel(part::ENDED_EVENTS, &state_key);
        } else {
            if self.level.name != "created" {
                self.take_channel(part::STATE_EVENTS, &state_key);
            }
            self.take_channel(part::ENDED_EVENTS, part::ENDED_EVENTS);
        }
        self.take_channel(part::ACTION_RESPONSE, part::ACTION_RESPONSE);
    }

    /// Takes one channel of the plan under the display name of `key`.
    pub fn take_channel(&mut self, part: &str, key: &str) {
        let name = channel_name(self.subject.resource, part);
        let plan = self.subject.plan;
        let Some(channel) = plan.channels.iter().find(|channel| channel.name == name) else { return };
        let Called { id, text } = self.words.channel(key);
        if self.cite(format!("channels.{id}"), cited(plan, part).to_vec()) {
            self.channels.push(Channel { name: id, description: Some(text), ..channel.clone() });
        }
    }

    /// The display name of a channel that was taken.
    pub fn channel(&self, key: &str) -> Option<&Channel> {
        let id = self.words.channel(key).id;
        self.channels.iter().find(|channel| channel.name == id)
    }

    /// The display name of the readback.
    pub fn readback(&self) -> Option<String> {
        self.channel(part::READBACK).map(|channel| channel.name.clone())
    }

    /// The name under `$correlation` of the record's id.
    pub fn id_key(&self) -> String {
        format!("{}_id", identifier(&self.subject.resource.name))
    }

    /// How the record's id is compared with the one that is known of it, which is text.
    pub fn id_reading(&self) -> Option<As> {
        let field = field_at(self.subject.resource, self.subject.resource.id.as_deref()?)?;
        matches!(field.kind, FieldKind::Integer | FieldKind::Number).then_some(As::Decimal)
    }

    /// The echoed fields that this effect takes as input.
    pub fn inputs(&self) -> impl Iterator<Item = &'a Echo> + use<'a> {
        let rules = self.subject.rules;
        let wanted = rules.inputs_of(self.subject.operation.effect);
        let kind = move |echo: &Echo| {
            if rules.plan.senders.contains(&echo.input) { InputKind::Sender } else { input_kind(echo.kind) }
        };
        let every = wanted.is_empty() || self.level.promise == Promise::Changed;
        let own = self.subject.resource.id.as_deref().filter(|_| self.level.promise == Promise::Changed);
        let none = matches!(self.level.promise, Promise::Altered | Promise::Added);
        let echoes = self.subject.plan.echoes.iter().filter(move |_| !none);
        echoes.filter(move |echo| Some(echo.path.as_str()) != own && (every || wanted.contains(&kind(echo))))
    }

    /// The body or path parameter of an input.
    pub fn parameter(&self, input: &str) -> Option<&'a Parameter> {
        parameter(self.subject.operation, input)
    }

    /// True if the contract asks for this input whatever the vendor's description says.
    pub fn is_required(&self, echo: &Echo) -> bool {
        let sender = self.subject.rules.plan.senders.contains(&echo.input);
        let stated = !sender && self.parameter(&echo.input).is_some_and(|parameter| parameter.required);
        let money = self.subject.operation.effect.moves_money();
        stated
            || (money && echo.kind == EchoKind::Amount)
            || (echo.kind == EchoKind::Subject && self.subjects() == 1)
    }

    fn subjects(&self) -> usize {
        self.inputs().filter(|echo| echo.kind == EchoKind::Subject).count()
    }

    /// The gate of a condition on an input that may be left out.
    pub fn gate(&self, echo: &Echo) -> Option<Box<provely_evaluator::contract::ItemTest>> {
        if self.is_required(echo) { None } else { Some(Box::new(parts::given(&echo.input))) }
    }

    /// Joins the parts; `None` if versions, timing or positives are missing.
    pub fn finish(mut self, target: ContractTarget, existing: Option<&str>) -> Option<Contract> {
        let service = self.subject.service;
        let resource = self.subject.resource;
        let version = service.version.as_ref()?;
        let (timing, timed) = self.subject.rules.timing_of(self.subject.operation.effect)?;
        if self.positives.is_empty() {
            return None;
        }
        self.cite("timing".to_owned(), vec![timed.clone()]);
        self.cite("on_timeout".to_owned(), vec![timed]);
        let action = self.action(target);
        let correlation = self.correlation(existing);
        let lifecycle = self.lifecycle();
        let named = self.words.contract(&self.level.name);
        let identity = BTreeMap::from([(self.id_key(), format!("$correlation.{}", self.id_key()))]);
        let generated = format!("{}.{}.{}", service.id, identifier(&resource.name), self.level.name);
        let id = named.id.unwrap_or(generated);
        let completion_level = id.rsplit('.').next().unwrap_or_default().to_owned();
        let (from, to) = (version.from.clone(), version.to.clone());
        let range = crate::source::VersionRange { from, to }.text();
        Some(Contract {
            schema_version: CONTRACT_SCHEMA_VERSION.to_owned(),
            id,
            version: "1.0.0".to_owned(),
            service: service.id.clone(),
            completion_level,
            promise: named.promise.unwrap_or_else(|| self.promise()),
            intent: Intent {
                statement: named.intent.unwrap_or_else(|| self.statement()),
                input_schema: self.input_schema(existing),
            },
            subject: Thing {
                kind: format!("{}.{}", service.id, identifier(&resource.name)),
                identity,
                lifecycle,
            },
            action,
            correlation,
            evidence_policy: EvidencePolicy {
                minimum_evidence_level: EvidenceLevel::E2,
                require_independent_channel: true,
                minimum_channels: 1,
                channels: self.channels,
            },
            completion: Completion { all_of: self.positives },
            negative_conditions: NegativeConditions { any_of: self.negatives },
            verdict_map: self.rules,
            timing,
            on_timeout: OnTimeout {
                result: Verdict::Unverifiable,
                reason_code: LATE.to_owned(),
                escalate_to_human_review: true,
            },
            valid_for: ValidFor { provider_api_versions: vec![range], ..ValidFor::default() },
            overlays: Vec::new(),
            uses: Vec::new(),
            provenance: self.provenance,
            hash: None,
        })
    }

    fn action(&mut self, target: ContractTarget) -> Action {
        let operation = self.subject.operation;
        self.cite("action".to_owned(), operation.assertions.clone());
        let planned = self.subject.plan.idempotency.as_ref();
        let stated = cited(self.subject.plan, part::IDEMPOTENCY).to_vec();
        let cites = planned.is_some() && self.cite("action.idempotency".to_owned(), stated);
        let idempotency = planned.filter(|_| cites).map(|planned| Idempotency {
            key: "$operation.id".to_owned(),
            header: planned.header.clone(),
            field: planned.field.clone(),
            directive: planned.directive.clone(),
            life_ms: planned.life_ms,
            retry_safe: true,
        });
        let refusal = self.subject.plan.failure.as_ref();
        let stated = cited(self.subject.plan, part::REFUSAL).to_vec();
        let cites = refusal.is_some() && self.cite("action.in_band_failure".to_owned(), stated);
        let in_band_failure = refusal.filter(|_| cites).map(FailurePredicate::tests).unwrap_or_default();
        Action {
            canonical_effect: operation.effect.name().to_owned(),
            operation: operation.id.clone(),
            target,
            idempotency,
            in_band_failure,
        }
    }

    /// The lifecycle with its certain classes; a class that is not certain is written as unknown.
    fn lifecycle(&mut self) -> Option<Lifecycle> {
        if self.level.states.is_empty() {
            return None;
        }
        let lifecycle = self.subject.resource.lifecycle.as_ref()?;
        let over = self.parts_over();
        let path = match &over {
            Some(_) => lifecycle.path.clone(),
            None => parts::under(&format!("$observed.{}", self.readback()?), &lifecycle.path),
        };
        let mut states = BTreeMap::new();
        for state in &lifecycle.states {
            let cites = self.cite(format!("lifecycle.{}", state.name), state.assertions.clone());
            let class = if cites && state.certainty.is_certain() { state.class } else { StateClass::Unknown };
            let reversible = state.reversible && class == StateClass::TerminalSuccess;
            states.insert(state.name.clone(), State { class, reversible });
        }
        Some(Lifecycle { path, over, states })
    }

    fn statement(&self) -> String {
        let text = self.level.name.replace('_', " ");
        format!(
            "{} a {} ({text}).",
            verb(self.subject.operation),
            self.subject.resource.name.replace('_', " ")
        )
    }

    fn promise(&self) -> String {
        let record = self.subject.resource.name.replace('_', " ");
        let title = &self.subject.service.title;
        let existing = match self.level.promise {
            Promise::Gone => Some(
                "no longer shows the RECORD that the input names, which was there before the operation began.",
            ),
            Promise::Added => {
                Some("lists the RECORD that the input names, which it did not before the operation began.")
            }
            Promise::Shown => Some(
                "shows a RECORD under the id that was handed in, with everything that the input gives. That it was made by this operation, or newly, is not part of the promise.",
            ),
            Promise::Changed => Some(
                "shows the RECORD that the input names with everything that the input gives, which it did not all show before the operation began.",
            ),
            Promise::Altered => Some(
                "shows the RECORD that the input names otherwise than before the operation began. That it changed by this operation, or as was asked, is not part of the promise.",
            ),
            Promise::Exists | Promise::Reached | Promise::Failed => None,
        };
        if let Some(text) = existing {
            return format!("At the time of the receipt {title} {}", text.replace("RECORD", &record));
        }
        let known = self.negatives.iter().any(|negative| {
            negative.class == Some(provely_evaluator::contract::NegativeClass::DuplicateSideEffect)
                && negative.blocking != Some(false)
        });
        let single = if known { "" } else { " Whether it was made only once is not part of the promise." };
        let unread = self.level.states.is_empty() && self.subject.resource.lifecycle.is_some();
        let state = if unread { " What its state means is not part of the promise." } else { "" };
        format!(
            "At the time of the receipt {} shows the {record} of this operation as `{}`, with what was asked for.{single}{state}",
            self.subject.service.title, self.level.name
        )
    }
}

const fn input_kind(kind: EchoKind) -> InputKind {
    match kind {
        EchoKind::Subject => InputKind::Subject,
        EchoKind::Amount => InputKind::Amount,
        EchoKind::Currency => InputKind::Currency,
        EchoKind::Other => InputKind::Other,
    }
}

fn parameter<'o>(operation: &'o Operation, input: &str) -> Option<&'o Parameter> {
    let fits = |parameter: &&Parameter| {
        parameter.name == input && matches!(parameter.place, Place::Body | Place::Path)
    };
    operation.parameters.iter().find(fits)
}

fn verb(operation: &Operation) -> &'static str {
    use provely_model::Role;
    match operation.role {
        Role::Create => "Make",
        Role::Update => "Change",
        Role::Delete => "Delete",
        Role::Cancel => "Cancel",
        Role::Read | Role::List | Role::Act => "Act on",
    }
}
