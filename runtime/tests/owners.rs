//! Who a record of the scope belongs to, case by case, and whose a record becomes.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod world;

use provely_evaluator::compare::Instant;
use provely_evaluator::contract::{Causality, Owner, Truth};
use provely_evaluator::evidence::Conflict;
use provely_evaluator::json;
use provely_evaluator::time::Time;
use provely_runtime::correlate::{Candidate, ClaimFacts, choose, claimed_ids};
use provely_runtime::siblings::{Asker, Peer, Sibling, owner};
use provely_runtime::store::{Binding, Claim};
use provely_runtime::{OperationRow, Store, bind, scope};
use world::{Bench, START};

/// The row of another operation on the same charge, begun at the start.
fn peer(amount: i64, intent_ref: Option<&str>, claims: &[&str]) -> OperationRow {
    let mut bench = Bench::new();
    let begun = bench.begin(amount, intent_ref);
    let mut row = (*bench.runtime.store().operation(&begun.operation_id).unwrap()).clone();
    row.owner = "op_peer".into();
    row.claims = claims.iter().map(|id| Claim { id: (*id).into(), at: Time::from_millis(START) }).collect();
    row
}

fn binding(owner: &str, by: Causality) -> Binding {
    Binding { owner: owner.into(), by, since: Time::from_millis(START) }
}

struct Case {
    created_ms: i64,
    amount: i64,
    scope: Truth,
    binding: Option<Binding>,
}

impl Case {
    fn after(amount: i64) -> Self {
        Self { created_ms: START + 60_000, amount, scope: Truth::Holds, binding: None }
    }

