//! One evaluation of a contract beside policy engines that decide the same facts of the same observation, in one
//! process and in turn. Each starts from what is parsed: the contract from evidence, the engines from a tree of JSON
//! values that they have to make their own; what that takes is shown apart, as "prebuilt". The engines are handed more
//! than the contract is: which records are others', and what events and parts show, is worked out for them beforehand.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cedar_policy::{Authorizer, Context, Decision, Entities, EntityUid, PolicySet, Request};
use provely_evaluator::contract::Contract;
use provely_evaluator::evaluate::evaluate;
use provely_evaluator::evidence::Evidence;
use provely_evaluator::load::Program;
use provely_evaluator::operation::Operation;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;
use serde_json::{Map, Value, json};

type Failure = Box<dyn Error>;

/// What is decided: a contract, an observation that proves it, and where the observation is spoilt.
struct Subject {
    name: &'static str,
    contract: &'static str,
    observation: &'static str,
    cel: &'static str,
    rego: &'static str,
    cedar: &'static str,
}

macro_rules! subject {
    ($name:literal, $contract:literal) => {
        Subject {
            name: $contract,
            contract: include_str!(concat!("../../../../skills/", $name, "/contracts/", $contract, ".json")),
            observation: include_str!(concat!("../observations/", $name, ".json")),
            cel: include_str!(concat!("../policies/", $name, ".cel")),
            rego: include_str!(concat!("../policies/", $name, ".rego")),
            cedar: include_str!(concat!("../policies/", $name, ".cedar")),
        }
    };
}

const BATCH: u32 = 400;
const ROUNDS: usize = 31;

/// One way to decide, with its times.
struct Way<'w> {
    name: &'static str,
    decide: Box<dyn FnMut() -> bool + 'w>,
    times: Vec<Duration>,
}

impl<'w> Way<'w> {
    fn new(name: &'static str, decide: impl FnMut() -> bool + 'w) -> Self {
        Self { name, decide: Box::new(decide), times: Vec::new() }
    }

    fn median(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort();
        times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e9 / f64::from(BATCH))
    }
}

fn main() -> Result<(), Failure> {
    let subjects = [
        subject!("stripe", "stripe.refund.succeeded"),
        subject!("resend", "resend.email.delivered"),
        subject!("shopify", "shopify.refund.financially_completed"),
    ];
    for subject in &subjects {
        compare(subject)?;
    }
    Ok(())
}

fn compare(subject: &Subject) -> Result<(), Failure> {
    let observation: Value = serde_json::from_str(subject.observation)?;
    let program = Program::load(serde_json::from_str::<Contract>(subject.contract)?)
        .map_err(|errors| format!("{errors:?}"))?;
    let operation: Operation = serde_json::from_value(observation["operation"].clone())?;
    let evidence: Evidence = serde_json::from_value(observation["evidence"].clone())?;
    let now = Time::parse(observation["now"].as_str().unwrap_or_default()).map_err(|error| error.to_string())?;
    let facts = facts(&observation);
    let mut spoilt = facts.clone();
    spoilt["own"] = json!("another");

    let cel = cel::Program::compile(subject.cel)?;
    let cel_decides = |facts: &Value| {
        let mut context = cel::Context::default();
        context.add_variable("facts", facts).is_ok()
            && cel.execute(&context).is_ok_and(|answer| answer == cel::Value::Bool(true))
    };
    let mut prebuilt_cel = cel::Context::default();
    prebuilt_cel.add_variable("facts", &facts).map_err(|error| error.to_string())?;

    let mut rego = regorus::Engine::new();
    rego.add_policy("completion.rego".to_owned(), subject.rego.to_owned())?;
    let rule = "data.completion.verified";
    rego.set_input(regorus::Value::from(facts.clone()));
    rego.eval_rule(rule.to_owned())?;
    let mut rego_prebuilt = rego.clone();
    let rego_facts = regorus::Value::from(facts.clone());
    let mut rego_decides = |facts: &Value| {
        rego.set_input(regorus::Value::from(facts.clone()));
        rego.eval_rule(rule.to_owned()).is_ok_and(|answer| answer == regorus::Value::Bool(true))
    };

    let policies: PolicySet = subject.cedar.parse()?;
    let (authorizer, entities) = (Authorizer::new(), Entities::empty());
    let who: EntityUid = r#"Agent::"one""#.parse()?;
    let request = |facts: &Value| -> Result<Request, Failure> {
        let context = Context::from_json_value(facts.clone(), None)?;
        Ok(Request::new(who.clone(), who.clone(), who.clone(), context, None)?)
    };
    let allows = |request: &Request| {
        authorizer.is_authorized(request, &policies, &entities).decision() == Decision::Allow
    };
    let cedar_facts = without_nulls(&facts);
    let prebuilt_cedar = request(&cedar_facts)?;

    let decides = |evidence: &Evidence| {
        evaluate(black_box(&program), &operation, black_box(evidence), now).verdict == Verdict::Verified
    };
    let mut foreign = evidence.clone();
    foreign.correlation.record = None;
    let refused = [
        decides(&foreign),
        cel_decides(&spoilt),
        rego_decides(&spoilt),
        allows(&request(&without_nulls(&spoilt))?),
    ];
    if refused != [false; 4] {
        return Err(format!("{}: a spoilt observation passes: {refused:?}", subject.name).into());
    }

    let mut ways = vec![
        Way::new("provely", || decides(&evidence)),
        Way::new("cedar-policy", || request(black_box(&cedar_facts)).is_ok_and(|request| allows(&request))),
        Way::new("cedar-policy, prebuilt", || allows(black_box(&prebuilt_cedar))),
        Way::new("regorus", || rego_decides(black_box(&facts))),
        Way::new("regorus, prebuilt", move || {
            rego_prebuilt.set_input(rego_facts.clone());
            rego_prebuilt.eval_rule(rule.to_owned()).is_ok_and(|answer| answer == regorus::Value::Bool(true))
        }),
        Way::new("cel", || cel_decides(black_box(&facts))),
        Way::new("cel, prebuilt", || {
            cel.execute(black_box(&prebuilt_cel)).is_ok_and(|answer| answer == cel::Value::Bool(true))
        }),
    ];
    for way in &mut ways {
        if !(way.decide)() {
            return Err(format!("{}: {} does not decide for it", subject.name, way.name).into());
        }
    }
    for _ in 0..ROUNDS {
        for way in &mut ways {
            let start = Instant::now();
            for _ in 0..BATCH {
                black_box((way.decide)());
            }
            way.times.push(start.elapsed());
        }
    }
    let own = ways.first().map_or(1.0, Way::median);
    println!("{}", subject.name);
    for way in &ways {
        println!("  {:<24}{:>10.0} ns {:>7.1} times", way.name, way.median(), way.median() / own);
    }
    Ok(())
}

