//! The kernel: contracts, evaluation, canonical JSON, seals, receipts.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod canonical;
pub mod compare;
pub mod contract;
pub mod evaluate;
pub mod evidence;
pub mod hash;
pub mod json;
pub mod load;
pub mod manifest;
pub mod operation;
pub mod query;
pub mod receipt;
pub mod schedule;
pub mod seal;
pub mod state;
pub mod time;
pub mod verdict;
pub mod version;
