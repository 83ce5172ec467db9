//! Work that takes time goes to threads of its own, at most as many at once as there are cores.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use heedful::Limits;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::refuse::Refusal;

/// The cores that pages are judged on.
#[derive(Debug)]
pub(super) struct Cores {
    number: usize,
    free: Arc<Semaphore>,
    /// The requests that may be worked at or wait.
    places: Arc<Semaphore>,
    answering: Gauge,
}

/// The place of a request among those that are answered.
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
    /// So many cores, for so many requests at once; a gauge counts these.
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

    /// Takes a place for a request whose body has arrived.
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

    /// Does the work on a core as soon as one is free. A panic costs this request.
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

/// The message of the panic that ended a task.
fn message(error: tokio::task::JoinError) -> String {
    error
        .try_into_panic()
        .map_or_else(|error| error.to_string(), |panic| panic_message(&*panic))
}

/// The message in a panic.
pub(super) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or_default().to_owned()
}

/// Panics for tests, at the place that the environment names; a release build has no such bug.
#[cfg(debug_assertions)]
pub(super) fn planted(place: &str) {
    assert!(
        std::env::var("HEEDFUL_PLANTED_BUG").ok().as_deref() != Some(place),
        "planted: {place}"
    );
}
