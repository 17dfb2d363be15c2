//! Measures the stages on real descriptions against labels made by hand. Runs where `PROVELY_CORPUS` (the
//! folder of descriptions) and `PROVELY_LABELS` (the folder that holds `lifecycles.yaml`) are set, and fails
//! below the figures once reached. `PROVELY_LABELS_MISSES=1` prints every miss.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops at the first surprise and reports"
)]

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use provely_compiler::classify::classify;
use provely_compiler::ingest::{Ingested, ingest};
use provely_compiler::plan::{Gathered, Planned, Rules, plan};
use provely_compiler::source::{Sources, load_openapi};
use provely_document::{Format, Limits, from_node, read};
use provely_evaluator::contract::StateClass;
use provely_model::{Lifecycle, Plan, Resource};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Label {
    spec: String,
    resource: String,
    field: Option<String>,
    #[serde(default)]
    states: Option<BTreeMap<String, StateLabel>>,
    #[serde(default)]
    operations: Vec<OperationLabel>,
}

#[derive(Debug, Deserialize)]
struct StateLabel {
    class: StateClass,
}

#[derive(Debug, Deserialize)]
struct OperationLabel {
    op: String,
    effect: String,
    #[serde(default)]
    accept: Vec<String>,
    #[serde(default)]
    readback: Option<String>,
    #[serde(default)]
    result_id: Option<String>,
    spec: Option<String>,
    readback_spec: Option<String>,
}

/// How many of a kind are right.
#[derive(Debug, Default, Clone, Copy)]
struct Share {
    right: u32,
    of: u32,
}

impl Share {
    fn count(&mut self, right: bool) -> bool {
        self.of += 1;
        self.right += u32::from(right);
        right
    }

    /// In tenths of a percent, rounded down; nothing at all counts as everything.
    fn permille(self) -> u32 {
        (self.right * 1000).checked_div(self.of).unwrap_or(1000)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let permille = self.permille();
        write!(to, "{} of {} ({}.{} %)", self.right, self.of, permille / 10, permille % 10)
    }
}

#[derive(Debug, Default)]
struct Measured {
    operations: Share,
    acting: Share,
    reads: Share,
    effects: Share,
    readbacks: Share,
    /// Of the readbacks that were planned, those that are the labelled one.
    precise: Share,
    result_ids: Share,
    resources: Share,
    fields: Share,
    /// Certain classes, by class.
    certain: BTreeMap<StateClass, Share>,
    misses: Vec<String>,
}

impl Measured {
    fn miss(&mut self, spec: &str, text: String) {
        self.misses.push(format!("{spec}: {text}"));
    }

    fn operation(&mut self, spec: &str, label: &OperationLabel, planned: &Planned) {
        let found = planned.service.operation(&label.op);
        if !self.operations.count(found.is_some()) {
            self.miss(spec, format!("no operation {}", label.op));
        }
        let Some(operation) = found else { return };
        let (effect, acts) = (operation.effect.name(), operation.effect.acts());
        let right = if label.effect == "read" { self.reads.count(!acts) } else { self.acting.count(acts) };
        let named = effect == label.effect || label.accept.iter().any(|other| other == effect);
        self.effects.count(named);
        if !right {
            self.miss(spec, format!("effect of {}: {effect}, not {}", label.op, label.effect));
        }
        if label.effect != "read" && label.readback_spec.is_none() {
            self.readback(spec, label, operation.plan.as_ref());
        }
    }

    fn readback(&mut self, spec: &str, label: &OperationLabel, plan: Option<&Plan>) {
        let ours = plan.and_then(|plan| plan.readback.as_ref().or(plan.list.as_ref()));
        let right = self.readbacks.count(ours == label.readback.as_ref());
        if ours.is_some() {
            self.precise.count(right);
        }
        if !right {
            self.miss(spec, format!("readback of {}: {ours:?}, not {:?}", label.op, label.readback));
        }
        if right && let Some(wanted) = &label.result_id {
            let id = plan.and_then(|plan| plan.result_id.as_deref()).unwrap_or_default();
            let id = id.replacen("$action.result", "$", 1);
            if !self.result_ids.count(id == *wanted) {
                self.miss(spec, format!("result id of {}: {id}, not {wanted}", label.op));
            }
        }
    }

    fn resource(&mut self, spec: &str, label: &Label, made: &Made) {
        let (resources, followed) = (&made.planned.service.resources, made.followed(label));
        let own = |resource: &&Resource| {
            let place = resource.lifecycle.as_ref().map(|lifecycle| lifecycle.field.as_str());
            place.is_some() && (place == label.field.as_deref() || place == followed.as_deref())
        };
        let by_field = resources.iter().find(own);
        let plain = |name: &str| name.replace(['_', '-', '.', ' '], "").to_lowercase();
        let by_name = resources.iter().any(|resource| {
            let last = resource.name.rsplit('.').next().unwrap_or_default();
            plain(&resource.name) == plain(&label.resource) || plain(last) == plain(&label.resource)
        });
        if !self.resources.count(by_field.is_some() || by_name) {
            self.miss(spec, format!("no resource {}", label.resource));
        }
        let Some(field) = &label.field else { return };
        if !self.fields.count(by_field.is_some()) {
            self.miss(spec, format!("no state field {field} of {}", label.resource));
        }
        if let (Some(lifecycle), Some(states)) =
            (by_field.and_then(|resource| resource.lifecycle.as_ref()), &label.states)
        {
            self.states(spec, &label.resource, lifecycle, states);
        }
    }

