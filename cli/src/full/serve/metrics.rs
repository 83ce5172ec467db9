//! `GET /metrics`: returns the metrics of the service, in the text format of Prometheus.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::answer;
use super::state::ServerState;

/// Content-Type of the text format that `OpenMetrics` defines and Prometheus reads.
pub(super) const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) async fn answer(State(service): State<ServerState>) -> Response {
    answer::response(StatusCode::OK, KIND, service.metrics.text())
}
