//! One evaluation of a contract beside policy engines that decide the same facts of the same observation, in one
//! process and in turn. Each starts from what is parsed: the contract from evidence, the engines from a tree of JSON
//! values that they have to make their own; what is left without that is shown apart, as "prebuilt". The engines are
//! handed more than the contract is: which records are others', and what events and parts show, is worked out for them.
//!
//! `cargo run --release`, in this folder.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use cedar_policy::{Authorizer, Context, Decision, Entities, EntityUid, PolicySet, Request};
use provely_evaluator::contract::Contract;
use provely_evaluator::evaluate::evaluate;
use provely_evaluator::evidence::Evidence;
use provely_evaluator::load::Program;
use provely_evaluator::operation::Operation;
use provely_evaluator::time::Time;
use provely_evaluator::verdict::Verdict;
use serde_json::{Value, json};

type Failure = Box<dyn Error>;

/// What is decided: a contract, an observation that proves it, and the same question in other languages.
struct Subject {
    contract: String,
    observation: Value,
    cel: String,
    rego: String,
    cedar: String,
}

impl Subject {
    /// Of an observation in a file: the contract that it names stands in a package, the questions beside it.
    fn of(file: &Path) -> Result<Self, Failure> {
        let observation: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let question =
            |ending: &str| fs::read_to_string(here.join("policies").join(format!("{name}.{ending}")));
        let contract = observation["contract"].as_str().unwrap_or_default();
        let package = here.join("../../../skills").join(name).join("contracts");
        Ok(Self {
            contract: fs::read_to_string(package.join(format!("{contract}.json")))?,
            cel: question("cel")?,
            rego: question("rego")?,
            cedar: question("cedar")?,
            observation,
        })
    }
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
    let observations = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("observations"))?;
    let mut files = observations.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, Failure>>()?;
    files.sort();
    files.iter().try_for_each(|file| compare(&Subject::of(file)?))
}

fn compare(subject: &Subject) -> Result<(), Failure> {
    let observation = &subject.observation;
    let name = observation["contract"].as_str().unwrap_or_default();
    let program = Program::load(serde_json::from_str::<Contract>(&subject.contract)?)
        .map_err(|errors| format!("{errors:?}"))?;
    let operation: Operation = serde_json::from_value(observation["operation"].clone())?;
    let evidence: Evidence = serde_json::from_value(observation["evidence"].clone())?;
    let now =
        Time::parse(observation["now"].as_str().unwrap_or_default()).map_err(|error| error.to_string())?;
    let facts = observation["facts"].clone();
    let mut spoilt = facts.clone();
    spoilt["own"] = json!("another");

    let cel = cel::Program::compile(&subject.cel)?;
    let cel_decides = |facts: &Value| {
        let mut context = cel::Context::default();
        context.add_variable("facts", facts).is_ok()
            && cel.execute(&context).is_ok_and(|answer| answer == cel::Value::Bool(true))
    };
    let mut prebuilt_cel = cel::Context::default();
    prebuilt_cel.add_variable("facts", &facts).map_err(|error| error.to_string())?;

    let mut rego = regorus::Engine::new();
    rego.add_policy("completion.rego".to_owned(), subject.rego.clone())?;
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
        return Err(format!("{}: a spoilt observation passes: {refused:?}", name).into());
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
            return Err(format!("{}: {} does not decide for it", name, way.name).into());
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
    println!("{}", name);
    for way in &ways {
        println!("  {:<24}{:>10.0} ns {:>7.1} times", way.name, way.median(), way.median() / own);
    }
    Ok(())
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
