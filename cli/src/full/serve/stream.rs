//! Streams of pages (`POST /filter` and `POST /mask` with JSON Lines). A line whose URL is that of
//! a robots.txt is parsed as a robots.txt, which applies to the pages of its site in later lines.
//! If such a line cannot be parsed, all pages of that site are disallowed in later lines.

use std::sync::{Arc, Mutex, PoisonError};

use heedful::{Error, Limits};
use heedful_input::lost_json_line;
use heedful_run::Gate;

use super::answer::join_lines;
use super::bounds::value;
use super::lines::{AnswerStream, RequestLine};
use super::object::{self, NAME};
use super::page::{FoundPages, PageRequest, PageResult};
use super::state::Service;

/// Maximum memory for the robots.txt files of a stream of pages, in bytes. Further files are stored
/// in a temporary file.
const MOST_ROBOTS: u64 = 4 << 20;

/// Computes the answer about each page of a stream. One implementation filters the pages. Another
/// implementation judges the pages for a mask.
pub(super) trait PageAnswers: Clone + Send + 'static {
    fn limits(&self) -> &Limits;

    /// Returns the answer about `found`, the page in one line of the stream. `gate` has the rules
    /// of the page's site.
    fn answer(&self, found: FoundPages, gate: &Gate) -> PageResult;

    /// Returns the answer to a line that has no page, or whose page could not be read.
    fn failed(&self, error: Error) -> PageResult;
}

impl PageAnswers for PageRequest {
    fn limits(&self) -> &Limits {
        self.filter.get_limits()
    }

    fn answer(&self, found: FoundPages, gate: &Gate) -> PageResult {
        self.filtered(found, gate)
    }

    fn failed(&self, error: Error) -> PageResult {
        Self::failed(self, "", error)
    }
}

/// The settings of a stream of pages, and a gate with the robots.txt files that were received so
/// far.
#[derive(Clone)]
pub(super) struct PageStream<A> {
    answers: A,
    gate: Arc<Mutex<Gate>>,
}

impl<A: PageAnswers> PageStream<A> {
    pub(super) fn new(answers: A) -> Self {
        let limits = answers.limits().clone();
        let most = value("robots_bytes", &limits).min(MOST_ROBOTS);
        Self {
            answers,
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
            Err(error) => return self.answers.failed(error),
        };
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        for robots in found.robots.drain(..) {
            gate.add_robots(robots);
        }
        self.answers.answer(found, &gate)
    }
}

impl<A: PageAnswers> AnswerStream for PageStream<A> {
    fn answer(&self, service: &Service, number: u64, line: RequestLine<'_>) -> String {
        let made = self.page_result(self.found(service, number, line));
        service.metrics.page(made.error);
        if let Some(kind) = made.error {
            service.metrics.error(kind);
        }
        join_lines(&made.lines)
    }

    fn failed(&self, error: Error) -> String {
        join_lines(&self.answers.failed(error).lines)
    }
}
