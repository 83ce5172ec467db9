//! Requests that are not answered: each with a status, and why, as JSON: `{"error": {"kind": ..., "message": ...}}`.
//!
//! The kinds are those of all errors of the program, the messages are for people. Nothing of a page is in them, except
//! in the message of a panic.

use axum::extract::Request;
use axum::http::header::{ALLOW, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use heedful::json::{self, ErrorJson};
use heedful::{Error, ErrorKind, Limits};
use serde_json::json;

use super::answer::{self, Told};
use super::bounds::value;

/// A request that is not answered.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    error: Error,
    /// For the counts: the limit that was passed, or what else is wrong.
    reason: &'static str,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, reason: &'static str, error: impl Into<Error>) -> Self {
        Self { status, reason, error: error.into() }
    }

    /// The request makes no sense.
    pub(super) fn input(status: StatusCode, reason: &'static str, message: impl Into<String>) -> Self {
        Self::new(status, reason, ErrorKind::Input(message.into()))
    }

    /// The request passes a limit of the service.
    pub(super) fn limit(status: StatusCode, name: &'static str, limits: &Limits) -> Self {
        Self::new(status, name, ErrorKind::Limit { of: "request", name, limit: value(name, limits) })
    }

    /// A defect of the program.
    pub(super) fn panic(message: String) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "panic", ErrorKind::Internal(message))
    }
}

impl Refusal {
    pub(super) fn kind(&self) -> &'static str {
        self.error.name()
    }

    pub(super) fn error(&self) -> &Error {
        &self.error
    }

    pub(super) fn into_error(self) -> Error {
        self.error
    }

    pub(super) fn status(&self) -> StatusCode {
        self.status
    }
}

/// The status for an error of a request.
fn status(error: &Error) -> StatusCode {
    match error.name() {
        "limit" => StatusCode::PAYLOAD_TOO_LARGE,
        "ambiguous" => StatusCode::UNPROCESSABLE_ENTITY,
        "internal" | "io" | "index" => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { status: status(&error), reason: error.name(), error }
    }
}

impl From<ErrorKind> for Refusal {
    fn from(kind: ErrorKind) -> Self {
        Error::from(kind).into()
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let line = json::line(&json!({ "error": ErrorJson::of(&self.error) }));
        let mut response = answer::json(self.status, line);
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response.extensions_mut().insert(Told { kind: self.error.name(), reason: Some(self.reason) });
        response
    }
}

/// Nothing has this path.
pub(super) async fn no_route(request: Request) -> Refusal {
    let message = format!("there is no `{}` here; docs/serve.md lists what there is", request.uri().path());
    Refusal::input(StatusCode::NOT_FOUND, "route", message)
}

/// The path is asked in another way.
pub(super) async fn no_method(request: Request) -> Response {
    // A GET route takes HEAD too, so only one of the two is missing.
    let wanted = if request.method() == "POST" { "GET" } else { "POST" };
    let message = format!("`{}` takes {wanted}, not {}", request.uri().path(), request.method());
    let mut response = Refusal::input(StatusCode::METHOD_NOT_ALLOWED, "method", message).into_response();
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(wanted));
    response
}
