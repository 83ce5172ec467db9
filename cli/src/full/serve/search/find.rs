//! `GET /search`: returns the hits of a query, as JSON, or as HTML for a browser. `GET /` always
//! returns HTML.

use std::time::SystemTime;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use heedful::{Error, ErrorKind, Uses};
use heedful_index::{Found, Hit, Query as Question, Search};
use heedful_json as json;
use heedful_json::{ErrorJson, rfc3339};
use heedful_report::search::{QueryRefusal as RefusedQuery, ResultPage, SearchSite, ShownHit};
use serde::Serialize;
use serde_json::json;

use crate::ending::setting;
use crate::full::serve::answer::{self, wants_html};
use crate::full::serve::asked::QueryString;
use crate::full::serve::refuse::Refusal;
use crate::full::serve::state::ServerState;

use super::about::{copy_at, may_be_copied};
use super::filters::FilterSettings;
use super::respond::{html, json as json_answer, message, page_or_json, site, work};
use crate::full::serve::opened::View;

/// Default number of hits on a page of results.
const USUAL: u64 = 10;
/// Maximum number of hits on a page of results.
const MOST: u64 = 50;
/// Maximum rank of a hit that a client can request. To show a hit, the search has to compute all
/// hits of better ranks too. The maximum bounds this work.
const LAST_HIT: u64 = 1000;

pub(in crate::full::serve) const NAMES: [&str; 3] = ["q", "page", "limit"];

/// Names of the query parameters that are allowed only if the response is JSON.
pub(in crate::full::serve) const OF_JSON: [&str; 2] = ["use", "explain"];

/// The parameters of a search, parsed from the query string of a URL.
struct SearchParams {
    text: String,
    page: u64,
    limit: u64,
    need: Option<Uses>,
    explain: bool,
    filters: FilterSettings,
}

/// Handles `GET /`: searches the index, and responds with HTML. Without a query, responds with the
/// start page.
pub(in crate::full::serve) async fn page(
    State(service): State<ServerState>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    page_or_json(respond(service, &uri, headers, true).await, Some(message))
}

/// Handles `GET /search`: searches the index, and responds with HTML or JSON. The header `Accept`
/// of the request decides which of them.
pub(in crate::full::serve) async fn answer(
    State(service): State<ServerState>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let is_html = wants_html(&headers);
    page_or_json(
        respond(service, &uri, headers, is_html).await,
        is_html.then_some(message),
    )
}

async fn respond(
    service: ServerState,
    uri: &Uri,
    headers: HeaderMap,
    is_html: bool,
) -> Result<Response, Refusal> {
    let asked = SearchParams::from_uri(uri, is_html)?;
    work(service, move |service, opened, view| {
        let copies = opened.copies(&headers);
        let question = asked.question(service);
        if is_html {
            pages(view, &asked, &question, copies.as_deref())
        } else {
            lines(view, &asked, &question, copies.as_deref())
        }
    })
    .await
}

impl SearchParams {
    fn from_uri(uri: &Uri, is_html: bool) -> Result<Self, Refusal> {
        let known: &[&[&str]] = if is_html {
            &[&NAMES, &FilterSettings::NAMES]
        } else {
            &[&NAMES, &FilterSettings::NAMES, &OF_JSON]
        };
        let query = QueryString::from_uri(uri, &known.concat())?;
        let number =
            |name, usual| Ok::<_, Refusal>(query.parsed(name, whole_number)?.unwrap_or(usual));
        let page = number("page", 1)?;
        let limit = number("limit", USUAL)?;
        if !(1..=MOST).contains(&limit) {
            return Err(setting(format!("`limit` is 1 to {MOST}")).into());
        }
        if !(1..=LAST_HIT / limit).contains(&page) {
            return Err(setting(format!(
                "`page` is 1 to {}, so that no hit after the {LAST_HIT}th is asked for",
                LAST_HIT / limit
            ))
            .into());
        }
        let text = query.one("q")?;
        if text.is_none() && !is_html {
            return Err(setting("`q` is missing: the words to search for").into());
        }
        let text = text.unwrap_or_default().to_owned();
        let need = query.parsed("use", Uses::parse_names)?;
        Ok(Self {
            text,
            page,
            limit,
            need,
            explain: query.has("explain")?,
            filters: FilterSettings::from_query(&query)?,
        })
    }

    fn question(&self, service: &ServerState) -> Question {
        let size = |number| usize::try_from(number).unwrap_or(usize::MAX);
        let question = Question::new(&self.text)
            .most(size(self.limit))
            .skip(size((self.page - 1) * self.limit));
        let question = question
            .now(SystemTime::now())
            .limits(service.limits.clone());
        let question = self.filters.restrict(question);
        let question = self
            .need
            .map_or(question.clone(), |uses| question.need(uses));
        if self.explain {
            question.explained()
        } else {
            question
        }
    }

    /// Returns the number of the last page of results that a client can request. `total` is the
    /// number of hits.
    fn last(&self, total: u64) -> u64 {
        total
            .min(LAST_HIT)
            .div_ceil(self.limit)
            .clamp(1, LAST_HIT / self.limit)
    }
}

fn whole_number(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "it is no whole number")
}

