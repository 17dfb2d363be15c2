//! `provely skill generate`: from sources to a signed package. Only the last stage writes, and all or nothing.

use crate::answer::Answer;
use crate::answers::effects;
use crate::benchmarks::{Kept, carry_over};
use crate::compilation::{Compilation, Job, SKILL_VERSION, Stage, compile};
use crate::failure::Failure;
use crate::handed::Handed;
use crate::home::{Home, NamedKey, check_id, read_key};
use crate::package;
use crate::progress::Progress;
use crate::review::{Origin, Prepared};
use crate::session::Session;
use crate::sources;
use crate::summary::Summary;
use crate::summary_text::{self, line};
use provely_compiler::certify::Release;
use provely_compiler::review::Bundle;
use provely_compiler::source::Sources;
use provely_evaluator::time::Time;
use provely_harness::print;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  provely skill generate stripe
  provely skill generate --openapi ./vendor.yaml --docs ./docs --out ./skill
  provely skill generate --openapi https://vendor.example/openapi.json
  provely skill generate --graphql ./schema.graphql --service vendor
  provely skill generate stripe --until classify --json

The questions that stay open are written as a review bundle, apart from the
package. `provely skill review` works through it and writes the answers to
`review.yaml` of the sources, or to the file of `--answers`.

Without `--key` and without a `signing_key` in config.toml the package is signed
with the public test key, with which anybody can sign.";

const USAGE: &str = "provely skill generate [OPTIONS] (SERVICE | --openapi SRC | ...)";

/// Arguments of `skill generate`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
#[command(group = clap::ArgGroup::new("description").args(["openapi", "graphql"]).multiple(true))]
pub struct Arguments {
    /// A service under `sources/`
    #[arg(value_name = "SERVICE", required_unless_present = "description")]
    #[arg(conflicts_with_all = ["description", "docs", "events", "sdk", "answers"])]
    service_name: Option<String>,
    /// An OpenAPI or Swagger description: a file, a folder or an address
    #[arg(long, value_name = "SRC")]
    openapi: Option<PathBuf>,
    /// A GraphQL schema, in SDL or as the answer to an introspection query
    #[arg(long, value_name = "SRC")]
    graphql: Option<PathBuf>,
    /// The vendor's documents, in Markdown or HTML
    #[arg(long, value_name = "DIR|FILE", requires = "description")]
    docs: Option<PathBuf>,
    /// Event samples, in JSON or YAML
    #[arg(long, value_name = "DIR|FILE", requires = "description")]
    events: Option<PathBuf>,
    /// Type files of the vendor's SDK (`.d.ts`)
    #[arg(long, value_name = "DIR|FILE", requires = "description")]
    sdk: Option<PathBuf>,
    /// A reviewer's answers, as `skill review` writes them
    #[arg(long, value_name = "FILE", requires = "description")]
    answers: Option<PathBuf>,
    /// The id of the service, instead of the slug of the title
    #[arg(long, value_name = "ID", requires = "description")]
    service: Option<String>,
    /// Stop after this stage and say what it found; nothing is written before `certify`
    #[arg(long, value_name = "STAGE")]
    until: Option<Stage>,
    /// Stop after this stage and print its whole output; nothing is written, not even by `certify`
    #[arg(long, value_name = "STAGE")]
    emit: Option<Stage>,
    /// Where the package goes: else `skills/ID`, or `./ID-skill`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where the open questions go: else `reviews/ID`, or `./ID-review`
    #[arg(long, value_name = "DIR")]
    review: Option<PathBuf>,
    /// The signing key, in PKCS#8 PEM
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// The id of that key, else the name of its file
    #[arg(long, value_name = "ID", requires = "key")]
    key_id: Option<String>,
    /// The time stamp of the package, in RFC 3339
    #[arg(long, value_name = "TIME")]
    compiled_at: Option<Time>,
    /// Replace a package of another service or of other sources
    #[arg(long)]
    force: bool,
    /// The folder that holds `sources/` and `skills/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Arguments {
    /// Compiles, and writes the package.
    ///
    /// # Errors
    /// What is malformed, a critical false VERIFIED, or a folder that must not be replaced.
    pub fn run(self, session: &Session) -> Result<Answer, Failure> {
        let (id, sources) = self.load(session)?;
        let until = self.last_stage()?;
        let writes = until == Stage::Certify && self.emit.is_none();
        let out = self.out(session, &id);
        if writes {
            check_place(&out, &id, &sources, self.force)?;
        }
        let signer = self.signer(session)?;
        let release = Release {
            skill_version: SKILL_VERSION.to_owned(),
            compiler_version: env!("CARGO_PKG_VERSION").to_owned(),
            compiled_at: compiled_at(session, self.compiled_at, &sources)?,
        };
        let job = Job { sources: &sources, service: Some(&id), until, release, signer: &signer, seed: 0 };
        let mut progress = Progress::new(session);
        let mut made = compile(&job, &mut progress)?;
        if let Some(stage) = self.emit {
            return emit(&made, stage);
        }
        if writes && !made.found.review.is_empty() {
            progress.begin("answers");
            made.answers = effects(&job, &mut made)?;
            progress.end(&format!("{} compared with compiling without them", made.answers.len()));
        }
        let mut text = summary_text::text(&made);
        if let (true, Some(certified)) = (writes, &mut made.certified) {
            let kept = carry_over(session, &out, &mut certified.files, &signer)?;
            if kept == Kept::Stale {
                let again = format!("`provely benchmark run {id} --write`");
                line(
                    &mut text,
                    0,
                    &format!("dropped benchmark.json, which is not of these contracts: {again}"),
                );
            }
        }
        if let (true, Some(certified)) = (writes, &made.certified) {
            let bundle = self.bundle(session, &made, &sources, &out)?;
            package::write(&out, &certified.files)?;
            signed(&signer, &out, certified.files.len(), &mut text);
            if let Some(bundle) = bundle {
                line(&mut text, 0, &bundle.write()?);
            }
        }
        Answer::done(text, &Summary::of(&made))
    }

