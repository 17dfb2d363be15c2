//! Traps of descriptions, each from a real one: what a description does, and that it is read all the same. Those of
//! single characters (T44 to T46) stand with the document reader.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::collections::BTreeSet;

use provely_compiler::classify::{Classified, classify};
use provely_compiler::ingest::{Ingested, ingest};
use provely_compiler::plan::{Gathered, Rules, plan};
use provely_compiler::source::{Names, Sources, load_openapi};
use provely_compiler::synthesise::synthesise;
use provely_evaluator::contract::Contract;
use provely_model::FieldKind;

fn read(text: &str) -> Ingested {
    ingest(&Sources::of_openapi("things.yaml", text)).unwrap_or_else(|findings| {
        panic!("{}", findings.iter().map(|finding| finding.render(false)).collect::<String>())
    })
}

fn classified(text: &str) -> Classified {
    classify(&read(text))
}

fn contracts(text: &str) -> Vec<Contract> {
    let found = read(text);
    let classified = classify(&found);
    let rules = Rules::builtin().unwrap();
    let planned = plan(&Gathered::of(&found, &classified).known(&classified.service), &rules);
    synthesise(&planned, &Names::default(), &rules).contracts.into_iter().map(|one| one.contract).collect()
}

/// Things that are made, changed and read; `name` is their one field beside id and time.
fn things(version: &str, name: &str) -> String {
    format!(
        r"
openapi: {version}
info: {{ title: Things, version: '1' }}
paths:
  /things:
    post:
      summary: Create a thing
      requestBody: {{ content: {{ application/json: {{ schema: {{ type: object, properties: {{ name: {name} }} }} }} }} }}
      responses: {{ '200': {{ description: done, content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }} }} }}
  /things/{{id}}:
    parameters: [{{ name: id, in: path, required: true, schema: {{ type: string }} }}]
    get:
      summary: Get a thing
      responses: {{ '200': {{ description: done, content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }} }} }}
    patch:
      summary: Update a thing
      requestBody: {{ content: {{ application/json: {{ schema: {{ type: object, properties: {{ name: {name} }} }} }} }} }}
      responses: {{ '200': {{ description: done, content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }} }} }}
components:
  schemas:
    Name: {{ type: string }}
    Thing:
      type: object
      properties: {{ id: {{ type: string }}, name: {name}, created_at: {{ type: string, format: date-time }} }}
"
    )
}