/// Creates the HTML response to a search: a page of hits.
fn pages(
    view: &View,
    asked: &SearchParams,
    question: &Question,
    copies: Option<&str>,
) -> Result<Response, Refusal> {
    let bot = view.bot()?;
    let site = site(view, &bot, copies, &asked.filters)?;
    if asked.text.trim().is_empty() {
        return Ok(html(StatusCode::OK, site.start()));
    }
    let found = match view.search.find(question) {
        Ok(found) => found,
        Err(error) if is_of_query(error.kind()) => return Ok(refused(&site, &asked.text, &error)),
        Err(error) => return Err(error.into()),
    };
    let note = note(question, &found);
    let page = ResultPage {
        query: &asked.text,
        note: note.as_deref(),
        total: found.total(),
        page: asked.page,
        last: asked.last(found.total()),
        limit: asked.limit,
        usual_limit: USUAL,
        hits: found
            .hits()
            .iter()
            .map(|hit| shown(&view.search, hit))
            .collect::<Result<_, Refusal>>()?,
    };
    Ok(html(StatusCode::OK, site.results(&page)))
}

/// Joins the notes on a query and the notes on its results to one text. Returns `None` if there are
/// none.
fn note(question: &Question, found: &Found) -> Option<String> {
    let notes = [question.note(), found.note().map(str::to_owned)];
    notes
        .into_iter()
        .flatten()
        .reduce(|one, other| one + "; " + &other)
}

/// Creates the HTML response to `query`, a search query with a mistake. `error` is the error that
/// the mistake caused.
pub(super) fn refused(site: &SearchSite<'_>, query: &str, error: &Error) -> Response {
    let fault = Question::new(query).syntax_error();
    let reason = match &fault {
        Some((_, reason)) => format!("It does not parse: {reason}."),
        None => error.to_string(),
    };
    let refused = RefusedQuery {
        query,
        reason: &reason,
        at: fault.map(|(at, _)| at),
    };
    html(StatusCode::BAD_REQUEST, site.refused(&refused))
}

fn shown<'a>(search: &Search, hit: &'a Hit) -> Result<ShownHit<'a>, Refusal> {
    Ok(ShownHit {
        url: hit.url(),
        title: hit.title(),
        excerpt: hit.excerpt(),
        highlights: hit.highlights(),
        language: hit.language(),
        fetched: search.fetched(hit.url())?,
        has_copy: may_be_copied(search, hit.url(), SystemTime::now())?,
    })
}

/// True if the query caused an error of this kind. False if the index caused it.
pub(super) fn is_of_query(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::Query(_) | ErrorKind::Limit { .. })
}

/// Creates the JSON response to a search: a page of hits.
fn lines(
    view: &View,
    asked: &SearchParams,
    question: &Question,
    copies: Option<&str>,
) -> Result<Response, Refusal> {
    let found = match view.search.find(question) {
        Ok(found) => found,
        Err(error) => return with_place(error.into(), &asked.text),
    };
    Ok(json_answer(json::line(&FoundJson::new(
        view,
        asked,
        note(question, &found),
        &found,
        copies,
    )?)))
}

/// Converts the refusal of a search to a response if the query has a syntax error. The response
/// then has the byte offset of the syntax error in the query. Otherwise returns the refusal as an
/// error.
pub(super) fn with_place(refusal: Refusal, query: &str) -> Result<Response, Refusal> {
    let Some((at, _)) = Question::new(query).syntax_error() else {
        return Err(refusal);
    };
    let status = refusal.status();
    let error = refusal.into_error();
    let line = json::line(&json!({ "error": PlacedJson { error: ErrorJson::new(&error), at } }));
    let mut response = answer::json(status, line);
    response.extensions_mut().insert(answer::ResponseParts {
        kind: error.name(),
        reason: Some(error.name()),
        fault: None,
    });
    Ok(response)
}

#[derive(Serialize)]
struct PlacedJson {
    #[serde(flatten)]
    error: ErrorJson,
    at: usize,
}

/// A page of hits of a query, as JSON. docs/json.md describes its keys.
#[derive(Serialize)]
struct FoundJson<'a> {
    query: &'a str,
    total: u64,
    page: u64,
    pages: u64,
    limit: u64,
    note: Option<String>,
    hits: Vec<HitJson<'a>>,
}

#[derive(Serialize)]
struct HitJson<'a> {
    #[serde(flatten)]
    hit: &'a Hit,
    fetched: Option<String>,
    copy: Option<String>,
}

impl<'a> FoundJson<'a> {
    fn new(
        view: &View,
        asked: &'a SearchParams,
        note: Option<String>,
        found: &'a Found,
        copies: Option<&str>,
    ) -> Result<Self, Refusal> {
        let now = SystemTime::now();
        let hit = |hit: &'a Hit| {
            let has_copy = may_be_copied(&view.search, hit.url(), now)?;
            let fetched = view.search.fetched(hit.url())?.and_then(rfc3339);
            Ok::<_, Refusal>(HitJson {
                hit,
                fetched,
                copy: copies
                    .filter(|_| has_copy)
                    .map(|origin| copy_at(origin, hit.url())),
            })
        };
        Ok(Self {
            query: &asked.text,
            total: found.total(),
            page: asked.page,
            pages: asked.last(found.total()),
            limit: asked.limit,
            note,
            hits: found.hits().iter().map(hit).collect::<Result<_, _>>()?,
        })
    }
}