/// The observation as facts: what the request asked for, the record, the list, the events, and what was there before.
fn facts(observation: &Value) -> Value {
    let evidence = &observation["evidence"];
    let mut facts = Map::new();
    let own = evidence["correlation"]["record"]["id"].clone();
    let mut listed = Vec::new();
    let mut events = Vec::new();
    for channel in evidence["channels"].as_array().into_iter().flatten() {
        let read = &channel["read"];
        if let Some(record) = read.get("record") {
            facts.insert("record".to_owned(), record["value"].clone());
        }
        if let Some(list) = read.get("list") {
            facts.insert("exhausted".to_owned(), list["exhausted"].clone());
            listed.extend(list["items"].as_array().into_iter().flatten().cloned());
        }
        for event in read["events"]["events"].as_array().into_iter().flatten() {
            events.push(event["item"]["value"].clone());
        }
    }
    let baseline = evidence["baselines"][0]["ids"].clone();
    let others = listed.iter().map(|item| &item["id"]).filter(|id| **id != own);
    let others: Vec<Value> = others.filter(|id| !baseline.as_array().is_some_and(|old| old.contains(id))).cloned().collect();
    let record = facts.get("record").cloned().unwrap_or_default();
    let parts = record["transactions"]["nodes"].as_array().cloned().unwrap_or_default();
    let shown = |event: &Value| if event["type"].as_str().is_some_and(|kind| kind.starts_with("email.")) { event["type"].clone() } else { event["record"]["status"].clone() };
    let shown: Vec<Value> = if parts.is_empty() { events.iter().map(shown).collect() } else { parts.iter().map(|part| part["status"].clone()).collect() };
    let money = |part: &Value, member: &str| part["amountSet"]["presentmentMoney"][member].clone();
    facts.insert("amounts".to_owned(), parts.iter().map(|part| money(part, "amount")).collect());
    facts.insert("currencies".to_owned(), parts.iter().map(|part| money(part, "currencyCode")).collect());
    facts.insert("subjects".to_owned(), events.iter().map(|event| event["record"]["charge"].clone()).filter(|one| !one.is_null()).collect());
    facts.insert("listed".to_owned(), listed.iter().map(|item| item["id"].clone()).collect());
    facts.insert("others".to_owned(), others.into());
    facts.insert("shown".to_owned(), shown.into());
    facts.insert("list".to_owned(), listed.into());
    facts.insert("events".to_owned(), events.into());
    facts.insert("input".to_owned(), observation["operation"]["input"].clone());
    let begin = &observation["operation"]["begin"]["at"];
    let seconds = begin.as_str().and_then(|text| Time::parse(text).ok()).map(|time| time.as_millis() / 1000);
    let dated = record["created"].is_i64();
    let plain = begin.as_str().map(|text| text.replacen('T', " ", 1)).unwrap_or_default();
    facts.insert("begin".to_owned(), if dated { json!(seconds) } else { json!(plain) });
    facts.insert("baseline".to_owned(), baseline);
    facts.insert("own".to_owned(), own);
    Value::Object(facts)
}

/// Cedar has no null.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}
