//! A client talks to the simulator through the recorder: nothing secret reaches a file, and contracts run on what was
//! recorded come to the verdict that the exchanges bear out, and to no other.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot run the binary must stop"
)]

mod run;

use run::{Answer, Folder, command, root, run};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// A command that serves, and where.
struct Served(Child, String);

impl Served {
    fn start(folder: &Folder, words: &[&str]) -> Self {
        let mut child = command(folder, words).stderr(Stdio::piped()).spawn().unwrap();
        let talk = BufReader::new(child.stderr.take().unwrap());
        let mut lines = talk.lines().map_while(Result::ok);
        let line = lines.find(|line| line.contains(" at http://")).unwrap();
        let address = line.split(" at ").nth(1).unwrap().split([';', ' ']).next().unwrap().to_owned();
        // What it says later must not stop it.
        std::thread::spawn(move || lines.for_each(drop));
        Self(child, address)
    }

    fn get(&self, path: &str) -> Value {
        let reply = ureq::get(format!("{}{path}", self.1)).header("authorization", KEY).call();
        serde_json::from_str(&reply.unwrap().body_mut().read_to_string().unwrap()).unwrap()
    }

    fn post(&self, path: &str, kind: &str, body: &str) -> Value {
        let request = ureq::post(format!("{}{path}", self.1)).header("authorization", KEY);
        let request = request.header("content-type", kind).header("x-session-token", "tok_very_private");
        let reply = request.send(body).unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str(&reply).unwrap_or(Value::Null)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

const KEY: &str = "Bearer sk_test_very_private";
const FORM: &str = "application/x-www-form-urlencoded";
const EVENTS: [&str; 3] = ["refund.created", "refund.updated", "refund.failed"];

/// Reads, a refund, reads, and the same reads half a minute later; each exchange gets the time of the simulator's
/// own clock.
fn record(folder: &Folder) {
    let root = root();
    let root = root.to_str().unwrap();
    let simulated = ["simulate", "stripe", "--root", root, "--port", "0", "--clock", "manual"];
    let provider = Served::start(folder, &[&simulated[..], &["--settle", "at-once", "--test-mode"]].concat());
    let target = ["record", "--target", &provider.1, "--port", "0", "--out", "recording"];
    let proxy = Served::start(folder, &target);
    let form =
        "charge=ch_1&amount=500&currency=usd&metadata[email]=ada@example.com&metadata[name]=Ada+Lovelace";
    proxy.get("/v1/refunds?charge=ch_1");
    let made = proxy.post("/v1/refunds", FORM, form);
    let id = made["id"].as_str().unwrap();
    for wait in [0, 30_000] {
        let body = json!({ "advance_ms": wait }).to_string();
        provider.post("/_control/time", "application/json", &body);
        proxy.get(&format!("/v1/refunds/{id}"));
        for event in EVENTS {
            proxy.get(&format!("/v1/events?type={event}"));
        }
        let list = proxy.get("/v1/refunds?charge=ch_1");
        assert_eq!(list["data"][0]["id"], id, "the client sees what the provider says");
    }
    drop(proxy);
    for number in 1.. {
        let path = folder.path().join(format!("recording/{number:04}.json"));
        let Ok(text) = fs::read_to_string(&path) else { break };
        let mut exchange: Value = serde_json::from_str(&text).unwrap();
        let late = exchange["reply"]["headers"]["date"].as_str().unwrap().contains("00:00:30");
        let at = format!("1970-01-01T00:00:{:02}.{:03}Z", if late { 30 } else { 0 }, 10 * number);
        (exchange["at"], exchange["sent_at"]) = (json!(at), json!(at));
        fs::write(&path, exchange.to_string()).unwrap();
    }
}

fn replay(folder: &Folder, contract: &str) -> Answer {
    let file = root().join(format!("skills/stripe/contracts/{contract}.json"));
    let sources = root().join("sources/stripe");
    let (file, sources) = (file.to_str().unwrap(), sources.to_str().unwrap());
    run(folder, &["conformance", "run", file, "--sources", sources, "--replay", "recording"])
}

/// Changes every recorded file, or takes it away.
fn change(folder: &Folder, change: impl Fn(&str) -> Option<String>) {
    for entry in fs::read_dir(folder.path().join("recording")).unwrap() {
        let path = entry.unwrap().path();
        match change(&fs::read_to_string(&path).unwrap()) {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
    }
}

#[test]
fn what_was_recorded_holds_no_secret_and_gives_the_verdict() {
    let folder = Folder::new();
    record(&folder);
    let files = folder.files();
    let recorded: Vec<_> = files.iter().filter(|(path, _)| path.starts_with("recording/")).collect();
    assert_eq!(recorded.len(), 12);
    for (path, bytes) in &recorded {
        let text = String::from_utf8_lossy(bytes);
        for secret in ["very_private", "ada@example.com", "Lovelace", "authorization", "x-session-token"] {
            assert!(!text.contains(secret), "`{secret}` is in {path}: {text}");
        }
    }
    for contract in ["stripe.refund.created", "stripe.refund.succeeded"] {
        let answer = replay(&folder, contract);
        assert_eq!(answer.exit, 0, "{}{}", answer.stdout, answer.stderr);
        assert!(answer.stdout.contains("\nVERIFIED\n") && answer.stdout.contains("12 exchanges, 1 runs"));
        assert!(answer.stdout.lines().all(|line| line.chars().count() <= 80), "{}", answer.stdout);
    }

    // Another amount is shown in every read: the contract says so.
    let other = |text: &str| {
        Some(if text.contains("\"POST\"") { text.to_owned() } else { text.replace("500", "400") })
    };
    change(&folder, other);
    let answer = replay(&folder, "stripe.refund.created");
    assert_eq!(answer.exit, 4, "{}{}", answer.stdout, answer.stderr);

    // The recording ends before anything is settled.
    change(&folder, |text| (!text.contains("00:00:30")).then(|| text.replace("400", "500")));
    let answer = replay(&folder, "stripe.refund.created");
    assert_eq!(answer.exit, 2, "{}{}", answer.stdout, answer.stderr);
    assert!(answer.stdout.contains("PENDING, and the recording ends"), "{}", answer.stdout);

    // A list that was not recorded is not taken for an empty one.
    change(&folder, |text| (!text.contains("\"has_more\"")).then(|| text.to_owned()));
    let answer = replay(&folder, "stripe.refund.created");
    assert_eq!(answer.exit, 2, "{}{}", answer.stdout, answer.stderr);
    assert!(
        answer.stdout.contains("not recorded at that time:") && answer.stdout.contains("GET /v1/refunds")
    );

    // Without the action there is nothing to run.
    change(&folder, |text| (!text.contains("\"POST\"")).then(|| text.to_owned()));
    let answer = replay(&folder, "stripe.refund.created");
    assert_eq!(answer.exit, 1);
    assert!(
        answer.stderr.contains("error[recording_unusable]") && answer.stderr.contains("POST /v1/refunds")
    );
}
