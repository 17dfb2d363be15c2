//! Answering query documents over the same records as paths: `POST` of `{query, variables}` to an endpoint.
//! What is done to records stands in `make`, `change` and `look`; nothing here decides how they move.

mod document;
mod project;

use std::sync::Arc;

use provely_evaluator::json::{Object, Value};
use provely_evaluator::query::{Step, walk};

use crate::blueprint::{Action, Blueprint, Does, Root};
use crate::fault::{Print, Stage};
use crate::filter::{Filter, kept_by};
use crate::look::{Blur, younger};
use crate::place::set_at;
use crate::provider::{About, Provider};
use crate::serve::{Answer, Call};
use crate::validate::Refusal;
use crate::wire::{Body, LostCause, Request};

pub(crate) use document::Document;
use document::{Asked, Picked, parse};
use project::Sight;

/// Documents that are kept parsed; a world is asked few.
const KEPT: usize = 64;

/// What one root field came to.
enum Field {
    /// A value, and what is wrong with it, if anything.
    Shown(Value, Option<String>),
    /// The whole request is answered like this.
    Whole(Answer),
}

impl Provider {
    /// Serves a document that was sent to an endpoint.
    pub(crate) fn serve_document(&mut self, request: &Request, place: usize) -> Result<Answer, LostCause> {
        let Some(body) = request.body.json().filter(|body| body.as_object().is_some()) else {
            return Ok(self.refuse(&Refusal::new(400, "body_unreadable", "the body is no object")));
        };
        let Some(text) = body.get("query").and_then(Value::as_str) else {
            return Ok(self.refuse(&Refusal::new(400, "query_missing", "the body holds no query")));
        };
        let name = body.get("operationName").and_then(Value::as_str);
        let document = match self.parsed(text) {
            Ok(document) => document,
            Err(message) => return Ok(failed(&message)),
        };
        match Asked::new(&document, name, body.get("variables")) {
            Ok(asked) => self.answer(&asked, request, place),
            Err(message) => Ok(failed(&message)),
        }
    }

    fn parsed(&mut self, text: &str) -> Result<Arc<Document>, String> {
        if let Some(known) = self.documents.get(text) {
            return Ok(Arc::clone(known));
        }
        let document = Arc::new(parse(text)?);
        if self.documents.len() >= KEPT {
            self.documents.clear();
        }
        self.documents.insert(text.to_owned(), Arc::clone(&document));
        Ok(document)
    }

    /// Checks every root field, then answers one after the other.
    fn answer(&mut self, asked: &Asked<'_>, request: &Request, place: usize) -> Result<Answer, LostCause> {
        let blueprint = Arc::clone(&self.blueprint);
        let roots = match self.checked(&blueprint, asked) {
            Ok(roots) => roots,
            Err(message) => return Ok(failed(&message)),
        };
        let (mut data, mut errors) = (Object::new(), Vec::new());
        for (picked, root, input) in roots {
            let key = picked.key;
            let asking = Asking { blueprint: &blueprint, asked, picked: &picked, request, place };
            match self.root(&asking, root, input)? {
                Field::Whole(answer) => return Ok(answer),
                Field::Shown(value, problem) => {
                    data.insert(key, value);
                    errors.extend(problem.map(|message| error(&message, Some(key))));
                }
            }
        }
        let mut body = Object::new();
        body.insert("data", data);
        if !errors.is_empty() {
            body.insert("errors", Value::Array(errors));
        }
        Ok(Answer::json(200, Value::Object(body)))
    }

