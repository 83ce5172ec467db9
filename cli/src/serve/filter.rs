//! `POST /filter`: everything about a page, or about each page of a stream.

use axum::extract::{Request, State};
use axum::response::Response;
use heedful::run::Gate;

use super::answer::{self, Told, joined};
use super::asked::Asked;
use super::body::Kind;
use super::page::{self, Made};
use super::refuse::Refusal;
use super::state::{Service, Shared};
use super::stream;

pub(super) async fn answer(State(service): State<Shared>, request: Request) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let (query, asked) = Asked::with(&head.uri, &["snapshot"])?;
    let snapshots = query.has("snapshot")?;
    let kind = Kind::of(&head.headers, &[Kind::Html, Kind::Json, Kind::Lines])?;
    if kind == Kind::Lines {
        let filter = service.filter(&asked)?;
        let filter = if snapshots { filter.snapshots() } else { filter };
        let pages = stream::Pages::new(service.bots(&asked)?, filter, asked);
        return Ok(super::lines::answer(service, body, pages));
    }
    let made = page::work(&service, (head, body), (kind, asked), move |found, _, filter, bots| {
        let filter = if snapshots { filter.clone().snapshots() } else { filter.clone() };
        Ok(page::filtered(found, &filter, &Gate::default(), bots))
    });
    Ok(told(&service, &made.await?))
}

/// One page as an answer.
fn told(service: &Service, made: &Made) -> Response {
    service.metrics.page(made.error);
    let mut response = answer::json(made.status, joined(&made.lines));
    if let Some(kind) = made.error {
        response.extensions_mut().insert(Told { kind, reason: None });
    }
    response
}
