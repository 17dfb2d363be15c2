//! Hands hostile input to the compiler, each in a process of its own: it is refused with its reason or survived, within
//! a second of processor time and 200 MB.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

mod run;

use run::{Folder, command};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

const MOST_KILOBYTES: u64 = 200 * 1024;
/// In hundredths of a second.
const MOST_TICKS: u64 = 100;

/// What a process used, and what it said on stderr.
struct Used {
    exit: i32,
    kilobytes: u64,
    ticks: u64,
    said: String,
}

fn used(folder: &Folder, arguments: &[&str]) -> Used {
    let (out, err) = (folder.path().join("stdout"), folder.path().join("stderr"));
    let mut child = command(folder, arguments)
        .stdout(std::fs::File::create(out).unwrap())
        .stderr(std::fs::File::create(&err).unwrap())
        .spawn()
        .unwrap();
    let (begun, place) = (Instant::now(), format!("/proc/{}", child.id()));
    let (mut kilobytes, mut ticks) = (0, 0);
    let status = loop {
        let text = std::fs::read_to_string(format!("{place}/status")).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        kilobytes = peak.and_then(|peak| peak.split_whitespace().next()?.parse().ok()).unwrap_or(kilobytes);
        let stat = std::fs::read_to_string(format!("{place}/stat")).unwrap_or_default();
        let fields: Vec<u64> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .map(|field| field.parse().unwrap_or(0))
            .collect();
        if fields.len() > 12 {
            ticks = fields[11] + fields[12];
        }
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "still running: {arguments:?}");
        std::thread::sleep(Duration::from_millis(2));
    };
    Used { exit: status.code().unwrap(), kilobytes, ticks, said: std::fs::read_to_string(err).unwrap() }
}

/// A description whose `paths` and `components` are these.
fn description(paths: &str, components: &str) -> String {
    format!(
        "openapi: 3.0.3\ninfo: {{title: Hostile, version: '1'}}\npaths: {paths}\ncomponents: {components}\n"
    )
}

fn with_reference(reference: &str) -> String {
    description("{}", &format!("{{schemas: {{A: {{$ref: '{reference}'}}}}}}"))
}

fn bomb() -> String {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..20 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(text, "a{level}: &a{level} [{aliases}]").unwrap();
    }
    format!("openapi: 3.0.3\ninfo: {{title: Bomb, version: '1'}}\npaths: {{}}\n{text}")
}

/// Schemas that all hold all others, and read them in several ways.
fn entangled(count: usize) -> String {
    let mut schemas = String::new();
    for number in 0..count {
        let below: String = (0..count)
            .map(|other| format!("p{other}: {{$ref: '#/components/schemas/S{other}'}}, "))
            .collect();
        let next = (number + 1) % count;
        let twice = format!("{{$ref: '#/components/schemas/S{next}'}}");
        write!(schemas, "S{number}: {{type: object, allOf: [{twice}, {twice}], oneOf: [{twice}, {twice}], properties: {{{below}}}}}, ")
            .unwrap();
    }
    let body = "content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}";
    let paths = format!(
        "{{/a: {{post: {{requestBody: {{{body}}}, responses: {{'201': {{description: ok, {body}}}}}}}}}, '/a/{{id}}': {{get: {{responses: {{'200': {{description: ok, {body}}}}}}}}}}}"
    );
    description(&paths, &format!("{{schemas: {{{schemas}}}}}"))
}

const SELF_REFERENCES: &str = "
openapi: 3.1.0
info: {title: Selves, version: '1'}
paths:
  /a: {$ref: '#/paths/~1a'}
  /b: {$ref: '#/paths/~1c'}
  /c: {$ref: '#/paths/~1b'}
  /d/{id}:
    parameters: [{$ref: '#/components/parameters/P'}]
    get:
      responses:
        '200': {$ref: '#/components/responses/R'}
    post:
      requestBody: {$ref: '#/components/requestBodies/B'}
      callbacks: {back: {$ref: '#/components/callbacks/C'}}
      responses:
        '201': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/T'}}}}
    put: {$ref: '#/paths/~1d~1{id}/put'}
components:
  parameters: {P: {$ref: '#/components/parameters/P'}}
  responses: {R: {$ref: '#/components/responses/R'}}
  requestBodies: {B: {$ref: '#/components/requestBodies/B'}}
  callbacks: {C: {$ref: '#/components/callbacks/C'}}
  schemas:
    S: {$ref: '#/components/schemas/S'}
    T:
      type: object
      allOf: [{$ref: '#/components/schemas/T'}]
      anyOf: [{$ref: '#/components/schemas/T'}, {$ref: '#/components/schemas/S'}]
      items: {$ref: '#/components/schemas/T'}
      properties: {status: {$ref: '#/components/schemas/T'}, next: {$ref: '#/components/schemas/S'}}
