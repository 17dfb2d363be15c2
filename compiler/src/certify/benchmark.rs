//! The figures of the benchmark in a package: put in and signed for, and checked. They are measured elsewhere; they
//! belong to a package only while its contracts are those that were measured.

use std::collections::{BTreeMap, BTreeSet};

use provely_evaluator::hash::Digest;
use provely_evaluator::json::{from_value, parse};
use provely_evaluator::manifest::{BenchmarkEntry, FileEntry, Manifest};
use provely_evaluator::seal::SigningKey;
use provely_harness::benchmark::{FILE, SkillFigures};

use super::CertifyError;
use super::verify::{Check, Outcome, check};

/// The manifest of a package with these figures in it, signed again.
///
/// # Errors
/// [`CertifyError::Benchmark`] if the text is no such file, or of other contracts than the package holds;
/// [`CertifyError::Unsealable`] if the manifest cannot be read or signed.
pub fn with_benchmark(
    manifest: &str,
    text: &str,
    key: &SigningKey,
    key_id: &str,
) -> Result<String, CertifyError> {
    let unsealable = |why: String| CertifyError::Unsealable { why };
    let value = parse(manifest).map_err(|error| unsealable(error.to_string()))?;
    let manifest: Manifest = from_value(&value).map_err(|error| unsealable(error.to_string()))?;
    let figures = fitting(&manifest, text).map_err(|why| CertifyError::Benchmark { why })?;
    let digest = Digest::of(text.as_bytes());
    let mut draft = manifest.into_draft();
    draft.files.retain(|entry| entry.path != FILE);
    let place = draft.files.partition_point(|entry| entry.path.as_str() < FILE);
    let entry = FileEntry { path: FILE.to_owned(), sha256: digest, bytes: text.len() as u64 };
    draft.files.insert(place, entry);
    draft.benchmark =
        Some(BenchmarkEntry { digest, benchmark_version: figures.benchmark_version, seed: figures.seed });
    let sealed = draft.seal(key, key_id).and_then(|manifest| manifest.to_json());
    sealed.map_err(|error| unsealable(error.to_string()))
}

/// The figures of a text, if they are of the contracts of this manifest.
fn fitting(manifest: &Manifest, text: &str) -> Result<SkillFigures, String> {
    let figures = SkillFigures::read(text)?;
    if figures.service != manifest.service.id {
        return Err(format!("`{FILE}` is of the service `{}`", figures.service));
    }
    let measured: BTreeSet<(&str, Digest)> =
        figures.contracts.iter().map(|own| (own.id.as_str(), own.hash)).collect();
    let held: BTreeSet<(&str, Digest)> =
        manifest.contracts.iter().map(|own| (own.id.as_str(), own.hash)).collect();
    if measured == held {
        return Ok(figures);
    }
    Err(format!("`{FILE}` was measured on other contracts; measure again: `provely benchmark run --write`"))
}

/// The figures that a package keeps are those that its manifest names, of the contracts that it holds. Nothing where
/// there are none.
pub(super) fn kept(manifest: &Manifest, files: &BTreeMap<String, Vec<u8>>) -> Option<Check> {
    let failed = |why: String| Some(check("benchmark", Outcome::Failed, why));
    let (named, bytes) = match (&manifest.benchmark, files.get(FILE)) {
        (None, None) => return None,
        (None, Some(_)) => return failed(format!("`{FILE}` is not named by the manifest")),
        (Some(_), None) => return failed(format!("`{FILE}` is missing")),
        (Some(named), Some(bytes)) => (named, bytes),
    };
    if Digest::of(bytes) != named.digest {
        return failed(format!("`{FILE}` is not what the manifest names"));
    }
    match fitting(manifest, &String::from_utf8_lossy(bytes)) {
        Err(why) => failed(why),
        Ok(SkillFigures { matrix, seed, .. }) => {
            let detail = format!("{} of {} cases passed, seed {seed}", matrix.passed, matrix.total);
            Some(check("benchmark", Outcome::Passed, detail))
        }
    }
}

