//! Subjects: whatever answers "is it done?", on the same cases at the same moments. A subject sees what a checker
//! would see and no more; it must never see ground truth or a contract.

mod baselines;
mod desk;
mod exhibit;
mod figures;
mod jury;
mod status;

pub use baselines::Baseline;
pub use desk::{Desk, Handed};
pub use exhibit::{Turn, exhibit, take};
pub use figures::{Figures, Sheet};
pub use jury::{Hearing, SKILL};
pub(crate) use jury::{Jury, Moment};

use provely_evaluator::verdict::Verdict;

/// Something that answers "is it done?". Cases run on several threads.
pub trait Subject: Sync {
    /// Its name in reports.
    fn name(&self) -> &str;

    /// The answer at this moment. Each moment is asked about by itself; nothing is remembered between them.
    ///
    /// # Errors
    /// What kept it from answering, in words.
    fn answer(&self, desk: &mut Desk<'_>) -> Result<Verdict, String>;
}
