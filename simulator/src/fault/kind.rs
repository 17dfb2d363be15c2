//! The table of faults: name and stage of each kind, one row per variant. Nothing acts here.

use super::{FaultKind, Stage};

impl FaultKind {
    /// Every name, in the order of the table.
    pub const NAMES: [&'static str; 37] = [
        "error_before",
        "timeout_before",
        "unreachable",
        "rate_limited",
        "refused",
        "commit_twice",
        "not_done",
        "partly_done",
        "altered",
        "scripted",
        "late_reversal",
        "error_after",
        "timeout_after",
        "stale",
        "not_found_for",
        "hidden_from_lists",
        "small_pages",
        "cut_lists",
        "ignored_filters",
        "document_errors",
        "unknown_state",
        "renamed_field",
        "decimals",
        "clock_skew",
        "whole_seconds",
        "truncated",
        "malformed",
        "fails_in_band",
        "other_version",
        "other_mode",
        "events_lost",
        "events_late",
        "events_repeated",
        "events_reordered",
        "events_forged",
        "events_replayed",
        "other_secret",
    ];

    /// The name in data.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.row().0
    }

    /// When in the course of serving it acts.
    #[must_use]
    pub const fn stage(&self) -> Stage {
        self.row().1
    }

    const fn row(&self) -> (&'static str, Stage) {
        match self {
            Self::ErrorBefore { .. } => ("error_before", Stage::Arrival),
            Self::TimeoutBefore {} => ("timeout_before", Stage::Arrival),
            Self::Unreachable {} => ("unreachable", Stage::Arrival),
            Self::RateLimited { .. } => ("rate_limited", Stage::Arrival),
            Self::Refused { .. } => ("refused", Stage::Arrival),
            Self::CommitTwice {} => ("commit_twice", Stage::Commit),
            Self::NotDone {} => ("not_done", Stage::Commit),
            Self::PartlyDone {} => ("partly_done", Stage::Commit),
            Self::Altered { .. } => ("altered", Stage::Commit),
            Self::Scripted(_) => ("scripted", Stage::Commit),
            Self::LateReversal { .. } => ("late_reversal", Stage::Commit),
            Self::ErrorAfter { .. } => ("error_after", Stage::Answer),
            Self::TimeoutAfter {} => ("timeout_after", Stage::Answer),
            Self::Stale { .. } => ("stale", Stage::View),
            Self::NotFoundFor { .. } => ("not_found_for", Stage::View),
            Self::HiddenFromLists { .. } => ("hidden_from_lists", Stage::View),
            Self::SmallPages { .. } => ("small_pages", Stage::View),
            Self::CutLists { .. } => ("cut_lists", Stage::View),
            Self::IgnoredFilters {} => ("ignored_filters", Stage::View),
            Self::DocumentErrors {} => ("document_errors", Stage::View),
            Self::UnknownState { .. } => ("unknown_state", Stage::Print),
            Self::RenamedField { .. } => ("renamed_field", Stage::Print),
            Self::Decimals(_) => ("decimals", Stage::Print),
            Self::ClockSkew { .. } => ("clock_skew", Stage::Clock),
            Self::WholeSeconds {} => ("whole_seconds", Stage::Clock),
            Self::Truncated { .. } => ("truncated", Stage::Wire),
            Self::Malformed {} => ("malformed", Stage::Wire),
            Self::FailsInBand {} => ("fails_in_band", Stage::Wire),
            Self::OtherVersion { .. } => ("other_version", Stage::Version),
            Self::OtherMode {} => ("other_mode", Stage::Event),
            Self::EventsLost { .. } => ("events_lost", Stage::Delivery),
            Self::EventsLate { .. } => ("events_late", Stage::Delivery),
            Self::EventsRepeated { .. } => ("events_repeated", Stage::Delivery),
            Self::EventsReordered { .. } => ("events_reordered", Stage::Delivery),
            Self::EventsForged { .. } => ("events_forged", Stage::Delivery),
            Self::EventsReplayed { .. } => ("events_replayed", Stage::Delivery),
            Self::OtherSecret { .. } => ("other_secret", Stage::Delivery),
        }
    }
}
