//! `GET /conventions`: returns an array of the conventions, each with its state (on or off). With
//! the setting `uses`, it returns the techniques against AI training instead.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use heedful::{CONVENTIONS, Conventions};
use heedful_json as json;
use heedful_json::{ConventionJson, TechniqueJson};
use heedful_lint::TECHNIQUES;

use super::answer;
use super::asked::{FilterParams, QueryString};
use super::refuse::Refusal;
use super::state::ServerState;

pub(super) const NAMES: [&str; 2] = ["conventions", "uses"];

pub(super) async fn answer(
    State(service): State<ServerState>,
    request: Request,
) -> Result<Response, Refusal> {
    let query = QueryString::from_uri(request.uri(), &NAMES)?;
    let asked = FilterParams {
        conventions: query.parsed("conventions", Conventions::parse)?,
        ..FilterParams::default()
    };
    let line = if query.has("uses")? {
        json::line(
            &TECHNIQUES
                .iter()
                .map(TechniqueJson::new)
                .collect::<Vec<_>>(),
        )
    } else {
        let conventions = service.conventions(&asked)?;
        json::line(
            &CONVENTIONS
                .iter()
                .map(|convention| ConventionJson::new(convention, &conventions))
                .collect::<Vec<_>>(),
        )
    };
    Ok(answer::json(StatusCode::OK, line))
}
