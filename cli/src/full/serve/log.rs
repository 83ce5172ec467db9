//! Messages that the service prints for its operator while it runs. With `--log json`, each request
//! has a line of JSON on standard output. Each response with status 500 or above has a line for
//! people on standard error.
//!
//! The line of a request has the route, but no query string, address or header. These would reveal
//! what somebody searched for, or which pages a client has. A separate thread writes the lines, so
//! a reader that does not read them does not stop the service. If too many lines wait to be
//! written, further lines are lost, and the metrics count them.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use axum::body::{Body, Bytes};
use axum::http::Method;
use axum::response::Response;
use heedful_json as json;
use http_body_util::BodyExt;
use prometheus_client::metrics::counter::Counter;
use serde::Serialize;

use crate::output;

/// Maximum number of log lines that wait to be written.
const WAITING: usize = 1024;

/// Maximum time for which the service waits, before it exits, until the last log lines are written.
const PARTING: Duration = Duration::from_secs(1);

/// A line of the log.
enum LogLine {
    /// A line of JSON about one request.
    Request(String),
    /// A message for people about a fault of the service.
    Fault(String),
}

/// The log of a service, and the thread that writes it.
#[derive(Debug)]
pub(super) struct ServiceLog {
    has_requests: bool,
    lines: Mutex<Option<SyncSender<LogLine>>>,
    /// Counter of the log lines that were lost.
    lost: Counter,
    written: Mutex<Receiver<()>>,
}

impl ServiceLog {
    /// Starts the thread that writes the log. If `has_requests` is true, each request is logged.
    pub(super) fn start(has_requests: bool, lost: Counter) -> Self {
        let (lines, to_write) = sync_channel(WAITING);
        let (done, written) = sync_channel(1);
        std::thread::spawn(move || {
            for line in to_write {
                match line {
                    LogLine::Request(line) => output::print_data_line(&line),
                    LogLine::Fault(message) => output::print_error(&output::harmless(&message)),
                }
            }
            let _ = done.send(());
        });
        Self {
            has_requests,
            lines: Mutex::new(Some(lines)),
            lost,
            written: Mutex::new(written),
        }
    }

    /// Passes a line to the thread that writes the log. If the thread cannot take the line, counts
    /// it as lost.
    fn write(&self, line: LogLine) {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = lines
            .as_ref()
            .is_some_and(|lines| lines.try_send(line).is_ok());
        if !is_taken {
            self.lost.inc();
        }
    }

    /// Waits until all log lines are written, but not longer than [`PARTING`]. Lines after this
    /// call are lost.
    pub(super) fn finish(&self) {
        let lines = self
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(lines);
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.recv_timeout(PARTING) == Err(RecvTimeoutError::Timeout) {
            output::print_note("the last lines of the log are lost: nobody takes them");
        }
    }
}

/// A request in progress that will be logged. Dropping the value writes the log line of the
/// request. The value is dropped after the last byte of the response, or when the client closes the
/// connection.
pub(super) struct LoggedRequest {
    log: Arc<ServiceLog>,
    began: Instant,
    at: SystemTime,
    method: &'static str,
    route: Option<String>,
    status: Option<u16>,
    bytes: usize,
}

/// The log line of a request, as JSON.
#[derive(Serialize)]
struct RequestJson<'a> {
    time: String,
    method: &'static str,
    /// Path of the route. `None` if no route has the requested path.
    route: Option<&'a str>,
    /// HTTP status of the response. `None` if the client closed the connection before a response
    /// was made.
    status: Option<u16>,
    ms: f64,
    bytes: usize,
}

impl LoggedRequest {
    /// Begins the log line of a request. Returns `None` if the service does not log requests.
    pub(super) fn begin(
        log: &Arc<ServiceLog>,
        method: &Method,
        route: Option<&str>,
    ) -> Option<Self> {
        log.has_requests.then(|| Self {
            log: Arc::clone(log),
            began: Instant::now(),
            at: SystemTime::now(),
            method: name(method),
            route: route.map(str::to_owned),
            status: None,
            bytes: 0,
        })
    }

    /// Adds the response to the log line. Returns the response with a body whose bytes are counted.
    pub(super) fn answered(mut self, response: Response) -> Response {
        self.status = Some(response.status().as_u16());
        response.map(|body| {
            Body::new(body.inspect_frame(move |frame| {
                self.add(frame.data_ref().map_or(0, Bytes::len));
            }))
        })
    }

    fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
    }
}

impl Drop for LoggedRequest {
    fn drop(&mut self) {
        let micros = u32::try_from(self.began.elapsed().as_micros()).unwrap_or(u32::MAX);
        let line = json::line(&RequestJson {
            time: json::rfc3339(self.at).unwrap_or_default(),
            method: self.method,
            route: self.route.as_deref(),
            status: self.status,
            ms: f64::from(micros) / 1000.0,
            bytes: self.bytes,
        });
        self.log.write(LogLine::Request(line));
    }
}

/// Logs a fault of the service itself, such as a panic. The fault occurred during a request.
/// `method` and `route` are those of the request, and `message` describes the fault. If `route` is
/// `None`, the log line has `-` in its place.
pub(super) fn fault(log: &Arc<ServiceLog>, method: &Method, route: Option<&str>, message: &str) {
    let line = format!("{} {}: {message}", name(method), route.unwrap_or("-"));
    log.write(LogLine::Fault(line));
}

/// Returns the name of a usual HTTP method, such as `GET`. Returns `other` for any other method,
/// because clients can send any word as the method.
fn name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
