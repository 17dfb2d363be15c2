//! Webhook deliveries: an event on its way, printed and signed only where somebody looks at the wire.
//! It must not send anything.

use std::sync::Arc;

use provely_evaluator::json::Value;
use provely_evaluator::time::Time;
use provely_model::SignatureScheme;

use crate::sign;

/// An event that arrives.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// When it arrives.
    pub at: Time,
    /// The event.
    pub event: Arc<Value>,
    /// Id of the event; repeats and replays share it.
    pub event_id: String,
    /// The record, as a place in the ground truth.
    pub record: usize,
    /// Signed with the account's own secret. For harnesses that leave the wire out; checking the
    /// signature of [`Delivery::wire`] says the same. A replay is authentic and may be too old.
    pub authentic: bool,
    /// The time stamp that is signed.
    pub signed_at: Time,
    pub(crate) id_header: Option<Arc<str>>,
    /// Header that carries the event's type, and the type.
    pub(crate) kind_header: Option<(Arc<str>, Arc<str>)>,
    pub(crate) secret: Arc<str>,
    pub(crate) scheme: Option<Arc<SignatureScheme>>,
}

/// A delivery on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wire {
    /// Headers, as the service's signature scheme names them.
    pub headers: Vec<(String, String)>,
    /// The bytes that are signed.
    pub body: String,
}

impl Delivery {
    /// The headers that name event and type, for harnesses that leave the wire out.
    #[must_use]
    pub fn naming_headers(&self) -> Vec<(String, String)> {
        let id = self.id_header.iter().map(|name| (name.to_string(), self.event_id.clone()));
        let kind = self.kind_header.iter().map(|(name, kind)| (name.to_string(), kind.to_string()));
        id.chain(kind).collect()
    }

    /// The delivery as it comes in: body and headers, signed by the service's scheme where it has one.
    #[must_use]
    pub fn wire(&self) -> Wire {
        let body = self.event.to_string();
        let mut headers = vec![(String::from("content-type"), String::from("application/json"))];
        if let Some(scheme) = &self.scheme {
            headers.extend(sign::headers(scheme, &self.secret, self.signed_at, &self.event_id, &body));
        }
        if let Some(name) = &self.id_header
            && !headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            headers.push((name.to_string(), self.event_id.clone()));
        }
        headers.extend(self.kind_header.iter().map(|(name, kind)| (name.to_string(), kind.to_string())));
        Wire { headers, body }
    }
}
