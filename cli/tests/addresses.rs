//! Descriptions at addresses and in folders: what is fetched, and what is not. The server is one of our own.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod run;

use run::{Folder, run};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// Answers GET by a table of path to status, headers and body; keeps the paths that were asked for.
struct Server {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

type Pages = BTreeMap<&'static str, (u16, String, Vec<u8>)>;

fn serve(pages: Pages) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let Some(Ok(first)) = lines.next() else { continue };
            for line in lines.by_ref() {
                if line.unwrap_or_default().is_empty() {
                    break;
                }
            }
            let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
            let missing = (404, String::new(), Vec::new());
            let (status, headers, body) = pages.get(path.as_str()).unwrap_or(&missing);
            kept.lock().unwrap().push(path);
            let head = format!(
                "HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        }
    });
    Server { address, asked }
}

fn page(text: &str) -> (u16, String, Vec<u8>) {
    (200, String::new(), text.as_bytes().to_vec())
}

fn redirect(to: &str) -> (u16, String, Vec<u8>) {
    (302, format!("location: {to}\r\n"), Vec::new())
}

const ROOT: &str =
    "openapi: 3.0.3\ninfo: {title: Far, version: '1'}\npaths:\n  /things: {$ref: 'paths/things.yaml'}\n";
const THINGS: &str = "post: {responses: {'201': {description: ok, content: {application/json: {schema: {$ref: '../../shared/thing.yaml#/Thing'}}}}}}\n";
const SHARED: &str = "Thing: {type: object, properties: {id: {type: string}}}\n";

#[test]
fn a_description_and_its_files_are_fetched_from_one_origin() {
    let pages = [
        ("/v1/api.yaml", page(ROOT)),
        ("/v1/paths/things.yaml", page(THINGS)),
        ("/shared/thing.yaml", page(SHARED)),
        ("/old", redirect("/v1/api.yaml")),
    ];
    let server = serve(pages.into());
    let folder = Folder::new();
    let address = format!("{}/old", server.address);
    let answer = run(&folder, &["skill", "generate", "--openapi", &address, "--emit", "ingest"]);
    assert_eq!(answer.exit, 0, "{}", answer.stderr);
    for wanted in [
        "\"POST /things\"".to_owned(),
        "far.openapi#v1/paths/things.yaml/post".to_owned(),
        format!("\"url\": \"{}/v1/api.yaml\"", server.address),
        "\"retrieved\": \"20".to_owned(),
    ] {
        assert!(answer.stdout.contains(&wanted), "{wanted}: {}", answer.stdout);
    }
    let asked = server.asked.lock().unwrap().clone();
    assert_eq!(asked, ["/old", "/v1/api.yaml", "/v1/paths/things.yaml", "/shared/thing.yaml"]);
}

#[test]
fn nothing_is_fetched_from_another_origin() {
    let other = serve([("/api.yaml", page(ROOT))].into());
    let reference = format!(
        "openapi: 3.0.3\ninfo: {{title: Far, version: '1'}}\npaths:\n  /things: {{$ref: '{}/api.yaml'}}\n",
        other.address
    );
    let server = serve(
        [("/away", redirect(&format!("{}/api.yaml", other.address))), ("/refers", page(&reference))].into(),
    );
    let folder = Folder::new();
    folder.write("local.yaml", &reference);
    let away = format!("{}/away", server.address);
    let refers = format!("{}/refers", server.address);
    for (place, code) in [
        (away.as_str(), "error[address_redirected]"),
        (refers.as_str(), "error[ingest/outside-folder]"),
        ("local.yaml", "error[ingest/outside-folder]"),
    ] {
        let answer = run(&folder, &["skill", "generate", "--openapi", place, "--until", "ingest"]);
        assert_eq!(answer.exit, 1, "{place}");
        assert!(answer.stderr.contains(code), "{place}: {}", answer.stderr);
    }
    assert!(other.asked.lock().unwrap().is_empty(), "the other origin was asked");
}

#[test]
fn what_cannot_be_fetched_says_why() {
    let server =
        serve([("/loop", redirect("/loop")), ("/broken.json", page("openapi: 3.0.0\n\tinfo: x\n"))].into());
    let folder = Folder::new();
    let at = |path: &str| format!("{}{path}", server.address);
    for (place, wanted) in [
        (at("/none"), "error[address_refused]"),
        (at("/loop"), "error[address_redirected]"),
        (at("/broken.json"), "--> broken.json:"),
        ("http://127.0.0.1:1/api.yaml".to_owned(), "error[address_unreachable]"),
        ("https://me:secret@vendor.example/a".to_owned(), "error[address_malformed]"),
        ("http://".to_owned(), "error[address_malformed]"),
    ] {
        let answer = run(&folder, &["skill", "generate", "--openapi", &place, "--until", "ingest"]);
        assert_eq!(answer.exit, 1, "{place}");
        assert!(answer.stderr.contains(wanted), "{place}: {}", answer.stderr);
    }
    assert_eq!(folder.files().keys().filter(|name| !name.starts_with('.')).count(), 0);
}

