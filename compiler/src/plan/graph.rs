//! How outcomes are read where a schema is GraphQL: which query reads a record, and by which document. Must not
//! look at paths of endpoints.

mod document;
mod echo;
mod find;
mod lists;
mod parts;

use std::collections::BTreeSet;

use provely_evaluator::contract::{Channel, EvidenceLevel};
use provely_model::{Effect, FailurePredicate, Operation, Plan, Role, RootKind};

pub(super) use find::{Read, Way, id_input, list, readback};
pub(super) use parts::money;

use super::channels::{channel, request};
use super::{Draft, Known, Rules, Said, Target, own_rule, part};
use crate::classify::{MOST_ITEMS, is_wrapped_id, snake, words};
use document::{Document, Selection};

/// The arguments that page through a list, size and cursor, and where its pages are told.
type ChildPages = Option<((String, String), String)>;

/// What an operation acts on, judged by its inputs and its reply.
pub(super) fn target_of(operation: &Operation) -> Option<Target> {
    let resource = operation.resource.as_deref()?;
    if operation.role != Role::Create
        && let Some(parameter) = id_input(operation, resource)
    {
        return Some(Target::Existing { parameter: parameter.name.clone() });
    }
    let answered = operation.reply.as_ref().is_some_and(|reply| reply.resource.is_some());
    // What is done to nothing that the input names makes a record of its own, if its effect does.
    let acts = operation.role != Role::Update && operation.graphql.is_some();
    let named = operation.role == Role::Act && is_of_the_verb(operation, resource);
    let makes = operation.role == Role::Create || named || (acts && makes(operation.effect));
    (makes && answered).then_some(Target::Create)
}

/// True for `verifyAccount` and a verification: the record is that of the act itself.
fn is_of_the_verb(operation: &Operation, resource: &str) -> bool {
    let Some(root) = &operation.graphql else { return false };
    let last = resource.rsplit('_').next().unwrap_or_default();
    let alike = |word: &String| {
        let shared = word.chars().zip(last.chars()).take_while(|(one, two)| one == two).count();
        shared >= 4 && shared + 2 >= word.chars().count()
    };
    let said = words(&root.name);
    said.first().is_some_and(alike) || said.last().is_some_and(alike)
}

/// Effects that leave a new record behind.
pub(super) fn makes(effect: Effect) -> bool {
    effect.moves_money()
        || matches!(
            effect,
            Effect::MessageSend
                | Effect::OrderPlace
                | Effect::JobStart
                | Effect::DeployStart
                | Effect::ScheduleCreate
                | Effect::DocumentSend
        )
}

/// The plan of one root field, and the resource that its readback reads.
pub(super) fn plan_one(
    known: &Known<'_>,
    rules: &Rules,
    Said { documents, headers, .. }: Said<'_>,
    operation: &Operation,
) -> Option<(String, Plan)> {
    // A query that acts does so elsewhere: what it answers is not what it did.
    operation.graphql.as_ref().filter(|root| root.kind == RootKind::Mutation)?;
    let resource = known.resource_of(operation)?;
    let read = readback(known, operation, resource);
    let listing = list(known, operation, resource).filter(|_| target_of(operation) == Some(Target::Create));
    // An item that wraps its record tells which are there; what the record shows has to be read by itself.
    let listing = listing.filter(|way| match way {
        Way::Root(list) => read.is_some() || !find::is_of_edges(list),
        Way::Inside { .. } => true,
    });
    if read.is_none() && listing.is_none() {
        return None;
    }
    let echoes = super::without_key(rules, operation, echo::echoes(known, rules, operation, resource));
    let mut draft = Draft {
        known,
        rules,
        operation,
        resource,
        documents,
        headers,
        plan: Plan { echoes, ..Plan::default() },
    };
    draft.graph_tag();
    draft.plan.result_id = draft.graph_result();
    if let Some(read) = &read {
        draft.graph_readback(read);
    }
    if let Some(listing) = &listing {
        draft.graph_list(listing);
    }
    if read.is_none() {
        draft.readback_in_list();
    }
    draft.graph_failure();
    draft.events();
    draft.retry();
    draft.action_response();
    draft.fields();
    Some((resource.name.clone(), draft.plan))
}

