//! Every command that the README shows runs, in the order shown, in a copy of the project's data folders.
#![expect(clippy::unwrap_used, reason = "a test that cannot read the README must stop")]

mod run;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use run::{Folder, command, root};

/// Folders that the README's commands read or write.
const DATA: [&str; 5] = ["sources", "skills", "benchmark", "schemas", "tests/fixtures"];

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// The commands in the README's `sh` blocks; a backslash at the end of a line joins the next.
fn commands(readme: &str) -> Vec<String> {
    let blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let joined: String = blocks.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let lines = joined.lines().map(|line| line.split(" # ").next().unwrap().trim().to_owned());
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// A command that serves until it is stopped: it says where, on a free port in place of the one that is shown.
fn serves(folder: &Folder, arguments: &[&str]) {
    let shown = arguments.iter().position(|word| *word == "--port");
    let is_port = |place: usize| shown.is_some_and(|port| place == port || place == port + 1);
    let kept = arguments.iter().enumerate().filter(|(place, _)| !is_port(*place));
    let mut free: Vec<&str> = kept.map(|(_, word)| *word).collect();
    free.extend(["--port", "0"]);
    let mut child = command(folder, &free).stderr(Stdio::piped()).spawn().unwrap();
    let talk = BufReader::new(child.stderr.take().unwrap());
    let said = talk.lines().map_while(Result::ok).find(|line| line.contains(" at http://"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(said.is_some(), "{arguments:?} serves nothing");
}

#[test]
fn every_command_runs() {
    let folder = Folder::new();
    for data in DATA {
        copy(&root().join(data), &folder.path().join(data));
    }
    copy(&root().join("sources/stripe/openapi.yaml"), &folder.path().join("vendor.yaml"));
    copy(&root().join("sources/stripe/docs"), &folder.path().join("docs"));
    fs::write(folder.path().join("faults.yaml"), "- what: { error_before: { status: 503 } }\n").unwrap();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let commands = commands(&readme);
    assert!(commands.len() >= 8, "{commands:?}");
    for line in &commands {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let arguments = match words.as_slice() {
            // This very suite.
            ["./test", ..] => {
                assert!(root().join("test").is_file());
                continue;
            }
            ["cargo", "run", "--release", "--", arguments @ ..] | ["provely", arguments @ ..] => arguments,
            other => panic!("the README shows a command that this test cannot run: {other:?}"),
        };
        if let ["simulate" | "record", ..] = arguments {
            serves(&folder, arguments);
            continue;
        }
        let output = command(&folder, arguments).output().unwrap();
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`{line}` ended with {}\n{talk}", output.status);
    }
}
