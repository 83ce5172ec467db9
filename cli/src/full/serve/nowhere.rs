//! Refuses a request for a path that does not exist, or with a method that its path does not
//! accept.

use axum::extract::{Request, State};
use axum::http::header::ALLOW;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::opened::ServedIndex;
use super::refuse::Refusal;
use super::route::RouteMethod;
use super::routes::{self, ROUTES};
use super::state::ServerState;

/// Refuses a request for a path that does not exist. The message lists the existing paths.
pub(super) async fn no_route(State(service): State<ServerState>, request: Request) -> Refusal {
    let path = request.uri().path();
    let paths = |method| {
        let all = routes::of_service(service.index.is_some());
        let paths = all.filter(|route| route.method == method);
        paths.map(|route| route.path).collect::<Vec<_>>().join(", ")
    };
    let copies = service.index.as_ref().and_then(ServedIndex::copies_port);
    let copies = copies
        .map(|port| format!("; copies are on port {port}"))
        .unwrap_or_default();
    let message = format!(
        "there is no `{path}` here; POST goes to {}, GET to {}{copies}",
        paths(RouteMethod::Post),
        paths(RouteMethod::Get)
    );
    Refusal::input(StatusCode::NOT_FOUND, "route", message)
}

/// Refuses a request with a method that its path does not accept. The response names the accepted
/// method.
pub(super) async fn no_method(request: Request) -> Response {
    let route = ROUTES
        .iter()
        .find(|route| route.path == request.uri().path());
    let wanted = route.map_or(RouteMethod::Get, |route| route.method).name();
    let message = format!(
        "`{}` takes {wanted}, not {}",
        request.uri().path(),
        request.method()
    );
    let mut response =
        Refusal::input(StatusCode::METHOD_NOT_ALLOWED, "method", message).into_response();
    response
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static(wanted));
    response
}
