//! What the service tells its operator while it runs: a line of JSON on standard output for each
//! request (`--log json`), and a line for people on standard error for each answer with status 500
//! or above.
//!
//! The line of a request has the route and no query string, address or header: these would tell what
//! somebody searched for, or which pages a caller has. A thread of its own writes the lines, so a
//! reader that takes none does not stop the service. Lines beyond a fixed number that wait are lost,
//! and counted in the metrics.

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

/// Maximum number of lines that wait to be written.
const WAITING: usize = 1024;

/// Maximum time for which the end of the service waits for its last lines.
const PARTING: Duration = Duration::from_secs(1);

/// A line of the log.
enum LogLine {
    /// A request, as JSON.
    Request(String),
    /// What went wrong in the service, for people.
    Fault(String),
}

/// The log of a service, and the thread that writes it.
#[derive(Debug)]
pub(super) struct ServiceLog {
    has_requests: bool,
    lines: Mutex<Option<SyncSender<LogLine>>>,
    /// Counts the lines that are lost.
    lost: Counter,
    written: Mutex<Receiver<()>>,
}

impl ServiceLog {
    /// Starts the thread that writes the log. With `has_requests`, each request is logged.
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

    /// Hands a line to the thread that writes the log, or counts it as lost.
    fn write(&self, line: LogLine) {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = lines
            .as_ref()
            .is_some_and(|lines| lines.try_send(line).is_ok());
        if !is_taken {
            self.lost.inc();
        }
    }

    /// Waits for a moment until all lines are written. Later lines are lost.
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

/// A request under way. Its line is written when it ends: with the last byte of its answer, or
/// when its client breaks off.
pub(super) struct LoggedRequest {
    log: Arc<ServiceLog>,
    began: Instant,
    at: SystemTime,
    method: &'static str,
    route: Option<String>,
    status: Option<u16>,
    bytes: usize,
}

/// The line of a request in the log.
#[derive(Serialize)]
struct RequestJson<'a> {
    time: String,
    method: &'static str,
    /// The path of the route; None if there is no such route.
    route: Option<&'a str>,
    /// None if the client broke off before there was an answer.
    status: Option<u16>,
    ms: f64,
    bytes: usize,
}

impl LoggedRequest {
    /// Begins a request, if the service logs requests.
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

    /// Adds the answer to the request. Returns it with a body whose bytes are counted.
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

/// Tells the operator about a fault of the service in an answer.
pub(super) fn fault(log: &Arc<ServiceLog>, method: &Method, route: Option<&str>, message: &str) {
    let line = format!("{} {}: {message}", name(method), route.unwrap_or("-"));
    log.write(LogLine::Fault(line));
}

/// Returns the name of a method of HTTP, or `other`: any word may stand there.
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
