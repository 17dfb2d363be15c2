//! What holds for every command: an example in its help, usage errors that exit 1, JSON errors, no colours and no
//! panic where nobody reads.

mod run;

use run::{Folder, command, run};
use serde_json::Value;
use std::process::Stdio;

/// Every command without commands below, as the words that lead to it, with what follows its help.
fn leaves() -> Vec<(Vec<String>, String)> {
    commands()
        .into_iter()
        .filter(|(_, _, is_group)| !is_group)
        .map(|(words, help, _)| (words, help))
        .collect()
}

/// Every command, and whether there are commands below it.
fn commands() -> Vec<(Vec<String>, String, bool)> {
    let mut found = Vec::new();
    let mut open = vec![(Vec::new(), provely_cli::grammar())];
    while let Some((words, command)) = open.pop() {
        let below: Vec<_> =
            command.get_subcommands().filter(|own| own.get_name() != "help").cloned().collect();
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        found.push((words.clone(), help, !below.is_empty()));
        for own in below {
            let mut deeper = words.clone();
            deeper.push(own.get_name().to_owned());
            open.push((deeper, own));
        }
    }
    found
}

#[test]
fn every_command_shows_an_example_of_itself() {
    let leaves = leaves();
    assert!(leaves.len() >= 12);
    for (words, help) in leaves {
        assert!(help.contains(&format!("  provely {}", words.join(" "))), "{words:?}: {help}");
    }
}

#[test]
fn every_group_shows_an_example_and_no_help_is_wider_than_a_terminal() {
    let folder = Folder::new();
    for (words, help, is_group) in commands() {
        let shown = words.is_empty() || help.contains(&format!("  provely {} ", words.join(" ")));
        assert!(shown || !is_group, "{words:?}: {help}");
        let mut line: Vec<&str> = words.iter().map(String::as_str).collect();
        line.push("--help");
        let text = run(&folder, &line).stdout;
        let wide = text.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{words:?}");
    }
}

#[test]
fn help_exits_zero_and_a_usage_error_one_with_json_too() {
    let folder = Folder::new();
    for (words, _) in leaves() {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let help = run(&folder, &[&words[..], &["--help"]].concat());
        assert!(help.exit == 0 && help.stdout.contains("--json") && help.stderr.is_empty(), "{words:?}");
        let wrong = run(&folder, &[&words[..], &["--no-such-flag"]].concat());
        assert!(
            wrong.exit == 1 && wrong.stdout.is_empty() && wrong.stderr.contains("--no-such-flag"),
            "{words:?}"
        );
        let wrong = run(&folder, &[&words[..], &["--no-such-flag", "--json"]].concat());
        let error: Value = serde_json::from_str(&wrong.stderr).unwrap();
        assert!(wrong.exit == 1 && wrong.stdout.is_empty(), "{words:?}");
        let members: Vec<&String> = error["error"].as_object().unwrap().keys().collect();
        assert_eq!(members.len(), 4, "{members:?}");
        assert_eq!(error["error"]["code"], "usage");
    }
}

#[test]
fn a_reader_that_goes_away_causes_no_panic() {
    let folder = Folder::new();
    for arguments in [&["schema", "contract"][..], &["completions", "bash"], &["--help"]] {
        let mut child =
            command(&folder, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn nothing_is_coloured_where_nobody_looks() {
    let folder = Folder::new();
    for arguments in [&["contract", "check", "missing.yaml"][..], &["--help"], &["nonsense"]] {
        let output = command(&folder, arguments).env_remove("NO_COLOR").output().unwrap();
        let both = [output.stdout, output.stderr].concat();
        assert!(!both.contains(&0x1b), "{arguments:?}");
    }
}

#[test]
fn the_version_is_printed() {
    let answer = run(&Folder::new(), &["--version"]);
    assert_eq!((answer.exit, answer.stdout), (0, format!("provely {}\n", env!("CARGO_PKG_VERSION"))));
}
