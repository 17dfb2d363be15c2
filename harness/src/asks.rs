//! Requests and inputs for an operation, made from its parameters and echoes. They stand for what a caller
//! would ask; nothing here knows a contract, save for the members that its input takes.

mod request;
mod values;

use provely_evaluator::contract::InputSchema;
use provely_evaluator::json::{Object, Value};
use provely_evaluator::query::{Reference, Step};
use provely_model::{Echo, EchoKind, FieldKind, Operation, Parameter, Parts, Place, Plan, Resource, Service};
use provely_simulator::set_at;

use values::{amount, currency};

use crate::book::Asks;

/// Makes requests and inputs of one operation.
#[derive(Debug)]
pub(crate) struct Asking<'s> {
    service: &'s Service,
    operation: &'s Operation,
    plan: &'s Plan,
    resource: Option<&'s Resource>,
    /// The parameter that names the record, where it is there already.
    existing: Option<&'s str>,
}

/// A record that has to be there before anybody acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parent {
    pub(crate) resource: String,
    pub(crate) fields: Value,
}

impl<'s> Asking<'s> {
    pub(crate) fn new(
        service: &'s Service,
        operation: &'s Operation,
        plan: &'s Plan,
        existing: Option<&'s str>,
    ) -> Self {
        let resource = operation.resource.as_deref().and_then(|name| service.resource(name));
        Self { service, operation, plan, resource, existing }
    }

    /// The id of the record that is there already.
    pub(crate) fn own_id(&self, asks: Asks) -> Value {
        let other = asks == Asks::OtherSubject;
        let path = self.resource.and_then(|own| own.id.as_deref());
        let path = path.and_then(|path| Reference::parse(path).ok());
        let field = path.as_ref().and_then(|path| match path.steps.as_slice() {
            [Step::Member(name)] => self.resource?.fields.iter().find(|field| field.name == *name),
            [] | [Step::Index(_)] | [_, _, ..] => None,
        });
        let number = 9_007_199_254_741_001_u64 + u64::from(other);
        let numeric = |kind| matches!(kind, FieldKind::Integer | FieldKind::Number);
        let named = self.existing.and_then(|name| self.parameter(name));
        match field.map(|field| field.kind) {
            Some(kind) if numeric(kind) => Value::from(number),
            Some(_) | None if named.is_some_and(|named| numeric(named.kind)) => {
                Value::from(number.to_string())
            }
            Some(_) | None => {
                let name = self.own_name().unwrap_or_default();
                Value::from(format!("{name}_own_{}", if other { "two" } else { "one" }))
            }
        }
    }

    /// The parents of a record that is there already, by path parameter.
    pub(crate) fn path_parents(&self, asks: Asks) -> Vec<(String, String)> {
        let others = self.operation.parameters.iter().filter(|own| {
            own.place == Place::Path && self.existing.is_some_and(|existing| existing != own.name)
        });
        let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        others.filter_map(|own| Some((own.name.clone(), text(self.value(own, asks)?)))).collect()
    }

    /// What the record shows once everything that was asked for is done: where, and which value.
    pub(crate) fn asked(&self) -> Vec<(Vec<Step>, Value)> {
        let echoes = self.plan.echoes.iter();
        echoes
            .filter_map(|echo| {
                let parameter = self.parameter(&echo.input)?;
                let path = Reference::parse(&echo.path).ok()?;
                Some((path.steps, self.value(parameter, Asks::Base)?))
            })
            .collect()
    }