#[test]
fn t47_references_in_circles_and_in_thousands_are_followed_as_they_are_met() {
    let mut text = things("3.0.3", "{ $ref: '#/components/schemas/S0' }");
    // Each leads to the next and to itself; every seventy-second leads back, so that circles of that length close.
    for number in 0..4000 {
        let next = if number % 72 == 71 { number - 71 } else { number + 1 };
        text += &format!(
            "    S{number}: {{ type: object, properties: {{ next: {{ $ref: '#/components/schemas/S{next}' }}, own: {{ $ref: '#/components/schemas/S{number}' }} }} }}\n"
        );
    }
    text += "    S4000: { type: object, properties: { id: { type: string } } }\n";
    let start = std::time::Instant::now();
    let made = contracts(&text);
    assert!(!made.is_empty());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn t48_a_list_that_may_be_null_is_a_list() {
    let text = things("3.1.0", "{ type: [array, 'null'], items: { $ref: '#/components/schemas/Name' } }");
    let classified = classified(&text);
    let thing = classified.service.resources.first().unwrap();
    let name = thing.fields.iter().find(|field| field.name == "name").unwrap();
    assert_eq!((name.kind, name.nullable), (FieldKind::Array, true));
}

#[test]
fn t49_both_spellings_of_null_give_the_same_contracts() {
    let flagged = contracts(&things("3.0.3", "{ type: string, nullable: true }"));
    let listed = contracts(&things("3.1.0", "{ type: [string, 'null'] }"));
    let hashes = |contracts: &[Contract]| -> Vec<(String, Option<String>)> {
        contracts.iter().map(|contract| (contract.id.clone(), contract.hash.clone())).collect()
    };
    assert!(flagged.len() > 1 && flagged.iter().all(|contract| contract.hash.is_some()));
    assert_eq!(hashes(&flagged), hashes(&listed));
    let number = contracts(&things("3.0.3", "{ type: integer }"));
    assert_ne!(hashes(&number), hashes(&listed), "another type is another contract");
}

#[test]
fn t49_nullable_where_it_has_no_place_is_read_and_said() {
    for (version, name, odd) in [
        ("3.1.0", "{ type: string, nullable: true }", "nullable-in-3.1"),
        ("3.0.3", "{ $ref: '#/components/schemas/Name', nullable: true }", "nullable-beside-reference"),
    ] {
        let classified = classified(&things(version, name));
        let thing = classified.service.resources.first().unwrap();
        assert!(thing.fields.iter().find(|field| field.name == "name").unwrap().nullable, "{version}");
        let questions: Vec<&str> = classified.uncertainties.iter().map(|open| open.id.as_str()).collect();
        assert!(questions.iter().any(|id| id.ends_with(odd)), "{questions:?}");
    }
}

#[test]
fn t50_operations_whose_ids_are_missing_the_same_or_alike_keep_contracts_of_their_own() {
    let one = |path: &str, id: &str| {
        format!(
            "  {path}:\n    post:\n      {id}summary: Create a thing\n      requestBody: {{ content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }} }}\n      responses: {{ '200': {{ description: done, content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }} }} }}\n  {path}/{{id}}:\n    get:\n      summary: Get a thing\n      parameters: [{{ name: id, in: path, required: true, schema: {{ type: string }} }}]\n      responses: {{ '200': {{ description: done, content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }} }} }}\n"
        )
    };
    let paths = [
        one("/foo/list", "operationId: foo/list\n      "),
        one("/foo.list", "operationId: foo.list\n      "),
        one("/foo_list", "operationId: foo.list\n      "),
        one("/foo-list", ""),
    ];
    let text = format!(
        "openapi: 3.0.3\ninfo: {{ title: Foo, version: '1' }}\npaths:\n{}components:\n  schemas:\n    Thing: {{ type: object, properties: {{ id: {{ type: string }}, name: {{ type: string }}, created_at: {{ type: string, format: date-time }} }} }}\n",
        paths.concat()
    );
    let found = read(&text);
    let ids: BTreeSet<&str> = found.operations.iter().map(|operation| operation.id.as_str()).collect();
    assert_eq!(ids.len(), 8);
    let made = contracts(&text);
    let operations: BTreeSet<&str> = made.iter().map(|own| own.action.operation.as_str()).collect();
    assert_eq!(operations.len(), 4, "{operations:?}");
    let names: BTreeSet<&str> = made.iter().map(|own| own.id.as_str()).collect();
    assert_eq!(names.len(), made.len(), "{names:?}");
    let again: Vec<String> = contracts(&text).into_iter().map(|own| own.id).collect();
    assert!(made.iter().map(|own| &own.id).eq(&again), "the same ids each time");
}

#[test]
fn t51_nothing_outside_the_folder_is_read_whatever_a_reference_says() {
    for target in [
        "http://169.254.169.254/latest/meta-data",
        "file:///proc/self/environ",
        "/etc/passwd",
        "../../etc/passwd",
        "..%2F..%2Fetc/passwd",
        "\\\\\\\\host\\\\share\\\\a.yaml",
    ] {
        let text = format!(
            "openapi: 3.0.3\ninfo: {{ title: A, version: '1' }}\npaths:\n  /a: {{ $ref: \"{target}\" }}\n"
        );
        let findings = ingest(&Sources::of_openapi("a.yaml", text)).unwrap_err();
        let finding = findings.first().unwrap();
        assert!(
            ["ingest/outside-folder", "ingest/missing-file"].contains(&finding.code),
            "{target}: {}",
            finding.render(false)
        );
        assert!(finding.render(false).contains("a.yaml:4:"), "{}", finding.render(false));
    }
}

#[test]
fn t52_path_items_in_files_of_their_own_are_followed_and_a_missing_one_is_named() {
    let folder = std::env::temp_dir().join(format!("provely-traps-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("paths")).unwrap();
    let root = folder.join("root.yaml");
    let item = "get:\n  responses: {'200': {description: ok}}\n";
    let text = "openapi: 3.0.3\ninfo: {title: A, version: '1'}\npaths:\n  /a: {$ref: paths/a.yaml}\n";
    std::fs::write(&root, text).unwrap();
    std::fs::write(folder.join("paths/a.yaml"), item).unwrap();
    let found = ingest(&load_openapi(&root).unwrap()).unwrap();
    assert!(found.operation("GET /a").is_some());
    std::fs::remove_file(folder.join("paths/a.yaml")).unwrap();
    let findings = ingest(&load_openapi(&root).unwrap()).unwrap_err();
    std::fs::remove_dir_all(&folder).unwrap();
    let finding = findings.first().unwrap().render(false);
    assert!(finding.contains("ingest/missing-file") && finding.contains("paths/a.yaml"), "{finding}");
}
