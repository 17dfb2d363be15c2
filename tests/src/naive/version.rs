//! Whether a provider's version lies in a contract's closed ranges.

use serde_json::Value;

/// True if one of the ranges (`>=A <=B` or an exact version) covers the version.
pub(super) fn covered(version: Option<&str>, ranges: &Value) -> bool {
    let (Some(version), Some(ranges)) = (version, ranges.as_array()) else { return false };
    ranges.iter().filter_map(Value::as_str).any(|range| covers(range, version))
}

fn covers(range: &str, version: &str) -> bool {
    let (numbers, name) = parts(version);
    range.split_whitespace().all(|bound| {
        if let Some(least) = bound.strip_prefix(">=") {
            numbers >= parts(least).0
        } else if let Some(most) = bound.strip_prefix("<=") {
            numbers <= parts(most).0
        } else {
            let (exact, exact_name) = parts(bound);
            let names_fit = exact_name.is_empty() || name.is_empty() || exact_name == name;
            numbers == exact && names_fit
        }
    })
}

/// The numeric parts and the rest, for example `([2026, 5, 27], "dahlia")`.
fn parts(version: &str) -> (Vec<u64>, String) {
    let pieces = version.split(['.', '-']);
    let numbers = pieces.clone().filter_map(|piece| piece.parse().ok()).collect();
    let names: Vec<&str> = pieces.filter(|piece| piece.parse::<u64>().is_err()).collect();
    (numbers, names.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_matter_only_between_exact_versions_that_both_have_one() {
        let ranges = json!([">=2024-10-28.acacia <=2026-05-27.dahlia", "2027-01-01.elm"]);
        for version in ["2024-10-28.acacia", "2025-03-31.basil", "2026-05-27.other", "2027-01-01"] {
            assert!(covered(Some(version), &ranges), "{version}");
        }
        for version in ["2024-10-27.acacia", "2026-05-28", "2027-01-01.oak"] {
            assert!(!covered(Some(version), &ranges), "{version}");
        }
        assert!(!covered(None, &ranges));
    }
}
