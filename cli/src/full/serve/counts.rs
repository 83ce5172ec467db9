//! The metrics of the service, in the text format of Prometheus.
//!
//! Every label of a metric is a word of this program, never text of a caller or a page.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::http::StatusCode;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Upper limits of the buckets of the histogram of response times, in seconds.
const SECONDS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0,
];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteCounts {
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Read {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Failed {
    kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refused {
    reason: &'static str,
}

/// The metrics of the service.
#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    requests: Family<RouteCounts, Counter>,
    in_flight: Gauge,
    /// Number of requests that the service works on, or that wait for a core.
    answering: Gauge,
    connections: Gauge,
    seconds: Histogram,
    received: Counter<u64, AtomicU64>,
    sent: Counter<u64, AtomicU64>,
    pages: Family<Read, Counter>,
    errors: Family<Failed, Counter>,
    refusals: Family<Refused, Counter>,
    panics: Counter,
    broken_off: Counter,
    log_lines_lost: Counter,
    /// Total number of responses, for the message that the service prints when it ends. The
    /// published metrics do not contain this number, but the number of responses of each route.
    answered: Counter,
}

/// Counts a request as being in progress, in a gauge of the metrics. Dropping the value lowers the
/// gauge by one. The value is dropped when the response is made, or when the client closes the
/// connection.
#[derive(Debug)]
pub(super) struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("heedful");
        let metrics = Self {
            requests: Family::default(),
            in_flight: Gauge::default(),
            answering: Gauge::default(),
            connections: Gauge::default(),
            seconds: Histogram::new(SECONDS),
            received: Counter::default(),
            sent: Counter::default(),
            pages: Family::default(),
            errors: Family::default(),
            refusals: Family::default(),
            panics: Counter::default(),
            broken_off: Counter::default(),
            log_lines_lost: Counter::default(),
            answered: Counter::default(),
            registry: Registry::default(),
        };
        registry.register(
            "requests",
            "Requests by route and status",
            metrics.requests.clone(),
        );
        registry.register(
            "in_flight",
            "Requests without an answer yet",
            metrics.in_flight.clone(),
        );
        registry.register(
            "answering",
            "Requests that are worked at or wait for a core",
            metrics.answering.clone(),
        );
        registry.register(
            "connections",
            "Open connections",
            metrics.connections.clone(),
        );
        registry.register(
            "request_seconds",
            "Seconds from a request's head to its answer",
            metrics.seconds.clone(),
        );
        registry.register(
            "received_bytes",
            "Bytes of the bodies of requests",
            metrics.received.clone(),
        );
        registry.register(
            "sent_bytes",
            "Bytes of the bodies of answers",
            metrics.sent.clone(),
        );
        registry.register(
            "pages",
            "Pages that were read, and those that failed",
            metrics.pages.clone(),
        );
        registry.register(
            "errors",
            "Errors by kind, of pages and of requests",
            metrics.errors.clone(),
        );
        registry.register(
            "refusals",
            "Requests that were refused, by reason",
            metrics.refusals.clone(),
        );
        registry.register(
            "panics",
            "Requests and pages that a defect of the program cost",
            metrics.panics.clone(),
        );
        registry.register(
            "broken_off",
            "Streams that a client broke off or forgot",
            metrics.broken_off.clone(),
        );
        registry.register(
            "log_lines_lost",
            "Lines of the log that nobody took in time",
            metrics.log_lines_lost.clone(),
        );
        Self {
            registry,
            ..metrics
        }
    }

    pub(super) fn received(&self, bytes: usize) {
        self.received.inc_by(bytes as u64);
    }

    pub(super) fn sent(&self, bytes: usize) {
        self.sent.inc_by(bytes as u64);
    }

    /// Counts a page. The page counts as read if `error` is `None`, and otherwise as failed.
    /// [`Metrics::error`] counts errors by their kind.
    pub(super) fn page(&self, error: Option<&'static str>) {
        let outcome = if error.is_some() { "failed" } else { "read" };
        self.pages.get_or_create(&Read { outcome }).inc();
    }

    pub(super) fn error(&self, kind: &'static str) {
        self.errors.get_or_create(&Failed { kind }).inc();
        if kind == "internal" {
            self.panics.inc();
        }
    }

    pub(super) fn refused(&self, reason: &'static str) {
        self.refusals.get_or_create(&Refused { reason }).inc();
    }

    pub(super) fn broke_off(&self) {
        self.broken_off.inc();
    }

    pub(super) fn begin(&self) -> InFlight {
        self.in_flight.inc();
        InFlight(self.in_flight.clone())
    }

    /// Returns the counter of the log lines that were lost.
    pub(super) fn log_lines_lost(&self) -> Counter {
        self.log_lines_lost.clone()
    }

    /// Returns the total number of responses that the service has made.
    pub(super) fn answered(&self) -> u64 {
        self.answered.get()
    }

    pub(super) fn end(&self, route: &str, status: StatusCode, took: Duration) {
        self.answered.inc();
        self.seconds.observe(took.as_secs_f64());
        self.requests
            .get_or_create(&RouteCounts {
                route: route.to_owned(),
                status: status.as_u16(),
            })
            .inc();
    }

    pub(super) fn connected(&self) {
        self.connections.inc();
    }

    pub(super) fn disconnected(&self) {
        self.connections.dec();
    }

    /// Returns the gauge of the requests that the service works on, or that wait for a core.
    pub(super) fn answering(&self) -> Gauge {
        self.answering.clone()
    }

    /// Returns all metrics of the service in the text format of Prometheus.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
