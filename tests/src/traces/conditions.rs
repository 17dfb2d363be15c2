//! Random positives, negatives and rules for a contract under construction.

use serde_json::{Value, json};

use super::contract::Kind;
use super::rng::Rng;
use super::tests::{arbitrary, fitting, misfitting, over_input};
use super::words::Words;

/// Writes the conditions of one contract.
pub(super) struct Writer {
    pub kind: Kind,
    pub has_parts: bool,
    pub words: Words,
    pub next: usize,
}

const COMPARE: [&str; 6] = ["eq", "ne", "gt", "gte", "lt", "lte"];

impl Writer {
    fn id(&mut self, kind: &str) -> Value {
        self.next += 1;
        json!(format!("{kind}_{}", self.next))
    }

    fn existing(&self) -> bool {
        matches!(self.kind, Kind::Update | Kind::Delete)
    }

    /// Puts the id and the channels on a condition.
    fn named(&mut self, kind: &str, mut condition: Value) -> Value {
        condition["id"] = self.id(kind);
        name_channels(&mut condition);
        condition
    }

    pub(super) fn positives(&mut self, rng: &mut Rng) -> Vec<Value> {
        let mut all = vec![
            json!({"path": "$observed.readback.id", "operator": "eq", "expected": "$correlation.record_id"}),
            json!({"path": "$observed.readback.amount", "operator": "eq", "expected": "$input.amount"}),
            json!({"path": "$observed.readback.charge", "operator": "eq", "expected": "$input.charge", "as": "id"}),
        ];
        if self.kind == Kind::Delete {
            all = vec![
                json!({"path": "$observed.readback.id", "operator": "absent"}),
                json!({
                    "path": "$baseline.readback.id", "operator": "eq", "expected": "$correlation.record_id",
                    "fallback": {"path": "$observed.readback.id", "operator": "absent"},
                }),
            ];
        } else {
            all.extend(self.success(rng));
        }
        for _ in 0..rng.below(4) {
            let mut extra = self.extra_positive(rng);
            sometimes_apply(rng, &mut extra);
            all.push(extra);
        }
        rng.shuffle(&mut all);
        all.into_iter().map(|one| self.named("positive", one)).collect()
    }

    fn success(&self, rng: &mut Rng) -> Vec<Value> {
        let success = json!(self.words.success);
        if self.has_parts {
            let over = "$observed.readback.lines";
            let is = json!({"path": "@.status", "operator": "in", "expected": success});
            let is_not = json!({"path": "@.status", "operator": "not_in", "expected": success});
            return vec![
                json!({"over": over, "where": [is], "count": true, "operator": "gte", "expected": 1}),
                json!({"over": over, "where": [is_not], "count": true, "operator": "eq", "expected": 0}),
            ];
        }
        let first = self.words.success.first();
        if rng.chance(30) && self.words.success.len() == 1 {
            vec![json!({"path": "$observed.readback.status", "operator": "eq", "expected": first})]
        } else {
            vec![json!({"path": "$observed.readback.status", "operator": "in", "expected": success})]
        }
    }

    fn extra_positive(&self, rng: &mut Rng) -> Value {
        match rng.below(12) {
            0..=3 => fitting(rng, "$observed.readback"),
            4 => fitting(rng, "$observed.ledger"),
            5 => json!({"path": "$observed.created_events.count", "operator": "gte", "expected": 1}),
            6 => json!({"path": "$observed.updated_events.count", "operator": "exists"}),
            7 => fitting(rng, "$observed.updated_events.latest"),
            8 => json!({"all_of": [fitting(rng, "$observed.readback"), fitting(rng, "$observed.readback")]}),
            9 => arbitrary(rng, "$observed.readback"),
            10 if self.existing() => self.baseline_condition(rng),
            _ => self.list_condition(rng, true),
        }
    }

    fn baseline_condition(&self, rng: &mut Rng) -> Value {
        let time = json!({
            "path": "$observed.readback.created", "operator": "time_after", "expected": "$operation.created_at",
        });
        let fallback = if rng.chance(50) { time } else { fitting(rng, "$observed.readback") };
        rng.pick(&[
            json!({
                "path": "$observed.readback.revision", "operator": "gt", "expected": "$baseline.readback.revision",
                "fallback": fallback,
            }),
            json!({
                "path": "$baseline.readback.note", "operator": "ne", "expected": "order 77", "fallback": fallback,
            }),
            json!({
                "path": "$observed.readback.note", "operator": "ne", "expected": "$baseline.readback.note",
                "fallback": fallback,
            }),
        ])
    }

