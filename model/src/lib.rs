//! What a service is: operations, resources, effects, lifecycles, events and how outcomes are read.
//!
//! Data that the compiler writes and the simulator and the runtime read. Nothing here infers,
//! decides or does I/O; no provider is named.

mod effect;
mod failure;
mod lifecycle;
mod operation;
mod plan;
mod resource;
mod service;

pub use effect::Effect;
pub use failure::FailurePredicate;
pub use lifecycle::{Certainty, Lifecycle, LifecycleState, Parts};
pub use operation::{Argument, BodyEncoding, Operation, Parameter, Place, Reply, Role, RootField, RootKind};
pub use plan::{Echo, EchoKind, IdempotencyPlan, Plan, TagPlan};
pub use resource::{Field, FieldKind, Resource};
pub use service::{
    Assertion, SecretEncoding, Service, SignatureDigest, SignatureScheme, SignatureText, VersionRule,
};
