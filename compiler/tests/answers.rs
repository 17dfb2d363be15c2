//! What a reviewer's answers change in the model: an effect, and whether a field carries the state at all.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use provely_compiler::classify::{Classified, classify};
use provely_compiler::ingest::ingest;
use provely_compiler::source::{Answer, Sources};
use provely_model::Effect;

const SPEC: &str = "\
openapi: 3.1.0
info: { title: Desk, version: '1' }
paths:
  /payments:
    post:
      summary: Send a payment
      responses:
        '201': { description: made, content: { application/json: { schema: { $ref: '#/components/schemas/Payment' } } } }
  /payments/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Payment' } } } }
components:
  schemas:
    Payment:
      type: object
      properties:
        id: { type: string }
        status: { type: string, description: 'One of `fast`, `slow` or `odd`.' }
";

fn answered(uncertainty: &str, answer: &str) -> Classified {
    let mut sources = Sources::of_openapi("desk.yaml", SPEC);
    sources.review = vec![Answer {
        uncertainty: uncertainty.to_owned(),
        answer: answer.to_owned(),
        assertion: "desk.openapi#/paths/~1payments/post".to_owned(),
        reviewer: "R".to_owned(),
        date: "2026-01-01".to_owned(),
    }];
    classify(&ingest(&sources).unwrap())
}

fn raises(classified: &Classified, id: &str) -> bool {
    classified.uncertainties.iter().any(|open| open.id == id)
}

#[test]
fn an_answered_effect_is_that_of_the_operation() {
    let id = "effect:POST /payments";
    assert!(raises(&answered("another", "x"), id));
    for effect in [Effect::DocumentSend, Effect::Read] {
        let classified = answered(id, effect.name());
        let operation = classified.service.operation("POST /payments").unwrap();
        assert_eq!(operation.effect, effect);
        assert!(operation.assertions.iter().any(|assertion| assertion.ends_with("~1payments/post")));
        assert!(!raises(&classified, id) && classified.answered.contains(&id.to_owned()));
    }
    assert!(raises(&answered(id, "no such effect"), id));
}

#[test]
fn a_field_that_carries_no_state_gives_no_lifecycle() {
    let before = answered("another", "x");
    let resource = |classified: &Classified| classified.service.resources[0].lifecycle.is_some();
    let id = before.uncertainties.iter().find(|open| open.id.starts_with("state_field:")).unwrap().id.clone();
    assert!(resource(&before));
    let after = answered(&id, "no");
    assert!(!resource(&after) && after.answered.contains(&id));
    assert!(!after.uncertainties.iter().any(|open| open.id.starts_with("state")));
    assert!(resource(&answered(&id, "yes")));
}