#[test]
fn a_folder_is_searched_for_descriptions_by_content() {
    let folder = Folder::new();
    folder.write("tree/specs/first.yml", ROOT.replace("Far", "Near").replace("paths/", "../parts/"));
    folder.write("tree/parts/things.yaml", THINGS.replace("../../shared", "../shared"));
    folder.write("tree/shared/thing.yaml", SHARED);
    folder.write("tree/package.json", "{\"name\": \"openapi\"}");
    let one = run(&folder, &["skill", "generate", "--openapi", "tree", "--emit", "ingest"]);
    assert_eq!(one.exit, 0, "{}", one.stderr);
    assert!(one.stdout.contains("near.openapi#parts/things.yaml/post"), "{}", one.stdout);
    folder.write("tree/specs/second.json", "{\"swagger\": \"2.0\", \"info\": {\"title\": \"B\", \"version\": \"1\"}, \"paths\": {\"/b\": {\"get\": {}}}}");
    let two = run(&folder, &["skill", "generate", "--openapi", "tree", "--emit", "ingest"]);
    assert_eq!(two.exit, 0, "{}", two.stderr);
    for wanted in ["near.openapi.first#parts/things.yaml/post", "near.openapi.second#/paths/~1b/get"] {
        assert!(two.stdout.contains(wanted), "{wanted}: {}", two.stdout);
    }
    folder.write("empty/readme.md", "nothing");
    let none = run(&folder, &["skill", "generate", "--openapi", "empty", "--until", "ingest"]);
    assert!(none.exit == 1 && none.stderr.contains("error[folder_empty]"), "{}", none.stderr);
}

#[test]
fn documents_may_be_one_file_or_a_folder_of_folders() {
    let folder = Folder::new();
    folder.write("api.yaml", "openapi: 3.0.3\ninfo: {title: Near, version: '1'}\npaths: {}\n");
    folder.write("docs/states/refunds.html", "<h1>Refunds</h1><p>A refund waits.</p>");
    folder.write("docs/guide.md", "# Guide\n\nRead this.\n");
    for (docs, wanted) in [
        ("docs", vec!["near.docs.states-refunds#refunds/p1", "near.docs.guide#guide/p1"]),
        ("docs/guide.md", vec!["near.docs.guide#guide/p1"]),
    ] {
        let answer =
            run(&folder, &["skill", "generate", "--openapi", "api.yaml", "--docs", docs, "--emit", "ingest"]);
        assert_eq!(answer.exit, 0, "{}", answer.stderr);
        for wanted in wanted {
            assert!(answer.stdout.contains(wanted), "{wanted}: {}", answer.stdout);
        }
    }
}

#[test]
fn type_files_of_an_sdk_give_the_states_that_a_description_leaves_out() {
    let folder = Folder::new();
    folder.write(
        "api.yaml",
        "openapi: 3.0.3
info: {title: Near, version: '1'}
paths:
  '/refunds/{id}':
    get:
      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Refund'}}}}}
components:
  schemas: {Refund: {type: object, required: [id], properties: {id: {type: string}, status: {type: string}}}}
",
    );
    folder.write(
        "sdk/types/Refunds.d.ts",
        "export interface Refund { id: string; status: 'pending' | 'succeeded' | 'failed' }\n",
    );
    folder.write("sdk/index.js", "no type file");
    let line = ["skill", "generate", "--openapi", "api.yaml", "--until", "classify", "--json"];
    let without = run(&folder, &line);
    assert!(without.exit == 0 && !without.stdout.contains("\"succeeded\""), "{}", without.stdout);
    for place in ["sdk", "sdk/types/Refunds.d.ts"] {
        let with = run(&folder, &[&line[..], &["--sdk", place]].concat());
        assert!(
            with.exit == 0 && with.stdout.contains("\"succeeded\""),
            "{place}: {} {}",
            with.stdout,
            with.stderr
        );
    }
    folder.write("sdk/broken.d.ts", "interface A {\n  a: ;\n}\n");
    let broken = run(&folder, &[&line[..], &["--sdk", "sdk"]].concat());
    assert!(broken.exit == 1 && broken.stderr.contains("sdk/syntax"), "{}", broken.stderr);
}

/// The answers to a bundle are checked against its sources: those at an address are fetched again, and where they are
/// gone the reviewer is told what to hand in.
#[test]
fn a_bundle_from_an_address_is_reviewed_against_that_address() {
    let text = std::fs::read_to_string("../sources/stripe/openapi.yaml").unwrap();
    let server = serve([("/api.yaml", page(&text))].into());
    let folder = Folder::new();
    let address = format!("{}/api.yaml", server.address);
    let made = run(&folder, &["skill", "generate", "--openapi", &address, "--service", "acme"]);
    assert_eq!(made.exit, 0, "{}", made.stderr);
    let answer = [
        "skill",
        "review",
        "acme-review",
        "--answer",
        "state:refund.status:succeeded=terminal_success",
        "--assertion",
        "acme.openapi#/components/schemas/refund/properties/status",
        "--reviewer",
        "A. Reviewer",
        "--date",
        "2026-01-02",
    ];
    let written = run(&folder, &answer);
    assert_eq!(written.exit, 0, "{}", written.stderr);
    assert_eq!(server.asked.lock().unwrap().as_slice(), ["/api.yaml", "/api.yaml"]);
    let origin = std::fs::read_to_string(folder.path().join("acme-review/origin.json")).unwrap();
    folder.write("acme-review/origin.json", origin.replace("/api.yaml\"", "/gone.yaml\""));
    let gone = run(&folder, &answer);
    assert_eq!(gone.exit, 1);
    assert!(gone.stderr.contains("/gone.yaml` answers 404"), "{}", gone.stderr);
    assert!(gone.stderr.contains("compiled from an address"), "{}", gone.stderr);
}
