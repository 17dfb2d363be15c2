//! The comparison itself: what counts as right, missed and false, and that floors only rise.

use provely_evaluator::contract::StateClass;

use super::*;
use crate::source::Sources;

const SPEC: &str = "\
openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /orders:
    post:
      operationId: createOrder
      summary: Create an order
      responses:
        '201': { description: made, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }
    get:
      operationId: listOrders
      responses:
        '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Order' } } } } }
  /orders/{id}:
    get:
      operationId: getOrder
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }
components:
  schemas:
    Order:
      type: object
      properties:
        id: { type: string }
        status: { type: string, enum: [pending, completed, failed, zorp] }
";

const LABELS: &str = "\
- vendor: shop
  spec: shop.yaml
  resource: order
  field: '#/components/schemas/Order/properties/status'
  states:
    pending: {class: transitional, documented: false}
    completed: {class: terminal_neutral, documented: false}
    failed: {class: terminal_failure, documented: true}
    zorp: {class: unknown, documented: false}
    lost: {class: terminal_failure, documented: false}
  operations:
    - {op: 'POST /orders', effect: message.send, accept: [order.place], readback: 'GET /orders/{id}', result_id: '$.id'}
    - {op: 'GET /orders', effect: read}
    - {op: 'DELETE /orders/{id}', effect: record.delete, readback: null, result_id: null}
- vendor: shop
  spec: shop.yaml
  resource: parcel
  field: '#/components/schemas/Parcel/properties/status'
  states:
    sent: {class: terminal_success, documented: true}
";

fn labels() -> Vec<Label> {
    read_labels("labels.yaml", LABELS).unwrap()
}

fn truth() -> Truth {
    let compiled = Compiled::of(&Sources::of_openapi("shop.yaml", SPEC)).unwrap();
    Truth::of(vec![judge("shop.yaml", &labels(), Ok(&compiled))])
}

fn share(truth: &Truth, figure: &str) -> (u32, u32) {
    let Share { right, of } = truth.figures.get(figure);
    (right, of)
}

#[test]
fn what_is_as_labelled_counts_as_right() {
    let truth = truth();
    for (figure, wanted) in [
        ("specs_read", (1, 1)),
        ("operations_found", (2, 3)),
        ("acting_recalled", (1, 2)),
        ("reads_kept", (1, 1)),
        ("effects_named", (2, 3)),
        ("readbacks", (1, 2)),
        ("result_ids", (1, 2)),
        ("resources_found", (1, 2)),
        ("state_fields_found", (1, 2)),
        ("recall", (3, 6)),
        ("settled_recall", (2, 5)),
        ("documented_certain", (0, 2)),
        ("documented_successes_certain", (0, 1)),
        ("recall.unknown", (1, 1)),
    ] {
        assert_eq!(share(&truth, figure), wanted, "{figure}: {:#?}", truth.misses);
    }
}

#[test]
fn a_false_success_is_named_with_how_sure_it_was() {
    let truth = truth();
    let [found] = truth.false_successes.as_slice() else { panic!("{:?}", truth.false_successes) };
    assert_eq!((found.sure, found.state.as_str()), (Sure::Lexical, "completed"));
    assert_eq!(found.labelled, StateClass::TerminalNeutral);
    let confused = truth.confused(Sure::Lexical, StateClass::TerminalNeutral, StateClass::TerminalSuccess);
    assert_eq!(confused, 1);
    let success = figure_of("lexical_precision", StateClass::TerminalSuccess);
    assert_eq!(share(&truth, &success), (0, 1));
}

#[test]
fn every_miss_says_what_was_found_instead() {
    let truth = truth();
    let lost = truth.misses.iter().find(|miss| miss.subject == "lost of order").unwrap();
    assert_eq!((lost.labelled.as_str(), lost.found.as_str()), ("terminal_failure, not documented", "none"));
    let unsure = truth.misses.iter().find(|miss| miss.subject == "failed of order").unwrap();
    assert_eq!(unsure.found, "terminal_failure, lexical");
    assert!(truth.misses.iter().any(|miss| miss.kind == MissKind::Resource && miss.subject == "parcel"));
    assert!(truth.misses.iter().any(|miss| miss.kind == MissKind::Operation));
    assert!(!truth.misses.iter().any(|miss| miss.subject == "zorp of order"));
}

#[test]
fn a_description_that_is_not_read_misses_everything() {
    let truth = Truth::of(vec![judge("shop.yaml", &labels(), Err("no reader"))]);
    for measured in truth.figures.whole() {
        assert_eq!(measured.share.right, 0, "{}", measured.name);
    }
    assert_eq!(share(&truth, "acting_recalled"), (0, 2));
    assert_eq!(share(&truth, "readbacks"), (0, 2));
    assert_eq!(share(&truth, "recall"), (0, 6));
    assert_eq!(truth.refused.len(), 1);
    assert_eq!(truth.misses.iter().filter(|miss| miss.kind == MissKind::Operation).count(), 3);
}

#[test]
fn a_share_of_nothing_is_no_share_and_below_every_floor() {
    let floors = read_floors("floors.yaml", "figures: {certain_precision: {floor: 0}}").unwrap();
    let truth = truth();
    assert_eq!(truth.figures.get("certain_precision").permille(), None);
    assert_eq!(truth.figures.get("certain_precision").percent(), "none");
    assert_eq!(floors.below(&truth.figures).len(), 1);
}

#[test]
fn floors_are_raised_in_place_and_never_lowered() {
    let text = "# kept\nfigures:\n  recall: {floor: 10, aim: 80} # kept\n  reads_kept: {floor: 99.5}\n  acting_recalled: {floor: 90}\n";
    let truth = truth();
    let floors = read_floors("floors.yaml", text).unwrap();
    let below: Vec<String> = floors.below(&truth.figures).into_iter().map(|below| below.figure).collect();
    assert_eq!(below, ["acting_recalled"]);
    let raised = floors.raised(text, &truth.figures);
    let wanted = text.replace("floor: 10,", "floor: 50.0,").replace("floor: 99.5}", "floor: 100.0}");
    assert_eq!(raised, wanted);
}

#[test]
fn a_figure_that_does_not_exist_has_no_floor() {
    let finding = read_floors("floors.yaml", "figures:\n  recal: {floor: 10}\n").unwrap_err();
    assert_eq!((finding.code, finding.place().line), ("truth/unknown-figure", 2));
    assert_eq!(finding.help.as_deref(), Some("did you mean `recall`?"));
    let finding = read_floors("floors.yaml", "figures:\n  recall: {floor: 101}\n").unwrap_err();
    assert_eq!(finding.place().line, 2);
}
