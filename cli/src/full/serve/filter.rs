//! `POST /filter`: everything about a page, or about each page of a stream.

use axum::extract::{Request, State};
use axum::response::Response;
use heedful_run::Gate;

use super::answer::{self, Told, joined};
use super::asked::Asked;
use super::body::Kind;
use super::lines;
use super::page::{self, Made, Reading};
use super::refuse::Refusal;
use super::state::{Service, Shared};
use super::stream::Pages;

pub(super) async fn answer(
    State(service): State<Shared>,
    request: Request,
) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let kind = Kind::of(&head.headers, &[Kind::Html, Kind::Json, Kind::Lines])?;
    let (query, asked) = Asked::with(&head, kind != Kind::Html, &["snapshot"])?;
    let snapshots = query.has("snapshot")?;
    if kind == Kind::Lines {
        let reading = Reading::new(&service, asked)?;
        let pages = Pages::new(if snapshots {
            reading.snapshots()
        } else {
            reading
        });
        return Ok(lines::answer(service, body, pages));
    }
    let made = page::work(
        &service,
        (head, body),
        (kind, asked),
        move |found, reading| {
            let reading = if snapshots {
                reading.clone().snapshots()
            } else {
                reading.clone()
            };
            Ok(reading.filtered(found, &Gate::default()))
        },
    );
    Ok(told(&service, &made.await?))
}

/// One page as an answer.
fn told(service: &Service, made: &Made) -> Response {
    service.metrics.page(made.error);
    let mut response = answer::json(made.status, joined(&made.lines));
    if let Some(kind) = made.error {
        response
            .extensions_mut()
            .insert(Told { kind, reason: None });
    }
    response
}
