//! Random operations and evidence: mostly plausible, with faults, ties and edges.

use serde_json::{Value, json};

use super::contract::{Kind, Made};
use super::rng::Rng;
use super::times::{Times, spelled, text};

/// Makes the operation and the evidence for one contract.
pub(super) struct World<'a> {
    pub made: &'a Made,
    pub times: Times,
    pub now: i64,
    /// How many of a hundred facts go wrong.
    pub faults: usize,
    pub observation: u64,
    pub scenario: Scenario,
}

/// What goes on besides the faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scenario {
    /// The action was done.
    Done,
    /// The provider said no, and perhaps nothing is there.
    Refused,
    /// Nobody acted.
    Untouched,
    /// The sources differ on the state.
    States,
    /// It ended badly.
    Ended,
    /// Other records are about.
    Siblings,
}

pub(super) fn random(rng: &mut Rng, made: &Made) -> (Value, Value, i64) {
    let faults = rng.pick(&[0, 0, 1, 1, 3, 3, 8, 20, 40]);
    let scenario = rng.pick(&[
        Scenario::Done,
        Scenario::Done,
        Scenario::Done,
        Scenario::States,
        Scenario::States,
        Scenario::Siblings,
        Scenario::Siblings,
        Scenario::Ended,
        Scenario::Refused,
        Scenario::Untouched,
    ]);
    let base = 1_788_616_800_000;
    let begin = base + rng.pick(&[0, 0, 500, 999]);
    let timing = &made.contract["timing"];
    let mut times = Times {
        begun: begin + rng.pick(&[0, 0, -700, 1500]),
        begin,
        skew: rng.pick(&[5_000, 5_000, 30_000, 1_000, 1, 0]),
        window: timing["stale_read_window_ms"].as_i64().unwrap_or(0),
        timeout: timing["timeout_ms"].as_i64().unwrap_or(0),
        first_sign: None,
    };
    let reports = reports(rng, &times, scenario);
    times.first_sign = match reports.first() {
        Some(_) if rng.chance(2) => None,
        Some((at, _)) => Some(*at - rng.pick(&[0, 0, 0, 250, -30_000])),
        None if scenario == Scenario::Untouched && rng.chance(80) => None,
        None if rng.chance(50) => Some(times.after(rng)),
        None => None,
    };
    let deadline = times.deadline();
    let settled = times.first_sign.unwrap_or(begin) + 40_000 + 2 * times.window;
    let now = match rng.below(5) {
        0..=2 if scenario != Scenario::Untouched => settled,
        0..=3 => times.edge(rng, &[deadline, deadline, settled]),
        _ => {
            let sign = times.first_sign.unwrap_or(begin);
            times.edge(rng, &[sign, begin, deadline])
        }
    };
    let world = World { made, times, now, faults, observation: 7, scenario };
    let evidence = world.evidence(rng);
    (world.operation(rng, &reports), evidence, now)
}

fn reports(rng: &mut Rng, times: &Times, scenario: Scenario) -> Vec<(i64, &'static str)> {
    let mut at = times.begin;
    let mut reports = Vec::new();
    let (counts, outcomes) = match scenario {
        Scenario::Untouched => ([0, 0, 0, 0, 0, 1], ["lost", "lost", "rejected"]),
        Scenario::Refused => ([1, 1, 1, 2, 2, 3], ["rejected", "rejected", "lost"]),
        _ => ([0, 1, 1, 1, 2, 3], ["accepted", "rejected", "lost"]),
    };
    for _ in 0..rng.pick(&counts) {
        at += 1 + rng.below(3000) as i64;
        reports.push((at, rng.pick(&outcomes)));
    }
    reports
}

