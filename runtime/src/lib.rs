//! Drives operations from `begin` to the receipt.
//!
//! The pure part: requests are planned, pages read, records correlated and bound, siblings annotated and
//! looks scheduled over the traits [`Transport`], [`Store`] and [`Clock`]. No socket, file or clock is
//! touched here, nothing is signed, and no verdict is reached: the evaluator decides.

pub mod begin;
pub mod bind;
pub mod channels;
mod collect;
mod connection;
pub mod correlate;
pub mod deliver;
mod directive;
pub mod events;
mod evidence;
mod idle;
mod key_place;
mod memory;
mod observe;
pub mod pages;
pub mod read;
mod receipt;
mod reply;
mod report;
pub mod request;
mod runtime;
pub mod schedule;
pub mod scope;
pub mod siblings;
pub mod store;
mod subject;
mod transport;
mod verification;
pub mod webhook;

pub use begin::{Ask, BeginError, Begun};
pub use connection::{Connection, Mode};
pub use deliver::{Delivered, DeliveryError, Endpoint};
pub use directive::Advice;
pub use key_place::KeyPlace;
pub use memory::MemoryStore;
pub use receipt::ISSUER;
pub use reply::{http_date, print_http_date};
pub use report::outcome_of;
pub use runtime::{AddError, Loaded, Runtime, RuntimeError, Skill, Status};
pub use store::{OperationRow, Store, StoreError};
pub use transport::{Body, Clock, HttpRequest, HttpResponse, Transport, TransportError, header};
pub use verification::{ConditionResult, Verification};
