//! `provely simulate`: a provider that stands in for a service, over HTTP. It compiles the model in memory and serves
//! it; it must not write anything.

use crate::answer::Answer;
use crate::compilation::{Stage, compile_in_memory};
use crate::failure::Failure;
use crate::files;
use crate::handed::Handed;
use crate::session::Session;
use crate::sources;
use clap::ValueEnum;
use provely_compiler::source::Sources;
use provely_document::{Format, Limits, from_node, read};
use provely_model::Service;
use provely_simulator::{Fault, Options, Settle};
use provely_simulator_http::{ClockKind, Fidelity, Server, Set, Subscriber, World, fidelity};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  provely simulate stripe --port 4010
  provely simulate stripe --webhook http://127.0.0.1:8080/hooks --secret whsec_test
  provely simulate resend --faults faults.yaml --seed 7
  provely simulate --openapi ./vendor.yaml --clock manual

Point the vendor's own client at the address that is printed. Records move by
themselves after two to ten seconds, unless `--settle` says otherwise. What
really happened, and how to move time, states and faults, is told under
`/_control`. Ends with Ctrl-C.";

/// How records move by themselves.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Settling {
    /// After two to ten seconds, to the first success
    Soon,
    /// Not at all: the control endpoint moves them
    Never,
    /// They are born in the first success
    AtOnce,
}

/// Who moves the clock.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ClockName {
    /// The machine
    Real,
    /// The control endpoint
    Manual,
}

/// Arguments of `simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "provely simulate [OPTIONS] (SERVICE | --openapi SRC | --graphql SRC)")]
#[command(group = clap::ArgGroup::new("described").args(["openapi", "graphql"]).multiple(true))]
pub struct Arguments {
    /// A service under `sources/`
    #[arg(value_name = "SERVICE", required_unless_present = "described", conflicts_with = "described")]
    service_name: Option<String>,
    /// An OpenAPI or Swagger description: a file, a folder or an address
    #[arg(long, value_name = "SRC")]
    openapi: Option<PathBuf>,
    /// A GraphQL schema, in SDL or as the answer to an introspection query
    #[arg(long, value_name = "SRC")]
    graphql: Option<PathBuf>,
    /// Event samples, in JSON or YAML, beside a description
    #[arg(long, value_name = "DIR|FILE", requires = "described")]
    events: Option<PathBuf>,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// The port; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 4010)]
    port: u16,
    /// Ids, latencies and chances follow from it
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// What goes wrong: a list of faults, in YAML or JSON
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// Who moves the clock
    #[arg(long, value_enum, default_value = "real")]
    clock: ClockName,
    /// How records move by themselves
    #[arg(long, value_enum, default_value = "soon")]
    settle: Settling,
    /// Where events are posted; may be given several times
    #[arg(long, value_name = "URL")]
    webhook: Vec<String>,
    /// The secret that deliveries are signed with, as the service writes it
    #[arg(long, value_name = "SECRET", default_value = "simulated-secret")]
    secret: String,
    /// A test-mode account
    #[arg(long)]
    test_mode: bool,
    /// Print what of the service is simulated, and end
    #[arg(long)]
    fidelity: bool,
    /// The folder that holds `sources/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Arguments {
    /// Serves until the process ends.
    ///
    /// # Errors
    /// If the sources or the faults are malformed, or the address cannot be listened on.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let (id, sources) = self.load(session)?;
        let service = model(session, &sources, &id)?;
        if self.fidelity {
            let told = fidelity(&service);
            return Answer::done(table(&told), &told);
        }
        let options = Options {
            seed: self.seed,
            live: !self.test_mode,
            secret: self.secret.clone(),
            settle: match self.settle {
                Settling::Soon => Settle::default(),
                Settling::Never => Settle::Stay,
                Settling::AtOnce => Settle::AtOnce,
            },
            faults: self.faults.as_deref().map_or(Ok(Vec::new()), faults)?,
            ..Options::default()
        };
        let clock = match self.clock {
            ClockName::Real => ClockKind::Real,
            ClockName::Manual => ClockKind::Manual,
        };
        let subscribers = self.webhook.iter().map(|url| Subscriber { url: url.clone() }).collect();
        let title = service.title.clone();
        let told = fidelity(&service);
        let world = World::new(service, Set { options, clock, subscribers });
        let server = Server::start(world, SocketAddr::new(self.host, self.port))
            .map_err(|error| Failure::new("serve", error.to_string()).help("choose another `--port`"))?;
        let address = format!("http://{}", server.address());
        session.say(&table(&told));
        session.say(&format!("{title} is simulated at {address}; control it under {address}/_control"));
        if session.json {
            session.print(&format!("{{\"address\": \"{address}\"}}\n")).ok();
        }
        server.wait();
        Answer::done(String::new(), &told)
    }

    fn load(&self, session: &Session) -> Result<(String, Sources), Failure> {
        match &self.service_name {
            Some(name) => {
                let root = sources::root(session, self.root.as_deref());
                Ok((name.clone(), sources::of_service(&root, name)?))
            }
            None => Handed {
                openapi: self.openapi.as_deref(),
                graphql: self.graphql.as_deref(),
                events: self.events.as_deref(),
                ..Handed::default()
            }
            .load(None),
        }
    }
}

/// The model of a service, as far as stage 3.
fn model(session: &Session, sources: &Sources, id: &str) -> Result<Service, Failure> {
    let made = compile_in_memory(session, sources, Some(id), Stage::Plan)?;
    let nothing = || Failure::new("nothing_planned", "the sources describe no service");
    Ok(made.planned.ok_or_else(nothing)?.service)
}

fn faults(path: &Path) -> Result<Vec<Fault>, Failure> {
    let bytes = files::bytes(path)?;
    let name = path.to_string_lossy();
    let document = read(&name, bytes, Format::Auto, &Limits::default())?;
    Ok(from_node(document.root())?)
}

/// The fidelity table.
fn table(told: &Fidelity) -> String {
    let signed = if told.signed { "signed" } else { "not signed" };
    let rows = [
        ("operations", format!("{} of {} work on records", told.on_records, told.operations)),
        ("acting", format!("{}, {} with a retry key", told.acting, told.with_retry_key)),
        ("lists", told.lists.to_string()),
        ("resources", format!("{}, {} with states", told.resources, told.with_states)),
        ("states", format!("{}, {} of them ended", told.states, told.ended)),
        ("event types", format!("{}, {signed}", told.events)),
        ("faults", format!("{} kinds", told.faults)),
    ];
    let mut text = format!("fidelity of {}\n", told.service);
    for (name, value) in rows {
        text.push_str(&format!("  {name:<14}{value}\n"));
    }
    text
}
