//! Limits the work of the service to the number of its cores: each long computation runs on a
//! thread of its own, at most one for each core.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use heedful::Limits;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::refuse::Refusal;

/// The semaphores of the service: one for requests, one for the threads that do long computations.
#[derive(Debug)]
pub(super) struct Cores {
    number: usize,
    free: Arc<Semaphore>,
    /// Permits for requests that are worked on or wait for a core.
    places: Arc<Semaphore>,
    answering: Gauge,
}

/// The permit that a request needs before the service works on it. When the permit is dropped,
/// another request can get it.
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
    /// Creates the semaphores of the service. At most `number` computations run at a time, and at
    /// most `requests` requests have a permit. The gauge `answering` shows the number of requests
    /// that have a permit.
    pub(super) fn new(number: usize, requests: usize, answering: Gauge) -> Self {
        let places = Arc::new(Semaphore::new(requests.min(Semaphore::MAX_PERMITS)));
        Self {
            number,
            free: Arc::new(Semaphore::new(number)),
            places,
            answering,
        }
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

    /// Runs `work` on a core as soon as one is free. Refuses the request with 429 if no core is
    /// free within `patience`. A panic of `work` fails only this request.
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
        let done = spawn_blocking(move || {
            let _core = core;
            #[cfg(debug_assertions)]
            planted("#core");
            work()
        });
        done.await.map_err(|error| Refusal::panic(message(error)))
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

/// Panics if an environment variable names `place`, which is a path of the service or a name in its
/// code. Tests set this variable to plant bugs; a release build does not read it.
#[cfg(debug_assertions)]
pub(super) fn planted(place: &str) {
    assert!(
        std::env::var("HEEDFUL_PLANTED_BUG").ok().as_deref() != Some(place),
        "planted: {place}"
    );
}
