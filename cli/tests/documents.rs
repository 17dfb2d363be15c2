//! Receipts and packages through the binary: every forgery is refused, every changed byte is noticed.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot read its fixtures must stop"
)]

mod run;

use run::{Folder, root, run};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

const TEST_KEYS: &str =
    r#"{"provely-test-key-1":"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"}"#;

fn receipts(folder: &str) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(root().join("tests/fixtures/receipts").join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_str().unwrap().ends_with(".expect.json"))
        .collect();
    paths.sort();
    assert!(paths.len() > 5);
    paths
}

/// Exit code and reason of a fixture, as expected and as the binary gives them.
fn check(path: &std::path::Path) {
    let expected: Value =
        serde_json::from_str(&fs::read_to_string(path.with_extension("expect.json")).unwrap()).unwrap();
    let folder = Folder::new();
    let keys = expected.get("trusted_keys").map_or(TEST_KEYS.to_owned(), Value::to_string);
    folder.write("keys.json", keys);
    let mut arguments =
        vec!["receipt", "validate", path.to_str().unwrap(), "--trusted-keys", "keys.json", "--json"];
    if let Some(contract) = expected.get("contract") {
        folder.write("contract.json", contract.to_string());
        arguments.extend(["--contract", "contract.json"]);
    }
    let answer = run(&folder, &arguments);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(Some(i64::from(answer.exit)), expected["exit_code"].as_i64(), "{}", path.display());
    assert_eq!(report["reason_code"], expected["reason_code"], "{}", path.display());
    assert_eq!(
        report["valid"],
        Value::Bool(expected["reason_code"] == "signature_valid"),
        "{}",
        path.display()
    );
}

#[test]
fn every_valid_receipt_exits_with_its_verdict() {
    receipts("valid").iter().for_each(|path| check(path));
}

#[test]
fn every_forged_receipt_exits_one() {
    receipts("forged").iter().for_each(|path| check(path));
}

fn package() -> Folder {
    let folder = Folder::new();
    let root = root();
    let answer = run(
        &folder,
        &[
            "skill",
            "generate",
            "stripe",
            "--root",
            root.to_str().unwrap(),
            "--out",
            "skill",
            "--review",
            "review",
        ],
    );
    assert_eq!(answer.exit, 0, "{}", answer.stderr);
    folder
}

#[test]
fn a_package_is_checked_byte_by_byte() {
    let folder = package();
    let sources = root().join("sources/stripe");
    let whole = run(&folder, &["skill", "verify", "skill", "--sources", sources.to_str().unwrap()]);
    assert_eq!(whole.exit, 0, "{}", whole.stdout);
    assert!(
        whole.stdout.contains("recompiled   ok") && whole.stdout.contains("the public test key"),
        "{}",
        whole.stdout
    );
    let files = folder.files();
    let mut tried = 0;
    for (path, bytes) in files.iter().filter(|(path, _)| path.starts_with("skill/")) {
        for part in 0..5 {
            let at = (bytes.len() - 1) * part / 4;
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            folder.write(path, &changed);
            let answer = run(&folder, &["skill", "verify", "skill"]);
            assert_eq!(answer.exit, 1, "{path} at {at}\n{}", answer.stdout);
            assert!(
                answer.stdout.contains("failed") && answer.stdout.contains("not valid: "),
                "{}",
                answer.stdout
            );
            tried += 1;
        }
        folder.write(path, bytes);
    }
    assert!(tried >= 20);
    folder.write("skill/extra.json", "{}");
    let answer = run(&folder, &["skill", "verify", "skill", "--json"]);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!((answer.exit, &report["failed"]), (1, &serde_json::json!(["files"])));
    assert!(report["checks"].as_array().unwrap().iter().any(|check| check["outcome"] == "skipped"));
}