impl Draft<'_> {
    /// Where the reply carries the record's id; a member of its own where it holds no record.
    fn graph_result(&self) -> Option<String> {
        let reply = self.operation.reply.as_ref()?;
        if reply.resource.is_some() {
            return self.result_id();
        }
        let root = self.operation.graphql.as_ref()?;
        let own = format!("{}_id", self.resource.name);
        let fits = |word: &&str| {
            let name = snake(word);
            name == "id" || name == own || name.ends_with(&format!("_{own}")) || is_wrapped_id(&name)
        };
        let member = root.selection.split_whitespace().find(fits)?;
        Some(format!("$action.result.data.{}.{member}", root.name))
    }

    /// The channel that reads the record by its id.
    fn graph_readback(&mut self, read: &Read<'_>) {
        let id = format!("$correlation.{}_id", super::identifier(&self.resource.name));
        let mut document = Document::new(&read.field);
        document.argument(&read.argument, &read.kind);
        let mut selection = self.asked();
        self.ask_parts(&mut selection);
        if let Some(kind) = &read.on {
            selection = selection.on(kind);
        }
        let mut request = request(read.operation);
        request.document = Some(document.write(&selection));
        request.variables.insert(read.argument.clone(), id);
        let readback = Channel {
            request: Some(request),
            select: Some(format!("$.data.{}", read.field)),
            record_id: self.resource.id.clone(),
            record_created: self.resource.created.clone(),
            state_time: self.graph_state_time(),
            instant: self.instant(),
            typical_latency_ms: Some(self.rules.plan.latency.readback_ms),
            ..channel(self.channel_name(part::READBACK), EvidenceLevel::E2)
        };
        let mut assertions = read.operation.assertions.clone();
        assertions.extend(self.written_of(read.operation));
        assertions.push(own_rule("plan/latency"));
        self.cite(part::READBACK, assertions);
        self.plan.readback = Some(read.operation.id.clone());
        self.plan.channels.push(readback);
        self.graph_scopes(read.operation);
    }

    /// What a document asks of a record: what tells it apart, its state, and what the input is compared with.
    fn asked(&self) -> Selection {
        let mut paths: BTreeSet<String> = BTreeSet::new();
        paths.extend(self.resource.id.clone());
        paths.extend(self.resource.created.clone());
        paths.extend(self.graph_state_time());
        let axes = self.resource.axes.iter().chain(&self.resource.lifecycle);
        paths.extend(axes.filter(|one| one.parts.is_none()).map(|one| one.path.clone()));
        paths.extend(self.plan.echoes.iter().map(|echo| echo.path.clone()));
        paths.extend(self.plan.tag.as_ref().map(|tag| tag.path.clone()));
        let gone = self.resource.fields.iter().filter(|field| self.rules.plan.gone.contains(&field.name));
        paths.extend(gone.map(|field| format!("@.{}", field.name)));
        Selection::of(paths.iter().map(String::as_str))
    }

    /// What a document asks of the parts that carry the outcome: one page, and whether another follows.
    fn ask_parts(&self, selection: &mut Selection) {
        let Some((parts, list)) = parts::list(self.known, self.resource) else { return };
        let part = self.known.service.resource(&parts.resource);
        let lifecycle = self.resource.lifecycle.as_ref().map(|lifecycle| lifecycle.path.as_str());
        let money = money(self.known, self.rules, self.operation, self.resource);
        let paths = part.and_then(|part| part.id.as_deref()).into_iter().chain(lifecycle);
        let paths = paths.chain(parts.only.as_ref().map(|(path, _)| path.as_str()));
        let paths = paths.chain(parts.live.as_ref().map(|(path, _)| path.as_str()));
        let paths = paths.chain(parts.by_hand.as_deref()).chain(money.iter().flat_map(|money| money.paths()));
        let items = Selection::of(paths);
        let Some(member) = &list.below else { return selection.put(&list.field, "", items) };
        let mut page = Selection::of(["@.pageInfo.hasNextPage", "@.pageInfo.endCursor"]);
        page.put(member, "", items);
        let size = list.size.as_ref().map(|size| format!("{size}: {MOST_ITEMS}"));
        selection.put(&list.field, &size.unwrap_or_default(), page);
    }

    fn graph_state_time(&self) -> Option<String> {
        let names = &self.rules.plan.state_times;
        let facts = self.known.graph.types.get(&self.resource.name)?;
        let timed = |leaf: &&crate::classify::Leaf| {
            let name = leaf.path.strip_prefix("@.").unwrap_or_default();
            leaf.kind == provely_model::FieldKind::DateTime && names.contains(&snake(name))
        };
        facts.leaves.iter().find(timed).map(|leaf| leaf.path.clone())
    }

    /// A payload that lists what went wrong refuses.
    fn graph_failure(&mut self) {
        let path = self.known.graph.errors.get(&self.operation.id).cloned();
        if path.is_some() && self.cite(part::REFUSAL, self.operation.assertions.clone()) {
            self.plan.failure = path.map(|path| FailurePredicate { path, equals: None, unless: None });
        }
    }

    /// The scopes that the schema states for a read, else one of the resource's name.
    fn graph_scopes(&mut self, read: &Operation) {
        let stated = self.known.scopes.get(&read.id).cloned().unwrap_or_default();
        for scope in stated {
            if !self.plan.read_scopes.contains(&scope) {
                self.plan.read_scopes.push(scope);
            }
        }
        if self.plan.read_scopes.is_empty() {
            self.plan.read_scopes.push(format!("{}:read", self.resource.name));
        }
    }

    /// A free text that creation takes and the record shows.
    fn graph_tag(&mut self) {
        if self.operation.role != Role::Create && target_of(self.operation) != Some(Target::Create) {
            return;
        }
        let Some((tag, assertion)) = echo::tag(self.known, self.rules, self.operation, self.resource) else {
            return;
        };
        if self.cite(part::TAG, vec![assertion]) {
            self.plan.echoes.retain(|echo| echo.input != tag.parameter);
            self.plan.tag = Some(tag);
        }
    }
}
