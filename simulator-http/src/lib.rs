//! The simulated provider over HTTP: one world behind real sockets, with webhooks that are really sent and an
//! endpoint that tells time, states, faults and the ground truth. It adds wires to the state machine of
//! `provely-simulator`; it must not decide what a provider does.
//!
//! ```text
//! client -> answer -> Provider.handle -> reply          /_control/... -> control -> Provider
//!                     Provider.take_deliveries -> hooks -> POST to every subscriber
//! ```

mod answer;
mod clock;
mod control;
mod describe;
mod fidelity;
mod hooks;
mod server;
mod world;

pub use clock::ClockKind;
pub use describe::describe;
pub use fidelity::{Fidelity, fidelity};
pub use hooks::Subscriber;
pub use server::{ServeError, Server};
pub use world::{Set, World};