    /// The review bundle, where there is one to write.
    fn bundle(
        &self,
        session: &Session,
        made: &Compilation,
        sources: &Sources,
        out: &Path,
    ) -> Result<Option<Prepared>, Failure> {
        let (Some(written), Some(certified), Some(reviewed)) =
            (&made.written, &made.certified, &made.reviewed)
        else {
            return Ok(None);
        };
        let bundle = Bundle::of(&made.found, written, certified, reviewed);
        let origin = self.origin(session, &made.found.service, sources);
        Prepared::new(&bundle, origin, &self.review(session, &made.found.service), out)
    }

    /// Where the sources are, and the answers to them.
    fn origin(&self, session: &Session, id: &str, sources: &Sources) -> Origin {
        match (&self.openapi, &self.service_name) {
            (None, Some(name)) if !self.is_handed() => {
                let folder = sources::root(session, self.root.as_deref()).join("sources").join(name);
                let answers = folder.join("review.yaml");
                Origin::of(sources, &folder, Some(answers), format!("provely skill generate {name}"))
            }
            (openapi, _) => {
                let description = openapi.as_deref().or(self.graphql.as_deref());
                let folder = match description {
                    Some(folder) if folder.is_dir() => folder,
                    Some(file) => file.parent().unwrap_or(Path::new(".")),
                    None => Path::new("."),
                };
                let answers =
                    self.answers.clone().unwrap_or_else(|| PathBuf::from(format!("{id}-answers.yaml")));
                let again = format!("provely skill generate ... --answers {}", answers.display());
                Origin::of(sources, folder, Some(answers), again)
            }
        }
    }

    fn load(&self, session: &Session) -> Result<(String, Sources), Failure> {
        if let Some(id) = &self.service {
            sources::check_service_id(id)?;
        }
        let handed = Handed {
            openapi: self.openapi.as_deref(),
            graphql: self.graphql.as_deref(),
            docs: self.docs.as_deref(),
            events: self.events.as_deref(),
            sdk: self.sdk.as_deref(),
        };
        match &self.service_name {
            _ if self.is_handed() => {
                let (id, mut sources) = handed.load(self.service.as_deref())?;
                sources.review = sources::answers(self.answers.as_deref())?;
                Ok((id, sources))
            }
            Some(name) => {
                let sources = sources::of_service(&sources::root(session, self.root.as_deref()), name)?;
                let id = sources.service.as_ref().map_or(name, |file| &file.id).clone();
                Ok((id, sources))
            }
            None => {
                Err(Failure::new("usage", "name a service, or a description with `--openapi` or `--graphql`"))
            }
        }
    }

    /// A description was handed in, rather than the name of a service.
    const fn is_handed(&self) -> bool {
        self.openapi.is_some() || self.graphql.is_some()
    }

    /// The stage to end with: that of `--emit`, which `--until` may not stop short of.
    fn last_stage(&self) -> Result<Stage, Failure> {
        match (self.emit, self.until) {
            (Some(emit), Some(until)) if emit > until => Err(Failure::new(
                "stage_not_run",
                format!("`--until {}` ends before `--emit {}`", until.name(), emit.name()),
            )
            .help("leave out `--until`")),
            (emit, until) => Ok(emit.or(until).unwrap_or(Stage::Certify)),
        }
    }

    fn out(&self, session: &Session, id: &str) -> PathBuf {
        let usual = || match self.is_handed() {
            true => PathBuf::from(format!("{id}-skill")),
            false => sources::root(session, self.root.as_deref()).join("skills").join(id),
        };
        self.out.clone().unwrap_or_else(usual)
    }

