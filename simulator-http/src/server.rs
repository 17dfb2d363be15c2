//! The listening socket. It must not know what is asked.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::runtime::{Builder, Runtime};

use crate::answer::answer;
use crate::hooks::deliver;
use crate::world::World;

/// Why a world cannot be served.
#[derive(Debug)]
pub enum ServeError {
    /// The address cannot be listened on.
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: std::io::Error,
    },
    /// The system gives no threads or sockets.
    System(std::io::Error),
}

impl core::fmt::Display for ServeError {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Bind { address, error } => write!(out, "cannot listen on {address}: {error}"),
            Self::System(error) => write!(out, "cannot serve: {error}"),
        }
    }
}

impl core::error::Error for ServeError {}

/// A world that is being served. Dropping it stops it.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    world: Arc<World>,
    stop: Arc<AtomicBool>,
    hooks: Option<JoinHandle<()>>,
    runtime: Option<Runtime>,
}

impl Server {
    /// Serves a world; port 0 takes a free one. Answers once requests are taken.
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn start(world: World, address: SocketAddr) -> Result<Self, ServeError> {
        let listener = TcpListener::bind(address).map_err(|error| ServeError::Bind { address, error })?;
        listener.set_nonblocking(true).map_err(ServeError::System)?;
        let address = listener.local_addr().map_err(ServeError::System)?;
        let runtime = Builder::new_multi_thread().enable_all().build().map_err(ServeError::System)?;
        let world = Arc::new(world);
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener).map_err(ServeError::System)?
        };
        runtime.spawn(accept(listener, Arc::clone(&world)));
        let stop = Arc::new(AtomicBool::new(false));
        let hooks = {
            let (world, stop) = (Arc::clone(&world), Arc::clone(&stop));
            std::thread::Builder::new()
                .name(String::from("webhooks"))
                .spawn(move || deliver(&world, &stop))
                .map_err(ServeError::System)?
        };
        Ok(Self { address, world, stop, hooks: Some(hooks), runtime: Some(runtime) })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Serves until the process ends.
    pub fn wait(mut self) {
        if let Some(hooks) = self.hooks.take() {
            let _ended = hooks.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn accept(listener: tokio::net::TcpListener, world: Arc<World>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors, most likely: some are given back soon.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        // Small replies wait for nothing.
        let _best_effort = stream.set_nodelay(true);
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            let service = service_fn(|request| answer(Arc::clone(&world), request));
            // A connection that ends early is the client's business.
            let _ended = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
