//! `GET /dialects`: the conventions, on or off, as an array; with `uses`, the techniques against AI
//! training.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use heedful::{DIALECTS, Dialects};
use heedful_json as json;
use heedful_json::{DialectJson, TechniqueJson};
use heedful_lint::TECHNIQUES;

use super::answer;
use super::asked::{Asked, Query};
use super::refuse::Refusal;
use super::state::Shared;

pub(super) async fn answer(
    State(service): State<Shared>,
    request: Request,
) -> Result<Response, Refusal> {
    let query = Query::of(request.uri(), &["dialects", "uses"])?;
    let asked = Asked {
        dialects: query.parsed("dialects", Dialects::parse)?,
        ..Asked::default()
    };
    let line = if query.has("uses")? {
        json::line(&TECHNIQUES.iter().map(TechniqueJson::of).collect::<Vec<_>>())
    } else {
        let dialects = service.dialects(&asked)?;
        json::line(
            &DIALECTS
                .iter()
                .map(|dialect| DialectJson::of(dialect, &dialects))
                .collect::<Vec<_>>(),
        )
    };
    Ok(answer::json(StatusCode::OK, line))
}
