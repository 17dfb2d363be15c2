//! From vendor sources to a signed skill, in six stages.
//!
//! One stage, one module, one public function, one output that can be printed. Stages map values to
//! values: only the loaders of [`source`] read files, and nothing here names a vendor.

pub mod assertion;
pub mod certify;
pub mod classify;
pub mod corpus;
pub mod ingest;
pub mod plan;
pub mod review;
pub mod source;
pub mod synthesise;
pub mod test;
pub mod truth;
pub mod uncertainty;
