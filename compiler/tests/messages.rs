//! What the compiler makes of a message: the sources of `sources/resend` without their names, rule by rule.

#![expect(clippy::unwrap_used, reason = "a test says at once what it misses")]

use std::path::Path;

use provely_compiler::classify::classify;
use provely_compiler::ingest::ingest;
use provely_compiler::plan::{Gathered, Planned, Rules, plan};
use provely_compiler::source::{Names, Sources, load_folder};
use provely_compiler::synthesise::synthesise;
use provely_evaluator::contract::{Channel, Condition, Contract, InputType, NegativeClass, Order, PageStyle};
use provely_evaluator::json::to_value;
use provely_evaluator::verdict::Verdict;

fn sources() -> Sources {
    load_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/resend")).unwrap()
}

fn planned(sources: &Sources) -> Planned {
    let found = ingest(sources).unwrap();
    let classified = classify(&found);
    let gathered = Gathered::of(&found, &classified);
    plan(&gathered.known(&classified.service), &Rules::builtin().unwrap())
}

fn contract(level: &str) -> Contract {
    let written = synthesise(&planned(&sources()), &Names::default(), &Rules::builtin().unwrap());
    let found =
        written.contracts.into_iter().find(|one| one.operation == "POST /emails" && one.level == level);
    found.unwrap().contract
}

fn channel<'c>(contract: &'c Contract, name: &str) -> &'c Channel {
    contract.evidence_policy.channels.iter().find(|channel| channel.name == name).unwrap()
}

fn condition<'c>(contract: &'c Contract, id: &str) -> &'c Condition {
    let all = contract.completion.all_of.iter().chain(&contract.negative_conditions.any_of);
    all.into_iter().find(|condition| condition.id == id).unwrap()
}

fn states(condition: &Condition) -> String {
    condition.expected.as_ref().unwrap().to_string()
}

#[test]
fn a_level_holds_in_the_states_that_only_follow_it() {
    let delivered = contract("delivered");
    let state = condition(&delivered, "email_state_delivered");
    assert_eq!(states(state), r#"["clicked","complained","delivered","opened"]"#);
    let event = condition(&delivered, "email_event_delivered");
    let types = event.matching.iter().filter(|test| test.path.as_deref() == Some("@.type"));
    let types: Vec<String> = types.filter_map(|test| Some(test.expected.as_ref()?.to_string())).collect();
    assert_eq!(types, [r#"["email.delivered","email.complained","email.opened","email.clicked"]"#]);
    assert_eq!(
        states(condition(&contract("sent"), "email_state_sent")),
        r#"["clicked","complained","delivered","delivery_delayed","opened","sent"]"#
    );
}

#[test]
fn a_promised_failure_rests_on_its_own_events_and_a_success_contradicts_it() {
    let bounced = contract("bounced");
    let events = channel(&bounced, "email_bounced_events").events.as_ref().unwrap();
    assert!(events.types.iter().any(|event| event == "email.bounced"));
    assert_eq!(condition(&bounced, "email_event_bounced").evidence, ["email_bounced_events"]);
    let instead = bounced.verdict_map.iter().find(|rule| rule.id == "succeeded_instead").unwrap();
    assert_eq!(instead.verdict, Verdict::Contradicted);
    assert_eq!(states(&instead.matching), r#"["clicked","complained","delivered","opened"]"#);
    assert!(contract("delivered").verdict_map.iter().all(|rule| rule.id != "succeeded_instead"));
}

#[test]
fn an_event_without_an_id_is_known_again_by_the_header_that_is_declared() {
    let delivered = contract("delivered");
    let events = channel(&delivered, "email_delivered_events").events.as_ref().unwrap();
    assert_eq!((events.id.as_deref(), events.id_header.as_deref()), (None, Some("svix-id")));
    assert_eq!(events.record_id, "$.data.email_id");
    let mut undeclared = sources();
    undeclared.service.as_mut().unwrap().event_id_header = None;
    let planned = planned(&undeclared);
    let plan = planned.service.operation("POST /emails").unwrap().plan.as_ref().unwrap();
    assert!(plan.channels.iter().all(|channel| channel.events.is_none()));
}

#[test]
fn a_list_without_a_cursor_of_its_own_goes_on_from_its_last_item() {
    let accepted = contract("created");
    let list = channel(&accepted, "email_list");
    let page = list.page.as_ref().unwrap();
    assert_eq!((page.style, page.parameter.as_deref()), (PageStyle::Cursor, Some("after")));
    assert_eq!((page.cursor.as_deref(), page.more.as_deref()), (Some("@.id"), Some("$.has_more")));
    assert_eq!(page.order, Order::NewestFirst);
    assert!(list.complete && list.baseline);
}

#[test]
fn several_recipients_with_one_state_prove_nothing_of_each() {
    let delivered = contract("delivered");
    let several = condition(&delivered, "email_partial_completion_to");
    assert_eq!(several.class, Some(NegativeClass::PartialCompletion));
    let input = &delivered.intent.input_schema;
    assert_eq!(input.properties.get("to").map(|property| property.kind), Some(InputType::String));
    assert_eq!(input.properties.get("cc").map(|property| property.kind), Some(InputType::Array));
    assert_eq!(input.required, ["subject", "to"]);
}

#[test]
fn one_message_is_told_from_another_by_recipient_and_heading_alone() {
    let delivered = contract("delivered");
    let scope = &delivered.correlation.sibling_scope;
    let paths: Vec<&str> = scope.iter().filter_map(|test| test.path.as_deref()).collect();
    assert_eq!(paths, ["@.to", "@.subject"]);
    for guarded in ["from", "reply_to", "cc", "bcc"] {
        assert!(condition(&delivered, &format!("email_wrong_subject_{guarded}")).when.is_some(), "{guarded}");
    }
    assert!(condition(&delivered, "email_unnamed_cc").unless.is_some());
    let all = &delivered.completion.all_of;
    assert!(all.iter().all(|condition| condition.id != "email_unnamed_reply_to"), "an answer goes to nobody");
}

/// Display ids and wording change nothing else: as many contracts, of the same size.
#[test]
fn names_only_name() {
    let (sources, rules) = (sources(), Rules::builtin().unwrap());
    let planned = planned(&sources);
    let named = synthesise(&planned, &sources.service.as_ref().unwrap().names, &rules).contracts;
    let plain = synthesise(&planned, &Names::default(), &rules).contracts;
    assert_eq!(named.len(), plain.len());
    for (named, plain) in named.iter().zip(&plain) {
        let parts = |contract: &Contract| {
            let conditions = contract.completion.all_of.iter().chain(&contract.negative_conditions.any_of);
            let rules =
                contract.verdict_map.iter().map(|rule| (rule.verdict, to_value(&rule.matching).is_ok()));
            let shapes = conditions.map(|own| (own.class, own.operator, own.blocking, own.count));
            (shapes.collect::<Vec<_>>(), rules.collect::<Vec<_>>(), contract.evidence_policy.channels.len())
        };
        assert_eq!(parts(&named.contract), parts(&plain.contract), "{}", plain.contract.id);
    }
    let used: String = named.iter().map(|one| to_value(&one.contract).unwrap().to_string()).collect();
    let names = &sources.service.as_ref().unwrap().names;
    let wanted = names.conditions.values().chain(names.rules.values()).chain(names.channels.values());
    for id in wanted.filter_map(|name| name.id.as_ref()) {
        assert!(used.contains(&format!("\"{id}\"")), "`{id}` names nothing");
    }
}