    /// The root fields with what serves them and their arguments; nothing is done unless all are right.
    fn checked<'a>(
        &self,
        blueprint: &'a Blueprint,
        asked: &'a Asked<'a>,
    ) -> Result<Vec<(Picked<'a>, Served<'a>, Object)>, String> {
        let print = Print::default();
        let sight = Sight { provider: self, blueprint, asked, blur: Blur::default(), print: &print };
        let mut found = Vec::new();
        for picked in asked.roots()? {
            let input = asked.arguments(picked.field)?;
            let served = Served::of(blueprint, asked.mutation, &picked.field.name)?;
            if let Served::Action(action, root) = served {
                root.check(&input, self.options.refuse_unknown)?;
                let kind = action.kind.as_deref().and_then(|name| blueprint.kind_named(name));
                if action.select.is_empty() || action.does == Does::List {
                    sight.check(&picked.items, kind, 0)?;
                } else {
                    sight.check_payload(&picked.items, &action.select, kind, 0)?;
                }
            }
            found.push((picked, served, input));
        }
        Ok(found)
    }

    fn root(&mut self, asking: &Asking<'_>, served: Served<'_>, input: Object) -> Result<Field, LostCause> {
        match served {
            Served::TypeName(name) => Ok(Field::Shown(Value::from(name), None)),
            Served::Node => self.node(asking, &input),
            Served::Action(action, root) => self.act(asking, action, root, input),
        }
    }

    /// Answers `node(id:)`: the record of any kind with that id.
    fn node(&mut self, asking: &Asking<'_>, input: &Object) -> Result<Field, LostCause> {
        let id = input.get("id").and_then(Value::as_str).unwrap_or_default();
        let found = self.find_any(id);
        let kind = found.and_then(|place| self.records.get(place)).map(|record| record.kind);
        let name = kind.and_then(|kind| asking.blueprint.kinds.get(kind)).map(|kind| &*kind.name);
        let about = About { operation: Some("query node"), acting: Some(false), resource: name, event: None };
        let arrival = self.strike(Stage::Arrival, about);
        if let Some(answer) = self.stopped(None, &arrival) {
            return Ok(Field::Whole(answer?));
        }
        Ok(self.show(asking, about, found, kind, &[]))
    }

    /// Shows one record through the faults that blur reads.
    fn show(
        &mut self,
        asking: &Asking<'_>,
        about: About<'_>,
        place: Option<usize>,
        kind: Option<usize>,
        select: &[Step],
    ) -> Field {
        let blur = Blur::of(&self.strike(Stage::View, about));
        let print = Print::of(self.strike(Stage::Print, about));
        let sight = asking.sight(self, blur, &print);
        let found = place.and_then(|place| {
            let record = self.records.get(place)?;
            (!younger(record.created, self.now, blur.unfound_ms)).then(|| sight.shown(place))?
        });
        let mut value = Value::Null;
        set_at(&mut value, select, found.unwrap_or_default());
        asking.shown(sight.payload(&value, select, kind, asking.picked, &[asking.picked.key]), blur)
    }

    fn act(
        &mut self,
        asking: &Asking<'_>,
        action: &Action,
        root: &Root,
        input: Object,
    ) -> Result<Field, LostCause> {
        let input = Value::Object(input);
        let id = root.id.as_ref().and_then(|steps| walk(steps, &input)).and_then(text_of);
        let path: Vec<(String, String)> = id.map(|id| (String::from("id"), id)).into_iter().collect();
        let kind = action.kind.as_deref().and_then(|name| asking.blueprint.kind_named(name));
        let request = Request {
            method: asking.request.method.clone(),
            path: asking.request.path.clone(),
            query: pairs(&input),
            headers: Vec::new(),
            body: Body::Json(input.clone()),
        };
        let directive = action.key_place.directive();
        let key = directive.and_then(|directive| asking.asked.key(asking.picked.field, directive));
        let key = key.or_else(|| action.key_place.read(asking.request, Some(&input)));
        let key = key.filter(|_| action.key_life_ms.is_some());
        let (kind_place, place) = (kind.unwrap_or(usize::MAX), asking.place);
        let call =
            Call { action, kind: kind_place, request: &request, path: &path, key: key.as_deref(), place };
        self.note_request(&call);
        let arrival = self.strike(Stage::Arrival, call.about());
        if let Some(answer) = self.stopped(Some(&call), &arrival) {
            return Ok(Field::Whole(answer?));
        }
        match action.does {
            Does::Read => {
                let found = path.first().and_then(|(_, id)| self.find(kind_place, id));
                let shown = self.show(asking, call.about(), found, kind, &action.select);
                self.arrived(&call, shown)
            }
            Does::List | Does::ListEvents | Does::ReadEvent => {
                let shown = self.show_list(asking, &call);
                self.arrived(&call, shown)
            }
            Does::Create | Does::Update | Does::Delete | Does::Move(_) => {
                let done = self.attempt(&call, &arrival, input)?;
                Ok(self.told(asking, &call, done))
            }
        }
    }

    /// A read may still get lost on its way back.
    fn arrived(&mut self, call: &Call<'_>, shown: Field) -> Result<Field, LostCause> {
        let sent = self.after(call, None, Answer::json(200, Value::Null))?;
        Ok(if sent.status == 200 { shown } else { Field::Whole(sent) })
    }

    fn show_list(&mut self, asking: &Asking<'_>, call: &Call<'_>) -> Field {
        let blur = Blur::of(&self.strike(Stage::View, call.about()));
        let print = Print::of(self.strike(Stage::Print, call.about()));
        let Some(kind) = asking.blueprint.kinds.get(call.kind) else {
            return Field::Shown(Value::Null, Some(String::from("this list is not served")));
        };
        let filters = match Filter::all(kind, call, self.clockwork) {
            Ok(filters) => filters,
            Err(refusal) => return Field::Shown(Value::Null, Some(refusal.message)),
        };
        let sight = asking.sight(self, blur, &print);
        let keeps = |place: &usize| {
            let version = self.records.get(*place).and_then(|record| record.at(sight.time()));
            version.is_some_and(|version| blur.unfiltered || kept_by(&filters, &version.value))
        };
        let places = self.of_kind.get(&call.kind).into_iter().flatten().copied().filter(keeps).collect();
        asking.shown(sight.listed(places, call.kind, asking.picked, &[asking.picked.key]), blur)
    }

    /// What a mutation answers: its payload, with what it refuses on business grounds in it.
    fn told(&self, asking: &Asking<'_>, call: &Call<'_>, done: Result<Answer, Refusal>) -> Field {
        let action = call.action;
        let payload = match done {
            Ok(answer) if answer.status >= 400 => return Field::Whole(answer),
            Ok(answer) => answer.body.json().unwrap_or_default(),
            Err(refusal) => match &action.failure {
                Some(in_band) if !is_of_form(&refusal) => {
                    let mut payload = Value::Null;
                    set_at(&mut payload, &action.select, Value::Null);
                    in_band.refuse(&mut payload, user_errors(&refusal));
                    payload
                }
                Some(_) | None => return Field::Shown(Value::Null, Some(refusal.message)),
            },
        };
        let print = Print::default();
        let sight = asking.sight(self, Blur::default(), &print);
        let kind = asking.blueprint.kinds.get(call.kind).map(|_| call.kind);
        let way = [asking.picked.key];
        asking.shown(sight.payload(&payload, &action.select, kind, asking.picked, &way), Blur::default())
    }

    /// The records of a kind that name this record as theirs, oldest first.
    pub(crate) fn children(&self, own: &crate::blueprint::Kind, record: &Value, below: usize) -> Vec<usize> {
        let Some(kind) = self.blueprint.kinds.get(below) else { return Vec::new() };
        let Some(id) = walk(&own.id, record).and_then(text_of) else { return Vec::new() };
        let names: Vec<&str> = kind
            .fields
            .iter()
            .filter(|field| field.refers_to.as_deref() == Some(&*own.name))
            .map(|field| field.name.as_str())
            .collect();
        let belongs = |place: &usize| {
            let value = self.latest(*place);
            value.is_some_and(|value| {
                names.iter().any(|name| value.get(name).is_some_and(|own| crate::filter::reads_as(own, &id)))
            })
        };
        self.of_kind.get(&below).into_iter().flatten().copied().filter(belongs).collect()
    }
}