#[cfg(test)]
mod tests {
    use provely_evaluator::seal::{TEST_KEY_ID, TrustedKeys};
    use provely_harness::benchmark::{Delay, Matrix, Measured};

    use super::super::tests::{Made, bytes, failed};
    use super::super::verify_package;
    use super::*;

    fn figures(manifest: &str) -> SkillFigures {
        let manifest: Manifest = from_value(&parse(manifest).unwrap()).unwrap();
        let contracts = manifest.contracts.into_iter().map(|own| Measured { id: own.id, hash: own.hash });
        SkillFigures {
            service: manifest.service.id,
            contracts: contracts.collect(),
            benchmark_version: "1.2.0".into(),
            seed: "7".into(),
            matrix: Matrix {
                total: 3,
                passed: 3,
                critical_false_verified: 0,
                not_applicable: 0,
                classes: BTreeMap::new(),
            },
            subjects: Vec::new(),
            histories: None,
            delay: Delay::default(),
        }
    }

    /// A package that keeps figures.
    fn package() -> BTreeMap<String, String> {
        let mut files = Made::new().certify().unwrap().files;
        let text = figures(&files["manifest.json"]).to_file().unwrap();
        let key = SigningKey::test_key();
        let sealed = with_benchmark(&files["manifest.json"], &text, &key, TEST_KEY_ID).unwrap();
        files.insert(FILE.to_owned(), text);
        files.insert("manifest.json".to_owned(), sealed);
        files
    }

    #[test]
    fn kept_figures_pass_every_check_and_compiling_again_does_not_miss_them() {
        let again = Made::new().certify().unwrap().files;
        let checks = verify_package(&bytes(&package()), &TrustedKeys::test(), Some(&again));
        assert_eq!(failed(&checks), [""; 0], "{checks:?}");
        let own = checks.iter().find(|check| check.name == "benchmark").unwrap();
        assert!(own.detail.contains("3 of 3 cases passed, seed 7"), "{own:?}");
    }

    #[test]
    fn figures_that_were_touched_fail() {
        let trusted = TrustedKeys::test();
        let mut changed = bytes(&package());
        let better =
            String::from_utf8(changed[FILE].clone()).unwrap().replace("\"seed\": \"7\"", "\"seed\": \"8\"");
        changed.insert(FILE.to_owned(), better.into_bytes());
        assert_eq!(failed(&verify_package(&changed, &trusted, None)), ["digests", "benchmark"]);
        let mut gone = bytes(&package());
        gone.remove(FILE);
        assert_eq!(failed(&verify_package(&gone, &trusted, None)), ["files", "benchmark"]);
        let mut stray = bytes(&Made::new().certify().unwrap().files);
        stray.insert(FILE.to_owned(), package().remove(FILE).unwrap().into_bytes());
        assert_eq!(failed(&verify_package(&stray, &trusted, None)), ["files", "benchmark"]);
    }

    #[test]
    fn figures_of_other_contracts_are_not_signed() {
        let files = Made::new().certify().unwrap().files;
        let manifest = &files["manifest.json"];
        let sign = |figures: &SkillFigures| {
            let text = figures.to_file().unwrap();
            with_benchmark(manifest, &text, &SigningKey::test_key(), TEST_KEY_ID)
        };
        let mut other = figures(manifest);
        other.contracts[0].hash = Digest::of(b"another");
        assert_eq!(sign(&other).unwrap_err().code(), "certify/benchmark-does-not-fit");
        let mut fewer = figures(manifest);
        fewer.contracts.pop();
        assert!(sign(&fewer).is_err());
        let foreign = SkillFigures { service: "acme".into(), ..figures(manifest) };
        assert!(sign(&foreign).unwrap_err().to_string().contains("`acme`"));
        let spaced = figures(manifest).to_file().unwrap() + " ";
        let error = with_benchmark(manifest, &spaced, &SigningKey::test_key(), TEST_KEY_ID).unwrap_err();
        assert!(error.to_string().contains("not ours"), "{error}");
    }
}
