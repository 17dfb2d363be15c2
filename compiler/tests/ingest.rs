//! Walks the fixtures of the ingest stage: a file and, beside it, what reading it gives. Set
//! `PROVELY_BLESS=1` to rewrite the expectations.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod fixtures;

use std::collections::BTreeSet;

use provely_compiler::ingest::ingest;
use provely_compiler::source::{SourceFile, SourceKind, Sources};

use fixtures::{expect, inputs};

fn sources(name: &str, text: String) -> Sources {
    let stem = name.split('.').next().unwrap().to_owned();
    let (kind, ending) = if name.ends_with(".md") {
        (SourceKind::Docs, "docs")
    } else if name.ends_with(".events.json") {
        (SourceKind::EventSample, "events")
    } else {
        (SourceKind::Openapi, "openapi")
    };
    let file = SourceFile {
        id: format!("{stem}.{ending}"),
        kind,
        name: name.to_owned(),
        url: None,
        retrieved: None,
        excerpt: None,
        text,
    };
    Sources { service: None, files: vec![file], review: Vec::new() }
}

#[test]
fn every_fixture_gives_what_is_expected() {
    for (name, text) in inputs("ingest") {
        let out = match ingest(&sources(&name, text)) {
            Ok(found) => serde_json::to_string_pretty(&found).unwrap(),
            Err(findings) => {
                findings.iter().map(|finding| finding.render(false)).collect::<Vec<_>>().join("\n")
            }
        };
        expect("ingest", &name, &out);
    }
}

#[test]
fn a_reference_to_another_file_is_followed() {
    let file = |name: &str, kind, text: &str| SourceFile {
        id: "a.openapi".to_owned(),
        kind,
        name: name.to_owned(),
        url: None,
        retrieved: None,
        excerpt: None,
        text: text.to_owned(),
    };
    let root = "openapi: 3.0.0\ninfo: {title: A, version: '1'}\npaths:\n  /a: {$ref: paths/a.yaml}\n";
    let part = "get:\n  responses:\n    '200':\n      description: ok\n      content: {application/json: {schema: {$ref: '../schemas/a.yaml#/A'}}}\n";
    let schema = "A: {type: object, properties: {id: {type: string}}}\n";
    let files = vec![
        file("root.yaml", SourceKind::Openapi, root),
        file("paths/a.yaml", SourceKind::OpenapiPart, part),
        file("schemas/a.yaml", SourceKind::OpenapiPart, schema),
    ];
    let found = ingest(&Sources { service: None, files, review: Vec::new() }).unwrap();
    let operation = found.operation("GET /a").unwrap();
    assert_eq!(operation.assertion, "a.openapi#paths/a.yaml/get");
    let reply = operation.success().unwrap().schema.as_ref().unwrap();
    let schema = found.schema(reply).unwrap();
    assert_eq!(schema.properties().first().unwrap().name, "id");
    assert_eq!(schema.assertion(), "a.openapi#schemas/a.yaml/A");
}

/// Place and name of a parameter that stands in the operation itself.
fn inline(parameter: &openapiv3::ReferenceOr<openapiv3::Parameter>) -> Option<(&'static str, &str)> {
    let openapiv3::ReferenceOr::Item(parameter) = parameter else { return None };
    let place = match parameter {
        openapiv3::Parameter::Query { .. } => "query",
        openapiv3::Parameter::Header { .. } => "header",
        openapiv3::Parameter::Path { .. } => "path",
        openapiv3::Parameter::Cookie { .. } => "cookie",
    };
    Some((place, &parameter.parameter_data_ref().name))
}