    fn review(&self, session: &Session, id: &str) -> PathBuf {
        let usual = || match self.is_handed() {
            true => PathBuf::from(format!("{id}-review")),
            false => sources::root(session, self.root.as_deref()).join("reviews").join(id),
        };
        self.review.clone().unwrap_or_else(usual)
    }

    fn signer(&self, session: &Session) -> Result<NamedKey, Failure> {
        let Some(path) = &self.key else {
            let configured = Home::find(session).and_then(|home| home.signing_key())?;
            return Ok(configured.unwrap_or_else(NamedKey::test));
        };
        let key = read_key(path)?;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let id = self.key_id.clone().unwrap_or(stem);
        check_id(&id)?;
        Ok(NamedKey { id, key })
    }
}

fn signed(signer: &NamedKey, out: &Path, count: usize, text: &mut String) {
    line(text, 0, &format!("wrote {count} files to {}", out.display()));
    if signer.is_public() {
        let id = &signer.id;
        line(text, 0, &format!("signed with {id}, the PUBLIC TEST KEY: anybody can sign with it."));
        line(text, 0, "Make a key of your own with `provely key generate ID`.");
    } else {
        line(text, 0, &format!("signed with {}", signer.id));
    }
}

/// The time stamp: given, else of the environment, else the newest day on which a source was retrieved.
///
/// # Errors
/// If there is none, or the environment's is no whole number of seconds.
pub fn compiled_at(session: &Session, given: Option<Time>, sources: &Sources) -> Result<Time, Failure> {
    if let Some(time) = given {
        return Ok(time);
    }
    if let Some(text) = session.variable("SOURCE_DATE_EPOCH") {
        let seconds = text.to_str().and_then(|text| text.parse().ok());
        return seconds.map(Time::from_seconds).ok_or_else(|| {
            Failure::new("time_malformed", "`SOURCE_DATE_EPOCH` is no whole number of seconds")
                .help("set it to seconds since 1970, or unset it")
        });
    }
    let newest = sources.files.iter().filter_map(|file| file.retrieved.as_deref()).max();
    match newest {
        None => Ok(Time::from_seconds(0)),
        Some(day) => Time::parse(&format!("{day}T00:00:00Z")).map_err(|_| {
            Failure::new("time_malformed", format!("`retrieved: {day}` is no day"))
                .help("write it as `2026-09-05`")
        }),
    }
}

/// A package is replaced only by one of the same service from the same sources, and nothing else ever.
fn check_place(out: &Path, id: &str, sources: &Sources, force: bool) -> Result<(), Failure> {
    let is_empty = |folder: &Path| fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    if !out.exists() || is_empty(out) {
        return Ok(());
    }
    if !out.join(package::MANIFEST).is_file() {
        return Err(Failure::file("out_not_a_package", out, "there is something else than a package")
            .help("name another folder with `--out`"));
    }
    if force {
        return Ok(());
    }
    let manifest = package::manifest(out).map_err(|failure| failure.help("replace it with `--force`"))?;
    let theirs: BTreeSet<&str> = manifest.sources.iter().map(|source| source.id.as_str()).collect();
    let ours: BTreeSet<&str> = sources.files.iter().map(|file| file.id.as_str()).collect();
    if manifest.service.id != id {
        return Err(Failure::file(
            "out_of_another_service",
            out,
            format!("there is the package of `{}`", manifest.service.id),
        )
        .help("name another folder with `--out`, or replace it with `--force`"));
    }
    if theirs != ours {
        return Err(Failure::file(
            "out_of_other_sources",
            out,
            "that package was compiled from other sources",
        )
        .help("name another folder with `--out`, or replace it with `--force`"));
    }
    Ok(())
}

/// The whole output of a stage.
fn emit(made: &Compilation, stage: Stage) -> Result<Answer, Failure> {
    let missing = || Failure::new("stage_missing", "the stage gave nothing");
    let json = match stage {
        Stage::Ingest => serde_json::to_string_pretty(&made.found)?,
        Stage::Classify => serde_json::to_string_pretty(made.classified.as_ref().ok_or_else(missing)?)?,
        Stage::Plan => serde_json::to_string_pretty(made.planned.as_ref().ok_or_else(missing)?)?,
        Stage::Synthesise => serde_json::to_string_pretty(made.written.as_ref().ok_or_else(missing)?)?,
        Stage::Test => {
            let report = &made.tested.as_ref().ok_or_else(missing)?.report;
            let json = serde_json::to_string_pretty(report)? + "\n";
            return Ok(Answer { exit: crate::exit::Exit::Done, text: print::table(report), json });
        }
        Stage::Certify => serde_json::to_string_pretty(made.certified.as_ref().ok_or_else(missing)?)?,
    };
    Ok(Answer { exit: crate::exit::Exit::Done, text: json.clone() + "\n", json: json + "\n" })
}
