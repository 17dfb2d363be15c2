//! From a record to what a selection asks of it: aliases, fragments, references, connections. It must not
//! change anything.

use provely_evaluator::contract::Order;
use provely_evaluator::json::{Object, Value};
use provely_evaluator::query::{Step, walk};
use provely_evaluator::time::Time;

use super::document::{Asked, Item, Picked};
use crate::blueprint::{Blueprint, Kind};
use crate::fault::Print;
use crate::look::{Blur, younger};
use crate::provider::Provider;

/// What one answer is seen through.
#[derive(Debug)]
pub(crate) struct Sight<'a> {
    pub(crate) provider: &'a Provider,
    pub(crate) blueprint: &'a Blueprint,
    pub(crate) asked: &'a Asked<'a>,
    pub(crate) blur: Blur,
    pub(crate) print: &'a Print,
}

/// A field that is being read, on its way through the answer.
#[derive(Debug, Clone)]
struct At<'p> {
    kind: Option<usize>,
    way: &'p [&'p str],
}

impl<'a> Sight<'a> {
    /// The time that reads see.
    pub(crate) fn time(&self) -> Time {
        self.blur.sight(self.provider.now)
    }

    /// A record as reads see it now, printed with what goes wrong there.
    pub(crate) fn record(&self, place: usize) -> Option<Value> {
        let record = self.provider.records.get(place)?;
        let kind = self.blueprint.kinds.get(record.kind);
        Some(self.print.record(record.at(self.time())?.value.clone(), kind))
    }

    /// The same of a record asked for by id: a flagged one is shown after its deletion.
    pub(crate) fn shown(&self, place: usize) -> Option<Value> {
        let record = self.provider.records.get(place)?;
        let kind = self.blueprint.kinds.get(record.kind);
        Some(self.print.record(record.shown(self.time())?.value.clone(), kind))
    }

