//! From when on nothing at the provider stands between a fact and who reads it. It must not know what is read.

use provely_simulator::{Fault, FaultKind};

/// When the last fault that keeps a source from showing what is ends, in milliseconds from the start; nothing where one
/// does not end.
pub(super) fn clear_from(faults: &[Fault]) -> Option<u64> {
    faults.iter().try_fold(0_u64, |last, fault| Some(last.max(ends(fault)?)))
}

/// The stale window of the shortest contracts; what is behind by more is drawn for a first while alone.
const WINDOW_MS: i64 = 20_000;

/// How far reads may be behind once the first stale window has passed, in milliseconds.
pub(super) fn behind_ms(faults: &[Fault]) -> i64 {
    let behind = faults.iter().filter_map(|fault| match &fault.what {
        FaultKind::Stale { by_ms } => i64::try_from(*by_ms).ok().filter(|by| *by <= WINDOW_MS),
        _ => None,
    });
    behind.max().unwrap_or(0)
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
        | FaultKind::FailsInBand {} => until,
        // An event that was printed so stays so.
        FaultKind::UnknownState { .. } | FaultKind::RenamedField { .. } => {
            until.filter(|_| fault.when.acting == Some(false))
        }
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
