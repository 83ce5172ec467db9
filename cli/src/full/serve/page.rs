//! Parses the page in the body of a request, and creates the answer: lines of JSON, or an error
//! with its kind if the page failed.
//!
//! A request with one page is processed as a stream of one line. Page headers in the query string
//! of a request are added to the page's own headers, as headers of the option `-H` are.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use heedful::{Bot, Error, ErrorKind, Filter, Landmarks};
use heedful_input::{FetchedPage, Item, JsonRow, Robots, Skip};
use heedful_json as json;
use heedful_json::PageJson;
use heedful_run::{Gate, GateRules, Outcome, filtered, one_with};

use crate::ending::setting;

use super::answer::{self, ResponseParts, collect_bounded, join_lines};
use super::asked::{FilterParams, QueryString};
use super::body::BodyKind;
use super::bounds::passed;
use super::object::{self, NAME};
use super::refuse::Refusal;
use super::state::{ServerState, Service};

/// Error message in the answer to a robots.txt that a client sent as the page, or among the pages
/// of a stream.
const ROBOTS: &str = "no page, but a robots.txt: it applies to later pages of its site";

/// Error message if the body of a request is empty, but should be the HTML of a page.
const EMPTY: &str = "it is empty, which is no page";

/// The settings by which the pages of one request are filtered.
#[derive(Clone)]
pub(super) struct PageRequest {
    pub(super) filter: Filter,
    pub(super) bots: Arc<[Bot]>,
    pub(super) asked: Arc<FilterParams>,
    /// True if the body of the request is the HTML of one page. False if the body has pages as JSON
    /// objects.
    is_body: bool,
    /// True if the answer about a page contains its blocks.
    has_blocks: bool,
    /// Maximum length of the answer about one page, in bytes.
    most: usize,
}

impl PageRequest {
    pub(super) fn new(service: &Service, asked: FilterParams) -> Result<Self, Refusal> {
        let asked = FilterParams {
            at: Some(service.now(&asked)),
            ..asked
        };
        let filter = service.filter(&asked)?;
        let bots = service.bots(&asked)?.into();
        Ok(Self {
            filter,
            bots,
            asked: Arc::new(asked),
            is_body: false,
            has_blocks: false,
            most: service.bounds.bodies_bytes,
        })
    }

    /// Declares that the body of the request is the HTML of the page. An empty body is then an
    /// error.
    fn of_body(self) -> Self {
        Self {
            is_body: true,
            ..self
        }
    }

    /// Makes the filter store the source of each page, so that a copy can be made.
    pub(super) fn snapshots(self) -> Self {
        Self {
            filter: self.filter.snapshots(),
            ..self
        }
    }

    /// Makes the answer about each page contain its blocks.
    pub(super) fn blocks(self) -> Self {
        Self {
            has_blocks: true,
            ..self
        }
    }

    /// Makes the filter read only the text in these landmarks of a page.
    pub(super) fn landmarks(self, landmarks: Landmarks) -> Self {
        Self {
            filter: self.filter.landmarks(landmarks),
            ..self
        }
    }

