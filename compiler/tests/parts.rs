//! Records whose outcome stands in a list inside them: which list, which of its items count, what is compared with
//! the input, and what is left alone where that is not sure.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops at the first surprise"
)]

use std::path::Path;

use provely_compiler::classify::{Classified, classify};
use provely_compiler::ingest::ingest;
use provely_compiler::plan::{Gathered, Planned, Rules, plan};
use provely_compiler::source::{Names, Sources, load_folder};
use provely_compiler::synthesise::{Synthesised, synthesise};
use provely_compiler::test::test as play;
use provely_evaluator::contract::{Condition, Contract, NegativeClass, Operator, StateClass};
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;
use provely_model::{Effect, Parts, Service};

const LENDER: &str = include_str!("fixtures/graphql/lender.graphql");

fn planned(sources: &Sources) -> (Classified, Planned) {
    let found = ingest(sources).unwrap();
    let classified = classify(&found);
    let planned =
        plan(&Gathered::of(&found, &classified).known(&classified.service), &Rules::builtin().unwrap());
    (classified, planned)
}

fn lender(text: &str) -> Planned {
    planned(&Sources::of_graphql("lender.graphql", text)).1
}

fn written(planned: &Planned) -> Synthesised {
    synthesise(planned, &Names::default(), &Rules::builtin().unwrap())
}

fn parts(service: &Service) -> Option<&Parts> {
    service.resource("payout").unwrap().lifecycle.as_ref()?.parts.as_ref()
}

fn contract<'w>(written: &'w Synthesised, level: &str) -> &'w Contract {
    let mut found = written.contracts.iter().filter(|one| one.level == level);
    let found = found.next().ok_or_else(|| format!("no {level}: {:#?}", written.uncertainties));
    &found.unwrap().contract
}

#[test]
fn the_list_that_is_given_with_the_record_carries_its_outcome() {
    let planned = lender(LENDER);
    let found = parts(&planned.service).unwrap();
    assert_eq!((found.over.as_str(), found.resource.as_str()), ("@.instalments.nodes", "instalment"));
    assert_eq!(found.only, Some(("@.kind".to_owned(), "PAYOUT".to_owned())));
    assert_eq!(found.live, Some(("@.isTest".to_owned(), false)));
    assert_eq!(found.by_hand.as_deref(), Some("@.manualEntry"));
    // Of two amounts the one that is described as the input is, and not what is only rounded.
    assert_eq!(found.amount.as_deref(), Some("@.amountSet.borrowerMoney.amount"));
    let create = planned.service.operation("mutation payoutCreate").unwrap().plan.as_ref().unwrap();
    let echoes: Vec<(&str, &str)> =
        create.echoes.iter().map(|echo| (echo.input.as_str(), echo.path.as_str())).collect();
    assert_eq!(
        echoes,
        [("input.instalments[0].amount", "@.totalSet.borrowerMoney.amount"), ("input.loanId", "@.loan.id")]
    );
    let document = create.channels[0].request.as_ref().unwrap().document.as_deref().unwrap();
    assert!(
        document.contains(
            "instalments(first: 50) { nodes { amountSet { borrowerMoney { amount } } id isTest kind manualEntry status } pageInfo { endCursor hasNextPage } }"
        ),
        "{document}"
    );
}

#[test]
fn every_part_is_done_and_together_they_are_what_was_asked_for() {
    let written = written(&lender(LENDER));
    let done = contract(&written, "done");
    let lifecycle = done.subject.lifecycle.as_ref().unwrap();
    assert_eq!(lifecycle.path, "@.status");
    assert_eq!(lifecycle.over.as_deref(), Some("$observed.payout_readback.instalments.nodes"));
    let over_parts = |condition: &&Condition| condition.over == lifecycle.over;
    let told: Vec<(bool, Operator)> = done
        .completion
        .all_of
        .iter()
        .filter(over_parts)
        .map(|condition| (condition.sum.is_some(), condition.operator.unwrap()))
        .collect();
    assert_eq!(told, [(false, Operator::Gte), (false, Operator::Eq), (true, Operator::Eq)]);
    for condition in done.completion.all_of.iter().filter(over_parts) {
        let tested: Vec<&str> = condition.matching.iter().filter_map(|test| test.path.as_deref()).collect();
        assert_eq!(tested, ["@.kind", "@.manualEntry", "@.isTest", "@.status"], "{}", condition.id);
    }
    // A wrong sum is known only once no part is in motion, and no scalar amount of the record is compared.
    let wrong = |class| done.negative_conditions.any_of.iter().filter(move |one| one.class == Some(class));
    let amounts: Vec<&Condition> = wrong(NegativeClass::WrongAmount).collect();
    assert_eq!(amounts.len(), 1);
    assert_eq!(amounts[0].all_of[0].operator, Some(Operator::Eq));
    assert_eq!(amounts[0].all_of[0].matching.last().unwrap().operator, Some(Operator::NotIn));
    assert_eq!(wrong(NegativeClass::PartialCompletion).count(), 1);
    let failed = done.verdict_map.iter().find(|rule| rule.verdict == Verdict::Failed).unwrap();
    assert_eq!(failed.matching.all_of.len(), 2, "one has failed, and none has not");
    // An instalment in motion keeps the weaker promise only.
    assert!(contract(&written, "created").verdict_map.iter().all(|rule| rule.verdict != Verdict::Pending));
    assert!(done.verdict_map.iter().any(|rule| rule.verdict == Verdict::Pending));
}

