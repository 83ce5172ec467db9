//! Streams of pages (`POST /filter` with JSON Lines). A line whose URL is that of a robots.txt is
//! parsed as a robots.txt, which applies to the pages of its site in later lines. If the line
//! cannot be parsed, all pages of that site are disallowed in later lines.

use std::sync::{Arc, Mutex, PoisonError};

use heedful::Error;
use heedful_input::lost_json_line;
use heedful_run::Gate;

use super::answer::join_lines;
use super::bounds::value;
use super::lines::{AnswerStream, RequestLine};
use super::object::{self, NAME};
use super::page::{FoundPages, PageRequest, PageResult};
use super::state::Service;

/// Maximum number of bytes of robots.txt files that a stream of pages has in memory. Further files
/// go to a temporary file.
const MOST_ROBOTS: u64 = 4 << 20;

/// The settings of a stream of pages, and the gate with the robots.txt files that the stream has
/// received so far.
#[derive(Clone)]
pub(super) struct PageStream {
    reading: PageRequest,
    gate: Arc<Mutex<Gate>>,
}

impl PageStream {
    pub(super) fn new(reading: PageRequest) -> Self {
        let limits = reading.filter.get_limits().clone();
        let most = value("robots_bytes", &limits).min(MOST_ROBOTS);
        Self {
            reading,
            gate: Arc::new(Mutex::new(Gate::with_limits(&limits.robots_bytes(most)))),
        }
    }

    fn found(
        &self,
        service: &Service,
        number: u64,
        line: RequestLine<'_>,
    ) -> heedful::Result<FoundPages> {
        FoundPages::from_items(match line {
            RequestLine::Whole(line) => object::items(line, number, &service.limits),
            RequestLine::Lost(pieces, error) => lost_json_line(&pieces, (NAME, number), error),
        })
    }

    fn page_result(&self, found: heedful::Result<FoundPages>) -> PageResult {
        let mut found = match found {
            Ok(found) => found,
            Err(error) => return self.reading.failed("", error),
        };
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        for robots in found.robots.drain(..) {
            gate.add_robots(robots);
        }
        self.reading.filtered(found, &gate)
    }
}

impl AnswerStream for PageStream {
    fn answer(&self, service: &Service, number: u64, line: RequestLine<'_>) -> String {
        let made = self.page_result(self.found(service, number, line));
        service.metrics.page(made.error);
        if let Some(kind) = made.error {
            service.metrics.error(kind);
        }
        join_lines(&made.lines)
    }

    fn failed(&self, error: Error) -> String {
        join_lines(&self.reading.failed("", error).lines)
    }
}
