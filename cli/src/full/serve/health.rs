//! `GET /health`: reports that the service works, its version, its number of cores, and whether it
//! has an index. It does not report the path of the index, since anybody may call this route.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use heedful_json as json;
use serde_json::json;

use super::answer;
use super::refuse::Refusal;
use super::state::ServerState;

pub(super) async fn answer(State(service): State<ServerState>) -> Result<Response, Refusal> {
    let health = json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "cores": service.cores.number(),
        "index": service.index.is_some(),
    });
    Ok(answer::json(StatusCode::OK, json::line(&health)))
}
