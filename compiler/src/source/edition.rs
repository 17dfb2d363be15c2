//! Editions: the sources of one service sorted by the versions that they hold for. Sorts; must not read them.

use std::fmt;

use provely_evaluator::version::VersionRange as Closed;

use super::{ServiceFile, Sources, VersionRange};

/// The sources that hold for one closed range of versions.
#[derive(Debug, Clone)]
pub struct Edition {
    /// The sources; their service file names this range, and as its default the version asked for by default or else the
    /// newest of the range.
    pub sources: Sources,
    /// The range; `None` where the service has one edition only.
    pub versions: Option<VersionRange>,
}

/// Why sources cannot be sorted by version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditionError {
    /// A range of a source is no closed range of versions.
    Unreadable {
        /// The source.
        source: String,
    },
    /// The ranges of two sources share versions without being the same.
    Overlap {
        /// One source.
        source: String,
        /// The other.
        other: String,
    },
    /// No source holds for the default version.
    NoDefault,
}

impl EditionError {
    /// Stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "source/versions-unreadable",
            Self::Overlap { .. } => "source/versions-overlap",
            Self::NoDefault => "source/versions-without-default",
        }
    }
}

impl fmt::Display for EditionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { source } => write!(
                out,
                "`versions` of the source `{source}` is no closed range; write `from` and `to` in one notation, \
                 the older first"
            ),
            Self::Overlap { source, other } => write!(
                out,
                "`versions` of the sources `{source}` and `{other}` share versions; give both the same range, or \
                 ranges that do not meet"
            ),
            Self::NoDefault => out.write_str(
                "no source with `versions` holds for `default_version`; name a version that one of them covers",
            ),
        }
    }
}

impl std::error::Error for EditionError {}

impl Sources {
    /// The sources of every range of versions, that of the default version first, the others in the order of
    /// the service file. Sources without `versions` belong to each.
    ///
    /// # Errors
    /// [`EditionError`].
    pub fn editions(&self) -> Result<Vec<Edition>, EditionError> {
        let ranges = self.service.as_ref().map(ranges).transpose()?.unwrap_or_default();
        let Some(service) = self.service.as_ref().filter(|_| !ranges.is_empty()) else {
            return Ok(vec![Edition { sources: self.clone(), versions: None }]);
        };
        let default = service.default_version.as_deref().unwrap_or_default();
        let holds = |range: &VersionRange| closed(range).is_some_and(|closed| covers(&closed, default));
        let base = ranges.iter().position(holds).ok_or(EditionError::NoDefault)?;
        let further = ranges.iter().enumerate().filter(|(at, _)| *at != base).map(|(_, range)| range);
        let ordered = ranges.get(base).into_iter().chain(further);
        Ok(ordered.enumerate().map(|(at, range)| self.edition(service, range, at == 0)).collect())
    }

    fn edition(&self, service: &ServiceFile, range: &VersionRange, base: bool) -> Edition {
        let belongs = |id: &str| {
            let entry = service.sources.iter().find(|entry| entry.id == id);
            entry.and_then(|entry| entry.versions.as_ref()).is_none_or(|versions| versions == range)
        };
        let default = if base { service.default_version.clone() } else { Some(range.to.clone()) };
        let file = ServiceFile {
            sources: service.sources.iter().filter(|entry| belongs(&entry.id)).cloned().collect(),
            version_range: Some(range.clone()),
            default_version: default,
            ..service.clone()
        };
        let files = self.files.iter().filter(|file| belongs(&file.id)).cloned().collect();
        let sources = Sources { service: Some(file), files, review: self.review.clone() };
        Edition { sources, versions: Some(range.clone()) }
    }
}

/// The ranges that sources name, each once, in the order of the file.
fn ranges(service: &ServiceFile) -> Result<Vec<VersionRange>, EditionError> {
    let mut found: Vec<(VersionRange, Closed, &str)> = Vec::new();
    for entry in &service.sources {
        let Some(range) = &entry.versions else { continue };
        let unreadable = || EditionError::Unreadable { source: entry.id.clone() };
        let closed = closed(range).ok_or_else(unreadable)?;
        if found.iter().any(|(known, _, _)| known == range) {
            continue;
        }
        if let Some((_, _, other)) = found.iter().find(|(_, known, _)| known.overlaps(&closed)) {
            return Err(EditionError::Overlap { source: entry.id.clone(), other: (*other).to_owned() });
        }
        found.push((range.clone(), closed, &entry.id));
    }
    Ok(found.into_iter().map(|(range, _, _)| range).collect())
}

/// The range as the evaluator has it: one version, where both ends are the same.
fn closed(range: &VersionRange) -> Option<Closed> {
    Closed::parse(&range.text()).ok()
}

fn covers(range: &Closed, version: &str) -> bool {
    provely_evaluator::version::covered(std::slice::from_ref(range), version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::read_service;

    fn sources(default: &str, ranges: &[Option<(&str, &str)>]) -> Sources {
        let mut text = format!("id: a\ntitle: A\ndefault_version: {default:?}\nsources:\n");
        for (at, range) in ranges.iter().enumerate() {
            text += &format!("  - {{id: s{at}, path: s{at}.yaml, kind: openapi");
            if let Some((from, to)) = range {
                text += &format!(", versions: {{from: {from:?}, to: {to:?}}}");
            }
            text += "}\n";
        }
        let service = read_service("service.yaml", &text).unwrap();
        let file = |id: &str| crate::source::SourceFile {
            id: id.to_owned(),
            ..Sources::of_openapi("x.yaml", "{}").files.remove(0)
        };
        let files = service.sources.iter().map(|entry| file(&entry.id)).collect();
        Sources { service: Some(service), files, review: Vec::new() }
    }

    #[test]
    fn the_default_version_comes_first_and_shared_sources_belong_to_each() {
        let all = sources("2025-10", &[None, Some(("2025-04", "2025-07")), Some(("2025-10", "2025-10"))]);
        let editions = all.editions().unwrap();
        let ids = |edition: &Edition| {
            edition.sources.files.iter().map(|file| file.id.clone()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(editions.iter().map(ids).collect::<Vec<_>>(), ["s0 s2", "s0 s1"]);
        let version = |edition: &Edition| edition.sources.service.as_ref().unwrap().version().unwrap();
        assert_eq!(version(&editions[1]).default, "2025-07");
        assert_eq!(version(&editions[1]).from, "2025-04");
    }

    #[test]
    fn sources_without_versions_are_one_edition() {
        let editions = sources("2025-10", &[None, None]).editions().unwrap();
        assert!(editions.len() == 1 && editions[0].versions.is_none());
    }

    #[test]
    fn ranges_that_meet_or_miss_the_default_are_refused() {
        let code = |default, ranges: &[_]| sources(default, ranges).editions().unwrap_err().code();
        let overlap = [Some(("2025-04", "2025-07")), Some(("2025-07", "2025-10"))];
        assert_eq!(code("2025-10", &overlap), "source/versions-overlap");
        assert_eq!(code("2026-01", &[Some(("2025-04", "2025-07"))]), "source/versions-without-default");
        assert_eq!(code("2025-04", &[Some(("2025-07", "2025-04"))]), "source/versions-unreadable");
    }
}
