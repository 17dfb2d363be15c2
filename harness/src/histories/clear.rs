//! From when on nothing at the provider stands between a fact and who reads it. It must not know what is read.

use provely_simulator::{Fault, FaultKind};

/// When the last fault that keeps a source from showing what is ends, in milliseconds from the start; nothing where one
/// does not end.
pub(super) fn clear_from(faults: &[Fault]) -> Option<u64> {
    faults.iter().try_fold(0_u64, |last, fault| Some(last.max(ends(fault)?)))
}

fn ends(fault: &Fault) -> Option<u64> {
    let until = fault.when.until_ms;
    match &fault.what {
        // What happens on acting shows in the facts.
        FaultKind::Refused { .. }
        | FaultKind::CommitTwice {}
        | FaultKind::NotDone {}
        | FaultKind::PartlyDone {}
        | FaultKind::Altered { .. }
        | FaultKind::Scripted(_)
        | FaultKind::LateReversal { .. }
        | FaultKind::ErrorAfter { .. }
        | FaultKind::TimeoutAfter {}
        // What reads and endpoints see through.
        | FaultKind::SmallPages { .. }
        | FaultKind::IgnoredFilters {}
        | FaultKind::Decimals(_)
        | FaultKind::WholeSeconds {}
        | FaultKind::EventsRepeated { .. }
        | FaultKind::EventsForged { .. }
        | FaultKind::EventsReplayed { .. } => Some(0),
        FaultKind::TimeoutBefore {} | FaultKind::ErrorBefore { .. } | FaultKind::RateLimited { .. }
            if fault.when.acting == Some(true) =>
        {
            Some(0)
        }
        FaultKind::RateLimited { retry_after_s } => Some(until? + u64::from(*retry_after_s) * 1_000),
        FaultKind::Stale { by_ms } => Some(until? + by_ms.min(&20_000)),
        FaultKind::EventsReordered { within_ms: ms } | FaultKind::EventsLate { ms } => Some(until? + ms),
        FaultKind::ErrorBefore { .. }
        | FaultKind::TimeoutBefore {}
        | FaultKind::Unreachable {}
        | FaultKind::CutLists { .. }
        | FaultKind::DocumentErrors {}
        | FaultKind::Truncated { .. }
        | FaultKind::Malformed {}
        | FaultKind::FailsInBand {}
        | FaultKind::UnknownState { .. }
        | FaultKind::RenamedField { .. } => until,
        // A record that is made meanwhile stays behind, or its events are gone.
        FaultKind::NotFoundFor { .. }
        | FaultKind::HiddenFromLists { .. }
        | FaultKind::ClockSkew { .. }
        | FaultKind::OtherVersion { .. }
        | FaultKind::OtherMode {}
        | FaultKind::EventsLost { .. }
        | FaultKind::OtherSecret { .. } => None,
    }
}
