//! Where an agent puts the retry key that `begin` hands out. Data only; nothing is sent here.

use provely_evaluator::contract::{Idempotency, KeyDirective};

/// Where the retry key goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// A header of that name.
    Header(String),
    /// A field of the body, `request.key` where it is nested; of a query document an argument.
    Field(String),
    /// A directive on the root field of a query document.
    Directive(KeyDirective),
}

impl KeyPlace {
    /// The place that a contract names; `None` where it names none.
    #[must_use]
    pub fn of(idempotency: &Idempotency) -> Option<Self> {
        let header = idempotency.header.clone().map(Self::Header);
        let field = || idempotency.field.clone().map(Self::Field);
        let directive = || idempotency.directive.clone().map(Self::Directive);
        header.or_else(field).or_else(directive)
    }
}
