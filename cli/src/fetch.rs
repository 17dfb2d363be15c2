//! Fetches descriptions from addresses that a person named. It must not follow anything beyond the origin of that
//! address, and a file's reference to the network is never its business.

use crate::failure::Failure;
use provely_compiler::source::{SourceKind, Sources, add_parts};
use provely_evaluator::time::Time;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use ureq::Agent;
use ureq::http::Uri;

/// The longest answer that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;
/// The most that all files of one description may have together, in bytes.
const MOST_BYTES_TOGETHER: usize = 256 << 20;
/// Most redirects in a row.
const MOST_REDIRECTS: usize = 5;
/// Most files that one description may be spread over.
const MOST_FILES: usize = 2_000;
/// The longest that one request may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// True for what names a place in the network rather than a file.
#[must_use]
pub fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// Fetches a description, and the files of the same origin that it refers to by relative names.
///
/// # Errors
/// If the address is malformed, does not answer with success in time, leads to another origin, or answers what is no
/// text of acceptable length.
pub fn description(address: &str, kind: SourceKind) -> Result<Sources, Failure> {
    let agent = agent();
    let (uri, bytes) = fetch(&agent, &parse(address)?)?;
    let origin = Origin::of(&uri);
    let name = uri.path().trim_start_matches('/').to_owned();
    let text = provely_document::text(&name, bytes)?;
    let mut sources = match kind {
        SourceKind::Graphql => Sources::of_graphql(&name, text),
        _ => Sources::of_openapi(&name, text),
    };
    for file in &mut sources.files {
        file.url = Some(uri.to_string());
        file.retrieved = today();
    }
    let (mut files, mut together) = (0, 0);
    add_parts(&mut sources.files, &mut |part| {
        files += 1;
        if files > MOST_FILES || together > MOST_BYTES_TOGETHER {
            return None;
        }
        let text = text_of(&agent, &origin, part).ok()?;
        together += text.len();
        Some(text)
    });
    for file in sources.files.iter_mut().skip(1) {
        file.url = Some(format!("{}/{}", origin.0, file.name));
    }
    Ok(sources)
}

/// Fetches one text again.
///
/// # Errors
/// As [`description`].
pub fn text(address: &str) -> Result<String, Failure> {
    let (uri, bytes) = fetch(&agent(), &parse(address)?)?;
    Ok(provely_document::text(uri.path(), bytes)?)
}

/// Scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin(String);

impl Origin {
    fn of(uri: &Uri) -> Self {
        let host = uri.authority().map_or("", |authority| authority.host()).to_ascii_lowercase();
        let scheme = uri.scheme_str().unwrap_or_default();
        match (uri.port_u16(), scheme) {
            (None, _) | (Some(80), "http") | (Some(443), "https") => Self(format!("{scheme}://{host}")),
            (Some(port), _) => Self(format!("{scheme}://{host}:{port}")),
        }
    }
}

fn agent() -> Agent {
    let config = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("provely/", env!("CARGO_PKG_VERSION")))
        .build();
    Agent::new_with_config(config)
}

fn text_of(agent: &Agent, origin: &Origin, name: &str) -> Result<String, Failure> {
    let path: String = name.split('/').map(encoded).collect::<Vec<_>>().join("/");
    let (_, bytes) = fetch(agent, &parse(&format!("{}/{path}", origin.0))?)?;
    Ok(provely_document::text(name, bytes)?)
}

/// A segment of a path with everything escaped that could end it.
fn encoded(segment: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte);
    let escape = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    segment.bytes().map(escape).collect()
}

/// Requests an address, following redirects within its origin. Gives the address that answered.
fn fetch(agent: &Agent, address: &Uri) -> Result<(Uri, Vec<u8>), Failure> {
    let origin = Origin::of(address);
    let mut uri = address.clone();
    for _ in 0..=MOST_REDIRECTS {
        let mut reply = agent.get(&uri).call().map_err(|error| unreachable(&uri, &error))?;
        let status = reply.status();
        if status.is_redirection() {
            let target = reply.headers().get("location").and_then(|target| target.to_str().ok());
            uri = redirected(&uri, &origin, target.unwrap_or_default())?;
            continue;
        }
        if !status.is_success() {
            return Err(Failure::new("address_refused", format!("`{uri}` answers {status}"))
                .help("check the address; what needs a login is downloaded first and named as a file"));
        }
        let body = reply.body_mut().with_config().limit(MOST_BYTES).read_to_vec();
        return body.map(|bytes| (uri.clone(), bytes)).map_err(|error| unreachable(&uri, &error));
    }
    Err(Failure::new("address_redirected", format!("`{address}` redirects more than {MOST_REDIRECTS} times")))
}

fn redirected(from: &Uri, origin: &Origin, target: &str) -> Result<Uri, Failure> {
    let whole = if is_address(target) {
        target.to_owned()
    } else if target.starts_with("//") {
        format!("{}:{target}", from.scheme_str().unwrap_or("https"))
    } else if target.starts_with('/') {
        format!("{}{target}", origin.0)
    } else {
        let folder = from.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{}{folder}/{target}", origin.0)
    };
    let next = parse(&whole)?;
    if Origin::of(&next) == *origin {
        return Ok(next);
    }
    let message = format!("`{from}` redirects to `{next}`, which is another origin");
    Err(Failure::new("address_redirected", message).help("name that address itself if you trust it"))
}

fn parse(address: &str) -> Result<Uri, Failure> {
    let plain = address.split('#').next().unwrap_or_default();
    let malformed = |why: &str| {
        Failure::new("address_malformed", format!("`{}` is no address: {why}", address.escape_debug()))
            .help("write it as `https://host/path`")
    };
    let uri: Uri =
        plain.parse().map_err(|error: ureq::http::uri::InvalidUri| malformed(&error.to_string()))?;
    let Some(authority) = uri.authority() else { return Err(malformed("it names no host")) };
    if authority.as_str().contains('@') {
        return Err(malformed("it holds a user or a password"));
    }
    Ok(uri)
}

fn unreachable(uri: &Uri, error: &ureq::Error) -> Failure {
    let (code, why) = match error {
        ureq::Error::BodyExceedsLimit(_) => {
            ("address_too_long", format!("`{uri}` answers more than {MOST_BYTES} bytes"))
        }
        ureq::Error::Timeout(_) => {
            ("address_slow", format!("`{uri}` gave no whole answer within {} seconds", TIMEOUT.as_secs()))
        }
        other => ("address_unreachable", format!("`{uri}` cannot be fetched: {other}")),
    };
    Failure::new(code, why).help("check the address, or download the description and name the file")
}

/// The day on which this runs, `YYYY-MM-DD`.
fn today() -> Option<String> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    let time = Time::from_seconds(i64::try_from(seconds).ok()?).to_string();
    time.get(..10).map(str::to_owned)
}
