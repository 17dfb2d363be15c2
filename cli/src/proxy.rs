//! A proxy that hands requests on to a sandbox and its replies back, and shows every exchange to whoever records it.
//! It must not change what client and provider say to each other, nor keep anything itself.

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Response, StatusCode};
use hyper_util::rt::TokioIo;
use provely_evaluator::time::Time;
use provely_harness::tape::{Answered, Content, Exchange, Sent, pairs};
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::runtime::{Builder, Runtime};
use ureq::Agent;

/// The longest body that is handed on, in bytes.
const MOST_BYTES: usize = 16 << 20;

/// How long a reply may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Headers that concern one connection, or that the proxy writes itself.
const OWN: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "host",
    "content-length",
    "accept-encoding",
    "content-encoding",
    "expect",
];

/// Whoever is shown the exchanges.
pub type Recorder = Arc<dyn Fn(Exchange) + Send + Sync>;

/// A proxy that listens. Dropping it stops it.
pub struct Proxy {
    address: SocketAddr,
    runtime: Option<Runtime>,
}

struct Line {
    target: String,
    agent: Agent,
    recorder: Recorder,
}

impl Proxy {
    /// Listens, and hands requests on to `target`, an address without a path or with the path that stands before
    /// all others.
    ///
    /// # Errors
    /// If the address cannot be listened on.
    pub fn start(target: &str, address: SocketAddr, recorder: Recorder) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = Builder::new_multi_thread().enable_all().build()?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(PATIENCE))
            .allow_non_standard_methods(true)
            .build();
        let line =
            Line { target: target.trim_end_matches('/').to_owned(), agent: config.new_agent(), recorder };
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        runtime.spawn(accept(listener, Arc::new(line)));
        Ok(Self { address, runtime: Some(runtime) })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn accept(listener: tokio::net::TcpListener, line: Arc<Line>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors, most likely: some are given back soon.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let line = Arc::clone(&line);
        tokio::spawn(async move {
            let service = service_fn(|request| pass_on(Arc::clone(&line), request));
            // A connection that ends early is the client's business.
            let _ended = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn pass_on(
    line: Arc<Line>,
    request: hyper::Request<Incoming>,
) -> Result<Response<Full<Bytes>>, std::convert::Infallible> {
    let (head, body) = request.into_parts();
    let Ok(body) = Limited::new(body, MOST_BYTES).collect().await else {
        return Ok(plain(StatusCode::PAYLOAD_TOO_LARGE, "the body is longer than 16 MiB or broke off\n"));
    };
    let body = body.to_bytes();
    let handed = tokio::task::spawn_blocking(move || line.hand_on(&head, &body)).await;
    Ok(handed.unwrap_or_else(|_| plain(StatusCode::BAD_GATEWAY, "the exchange broke off\n")))
}

impl Line {
    fn hand_on(&self, head: &hyper::http::request::Parts, body: &[u8]) -> Response<Full<Bytes>> {
        let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
        let request = Sent {
            method: head.method.as_str().to_owned(),
            path: head.uri.path().to_owned(),
            query: head.uri.query().map(pairs).unwrap_or_default(),
            headers: texts(&head.headers),
            body: Content::of(body, header(&head.headers, "content-type")),
        };
        let sent_at = now();
        let reply = self.ask(head, target, body);
        let at = now();
        let answered = reply.as_ref().ok().map(|reply| Answered {
            status: reply.status().as_u16(),
            headers: texts(reply.headers()),
            body: Content::of(reply.body(), header(reply.headers(), "content-type")),
        });
        (self.recorder)(Exchange::new(sent_at, at, request, answered));
        match reply {
            Ok(reply) => reply.map(Full::from),
            Err(why) => plain(StatusCode::BAD_GATEWAY, &format!("the target gave no reply: {why}\n")),
        }
    }

    fn ask(
        &self,
        head: &hyper::http::request::Parts,
        target: &str,
        body: &[u8],
    ) -> Result<Response<Bytes>, String> {
        let mut request =
            hyper::Request::builder().method(head.method.clone()).uri(format!("{}{target}", self.target));
        for (name, value) in head.headers.iter().filter(|(name, _)| !OWN.contains(&name.as_str())) {
            request = request.header(name, value);
        }
        let why = |error: ureq::Error| error.to_string();
        let mut reply = if body.is_empty() {
            self.agent.run(request.body(()).map_err(|error| error.to_string())?).map_err(why)?
        } else {
            self.agent.run(request.body(body).map_err(|error| error.to_string())?).map_err(why)?
        };
        let limit = MOST_BYTES as u64;
        let bytes = reply.body_mut().with_config().limit(limit).read_to_vec().map_err(why)?;
        let mut response = Response::new(Bytes::from(bytes));
        *response.status_mut() = reply.status();
        let kept = reply.headers().iter().filter(|(name, _)| !OWN.contains(&name.as_str()));
        for (name, value) in kept {
            response.headers_mut().append(name.clone(), value.clone());
        }
        Ok(response)
    }
}

fn texts(headers: &HeaderMap) -> BTreeMap<String, String> {
    let text = |(name, value): (&HeaderName, &HeaderValue)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    };
    headers.iter().filter_map(text).collect()
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn plain(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text.to_owned()));
    *response.status_mut() = status;
    response
}

fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