impl World<'_> {
    fn nothing_done(&self) -> bool {
        matches!(self.scenario, Scenario::Refused | Scenario::Untouched)
    }

    /// Whether a fact about other records goes wrong.
    fn disturbed(&self, rng: &mut Rng) -> bool {
        self.wrong(rng) || (self.scenario == Scenario::Siblings && rng.chance(35))
    }

    fn wrong(&self, rng: &mut Rng) -> bool {
        rng.chance(self.faults)
    }

    fn operation(&self, rng: &mut Rng, reports: &[(i64, &str)]) -> Value {
        let mut input =
            json!({"id": "re_1", "charge": "ch_1", "amount": 142, "until": "2026-09-06T00:00:00Z"});
        for (name, value) in [
            ("currency", json!("usd")),
            ("email", json!("ada@x.example")),
            ("tags", json!(["alpha", "beta"])),
        ] {
            if rng.chance(85) {
                input[name] = value;
            }
        }
        let reports: Vec<Value> =
            reports.iter().map(|(at, outcome)| json!({"at": text(*at), "outcome": outcome})).collect();
        let version = if self.wrong(rng) {
            rng.pick(&[Value::Null, json!("2024-01-01"), json!("2026-05-28.dahlia"), json!("2025-09-30")])
        } else {
            rng.pick(&[
                json!("2026-05-27.dahlia"),
                json!("2025-03-31"),
                json!("2025-10-01"),
                json!("2026-08-26.elm"),
            ])
        };
        let live = if self.wrong(rng) { rng.pick(&[json!(false), Value::Null]) } else { json!(true) };
        json!({
            "id": "op_1", "input": input, "live": live, "begun_at": text(self.times.begun), "api_version": version,
            "begin": {
                "at": text(self.times.begin), "from_provider": rng.chance(80), "skew_ms": self.times.skew,
            },
            "reports": reports, "first_sign": self.times.first_sign.map(text), "attempts": 3,
        })
    }

    fn evidence(&self, rng: &mut Rng) -> Value {
        let mut scope: Vec<&str> = vec!["re_1"];
        for id in ["re_2", "re_3"] {
            if self.wrong(rng) || (self.scenario == Scenario::Siblings && rng.chance(10)) {
                scope.push(id);
            }
        }
        json!({
            "observation": self.observation,
            "correlation": self.correlation(rng),
            "channels": self.channels(rng),
            "baselines": self.baselines(rng),
            "scope_records": scope,
        })
    }

    fn correlation(&self, rng: &mut Rng) -> Value {
        let existing = matches!(self.made.kind, Kind::Update | Kind::Delete);
        let absent = self.wrong(rng) || (self.nothing_done() && rng.chance(80));
        let since = if self.wrong(rng) { self.times.edge(rng, &[self.now]) } else { self.times.after(rng) };
        let first_seen = match rng.below(10) {
            0 if self.faults > 0 => Value::Null,
            1 | 2 if self.faults > 0 => json!(text(self.times.edge(rng, &[self.now]))),
            _ => json!(text(self.times.after(rng))),
        };
        let by = if existing { "input" } else { rng.pick(&["claim", "claim", "tag", "key"]) };
        let record = json!({"id": "re_1", "by": by, "since": text(since), "first_seen": first_seen});
        let conflict = if self.wrong(rng) {
            json!(rng.pick(&["record_of_another_operation", "claim_conflict", "several_claims"]))
        } else {
            Value::Null
        };
        let keys = if absent || self.wrong(rng) { json!([]) } else { json!([["record_id", "re_1"]]) };
        json!({"record": if absent { Value::Null } else { record }, "keys": keys, "conflict": conflict})
    }

    fn baselines(&self, rng: &mut Rng) -> Value {
        let existing = matches!(self.made.kind, Kind::Update | Kind::Delete);
        let mut baselines = Vec::new();
        if existing && !self.wrong(rng) {
            let value = if self.wrong(rng) {
                Value::Null
            } else {
                json!({"id": "re_1", "revision": 3, "note": "before", "status": self.made.words.any(rng)})
            };
            baselines.push(json!({
                "channel": "readback", "complete": rng.chance(80), "ids": ["re_1"], "value": value,
            }));
        }
        if !existing && rng.chance(80) {
            let mut ids = vec!["re_0"];
            if self.disturbed(rng) {
                ids.push(rng.pick(&["re_1", "re_2", "re_2", "re_3"]));
            }
            let complete = !self.disturbed(rng);
            baselines.push(json!({"channel": "listed", "complete": complete, "ids": ids, "value": null}));
        }
        json!(baselines)
    }

    fn state(&self, rng: &mut Rng) -> Value {
        let words = &self.made.words;
        let ended = [&words.failure, &words.neutral, &words.unknown, &words.transitional];
        match self.scenario {
            Scenario::States if rng.chance(45) => return words.any(rng),
            Scenario::Ended if rng.chance(85) => {
                let states = ended.into_iter().find(|states| !states.is_empty() && rng.chance(60));
                return json!(rng.pick(states.unwrap_or(&words.failure)));
            }
            _ => {}
        }
        if self.wrong(rng) { self.made.words.any(rng) } else { json!(rng.pick(&self.made.words.success)) }
    }

    fn created(&self, rng: &mut Rng, channel: &str) -> Value {
        let at = if self.disturbed(rng) {
            self.times.edge(rng, &[self.times.begin])
        } else {
            self.times.after(rng)
        };
        spelled(at, self.rule(channel))
    }

    fn rule(&self, channel: &str) -> &Value {
        let channels = self.made.contract["evidence_policy"]["channels"].as_array();
        let found = channels.into_iter().flatten().find(|declared| declared["name"] == channel);
        found.map_or(&Value::Null, |declared| &declared["instant"])
    }

    fn record(&self, rng: &mut Rng, channel: &str, id: &str) -> Value {
        let charge = if rng.chance(50) { json!("ch_1") } else { json!({"id": "ch_1", "paid": true}) };
        let mut record = json!({
            "id": id, "status": self.state(rng), "amount": 142, "fee": "1.50", "currency": "USD", "charge": charge,
            "email": "Ada <ada@X.example>", "tags": ["beta", "alpha"], "bcc": [], "note": "order 77", "live": true, "error": null,
            "revision": 4, "meta": {"operation": "op_1", "literal": "$price"},
            "created": self.created(rng, channel), "lines": self.lines(rng),
        });
        if self.faults > 0 && rng.chance(2 + 2 * self.faults) {
            let (field, value) = rng.pick(&[
                ("id", json!("re_2")),
                ("amount", json!(143)),
                ("amount", json!("142")),
                ("amount", Value::Null),
                ("amount", json!(-142)),
                ("amount", json!("142.5")),
                ("fee", json!(2)),
                ("fee", json!("01.5")),
                ("fee", json!("1e0")),
                ("currency", json!("eur")),
                ("charge", json!("ch_2")),
                ("charge", json!({"no": "id"})),
                ("charge", Value::Null),
                ("email", json!("ada@x.example@y")),
                ("email", json!("eve@x.example")),
                ("tags", json!([])),
                ("tags", json!(["beta", 7])),
                ("tags", json!(["gamma", "beta"])),
                ("tags", json!("beta")),
                ("note", json!("refund abc")),
                ("note", json!(["order 77"])),
                ("note", Value::Null),
                ("error", json!({"code": "declined"})),
                ("revision", json!(3)),
                ("meta", json!({"operation": "op_2"})),
                ("meta", Value::Null),
                ("bcc", json!(["Spy <spy@X.EXAMPLE>"])),
                ("bcc", Value::Null),
                ("created", json!("yesterday")),
                ("created", Value::Null),
                ("created", json!(1_788_616_801)),
                ("lines", Value::Null),
                ("email", json!("Ada <ada@X.example> ")),
                ("email", json!(" ada@x.EXAMPLE ")),
                ("email", json!("<ada@x.example")),
                ("email", json!("a <b> <ada@x.example>")),
                ("email", json!("Ada@x.example")),
                ("email", json!("@x.example")),
                ("email", json!("ada@x.example>")),
                ("email", json!("< ada@x.example >")),
                ("email", json!(null)),
                ("currency", json!("ÜSD")),
                ("currency", json!("")),
                ("amount", json!("1.42e2")),
                ("amount", json!("142.0")),
                ("amount", json!(true)),
                ("amount", json!(u64::MAX)),
                ("amount", json!(i64::MIN)),
                ("amount", json!("1e400")),
                ("amount", json!("-1E-400")),
                ("amount", json!("+142")),
                ("amount", json!("142 ")),
                ("fee", json!("1.5000000000000000000000001")),
                ("fee", json!("-0")),
                ("fee", json!("15e-1")),
                ("fee", json!("1.")),
                ("fee", json!("0.15E+1")),
                ("note", json!("order 77\n")),
                ("note", json!("Order 77")),
                ("note", json!("order 77 and")),
                ("note", json!("")),
                ("tags", json!({"beta": true})),
                ("tags", json!(["alpha", "beta", "beta"])),
                ("tags", json!(["alpha", null, "beta"])),
                ("tags", json!([["alpha"], "beta"])),
                ("meta", json!({"operation": "op_1", "literal": "$price", "x": 1})),
                ("meta", json!([])),
                ("charge", json!({"id": 7})),
                ("charge", json!("")),
                ("id", json!({"id": "re_1"})),
                ("created", json!("2026-09-05T16:00:40+02:00")),
                ("created", json!("2026-09-05 16:00:40")),
                ("created", json!("2026-09-05T14:00:40Z")),
                ("created", json!("2026-02-30T14:00:40Z")),
                ("created", json!("1788616840")),
                ("created", json!(1_788_616_840_000_u64)),
                ("created", json!({})),
                ("lines", json!("none")),
                ("lines", json!([])),
                ("status", Value::Null),
                ("status", json!(1)),
            ]);
            record[field] = value;
        }
        record
    }

    fn lines(&self, rng: &mut Rng) -> Value {
        let count = 1 + rng.below(2);
        let line = |rng: &mut Rng| {
            let amount = if self.wrong(rng) {
                rng.pick(&[json!(-71), json!(null), json!("x")])
            } else {
                json!(142 / count)
            };
            json!({
                "id": "li_1", "amount": amount, "fee": "0.75", "status": self.state(rng), "charge": "ch_1",
                "created": self.created(rng, "readback"), "note": "order 77", "currency": "usd",
            })
        };
        json!((0..count).map(|_| line(rng)).collect::<Vec<Value>>())
    }

    fn channels(&self, rng: &mut Rng) -> Value {
        let mut channels = Vec::new();
        for name in ["readback", "ledger", "reply"] {
            channels.push((name, self.record_read(rng, name)));
        }
        for name in ["listed", "searched"] {
            channels.push((name, self.list_read(rng, name)));
        }
        for name in ["created_events", "updated_events"] {
            channels.push((name, self.events_read(rng, name)));
        }
        rng.shuffle(&mut channels);
        channels.retain(|_| !self.wrong(rng));
        let mut entries: Vec<Value> =
            channels.into_iter().map(|(name, read)| json!({"channel": name, "read": read})).collect();
        if self.wrong(rng) {
            entries.push(json!({"channel": "readback", "read": {"unavailable": {"cause": "timeout"}}}));
        }
        json!(entries)
    }

    fn number(&self, rng: &mut Rng) -> u64 {
        if self.wrong(rng) { self.observation - 1 } else { self.observation }
    }

    fn record_read(&self, rng: &mut Rng, name: &str) -> Value {
        let gone = self.made.kind == Kind::Delete && name == "readback";
        if self.wrong(rng) {
            return json!({"unavailable": {"cause": "timeout"}});
        }
        let states = self.scenario == Scenario::States && name == "readback" && rng.chance(10);
        if (self.wrong(rng) || states) != gone {
            return json!({"not_found": {"observation": self.number(rng)}});
        }
        let state_time = match rng.below(4) {
            0 => Value::Null,
            1 => json!(text(self.times.begin + 10_000)),
            _ => json!(text(self.times.begin + 1000 * rng.below(20) as i64)),
        };
        let since = if self.wrong(rng) || (self.scenario == Scenario::States && rng.chance(40)) {
            self.times.edge(rng, &[self.now])
        } else {
            self.times.begin + 10_000
        };
        json!({"record": {
            "observation": self.number(rng), "value": self.record(rng, name, "re_1"), "state_time": state_time,
            "state_since": text(since), "whole": !self.wrong(rng),
        }})
    }

    fn owner(&self, rng: &mut Rng, id: &str) -> &'static str {
        if self.disturbed(rng) {
            rng.pick(&["this", "other", "open", "none", "none"])
        } else if id == "re_1" {
            "this"
        } else {
            "other"
        }
    }

    fn list_read(&self, rng: &mut Rng, name: &str) -> Value {
        if self.wrong(rng) {
            return json!({"unavailable": {"cause": "timeout"}});
        }
        let mut ids = vec!["re_1"];
        for id in ["re_0", "re_2", "re_3", "re_1"] {
            if self.disturbed(rng) {
                ids.push(id);
            }
        }
        if self.wrong(rng) || (self.nothing_done() && rng.chance(90)) {
            ids.retain(|id| *id != "re_1");
        }
        rng.shuffle(&mut ids);
        let items: Vec<Value> = ids
            .into_iter()
            .map(|id| json!({"id": id, "owner": self.owner(rng, id), "value": self.record(rng, name, id)}))
            .collect();
        let read_at = if self.wrong(rng) {
            let deadline = self.times.deadline();
            self.times.edge(rng, &[self.now, self.times.first_sign.unwrap_or(self.now), deadline])
        } else {
            self.now
        };
        json!({"list": {
            "observation": self.number(rng), "read_at": text(read_at), "exhausted": !self.wrong(rng), "items": items,
        }})
    }

    fn events_read(&self, rng: &mut Rng, name: &str) -> Value {
        let mut events = Vec::new();
        for number in 0..rng.pick(&[0, 1, 1, 2, 3, 5]) {
            let id = if self.disturbed(rng) { rng.pick(&["re_2", "re_0", "re_3"]) } else { "re_1" };
            let at = match rng.below(8) {
                0 if self.faults > 0 || self.scenario == Scenario::States => Value::Null,
                1 | 2 => json!(text(self.times.begin + 10_000)),
                _ => json!(text(self.times.begin + 1000 * rng.below(20) as i64)),
            };
            // No two events are received at one time: among equals the order of arrival decides.
            let tick = i64::from(name == "created_events") + 2 * number;
            let received = if self.wrong(rng) || (self.scenario == Scenario::States && rng.chance(40)) {
                self.times.edge(rng, &[self.now])
            } else {
                self.times.begin + 21_000
            };
            let kind =
                if name == "created_events" && !self.wrong(rng) { "thing.created" } else { "thing.updated" };
            let mut record = self.record(rng, name, id);
            if rng.chance(15) {
                record["status"] = self.made.words.any(rng);
            }
            events.push(json!({
                "time": at, "received_at": text(received - received.rem_euclid(16) + tick),
                "item": {"id": id, "owner": self.owner(rng, id), "value": {
                    "id": format!("evt_{name}_{number}"), "type": kind, "record_id": id, "record": record,
                }},
            }));
        }
        rng.shuffle(&mut events);
        json!({"events": {"events": events}})
    }
}
