//! How evidence ties to one operation: id, echoed key, tag, and the weak fingerprint. Chooses strategies; must
//! not make a weak one strong.

use provely_evaluator::contract::{Assurance, Correlation, CorrelationKey, Strategy, StrategyName};
use provely_model::Echo;

use super::draft::Draft;
use super::siblings;
use crate::plan::{cited, field_assertion, field_at, own_rule, part};

impl Draft<'_> {
    /// How evidence ties to this operation.
    pub(super) fn correlation(&mut self, existing: Option<&str>) -> Correlation {
        let mut strategies = Vec::new();
        strategies.extend(self.by_id(existing));
        if existing.is_none() {
            strategies.extend(self.by_key());
            strategies.extend(self.by_tag());
            strategies.extend(self.by_fingerprint());
        }
        let sibling_scope = if existing.is_none() { siblings::scope(self) } else { Vec::new() };
        Correlation { strategies, minimum_causality: self.minimum_causality, sibling_scope }
    }

    fn by_id(&mut self, existing: Option<&str>) -> Option<Strategy> {
        let source = match existing {
            Some(CorrelationKey::ACCOUNT) => CorrelationKey::ACCOUNT.to_owned(),
            Some(parameter) => format!("$input.{parameter}"),
            None => self.subject.plan.result_id.clone().or_else(|| self.chosen_id())?,
        };
        let mut assertions = self.subject.operation.assertions.clone();
        match self.subject.resource.id.as_deref() {
            Some(id) if existing.is_none() || self.is_read_by_id() => {
                assertions.push(field_assertion(self.subject.resource, id)?);
                assertions.extend(self.said_of(id));
            }
            Some(_) | None => {
                existing?;
                assertions.extend(cited(self.subject.plan, part::READBACK).to_vec());
            }
        }
        self.cite("correlation.resource_id".to_owned(), assertions);
        let key = CorrelationKey { name: self.id_key(), source, path: None, read_as: None };
        Some(strong(StrategyName::ResourceId, true, key))
    }

    /// The id that the input chooses, where the reply shows none.
    fn chosen_id(&self) -> Option<String> {
        let own = self.subject.resource.id.as_deref();
        let chosen = self.inputs().find(|echo| Some(echo.path.as_str()) == own && self.is_required(echo))?;
        Some(format!("$input.{}", chosen.input))
    }

    fn by_key(&mut self) -> Option<Strategy> {
        self.subject.plan.idempotency.as_ref().filter(|planned| planned.echoed)?;
        let mut assertions = cited(self.subject.plan, part::KEY_ECHO).to_vec();
        assertions.extend(cited(self.subject.plan, part::IDEMPOTENCY).iter().cloned());
        if !self.cite("correlation.idempotency_key".to_owned(), assertions) {
            return None;
        }
        let (name, source) = ("idempotency_key".to_owned(), "$operation.id".to_owned());
        Some(strong(
            StrategyName::IdempotencyKey,
            false,
            CorrelationKey { name, source, path: None, read_as: None },
        ))
    }

    fn by_tag(&mut self) -> Option<Strategy> {
        let tag = self.subject.plan.tag.as_ref()?;
        let mut assertions = cited(self.subject.plan, part::TAG).to_vec();
        assertions.extend(self.said_of(&tag.path));
        if !self.cite("correlation.tag".to_owned(), assertions) {
            return None;
        }
        let key = CorrelationKey {
            name: tag.parameter.rsplit('.').next().unwrap_or_default().to_owned(),
            source: "$operation.id".to_owned(),
            path: Some(tag.path.clone()),
            read_as: None,
        };
        Some(strong(StrategyName::Tag, false, key))
    }

    fn by_fingerprint(&mut self) -> Option<Strategy> {
        let fingerprint: Vec<&Echo> = siblings::fingerprint(self);
        let said = fingerprint.iter().flat_map(|echo| self.said_of(&echo.path));
        let assertions = fingerprint.iter().map(|echo| echo.assertion.clone()).chain(said);
        let own = own_rule("plan/fingerprint_window_ms");
        if fingerprint.is_empty() {
            return None;
        }
        let assertions = assertions.chain([own]).collect();
        self.cite("correlation.fingerprint".to_owned(), assertions);
        let keys = fingerprint.iter().map(|echo| CorrelationKey {
            name: echo.input.clone(),
            source: format!("$input.{}", echo.input),
            path: Some(echo.path.clone()),
            read_as: echo.read_as,
        });
        Some(Strategy {
            name: StrategyName::Fingerprint,
            assurance: Assurance::Weak,
            required: false,
            keys: keys.collect(),
            window_ms: Some(self.subject.rules.plan.fingerprint_window_ms),
        })
    }

    /// The passage that speaks of a record's field.
    fn said_of(&self, path: &str) -> Option<String> {
        let field = field_at(self.subject.resource, path)?;
        cited(self.subject.plan, &part::field(&field.name)).first().cloned()
    }
}

fn strong(name: StrategyName, required: bool, key: CorrelationKey) -> Strategy {
    Strategy { name, assurance: Assurance::Strong, required, keys: vec![key], window_ms: None }
}
