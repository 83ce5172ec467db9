//! Accepts the connections of the service. Their number is limited, slow connections are closed,
//! and a shutdown waits for the answers in progress.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use heedful::{ErrorKind, Result};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::ending::io_error;
use crate::{interruption, output};

use super::state::ServerState;
use super::wire::Wire;

/// Pause after a failure to accept a connection, for example when the system has no free file
/// descriptor.
const PAUSE: Duration = Duration::from_millis(50);

/// Opens a listener on a port of `address`. `option` is the name of the option that sets the port;
/// it is for the error message.
pub(super) async fn bind(address: IpAddr, port: u16, option: &str) -> Result<TcpListener> {
    let address = SocketAddr::new(address, port);
    let bound = TcpListener::bind(address).await;
    bound.map_err(|source| {
        let source = match source.kind() {
            io::ErrorKind::AddrInUse => io::Error::other(format!(
                "{source}; choose another port with `{option}` (0 takes a free one)"
            )),
            _ => source,
        };
        ErrorKind::Io {
            subject: format!("listening on {address}"),
            source,
        }
        .into()
    })
}

pub(super) fn address(listener: &TcpListener) -> Result<SocketAddr> {
    listener.local_addr().map_err(io_error("the address"))
}

/// Accepts and serves connections until the value of the channel `ended` changes. Requests in
/// progress are then completed, within the time limit of a request.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    service: &ServerState,
    mut ended: watch::Receiver<()>,
) -> Result<()> {
    let room = Arc::new(Semaphore::new(
        service.bounds.connections.min(Semaphore::MAX_PERMITS),
    ));
    let graceful = GracefulShutdown::new();
    loop {
        let next = async {
            let place = Arc::clone(&room).acquire_owned().await;
            (place, accept(&listener).await)
        };
        let (place, stream) = tokio::select! {
            next = next => next,
            _ = ended.changed() => break,
        };
        let connection = graceful.watch(connection(stream, &router, service));
        let service = Arc::clone(service);
        service.metrics.connected();
        tokio::spawn(async move {
            // An error of a connection concerns only its own client.
            let _ended = connection.await;
            service.metrics.disconnected();
            drop(place);
        });
    }
    drop(listener);
    if timeout(service.bounds.request_time, graceful.shutdown())
        .await
        .is_err()
    {
        output::print_note("some clients did not take their answers: their connections are closed");
    }
    Ok(())
}

/// Waits for the next connection, and returns it. Retries after a failure to accept a connection.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(_) => sleep(PAUSE).await,
        }
    }
}

type Connection = http1::Connection<TokioIo<Wire>, TowerToHyperService<Router>>;

fn connection(stream: TcpStream, router: &Router, service: &ServerState) -> Connection {
    // A line of a stream must be sent at once, not held back until a packet is full.
    let _ = stream.set_nodelay(true);
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(service.bounds.request_time)
        .max_buf_size(service.bounds.head_bytes)
        .serve_connection(
            TokioIo::new(Wire::new(
                stream,
                service.bounds.idle_time,
                service.bounds.body_bytes,
            )),
            TowerToHyperService::new(router.clone()),
        )
}

/// Returns a channel whose value changes at the first Ctrl-C or SIGTERM. A later signal ends the
/// program at once.
pub(super) fn interruption() -> Result<watch::Receiver<()>> {
    let (end, ended) = watch::channel(());
    interruption::on_first(move || {
        let _ = end.send(());
    })?;
    Ok(ended)
}
