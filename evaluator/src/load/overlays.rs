//! Overlays: what a contract asks on top in some versions. Applies each as a merge patch and refuses whatever
//! is more than an addition; must not weaken or replace anything.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::compile::ranges;
use super::program::{Program, Variant};
use super::{Faults, LoadError};
use crate::contract::{Contract, Overlay, Rule};
use crate::json::{self, Value};
use crate::verdict::Verdict;
use crate::version::VersionRange;

/// The program of every overlay, in document order; what is no mere addition is a fault.
pub(super) fn variants(contract: &Contract, faults: &mut Faults) -> Vec<Variant> {
    let mut variants: Vec<Variant> = Vec::new();
    for (index, overlay) in contract.overlays.iter().enumerate() {
        let path = format!("overlays[{index}]");
        let versions = versions(contract, overlay, &path, faults);
        let taken = |range: &VersionRange| {
            variants.iter().flat_map(|variant| &variant.versions).any(|other| other.overlaps(range))
        };
        if versions.iter().any(taken) {
            let message = "another overlay covers one of its versions too".into();
            faults.add(
                "overlay_versions_overlap",
                &path,
                message,
                Some("split the ranges and join the patches"),
            );
        }
        let Some(patched) = patched(contract, overlay, &path, faults) else { continue };
        match Program::load(patched) {
            Ok(program) => variants.push(Variant { versions, program }),
            Err(errors) => faults.0.extend(errors.into_iter().map(|error| within(&path, error))),
        }
    }
    variants
}

/// The ranges of an overlay: at least one, each in what the contract covers.
fn versions(contract: &Contract, overlay: &Overlay, path: &str, faults: &mut Faults) -> Vec<VersionRange> {
    let at = format!("{path}.versions");
    let found = ranges(&at, &overlay.versions, faults);
    let covered = |range: &VersionRange| {
        let base = contract.valid_for.provider_api_versions.iter();
        base.filter_map(|text| VersionRange::parse(text).ok()).any(|base| range.within(&base))
    };
    if overlay.versions.is_empty() || !found.iter().all(covered) {
        let message = "an overlay is for versions that the contract covers".into();
        faults.add("overlay_versions", &at, message, Some("name versions within `valid_for`"));
    }
    found
}

/// The contract with the overlay's patch applied, and without overlays; `None` with a fault.
fn patched(contract: &Contract, overlay: &Overlay, path: &str, faults: &mut Faults) -> Option<Contract> {
    let at = format!("{path}.patch");
    let base = Contract { overlays: Vec::new(), hash: None, ..contract.clone() };
    let applied = json::to_value(&base)
        .map_err(|error| format!("{error}"))
        .map(|value| merged(value, &overlay.patch))
        .and_then(|value| json::from_value::<Contract>(&value).map_err(|error| format!("{error}")));
    let patched = match applied {
        Ok(patched) => patched,
        Err(error) => {
            let message = format!("the patched document is no contract: {error}");
            faults.add("overlay_unreadable", &at, message, None);
            return None;
        }
    };
    let help = "restate the contract's items unchanged and in order, and add new ones after them";
    if !only_adds(&base, &patched) {
        let message = "the patch changes or drops something of the contract".into();
        faults.add("overlay_changes_base", &at, message, Some(help));
        return None;
    }
    if patched == base {
        faults.add("overlay_empty", &at, "the patch adds nothing".into(), Some("drop the overlay"));
        return None;
    }
    let new_rules = patched.verdict_map.get(base.verdict_map.len()..).unwrap_or_default();
    if new_rules.iter().any(|rule: &Rule| rule.verdict != Verdict::Pending) {
        let message = "an overlay may add PENDING rules only".into();
        faults.add(
            "overlay_rule",
            &at,
            message,
            Some("a verdict that ends holds for every version, or for none"),
        );
        return None;
    }
    Some(patched)
}

/// RFC 7396: members of the patch replace, null removes, objects are merged.
fn merged(target: Value, patch: &Value) -> Value {
    let Value::Object(changes) = patch else { return patch.clone() };
    let mut object = match target {
        Value::Object(object) => object,
        _ => json::Object::new(),
    };
    for (name, change) in changes.iter() {
        let old = object.remove(name);
        if !change.is_null() {
            object.insert(name, merged(old.unwrap_or(Value::Null), change));
        }
    }
    Value::Object(object)
}

/// True if everything of the base stands unchanged, and what is new stands where additions may.
fn only_adds(base: &Contract, patched: &Contract) -> bool {
    let mut rest = patched.clone();
    let kept = starts_with(&patched.completion.all_of, &base.completion.all_of)
        && starts_with(&patched.negative_conditions.any_of, &base.negative_conditions.any_of)
        && starts_with(&patched.verdict_map, &base.verdict_map)
        && starts_with(&patched.valid_for.inadmissible_versions, &base.valid_for.inadmissible_versions)
        && base.provenance.iter().all(|(part, assertions)| patched.provenance.get(part) == Some(assertions));
    rest.completion.clone_from(&base.completion);
    rest.negative_conditions.clone_from(&base.negative_conditions);
    rest.verdict_map.clone_from(&base.verdict_map);
    rest.valid_for.inadmissible_versions.clone_from(&base.valid_for.inadmissible_versions);
    rest.provenance.clone_from(&base.provenance);
    kept && rest == *base
}

fn starts_with<T: PartialEq>(whole: &[T], start: &[T]) -> bool {
    whole.get(..start.len()) == Some(start)
}

fn within(path: &str, error: LoadError) -> LoadError {
    let path: String = format!("{path}.patch.{}", error.path);
    LoadError { path, ..error }
}
