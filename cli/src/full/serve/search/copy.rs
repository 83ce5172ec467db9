//! `GET /copy?url=...`, on the port of copies: returns the copy of a page, without the parts that
//! may not be archived.
//!
//! A copy is served only if the index has the page and a copy of it, the page has not expired, and
//! no statement about the page denies `archive`. Without a copy, the status is 410 for a URL that
//! is recorded as removed from the index, otherwise 404. The copy has the same additions as with
//! `heedful snapshot --dress`: scripts do not run, links lead to the publisher's site, and a banner
//! names the page's URL.

use std::time::SystemTime;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use heedful::{Conventions, Filter, Limits};
use heedful_index::UrlState;
use heedful_json::rfc3339;
use heedful_report::search::{COPY_HEADERS, no_copy, quiet};

use crate::dress::Dress;
use crate::full::serve::answer;
use crate::full::serve::asked::QueryString;
use crate::full::serve::refuse::Refusal;
use crate::full::serve::state::ServerState;

use super::about::{in_words, may_be_copied, url_of};
use super::respond::{html, page_or_json, work};
use crate::full::serve::opened::View;

pub(in crate::full::serve) const NAMES: [&str; 1] = ["url"];

pub(in crate::full::serve) async fn answer(
    State(service): State<ServerState>,
    uri: Uri,
) -> Response {
    page_or_json(copied(service, &uri).await, Some(no_copy))
}

/// Answers 404 for all paths other than `/copy` on the port for copies.
pub(in crate::full::serve) async fn nothing_here() -> Response {
    html(
        StatusCode::NOT_FOUND,
        no_copy(
            "There is nothing here",
            "This address is no copy of a page.",
        ),
    )
}

async fn copied(service: ServerState, uri: &Uri) -> Result<Response, Refusal> {
    let url = url_of(&QueryString::from_uri(uri, &NAMES)?)?;
    work(service, move |service, _, view| {
        Ok(match copy(view, &url, &service.limits)? {
            Some(copy) => with_headers(answer::response(StatusCode::OK, answer::HTML, copy)),
            None => without(view, &url)?,
        })
    })
    .await
}

/// Returns the copy of the page at `url`, or `None` if no copy may be shown.
fn copy(view: &View, url: &str, limits: &Limits) -> heedful::Result<Option<String>> {
    let now = SystemTime::now();
    if !may_be_copied(&view.search, url, now)? {
        return Ok(None);
    }
    let Some(copy) = view.search.snapshot(url, Some(now))? else {
        return Ok(None);
    };
    // A stored copy has nothing left to withhold. It is parsed again only to add the dressing.
    let filter = Filter::new(view.terms.bot()?)
        .conventions(Conventions::parse("none")?)
        .limits(limits.clone())
        .snapshots();
    let page = filter.page(url, &[], copy.as_bytes())?;
    let date = view.search.fetched(url)?.and_then(rfc3339);
    Ok(page
        .snapshot(&dress().dressing(&page, date.as_deref()))
        .map(|copy| quiet(&copy)))
}

/// Returns the settings for additions to a copy: a `base` element, a banner, and a policy that lets
/// no script run. The option `heedful snapshot --dress` makes the same additions. The text that
/// marks cuts is the default of `--mark`.
fn dress() -> Dress {
    Dress {
        mark: "[...]".to_owned(),
        class: None,
        base: true,
        banner: true,
        no_scripts: true,
    }
}

/// Creates the response for a URL without a copy. The response states why there is none.
fn without(view: &View, url: &str) -> Result<Response, Refusal> {
    let known = view.search.known(url, Some(SystemTime::now()))?;
    Ok(match known {
        Some(UrlState::Gone { reason, .. }) => html(
            StatusCode::GONE,
            no_copy(
                "This copy is gone",
                &format!("The page is not in the index: {}", in_words(reason)),
            ),
        ),
        Some(UrlState::Page { .. }) => html(
            StatusCode::NOT_FOUND,
            no_copy(
                "There is no copy of this page",
                "Its publisher lets none be kept, or the index keeps none.",
            ),
        ),
        None => html(
            StatusCode::NOT_FOUND,
            no_copy(
                "There is no such copy",
                "The index does not know this page.",
            ),
        ),
    })
}

fn with_headers(mut response: Response) -> Response {
    for (name, value) in COPY_HEADERS {
        response.headers_mut().insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    response
}