#[test]
fn the_oracle_counts_the_same_operations_and_parameters() {
    let mut seen = 0;
    for (name, text) in fixtures::corpus(&["json"]) {
        let Ok(oracle) = serde_json::from_str::<openapiv3::OpenAPI>(&text) else { continue };
        let Ok(found) = ingest(&Sources::of_openapi(&name, text)) else { continue };
        seen += 1;
        let count = oracle.operations().count();
        let read =
            found.operations.iter().filter(|operation| operation.assertion.contains("#/paths/")).count();
        assert_eq!(read, count, "operations of {name}");
        for (path, method, operation) in oracle.operations() {
            let id = format!("{} {path}", method.to_uppercase());
            let ours = found.operation(&id).unwrap_or_else(|| panic!("{name} lacks {id}"));
            let stated: BTreeSet<(&str, &str)> = operation.parameters.iter().filter_map(inline).collect();
            let read: BTreeSet<&str> =
                ours.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            assert!(stated.iter().all(|(_, known)| read.contains(known)), "parameters of {id} in {name}");
            let odd = found.uncertainties.iter().filter(|open| open.subject.starts_with(&ours.id)).count();
            assert!(ours.parameters.len() + odd >= stated.len(), "parameters of {id} in {name}");
            assert_eq!(
                ours.replies.len(),
                operation.responses.responses.len() + usize::from(operation.responses.default.is_some()),
                "replies of {id} in {name}"
            );
        }
    }
    assert!(seen > 0, "the fixtures hold no OpenAPI 3.0 in JSON");
}

/// A description with `count` references to one thing each, and one more that leads nowhere.
fn with_one_dangling(count: usize) -> String {
    let mut text =
        "openapi: 3.0.0\ninfo: {title: A, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n".to_owned();
    for number in 0..count {
        text += &format!(
            "    S{number}: {{type: object}}\n    R{number}: {{$ref: '#/components/schemas/S{number}'}}\n"
        );
    }
    text + "    Lost: {type: array, items: {$ref: '#/components/schemas/Gone'}}\n"
}

#[test]
fn one_dangling_reference_among_many_is_a_question_and_among_few_an_error() {
    let found = ingest(&Sources::of_openapi("a.yaml", with_one_dangling(60))).unwrap();
    let [question] = found.uncertainties.as_slice() else { panic!("{:?}", found.uncertainties) };
    assert!(
        question.question.contains("`#/components/schemas/Gone` at a.yaml:126:"),
        "{}",
        question.question
    );
    assert_eq!(question.assertions, ["a.openapi#/components/schemas/Lost/items"]);
    let findings = ingest(&Sources::of_openapi("a.yaml", with_one_dangling(10))).unwrap_err();
    assert_eq!(findings.first().unwrap().code, "pointer/unresolved");
}

#[test]
fn the_same_operation_of_two_descriptions_is_kept_twice() {
    let text = "openapi: 3.0.0\ninfo: {title: A, version: '1'}\npaths: {/a: {get: {responses: {200: {description: A}}}}}\n";
    let mut sources = Sources::of_openapi("one.yaml", text);
    sources.files.extend(Sources::of_openapi("two.yaml", text).files);
    let found = ingest(&sources).unwrap();
    let ids: Vec<&str> = found.operations.iter().map(|operation| operation.id.as_str()).collect();
    assert_eq!(ids, ["GET /a", "GET /a (2)"]);
    assert_eq!(found.uncertainties.first().unwrap().id, "input:two.openapi:same-operation");
}

#[test]
fn encodings_and_line_ends_make_no_difference() {
    let text = "openapi: 3.0.0\ninfo:\n  title: Ä\n  version: '1'\npaths: {}\n";
    let wide = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(order).collect()
    };
    let spellings: [Vec<u8>; 5] = [
        text.as_bytes().to_vec(),
        text.replace('\n', "\r\n").into_bytes(),
        format!("\u{feff}{text}").into_bytes(),
        wide(u16::to_le_bytes),
        wide(u16::to_be_bytes),
    ];
    for bytes in spellings {
        let read = provely_document::text("a.yaml", bytes).unwrap();
        assert_eq!(provely_compiler::source::kind_of(&read), Some(SourceKind::Openapi));
        assert_eq!(ingest(&Sources::of_openapi("a.yaml", read)).unwrap().title, "Ä");
    }
}

