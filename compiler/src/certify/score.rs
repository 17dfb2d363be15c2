//! Points, caps and levels: exact arithmetic in hundredths. Must not look at a contract.

use provely_evaluator::contract::EvidenceLevel;
use provely_evaluator::manifest::{Cap, Certification, Conformance, Dimension, Points, RanAgainst, Score};
use serde::Serialize;

use super::measure::Measure;

/// A part of a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Ratio {
    /// How many of them.
    pub part: u64,
    /// Of how many; none at all counts as all.
    pub whole: u64,
}

impl Ratio {
    /// So many of so many.
    #[must_use]
    pub const fn new(part: u64, whole: u64) -> Self {
        Self { part, whole }
    }
}

/// The share of `maximum` points that a ratio gives, to the nearest hundredth, halves up.
#[must_use]
pub fn points(ratio: Ratio, maximum: u16) -> Points {
    let hundredths = u64::from(maximum) * 100;
    let share = match ratio.whole {
        0 => hundredths,
        whole => (ratio.part.min(whole) * hundredths * 2 + whole) / (whole * 2),
    };
    Points::from_hundredths(u32::try_from(share).unwrap_or(u32::MAX))
}

/// What binds the score besides the dimensions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Gates {
    /// A state that the contract rests on has no certain meaning.
    pub unknown_semantics: bool,
    /// Caps of open questions that the contract rests on.
    pub open: Vec<u8>,
    /// Open questions that any published contract rests on.
    pub unreviewed: usize,
}

/// The score of one contract.
#[must_use]
pub fn score(measure: &Measure, gates: &Gates, run: &Conformance) -> Score {
    let rank = match measure.evidence {
        EvidenceLevel::E0 => 0,
        EvidenceLevel::E1 => 1,
        EvidenceLevel::E2 => 2,
        EvidenceLevel::E3 => 3,
        EvidenceLevel::E4 => 4,
        EvidenceLevel::E5 => 5,
    };
    let dimension = |name: &str, ratio, maximum| Dimension {
        name: name.to_owned(),
        points: points(ratio, maximum),
        maximum: Points::whole(maximum),
    };
    let dimensions = vec![
        dimension("documentation", measure.documentation, 20),
        dimension("schema_alignment", measure.schema, 15),
        dimension("lifecycle_certainty", measure.lifecycle, 20),
        dimension("evidence_strength", Ratio::new(rank, 5), 20),
        dimension("causal_correlation", measure.causal(), 15),
        dimension("sandbox_conformance", Ratio::new(run.passed, run.total), 10),
    ];
    let raw = Points::from_hundredths(dimensions.iter().map(|dimension| dimension.points.hundredths()).sum());
    let caps = caps(measure, gates, run);
    let lowest = caps.iter().map(|cap| cap.cap).min();
    let after_caps = lowest.map_or(raw, |cap| cap.min(raw));
    let level = level_of(after_caps, &caps, gates, run);
    Score { dimensions, raw, caps, after_caps, level }
}

fn caps(measure: &Measure, gates: &Gates, run: &Conformance) -> Vec<Cap> {
    let mut caps = Vec::new();
    let mut cap = |gate: &str, most: u16, reason: String| {
        caps.push(Cap { gate: gate.to_owned(), cap: Points::whole(most), reason });
    };
    if gates.unknown_semantics {
        cap(
            "unknown_terminal_semantics",
            49,
            "A state that the contract rests on has no certain meaning.".to_owned(),
        );
    }
    if let Some(lowest) = gates.open.iter().min() {
        let count = gates.open.len();
        cap(
            "uncertainty_caps",
            u16::from(*lowest),
            format!("Open questions: {count}. The lowest cap among them is {lowest}."),
        );
    }
    if measure.strong.part == 0 {
        cap("no_causal_correlation", 69, "No strong strategy ties a record to the operation.".to_owned());
    }
    if measure.evidence <= EvidenceLevel::E1 {
        cap("action_response_only", 49, "Nothing beyond the action's own response is read.".to_owned());
    }
    let failed = run.total.saturating_sub(run.passed);
    if failed > 0 {
        cap("conformance_threshold", 89, format!("Conformance cases that failed: {failed}."));
    }
    caps
}

/// The level that a score gives.
#[must_use]
pub fn level_of(after_caps: Points, caps: &[Cap], gates: &Gates, run: &Conformance) -> Certification {
    let clean = run.passed == run.total && run.total > 0;
    let uncapped = caps.iter().all(|cap| cap.cap >= Points::whole(75));
    let recorded = match run.ran_against {
        RanAgainst::Recorded => true,
        RanAgainst::Simulator => false,
    };
    if after_caps < Points::whole(50) {
        Certification::Community
    } else if after_caps < Points::whole(75) || !clean || !uncapped {
        Certification::GeneratedDraft
    } else if after_caps < Points::whole(90) || gates.unreviewed > 0 || !recorded {
        Certification::Verified
    } else {
        Certification::Official
    }
}
