//! `POST /snapshot`: returns a copy of the page in the body, without the parts that may not be
//! archived. If the page denies copies, the response is 403 with the reason.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use heedful::{Page, Use};
use heedful_run::{Gate, Outcome, filtered};

use crate::dress::Dress;

use super::answer;
use super::asked::QueryString;
use super::body::BodyKind;
use super::page::{self, FoundPages, PageCall, PageRequest};
use super::refuse::Refusal;
use super::state::ServerState;

pub(super) const NAMES: [&str; 6] = [
    "mark",
    "mark_class",
    "base",
    "banner",
    "no_scripts",
    "dress",
];

pub(super) const TAKES: [BodyKind; 2] = [BodyKind::Html, BodyKind::Json];

/// The Content-Security-Policy of a copy. A copy is the page of another site, so it must not run
/// scripts, load anything, or have the service's origin.
const POLICY: &str = "default-src 'none'; sandbox";

pub(super) async fn answer(
    State(service): State<ServerState>,
    request: Request,
) -> Result<Response, Refusal> {
    let call = PageCall::parse(request, &TAKES, &NAMES)?;
    let dress = asked_dress(&call.query)?;
    let made = call.work(&service, move |found, reading| {
        if reading.bots.len() > 1 {
            return Err(crate::ending::setting("a snapshot is for one bot: say `bot` once").into());
        }
        copy(found, &reading.clone().snapshots(), &dress)
    });
    let made = made.await;
    service.metrics.page(made.as_ref().err().map(Refusal::kind));
    made
}

/// Returns the response with the copy of a page, or the refusal that states why there is no copy.
fn copy(found: FoundPages, reading: &PageRequest, dress: &Dress) -> Result<Response, Refusal> {
    let outcome = reading.page(found.item, &Gate::default(), filtered);
    let Outcome::Pages(filtered) = outcome else {
        return Err(Refusal::page(page::error(outcome)));
    };
    let Some(page) = filtered.pages.first() else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let copy = page.snapshot(&dress.dressing(page, filtered.date.as_deref()));
    copy.map(|copy| answer::html(copy, POLICY))
        .ok_or_else(|| Refusal::withheld(why(page)))
}

/// Returns the reason why the publisher does not allow a copy of a page.
fn why(page: &Page) -> String {
    let policy = page.policy();
    let usage = if policy.allows(Use::Index) {
        Use::Archive
    } else {
        Use::Index
    };
    let said = policy
        .why(usage)
        .map(|directive| format!(": {} says `{}`", directive.convention(), directive.text()));
    format!("the page may not be kept{}", said.unwrap_or_default())
}

/// Parses the settings for additions to a copy of a page from the query string.
fn asked_dress(query: &QueryString) -> Result<Dress, Refusal> {
    let all = query.has("dress")?;
    Ok(Dress {
        mark: query.one("mark")?.unwrap_or("[...]").to_owned(),
        class: query.one("mark_class")?.map(str::to_owned),
        base: all || query.has("base")?,
        banner: all || query.has("banner")?,
        no_scripts: all || query.has("no_scripts")?,
    })
}
