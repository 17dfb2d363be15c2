//! What a verdict may claim, given the evidence that the receipt names. It must not look at signatures.

use super::{Component, Receipt, Review};
use crate::contract::EvidenceLevel;
use crate::seal::{Reason, SealError};
use crate::verdict::Verdict;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// VERIFIED needs a level above E0, an observation, and every declared level on an observation. The answer
/// says what was found, for the reader.
pub(super) fn check_evidence<S>(receipt: &Receipt<S>) -> Result<String, SealError> {
    let levels = &receipt.verdict.evidence_levels_used;
    if receipt.verdict.verdict != Verdict::Verified {
        return Ok(format!("{} claims no completion", receipt.verdict.verdict));
    }
    if levels.iter().all(|level| *level == EvidenceLevel::E0) {
        let detail = "VERIFIED needs an evidence level above E0 in `verdict.evidence_levels_used`";
        return Err(SealError::new(Reason::EvidenceLevelInsufficient, detail));
    }
    if receipt.observations.is_empty() {
        let detail = "VERIFIED needs an observation, `observations` is empty";
        return Err(SealError::new(Reason::ObservationMissing, detail));
    }
    let mut levels = levels.clone();
    levels.sort_unstable();
    levels.dedup();
    let found: Result<Vec<String>, SealError> =
        levels.into_iter().map(|level| find(receipt, level)).collect();
    found.map(|notes| notes.join(", "))
}

fn find<S>(receipt: &Receipt<S>, level: EvidenceLevel) -> Result<String, SealError> {
    match receipt.observations.iter().filter(|seen| seen.evidence_level == level).count() {
        0 => {
            let detail = format!("{level:?} is declared, but no observation carries it");
            Err(SealError::new(Reason::EvidenceLevelNotObserved, detail))
        }
        1 => Ok(format!("{level:?} present on one observation")),
        count => Ok(format!("{level:?} present on {count} observations")),
    }
}

/// A VERIFIED component names its channel; a VERIFIED whole has VERIFIED components only, beside those that a
/// person confirmed to leave out.
pub(super) fn check_components<S>(receipt: &Receipt<S>) -> Result<(), SealError> {
    for component in receipt.components.iter().flatten() {
        check_channel(component)?;
        if receipt.verdict.verdict == Verdict::Verified {
            check_part(component)?;
        }
    }
    Ok(())
}

fn check_channel(component: &Component) -> Result<(), SealError> {
    let named = component.channel.as_ref().is_some_and(|channel| !channel.is_empty());
    if component.verdict != Some(Verdict::Verified) || named {
        return Ok(());
    }
    let detail = format!("component `{}` is VERIFIED and names no channel that supports it", component.id);
    Err(SealError::new(Reason::ComponentChannelMissing, detail))
}

fn check_part(component: &Component) -> Result<(), SealError> {
    let left_out = component.verdict.is_none() && component.review == Some(Review::Confirmed);
    if left_out || component.verdict == Some(Verdict::Verified) {
        return Ok(());
    }
    let detail = format!("the whole is VERIFIED, component `{}` is not", component.id);
    Err(SealError::new(Reason::ComponentNotVerified, detail))
}