    fn states(
        &mut self,
        spec: &str,
        resource: &str,
        lifecycle: &Lifecycle,
        labels: &BTreeMap<String, StateLabel>,
    ) {
        for state in lifecycle.states.iter().filter(|state| state.certainty.is_certain()) {
            let Some(label) = labels.get(&state.name) else { continue };
            if !self.certain.entry(state.class).or_default().count(state.class == label.class) {
                self.miss(
                    spec,
                    format!("state {} of {resource}: {:?}, not {:?}", state.name, state.class, label.class),
                );
            }
        }
    }

    /// Fails below what was reached.
    fn hold(&self) {
        let floors = [
            ("acting", self.acting, 990),
            ("reads", self.reads, 980),
            ("effects", self.effects, 890),
            ("readbacks", self.readbacks, 900),
            ("precise readbacks", self.precise, 950),
            ("result ids", self.result_ids, 880),
            ("resources", self.resources, 860),
            ("state fields", self.fields, 790),
        ];
        for (name, share, floor) in floors {
            assert!(share.permille() >= floor, "{name}: {share}, no longer {floor} per mille");
        }
        for (class, share) in &self.certain {
            assert!(share.right == share.of, "certain {class:?}: {share}");
        }
    }

    fn report(&self) {
        println!("operations found    {}", self.operations);
        println!("acting recalled     {}", self.acting);
        println!("reads kept          {}", self.reads);
        println!("effects named right {}", self.effects);
        println!("readbacks right     {}", self.readbacks);
        println!("readbacks precise   {}", self.precise);
        println!("result ids right    {}", self.result_ids);
        println!("resources found     {}", self.resources);
        println!("state fields found  {}", self.fields);
        for (class, share) in &self.certain {
            println!("certain {class:?} {share}");
        }
        if std::env::var_os("PROVELY_LABELS_MISSES").is_some() {
            self.misses.iter().for_each(|miss| println!("{miss}"));
        }
    }
}

/// What a description came to.
struct Made {
    found: Ingested,
    planned: Planned,
}

impl Made {
    /// The labelled field, its references followed.
    fn followed(&self, label: &Label) -> Option<String> {
        let place = self.found.forest.follow(0, label.field.as_deref()?)?;
        let end = self.found.forest.resolve(place);
        (end.tree == 0).then(|| format!("#{}", end.pointer))
    }
}

/// The plan of a description; an empty one, so that all its labels are missed, if it cannot be read.
fn planned(path: &Path) -> Made {
    let found = ingest(&load_openapi(path).unwrap()).unwrap_or_else(|findings| {
        findings.iter().for_each(|finding| println!("{}: {}", path.display(), finding.message));
        ingest(&Sources::of_openapi("empty.yaml", "openapi: 3.1.0\ninfo: {}\npaths: {}\n")).unwrap()
    });
    let classified = classify(&found);
    let gathered = Gathered::of(&found, &classified);
    let planned = plan(&gathered.known(&classified.service), &Rules::builtin().unwrap());
    Made { found, planned }
}

fn labels(folder: &Path) -> Vec<Label> {
    let text = std::fs::read_to_string(folder.join("lifecycles.yaml")).unwrap();
    let document = read("lifecycles.yaml", text, Format::Yaml, &Limits::default()).unwrap();
    from_node(document.root()).unwrap()
}

#[test]
fn real_descriptions_come_out_as_labelled() {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(corpus), Some(answers)) = (folder("PROVELY_CORPUS"), folder("PROVELY_LABELS")) else { return };
    let mut made: BTreeMap<String, Made> = BTreeMap::new();
    let mut measured = Measured::default();
    let graph = |label: &Label| label.spec.ends_with(".graphql") || label.spec.contains("introspection");
    for label in labels(&answers).iter().filter(|label| !graph(label)) {
        for operation in &label.operations {
            let spec = operation.spec.as_ref().unwrap_or(&label.spec);
            let planned = made.entry(spec.clone()).or_insert_with(|| planned(&corpus.join(spec)));
            measured.operation(spec, operation, &planned.planned);
        }
        let planned = made.entry(label.spec.clone()).or_insert_with(|| planned(&corpus.join(&label.spec)));
        measured.resource(&label.spec, label, planned);
    }
    measured.report();
    measured.hold();
}

#[test]
fn most_operations_of_a_large_description_can_be_read_back() {
    let Some(corpus) = std::env::var_os("PROVELY_CORPUS").map(PathBuf::from) else { return };
    let path = corpus.join("stripe/spec3.2026-05-27.dahlia.json");
    if !path.is_file() {
        return;
    }
    let planned = planned(&path).planned;
    let acting = planned.service.operations.iter().filter(|operation| operation.effect.acts());
    let (mut whole, mut all) = (0, 0);
    for operation in acting {
        all += 1;
        let read = operation.plan.as_ref().is_some_and(|plan| plan.readback.is_some());
        if operation.resource.is_some() && read {
            whole += 1;
        } else if std::env::var_os("PROVELY_LABELS_MISSES").is_some() {
            let list = operation.plan.as_ref().and_then(|plan| plan.list.as_deref()).unwrap_or("-");
            println!("no readback of {} ({:?}), list {list}", operation.id, operation.resource);
        }
    }
    println!("{whole} of {all} acting operations have effect, resource and readback");
    assert!(whole > 300, "{whole} of {all}");
}
