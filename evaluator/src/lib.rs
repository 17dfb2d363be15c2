//! The kernel: contracts, evaluation, canonical JSON, seals, receipts.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod canonical;
pub mod contract;
pub mod hash;
pub mod json;
pub mod manifest;
pub mod receipt;
pub mod seal;
pub mod time;
pub mod verdict;
