//! A provider in memory and virtual time: a stateful stand-in, built from a service model and its lifecycles.
//!
//! It holds records, moves them, keeps retry keys, pages lists and sends signed events, and it goes wrong
//! as told ([`Fault`]). It never reads a contract's conditions, a wall clock or a socket, and no provider
//! is named here: a provider is data. Service, options and calls decide every byte.
//!
//! ```text
//! Service -> Blueprint -> Provider.handle(now, Request) -> Reply | Lost   (paths, or a query document)
//!                                 .take_deliveries(now) -> Delivery -> wire()
//!                                 .truth()              -> GroundTruth (oracles alone)
//! ```

mod blueprint;
mod chance;
mod change;
mod delivery;
mod emit;
mod fault;
mod filter;
mod form;
mod graphql;
mod in_band;
mod instant;
mod look;
mod make;
mod options;
mod parts;
mod place;
mod provider;
mod retry;
mod serve;
mod shape;
mod sign;
mod still;
mod timeline;
mod truth;
mod validate;
mod wire;

pub use blueprint::Blueprint;
pub use delivery::{Delivery, Wire};
pub use fault::{DecimalStyle, Fault, FaultKind, Stage, When};
pub use options::{ErrorShape, Options, PartScript, Quirks, Script, Settle};
pub use place::set_at;
pub use provider::Provider;
pub use timeline::MoveError;
pub use truth::{Change, GroundTruth, TrueEffect, TrueEvent, TruePart, TrueRecord, TrueRequest, Version};
pub use wire::{Body, Lost, LostCause, Reply, Request};