/// What serves a root field.
#[derive(Debug, Clone, Copy)]
enum Served<'b> {
    TypeName(&'static str),
    Node,
    Action(&'b Action, &'b Root),
}

impl<'b> Served<'b> {
    fn of(blueprint: &'b Blueprint, mutation: bool, name: &str) -> Result<Self, String> {
        let kind = if mutation { "Mutation" } else { "Query" };
        match blueprint.root(mutation, name) {
            _ if name == "__typename" => Ok(Self::TypeName(kind)),
            Some((action, _)) if name == "node" && action.kind.is_none() => Ok(Self::Node),
            None if name == "node" && !mutation => Ok(Self::Node),
            Some((action, root)) => Ok(Self::Action(action, root)),
            None => Err(format!("Field '{name}' doesn't exist on type '{kind}'")),
        }
    }
}

/// One root field on its way.
struct Asking<'a> {
    blueprint: &'a Blueprint,
    asked: &'a Asked<'a>,
    picked: &'a Picked<'a>,
    request: &'a Request,
    place: usize,
}

impl<'a> Asking<'a> {
    fn sight<'s>(&'s self, provider: &'s Provider, blur: Blur, print: &'s Print) -> Sight<'s>
    where
        'a: 's,
    {
        Sight { provider, blueprint: self.blueprint, asked: self.asked, blur, print }
    }

    fn shown(&self, value: Result<Value, String>, blur: Blur) -> Field {
        match value {
            Ok(_) if blur.errors => {
                Field::Shown(Value::Null, Some(String::from("Internal error, try again later")))
            }
            Ok(value) => Field::Shown(value, None),
            Err(message) => Field::Shown(Value::Null, Some(message)),
        }
    }
}

