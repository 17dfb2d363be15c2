//! Conformance cases, oracle and report.
//!
//! ```text
//! benchmark/*.yaml -> CaseBook -> generate(service, operation, level) -> Case
//!                                  run(program, service, case, seed)  -> CaseResult -> Report
//! ```
//!
//! A case is played in virtual time between a simulated provider, an agent that does what the case says, and
//! the runtime that production uses: nothing is collected here. What has to be said of it comes from the
//! simulator's ground truth by the rows of the oracle. No contract is read to judge a contract, and no
//! provider is named.

mod asks;
pub mod benchmark;
mod book;
mod case;
mod course;
mod facts;
pub mod histories;
mod level;
mod life;
mod oracle;
mod play;
pub mod print;
mod report;
mod run;
mod stage;
pub mod subjects;
pub mod tape;
mod world;

pub use book::{
    Act, Advised, Asks, Begin, CaseBook, CaseClass, Each, End, Expect, FactName, Key, Kind, Life, Look, Move,
    Need, NeverRow, OracleBook, Put, Report as ReportStep, RequiredRow, Retry, Said as Saying, Sources, Span,
    SpanError, StateWord, Step, Tell, Version, Where,
};
pub use case::{Case, generate};
pub use facts::Facts;
pub use level::{Level, Promise, PromiseKind};
pub use oracle::Breach;
pub use report::{CaseResult, NotApplicable, Report, Said, Tally};
pub use run::{Setting, run};
pub use world::{SimulatedTransport, VirtualClock, response};
