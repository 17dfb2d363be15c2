//! The sources of `sources/shopify` as far as they compile: what each status of a transaction means, and that the
//! one that the provider itself cannot explain stays unknown and is no open question.

use std::path::Path;

use provely_compiler::classify::classify;
use provely_compiler::ingest::ingest;
use provely_compiler::source::load_folder;
use provely_evaluator::contract::StateClass;
use provely_model::Effect;

#[test]
fn each_status_of_a_transaction_is_certain_and_unknown_stays_unknown() {
    let sources = load_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/shopify")).unwrap();
    let classified = classify(&ingest(&sources).unwrap());
    let transaction = classified.service.resource("order_transaction").unwrap();
    let states = &transaction.lifecycle.as_ref().unwrap().states;
    let found: Vec<_> = states.iter().map(|state| (state.name.as_str(), state.class)).collect();
    assert_eq!(
        found,
        [
            ("SUCCESS", StateClass::TerminalSuccess),
            ("FAILURE", StateClass::TerminalFailure),
            ("PENDING", StateClass::Transitional),
            ("ERROR", StateClass::TerminalFailure),
            ("AWAITING_RESPONSE", StateClass::Transitional),
            ("UNKNOWN", StateClass::Unknown),
        ]
    );
    assert!(states.iter().all(|state| state.certainty.is_certain()));
    assert_eq!(classified.service.operation("mutation refundCreate").unwrap().effect, Effect::MoneyRefund);
    let open: Vec<&str> = classified.uncertainties.iter().map(|open| open.id.as_str()).collect();
    assert!(open.iter().all(|id| !id.starts_with("state:")), "{open:?}");
}
