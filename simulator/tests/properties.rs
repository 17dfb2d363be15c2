//! What holds for every seed and schedule: worlds replay, histories follow the lifecycle, ids are unique.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it fails")]

mod world;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use proptest::prelude::*;
use provely_simulator::{Fault, FaultKind, Options, Provider, Request, Settle, When};
use world::{after, options, service};

/// One thing that somebody does.
#[derive(Debug, Clone)]
enum Step {
    Create { key: Option<u8>, payment: u8 },
    Cancel(usize),
    Update(usize),
    Read(usize),
    List,
    Move(usize, usize),
    Wait(u32),
}

const STATES: [&str; 5] = ["pending", "waiting", "settled", "failed", "canceled"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (prop::option::of(0u8..3), 0u8..3).prop_map(|(key, payment)| Step::Create { key, payment }),
        (0usize..6).prop_map(Step::Cancel),
        (0usize..6).prop_map(Step::Update),
        (0usize..6).prop_map(Step::Read),
        Just(Step::List),
        (0usize..6, 0usize..STATES.len()).prop_map(|(record, state)| Step::Move(record, state)),
        (0u32..20_000).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 0..40)
}

fn faults() -> Vec<Fault> {
    let rare = |what| Fault { what, when: When { permille: Some(150), ..When::default() } };
    vec![
        rare(FaultKind::TimeoutAfter {}),
        rare(FaultKind::ErrorBefore { status: 500, stored: false }),
        rare(FaultKind::Stale { by_ms: 3000 }),
        rare(FaultKind::EventsRepeated { times: 2, every_ms: 50 }),
        rare(FaultKind::EventsReordered { within_ms: 5000 }),
        rare(FaultKind::LateReversal { after_ms: 4000, to: None }),
        rare(FaultKind::CommitTwice {}),
    ]
}

/// Plays the steps; everything that anybody sees goes into the log.
fn play(seed: u64, steps: &[Step]) -> (Provider, String) {
    let options = Options {
        seed,
        faults: faults(),
        settle: Settle::Succeed(500, 8000),
        webhook_latency_ms: (10, 900),
        ..options()
    };
    let mut provider = world::world("paygrove", options);
    let (mut log, mut now) = (String::new(), 0);
    for step in steps {
        now += 7;
        let id = |place: usize| provider.truth().records.get(place).map_or("vo_0".into(), |r| r.id.clone());
        let request = match step {
            Step::Create { key, payment } => {
                let request =
                    Request::new("POST", "/v1/vouchers").text(&format!("payment=pa_{payment}&amount=5"));
                Some(key.map_or(request.clone(), |key| request.header("Idempotency-Key", &key.to_string())))
            }
            Step::Cancel(place) => Some(Request::new("POST", &format!("/v1/vouchers/{}/cancel", id(*place)))),
            Step::Update(place) => {
                let target = format!("/v1/vouchers/{}", id(*place));
                Some(Request::new("POST", &target).text(&format!("metadata[n]={now}")))
            }
            Step::Read(place) => Some(Request::new("GET", &format!("/v1/vouchers/{}", id(*place)))),
            Step::List => Some(Request::new("GET", "/v1/vouchers?limit=2")),
            Step::Move(place, state) => {
                let id = id(*place);
                writeln!(log, "{:?}", provider.move_record(&id, STATES[*state])).unwrap();
                None
            }
            Step::Wait(ms) => {
                now += i64::from(*ms);
                None
            }
        };
        if let Some(request) = request {
            writeln!(log, "{:?}", provider.handle(after(now), &request)).unwrap();
        }
        for delivery in provider.take_deliveries(after(now)) {
            writeln!(log, "{} {:?}", delivery.at, delivery.wire()).unwrap();
        }
    }
    (provider, log)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_history_replays_byte_for_byte(seed: u64, steps in steps()) {
        let (first, second) = (play(seed, &steps), play(seed, &steps));
        prop_assert_eq!(first.1, second.1);
        prop_assert_eq!(first.0.truth().records, second.0.truth().records);
    }

    #[test]
    fn records_only_move_as_the_lifecycle_allows(seed: u64, steps in steps()) {
        let service = service("paygrove");
        let lifecycle = service.resource("voucher").unwrap().lifecycle.clone().unwrap();
        let (provider, _) = play(seed, &steps);
        for record in provider.truth().of("voucher") {
            prop_assert_eq!(record.versions[0].state.as_deref(), Some("pending"));
            for pair in record.versions.windows(2) {
                let (from, to) = (pair[0].state.as_deref().unwrap(), pair[1].state.as_deref().unwrap());
                prop_assert!(from == to || lifecycle.allows(from, to), "{} to {}", from, to);
                prop_assert!(pair[0].at <= pair[1].at && !pair[1].forced);
            }
        }
    }

    #[test]
    fn ids_are_unique_and_every_record_has_its_request(seed: u64, steps in steps()) {
        let (provider, _) = play(seed, &steps);
        let truth = provider.truth();
        let records = truth.records.iter().map(|record| record.id.as_str());
        let ids: BTreeSet<&str> = records.chain(truth.events.iter().map(|event| event.id.as_str())).collect();
        prop_assert_eq!(ids.len(), truth.records.len() + truth.events.len());
        for (place, record) in truth.records.iter().enumerate() {
            let request = record.creation().unwrap().request.unwrap();
            prop_assert!(truth.requests[request].records.contains(&place));
            prop_assert!(truth.requests[request].replay_of.is_none());
        }
    }

    #[test]
    fn a_key_makes_one_record_unless_the_provider_errs(payments in prop::collection::vec(0u8..2, 1..12)) {
        let mut provider = world::world("paygrove", options());
        for (place, payment) in payments.iter().enumerate() {
            let request = world::keyed("k", &format!("payment=pa_{payment}"));
            let reply = provider.handle(after(i64::try_from(place).unwrap()), &request).unwrap();
            prop_assert_eq!(reply.status, if *payment == payments[0] { 200 } else { 409 });
        }
        prop_assert_eq!(provider.truth().records.len(), 1);
    }
}