    /// Checks a selection on a kind before anything is done.
    pub(crate) fn check(&self, items: &[&'a Item], kind: Option<usize>, depth: usize) -> Result<(), String> {
        use graphql_parser::query::{Selection, TypeCondition};
        if depth > 64 {
            return Err(String::from("the selection is nested too deep"));
        }
        for item in items {
            match item {
                Selection::Field(field) => {
                    let below: Vec<&'a Item> = field.selection_set.items.iter().collect();
                    self.check(&below, self.below(kind, &field.name)?, depth + 1)?;
                }
                Selection::InlineFragment(fragment) => {
                    let below: Vec<&'a Item> = fragment.selection_set.items.iter().collect();
                    let kind = match &fragment.type_condition {
                        Some(TypeCondition::On(name)) => self.blueprint.kind_of_type(name),
                        None => kind,
                    };
                    self.check(&below, kind, depth + 1)?;
                }
                Selection::FragmentSpread(spread) => {
                    let (condition, below) = self.asked.fragment(&spread.fragment_name)?;
                    self.check(&below, self.blueprint.kind_of_type(condition), depth + 1)?;
                }
            }
        }
        Ok(())
    }

    /// The same on what wraps a record that stands at `select`.
    pub(crate) fn check_payload(
        &self,
        items: &[&'a Item],
        select: &[Step],
        kind: Option<usize>,
        depth: usize,
    ) -> Result<(), String> {
        let Some((Step::Member(name), rest)) = select.split_first() else {
            return self.check(items, kind, depth);
        };
        for own in self.asked.pick(items, &|_| true)? {
            if own.field.name == *name {
                self.check_payload(&own.items, rest, kind, depth + 1)?;
            } else {
                self.check(&own.items, None, depth + 1)?;
            }
        }
        Ok(())
    }

    /// The kind below a field; an error if the kind has no such field.
    fn below(&self, kind: Option<usize>, name: &str) -> Result<Option<usize>, String> {
        let Some(own) = kind.and_then(|kind| self.blueprint.kinds.get(kind)) else { return Ok(None) };
        if own.knows(name) {
            return Ok(own.refers_to(name).and_then(|other| self.blueprint.kind_named(other)));
        }
        match name {
            "nodes" | "edges" | "node" => Ok(kind),
            "__typename" | "pageInfo" | "cursor" | "totalCount" => Ok(None),
            _ => Err(format!("Field '{name}' doesn't exist on type '{}'", own.type_name)),
        }
    }

    /// The payload of a mutation, or what wraps a record: the record stands at `select`.
    pub(crate) fn payload(
        &self,
        value: &Value,
        select: &[Step],
        kind: Option<usize>,
        picked: &Picked<'a>,
        way: &[&str],
    ) -> Result<Value, String> {
        let Some((Step::Member(name), rest)) = select.split_first() else {
            return self.project(value, &At { kind, way }, picked);
        };
        let mut out = Object::new();
        for own in self.asked.pick(&picked.items, &|_| true)? {
            let member = value.get(&own.field.name).cloned().unwrap_or_default();
            let way: Vec<&str> = way.iter().copied().chain([own.key]).collect();
            let shown = if own.field.name == *name {
                self.payload(&member, rest, kind, &own, &way)?
            } else if own.field.name == "__typename" {
                Value::from(format!("{}Payload", capital(&picked.field.name)))
            } else {
                self.project(&member, &At { kind: None, way: &way }, &own)?
            };
            out.insert(own.key, shown);
        }
        Ok(Value::Object(out))
    }

    /// A list of records as a selection asks for it, with the arguments of its field.
    pub(crate) fn listed(
        &self,
        places: Vec<usize>,
        kind: usize,
        picked: &Picked<'a>,
        way: &[&str],
    ) -> Result<Value, String> {
        let now = self.provider.now;
        let seen = places.into_iter().filter(|place| {
            let record = self.provider.records.get(*place);
            record.is_some_and(|record| !younger(record.created, now, self.blur.unlisted_ms))
        });
        let items = seen.filter_map(|place| self.record(place)).collect();
        self.list(items, &At { kind: Some(kind), way }, picked)
    }

    fn project(&self, value: &Value, at: &At<'_>, picked: &Picked<'a>) -> Result<Value, String> {
        if picked.items.is_empty() {
            return Ok(value.clone());
        }
        let kind = at.kind.and_then(|kind| self.blueprint.kinds.get(kind));
        match value {
            Value::Null | Value::Bool(_) => Ok(Value::Null),
            Value::Array(items) => self.list(items.clone(), at, picked),
            Value::Object(object) => match object.get("nodes").and_then(Value::as_array) {
                Some(nodes) if self.is_connection(picked)? => self.list(nodes.to_vec(), at, picked),
                Some(_) | None => {
                    let whole = self.referred(at, kind, value);
                    self.object(whole.as_ref().unwrap_or(value), kind, at, &picked.items)
                }
            },
            Value::String(_) | Value::Number(_) => {
                let id = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let place = at.kind.and_then(|kind| self.provider.find(kind, &id));
                match place.and_then(|place| self.record(place)) {
                    Some(record) => self.object(&record, kind, at, &picked.items),
                    None => {
                        let mut bare = Object::new();
                        bare.insert("id", value.clone());
                        self.object(&Value::Object(bare), kind, at, &picked.items)
                    }
                }
            }
        }
    }

    /// The record that an object with nothing but an id stands for.
    fn referred(&self, at: &At<'_>, kind: Option<&Kind>, value: &Value) -> Option<Value> {
        value.as_object().filter(|object| object.len() == 1)?;
        let id = walk(&kind?.id, value)?.as_str()?;
        self.record(self.provider.find(at.kind?, id)?)
    }

    fn object(
        &self,
        value: &Value,
        kind: Option<&Kind>,
        at: &At<'_>,
        items: &[&'a Item],
    ) -> Result<Value, String> {
        let is = |name: &str| {
            let named = self.blueprint.kind_of_type(name);
            named.is_none() || kind.is_none() || named == at.kind
        };
        let mut out = Object::new();
        for own in self.asked.pick(items, &is)? {
            let way: Vec<&str> = at.way.iter().copied().chain([own.key]).collect();
            let name = own.field.name.as_str();
            let shown = match (value.get(name), name) {
                (None, "__typename") => kind.map_or(Value::Null, |kind| Value::from(kind.type_name.as_str())),
                (member, _) => self.member(value, member.unwrap_or(&Value::Null), at, &own, &way)?,
            };
            out.insert(own.key, shown);
        }
        Ok(Value::Object(out))
    }

    /// A member of a record; where the record holds nothing, the records that name it as theirs.
    fn member(
        &self,
        record: &Value,
        member: &Value,
        at: &At<'_>,
        picked: &Picked<'a>,
        way: &[&str],
    ) -> Result<Value, String> {
        let own = at.kind.and_then(|kind| self.blueprint.kinds.get(kind));
        let below = own.and_then(|own| own.refers_to(&picked.field.name));
        let below = below.and_then(|name| self.blueprint.kind_named(name));
        let holds = match member {
            Value::Null => false,
            Value::Array(items) => !items.is_empty(),
            Value::Object(object) => !object.is_empty(),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        };
        let many = own.is_some_and(|own| own.is_many(&picked.field.name)) || self.is_connection(picked)?;
        if let (false, true, Some(own), Some(below)) = (holds, many, own, below) {
            return self.listed(self.provider.children(own, record, below), below, picked, way);
        }
        if !holds && self.is_connection(picked)? {
            return self.list(Vec::new(), &At { kind: below, way }, picked);
        }
        self.project(member, &At { kind: below, way }, picked)
    }

    fn is_connection(&self, picked: &Picked<'a>) -> Result<bool, String> {
        let fields = self.asked.pick(&picked.items, &|_| true)?;
        Ok(fields
            .iter()
            .any(|own| matches!(own.field.name.as_str(), "nodes" | "edges" | "pageInfo" | "totalCount")))
    }

    /// Items, oldest first, as a plain list or as a connection with the page that is asked for.
    fn list(&self, mut items: Vec<Value>, at: &At<'_>, picked: &Picked<'a>) -> Result<Value, String> {
        let arguments = self.asked.arguments(picked.field)?;
        let newest_first = self.blueprint.order_at(at.way) == Some(Order::NewestFirst);
        if newest_first != (arguments.get("reverse").and_then(Value::as_bool) == Some(true)) {
            items.reverse();
        }
        if let Some(cut) = self.blur.cut {
            items.truncate(usize::try_from(cut).unwrap_or(usize::MAX));
        }
        if !self.is_connection(picked)? {
            return items.iter().map(|item| self.project(item, at, picked)).collect::<Result<_, _>>();
        }
        let page = Slice::cut(items.len(), &arguments, self.blur.page)?;
        let mut out = Object::new();
        for own in self.asked.pick(&picked.items, &|_| true)? {
            let shown = match own.field.name.as_str() {
                "nodes" => self.nodes(&items, &page, at, &own)?,
                "edges" => self.edges(&items, &page, at, &own)?,
                "pageInfo" => self.page_info(&page, &own)?,
                "totalCount" => Value::from(u64::try_from(items.len()).unwrap_or(u64::MAX)),
                _ => Value::Null,
            };
            out.insert(own.key, shown);
        }
        Ok(Value::Object(out))
    }

    fn nodes(
        &self,
        items: &[Value],
        page: &Slice,
        at: &At<'_>,
        picked: &Picked<'a>,
    ) -> Result<Value, String> {
        let shown = page.of(items).map(|(_, item)| self.project(item, at, picked));
        shown.collect::<Result<_, _>>().map(Value::Array)
    }

    fn edges(
        &self,
        items: &[Value],
        page: &Slice,
        at: &At<'_>,
        picked: &Picked<'a>,
    ) -> Result<Value, String> {
        let fields = self.asked.pick(&picked.items, &|_| true)?;
        let edge = |(place, item): (usize, &Value)| {
            let mut edge = Object::new();
            for own in &fields {
                let shown = match own.field.name.as_str() {
                    "node" => self.project(item, at, own)?,
                    "cursor" => Value::from(cursor(place)),
                    _ => Value::Null,
                };
                edge.insert(own.key, shown);
            }
            Ok(Value::Object(edge))
        };
        page.of(items).map(edge).collect::<Result<_, String>>().map(Value::Array)
    }

    fn page_info(&self, page: &Slice, picked: &Picked<'a>) -> Result<Value, String> {
        let mut info = Object::new();
        for own in self.asked.pick(&picked.items, &|_| true)? {
            let ends = page.from < page.to;
            let shown = match own.field.name.as_str() {
                "hasNextPage" => Value::Bool(page.to < page.total),
                "hasPreviousPage" => Value::Bool(page.from > 0),
                "endCursor" if ends => Value::from(cursor(page.to.saturating_sub(1))),
                "startCursor" if ends => Value::from(cursor(page.from)),
                _ => Value::Null,
            };
            info.insert(own.key, shown);
        }
        Ok(Value::Object(info))
    }
}

/// The page of a connection.
#[derive(Debug)]
struct Slice {
    from: usize,
    to: usize,
    total: usize,
}

impl Slice {
    fn cut(total: usize, arguments: &Object, smallest: Option<u32>) -> Result<Self, String> {
        let size = |name: &str| match arguments.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let number = value.as_number().and_then(provely_evaluator::json::Number::as_i64);
                let size = number.and_then(|number| usize::try_from(number).ok());
                size.map(Some).ok_or_else(|| format!("`{name}` must be a whole number"))
            }
        };
        let place = |name: &str| match arguments.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let text = value.as_str().and_then(|text| text.strip_prefix("cursor-"));
                let place = text.and_then(|text| text.parse::<usize>().ok());
                place.map(Some).ok_or_else(|| format!("`{name}` is no cursor of this list"))
            }
        };
        let mut from = place("after")?.map_or(0, |place| place.saturating_add(1)).min(total);
        let mut to = place("before")?.unwrap_or(total).min(total).max(from);
        let least = smallest.and_then(|least| usize::try_from(least).ok());
        if let Some(first) = size("first")?.into_iter().chain(least).min() {
            to = to.min(from.saturating_add(first));
        }
        if let Some(last) = size("last")? {
            from = from.max(to.saturating_sub(last));
        }
        Ok(Self { from, to, total })
    }

    fn of<'v>(&self, items: &'v [Value]) -> impl Iterator<Item = (usize, &'v Value)> + use<'v> {
        let (from, count) = (self.from, self.to.saturating_sub(self.from));
        items.iter().enumerate().skip(from).take(count)
    }
}

fn cursor(place: usize) -> String {
    format!("cursor-{place}")
}

/// The same with a capital letter in front.
fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
