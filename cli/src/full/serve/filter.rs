//! `POST /filter`: returns the filtered contents of one page, or of each page of a stream.

use axum::extract::{Request, State};
use axum::response::Response;
use heedful_run::Gate;

use super::answer::{self, ResponseParts, join_lines};
use super::asked::FilterParams;
use super::body::BodyKind;
use super::lines;
use super::page::{self, PageRequest, PageResult};
use super::refuse::Refusal;
use super::state::{ServerState, Service};
use super::stream::PageStream;

pub(super) async fn answer(
    State(service): State<ServerState>,
    request: Request,
) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let kind = BodyKind::from_headers(
        &head.headers,
        &[BodyKind::Html, BodyKind::Json, BodyKind::Lines],
    )?;
    let (query, asked) = FilterParams::parse_request(&head, kind != BodyKind::Html, &["snapshot"])?;
    let snapshots = query.has("snapshot")?;
    if kind == BodyKind::Lines {
        let reading = PageRequest::new(&service, asked)?;
        let pages = PageStream::new(if snapshots {
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
    Ok(page_response(&service, &made.await?))
}

/// Creates the response for one page from its result, and counts the page in the metrics.
fn page_response(service: &Service, made: &PageResult) -> Response {
    service.metrics.page(made.error);
    let mut response = answer::json(made.status, join_lines(&made.lines));
    if let Some(kind) = made.error {
        response
            .extensions_mut()
            .insert(ResponseParts { kind, reason: None });
    }
    response
}
