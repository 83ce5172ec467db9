//! Creates the responses of the service's search: JSON, or HTML with the search's own
//! Content-Security-Policy.

use std::sync::{Arc, LazyLock};
use std::time::SystemTime;

use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, VARY};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use heedful::Landmarks;
use heedful_report::search::{SearchSite, policy};

use crate::full::serve::answer;
use crate::full::serve::refuse::Refusal;
use crate::full::serve::state::ServerState;

use super::filters::FilterSettings;
use crate::full::serve::opened::{ServedIndex, View};

/// The Content-Security-Policy of the search's HTML pages. All of its characters are valid in a
/// header, so the fallback `default-src 'none'` is never used.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    HeaderValue::try_from(policy()).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// Creates a response of HTML with the headers that all responses of the search have.
pub(super) fn html(status: StatusCode, page: String) -> Response {
    with_headers(answer::response(status, answer::HTML, page))
}

pub(super) fn json(line: String) -> Response {
    with_headers(answer::json(StatusCode::OK, line))
}

/// Adds the headers that all responses of the service's search have. They forbid crawlers to index
/// the response, and browsers to send the query to linked sites.
fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, POLICY.clone());
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        ROBOTS,
        HeaderValue::from_static("noindex, nofollow, noarchive"),
    );
    headers.insert(VARY, HeaderValue::from_static("Accept"));
    response
}

/// Calls `work` with a view of the index, as soon as one of the service's cores is free. Returns
/// the response of `work`. Refuses the request if there is no index, or if too many requests are in
/// progress. Also refuses the request if no core gets free in time.
pub(super) async fn work(
    service: ServerState,
    work: impl FnOnce(&ServerState, &ServedIndex, &View) -> Result<Response, Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let _place = service.cores.enter(&service.limits)?;
    let shared = Arc::clone(&service);
    let done = service
        .cores
        .work(service.bounds.request_time, &service.limits, move || {
            let Some(opened) = &shared.index else {
                return Err(Refusal::input(StatusCode::NOT_FOUND, "route", "no index"));
            };
            let view = opened.view()?;
            work(&shared, opened, &view)
        });
    done.await?
}

/// Returns the facts that every HTML page of the search shows. They are facts about the index, and
/// the filters that the client has chosen.
pub(super) fn site<'a>(
    view: &'a View,
    bot: &'a str,
    copies: Option<&'a str>,
    filters: &'a FilterSettings,
) -> Result<SearchSite<'a>, Refusal> {
    let facts = view.facts()?;
    let landmarks = view.terms.landmarks()?;
    Ok(SearchSite {
        pages: facts.pages(),
        hosts: facts.hosts(),
        bot,
        fetched: facts.fetched(),
        copies,
        languages: view.languages()?,
        landmarks: (landmarks != Landmarks::ALL).then_some(landmarks),
        filters: filters.shown(),
        now: Some(SystemTime::now()),
    })
}

/// Returns a response unchanged. Converts a refusal to an HTML page with the callback `page`, or to
/// JSON if `page` is `None`.
pub(super) fn page_or_json(
    answered: Result<Response, Refusal>,
    page: Option<fn(&str, &str) -> String>,
) -> Response {
    let (refusal, page) = match (answered, page) {
        (Ok(response), _) => return response,
        (Err(refusal), None) => return with_headers(refusal.into_response()),
        (Err(refusal), Some(page)) => (refusal, page),
    };
    let (title, message) = match refusal.status() {
        // An error of the index may name files of this machine, so its text is not shown.
        status if status.is_server_error() => {
            ("The search does not work", "Try again later.".to_owned())
        }
        StatusCode::TOO_MANY_REQUESTS => (
            "Too many are searching",
            "Try again in a moment.".to_owned(),
        ),
        _ => ("This address cannot be answered", refusal.message()),
    };
    let mut response = refusal.into_response();
    let status = response.status();
    let parts = response.extensions_mut().remove::<answer::ResponseParts>();
    let mut page = html(status, page(title, &message));
    if let Some(parts) = parts {
        page.extensions_mut().insert(parts);
    }
    page
}

/// Creates an HTML page of the search that shows only a title and a message.
pub(super) fn message(title: &str, message: &str) -> String {
    SearchSite::default().message(title, message)
}