/// Faults in the form of a request are told beside the data, refusals of its matter within.
fn is_of_form(refusal: &Refusal) -> bool {
    refusal.status == 400 && refusal.code.starts_with("parameter_")
}

fn user_errors(refusal: &Refusal) -> Value {
    let mut one = Object::new();
    one.insert("code", Value::from(refusal.code.to_ascii_uppercase()));
    one.insert(
        "field",
        refusal.parameter.as_deref().map_or(Value::Null, |name| [name].into_iter().collect()),
    );
    one.insert("message", refusal.message.as_str());
    Value::Array(vec![Value::Object(one)])
}

fn error(message: &str, key: Option<&str>) -> Value {
    let mut one = Object::new();
    one.insert("message", message);
    if let Some(key) = key {
        one.insert("path", [key].into_iter().collect::<Value>());
    }
    Value::Object(one)
}

/// A document that is not executed.
fn failed(message: &str) -> Answer {
    let mut body = Object::new();
    body.insert("errors", Value::Array(vec![error(message, None)]));
    Answer::json(200, Value::Object(body))
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.as_str().to_owned()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Arguments that may filter a list, as pairs; what cuts it into pages is none.
fn pairs(input: &Value) -> Vec<(String, String)> {
    const PAGING: [&str; 4] = ["first", "last", "after", "before"];
    let members = input.as_object().into_iter().flatten();
    let scalars = members.filter(|(name, _)| !PAGING.contains(name));
    scalars.filter_map(|(name, value)| Some((name.to_owned(), text_of(value)?))).collect()
}

/// Adds the members of object arguments beside them, so that `input: {note}` is read as `note` too.
pub(crate) fn spread(input: &Value) -> Value {
    let mut out = input.as_object().cloned().unwrap_or_default();
    for (_, argument) in input.as_object().into_iter().flatten() {
        for (name, value) in argument.as_object().into_iter().flatten() {
            if !out.contains_key(name) {
                out.insert(name, value.clone());
            }
        }
    }
    Value::Object(out)
}
