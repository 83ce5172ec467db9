//! `POST /explain`: explains how heedful judges the page in the body, as JSON, or as HTML for a
//! browser.
//!
//! The explanation of a page contains the page's source, including the withheld parts. So it is
//! sent only to the client that sent the page.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use heedful_json as json;
use heedful_json::ExplanationJson;
use heedful_report::Report;
use heedful_run::{Gate, Outcome};

use crate::explain::page::ExplainedPage;

use super::answer;
use super::body::BodyKind;
use super::page::{self, PageCall};
use super::refuse::Refusal;
use super::state::ServerState;

pub(super) const NAMES: [&str; 1] = ["as"];

pub(super) const TAKES: [BodyKind; 2] = [BodyKind::Html, BodyKind::Json];

/// The Content-Security-Policy of an HTML explanation. It forbids scripts, and forbids to load
/// anything.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

pub(super) async fn answer(
    State(service): State<ServerState>,
    request: Request,
) -> Result<Response, Refusal> {
    let call = PageCall::parse(request, &TAKES, &NAMES)?;
    let vendors = call
        .query
        .parsed("as", crate::args::vendors)?
        .map_or_else(Vec::new, |vendors| vendors.0);
    let now = service.now(&call.asked);
    let wants_html = answer::wants_html(call.headers());
    let made = call.work(&service, move |found, reading| {
        let outcome = reading.page(found.item, &Gate::default(), |document, at, filter| {
            ExplainedPage::new(document, &at, filter, (&vendors, now))
        });
        explained(outcome, wants_html)
    });
    let made = made.await;
    service.metrics.page(made.as_ref().err().map(Refusal::kind));
    made
}

fn explained(outcome: Outcome<ExplainedPage>, wants_html: bool) -> Result<Response, Refusal> {
    let Outcome::Pages(page) = outcome else {
        return Err(Refusal::page(page::error(outcome)));
    };
    let ExplainedPage {
        explanation,
        robots,
        readings,
    } = &page;
    Ok(if wants_html {
        answer::html(
            Report::new(explanation)
                .robots(robots)
                .readings(readings)
                .html(),
            POLICY,
        )
    } else {
        answer::json(
            StatusCode::OK,
            json::line(&ExplanationJson::new(explanation, robots).with_readings(readings)),
        )
    })
}
