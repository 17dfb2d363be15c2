//! Provider versions: dates (`2024-10-28.acacia`), quarters (`2025-07`) and semantic versions.
//!
//! Ranges are closed: an open upper bound would cover versions that nobody has read.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Most numbers that a version has.
const MOST_NUMBERS: usize = 4;

/// One version as written: its numbers, and a release name where it carries one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version<'t> {
    numbers: Numbers,
    name: Option<&'t str>,
}

/// The numbers of a version and what stands between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    values: [u64; MOST_NUMBERS],
    count: usize,
    separator: Option<char>,
}

impl<'t> Version<'t> {
    /// Reads `2024-10-28.acacia`, `2025-07`, `1.5.1`, each also after a `v`; `None` for anything else.
    #[must_use]
    pub fn parse(text: &'t str) -> Option<Self> {
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let separator = text.chars().find(|c| !c.is_ascii_digit());
        let mut numbers = Numbers { values: [0; MOST_NUMBERS], count: 0, separator: None };
        let mut rest = text;
        loop {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (digits, tail) = rest.split_at_checked(end)?;
            *numbers.values.get_mut(numbers.count)? = digits.parse().ok()?;
            numbers.count += 1;
            match separator.and_then(|separator| tail.strip_prefix(separator)) {
                Some(next) if next.starts_with(|c: char| c.is_ascii_digit()) => rest = next,
                _ => {
                    rest = tail;
                    break;
                }
            }
        }
        let name = rest.strip_prefix(['.', '-', '+']);
        if !rest.is_empty() && name.is_none_or(str::is_empty) {
            return None;
        }
        numbers.separator = separator.filter(|_| numbers.count > 1);
        Some(Self { numbers, name })
    }

    /// The order of two versions of one notation; `None` if their notations differ.
    #[must_use]
    pub fn order(&self, other: &Version<'_>) -> Option<Ordering> {
        self.numbers.order(&other.numbers)
    }
}

impl Numbers {
    fn order(&self, other: &Self) -> Option<Ordering> {
        let alike = self.count == other.count && self.separator == other.separator;
        alike.then(|| self.values.cmp(&other.values))
    }
}

/// A closed range of versions, or one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRange {
    low: Numbers,
    high: Numbers,
    /// The release name of a single version; it counts only where both have one.
    name: Option<String>,
}

/// Why a text is not a closed range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeError {
    /// A bound is missing.
    Open,
    /// A bound is no version, or the two are not alike.
    Unreadable,
    /// The lower bound is above the upper.
    Empty,
}

impl VersionRange {
    /// Reads `>=A <=B` or `A`.
    ///
    /// # Errors
    /// [`RangeError`] for an open, unreadable or empty range.
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        let parts: Vec<&str> = text.split_ascii_whitespace().collect();
        match parts.as_slice() {
            [one] if !one.starts_with(['>', '<', '^', '~', '*', '=']) => {
                let Version { numbers, name } = version(one)?;
                Ok(Self { low: numbers, high: numbers, name: name.map(String::from) })
            }
            [low, high] => {
                let low = version(low.strip_prefix(">=").ok_or(RangeError::Unreadable)?)?.numbers;
                let high = version(high.strip_prefix("<=").ok_or(RangeError::Unreadable)?)?.numbers;
                match low.order(&high).ok_or(RangeError::Unreadable)? {
                    Ordering::Greater => Err(RangeError::Empty),
                    Ordering::Less | Ordering::Equal => Ok(Self { low, high, name: None }),
                }
            }
            [_] => Err(RangeError::Open),
            _ => Err(RangeError::Unreadable),
        }
    }

    /// True if every version of this range lies in the other.
    #[must_use]
    pub fn within(&self, other: &Self) -> bool {
        let named = other.name.is_none() || other.name == self.name;
        named
            && self.low.order(&other.low).is_some_and(Ordering::is_ge)
            && self.high.order(&other.high).is_some_and(Ordering::is_le)
    }

    /// True if some version lies in both ranges.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let named = self.name.is_none() || other.name.is_none() || self.name == other.name;
        named
            && self.low.order(&other.high).is_some_and(Ordering::is_le)
            && self.high.order(&other.low).is_some_and(Ordering::is_ge)
    }

    /// True if the range covers the version.
    #[must_use]
    pub fn covers(&self, version: &Version<'_>) -> bool {
        let names_agree = match (&self.name, version.name) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        };
        names_agree
            && version.numbers.order(&self.low).is_some_and(Ordering::is_ge)
            && version.numbers.order(&self.high).is_some_and(Ordering::is_le)
    }
}

fn version(text: &str) -> Result<Version<'_>, RangeError> {
    Version::parse(text).ok_or(RangeError::Unreadable)
}

/// True if one of the ranges covers the version as written.
#[must_use]
pub fn covered(ranges: &[VersionRange], version: &str) -> bool {
    Version::parse(version).is_some_and(|version| ranges.iter().any(|range| range.covers(&version)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(range: &str, version: &str) -> bool {
        covered(&[VersionRange::parse(range).unwrap()], version)
    }

    #[test]
    fn closed_ranges_cover_both_ends() {
        let range = ">=2024-10-28.acacia <=2026-05-27.dahlia";
        for version in ["2024-10-28.acacia", "2024-10-28", "2025-03-31.basil", "2026-05-27.dahlia"] {
            assert!(covers(range, version), "{version}");
        }
        for version in ["2024-10-27", "2026-05-28.dahlia", "2026-05", "1.5.1", "latest", ""] {
            assert!(!covers(range, version), "{version}");
        }
    }

    #[test]
    fn one_version_covers_itself() {
        assert!(covers("1.5.1", "1.5.1") && !covers("1.5.1", "1.5.2") && !covers("1.5.1", "1.5"));
        assert!(covers("v2021-02-25", "2021-02-25") && !covers("v2", "vv2"));
        assert!(covers("2025-07", "2025-07") && !covers("2025-07", "2025-10"));
        assert!(!covers("2025-03-31.basil", "2025-03-31.acacia"));
    }

    #[test]
    fn ranges_lie_in_each_other_or_overlap() {
        let range = |text| VersionRange::parse(text).unwrap();
        let wide = range(">=2025-01 <=2026-04");
        assert!(range("2025-07").within(&wide) && range(">=2025-07 <=2026-04").within(&wide));
        assert!(!range(">=2025-07 <=2026-07").within(&wide) && !wide.within(&range("2025-07")));
        assert!(!range("2025-07-01").within(&wide) && !range("2025-07-01").overlaps(&wide));
        assert!(wide.overlaps(&range(">=2026-04 <=2026-07")) && !wide.overlaps(&range("2026-07")));
        let named = range("2025-03-31.basil");
        assert!(!named.overlaps(&range("2025-03-31.acacia")) && named.overlaps(&range("2025-03-31")));
        assert!(!range("2025-03-31").within(&named) && named.within(&range("2025-03-31")));
    }

    #[test]
    fn open_ranges_are_refused() {
        assert_eq!(VersionRange::parse(">=2025-03-31"), Err(RangeError::Open));
        assert_eq!(VersionRange::parse("*"), Err(RangeError::Open));
        assert_eq!(VersionRange::parse(">=2 <=1"), Err(RangeError::Empty));
        assert_eq!(VersionRange::parse(">=2025-01-01 <=1.0.0"), Err(RangeError::Unreadable));
        assert_eq!(VersionRange::parse("new est"), Err(RangeError::Unreadable));
    }
}