#[test]
fn every_case_of_parts_passes_and_none_is_left_out() {
    let lots = |text: &str| text.replace("Payout", "Lot").replace("payout", "lot").replace("PAYOUT", "LOT");
    for (text, money) in [(LENDER.to_owned(), true), (lots(LENDER), false)] {
        let planned = lender(&text);
        let effect = planned.service.operations.iter().find(|one| one.effect.acts()).unwrap().effect;
        assert_eq!(effect.moves_money(), money);
        let report = play(&planned, &[], &written(&planned), None, 0, Time::from_seconds(0)).unwrap().report;
        let of_parts = report.cases.iter().filter(|case| case.id.contains("/parts.")).count();
        assert!(of_parts >= 11, "{of_parts} of {}", report.total);
        let failed: Vec<&str> =
            report.cases.iter().filter(|case| !case.passed).map(|case| case.id.as_str()).collect();
        assert!(failed.is_empty(), "{failed:?}");
    }
}

#[test]
fn nothing_is_guessed_between_equals() {
    // Neither amount is described as the input is: no contract for money.
    let equal = LENDER.replace("as the borrower counts", "of money");
    let planned = lender(&equal);
    assert_eq!(parts(&planned.service).unwrap().amount, None);
    assert!(written(&planned).contracts.is_empty());

    // A second list whose items carry states: which of them is the outcome?
    let two = LENDER.replace("totalSet: Both!", "totalSet: Both!\n  fees(first: Int): InstalmentConnection!");
    assert_eq!(parts(&lender(&two).service), None);

    // A list that nobody is told and that moves no money is no outcome.
    let other = LENDER.replace("instalments: [InstalmentInput!]", "note: String");
    let other = other.replace("amountSet: Both!", "").replace("amountRoundingSet: Both!", "");
    assert_eq!(parts(&lender(&other).service), None);
}

#[test]
fn a_state_of_its_own_goes_before_that_of_parts() {
    let own = LENDER.replace("totalSet: Both!", "totalSet: Both!\n  status: InstalmentStatus!");
    let planned = lender(&own);
    assert_eq!(parts(&planned.service), None);
    assert_eq!(planned.service.resource("payout").unwrap().lifecycle.as_ref().unwrap().path, "@.status");
}

#[test]
fn a_sum_that_nobody_says_to_count_successes_is_not_compared() {
    let silent = LENDER.replace("  \"The sum of the instalments that succeeded.\"\n", "");
    let planned = lender(&silent);
    let create = planned.service.operation("mutation payoutCreate").unwrap().plan.as_ref().unwrap();
    let amount = create.echoes.iter().find(|echo| echo.input.ends_with("amount")).unwrap();
    assert_eq!(amount.path, "@.instalments.nodes[0].amountSet.borrowerMoney.amount");
    let written = written(&planned);
    let done = contract(&written, "done");
    let reads_total = |condition: &&Condition| format!("{condition:?}").contains("totalSet");
    assert_eq!(done.negative_conditions.any_of.iter().filter(reads_total).count(), 0);
}

#[test]
fn each_status_of_a_transaction_is_certain_and_unknown_stays_unknown() {
    let sources = load_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/shopify")).unwrap();
    let (classified, _) = planned(&sources);
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
    let create = classified.service.operation("mutation refundCreate").unwrap();
    assert_eq!((create.effect, create.resource.as_deref()), (Effect::MoneyRefund, Some("refund")));
    let open: Vec<&str> = classified.uncertainties.iter().map(|open| open.id.as_str()).collect();
    assert!(open.iter().all(|id| !id.starts_with("state:")), "{open:?}");
}

#[test]
fn a_body_that_is_the_record_alone_is_read_by_headers_and_by_the_longer_id() {
    let sources = load_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/shopify")).unwrap();
    let events = |planned: &Planned| {
        let create = planned.service.operation("mutation refundCreate").unwrap().plan.clone().unwrap();
        create
            .channels
            .into_iter()
            .filter_map(|channel| Some((channel.events?, channel.record_created)))
            .collect::<Vec<_>>()
    };
    let found = events(&planned(&sources).1);
    // A created refund shows no state, so its event is of no use for one.
    let [(source, created)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(source.creation_types, ["refunds/create"]);
    assert_eq!((source.kind.as_deref(), source.kind_header.as_deref()), (None, Some("X-Shopify-Topic")));
    assert_eq!((source.record.as_str(), source.record_id.as_str()), ("$", "$.admin_graphql_api_id"));
    assert_eq!(*created, None, "the payload writes the time under another name");

    let mut undeclared = sources;
    undeclared.service.as_mut().unwrap().event_type_header = None;
    assert!(events(&planned(&undeclared).1).is_empty());
}