#[test]
fn event_types_that_are_only_named_are_found_and_declared_ones_keep_their_payload() {
    let text = r##"
openapi: 3.1.0
info: {title: A, version: "1"}
paths:
  /hooks:
    post:
      requestBody:
        content:
          application/json:
            schema:
              properties:
                enabled_events: {type: array, items: {enum: ["*", refund.created, refund.updated, payout.paid]}}
                event: {enum: [morning, evening]}
                status: {enum: [created, updated]}
    get:
      parameters: [{name: topics, in: query, schema: {$ref: "#/components/schemas/WebhookTopic"}}]
webhooks:
  refundCreated:
    post:
      requestBody:
        content:
          application/json:
            schema: {properties: {type: {const: refund.created}, data: {type: object}}}
components:
  schemas:
    WebhookTopic: {enum: [REFUNDS_CREATE, ORDERS_PAID]}
    Event: {properties: {id: {type: string}, type: {type: string}, data: {type: object}}}
"##;
    let found = ingest(&Sources::of_openapi("a.yaml", text)).unwrap();
    let seen: Vec<(&str, bool, bool)> = found
        .event_types
        .iter()
        .map(|event| (event.name.as_str(), event.payload.is_some(), event.envelope.is_some()))
        .collect();
    assert_eq!(
        seen,
        [
            ("refund.created", true, false),
            ("refund.updated", false, true),
            ("payout.paid", false, true),
            ("REFUNDS_CREATE", false, true),
            ("ORDERS_PAID", false, true)
        ]
    );
    let place = "a.openapi#/paths/~1hooks/post/requestBody/content/application~1json/schema/properties/enabled_events/items/enum/2";
    assert_eq!(found.event_types[1].assertion, place);
    assert_eq!(found.event_types[3].assertion, "a.openapi#/components/schemas/WebhookTopic/enum/0");
}

/// A type file of an SDK as vendors write them.
const TYPES: &str = "
declare module 'vendor' {
  namespace Vendor {
    /**
     * A refund of a charge.
     * @deprecated no more
     */
    interface Refund {
      id: string;
      /** `pending` until the bank answers; `succeeded` once the money was sent. */
      status: Refund.Status | null;
      reason?: 'duplicate' | 'fraudulent' | (string & {});
      parts: Array<Refund.Part>;
    }
    namespace Refund {
      type Status = 'pending' | 'succeeded' | 'failed';
      interface Part { amount: number }
    }
    export enum Mode { Live = 'live', Test = 'test' }
  }
}
";

fn with_types(types: &str) -> Sources {
    let text = "openapi: 3.0.0\ninfo: {title: A, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n    refund: {type: object, properties: {status: {type: string}, mode: {enum: [own]}}}\n";
    let mut sources = Sources::of_openapi("a.yaml", text);
    let like = sources.files[0].clone();
    sources.files.push(SourceFile {
        id: "a.sdk".to_owned(),
        kind: SourceKind::SdkTypes,
        name: "a.d.ts".to_owned(),
        text: types.to_owned(),
        ..like
    });
    sources
}

#[test]
fn types_of_an_sdk_say_what_a_description_leaves_open() {
    let found = ingest(&with_types(TYPES)).unwrap();
    let schema = found.schema(&found.schemas[0]).unwrap();
    let status = schema.property("status").unwrap().schema;
    assert_eq!(status.values(), ["pending", "succeeded", "failed"]);
    assert_eq!(schema.property("mode").unwrap().schema.values(), ["own"]);
    let said = status.descriptions();
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].0, "a.sdk#Vendor.Refund/status");
    assert!(said[0].1.starts_with("`pending` until"), "{}", said[0].1);
    assert_eq!(schema.descriptions(), [("a.sdk#Vendor.Refund".to_owned(), "A refund of a charge.")]);
    assert_eq!(found.sources[1].kind, "sdk_types");
}

#[test]
fn a_broken_or_hostile_type_file_is_refused_with_its_place() {
    let code = |types: &str| ingest(&with_types(types)).unwrap_err()[0].clone();
    let broken = code("interface A {\n  a: ;\n}\n");
    assert_eq!((broken.code, broken.place().line), ("sdk/syntax", 2));
    for hostile in
        ["type A = ".to_owned() + &"[".repeat(20_000), "type A = ".to_owned() + &"keyof ".repeat(20_000)]
    {
        assert_eq!(code(&hostile).code, "sdk/limit");
    }
}

#[test]
fn a_version_that_names_none_gives_way_to_the_day_of_reading() {
    let text =
        |version: &str| format!("openapi: 3.1.0\ninfo: {{title: A, version: {version}}}\npaths: {{}}\n");
    let of = |version: &str, retrieved: Option<&str>| {
        let mut sources = sources("a", text(version));
        sources.files[0].retrieved = retrieved.map(str::to_owned);
        ingest(&sources).unwrap().version.unwrap()
    };
    assert_eq!(of("2.4.0", None), "2.4.0");
    assert_eq!(of("latest", Some("2026-02-03")), "2026-02-03");
    assert_eq!(of("latest", None), "1");
}
