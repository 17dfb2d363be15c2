//! Stage 6: how well each contract is proven, and the signed package. Measures and packs; must not compile,
//! run a case, read a file or trust a key.

mod benchmark;
mod facts;
mod measure;
mod package;
mod score;
#[cfg(test)]
mod tests;
mod verify;

pub use benchmark::with_benchmark;
pub use measure::{Measure, measure};
pub use package::{Certified, CertifyError, Input, Release, Run, binds, certify};
pub use score::{Gates, Ratio, level_of, points, score};
pub use verify::{Check, Outcome, verify_package};