    /// Calls `work` with the page of `item`, the gate's rules for the page, and the filter. If
    /// `item` is not a page, `work` is not called, and the outcome states the reason.
    pub(super) fn page<T>(
        &self,
        mut item: Item,
        gate: &Gate,
        work: impl Fn(&FetchedPage, GateRules<'_>, &Filter) -> heedful::Result<T>,
    ) -> Outcome<T> {
        if let Some(now) = self.asked.at {
            item.forget_future_date(now);
        }
        one_with(item, gate, &self.asked.headers, |document, at_the_gate| {
            if self.is_body && document.bytes().is_empty() {
                return Err(ErrorKind::Input(EMPTY.to_owned()).into());
            }
            work(document, at_the_gate, &self.filter)
        })
    }

    /// Filters the page that was found in a request or in a line of a stream. `gate` has the rules
    /// of the page's site.
    pub(super) fn filtered(&self, found: FoundPages, gate: &Gate) -> PageResult {
        let url = found.url;
        if found.is_robots {
            return self.failed(&url, ErrorKind::Input(ROBOTS.to_owned()).into());
        }
        match self.page(found.item, gate, filtered) {
            Outcome::Pages(filtered) => {
                let lines = filtered
                    .pages
                    .iter()
                    .map(|page| json::line(&PageJson::asked(page, self.has_blocks)));
                match collect_bounded(self.most, lines) {
                    Some(lines) => PageResult {
                        status: StatusCode::OK,
                        lines,
                        error: None,
                    },
                    None => self.failed(
                        &url,
                        passed("request", "bodies_bytes", self.filter.get_limits()),
                    ),
                }
            }
            outcome => self.failed(&url, error(outcome)),
        }
    }

    /// Creates the result of a page that failed: a JSON line with the error for each bot.
    pub(super) fn failed(&self, url: &str, error: Error) -> PageResult {
        let lines = self
            .bots
            .iter()
            .map(|bot| json::line(&PageJson::failed(url, bot.name(), &error)))
            .collect();
        let refusal = Refusal::page(error);
        PageResult {
            status: refusal.status(),
            lines,
            error: Some(refusal.kind()),
        }
    }
}

/// The items in one line of a stream of pages, or in a request with one page.
pub(super) struct FoundPages {
    /// The page in the line or request. If there is no page, this is a skipped or damaged record,
    /// with the reason. A robots.txt counts as a skipped record.
    pub(super) item: Item,
    /// The site files in the line. If the line cannot be parsed but may be a robots.txt, they
    /// include a robots.txt that denies everything.
    pub(super) robots: Vec<Robots>,
    /// True if the line is a robots.txt that was parsed without errors.
    pub(super) is_robots: bool,
    pub(super) url: String,
}

impl FoundPages {
    /// Creates a `FoundPages` from the items of a line or a request. The last item must be the page
    /// or robots.txt that the line is about. The other items are site files (robots.txt or
    /// tdmrep.json).
    ///
    /// # Errors
    /// Fails if there is no item, or if the last item is a page without a URL.
    pub(super) fn from_items(mut items: Vec<Item>) -> heedful::Result<Self> {
        let item = items
            .pop()
            .ok_or_else(|| ErrorKind::Internal("a line without an item".to_owned()))?;
        if matches!(&item, Item::Document(document) if document.url().is_empty()) {
            return Err(setting("which URL has the page? its object has no `url`"));
        }
        let robots: Vec<_> = items.into_iter().filter_map(robots).collect();
        let is_robots = !robots.is_empty() && matches!(item, Item::Skipped(_));
        let url = item.url().unwrap_or_default().to_owned();
        Ok(Self {
            item,
            robots,
            is_robots,
            url,
        })
    }
}

fn robots(item: Item) -> Option<Robots> {
    if let Item::Robots(robots) = item {
        Some(robots)
    } else {
        None
    }
}

/// Creates the items for a body that is the HTML of a page. The query string has the page's URL,
/// and may have a robots.txt that applies to the page. The Content-Type of the page is that of the
/// query string, or else `kind`, the Content-Type of the request.
fn html(bytes: Vec<u8>, kind: Option<String>, asked: &FilterParams) -> heedful::Result<Vec<Item>> {
    let url = asked.url.clone();
    let url =
        url.ok_or_else(|| setting("which URL has the page? say ?url=https://site.example/page"))?;
    let mut row = JsonRow::default();
    (row.url, row.bytes) = (Some(url), Some(bytes));
    row.robots.clone_from(&asked.robots);
    let has_kind = asked
        .headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    row.headers = kind
        .filter(|_| !has_kind)
        .map(|kind| ("Content-Type".to_owned(), kind))
        .into_iter()
        .collect();
    Ok(row.into_record(NAME, 1))
}

/// A request whose body is one page, or a line for each page. The body is not read yet.
pub(super) struct PageCall {
    head: Parts,
    pub(super) body: Body,
    pub(super) kind: BodyKind,
    pub(super) query: QueryString,
    pub(super) asked: FilterParams,
}

impl PageCall {
    /// Returns the headers of the request.
    pub(super) fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Parses the head of a request. `takes` are the kinds of bodies that the route accepts. `also`
    /// are names that are allowed in the query string, in addition to the settings of a page.
    pub(super) fn parse(
        request: Request,
        takes: &[BodyKind],
        also: &[&str],
    ) -> Result<Self, Refusal> {
        let (head, body) = request.into_parts();
        let kind = BodyKind::from_headers(&head.headers, takes)?;
        let (query, asked) = FilterParams::parse_request(&head, kind != BodyKind::Html, also)?;
        Ok(Self {
            head,
            body,
            kind,
            query,
            asked,
        })
    }

    /// Reads the body of a request, and acquires a permit for the request. Then calls `work` with
    /// the page in the body as soon as a core is free.
    pub(super) async fn work<T: Send + 'static>(
        self,
        service: &ServerState,
        work: impl FnOnce(FoundPages, &PageRequest) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let Self {
            head,
            body,
            kind,
            asked,
            ..
        } = self;
        let whole = service.whole(&head.headers, body).await?;
        let _place = service.cores.enter(&service.limits)?;
        let shared = Arc::clone(service);
        let content_type = head
            .headers
            .get(CONTENT_TYPE)
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let done = service
            .cores
            .work(service.bounds.request_time, &service.limits, move || {
                let reading = PageRequest::new(&shared, asked)?;
                match kind {
                    BodyKind::Html => {
                        let items = html(whole.bytes, content_type, &reading.asked)?;
                        work(FoundPages::from_items(items)?, &reading.of_body())
                    }
                    _ => {
                        object::check_json(&whole.bytes)?;
                        let items = object::items(&whole.bytes, 1, &shared.limits);
                        work(FoundPages::from_items(items)?, &reading)
                    }
                }
            });
        done.await?
    }
}

/// The answer about one page of a request: a status, lines of JSON, and the kind of the error.
pub(super) struct PageResult {
    pub(super) status: StatusCode,
    /// The lines of the answer: a JSON object for each bot.
    pub(super) lines: Vec<String>,
    /// Kind of the error of the page. `None` if the page was read.
    pub(super) error: Option<&'static str>,
}

/// Creates the response for one page from its result, and counts the page in the metrics.
pub(super) fn page_response(service: &Service, made: &PageResult) -> Response {
    service.metrics.page(made.error);
    let mut response = answer::json(made.status, join_lines(&made.lines));
    if let Some(kind) = made.error {
        response.extensions_mut().insert(ResponseParts {
            kind,
            reason: None,
            fault: None,
        });
    }
    response
}

/// Converts an outcome without a page to an error that states why there is no page.
pub(super) fn error<T>(outcome: Outcome<T>) -> Error {
    let why = match outcome {
        Outcome::Failed { error, .. } => return error,
        Outcome::Damage(damage) => return damage.into_error(),
        Outcome::Skipped(skipped) => skipped.why(),
        _ => Skip::Unchanged,
    };
    ErrorKind::Input(format!("no page: {why}")).into()
}
