//! `GET /dialects`: the conventions, on or off, as an array; with `uses`, the techniques against AI
//! training.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use heedful::{Conventions, DIALECTS};
use heedful_json as json;
use heedful_json::{DialectJson, TechniqueJson};
use heedful_lint::TECHNIQUES;

use super::answer;
use super::asked::{FilterParams, QueryString};
use super::refuse::Refusal;
use super::state::ServerState;

pub(super) async fn answer(
    State(service): State<ServerState>,
    request: Request,
) -> Result<Response, Refusal> {
    let query = QueryString::of(request.uri(), &["dialects", "uses"])?;
    let asked = FilterParams {
        dialects: query.parsed("dialects", Conventions::parse)?,
        ..FilterParams::default()
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