    /// A count or a sum over a list, over events or over an array in the record.
    fn list_condition(&self, rng: &mut Rng, positive: bool) -> Value {
        let (over, at) = rng.pick(&[
            ("$observed.listed", "@"),
            ("$observed.listed", "@"),
            ("$observed.searched", "@"),
            ("$observed.created_events.events", "@.record"),
            ("$observed.updated_events.events", "@.record"),
            ("$observed.readback.lines", "@"),
        ]);
        let in_record = over.ends_with("lines");
        let mut condition = json!({"over": over});
        let mut tests: Vec<Value> = Vec::new();
        for _ in 0..rng.below(4) {
            tests.push(self.item_test(rng, at, in_record));
        }
        if !tests.is_empty() || rng.chance(50) {
            condition["where"] = json!(tests);
        }
        if !in_record && !self.existing() && rng.chance(50) {
            condition["outside"] = json!("$baseline.listed");
            condition["fallback"] = match rng.below(3) {
                0 => fitting(rng, at),
                _ => json!({
                    "path": format!("{at}.created"), "operator": "time_after", "expected": "$operation.created_at",
                }),
            };
        }
        if at == "@" && rng.chance(30) {
            condition["sum"] = json!(rng.pick(&["@.amount", "@.amount", "@.fee"]));
            condition["operator"] =
                json!(if positive { rng.pick(&["eq", "gte", "lte"]) } else { rng.pick(&COMPARE) });
            condition["expected"] = rng.pick(&[json!("$input.amount"), json!(284), json!(1), json!(0)]);
            if rng.chance(30) {
                condition["as"] = json!("decimal");
                condition["expected"] =
                    rng.pick(&[json!("$input.amount"), json!("142.00"), json!("284"), json!("x")]);
            }
            return condition;
        }
        condition["count"] = json!(true);
        let (operator, bound) = if positive {
            rng.pick(&[("gte", 1), ("eq", 1), ("gt", 0), ("lte", 1), ("lt", 2), ("ne", 0), ("ne", 2)])
        } else {
            rng.pick(&[("gt", 1), ("gte", 2), ("eq", 2), ("gt", 1), ("lt", 1), ("ne", 1)])
        };
        condition["operator"] = json!(operator);
        condition["expected"] = json!(bound);
        condition
    }

    fn item_test(&self, rng: &mut Rng, at: &str, in_record: bool) -> Value {
        let owners = [
            json!(["this"]),
            json!(["none"]),
            json!(["this", "none"]),
            json!(["this", "none", "other"]),
            json!(["other"]),
        ];
        let mut test = match rng.below(9) {
            0 | 1 if !in_record => json!({"owner": rng.pick(&owners)}),
            2 | 3 => json!({"effect": true}),
            4 => {
                let mut words = self.words.success.clone();
                words.extend(self.words.transitional.clone());
                let operator = rng.pick(&["in", "not_in"]);
                json!({"path": format!("{at}.status"), "operator": operator, "expected": words})
            }
            5 if at == "@.record" => json!({"path": "@.type", "operator": "eq", "expected": "thing.created"}),
            6 => json!({"path": format!("{at}.id"), "operator": "ne", "expected": "$correlation.record_id"}),
            7 => arbitrary(rng, at),
            8 => misfitting(rng, at),
            _ => fitting(rng, at),
        };
        if rng.chance(15) {
            test["when"] = over_input(rng);
        }
        test
    }

    pub(super) fn negatives(&mut self, rng: &mut Rng) -> Vec<Value> {
        let classed = |mut condition: Value, class: &str| {
            condition["class"] = json!(class);
            condition
        };
        let mut all = Vec::new();
        if rng.chance(60) {
            let ne = json!({
                "path": "$observed.readback.charge", "operator": "ne", "expected": "$input.charge", "as": "id",
            });
            all.push(classed(ne, "wrong_subject"));
        }
        if rng.chance(60) {
            let ne =
                json!({"path": "$observed.readback.amount", "operator": "ne", "expected": "$input.amount"});
            all.push(classed(ne, "wrong_amount"));
        }
        if !self.existing() && rng.chance(60) {
            for over in ["$observed.listed", "$observed.created_events.events"] {
                all.push(classed(self.duplicate(rng, over), "duplicate_side_effect"));
            }
        }
        for _ in 0..rng.below(4) {
            let class =
                rng.pick(&["wrong_subject", "wrong_amount", "duplicate_side_effect", "pre_existing_state"]);
            let mut extra = classed(self.extra_negative(rng), class);
            if class != "wrong_subject" {
                sometimes_apply(rng, &mut extra);
            }
            if rng.chance(20) {
                extra["blocking"] = json!(false);
            }
            if rng.chance(12) {
                extra["result"] = json!("unknown");
            }
            all.push(extra);
        }
        rng.shuffle(&mut all);
        all.into_iter().map(|one| self.finished_negative(rng, one)).collect()
    }

    fn finished_negative(&mut self, rng: &mut Rng, condition: Value) -> Value {
        let mut condition = self.named("negative", condition);
        let own_code = condition["id"].as_str().unwrap_or("").to_owned();
        let shared = condition["class"] == "duplicate_side_effect" && condition["blocking"] != false;
        let code = if shared { rng.pick(&["duplicate", "duplicate", "second"]).to_owned() } else { own_code };
        condition["reason_code"] = json!(code);
        condition["reason"] = json!("It is not what was asked for.");
        condition
    }