webhooks:
  w: {$ref: '#/webhooks/w'}
";

/// Name of a file, its text, and the code with which it is refused; none for what is survived.
fn descriptions() -> Vec<(&'static str, String, Option<&'static str>)> {
    let many: String = (0..20_000).map(|number| format!("'v{number}', ")).collect();
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
    let mut block = String::from("openapi: 3.0.3\nx-deep:\n");
    for level in 1..2_000 {
        writeln!(block, "{}a:", " ".repeat(level)).unwrap();
    }
    vec![
        ("bomb.yaml", bomb(), Some("yaml/alias-expansion")),
        ("cycle.yaml", "openapi: 3.0.3\npaths: &p {a: *p}\n".to_owned(), Some("yaml/alias-cycle")),
        (
            "deep.json",
            format!("{{\"openapi\": \"3.0.3\", \"a\": {}}}", deep("[", "]")),
            Some("document/too-deep"),
        ),
        (
            "deeper.json",
            format!("{{\"openapi\": \"3.0.3\", \"a\": {}}}", deep("{\"a\":", "}")),
            Some("document/too-deep"),
        ),
        ("deep.yaml", format!("openapi: 3.0.3\na: {}\n", deep("[", "]")), Some("document/too-deep")),
        ("block.yaml", block, Some("document/too-deep")),
        (
            "network.yaml",
            with_reference("http://169.254.169.254/latest/meta-data"),
            Some("ingest/outside-folder"),
        ),
        ("secure.yaml", with_reference("https://vendor.example/a.yaml#/A"), Some("ingest/outside-folder")),
        ("proc.yaml", with_reference("/proc/self/environ"), Some("ingest/outside-folder")),
        ("scheme.yaml", with_reference("file:///proc/self/environ"), Some("ingest/outside-folder")),
        ("above.yaml", with_reference("../../../../../../etc/passwd"), Some("ingest/outside-folder")),
        ("encoded.yaml", with_reference("%2e%2e/%2e%2e/etc/passwd"), Some("ingest/outside-folder")),
        ("link.yaml", with_reference("link.txt.yaml"), Some("ingest/missing-file")),
        ("folder.yaml", with_reference("."), Some("ingest/missing-file")),
        ("selves.yaml", SELF_REFERENCES.to_owned(), None),
        ("entangled.yaml", entangled(60), None),
        ("values.yaml", description("{}", &format!("{{schemas: {{A: {{enum: [{many}]}}}}}}")), None),
    ]
}

#[test]
fn hostile_descriptions_are_refused_or_survived() {
    for (name, text, code) in descriptions() {
        let folder = Folder::new();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link.txt.yaml")).unwrap();
        folder.write(name, text);
        hold(&folder, name, &["skill", "generate", "--openapi", name, "--until", "synthesise"], code);
    }
}

#[test]
fn a_hostile_page_is_survived_and_no_name_of_a_file_leads_out() {
    let folder = Folder::new();
    folder.write("api.yaml", description("{}", "{}"));
    folder.write("docs/deep.html", "<div><b id=x><table>".repeat(10_000));
    folder.write("docs/quote.md", "> ".repeat(10_000) + "x");
    folder.write(
        "docs/list.md",
        (0..1_000).map(|depth| format!("{}- x\n", "  ".repeat(depth))).collect::<String>(),
    );
    folder.write("docs/emphasis.md", "*a **a ".repeat(20_000));
    folder.write("docs/brackets.md", "[".repeat(50_000));
    let line = ["skill", "generate", "--openapi", "api.yaml", "--docs", "docs", "--until", "synthesise"];
    hold(&folder, "documents", &line, None);
}

fn hold(folder: &Folder, name: &str, line: &[&str], code: Option<&str>) {
    let used = used(folder, line);
    match code {
        Some(code) => {
            assert_eq!(used.exit, 1, "{name}: {}", used.said);
            assert!(used.said.contains(&format!("error[{code}]")), "{name}: {}", used.said);
        }
        None => assert_eq!(used.exit, 0, "{name}: {}", used.said),
    }
    assert!(used.ticks <= MOST_TICKS, "{name} took {} hundredths of a second", used.ticks);
    assert!(used.kilobytes <= MOST_KILOBYTES, "{name} took {} KB", used.kilobytes);
}