    fn owner(&self, rows: &[&OperationRow]) -> Owner {
        let contract = world::contract();
        let peers: Vec<Peer<'_>> = rows.iter().map(|row| Peer { row, contract: &contract }).collect();
        let text = format!(r#"{{"id":"re_s","charge":"ch_1","amount":{}}}"#, self.amount);
        let value = json::parse(&text).unwrap();
        let created = Instant { from: Time::from_millis(self.created_ms), granularity_ms: 1_000 };
        let asker = Asker { owner: "op_me", intent_ref: Some("mine"), record_id: Some("re_mine"), own: None };
        let sibling = Sibling {
            id: "re_s",
            value: &value,
            created: Some(created),
            scope: self.scope,
            binding: self.binding.as_ref(),
        };
        owner(asker, &peers, sibling)
    }
}

#[test]
fn a_sibling_that_no_other_could_have_made_is_nobodys() {
    let claimed = peer(100, Some("theirs"), &["re_s"]);
    let unclaimed = peer(100, Some("theirs"), &[]);
    let same_ask = peer(100, Some("mine"), &["re_s"]);
    let second = OperationRow { owner: "op_third".into(), ..claimed.clone() };
    let knew_it = {
        let mut row = claimed.clone();
        row.baselines.iter_mut().for_each(|baseline| baseline.ids.push("re_s".into()));
        row
    };
    let without_baseline = OperationRow { baselines: Vec::new(), ..claimed.clone() };
    let early = |row: &OperationRow| Case { created_ms: START - 60_000, ..Case::after(100) }.owner(&[row]);
    let same_second = |row: &OperationRow| Case { created_ms: START, ..Case::after(100) }.owner(&[row]);
    assert_eq!(Case::after(100).owner(&[]), Owner::None);
    assert_eq!(Case::after(100).owner(&[&claimed]), Owner::Other);
    assert_eq!(Case::after(100).owner(&[&unclaimed]), Owner::Open, "it could have made it");
    assert_eq!(Case::after(100).owner(&[&claimed, &second]), Owner::Open, "two claim it");
    assert_eq!(Case::after(99).owner(&[&claimed]), Owner::None, "the fingerprint does not fit");
    assert_eq!(Case::after(100).owner(&[&same_ask]), Owner::None, "T12: the same ask made two");
    assert_eq!(Case::after(100).owner(&[&knew_it]), Owner::None, "its baseline holds the record");
    assert_eq!(early(&claimed), Owner::None, "T66: begun afterwards");
    assert_eq!(same_second(&claimed), Owner::Other, "T72: a complete baseline decides the second of begin");
    assert_eq!(same_second(&without_baseline), Owner::Open);
}

/// T67: two operations of one ask, in another spelling or as a replacement, do not excuse each other's record.
#[test]
fn t67_an_operation_of_the_same_ask_excuses_nothing() {
    let contract = world::contract();
    let mine = peer(100, Some("mine"), &[]);
    let same_ask = peer(100, Some("mine"), &[]);
    let other_ask = peer(100, Some("theirs"), &[]);
    let owner_with = |other: &OperationRow, amount: i64| {
        let value = json::parse(&format!(r#"{{"id":"re_s","charge":"ch_1","amount":{amount}}}"#)).unwrap();
        let created = Some(Instant { from: Time::from_millis(START + 60_000), granularity_ms: 1_000 });
        let binding = binding("op_peer", Causality::Key);
        let own = Some(Peer { row: &mine, contract: &contract });
        let asker = Asker { owner: "op_me", intent_ref: Some("mine"), record_id: Some("re_mine"), own };
        let sibling =
            Sibling { id: "re_s", value: &value, created, scope: Truth::Holds, binding: Some(&binding) };
        owner(asker, &[Peer { row: other, contract: &contract }], sibling)
    };
    assert_eq!(owner_with(&same_ask, 100), Owner::None);
    assert_eq!(owner_with(&other_ask, 100), Owner::Other);
    assert_eq!(owner_with(&same_ask, 40), Owner::Other, "another part is another effect");
}

#[test]
fn key_and_tag_decide_whose_a_sibling_is() {
    let case = |owner: &str, by| Case { binding: Some(binding(owner, by)), ..Case::after(100) };
    assert_eq!(case("op_other", Causality::Key).owner(&[]), Owner::Other);
    assert_eq!(case("op_other", Causality::Tag).owner(&[]), Owner::Other);
    assert_eq!(case("op_other", Causality::Claim).owner(&[]), Owner::None, "T66: a claim alone is no proof");
    let open = peer(100, Some("theirs"), &[]);
    assert_eq!(case("op_me", Causality::Key).owner(&[&open]), Owner::None, "a second effect of our key");
    let doubtful = Case { scope: Truth::Unknown, ..Case::after(100) };
    assert_eq!(doubtful.owner(&[]), Owner::Open, "it may not lie in the scope at all");
}

#[test]
fn t65_key_before_tag_before_the_first_claim() {
    let decide = |standing: Option<(&str, Causality)>, asking: (&str, Causality)| {
        let standing = standing.map(|(owner, by)| binding(owner, by));
        let now = bind::decide(standing.as_ref(), &binding(asking.0, asking.1));
        (now.owner, now.by)
    };
    use Causality::{Claim, Key, Tag};
    assert_eq!(decide(None, ("b", Claim)), ("b".into(), Claim));
    assert_eq!(decide(Some(("a", Claim)), ("b", Claim)), ("a".into(), Claim));
    assert_eq!(decide(Some(("a", Claim)), ("b", Tag)), ("b".into(), Tag));
    assert_eq!(decide(Some(("a", Tag)), ("b", Key)), ("b".into(), Key));
    assert_eq!(decide(Some(("a", Key)), ("b", Key)), ("a".into(), Key));
    assert_eq!(decide(Some(("a", Key)), ("b", Claim)), ("a".into(), Key));
    assert_eq!(decide(Some(("a", Claim)), ("a", Key)), ("a".into(), Key));
}

fn facts(id: &str, at: i64, owner: Option<(&str, Causality)>, effectless: bool) -> ClaimFacts {
    let claim = Claim { id: id.into(), at: Time::from_millis(at) };
    ClaimFacts { claim, binding: owner.map(|(owner, by)| binding(owner, by)), effectless }
}

#[test]
fn t71_claims_alone_correlate_only_where_one_is_left() {
    let chosen = |claims: &[ClaimFacts]| {
        let choice = choose("op_me", [None, None, None], claims);
        (choice.candidate.map(|candidate| candidate.id), choice.conflict)
    };
    let id = |text: &str| Some(text.to_owned());
    let (one, two) = (facts("re_1", 1, None, false), facts("re_2", 2, None, false));
    let (dead, gone) = (facts("re_3", 3, None, true), facts("re_4", 4, None, true));
    assert_eq!(chosen(&[]), (None, None));
    assert_eq!(chosen(std::slice::from_ref(&one)), (id("re_1"), None));
    assert_eq!(chosen(&[one.clone(), two.clone()]), (None, Some(Conflict::SeveralClaims)));
    assert_eq!(chosen(&[one.clone(), dead.clone()]), (id("re_1"), None));
    assert_eq!(chosen(&[dead.clone(), gone]), (id("re_4"), None));
    let keyed = facts("re_5", 5, Some(("op_other", Causality::Key)), false);
    let first = facts("re_6", 6, Some(("op_other", Causality::Claim)), false);
    assert_eq!(chosen(std::slice::from_ref(&keyed)), (None, Some(Conflict::RecordOfAnotherOperation)));
    assert_eq!(chosen(std::slice::from_ref(&first)), (None, Some(Conflict::ClaimConflict)));
    assert_eq!(chosen(&[keyed.clone(), one]), (id("re_1"), None), "a dropped claim leaves the other");
    let by_key = Candidate { id: "re_k".into(), by: Causality::Key, since: Time::from_millis(1) };
    let choice = choose("op_me", [Some(by_key), None, None], &[two, keyed]);
    assert_eq!(choice.candidate.map(|candidate| candidate.id), id("re_k"));
    assert_eq!(choice.conflict, None);
}

#[test]
fn t43_claims_keep_every_digit() {
    let contract = world::contract();
    let ids = |text: &str| claimed_ids(&contract, &json::parse(text).unwrap());
    assert_eq!(ids(r#"{"id":9007199254740993}"#), ["9007199254740993"]);
    assert_eq!(ids(r#"{"id":"re_1"}"#), ["re_1"]);
    for text in [r#"{"id":null}"#, r#"{"id":""}"#, r#"{"id":[1]}"#, r#"{"id":1.5}"#, "[]", "1"] {
        assert!(ids(text).is_empty(), "{text}");
    }
}

#[test]
fn equality_is_three_valued_and_never_converts() {
    use provely_evaluator::contract::{As, SetOf};
    let cases = [
        ("1", "1.0", None, Truth::Holds),
        ("9007199254740993", "9007199254740992", None, Truth::Fails),
        ("1", "\"1\"", None, Truth::Unknown),
        ("\"25.00\"", "25", Some(As::Decimal), Truth::Holds),
        ("\"EUR\"", "\"eur\"", Some(As::Code), Truth::Holds),
        ("{\"id\":\"ch_1\",\"x\":1}", "\"ch_1\"", Some(As::Id), Truth::Holds),
        ("\"Ann <ann@Example.org>\"", "\"ann@example.org\"", Some(As::Email), Truth::Holds),
        ("\"Ann@example.org\"", "\"ann@example.org\"", Some(As::Email), Truth::Fails),
        ("[\"b@x.y\",\"a@x.y\"]", "[\"a@x.y\",\"b@X.y\"]", Some(As::Set(SetOf::Email)), Truth::Holds),
        ("[\"a@x.y\"]", "\"a@x.y\"", Some(As::Set(SetOf::Email)), Truth::Holds),
        ("[\"a@x.y\",\"c@x.y\"]", "\"a@x.y\"", Some(As::Set(SetOf::Email)), Truth::Fails),
        ("1", "\"a\"", Some(As::Text), Truth::Unknown),
    ];
    for (left, right, read_as, expected) in cases {
        let (one, other) = (json::parse(left).unwrap(), json::parse(right).unwrap());
        assert_eq!(scope::equal(&one, &other, read_as), expected, "{left} {right} {read_as:?}");
        assert_eq!(scope::equal(&other, &one, read_as), expected, "{right} {left} {read_as:?}");
    }
}
