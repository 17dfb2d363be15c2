//! The kernel: contracts, evaluation, canonical JSON, seals, receipts.
