//! The page of a request, as the library's item; and what came of it, as lines of JSON with a status.

use std::sync::Arc;

use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use heedful::input::{Item, Robots, Row, Skip};
use heedful::json::{self, PageJson};
use heedful::run::{Gate, Outcome, one};
use heedful::{Bot, Error, ErrorKind, Filter, Result};

use crate::ending::setting;

use super::asked::Asked;
use super::body::Kind;
use super::refuse::Refusal;
use super::state::Shared;

/// The name that requests have in messages.
const NAME: &str = "request";

/// What the body of a request holds: the item that stands for it, and a robots.txt if it is one.
pub(super) struct Found {
    pub(super) item: Item,
    pub(super) robots: Option<Robots>,
    pub(super) url: String,
}

impl Found {
    /// The item of a row, which is the one of this number.
    pub(super) fn of(row: Row, number: u64) -> Result<Self> {
        let url = row.url.clone().unwrap_or_default();
        let mut items = row.into_record(NAME, number);
        let item = items.pop().ok_or_else(|| ErrorKind::Internal("a row without an item".to_owned()))?;
        let robots =
            items.into_iter().find_map(|item| if let Item::Robots(robots) = item { Some(robots) } else { None });
        Ok(Self { item, robots, url })
    }
}

/// Parses an object; the query may add its URL and header lines.
pub(super) fn row(json: &[u8], asked: &Asked) -> Result<Row> {
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let parsed = serde_json::from_slice::<Row>(json);
    let mut row = parsed.map_err(|error| ErrorKind::Input(format!("no page as a JSON object ({error})")))?;
    row.url = row.url.or_else(|| asked.url.clone());
    row.headers.extend(asked.headers.iter().cloned());
    Ok(row)
}

/// A page as bytes; the query has its URL and header lines, and the request's Content-Type is the page's.
fn page(html: Vec<u8>, kind: Option<String>, asked: &Asked) -> Result<Row> {
    let url = asked.url.clone();
    let url = url.ok_or_else(|| setting("which URL has the page? say ?url=https://site.example/page"))?;
    let mut row = Row::default();
    (row.url, row.bytes) = (Some(url), Some(html));
    let has_kind = asked.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    row.headers = kind.filter(|_| !has_kind).map(|kind| ("Content-Type".to_owned(), kind)).into_iter().collect();
    row.headers.extend(asked.headers.iter().cloned());
    Ok(row)
}

/// The page of a request, when its body has arrived and it has a place.
pub(super) async fn work<T: Send + 'static>(
    service: &Shared,
    (head, body): (Parts, Body),
    (kind, asked): (Kind, Asked),
    work: impl FnOnce(Found, &Asked, &Filter, &[Bot]) -> std::result::Result<T, Refusal> + Send + 'static,
) -> std::result::Result<T, Refusal> {
    let whole = service.whole(&head.headers, body).await?;
    let _place = service.cores.enter(&service.limits)?;
    let shared = Arc::clone(service);
    let told = head.headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let done = service.cores.work(service.bounds.request_time, &service.limits, move || {
        let (filter, bots) = (shared.filter(&asked)?, shared.bots(&asked)?);
        let row = if kind == Kind::Html { page(whole.bytes, told, &asked)? } else { row(&whole.bytes, &asked)? };
        work(Found::of(row, 1)?, &asked, &filter, &bots)
    });
    done.await?
}

/// What came of one page.
pub(super) struct Made {
    pub(super) status: StatusCode,
    /// An object a bot.
    pub(super) lines: Vec<String>,
    /// The kind of the error, if there is one.
    pub(super) error: Option<&'static str>,
}

/// Filters one item.
pub(super) fn filtered(found: Found, filter: &Filter, gate: &Gate, bots: &[Bot]) -> Made {
    let url = found.url;
    match one(found.item, filter, gate) {
        Outcome::Pages(filtered) => {
            let lines = filtered.pages.iter().map(|page| json::line(&PageJson::page(page))).collect();
            Made { status: StatusCode::OK, lines, error: None }
        }
        outcome => failed(&url, &error(outcome), bots),
    }
}

/// The error that takes the place of a page.
pub(super) fn failed(url: &str, error: &Error, bots: &[Bot]) -> Made {
    let lines = bots.iter().map(|bot| json::line(&PageJson::failed(url, bot.name(), error))).collect();
    Made { status: status(error), lines, error: Some(error.name()) }
}

/// The status for a page that could not be read.
pub(super) fn status(error: &Error) -> StatusCode {
    match error.name() {
        "internal" | "io" => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

/// Why an outcome has no page.
pub(super) fn error<T>(outcome: Outcome<T>) -> Error {
    let why = match outcome {
        Outcome::Failed { error, .. } => return error,
        Outcome::Damage(damage) => return damage.into_error(),
        Outcome::Skipped(skipped) => match skipped.why() {
            Skip::Status(status) => format!("no page, its status is {status}"),
            Skip::Type => "no page, it is not HTML".to_owned(),
            _ => "no page".to_owned(),
        },
        Outcome::Unchanged(_) => "no page, its status is 304".to_owned(),
        _ => "no page".to_owned(),
    };
    ErrorKind::Input(why).into()
}