    fn duplicate(&self, rng: &mut Rng, over: &str) -> Value {
        let at = if over.ends_with("events") { "@.record" } else { "@" };
        let mut tests = vec![json!({"owner": rng.pick(&[json!(["this", "none"]), json!(["none"])])})];
        if rng.chance(60) {
            tests.push(json!({"effect": true}));
        }
        if rng.chance(50) {
            tests
                .push(json!({"path": format!("{at}.amount"), "operator": "eq", "expected": "$input.amount"}));
        }
        json!({
            "over": over, "where": tests, "outside": "$baseline.listed", "count": true, "operator": "gt", "expected": 1,
            "fallback": {
                "path": format!("{at}.created"), "operator": "time_after", "expected": "$operation.created_at",
            },
        })
    }

    fn extra_negative(&self, rng: &mut Rng) -> Value {
        match rng.below(12) {
            0..=3 => misfitting(rng, "$observed.readback"),
            4 => misfitting(rng, "$observed.ledger"),
            5 => misfitting(rng, "$observed.ledger"),
            6 => json!({"path": "$observed.created_events.count", "operator": "gt", "expected": 1}),
            7 => misfitting(rng, "$observed.updated_events.earliest"),
            8 if rng.chance(50) => {
                json!({"all_of": [self.list_condition(rng, false), self.list_condition(rng, true)]})
            }
            8 => {
                json!({"all_of": [misfitting(rng, "$observed.readback"), fitting(rng, "$observed.readback")]})
            }
            9 => arbitrary(rng, "$observed.readback"),
            10 if self.existing() => self.baseline_condition(rng),
            _ => self.list_condition(rng, false),
        }
    }

    pub(super) fn rules(&mut self, rng: &mut Rng) -> Vec<Value> {
        let words = self.words.clone();
        let mut all = Vec::new();
        for (chance, verdict, states) in [
            (80, "FAILED", &words.failure),
            (60, "PENDING", &words.transitional),
            (60, "CONTRADICTED", &words.neutral),
            (40, "UNVERIFIABLE", &words.unknown),
            (10, "UNVERIFIABLE", &words.transitional),
            (15, "FAILED", &words.neutral),
        ] {
            if self.kind != Kind::Delete && !states.is_empty() && rng.chance(chance) {
                all.push((verdict, self.state_rule(rng, states)));
            }
        }
        if rng.chance(20) {
            all.push((rng.pick(&["PENDING", "UNVERIFIABLE"]), self.field_rule(rng)));
        }
        rng.shuffle(&mut all);
        all.into_iter().map(|(verdict, condition)| self.rule(verdict, condition)).collect()
    }

    fn rule(&mut self, verdict: &str, mut condition: Value) -> Value {
        name_channels(&mut condition);
        let id = self.id("rule");
        let reason_code = format!("reason_{}", self.next);
        json!({"id": id, "match": condition, "verdict": verdict, "reason_code": reason_code, "reason": "So it says."})
    }

    /// A rule on what is no state.
    fn field_rule(&self, rng: &mut Rng) -> Value {
        rng.pick(&[
            json!({"path": "$observed.readback.note", "operator": "eq", "expected": "refund abc"}),
            json!({"path": "$observed.readback.currency", "operator": "in", "expected": ["EUR"], "as": "code"}),
            json!({"path": "$observed.readback.email", "operator": "eq", "expected": "eve@x.example", "as": "email"}),
            json!({"path": "$observed.readback.note", "operator": "in", "expected": ["order 77"]}),
        ])
    }

    fn state_rule(&self, rng: &mut Rng, states: &[String]) -> Value {
        if self.has_parts {
            let is = json!({"path": "@.status", "operator": "in", "expected": states});
            return json!({
                "over": "$observed.readback.lines", "where": [is], "count": true, "operator": "gte", "expected": 1,
            });
        }
        let mut rule = json!({"path": "$observed.readback.status", "operator": "in", "expected": states});
        if rng.chance(10) {
            rule = json!({"all_of": [rule, self.field_rule(rng)]});
        }
        rule
    }
}

fn sometimes_apply(rng: &mut Rng, condition: &mut Value) {
    match rng.below(8) {
        0 => condition["when"] = over_input(rng),
        1 => condition["unless"] = over_input(rng),
        _ => {}
    }
}

/// Names, in `evidence`, the channels that a condition and its members read.
fn name_channels(condition: &mut Value) {
    let mut names: Vec<String> = Vec::new();
    for name in ["path", "over"] {
        let part = condition[name].as_str().and_then(|path| path.split('.').nth(1)).map(str::to_owned);
        names.extend(part);
    }
    if let Some(members) = condition.get_mut("all_of").and_then(Value::as_array_mut) {
        for member in members {
            name_channels(member);
            let named = member["evidence"].as_array().into_iter().flatten();
            names.extend(named.filter_map(Value::as_str).map(str::to_owned));
        }
    }
    names.sort();
    names.dedup();
    if let Some(object) = condition.as_object_mut() {
        object.retain(|_, value| !value.is_null());
        object.insert("evidence".to_owned(), json!(names));
    }
}