    /// Echoed inputs that are no parameters of their own: they stand inside a list.
    fn unlisted(&self) -> impl Iterator<Item = &'s Echo> {
        let (plan, operation) = (self.plan, self.operation);
        let listed = |echo: &&Echo| operation.parameters.iter().any(|own| own.name == echo.input);
        plan.echoes.iter().filter(move |echo| !listed(echo) && echo.input.contains('['))
    }

    fn of_echo(&self, echo: &Echo, asks: Asks) -> Value {
        match echo.kind {
            EchoKind::Amount => amount(FieldKind::Decimal, asks),
            EchoKind::Currency => currency(asks),
            EchoKind::Subject | EchoKind::Other => {
                Value::from(if asks == Asks::OtherSubject { "two" } else { "one" })
            }
        }
    }

    /// The input of `begin`: what the request says, as far as the contract takes it.
    pub(crate) fn input(&self, asks: Asks, schema: &InputSchema) -> Value {
        let mut input = Object::new();
        for parameter in &self.operation.parameters {
            let member = self.operation.member(&parameter.name);
            if let Some(value) =
                self.value(parameter, asks).filter(|_| schema.properties.contains_key(&member))
            {
                input.insert(member, value);
            }
        }
        for echo in self.unlisted() {
            let member = self.operation.member(&echo.input);
            if schema.properties.contains_key(&member) {
                input.insert(member, self.of_echo(echo, asks));
            }
        }
        for echo in self.plan.echoes.iter().filter(|echo| echo.kind == EchoKind::Currency) {
            let member = self.operation.member(&echo.input);
            if schema.properties.contains_key(&member) && !input.contains_key(&member) {
                input.insert(member, currency(asks));
            }
        }
        Value::Object(input)
    }

    /// Parents that the requests of this operation name, and what they carry.
    pub(crate) fn parents(&self) -> Vec<Parent> {
        let mut parents: Vec<Parent> = Vec::new();
        for asks in [Asks::Base, Asks::OtherSubject, Asks::Before] {
            for parameter in &self.operation.parameters {
                let Some(resource) = self.parent_of(parameter) else { continue };
                let Some(id @ (Value::String(_) | Value::Number(_))) = self.value(parameter, asks) else {
                    continue;
                };
                let parent = Parent { resource: resource.name.clone(), fields: self.parent(resource, id) };
                if !parents.contains(&parent) {
                    parents.push(parent);
                }
            }
        }
        parents
    }

    /// The fields of a record that was there before.
    pub(crate) fn fields(&self, asks: Asks) -> Value {
        let mut fields = Value::Object(Object::new());
        let id = self.resource.and_then(|own| own.id.as_deref()).unwrap_or("@.id");
        if let (Some(_), Ok(id)) = (self.existing, Reference::parse(id)) {
            set_at(&mut fields, &id.steps, self.own_id(asks));
        }
        for echo in &self.plan.echoes {
            let parameter = self.parameter(&echo.input);
            let value = match parameter {
                Some(parameter) if self.existing.is_some() => {
                    self.value(parameter, asks).or_else(|| Some(self.plain(parameter, echo)))
                }
                Some(parameter) => self.value(parameter, asks),
                None if echo.kind == EchoKind::Currency => Some(currency(asks)),
                None => None,
            };
            if let (Some(value), Ok(path)) = (value, Reference::parse(&echo.path)) {
                set_at(&mut fields, &path.steps, value);
            }
        }
        fields
    }

    /// Puts one part that counts into a record that was there before.
    pub(crate) fn put_part(
        &self,
        fields: &mut Value,
        parts: &Parts,
        (path, state): (&[Step], &str),
        asks: Asks,
    ) {
        let mut item = Value::Object(Object::new());
        set_at(&mut item, path, Value::from(state));
        let steps = |path: &str| Reference::parse(path).ok().map(|path| path.steps);
        if let Some((steps, value)) =
            parts.only.as_ref().and_then(|(path, value)| Some((steps(path)?, value)))
        {
            set_at(&mut item, &steps, Value::from(value.as_str()));
        }
        if let Some((steps, live)) = parts.live.as_ref().and_then(|(path, live)| Some((steps(path)?, live))) {
            set_at(&mut item, &steps, Value::Bool(*live));
        }
        if let Some(steps) = parts.by_hand.as_deref().and_then(steps) {
            set_at(&mut item, &steps, Value::Bool(false));
        }
        if let Some(steps) = steps(parts.amount.as_deref().unwrap_or("@.amount")) {
            set_at(&mut item, &steps, amount(FieldKind::Decimal, asks));
        }
        if let Some(steps) = steps(&parts.over) {
            set_at(fields, &steps, Value::Array(vec![item]));
        }
    }

    /// Where the record carries what is different about `asks`, and the value it has there.
    pub(crate) fn altered(&self, asks: Asks) -> Option<(String, Value)> {
        let kind = match asks {
            Asks::Half | Asks::Quarter | Asks::OtherAmount => EchoKind::Amount,
            Asks::OtherSubject => EchoKind::Subject,
            Asks::OtherCurrency | Asks::CurrencyInCapitals => EchoKind::Currency,
            Asks::Base | Asks::Before | Asks::SomeFields => return None,
        };
        let echo = self.plan.echoes.iter().find(|echo| echo.kind == kind)?;
        let value = match (kind, self.parameter(&echo.input)) {
            (EchoKind::Currency, _) => Some(currency(asks)),
            (EchoKind::Amount | EchoKind::Subject | EchoKind::Other, Some(parameter)) => {
                self.value(parameter, asks)
            }
            (EchoKind::Amount | EchoKind::Subject | EchoKind::Other, None) => None,
        };
        let parts = self.resource.and_then(|own| own.lifecycle.as_ref()).and_then(|own| own.parts.as_ref());
        let path = match (kind, parts) {
            (EchoKind::Amount, Some(parts)) => {
                let inside = parts.amount.as_deref().unwrap_or("@.amount");
                format!("{}[0]{}", parts.over, inside.strip_prefix('@').unwrap_or(inside))
            }
            _ => echo.path.clone(),
        };
        Some((path, value?))
    }

    fn parameter(&self, name: &str) -> Option<&'s Parameter> {
        let fits = |own: &&Parameter| own.name == name && matches!(own.place, Place::Body | Place::Path);
        self.operation.parameters.iter().find(fits)
    }

    fn echo(&self, parameter: &Parameter) -> Option<&'s Echo> {
        self.plan.echoes.iter().find(|echo| echo.input == parameter.name)
    }
}

/// The way to an input: `a.b` and `a[0].b`.
pub(crate) fn dotted(name: &str) -> Vec<Step> {
    match Reference::parse(&format!("@.{name}")) {
        Ok(path) => path.steps,
        Err(_) => name.split('.').map(|part| Step::Member(part.to_owned())).collect(),
    }
}
