//! Limits the work of the service to the number of its cores. Each computation runs on a thread of
//! its own, and each core takes one new computation at a time.
//!
//! A computation has its core for a turn of half a second. If it is not finished by then, it goes
//! on as a late computation, and another computation may begin on the core. So a few expensive
//! requests do not keep all others waiting: the operating system shares the cores among them. The
//! limit `requests` also limits the number of late computations; beyond that, a computation keeps
//! its core until it ends.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use heedful::Limits;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::refuse::Refusal;

/// Time after which a running computation is late. The service may then start another computation,
/// even if no core is free.
const TURN: Duration = Duration::from_millis(500);

/// Maximum number of late computations. A computation is late if it runs longer than [`TURN`]. If
/// the limit `requests` is lower, that limit is the maximum.
const MOST_LATE: usize = 256;

/// The semaphores that limit the work of the service. There is one for requests, one for cores, and
/// one for computations that run long.
#[derive(Debug)]
pub(super) struct Cores {
    number: usize,
    free: Arc<Semaphore>,
    /// Permits for computations that run longer than [`TURN`].
    late: Arc<Semaphore>,
    /// Permits for requests that the service works on, or that wait for a core.
    places: Arc<Semaphore>,
    answering: Gauge,
}

/// The permit that a request needs before the service works on the request. When a permit is
/// dropped, another request can get a permit.
#[derive(Debug)]
pub(super) struct RequestPermit {
    _place: OwnedSemaphorePermit,
    answering: Gauge,
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        self.answering.dec();
    }
}

impl Cores {
    /// Creates the semaphores of the service. At most `number` computations have a core at a time,
    /// and at most `requests` requests have a permit. The gauge `answering` shows the number of
    /// requests that have a permit.
    pub(super) fn new(number: usize, requests: usize, answering: Gauge) -> Self {
        let places = Arc::new(Semaphore::new(requests.min(Semaphore::MAX_PERMITS)));
        Self {
            number,
            free: Arc::new(Semaphore::new(number)),
            late: Arc::new(Semaphore::new(most_late(requests))),
            places,
            answering,
        }
    }

    /// Returns the maximum number of threads that computations need at the same time. `number` is
    /// the number of cores, and `requests` is the limit on requests.
    pub(super) fn threads(number: usize, requests: usize) -> usize {
        number + most_late(requests)
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Acquires the permit for a request whose body has arrived. Refuses the request with 429 if
    /// all permits are taken.
    pub(super) fn enter(&self, limits: &Limits) -> Result<RequestPermit, Refusal> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let full = |_| Refusal::limit(StatusCode::TOO_MANY_REQUESTS, "requests", limits);
        let place = place.map_err(full)?;
        self.answering.inc();
        Ok(RequestPermit {
            _place: place,
            answering: self.answering.clone(),
        })
    }

    /// Runs `work` as soon as a core is free, and returns the result of `work`. If no core is free
    /// within `patience`, the request is refused with status 429. If `work` panics, only this
    /// request fails.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        patience: Duration,
        limits: &Limits,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let core = timeout(patience, Arc::clone(&self.free).acquire_owned()).await;
        let Ok(Ok(core)) = core else {
            return Err(Refusal::limit(
                StatusCode::TOO_MANY_REQUESTS,
                "request_seconds",
                limits,
            ));
        };
        let core = Turn::new(core, Arc::clone(&self.late));
        let done = spawn_blocking(move || {
            let _core = core;
            #[cfg(debug_assertions)]
            planted("#core");
            work()
        });
        done.await.map_err(|error| Refusal::panic(message(error)))
    }
}

fn most_late(requests: usize) -> usize {
    requests.min(MOST_LATE)
}

/// The permit of a running computation. At first, this is a permit for a core. After the time
/// [`TURN`], the computation is late. As soon as a permit for late computations is free, it
/// replaces the permit for the core. This happens even if the client has closed the connection.
struct Turn {
    permit: Arc<Mutex<Option<OwnedSemaphorePermit>>>,
    over: tokio::task::AbortHandle,
}

impl Turn {
    fn new(core: OwnedSemaphorePermit, late: Arc<Semaphore>) -> Self {
        let permit = Arc::new(Mutex::new(Some(core)));
        let held = Arc::clone(&permit);
        let over = tokio::spawn(async move {
            sleep(TURN).await;
            let Ok(late) = late.acquire_owned().await else {
                return;
            };
            let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
            if held.is_some() {
                *held = Some(late);
            }
        });
        Self {
            permit,
            over: over.abort_handle(),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.over.abort();
        let held = self.permit.lock();
        drop(held.unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Returns the message of the panic that ended a task of the service.
fn message(error: tokio::task::JoinError) -> String {
    error
        .try_into_panic()
        .map_or_else(|error| error.to_string(), |panic| panic_message(&*panic))
}

/// Returns the text of a panic's payload; empty if the payload is no text.
pub(super) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or_default().to_owned()
}

/// Panics if an environment variable contains `place`: a path of the service, or a name in its
/// code. Tests set this variable to plant bugs. Release builds do not read it.
#[cfg(debug_assertions)]
pub(super) fn planted(place: &str) {
    assert!(
        std::env::var("HEEDFUL_PLANTED_BUG").ok().as_deref() != Some(place),
        "planted: {place}"
    );
}
