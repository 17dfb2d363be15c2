//! The closed list of canonical effects.

use serde::{Deserialize, Serialize};

/// What an operation does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Effect {
    /// Changes nothing.
    #[serde(rename = "read")]
    Read,
    /// Money goes back to a payer.
    #[serde(rename = "money.refund")]
    MoneyRefund,
    /// Money is taken from a payer.
    #[serde(rename = "money.charge")]
    MoneyCharge,
    /// Money moves between accounts.
    #[serde(rename = "money.transfer")]
    MoneyTransfer,
    /// Money leaves to a bank.
    #[serde(rename = "money.payout")]
    MoneyPayout,
    /// A message goes to a person.
    #[serde(rename = "message.send")]
    MessageSend,
    /// A document goes out, for example for signature.
    #[serde(rename = "document.send")]
    DocumentSend,
    /// An order is placed.
    #[serde(rename = "order.place")]
    OrderPlace,
    /// An order is canceled.
    #[serde(rename = "order.cancel")]
    OrderCancel,
    /// Somebody may do more than before.
    #[serde(rename = "access.grant")]
    AccessGrant,
    /// Somebody may do less than before.
    #[serde(rename = "access.revoke")]
    AccessRevoke,
    /// A record comes into being.
    #[serde(rename = "record.create")]
    RecordCreate,
    /// A record changes.
    #[serde(rename = "record.update")]
    RecordUpdate,
    /// A record goes away.
    #[serde(rename = "record.delete")]
    RecordDelete,
    /// Something is planned for a time.
    #[serde(rename = "schedule.create")]
    ScheduleCreate,
    /// A deployment starts.
    #[serde(rename = "deploy.start")]
    DeployStart,
    /// A job starts.
    #[serde(rename = "job.start")]
    JobStart,
    /// Acts in a way that no other effect names.
    #[serde(rename = "other.act")]
    OtherAct,
}

const NAMES: [(Effect, &str); 18] = [
    (Effect::Read, "read"),
    (Effect::MoneyRefund, "money.refund"),
    (Effect::MoneyCharge, "money.charge"),
    (Effect::MoneyTransfer, "money.transfer"),
    (Effect::MoneyPayout, "money.payout"),
    (Effect::MessageSend, "message.send"),
    (Effect::DocumentSend, "document.send"),
    (Effect::OrderPlace, "order.place"),
    (Effect::OrderCancel, "order.cancel"),
    (Effect::AccessGrant, "access.grant"),
    (Effect::AccessRevoke, "access.revoke"),
    (Effect::RecordCreate, "record.create"),
    (Effect::RecordUpdate, "record.update"),
    (Effect::RecordDelete, "record.delete"),
    (Effect::ScheduleCreate, "schedule.create"),
    (Effect::DeployStart, "deploy.start"),
    (Effect::JobStart, "job.start"),
    (Effect::OtherAct, "other.act"),
];

impl Effect {
    /// The canonical name, `money.refund`.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(effect, _)| *effect == self).map_or("other.act", |(_, name)| name)
    }

    /// The effect of a canonical name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(effect, _)| *effect)
    }

    /// Every effect, reads first.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(effect, _)| *effect)
    }

    /// True unless the operation only reads.
    #[must_use]
    pub fn acts(self) -> bool {
        self != Self::Read
    }

    /// True if money moves.
    #[must_use]
    pub fn moves_money(self) -> bool {
        self.name().starts_with("money.")
    }
}

#[cfg(test)]
mod tests {
    use super::Effect;

    #[test]
    fn every_effect_has_its_own_name() {
        for effect in Effect::all() {
            assert_eq!(Effect::from_name(effect.name()), Some(effect));
        }
        assert!(Effect::MoneyPayout.moves_money() && !Effect::Read.acts());
    }
}