/// A contract that proves a record and calls it a success is found out.
#[test]
fn a_promise_beyond_the_proof_is_critical() {
    let folder = package();
    let path = folder.path().join("skill/contracts/stripe.refund.created.json");
    let mut contract: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    contract.as_object_mut().unwrap().remove("hash");
    contract["id"] = Value::from("stripe.refund.succeeded");
    contract["completion_level"] = Value::from("succeeded");
    folder.write("bold.json", contract.to_string());
    let sources = root().join("sources/stripe");
    let answer = run(&folder, &["conformance", "run", "bold.json", "--sources", sources.to_str().unwrap()]);
    assert_eq!(answer.exit, 1, "{}{}", answer.stdout, answer.stderr);
    assert!(
        answer.stdout.contains("\nCRITICAL stripe.refund.succeeded/"),
        "{}{}",
        answer.stdout,
        answer.stderr
    );
}

/// Every committed skill is what its sources give, proves every case, and stands on no public cap.
#[test]
fn every_committed_skill_compiles_again_to_the_same_bytes() {
    let folder = Folder::new();
    let mut found = 0;
    for entry in fs::read_dir(root().join("skills")).unwrap() {
        let skill = entry.unwrap().path();
        let sources = root().join("sources").join(skill.file_name().unwrap());
        let arguments = ["skill", "verify", skill.to_str().unwrap(), "--sources", sources.to_str().unwrap()];
        let answer = run(&folder, &arguments);
        assert_eq!(answer.exit, 0, "{}: {}{}", skill.display(), answer.stdout, answer.stderr);
        assert!(answer.stdout.contains("recompiled   ok"), "{}: {}", skill.display(), answer.stdout);
        let manifest: Value =
            serde_json::from_str(&fs::read_to_string(skill.join("manifest.json")).unwrap()).unwrap();
        let run = &manifest["conformance"];
        assert_eq!(run["passed"], run["total"], "{}", skill.display());
        assert_eq!(run["critical_false_verified"], 0, "{}", skill.display());
        found += 1;
    }
    let publishes = |entry: &fs::DirEntry| {
        fs::read_to_string(entry.path().join("service.yaml")).unwrap().contains("\npublish:")
    };
    let sources = fs::read_dir(root().join("sources")).unwrap().map(Result::unwrap);
    assert_eq!(found, sources.filter(publishes).count(), "one skill for each source that publishes");
}

#[test]
fn equal_sources_give_equal_bytes() {
    let (one, two) = (package(), package());
    let files = |folder: &Folder| -> Vec<_> {
        folder.files().into_iter().filter(|(path, _)| path.starts_with("skill/")).collect()
    };
    assert_eq!(files(&one), files(&two));
}

#[test]
fn another_key_is_named_and_trusted_only_by_whom_it_was_told() {
    let folder = Folder::new();
    let made = run(&folder, &["key", "generate", "release-1", "--json"]);
    let made: Value = serde_json::from_str(&made.stdout).unwrap();
    let root = root();
    let generate = [
        "skill",
        "generate",
        "stripe",
        "--root",
        root.to_str().unwrap(),
        "--out",
        "skill",
        "--review",
        "review",
    ];
    let answer = run(&folder, &generate);
    assert!(answer.stdout.contains("signed with release-1\n"), "{}", answer.stdout);
    let untrusted = run(&folder, &["skill", "verify", "skill"]);
    assert_eq!(untrusted.exit, 1);
    assert!(untrusted.stdout.contains("not valid: trust"), "{}", untrusted.stdout);
    assert_eq!(run(&folder, &["key", "trust", "release-1", made["public_key"].as_str().unwrap()]).exit, 0);
    assert_eq!(run(&folder, &["skill", "verify", "skill"]).exit, 0);
}

/// A private key is for its owner alone, and its bytes reach neither stream.
#[test]
fn a_private_key_stays_private() {
    let folder = Folder::new();
    let made = run(&folder, &["key", "generate", "own"]);
    let listed = run(&folder, &["key", "list", "--json"]);
    let path = folder.path().join("home/keys/own.pem");
    let pem = fs::read_to_string(&path).unwrap();
    let secret = pem.lines().nth(1).unwrap();
    for text in [made.stdout, made.stderr, listed.stdout, listed.stderr] {
        assert!(!text.contains(secret) && !text.contains("PRIVATE KEY"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
}
